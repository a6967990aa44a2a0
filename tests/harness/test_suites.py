#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_suites.py - what docs/developer/testing.md says of each suite: whether a mutant shows that it can fail."""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "mutants"))

from mutants import MUTANTS, Killer  # noqa: E402

TEXT = (ROOT / "docs" / "developer" / "testing.md").read_text()
SUITES = {path.parent.name for path in (ROOT / "tests").glob("*/CMakeLists.txt")}


def rows(heading: str) -> dict[str, str]:
    """Returns the suites that a table names in its first column, each with the rest of its row."""
    lines = iter(TEXT.splitlines())
    for line in lines:
        if line.startswith(f"| {heading} |"):
            break
    next(lines)
    found = {}
    for line in lines:
        if not line.startswith("| "):
            break
        names, _, rest = line.removeprefix("| ").partition(" | ")
        found |= {name: rest for name in re.findall(r"\*([a-z_-]+)\*", names)}
    return found


def suite_of(killer: Killer) -> str:
    if killer.library:  # a test of CTest, which is named after its suite
        return re.split(r"[-.]", killer.program)[0]
    word = re.compile(rf"\b{re.sub('O[0-9]$', '', killer.program)}")
    makers = [path.parent.name for path in (ROOT / "tests").glob("*/CMakeLists.txt") if word.search(re.sub("#.*", "", path.read_text()))]
    return next((name for name in makers if name != "mutants"), "mutants")


class Suites(unittest.TestCase):
    def test_each_suite_has_a_mutant_or_a_reason(self) -> None:
        killed = {suite_of(killer) for mutant in MUTANTS for killer in mutant.killers if not mutant.survives}
        self.assertLessEqual(killed, SUITES)
        without = rows("suite without a mutant")
        self.assertEqual(SUITES - killed - {"mutants"}, set(without))
        self.assertTrue(all(len(why) > 20 for why in without.values()), without)


if __name__ == "__main__":
    unittest.main()
