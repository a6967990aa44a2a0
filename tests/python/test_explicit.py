#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_explicit.py - the examples that follow requests by themselves.

  test_explicit.py BUILD

Their results are right while their CPUs come and go, and on fewer CPUs fewer of their threads are at work."""

import contextlib
import os
import random
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import drom

EXAMPLES = Path(__file__).parents[2] / "examples"
BUILD = Path(sys.argv.pop(1))
DEADLINE = 120


def program(name):
    path = BUILD / "bin" / name
    if path.exists():
        return str(path)
    reason = f"SKIPPED: {name} is not built; scripts/packages.sh test installs what it needs"
    if os.environ.get("CI") == "true":
        raise AssertionError(reason)
    raise unittest.SkipTest(reason)


def run_ns(pid):
    """Returns how long each thread has been on a CPU, by its number."""
    times = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # BLIS starts its threads anew for each product
            times[task.name] = int((task / "schedstat").read_text().split()[0])
    return times


def at_work(pid, seconds=0.1):
    """Returns how many threads were on a CPU for a tenth of that time or longer."""
    before = run_ns(pid)
    time.sleep(seconds)
    return sum(ns - before.get(thread, 0) > seconds * 1e8 for thread, ns in run_ns(pid).items())


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

    def start(self, command):
        process = subprocess.Popen(command, env=os.environ | {"DROM_TABLE": self.path}, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertEqual(self.when_joined(process).owned, os.sched_getaffinity(0))
        return process

    def rests(self, command):
        """Checks that one thread works on one CPU, and two work on both."""
        process = self.start(command)
        for cpus in (set(self.cpus), {self.cpus[0]}, set(self.cpus)):
            self.table.set_mask(process.pid, cpus, wait="resized", timeout=DEADLINE)
            end = time.monotonic() + DEADLINE
            # A thread that waits actively for its next piece of work does so for a while only.
            while (threads := at_work(process.pid)) != len(cpus):
                self.assertLess(time.monotonic(), end, f"{threads} threads at work on {cpus}")
        process.kill()
        process.communicate()

    def follow(self, command):
        bare = self.output_of(command, DROM_DISABLE="1")
        process = self.start(command)
        seed = time.time_ns()
        choose = random.Random(seed)
        sets = [set(self.cpus), {self.cpus[0]}, {self.cpus[1]}]
        moves = 0
        while process.poll() is None:
            try:
                status = self.table.set_mask(process.pid, choose.choice(sets), wait="resized", timeout=DEADLINE)
                # The process may end during the wait.
                self.assertIn(status, (drom.Status.OK, drom.Status.UNCHANGED, drom.Status.PENDING))
            except drom.Error as error:
                self.assertEqual(error.status, drom.Status.NOPROC, str(error))
            moves += 1
            time.sleep(choose.uniform(0, 0.03))
        self.assertEqual(process.communicate()[0], bare, f"seed {seed}")
        self.assertGreater(moves, 4)

    def test_a_pool_of_threads(self):
        self.follow([program("thread_pool"), "--tasks", "4000"])
        self.rests([program("thread_pool"), "--tasks", "1000000"])

    def test_onetbb(self):
        self.follow([program("tbb_primes"), "--exponent", "8", "--repeat", "3"])
        self.rests([program("tbb_primes"), "--exponent", "9", "--repeat", "1000"])

    def test_onetbb_grows_beyond_its_start(self):
        command = ["taskset", "-c", str(self.cpus[0]), program("tbb_primes"), "--exponent", "9", "--repeat", "1000"]
        process = subprocess.Popen(command, env=os.environ | {"DROM_TABLE": self.path}, stdout=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertEqual(self.when_joined(process).owned, {self.cpus[0]})
        self.table.set_mask(process.pid, set(self.cpus), wait="resized", timeout=DEADLINE)
        end = time.monotonic() + DEADLINE
        while at_work(process.pid) != 2:
            self.assertLess(time.monotonic(), end, "it never had a second thread at work")

    def test_openblas(self):
        self.follow([program("blas_threads-openblas"), "--products", "1500"])
        self.rests([program("blas_threads-openblas"), "--products", "1000000"])

    def test_blis(self):
        # Threads of BLIS spin for one another: on a busy machine each product takes as long as other processes let it.
        self.follow([program("blas_threads-blis"), "--products", "120"])
        # BLIS starts its threads anew for each product: two looks cannot count the threads at work.

    def test_a_pool_of_processes(self):
        self.follow([sys.executable, str(EXAMPLES / "process_pool.py"), "200"])


if __name__ == "__main__":
    unittest.main()
