# SPDX-License-Identifier: BSD-3-Clause
"""test_storm.py - the storm's checks see what is wrong: each finds nothing in a right node, and what was spoilt in a spoilt one."""

import dataclasses
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from storm_checks import Client, Findings, Sight, Task, allowed_of, clients_of, cpus, is_alive, judge, text_of

STOCK = cpus("0-3")


def client(pid: int, mask: str, **rest: object) -> Client:
    values = {"slot": pid, "step": f"{pid}.0", "want": cpus(mask), "seq": 2, "released": 2, "rigid": False}
    return Client(pid=pid, mask=cpus(mask), **(values | rest))


def task(pid: int, *allowed: str, malleable: bool = True) -> Task:
    return Task(pid, "n1", malleable, tuple(map(cpus, allowed)))


def sight(clients: list[Client], tasks: list[Task], after: list[Client] | None = None) -> Sight:
    return Sight("n1", clients, {each.pid: each for each in tasks}, clients if after is None else after)


def found(node: Sight, real: bool = True) -> Findings:
    return judge(node, real, STOCK)


RIGHT = sight(
    [client(1, "0-1"), client(2, "2"), client(3, "3", rigid=True)],
    [task(1, "0-1", "0", "1"), task(2, "2"), task(3, "0-3", malleable=False)],
)


class Right(unittest.TestCase):
    def test_a_right_node_is_looked_at_and_nothing_is_found(self) -> None:
        findings = found(RIGHT)
        self.assertEqual((findings.booked_twice, findings.wrong), ([], []))
        self.assertEqual((findings.steady, findings.settled, findings.pairs, findings.rigid), (3, 2, 1, 1))

    def test_what_changed_while_it_was_looked_at_is_not_judged(self) -> None:
        before = [client(1, "0-1"), client(2, "1")]
        moved = found(sight(before, [task(1, "0-1"), task(2, "1")], [client(1, "0", seq=3), client(2, "1")]))
        self.assertEqual((moved.steady, moved.settled, moved.booked_twice, moved.wrong), (1, 1, [], []))

    def test_a_client_that_has_not_answered_yet_is_not_settled(self) -> None:
        for late in (client(1, "0", released=1), client(1, "0", want=cpus("0-1"))):
            self.assertEqual(found(sight([late], [task(1, "0-3")])).settled, 0)

    def test_a_step_daemons_fork_is_not_settled(self) -> None:
        self.assertEqual(found(sight([client(1, "0", live=False, seq=1, released=0)], [])).settled, 0)

    def test_a_reservation_that_no_program_answers_is_settled(self) -> None:
        self.assertEqual(found(sight([client(1, "0", live=False, seq=1, released=0)], [task(1, "0")])).settled, 1)
        self.assertEqual(found(sight([client(1, "0", live=False, seq=2, released=0)], [task(1, "0")])).settled, 0)


class Wrong(unittest.TestCase):
    def spoilt(self, number: int, **change: object) -> Sight:
        clients = list(RIGHT.before)
        clients[number] = dataclasses.replace(clients[number], **change)
        return sight(clients, list(RIGHT.tasks.values()))

    def test_a_cpu_of_two_clients(self) -> None:
        for real in (True, False):
            doubled = found(self.spoilt(1, mask=cpus("1-2"), want=cpus("1-2")), real)
            self.assertEqual(len(doubled.booked_twice), 1)
            self.assertIn("CPUs 1 are", doubled.booked_twice[0])

    def test_a_cpu_that_two_clients_are_told_to_have(self) -> None:
        self.assertEqual(len(found(self.spoilt(1, want=cpus("1-2")), False).booked_twice), 1)

    def test_a_cpu_of_a_rigid_client_has_no_other_owner_either(self) -> None:
        self.assertEqual(len(found(self.spoilt(1, mask=cpus("2-3"), want=cpus("2-3")), False).booked_twice), 1)

    def test_a_live_task_without_a_cpu(self) -> None:
        for real in (True, False):
            wrong = found(self.spoilt(1, mask=cpus(""), want=cpus("")), real).wrong
            self.assertTrue(any("has no CPU" in line for line in wrong), wrong)

    def test_one_thread_outside_the_mask(self) -> None:
        outside = sight(RIGHT.before, [task(1, "0-1", "0", "0-2"), task(2, "2")])
        findings = found(outside)
        self.assertTrue(any("may run on CPUs 0,1,2" in line for line in findings.wrong), findings.wrong)
        self.assertTrue(any("both may run on CPUs 2" in line for line in findings.booked_twice), findings.booked_twice)
        self.assertEqual(found(outside, real=False).wrong, [])

    def test_a_job_that_is_not_malleable_was_touched(self) -> None:
        touched = found(sight([], [task(3, "0-3", "3", malleable=False)]))
        self.assertEqual(touched.wrong, ["n1: pid 3 is not malleable, and may run on CPUs 3 instead of 0,1,2,3"])


class Reading(unittest.TestCase):
    def test_masks(self) -> None:
        self.assertEqual(cpus("0-2,8\n"), {0, 1, 2, 8})
        self.assertEqual(cpus(""), frozenset())
        self.assertEqual(text_of(cpus("3,1-2")), "1,2,3")

    def test_a_listing_of_the_command(self) -> None:
        drom = Path(os.environ["DROM_BUILD"]) / "bin" / "drom"
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "table"
            asks = [drom, "list", "--table", table, "--json"]
            run = [drom, "run", "--table", table, "--ncpus", "1", "--no-preload", "--", *asks]
            listing = subprocess.run(run, capture_output=True, text=True, check=False)
        self.assertEqual(listing.returncode, 0, listing.stderr)
        (only,) = clients_of(listing.stdout)
        self.assertEqual((len(only.mask), only.mask, only.rigid, only.live), (1, only.want, False, False))

    def test_threads_of_a_process(self) -> None:
        self.assertIn(frozenset(os.sched_getaffinity(0)), allowed_of(os.getpid()))
        gone = subprocess.Popen([sys.executable, "-c", ""], stdin=subprocess.DEVNULL)
        os.waitid(os.P_PID, gone.pid, os.WEXITED | os.WNOWAIT)
        self.assertFalse(is_alive(gone.pid), "a zombie")
        gone.wait()


if __name__ == "__main__":
    unittest.main()
