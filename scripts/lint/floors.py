#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""floors.py - the folders of libdrom/, tools/drom/ and tools/sim/, and what they include of one another; an include that climbs is a complaint.

  floors.py           complains, and compares the picture in docs/developer/architecture.md with the includes
  floors.py --picture prints the picture

A folder may include what is on a lower floor. Folders of one floor do not know each other. The folders that libdrom/CMakeLists.txt names behind
BELOW are those from which a folder includes.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The lowest floor of each house first. Public headers are below all of them.
HOUSES = {
    "libdrom": (("base",), ("shmem",), ("partition", "client"), ("admin", "openmp"), ("api", "agent"), ("mpi", "dlb")),
    "tools/drom": (("program",), ("table",), ("output",), ("command_line",), ("verbs",)),
    "tools/sim": (("workload",), ("engine",), ("report",), ("cli",)),
}
# Folders without a floor, and files beside the folders: main.cpp is above all of them.
BESIDE = {"libdrom": {"include", "bindings"}, "tools/drom": {"completion", "main.cpp"}, "tools/sim": {"main.cpp"}}
_INCLUDE = re.compile(r'^#include "([a-z_]+)/', re.MULTILINE)
_BELOW = re.compile(r"^ *drom_floor\((\w+)[^)]*?(?:BELOW ([^)]*))?\)", re.MULTILINE)
_SOURCES = {".cpp", ".hpp", ".h", ".S"}
_PICTURE = re.compile(r"(<!-- floors -->\n)(.*?)(<!-- end of floors -->)", re.DOTALL)


def floor_of(house: str) -> dict[str, int]:
    return {folder: number for number, folders in enumerate(HOUSES[house]) for folder in folders}


def includes(house: str):
    """Yields (file, folder that it is in, folder that it includes from)."""
    floor = floor_of(house)
    for path in sorted((ROOT / house).glob("*/*")):
        folder = path.parent.name
        if path.suffix not in _SOURCES or folder not in floor:
            continue
        for other in _INCLUDE.findall(path.read_text()):
            if other in floor and other != folder:
                yield path.relative_to(ROOT), folder, other


def arrows_of_libdrom() -> dict[str, set[str]]:
    arrows: dict[str, set[str]] = {}
    for _, folder, other in includes("libdrom"):
        arrows.setdefault(folder, set()).add(other)
    return arrows


def picture() -> str:
    floor = floor_of("libdrom")
    arrows = arrows_of_libdrom()
    lines = ["| floor | folder | includes from |", "| --- | --- | --- |"]
    for number, folders in reversed(list(enumerate(HOUSES["libdrom"]))):
        for folder in folders:
            below = sorted(arrows.get(folder, ()), key=lambda name: (floor[name], name))
            lines.append(f"| {number} | `{folder}/` | {', '.join(f'`{name}/`' for name in below) or 'nothing'} |")
    return "\n".join(lines) + "\n"


def complaints(house: str):
    floor = floor_of(house)
    for path, folder, other in includes(house):
        if floor[other] >= floor[folder]:
            yield f"{path}: it includes from {other}/, which is not below {folder}/"
    known = set(floor) | BESIDE[house] | {"CMakeLists.txt"}
    for path in sorted((ROOT / house).iterdir()):
        if path.name not in known:
            yield f"{house}/{path.name}: it is on no floor; scripts/lint/floors.py names them"


def unlike_cmake():
    arrows = arrows_of_libdrom()
    said = dict(_BELOW.findall((ROOT / "libdrom/CMakeLists.txt").read_text()))
    if not said:
        yield "libdrom/CMakeLists.txt: it has no drom_floor()"
    for folder, below in said.items():
        if set(below.split()) != arrows.get(folder, set()):
            yield f"libdrom/CMakeLists.txt: drom_floor({folder}): it includes from {' '.join(sorted(arrows.get(folder, ())))}, and BELOW says otherwise"


def main() -> int:
    if "--picture" in sys.argv[1:]:
        print(picture(), end="")
        return 0
    found = [text for house in HOUSES for text in complaints(house)]
    found += unlike_cmake()
    shown = _PICTURE.search((ROOT / "docs/developer/architecture.md").read_text())
    if shown is None or shown[2] != picture():
        found.append("docs/developer/architecture.md: its floors are not those of the includes; scripts/lint/floors.py --picture prints them")
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
