#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""prose.py - rules of CONTRIBUTING.md for sentences that can be checked, in documents, comments, docstrings and subjects of commits.

  prose.py             complains about all files, and about subjects of commits since this file is here
  prose.py FOLDER...   complains about these files and folders

A sentence has a noun for its subject: none begins with `Who`, `What` or `Whoever`, unless it asks. A program is not `somebody`, `nobody` or `anybody`,
also in the names of functions and tests, and in texts of more than one word; there it is not `whoever` either. A name in quotes may be that of a user.
A sentence has at most 25 words. It ends at a full stop, semicolon or colon. Up to a full stop or semicolon there is at most one colon, besides those in quotes or parentheses. A code span, or a title in asterisks, is one word. A list of
values, of three words at most, is no sentence. A line of a comment that is indented by more than one space is code, and stands alone.
A comment fits the column limit. A document has lines of at most 160 columns, besides tables, code, and results, which are made. A subject has at most 72 characters and no semicolon.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WIDEST = 120
WIDEST_IN_DOCUMENTS = 160
LONGEST_SENTENCE = 25
LONGEST_VALUE = 3
LONGEST_SUBJECT = 72

_COMMENTED = {".cpp", ".hpp", ".c", ".h", ".S", ".def", ".py", ".sh", ".bash", ".bats", ".f90", ".txt"}
_PROSE = {".md", ".scd"}
_KNOWS_WORDS = {"prose.py", "test_prose.py"}  # which look for these words
_BEGINS = re.compile(r"(?:^|(?<=[.!:] ))(Who|What|Whoever|Whatever)\b[^.?!]*(?P<end>[.?!:;]|$)")
_PERSON = re.compile(r"\b(some|no|any)body('s)?\b", re.IGNORECASE)
_PERSON_IN_NAME = re.compile(r"\b(?=\w*[a-z])(?:\w+(?:some|no|any)body\w*|(?:some|no|any)body(?!s?\b)\w+)", re.IGNORECASE)
_PERSON_IN_TEXT = re.compile(r"(?<!')\b(?:(?:some|no|any)body(?!')|(?:some|no|any)body's|whoever)\b", re.IGNORECASE)
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
_CODE_SPAN = re.compile(r"`[^`]*`")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_TITLE = re.compile(r"(?<!\*)\*[^*\s][^*]*\*(?!\*)")
_END = re.compile(r"(?<!\.\.)(?:(?<=[.!?:;])|(?<=[.!?][)\"*]))\s+")
_STOP = re.compile(r"(?<!\.\.)(?:(?<=[.!?;])|(?<=[.!?][)\"*]))\s+")
_ASIDE = re.compile(r'"[^"]*"|\([^()]*\)')
_COLON = re.compile(r"(?<=[^\d\s]):(?=\s)")
_COMMENT = re.compile(r"(?:^|\s)(?://+!?<?|#(?=\s|$)|/?\*+/?)\s?(.*?)(?:\*/)?$")


def complaints_about(text: str) -> list[str]:
    """Returns the complaints about one paragraph, cell or comment, on one line."""
    text = _CODE_SPAN.sub("CODE", text)
    found = [f"a sentence begins with {match[1]}" for match in _BEGINS.finditer(text) if match["end"] != "?"]
    found += [f"a program is not {match[0]}" for match in _PERSON.finditer(text)]
    found += [f"a sentence with {count} colons" for count in map(colons, _STOP.split(text)) if count > 1]
    return found + [f"a sentence of {count} words" for count in map(words, _END.split(text)) if count > LONGEST_SENTENCE]


def colons(sentence: str) -> int:
    """Returns 0 for a list of values. Quoted texts and what stands in parentheses count for themselves."""
    plain = _ASIDE.sub("", _TITLE.sub("TITLE", _LINK.sub(r"\1", sentence)))
    return len(_COLON.findall(plain)) if words(sentence) else 0


def words(sentence: str) -> int:
    """Returns 0 for a list of values."""
    plain = _TITLE.sub("TITLE", _LINK.sub(r"\1", sentence))
    if all(len(value.split()) <= LONGEST_VALUE for value in plain.split(",")):
        return 0
    return sum(any(letter.isalnum() for letter in word) for word in plain.split())


def paragraphs(lines: list[str]):
    """Yields (number of the first line, text) of each paragraph, item and cell of a document; headings, code and heads
    of tables are none."""
    code, number, text, before = False, 0, "", ""
    for i, line in enumerate([*lines, ""], 1):
        if line.lstrip().startswith("```"):
            code = not code
        indented = line.startswith("\t") and not before.startswith("\t")
        begins = not line.strip() or indented or re.match(r"\s*([*.|#>-]|\d+\.)\s?", line)
        before = line
        if (code or begins) and text:
            yield number, text
            text = ""
        if code or line.startswith("#") or line.lstrip().startswith("```"):
            continue
        if line.startswith("|"):
            for cell in line.strip("| ").split(" | "):
                yield i, cell
        elif line.strip():
            number, text = (number, f"{text} {line.strip()}") if text else (i, re.sub(r"^\s*(?:[*.>-]|\d+\.)\s+", "", line).strip())


