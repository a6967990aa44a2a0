# SPDX-License-Identifier: BSD-3-Clause
"""test_sessions.py - the suites end and describe a session whose processes come and go meanwhile."""

import signal
import subprocess
import unittest
from unittest import mock

import run_answers

NOBODY = 4194304  # beyond the largest pid that the kernel gives


class Sessions(unittest.TestCase):
    def setUp(self) -> None:
        self.leader = subprocess.Popen(["sleep", "60"], start_new_session=True)
        self.addCleanup(self.leader.wait)
        self.addCleanup(self.leader.kill)
        found = [NOBODY, *run_answers.session_members(self.leader.pid)]
        self.enterContext(mock.patch.object(run_answers, "session_members", return_value=found))

    def test_a_child_that_ended_since_it_was_listed_ends_no_suite(self) -> None:
        run_answers.end_session(self.leader.pid)
        self.assertEqual(self.leader.wait(timeout=10), -signal.SIGKILL)

    def test_and_is_left_out_of_what_the_watchdog_tells(self) -> None:
        told = run_answers.threads_of_session(self.leader.pid)
        self.assertIn(f"pid {self.leader.pid} ", told)
        self.assertNotIn(str(NOBODY), told)


if __name__ == "__main__":
    unittest.main()
