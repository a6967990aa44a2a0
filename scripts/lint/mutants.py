#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mutants.py - what each mutant replaces stands once in the file that it names, also before it is built."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "mutants"))
sys.dont_write_bytecode = True

from mutants import MUTANTS  # noqa: E402


def main() -> int:
    stale = [(mutant, times) for mutant in MUTANTS if (times := (ROOT / "libdrom" / mutant.file).read_text().count(mutant.old)) != 1]
    for mutant, times in stale:
        print(f"mutants: {mutant.name}: its text is {times} times in libdrom/{mutant.file}, not once")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
