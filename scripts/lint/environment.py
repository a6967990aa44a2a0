#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""environment.py - prints docs/reference/environment.md from libdrom/base/env.def, the one table of variables that drom reads."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_LINE = re.compile(r'^X\((DROM_\w+), "((?:[^"\\]|\\.)*)", ([01]), "((?:[^"\\]|\\.)*)"\)$')


def variables() -> list[tuple[str, str, bool, str]]:
    found = []
    for line in (ROOT / "libdrom/base/env.def").read_text().splitlines():
        match = _LINE.match(line)
        if match:
            found.append((match[1], match[2], match[3] == "1", match[4].replace('\\"', '"')))
        elif line.startswith("X("):
            sys.exit(f"libdrom/base/env.def: not understood: {line}")
    return found


def main() -> None:
    print("# Environment\n")
    print("Made from `libdrom/base/env.def`; `drom env` prints the same table with the values in force.")
    print("A `DROM_*` variable that is not here is reported once. Options of the command line come before variables.\n")
    print("| variable | default | meaning |\n| --- | --- | --- |")
    for name, default, secure, text in variables():
        shown = f"`{default}`" if default else "unset"
        note = " Also read in set-uid programs." if secure else ""
        print(f"| `{name}` | {shown} | {text.replace('|', chr(92) + '|')}.{note} |")


if __name__ == "__main__":
    main()