def wide_lines(lines: list[str]):
    """Yields (number, columns) of each line of a document that is too long. A line of a table or of code may be."""
    code = False
    for i, line in enumerate(lines, 1):
        fence = line.lstrip().startswith("```")
        code ^= fence
        if len(line) > WIDEST_IN_DOCUMENTS and not code and not fence and not line.startswith(("|", ">", "    ")):
            yield i, len(line)


def comments(lines: list[str], path: Path):
    """Yields (number, text) of each paragraph of comment lines as one text. A comment behind code begins a text, which
    goes on in its column only."""
    number, text, column = 0, "", 0
    inside = False
    for i, line in enumerate([*lines, ""], 1):
        match = _COMMENT.search(line) if is_comment(line, path, inside) else None
        inside = bool(match) and path.suffix in {".c", ".h", ".hpp", ".cpp", ".S"} and ("/*" in line or inside) and "*/" not in line
        said = "" if match is None or match[1].startswith("SPDX-") else match[1].rstrip()
        behind = match is not None and line[:match.start()].strip() != ""
        alone = said.startswith("  ")
        if text and (not said or behind or alone or match.start() + 1 < column):
            yield number, text
            text = ""
        if alone:
            yield i, said.strip()
        elif said:
            number, text, column = (number, f"{text} {said.strip()}", column) if text else (i, said.strip(), match.start() if behind else 0)


def docstrings(source: str):
    """Yields (number, text) of each paragraph of the docstrings of Python code. An indented line is code, and stands
    alone."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(source)):
        docstring = ast.get_docstring(node) if isinstance(node, documented) else None
        if docstring is None:
            continue
        number, text = node.body[0].lineno, ""
        for i, line in enumerate([*docstring.splitlines(), ""], node.body[0].lineno):
            if text and (not line or line.startswith(" ")):
                yield number, text
                text = ""
            if line.startswith(" "):
                yield i, line.strip()
            elif line:
                number, text = (number, f"{text} {line}") if text else (i, line)


def code_complaints(lines: list[str], path: Path):
    """Yields (number of the line, what is found): programs that names or texts of the code call persons."""
    for i, line in enumerate(lines, 1):
        if is_comment(line, path, False) and line.lstrip().startswith(("//", "/*", "*", "#", "!")):
            continue
        texts = [text for text in _TEXT.findall(line) if " " in text]
        for match in (*_PERSON_IN_NAME.findall(_TEXT.sub('""', line)), *(found for text in texts for found in _PERSON_IN_TEXT.findall(text))):
            yield i, f"a program is not {match}"


def is_comment(line: str, path: Path, inside: bool) -> bool:
    code = path.suffix in {".c", ".h", ".hpp", ".cpp", ".S", ".def"}
    begins = line.lstrip()
    if code:
        return inside or begins.startswith(("//", "/*", "* ", "*/")) or re.search(r"\s(//|///<|/\*)\s", line) is not None
    return begins.startswith(("# ", "! "))


def complaints(path: Path) -> list[str]:
    try:
        lines = path.read_text().splitlines()
    except UnicodeDecodeError:
        return []
    name = path.relative_to(ROOT)
    if path.suffix in _PROSE:
        made = path.suffix != ".md" or path.is_relative_to(ROOT / "docs/results")
        texts, wide = paragraphs(lines), [f"{name}:{i}: a line has {columns} columns" for i, columns in wide_lines(lines) if not made]
    elif path.suffix in _COMMENTED:
        texts = [*comments(lines, path), *(docstrings("\n".join(lines)) if path.suffix == ".py" else [])]
        wide = [f"{name}:{i}: {found}" for i, found in code_complaints(lines, path) if path.name not in _KNOWS_WORDS]
        wide += [f"{name}:{i}: a comment has {len(line)} columns" for i, line in enumerate(lines, 1) if len(line) > WIDEST and is_comment(line, path, False)]
    else:
        return []
    return [f"{name}:{number}: {found}: {text[:90]}" for number, text in texts for found in complaints_about(text)] + wide


def subjects() -> list[str]:
    """Complains about the commits after the one that added this file: those before it did not know the rule."""
    def git(*arguments: str) -> list[str]:
        return subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True).stdout.splitlines()
    added = git("log", "--diff-filter=A", "--format=%H", "--", str(Path(__file__).relative_to(ROOT)))
    if not added:
        return []
    found = []
    for line in git("log", "--no-merges", "--format=%h %s", f"{added[-1]}..HEAD"):
        commit, subject = line.split(" ", 1)
        if len(subject) > LONGEST_SUBJECT:
            found.append(f"commit {commit}: its subject has {len(subject)} characters, and at most {LONGEST_SUBJECT} fit")
        if ";" in subject:
            found.append(f"commit {commit}: its subject has a semicolon: one commit, one subject")
    return found


def below(names: list[str]) -> list[Path]:
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "--", *names],
                            capture_output=True, text=True, check=True).stdout.splitlines()
    return [ROOT / name for name in listed if (ROOT / name).is_file()]


def main() -> int:
    found = [text for path in below(sys.argv[1:] or ["."]) for text in complaints(path)]
    if not sys.argv[1:]:
        found += subjects()
    print("\n".join([*found, f"{len(found)} sentences, lines or subjects"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
