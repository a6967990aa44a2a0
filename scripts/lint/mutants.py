#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mutants.py - each marker in the source has a mutant, and each mutant a marker on a line that it fits."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "mutants"))
sys.dont_write_bytecode = True

from markers import complaints  # noqa: E402
from mutants import MUTANTS  # noqa: E402


def main() -> int:
    found = complaints(ROOT, MUTANTS)
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
