#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""floors.py - the trees and their folders, and what they include of one another; an include that climbs is a complaint.

  floors.py           complains, and compares the picture in docs/developer/architecture.md with the includes
  floors.py --picture prints the picture

A folder may include what is on a lower floor. Folders of one floor do not know each other. The folders that libdrom/CMakeLists.txt names behind
BELOW are those from which a folder includes. A file in a deeper folder belongs to the folder of the floor. A tree includes from other trees only what
REACH names. No include begins with "../", because such a name hides the folder.
"""

import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
# The lowest floor of each house first. Public headers are below all of them.
HOUSES = {
    "libdrom": (("base",), ("shmem",), ("partition", "client"), ("admin", "openmp", "container"), ("api", "agent"), ("mpi", "dlb")),
    "tools/drom": (("program",), ("table",), ("sampling",), ("output",), ("command_line",), ("verbs",)),
    "tools/sim": (("workload",), ("engine",), ("report",), ("cli",), ("verbs",)),
    "policy": (("job",), ("cluster",), ("sharing",), ("backfill",), ("energy", "molding", "placement", "prediction", "resize", "urgent"), ("registry",), ("node", "record")),
    "plugins": (("common",), ("node_agent",), ("spank", "job_submit", "task_affinity", "select_malleable")),
    "plugins/select_malleable": (("state",), ("slurmctld",), ("limits",), ("books", "search"), ("transaction",)),
}
# Folders of other trees that a tree may include from. The public headers of libdrom are open to all.
REACH = {
    "libdrom": (),
    "policy": ("libdrom/base",),
    "metrics": (),
    "tools/text": ("libdrom/base",),
    "tools/journal": ("policy",),
    "tools/trace": (),
    "tools/sim": ("libdrom/base", "policy", "tools/journal", "tools/text", "tools/trace"),
    "tools/drom": ("libdrom/base", "libdrom/client", "libdrom/container", "libdrom/openmp", "libdrom/partition", "metrics", "policy", "tools/journal", "tools/text", "tools/trace"),
    "plugins": ("libdrom/base", "libdrom/openmp", "libdrom/partition"),
    "plugins/select_malleable": ("libdrom/base", "plugins/common", "policy"),
}
# Folders without a floor, and files beside the folders. main.cpp is above all of them, and so is what Slurm calls.
BESIDE = {
    "libdrom": {"include", "bindings"},
    "tools/drom": {"completion", "main.cpp"},
    "tools/sim": {"main.cpp"},
    "policy": set(),
    "plugins": {"known_series.cmake"},
    "plugins/select_malleable": {"older_functions.cpp", "select_malleable.cpp", "select_malleable.hpp", "select_malleable.map", "slurm-22.05", "slurm-24.11"},
}
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.MULTILINE)
# Where the compiler looks, besides the folder of the file and its tree.
_SEARCHED = ("libdrom", ".", "tools", "plugins")
_BELOW = re.compile(r"^ *drom_floor\((\w+)[^)]*?(?:BELOW ([^)]*))?\)", re.MULTILINE)
_SOURCES = {".cpp", ".hpp", ".h", ".S"}
_PICTURE = re.compile(r"(<!-- floors -->\n)(.*?)(<!-- end of floors -->)", re.DOTALL)


def floor_of(house: str) -> dict[str, int]:
    return {folder: number for number, folders in enumerate(HOUSES[house]) for folder in folders}


class Include(NamedTuple):
    path: Path  # from the root
    folder: str  # of the tree, that the file is in; empty: beside the folders
    name: str  # as the file has it
    tree: str  # that the included file is in
    other: str  # its folder of that tree


def place_of(path: Path) -> tuple[str, str]:
    """Returns the tree of a path from the root, the innermost one, and its folder there."""
    for tree in sorted(REACH, key=len, reverse=True):
        if path.is_relative_to(tree):
            below = path.relative_to(tree).parts
            return tree, below[0] if len(below) > 1 else ""
    return "", ""


def included(tree: str, path: Path, name: str) -> Path | None:
    """Returns the file from the root; None: a header of the system, of Slurm, or a public one."""
    for folder in (path.parent, ROOT / tree, *(ROOT / searched for searched in _SEARCHED)):
        found = (folder / name).resolve()
        if found.is_file() and found.is_relative_to(ROOT):
            return found.relative_to(ROOT)
    return None


def includes(tree: str):
    """Yields each include of the project's own files."""
    for path in sorted((ROOT / tree).rglob("*")):
        if path.suffix not in _SOURCES:
            continue
        innermost, folder = place_of(path.relative_to(ROOT))
        if innermost != tree:
            continue
        for name in _INCLUDE.findall(path.read_text()):
            found = included(tree, path, name)
            if found is not None:
                yield Include(path.relative_to(ROOT), folder, name, *place_of(found))


def arrows_of_libdrom() -> dict[str, set[str]]:
    floor = floor_of("libdrom")
    arrows: dict[str, set[str]] = {}
    for of in includes("libdrom"):
        if of.tree == "libdrom" and of.folder in floor and of.other in floor and of.other != of.folder:
            arrows.setdefault(of.folder, set()).add(of.other)
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


def climbs(tree: str):
    """Yields a sentence for each include that a file of the tree must not have."""
    floor = floor_of(tree) if tree in HOUSES else {}
    for of in includes(tree):
        if of.name.startswith("../") or "/../" in of.name:
            yield f"{of.path}: it includes {of.name}; the name begins at the tree, without ../"
        if of.tree != tree:
            where = f"{of.tree}/{of.other}".rstrip("/")
            if not any(Path(where).is_relative_to(reach) for reach in REACH[tree]):
                yield f"{of.path}: it includes from {where}/, which is not below {tree}/"
        elif of.folder in floor and of.other in floor and of.other != of.folder and floor[of.other] >= floor[of.folder]:
            yield f"{of.path}: it includes from {of.other}/, which is not below {of.folder or tree}/"


def homeless(house: str):
    """Yields a sentence for what is on no floor: a folder, or a file beside the folders."""
    known = set(floor_of(house)) | BESIDE[house] | {"CMakeLists.txt"}
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
    found = [text for tree in REACH for text in climbs(tree)]
    found += [text for house in HOUSES for text in homeless(house)]
    found += unlike_cmake()
    shown = _PICTURE.search((ROOT / "docs/developer/architecture.md").read_text())
    if shown is None or shown[2] != picture():
        found.append("docs/developer/architecture.md: its floors are not those of the includes; scripts/lint/floors.py --picture prints them")
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
