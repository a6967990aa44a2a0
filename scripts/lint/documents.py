#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""documents.py - documents against what they describe: links, files, variables, verbs and options, messages.

A document may name a verb or an option of the command only if `drom VERB --help` of a build names it too. Before the first build
that is skipped; scripts/test.sh builds first. In a table headed "question | folder", every folder exists and has the files that are named after it.
A file of the sources that is named by its path, from the root or from `libdrom/`, exists. In a list headed "message", and in a block of code called "message", every message must
occur in the sources.

  documents.py FILE...          all of it
  documents.py --links FOLDER   links only, of every document below FOLDER: an installed tree
"""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))

from environment import variables  # noqa: E402

_LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
# The files that cmake/install.cmake puts beside the documents.
_INSTALLED = re.compile(r"\.(md|svg)$|examples/|CITATION\.cff$|LICENSE")
_VARIABLE = re.compile(r"\bDROM_[A-Z_]+\b")
_COMMAND = re.compile(r"(?:^|[\s`(|$])drom ([a-z]+)((?: [^`\n|;&#]*)?)")


@cache
def drom() -> Path | None:
    for preset in ("dev", "release"):
        program = ROOT / "build" / preset / "bin" / "drom"
        if program.exists():
            return program
    return None


@cache
def help_of(verb: str) -> str | None:
    """Returns the long help of a verb, "" when there is no such verb, None when there is no build."""
    program = drom()
    if program is None:
        return None
    done = subprocess.run([str(program), verb, "--help"], capture_output=True, text=True, timeout=10)
    return done.stdout if done.returncode == 0 else ""


@cache
def known_names() -> set[str]:
    """Returns the DROM_* words that exist: variables, and names of the C interface and of the build."""
    names = {name for name, *_ in variables()}
    for file in [*ROOT.glob("libdrom/include/drom/*.h"), *ROOT.glob("CMakeLists.txt"), *ROOT.glob("cmake/*")]:
        names |= set(_VARIABLE.findall(file.read_text()))
    return names


@cache
def sources() -> str:
    files = [f for folder in ("libdrom", "plugins", "tools", "scripts") for f in (ROOT / folder).rglob("*") if f.is_file() and f.suffix != ".pyc"]
    return "\n".join(f.read_text(errors="replace") for f in files)


@cache
def headings(document: Path) -> set[str]:
    """Returns the anchors that a reader's browser makes of a document's headings."""
    lines = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", document.read_text(), flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}


def links(path: Path, text: str) -> list[str]:
    found = []
    for target, anchor in _LINK.findall(text):
        if "://" in target:
            continue
        document = (ROOT / path.parent / target) if target else ROOT / path
        if not document.exists():
            found.append(f"link to {target}, which is not there")
        elif path.parts[0] == "docs" and not _INSTALLED.search(target or path.name):
            found.append(f"link to {target}, which cmake/install.cmake does not install with the documents")
        elif anchor and anchor not in headings(document):
            found.append(f"link to {target}#{anchor}: there is no such heading")
    return found


def names(text: str) -> list[str]:
    return [f"{name} is no variable, constant or option" for name in sorted(set(_VARIABLE.findall(text)) - known_names())]


def shown_commands(text: str) -> str:
    """Returns only what is set as code: prose may say "drom does"."""
    code = "\n".join(re.findall(r"```.*?```|`[^`\n]+`", text, re.DOTALL))
    return re.sub(r"\s# .*", "", code)


def commands(text: str) -> list[str]:
    found = []
    for verb, rest in _COMMAND.findall(shown_commands(text)):
        manual = help_of(verb)
        if manual is None:
            return []
        if manual == "":
            found.append(f"'drom {verb}': the command knows no such verb")
            continue
        for option in re.findall(r"(?<!\S)--[a-z][a-z-]*", rest.split(" -- ")[0]):
            if option not in manual:
                found.append(f"'drom {verb} {option}': drom {verb} --help does not know it")
    return found


def messages(text: str) -> list[str]:
    """Complains about messages of which no source has the longest part without a variable, which is written
    <variable>."""
    shown = [row.split("|")[1].strip().strip("`") for table in re.findall(r"^\| message .*?\n(?:\|.*\n)+", text, re.MULTILINE) for row in table.splitlines()[2:]]
    shown += [line for block in re.findall(r"^```message\n(.*?)^```", text, re.MULTILINE | re.DOTALL) for line in block.splitlines()]
    fixed = [max(re.split(r"<[^>]*>", message), key=len).strip() for message in shown]
    return [f"no source says '{part}'" for part in fixed if part not in sources()]


def folders(text: str) -> list[str]:
    """Complains about the answers in a table of questions. A name without a slash is a file of the folder named before
    it, with or without its ending."""
    found = []
    for table in re.findall(r"^\| question \| folder \|\n.*\n((?:\|.*\n?)+)", text, re.MULTILINE):
        for answer in (row.split(" | ")[1] for row in table.splitlines()):
            folder = ROOT
            for name in re.findall(r"`([^`\s]+)`", answer):
                if name.endswith("/"):
                    folder = ROOT / name
                    found += [] if folder.is_dir() else [f"{name} is no folder"]
                elif not any(at.exists() or any(at.parent.glob(f"{at.name}.*")) for at in ((ROOT if "/" in name else folder) / name,)):
                    found.append(f"{name} is not in {folder.relative_to(ROOT)}/")
    return found


def files(text: str) -> list[str]:
    """Complains about sources that are not there, named in code spans by a path that begins in the root or in
    libdrom/."""
    roots = (ROOT, ROOT / "libdrom")
    named = set(re.findall(r"`([\w-]+/[\w./-]*\.(?:cpp|hpp|c|h|py|sh|bats))`", text))
    return [f"{name} is not there" for name in sorted(named)
            if any((root / name.split("/")[0]).is_dir() for root in roots) and not any((root / name).exists() for root in roots)]


def installed(folder: Path) -> int:
    documents = sorted(folder.rglob("*.md"))
    found = [f"{name}: {complaint}" for name in documents for complaint in links(name, name.read_text())]
    print("\n".join(found) or f"{len(documents)} documents")
    return 1 if found or not documents else 0


def main() -> int:
    if sys.argv[1:2] == ["--links"]:
        return installed(Path(sys.argv[2]).resolve())
    status = 0
    for name in sys.argv[1:]:
        text = (ROOT / name).read_text()
        for complaint in links(Path(name), text) + names(text) + commands(text) + messages(text) + folders(text) + files(text):
            print(f"{name}: {complaint}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
