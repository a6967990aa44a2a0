#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""docstrings.py - the comment of a function begins with a verb: Returns, Posts, Waits.

  docstrings.py           complains about the functions of all C and C++ files
  docstrings.py FILE...   complains about those of these files

The comment of a function is directly above it: lines with three slashes or, in C, a block in the first column. Comments of types and
members are nouns, and those above a macro say what a test is about: they are not looked at. A verb is one of VERBS, because a word that
ends in s can also be a noun.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = ("*.h", "*.hpp", "*.c", "*.cpp")
VERBS = frozenset("""
    Aborts Acknowledges Acts Adds Adopts Advances Allows Answers Appends Applies Asks Asserts Attaches Becomes Begins Blanks Brings Builds Calls
    Carries Changes Checks Chooses Claims Clears Closes Compares Complains Completes Computes Confines Continues Converts Copies Counts Creates Cuts
    Decides Describes Divides Does Doubles Drains Draws Empties Ends Enrols Enters Escapes Executes Expands Extends Fills Finds Finishes Fits Fixes
    Follows Forgets Forks Frees Gives Goes Grows Handles Hands Holds Implements Initialises Joins Judges Keeps Kills Learns Leaves Lends Lets Lists
    Loads Looks Makes Maps Marks Measures Moves Names Narrows Needs Notes Notices Offers Opens Packs Paints Parks Parses Passes Places Plans Polls
    Postpones Posts Prepares Prints Publishes Puts Reads Reaps Reconciles Records Refuses Registers Releases Removes Repeats Replaces Replays
    Requests Reserves Restores Retells Retires Returns Runs Says Searches Sends Serves Sets Shows Signs Sleeps Spells Splits Spreads Starts Stops
    Sums Takes Tells Tries Turns Undoes Unregisters Uses Verifies Visits Waits Wakes Warns Widens Withdraws Works Writes
    """.split())

_COMMENT = re.compile(r"^ *///(?!<) *(?P<line>.*)\n(?: *///.*\n)*|^/\* *(?P<block>[^\n]*)(?:\n \*[^\n]*)*\n", re.MULTILINE)
_BEFORE_FUNCTION = re.compile(r"template *<.*?>\s*(?=[\[\w])|\[\[\w+\]\]\s*", re.DOTALL)
_NO_FUNCTION = re.compile(r"\n|[A-Z][A-Z0-9_]{2,}\(|(struct|class|enum|union|using|typedef|namespace|static_assert|friend class)\b|#|/|\w+ *\(\* *\w+\)")
_ARGUMENTS_OF_TEMPLATE = re.compile(r"<[^<>]*>")
_OPERATOR = re.compile(r"operator\W+(?=\()")


def is_function(code: str) -> bool:
    """Of the code below a comment, up to its first ";" or brace. An empty line there is no code."""
    while before := _BEFORE_FUNCTION.match(code):
        code = code[before.end():]
    plain = _OPERATOR.sub("operator", code)
    while (less := _ARGUMENTS_OF_TEMPLATE.sub("", plain)) != plain:
        plain = less
    head = plain.split("(", 1)
    return len(head) == 2 and "=" not in head[0] and head[1] != "" and _NO_FUNCTION.match(code) is None


def comments(text: str):
    """Yields of each function's comment the number of its line, and that line."""
    for match in _COMMENT.finditer(text):
        if is_function(re.match(r"[^;{}]*", text[match.end():])[0].lstrip(" ")):
            yield text.count("\n", 0, match.start()) + 1, match["line"] or match["block"] or ""


def complaints(name: str, text: str) -> list[str]:
    found = [(number, line) for number, line in comments(text) if re.match(r"\w*", line)[0] not in VERBS]
    return [f"{name}:{number}: the comment of a function begins with no verb that scripts/lint/docstrings.py knows: {line}" for number, line in found]


def main() -> int:
    listed = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "--", *FILES]
    names = sys.argv[1:] or subprocess.run(listed, capture_output=True, text=True, check=True).stdout.splitlines()
    found = [text for name in names if (ROOT / name).is_file() for text in complaints(name, (ROOT / name).read_text())]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
