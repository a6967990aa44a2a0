# SPDX-License-Identifier: BSD-3-Clause
"""test_jobs.py - sequences that run at once are those that run one after the other, and disturb no other's reference."""

import argparse
import contextlib
import io
import os
import subprocess
import sys
import threading
import unittest
from pathlib import Path

import run_answers
from catalogue import all_cases

RUN = Path(__file__).with_name("run_answers.py")


class Stub(run_answers.Suite):
    """Runs nothing, and notes what it was to run."""

    def __init__(self, jobs: int) -> None:
        super().__init__(argparse.Namespace(build=".", runtimes=".", scale=15, seed=7, verbose=False, resize="", resize_after=99,
                                            jobs=jobs, sequences=2, first=0, seconds=0))
        self.ran, self.at_once, self.most, self.pairs_seen = set(), [], 0, set()
        self.noting = threading.Lock()
        self.all_run = threading.Barrier(jobs)

    def run(self, case, storm_seed=None):
        with self.noting:
            self.at_once.append(case.work)
            self.most = max(self.most, len(self.at_once))
            twice = len(self.at_once) != len(set(self.at_once))
            self.ran.add((case.label, storm_seed))
            self.pairs_seen.add(tuple(self.cpus))
        if not hasattr(self.of_thread, "met"):
            self.of_thread.met = self.all_run.wait(20)
        with self.noting:
            self.at_once.remove(case.work)
        if twice:
            raise AssertionError(f"two runs of {case.work} at once")
        return run_answers.Outcome(0, b"same", "", 1.0, {"found": True, "released": 3})

    def play(self):
        # No two modes of these have the same work, so that the first runs can be at once.
        cases = [case for case in all_cases() if case.guest.name in ("plain", "kept", "tasks") and case.way == "keep"]
        with contextlib.redirect_stdout(io.StringIO()):
            run_answers.run_plan(self, self.given, cases)
            self.status = self.summary()
        return self


class Jobs(unittest.TestCase):
    def test_the_same_sequences_run_whatever_their_number_at_once(self) -> None:
        alone, three = Stub(1).play(), Stub(3).play()
        self.assertEqual((alone.status, three.status), (0, 0))
        self.assertEqual(alone.ran, three.ran)
        self.assertEqual({name: count.runs for name, count in alone.counts.items()}, {name: count.runs for name, count in three.counts.items()})

    def test_one_job_runs_one_sequence_at_a_time_and_three_run_three(self) -> None:
        self.assertEqual(Stub(1).play().most, 1)
        self.assertEqual(Stub(3).play().most, 3)

    def test_each_sequence_has_two_cpus(self) -> None:
        for pair in Stub(3).play().pairs_seen:
            self.assertEqual(len(pair), min(2, len(os.sched_getaffinity(0))))

    def test_what_is_started_is_bound_and_the_suite_is_not(self) -> None:
        before = os.sched_getaffinity(0)
        one = {min(before)}
        with run_answers.bound_to(one):
            told = subprocess.run([sys.executable, "-c", "import os; print(os.sched_getaffinity(0))"], capture_output=True, text=True, check=True)
        self.assertEqual(told.stdout.strip(), str(one))
        self.assertEqual(os.sched_getaffinity(0), before)

    def test_a_number_of_jobs_that_is_none_is_refused(self) -> None:
        for arguments, variables in ((["--jobs", "0"], {}), ([], {"ANSWERS_JOBS": "-1"}), ([], {"ANSWERS_JOBS": "many"})):
            done = subprocess.run([sys.executable, RUN, "--build", ".", "--runtimes", ".", *arguments], capture_output=True, text=True,
                                  env=os.environ | variables, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("--jobs", done.stderr)


if __name__ == "__main__":
    unittest.main()
