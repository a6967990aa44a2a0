#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""sources.py - rules that every source file keeps: a licence line, one line that says what it is, a readable length, no loose ends."""

import re
import sys
from pathlib import Path

_CODE = {".cpp", ".hpp", ".c", ".h", ".S", ".def", ".sh", ".bash", ".bats", ".py", ".f90"}
_MAX_LINES = 600
_LOOSE_ENDS = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")
# Paths of one machine: a home folder, a work folder. Debian's own paths are the same everywhere.
_ONE_MACHINE = re.compile(r"(?<![\w./$}>-])/(home|work|Users)/\w")
# Calls that are forbidden inside other people's processes. (Allocation depends on the place: a test counts it at safe
# points.)
_BANNED_IN_GUEST = re.compile(r"(?<![\w.>])(usleep|nanosleep|abort|assert|printf|puts|exit)\s*\(")
# Slurm's daemons wait for events. A wait that no event ends has a reason on its line or the one before: "// no event:
# REASON".
_BANNED_IN_DAEMONS = re.compile(r"(?<![\w.>])(u?sleep|(?:clock_)?nanosleep|p?poll|sched_yield|sleep_for|sleep_until)\s*\(")
_NO_EVENT = re.compile(r"// no event: \w")

# Owner and home words are composed in one place; layout.hpp says how they are packed.
_LEDGER = {"libdrom/shmem/ledger.hpp", "libdrom/shmem/ledger.cpp", "libdrom/shmem/layout.hpp"}
_OWNER_WORD = re.compile(r"\.with\(|(?:\.|->)(?:owner|home)\([^()]*\)\.(?:store|exchange|compare_exchange|fetch)|Owner\{\d")

# The words of slots, too, are written by the floor that they are on. The words are those of Slot in layout.hpp.
_SHMEM = "libdrom/shmem/"
_SLOT_WORD = re.compile(
    r"(?:\b(?:client|launcher|claimer)(?:\.|->)(?:pid|start|pidns|signs)|(?:\.|->)(?:state|uid|min_cpus|max_cpus|page_key|joined_ns))"
    r"\.(?:store|exchange|compare_exchange|fetch)|\bwrite_identity\("
)


def without_comments(line: str) -> str:
    return re.sub(r"//.*|/\*.*?\*/|\"(?:[^\"\\]|\\.)*\"", "", line)


def complaints(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        return []
    found = []
    code = path.suffix in _CODE
    if code and not any("SPDX-License-Identifier:" in line for line in lines[:3]):
        found.append("1: no SPDX-License-Identifier in the first three lines")
    if code and not any(path.name in line for line in lines[:6]):
        found.append(f"1: no line that says '{path.name} - what it is'")
    if code and len(lines) > _MAX_LINES:
        found.append(f"{len(lines)}: longer than {_MAX_LINES} lines; split it")
    guest = code and path.parts[0] == "libdrom" and path.suffix in {".cpp", ".hpp"}
    daemon = code and path.parts[0] in {"plugins", "policy"} and path.suffix in {".cpp", ".hpp"}
    for number, line in enumerate(lines, 1):
        if _LOOSE_ENDS.search(line):
            found.append(f"{number}: a loose end: {line.strip()}")
        if _ONE_MACHINE.search(line):
            found.append(f"{number}: a path of one machine: {line.strip()}")
        if code and (line != line.rstrip() or "\t" in line):
            found.append(f"{number}: trailing blank or tab")
        banned = _BANNED_IN_GUEST.search(without_comments(line)) if guest else None
        if guest and str(path) not in _LEDGER and _OWNER_WORD.search(without_comments(line)):
            found.append(f"{number}: an owner or home word is composed outside shmem/ledger: {line.strip()}")
        if guest and not str(path).startswith(_SHMEM) and _SLOT_WORD.search(without_comments(line)):
            found.append(f"{number}: a word of a slot is written outside shmem/: {line.strip()}")
        if banned:
            found.append(f"{number}: {banned[1]}() inside applications: {line.strip()}")
        waits = _BANNED_IN_DAEMONS.search(without_comments(line)) if daemon else None
        if waits and not any(_NO_EVENT.search(near) for near in lines[max(0, number - 2) : number]):
            found.append(f"{number}: {waits[1]}() inside Slurm's daemons, without '// no event: REASON': {line.strip()}")
    return [f"{path}:{text}" for text in found]


def main() -> int:
    skipped = {"LICENSE", "GPL-2.0-or-later.txt"}
    found = [text for name in sys.argv[1:] if Path(name).name not in skipped for text in complaints(Path(name))]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
