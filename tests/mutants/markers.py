# SPDX-License-Identifier: BSD-3-Clause
"""markers.py - the markers in the source, and what a mutant makes of the line that has one.

A line that some mutant breaks ends with "// mutant NAME". A mutant names the marker, and one of the edits below."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

MARKER = re.compile(r" +// mutant ([a-z0-9-]+)$")
LIKE_ONE = re.compile(r"//.*\bmutant\b")
# Folders of the product. A mutant is one source file, compiled once more; a header has no such object.
PRODUCT = ("libdrom", "tools", "policy", "metrics", "plugins", "bench", "examples")


class Stale(Exception):
    """Says that the table and the source do not fit one another."""


@dataclass(frozen=True)
class Word:
    """Replaces a part of the line, which the line has once."""

    old: str
    new: str

    def broken(self, lines: list[str], at: int) -> list[str]:
        if lines[at].count(self.old) != 1:
            raise Stale(f'its line has "{self.old}" {lines[at].count(self.old)} times, not once')
        return [*lines[:at], lines[at].replace(self.old, self.new), *lines[at + 1 :]]


@dataclass(frozen=True)
class Becomes:
    """Replaces the whole line."""

    new: str

    def broken(self, lines: list[str], at: int) -> list[str]:
        return [*lines[:at], self.new, *lines[at + 1 :]]


@dataclass(frozen=True)
class Before:
    """Adds a line before it."""

    new: str

    def broken(self, lines: list[str], at: int) -> list[str]:
        return [*lines[:at], self.new, *lines[at:]]


@dataclass(frozen=True)
class Moved:
    """Moves the line so many lines down, or up if negative."""

    by: int

    def broken(self, lines: list[str], at: int) -> list[str]:
        to = at + self.by
        if not 0 <= to < len(lines):
            raise Stale(f"its line cannot be moved by {self.by} lines: it would leave the file")
        rest = [*lines[:at], *lines[at + 1 :]]
        return [*rest[:to], lines[at], *rest[to:]]


Edit = Word | Becomes | Before | Moved

GONE = Becomes("")
NEVER = Word("if (", "if (false && ")
ALWAYS = Word("if (", "if (true || ")


class Mutant(Protocol):
    """Has what is asked of a mutant here; mutants.py has the whole of it."""

    name: str
    marker: str
    edit: Edit


@dataclass(frozen=True)
class MarkedLine:
    file: Path
    line: int  # from 0


def marked_lines(root: Path) -> list[tuple[MarkedLine, str]]:
    """Returns the lines of the product that have a marker, or something like one."""
    files = sorted(file for folder in PRODUCT for file in (root / folder).rglob("*") if file.suffix in {".cpp", ".hpp", ".c", ".h"})
    return [(MarkedLine(file, at), line) for file in files for at, line in enumerate(file.read_text().splitlines()) if LIKE_ONE.search(line)]


def marked_by_name(root: Path) -> dict[str, MarkedLine]:
    return {found[1]: marked for marked, line in marked_lines(root) if (found := MARKER.search(line))}


def broken_text(marked: MarkedLine, edit: Edit) -> str:
    lines = marked.file.read_text().splitlines()
    lines[marked.line] = MARKER.sub("", lines[marked.line])
    return "\n".join(edit.broken(lines, marked.line)) + "\n"


def wrong_markers(root: Path, named: set[str]) -> list[str]:
    found, seen = [], set()
    for marked, line in marked_lines(root):
        where, marker = f"{marked.file.relative_to(root)}:{marked.line + 1}", MARKER.search(line)
        if not marker:
            found.append(f'{where}: a marker is "  // mutant NAME" at the end of its line')
        elif marked.file.suffix != ".cpp":
            found.append(f"{where}: the marker {marker[1]} is not in a .cpp file, and no other file can have a mutant")
        elif marker[1] not in named:
            found.append(f"{where}: the marker {marker[1]} has no mutant in tests/mutants/mutants.py")
        elif marker[1] in seen:
            found.append(f"{where}: the marker {marker[1]} stands a second time")
        seen.add(marker and marker[1])
    return found


def wrong_mutants(root: Path, mutants: list[Mutant]) -> list[str]:
    found, where = [], marked_by_name(root)
    for mutant in mutants:
        try:
            if mutant.marker not in where:
                raise Stale(f"no line has its marker {mutant.marker}")
            broken_text(where[mutant.marker], mutant.edit)
        except Stale as stale:
            found.append(f"tests/mutants/mutants.py: {mutant.name}: {stale}")
    return found


def complaints(root: Path, mutants: list[Mutant]) -> list[str]:
    return wrong_markers(root, {mutant.marker for mutant in mutants}) + wrong_mutants(root, mutants)
