#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""docstrings.py - the comment of a function begins with a verb: Returns, Posts, Waits.

  docstrings.py           complains about the functions of all files in C, C++, Fortran and Python
  docstrings.py FILE...   complains about those of these files

The comment of a function is directly above it: lines with three slashes or, in C, a block in the first column. In Fortran it is lines of
comment above a procedure, in Python the docstring. Comments of types and members are nouns, and those of a test say what it is about:
they are not looked at. A verb is one of VERBS, because a word that ends in s can also be a noun. A module of Python begins with the name
of its file.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = ("*.h", "*.hpp", "*.c", "*.cpp", "*.f90", "*.F90", "*.py")
VERBS = frozenset("""
    Aborts Acknowledges Acts Adds Adopts Advances Allows Answers Appends Applies Asks Asserts Attaches Becomes Begins Binds Blanks Brings
    Builds Calls Carries Changes Checks Chooses Claims Clears Closes Compares Compiles Complains Completes Computes Confines Continues Converts
    Copies Counts Creates Cuts Decides Describes Divides Does Doubles Drains Draws Empties Ends Enrols Enters Escapes Executes Expands Extends
    Fills Finds Finishes Fits Fixes Follows Forgets Forks Frees Gives Goes Groups Grows Handles Hands Holds Implements Initialises Joins Judges
    Keeps Kills Learns Leaves Lends Lets Lists Loads Looks Makes Maps Marks Measures Moves Names Narrows Needs Notes Notices Offers Opens Packs
    Paints Parks Parses Passes Places Plans Plays Polls Postpones Posts Prepares Prints Publishes Puts Reads Reaps Reconciles Records Refuses
    Registers Releases Removes Repeats Replaces Replays Requests Reserves Restores Resumes Retells Retires Returns Runs Says Searches Sends
    Serves Sets Shows Shrinks Signs Sleeps Spells Splits Spreads Starts Stops Submits Sums Takes Tells Tries Turns Undoes Unregisters Uses
    Verifies Visits Waits Wakes Warns Widens Withdraws Works Writes Yields
    """.split())

_COMMENT = re.compile(r"^ *///(?!<) *(?P<line>.*)\n(?: *///.*\n)*|^/\* *(?P<block>[^\n]*)(?:\n \*[^\n]*)*\n", re.MULTILINE)
_BEFORE_FUNCTION = re.compile(r"template *<.*?>\s*(?=[\[\w])|\[\[\w+\]\]\s*", re.DOTALL)
_NO_FUNCTION = re.compile(r"\n|[A-Z][A-Z0-9_]{2,}\(|(struct|class|enum|union|using|typedef|namespace|static_assert|friend class)\b|#|/|\w+ *\(\* *\w+\)")
_ABOVE_PROCEDURE = re.compile(
    r"^ *!(?!\$)>? *(?P<line>.*)\n(?: *!(?!\$).*\n)*(?= *(?!end\b)(?:[a-z]\w*(?:\([^()\n]*\))? +)*(?:function|subroutine) +\w+)",
    re.MULTILINE | re.IGNORECASE)
_ARGUMENTS_OF_TEMPLATE = re.compile(r"<[^<>]*>")
_OPERATOR = re.compile(r"operator\W+(?=\()")


def is_function(code: str) -> bool:
    """Returns whether the code below a comment, up to its first ";" or brace, is a function. An empty line there is no code."""
    while before := _BEFORE_FUNCTION.match(code):
        code = code[before.end():]
    plain = _OPERATOR.sub("operator", code)
    while (less := _ARGUMENTS_OF_TEMPLATE.sub("", plain)) != plain:
        plain = less
    head = plain.split("(", 1)
    return len(head) == 2 and "=" not in head[0] and head[1] != "" and _NO_FUNCTION.match(code) is None


def comments(text: str):
    """Yields the number and the text of the first line of each function's comment, in C and C++."""
    for match in _COMMENT.finditer(text):
        if is_function(re.match(r"[^;{}]*", text[match.end():])[0].lstrip(" ")):
            yield text.count("\n", 0, match.start()) + 1, match["line"] or match["block"] or ""


def comments_of_fortran(text: str):
    """Yields the same of procedures in Fortran."""
    for match in _ABOVE_PROCEDURE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match["line"]


def is_member(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Returns whether the function is called without parentheses, as a member is."""
    return any("property" in ast.unparse(decorator) for decorator in function.decorator_list)


def comments_of_python(text: str):
    """Yields the same of docstrings in Python."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("test_") and not is_member(node):
            if docstring := ast.get_docstring(node):
                yield node.body[0].lineno, docstring.partition("\n")[0]


def unnamed_module(name: str, text: str) -> list[str]:
    """Complains about a module of Python whose docstring begins with another word than the name of its file."""
    docstring = ast.get_docstring(ast.parse(text))
    named = docstring is None or docstring.startswith(f"{Path(name).name} ")
    return [] if named else [f"{name}:1: the docstring of a module begins with the name of its file, {Path(name).name}"]


def complaints(name: str, text: str) -> list[str]:
    python = name.endswith(".py")
    kind = comments_of_python if python else comments_of_fortran if name.lower().endswith(".f90") else comments
    found = [(number, line) for number, line in kind(text) if re.match(r"\w*", line)[0] not in VERBS]
    return (unnamed_module(name, text) if python else []) + [
        f"{name}:{number}: the comment of a function begins with no verb that scripts/lint/docstrings.py knows: {line}" for number, line in found]


def main() -> int:
    listed = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "--", *FILES]
    names = sys.argv[1:] or subprocess.run(listed, capture_output=True, text=True, check=True).stdout.splitlines()
    found = [text for name in names if (ROOT / name).is_file() for text in complaints(name, (ROOT / name).read_text())]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
