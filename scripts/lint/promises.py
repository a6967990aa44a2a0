#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""promises.py - docs/developer/promises.md names tests that there are: each `name` of a table's last column stands in tests/ or bench/, each *suite* is one;
and a test reads each variable that scripts/attack.sh sets to make a suite long."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "developer" / "promises.md"


def sources() -> str:
    files = [path for folder in ("tests", "bench") for path in (ROOT / folder).rglob("*") if path.suffix in (".cpp", ".c", ".bats", ".py", ".f90", ".txt", ".hpp", ".sh")]
    return "\n".join(path.read_text(errors="replace") for path in files)


def main() -> int:
    known = sources()
    attack = (ROOT / "scripts" / "attack" / "attack.py").read_text()
    suites = set(re.findall(r'^    "([\w-]+)": Suite\(', attack, re.MULTILINE))
    suites |= {path.name for path in (ROOT / "tests").iterdir()}
    variables = re.findall(r'Suite\(.*\{"(\w+)":', attack)
    unread = [name for name in variables if not re.search(rf'(getenv\(|environ[.\w]*[\[(]|\$\{{?)"?{name}\b', known)]
    found = []
    for number, line in enumerate(DOCUMENT.read_text().splitlines(), 1):
        if not line.startswith("| ") or line.startswith("| ---"):
            continue
        held_by = line.rstrip(" |").rpartition(" | ")[2]
        found += [f"{number}: there is no test {name}" for name in re.findall(r"`([^`]+)`", held_by) if name not in known]
        found += [f"{number}: there is no suite {name}" for name in re.findall(r"\*([\w-]+)\*", held_by) if name not in suites]
    for what in found:
        print(f"docs/developer/promises.md:{what}")
    for name in unread:
        print(f"scripts/attack/attack.py: no test reads {name}")
    return 1 if found or unread else 0


if __name__ == "__main__":
    sys.exit(main())
