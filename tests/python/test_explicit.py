#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_explicit.py - the examples that follow requests by themselves: right results while their CPUs come and go, and fewer of them at work.

  test_explicit.py BUILD"""

import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import drom

EXAMPLES = Path(__file__).parents[2] / "examples"
BUILD = Path(sys.argv.pop(1))
DEADLINE = 60


class Followers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="drom-explicit-")
        self.addCleanup(folder.cleanup)
        self.path = str(Path(folder.name) / "table")
        self.table = drom.Table(self.path, create=True)
        self.addCleanup(self.table.close)
        self.cpus = sorted(os.sched_getaffinity(0))[:2]
        if len(self.cpus) < 2:
            self.skipTest("SKIPPED: one CPU only")

    def output_of(self, command, **variables):
        return subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, timeout=DEADLINE, check=True).stdout

    def when_joined(self, process):
        for _ in range(1000):
            for info in self.table.clients():
                if info.pid == process.pid and info.live:
                    return info
            time.sleep(0.01)
        self.fail("it has not joined")

    def follow(self, command):
        bare = self.output_of(command, DROM_DISABLE="1")
        process = subprocess.Popen(command, env=os.environ | {"DROM_TABLE": self.path}, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        self.assertEqual(self.when_joined(process).owned, os.sched_getaffinity(0))
        both, one = set(self.cpus), {self.cpus[0]}
        moves = 0
        while process.poll() is None:
            try:
                status = self.table.set_mask(process.pid, both if moves % 2 else one, wait="resized", timeout=10)
                # It may end while it is waited for.
                self.assertIn(status, (drom.Status.OK, drom.Status.UNCHANGED, drom.Status.PENDING))
            except drom.Error as error:
                self.assertEqual(error.status, drom.Status.NOPROC, str(error))
            moves += 1
            time.sleep(0.02)
        self.assertEqual(process.communicate()[0], bare)
        self.assertGreater(moves, 4)

    def test_a_pool_of_threads(self):
        self.follow([str(BUILD / "bin" / "thread_pool"), "--tasks", "4000"])

    def test_a_pool_of_processes(self):
        self.follow([sys.executable, str(EXAMPLES / "process_pool.py"), "200"])


if __name__ == "__main__":
    unittest.main()
