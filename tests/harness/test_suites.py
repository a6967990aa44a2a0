#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_suites.py - what docs/developer/testing.md says of each suite: whether a mutant shows that it can fail, and how long it is."""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
for folder in ("tests/mutants", "scripts/attack"):
    sys.path.insert(0, str(ROOT / folder))

import attack  # noqa: E402
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
        found |= {name: rest for name in re.findall(r"\*([a-z0-9_-]+)\*", names)}
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

    def test_each_suite_that_a_long_run_lengthens_has_a_row(self) -> None:
        longer = {name for name, suite in attack.SUITES.items() if suite.long}
        self.assertLessEqual(longer, set(rows("suite")))

    def test_the_sizes_of_long_runs_are_those_of_the_script(self) -> None:
        told = rows("suite")
        for name, number in (("kill-storm", "400000"), ("liveness", "10000"), ("latency", "100000"), ("answers", "100"), ("trees", "200"), ("race", "40000")):
            with self.subTest(name):
                self.assertIn(number, attack.SUITES[name].long.values())
                self.assertIn(f"{int(number):,} ", told[name].split(" | ")[1] + " ")


if __name__ == "__main__":
    unittest.main()
