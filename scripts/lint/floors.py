#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""floors.py - the folders of libdrom/ and what they include of one another; an include that climbs is a complaint.

  floors.py           complains, and compares the picture in docs/developer/architecture.md with the includes
  floors.py --picture prints the picture

A folder may include what is on a lower floor. Folders of one floor do not know each other.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "libdrom"
# The lowest floor first. Public headers are below all of them.
FLOORS = (("base",), ("shmem",), ("admin", "client"), ("ompt", "partition"), ("api", "agent"), ("mpi", "dlb"))
FLOOR = {folder: number for number, folders in enumerate(FLOORS) for folder in folders}
_INCLUDE = re.compile(r'^#include "([a-z_]+)/', re.MULTILINE)
_SOURCES = {".cpp", ".hpp", ".h", ".S"}
_PICTURE = re.compile(r"(<!-- floors -->\n)(.*?)(<!-- end of floors -->)", re.DOTALL)


def includes():
    """(file, folder that it is in, folder that it includes from)."""
    for path in sorted(LIBRARY.glob("*/*")):
        folder = path.parent.name
        if path.suffix not in _SOURCES or folder not in FLOOR:
            continue
        for other in _INCLUDE.findall(path.read_text()):
            if other in FLOOR and other != folder:
                yield path.relative_to(ROOT), folder, other


def picture() -> str:
    arrows = {}
    for _, folder, other in includes():
        arrows.setdefault(folder, set()).add(other)
    lines = ["| floor | folder | includes from |", "| --- | --- | --- |"]
    for number, folders in reversed(list(enumerate(FLOORS))):
        for folder in folders:
            below = sorted(arrows.get(folder, ()), key=lambda name: (FLOOR[name], name))
            lines.append(f"| {number} | `{folder}/` | {', '.join(f'`{name}/`' for name in below) or 'nothing'} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    if "--picture" in sys.argv[1:]:
        print(picture(), end="")
        return 0
    status = 0
    for path, folder, other in includes():
        if FLOOR[other] >= FLOOR[folder]:
            print(f"{path}: it includes from {other}/, which is not below {folder}/")
            status = 1
    known = set(FLOOR) | {"include", "bindings"}
    for path in sorted(LIBRARY.iterdir()):
        if path.name not in known and path.name != "CMakeLists.txt":
            print(f"libdrom/{path.name}: it is on no floor; scripts/lint/floors.py names them")
            status = 1
    document = (ROOT / "docs/developer/architecture.md").read_text()
    shown = _PICTURE.search(document)
    if shown is None or shown[2] != picture():
        print("docs/developer/architecture.md: its floors are not those of the includes; scripts/lint/floors.py --picture prints them")
        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
