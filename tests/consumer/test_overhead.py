# SPDX-License-Identifier: BSD-3-Clause
"""test_overhead.py - what scripts/demo.sh --overhead makes of its turns, and one short turn with the built programs."""

import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "demo"))

import overhead  # noqa: E402
from runs import Failure  # noqa: E402


class Overhead(unittest.TestCase):
    def test_is_the_median_over_turns_and_not_of_the_times(self) -> None:
        found = overhead.overhead([1, 2, 4], [1.1, 2.2, 4])
        self.assertAlmostEqual(found["median"], 10)
        self.assertAlmostEqual(found["low"], 0)
        self.assertAlmostEqual(found["high"], 10)

    def test_its_interval_leaves_out_the_outermost_turns(self) -> None:
        found = overhead.overhead([1] * 20, [1 + turn / 100 for turn in range(20)])
        self.assertAlmostEqual(found["low"], 5)
        self.assertAlmostEqual(found["high"], 14)

    def test_a_line_has_both_times(self) -> None:
        took = {way: [overhead.Took(2 + extra, 1 + extra, "")] for way, extra in (("bare", 0), ("preloaded", 0.01))}
        self.assertEqual(overhead.lines([overhead.row_of(1000, took)]),
                         ["   1,000 rounds, 2.00 s: +1.00 % (+1.00 to +1.00); with the launcher and MPI_Init +0.50 % (+0.50 to +0.50)"])


class Turn(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.programs = overhead.Programs(Path(os.environ["DROM_BUILD"]) / "bin", len(os.sched_getaffinity(0)))
        try:
            overhead.built_mpi(cls.programs.bin)
        except Failure as missing:
            if os.environ.get("CI") != "true":
                raise unittest.SkipTest(str(missing)) from None
            raise

    def test_both_ways_compute_the_same(self) -> None:
        bare, preloaded = (self.programs.run(3, way) for way in overhead.WAYS)
        self.assertEqual(bare.said, preloaded.said)
        self.assertLess(bare.rounds, bare.whole)

    def test_libraries_that_are_not_there_are_not_measured_as_none(self) -> None:
        programs = overhead.Programs(self.programs.bin, self.programs.cpus)
        command = programs.command
        nowhere = [Path("/nowhere/libdrom-agent.so")]
        object.__setattr__(programs, "command", lambda rounds, libraries: command(rounds, nowhere if libraries else []))
        with self.assertRaisesRegex(Failure, "no rank became a client"):
            programs.run(1, "preloaded")


if __name__ == "__main__":
    unittest.main()
