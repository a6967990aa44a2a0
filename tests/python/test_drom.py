#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_drom.py - the Python package: an administrator and clients, on a table of their own."""

import contextlib
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
from pathlib import Path

import drom
from drom import _library

DEADLINE = 120  # seconds; a test that is still running then has hung


class WithTable(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="drom-python-")
        self.addCleanup(folder.cleanup)
        self.path = str(Path(folder.name) / "table")
        self.table = drom.Table(self.path, create=True, cpus=8)
        self.addCleanup(self.table.close)

    def sleeper(self):
        process = subprocess.Popen(["sleep", str(DEADLINE)])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process.pid

    def client(self, body):
        """Starts a process that is a client (`client`) and runs `body`; it answers line by line."""
        script = "import drom, os, time\nclient = drom.Client(cpus={0, 1}, name='pool', job='7', min_cpus=1)\nprint(os.getpid(), flush=True)\n"
        process = subprocess.Popen([sys.executable, "-c", script + textwrap.dedent(body)], env=os.environ | {"DROM_TABLE": self.path},
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        self.assertEqual(int(process.stdout.readline()), process.pid)
        return process


class Text(unittest.TestCase):
    def test_cpus_and_their_text(self):
        for text, cpus in (("0-3,8", {0, 1, 2, 3, 8}), ("5", {5}), ("8-14:2", {8, 10, 12, 14}), ("4095", {4095})):
            self.assertEqual(drom.parse_cpus(text), cpus)
        for cpus, text in (({0, 1, 2, 3, 8}, "0-3,8"), (set(), ""), ({1, 3}, "1,3"), ([2, 1, 2], "1-2")):
            self.assertEqual(drom.format_cpus(cpus), text)

    def test_nothing_is_guessed(self):
        for text in ("", "a", "3-1", "-1", "1-", "0,,1", "1 - 2", "0-4:0", "4096", "٣"):
            with self.assertRaises(ValueError, msg=text):
                drom.parse_cpus(text)


class Layout(unittest.TestCase):
    def test_structs_are_as_long_as_the_headers(self):
        """Compares with numbers that tests/abi pins to drom.h."""
        self.assertEqual([ctypes.sizeof(struct) for struct in (_library.Error, _library.Options, _library.ClientInfo, _library.Event,
                                                                   _library.RegionInfo)],
                         [256, 88, 328, 48, 176])


class Regions(WithTable):
    def test_a_region_measures_what_is_inside(self):
        for _ in range(2):
            with drom.region("python"), drom.region("python, inside"):
                time.sleep(0.02)
        info = drom.region_info("python")
        self.assertEqual((info.name, info.count, info.open, info.fine), ("python", 2, 0, True))
        self.assertGreaterEqual(info.elapsed, 0.04)
        self.assertLess(info.cpu, info.elapsed)
        self.assertGreaterEqual(info.elapsed, drom.region_info("python, inside").elapsed)

    def test_an_exception_ends_the_region(self):
        with contextlib.suppress(ZeroDivisionError), drom.region("raises"):
            raise ZeroDivisionError
        self.assertEqual(drom.region_info("raises").open, 0)

    def test_a_wrong_name_is_refused(self):
        for name in ("", "x" * 128, "a\0b"):
            with self.assertRaises(ValueError, msg=name), drom.region(name):
                self.fail("it began")
        with drom.region("a"), self.assertRaises(ValueError):
            drom.region_info("a\0b")
        with self.assertRaises(drom.Error) as refusal:
            drom.region_info("never")
        self.assertEqual(refusal.exception.status, drom.Status.NOPROC)

    def test_an_administrator_sees_the_regions_of_a_client(self):
        process = self.client("with drom.region('solve'):\n    print('in', flush=True)\n    input()\n")
        self.assertEqual(process.stdout.readline(), "in\n")
        (info,) = self.table.regions(process.pid)
        self.assertEqual((info.name, info.count, info.open, info.fine), ("solve", 1, 1, True))
        self.assertGreater(self.table.regions(process.pid)[0].elapsed, info.elapsed)
        self.assertIsNotNone(info.cpu)


class Administrator(WithTable):
    def test_a_reservation_is_seen_moved_and_given_back(self):
        pid = self.sleeper()
        variables = self.table.reserve(pid, {0, 1}, name="one", job="88.0").environment
        self.assertEqual(variables["DROM_TABLE"], self.path)
        self.assertIn("DROM_SLOT", variables)
        (info,) = self.table.clients()
        self.assertEqual((info.pid, info.name, info.job, info.owned, info.rank, info.live), (pid, "one", "88.0", {0, 1}, None, False))
        self.assertEqual(self.table.masks(), (set(range(8)), set(range(2, 8)), set()))
        self.assertEqual(self.table.expand(pid, 4, wait="released"), drom.Status.OK)
        self.assertEqual(self.table.shrink(pid, 3, wait="released"), drom.Status.OK)
        self.assertEqual(len(self.table.mask(pid)[0]), 3)
        self.assertEqual(self.table.release(pid), drom.Status.OK)
        self.assertEqual(self.table.clients(), [])

    def test_cpus_are_added_and_removed(self):
        pid = self.sleeper()
        self.table.reserve(pid, {0})
        self.table.set_mask(pid, {1, 2}, how="add", wait="released")
        self.table.set_mask(pid, {0}, how="remove", wait="released")
        self.assertEqual(self.table.mask(pid)[1], {1, 2})

    def test_several_clients_get_their_cpus_together_or_none_does(self):
        one, two = self.sleeper(), self.sleeper()
        self.table.reserve(one, {0, 1, 2})
        self.table.reserve(two, {3})
        self.table.set_masks({one: {0}, two: {1, 2, 3}}, wait="released")
        self.assertEqual((self.table.mask(one)[0], self.table.mask(two)[0]), ({0}, {1, 2, 3}))
        with self.assertRaisesRegex(drom.Error, "a CPU has one owner"):
            self.table.set_masks({one: {4, 5}, two: {5, 6}})
        with self.assertRaisesRegex(drom.Error, "name at least one"):
            self.table.set_masks({})
        self.table.set_masks({one: {0}, two: {1}}, wait="released")
        with self.assertRaisesRegex(drom.Error, "in a circle"):
            self.table.set_masks({one: {1}, two: {0}})
        self.assertEqual((self.table.mask(one)[1], self.table.mask(two)[1]), ({0}, {1}))
        self.table.set_masks({one: {1}, two: {0}}, fast=True, wait="released")
        self.assertEqual((self.table.mask(one)[0], self.table.mask(two)[0]), ({1}, {0}))

    def test_a_refusal_is_an_error_with_a_sentence_and_changes_nothing(self):
        one, two = self.sleeper(), self.sleeper()
        self.table.reserve(one, {0, 1}, name="first")
        self.table.reserve(two, {2})
        with self.assertRaisesRegex(drom.Error, "first") as refused:
            self.table.set_mask(two, {1, 2})
        self.assertEqual(refused.exception.status, drom.Status.BUSY)
        self.assertEqual(self.table.mask(two)[1], {2})
        self.table.set_mask(two, {1, 2}, take=True, wait="released")
        self.assertEqual(self.table.mask(two)[0], {1, 2})

    def test_what_is_wrong_before_the_library_is_asked(self):
        pid = self.sleeper()
        self.table.reserve(pid, {0})
        for cpus in ({-1}, {4096}):
            with self.assertRaises(ValueError):
                self.table.set_mask(pid, cpus)
        with self.assertRaises(ValueError):
            self.table.set_mask(pid, {0}, wait="soon")
        with self.assertRaises(ValueError):
            self.table.set_mask(pid, {0}, how="partly")
        with self.assertRaises(drom.Error) as refused:
            self.table.set_mask(pid, set())
        self.assertEqual(refused.exception.status, drom.Status.INVAL)

    def test_a_path_with_a_nul_opened_the_table_of_another_path(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        drom.Table(f"{folder}/a", create=True).close()
        for refused in (lambda: drom.Table(f"{folder}/a\0b"), lambda: self.table.reserve(os.getpid(), [0], name="a\0b"),
                        lambda: self.table.reserve(os.getpid(), [0], job="\0"), lambda: drom.Client(name="a\0")):
            with self.assertRaisesRegex(ValueError, "has a NUL"):
                refused()
        self.assertEqual(self.table.clients(), [])

    def test_a_drained_cpu_has_no_owner_until_it_is_restored(self):
        self.assertGreaterEqual(self.table.drain({5}), 0)
        self.assertEqual(self.table.masks()[2], {5})
        self.table.restore({5})
        self.assertEqual(self.table.masks()[2], set())
        self.assertGreaterEqual(self.table.check(), 0)

    def test_events_say_what_happened(self):
        self.table.events()
        pid = self.sleeper()
        self.table.reserve(pid, {0})
        events = self.table.events(timeout=1)
        self.assertIn(("join", pid), {(event.kind, event.pid) for event in events})
        self.assertIn(("claim", 0), {(event.kind, event.cpu) for event in events})

    def test_no_table_and_a_closed_one(self):
        with self.assertRaises(drom.Error) as refused:
            drom.Table(self.path + "-none")
        self.assertEqual(refused.exception.status, drom.Status.NOTABLE)
        with drom.Table(self.path, read_only=True) as looking:
            self.assertEqual((looking.path, looking.size), (self.path, 8))
        with self.assertRaisesRegex(ValueError, "closed"):
            looking.clients()
        looking.close()


class Clients(WithTable):
    def test_a_program_that_polls_is_told_its_mask(self):
        process = self.client("""
            while (cpus := client.poll()) is None or cpus == {0, 1}:
                time.sleep(0.001)
            print(sorted(cpus), sorted(os.sched_getaffinity(0)), flush=True)
            while client.poll() is None:
                time.sleep(0.001)
            """)
        (info,) = self.table.clients()
        self.assertEqual((info.name, info.job, info.owned, info.live), ("pool", "7", {0, 1}, True))
        self.table.set_mask(process.pid, {1}, wait="resized", timeout=DEADLINE)
        self.assertEqual(process.stdout.readline(), "[1] [1]\n")

    def test_a_callback_comes_from_the_librarys_thread(self):
        process = self.client("""
            import threading
            main = threading.get_ident()
            client.on_change(lambda cpus: print(sorted(cpus), threading.get_ident() != main, flush=True))
            print("ready", flush=True)
            time.sleep(60)
            """)
        self.assertEqual(process.stdout.readline(), "ready\n")
        self.table.set_mask(process.pid, {1}, wait="released", timeout=DEADLINE)
        self.assertEqual(process.stdout.readline(), "[1] True\n")

    def test_what_a_callback_raises_ends_no_thread(self):
        process = self.client("""
            import sys
            sys.unraisablehook = lambda _: print("dropped", flush=True)
            client.on_change(lambda cpus: 1 / 0)
            print("ready", flush=True)
            input()
            print("goes on", flush=True)
            """)
        self.assertEqual(process.stdout.readline(), "ready\n")
        self.table.set_mask(process.pid, {1}, wait="released", timeout=DEADLINE)
        self.assertEqual(process.stdout.readline(), "dropped\n")
        process.stdin.write("\n")
        process.stdin.flush()
        self.assertEqual(process.stdout.readline(), "goes on\n")

    def test_nothing_is_adopted_while_it_is_disabled(self):
        process = self.client("""
            with client.disabled():
                print("disabled", flush=True)
                input()
                print(client.poll(), flush=True)
            while (cpus := client.poll()) is None or cpus == {0, 1}:
                time.sleep(0.001)
            print(sorted(cpus), flush=True)
            time.sleep(60)
            """)
        self.assertEqual(process.stdout.readline(), "disabled\n")
        self.assertEqual(self.table.set_mask(process.pid, {1}), drom.Status.PENDING)
        process.stdin.write("\n")
        process.stdin.flush()
        self.assertEqual(process.stdout.readline(), "None\n")
        self.assertEqual(process.stdout.readline(), "[1]\n")

    def test_limits_bind_administrators(self):
        process = self.client("""
            client.limits(min_cpus=2)
            print("limited", flush=True)
            time.sleep(60)
            """)
        process.stdout.readline()
        with self.assertRaises(drom.Error):
            self.table.set_mask(process.pid, {1})

    def test_no_client_begins_with_what_no_mask_can_fulfil(self):
        process = self.client("""
            client.close()
            for options in ({"min_cpus": 5, "max_cpus": 2}, {"cpus": {4000}}):
                try:
                    drom.Client(**options)
                    print("joined", flush=True)
                except drom.Error as error:
                    print(error, flush=True)
            with drom.Client(max_cpus=2) as client:
                try:
                    client.limits(min_cpus=5)
                except drom.Error as error:
                    print(error, flush=True)
            """)
        self.assertIn("no number of CPUs up to 4096 is at least 5 and at most 2", process.stdout.readline())
        self.assertIn("CPU 4000 is beyond the ", process.stdout.readline())
        self.assertIn("no number of CPUs up to 4096 is at least 5 and at most 2", process.stdout.readline())

    def test_one_that_leaves_gives_everything_back(self):
        process = self.client("""
            client.close()
            try:
                client.poll()
            except drom.Error as error:
                print(error.status.name, flush=True)
            """)
        self.assertEqual(process.stdout.readline(), "NOINIT\n")
        self.assertEqual(self.table.masks()[1], set(range(8)))

    def test_other_threads_go_on_while_a_call_waits(self):
        process = self.client("with client.disabled():\n    time.sleep(60)")
        counted, stop = [0], threading.Event()

        def count():
            while not stop.is_set():
                counted[0] += 1
                time.sleep(0.001)

        thread = threading.Thread(target=count)
        thread.start()
        with contextlib.ExitStack() as stack:
            stack.callback(thread.join)
            stack.callback(stop.set)
            self.assertEqual(self.table.set_mask(process.pid, {1}, wait="resized", timeout=0.3), drom.Status.PENDING)
        # A call that kept the others from going on would leave one or two.
        self.assertGreater(counted[0], 4)


if __name__ == "__main__":
    unittest.main()
