#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_waits.py - a test of bats that waits in vain prints what the program that it waited for has written."""

import subprocess
import tempfile
import unittest
from pathlib import Path

CLI = Path(__file__).resolve().parents[1] / "cli"
# The load of bats, in a line.
SUPPORT = 'load() { source "$CLI/$1.bash"; }; load support; STARTED=(); '


class Waits(unittest.TestCase):
    def stderr_of(self, script: str) -> str:
        with tempfile.TemporaryDirectory(prefix="drom-harness-") as folder:
            environment = {"PATH": "/usr/bin:/bin", "CLI": str(CLI), "WORK": folder, "DROM_BUILD": folder, "WAIT_S": "0"}
            done = subprocess.run(["bash", "-c", SUPPORT + script], capture_output=True, text=True, env=environment, timeout=60, check=False)
            self.assertEqual(done.returncode, 1, done.stderr)
            return done.stderr

    def test_a_wait_in_vain_prints_what_the_program_has_said(self) -> None:
        told = self.stderr_of("background sh -c 'echo one; echo no such CPU >&2'; wait; eventually 'it is ready' false")
        self.assertIn("never: it is ready", told)
        self.assertIn("the last lines of out:\n  | one\n", told)
        self.assertIn("the last lines of err:\n  | no such CPU\n", told)

    def test_a_program_that_ends_otherwise_is_heard_too(self) -> None:
        told = self.stderr_of("background sh -c 'echo its reason >&2; exit 3'; ended 0")
        self.assertIn("status 3 instead of 0", told)
        self.assertIn("nothing is in out\n", told)
        self.assertIn("  | its reason\n", told)


if __name__ == "__main__":
    unittest.main()
