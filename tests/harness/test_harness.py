#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_harness.py - scripts/junit.py, scripts/verdict.py and scripts/changed.py over build folders whose tests fail as told."""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

import changed  # noqa: E402

PASSES = "echo fine"
FAILS_ONCE = "test -e seen-$0 || { touch seen-$0; echo the first time; exit 1; }"
FAILS_TWICE = "seq 200; echo the planted fault; exit 1"
HANGS_ONCE = "test -e seen-$0 || { touch seen-$0; exec sleep 100; }"
HANGS_TWICE = "exec sleep 100"
SKIPS = "echo SKIPPED: for a reason"


class Run(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="drom-harness-")
        self.addCleanup(self.folder.cleanup)
        self.results = Path(self.folder.name) / "results"
        self.results.mkdir()

    def run_of(self, tests: dict[str, str], ci: str = "", seconds: int = 0) -> tuple[int, str]:
        """Runs ctest, the counts and the verdict; returns status and output. A test hangs for three seconds at most."""
        build = Path(self.folder.name) / "dev"
        build.mkdir()
        lines = [f'add_test({name} sh -c "{script.replace("$", chr(92) + "$")}" {name})\nset_tests_properties({name} PROPERTIES TIMEOUT 3)' for name, script in tests.items()]
        (build / "CTestTestfile.cmake").write_text("\n".join(lines) + "\n")
        file = self.results / "dev-all.xml"
        subprocess.run(["ctest", "--test-dir", build, "--output-junit", file], capture_output=True, check=False)
        subprocess.run([sys.executable, SCRIPTS / "junit.py", "dev all", "7", file, build, self.results], check=True, capture_output=True)
        done = subprocess.run([sys.executable, SCRIPTS / "verdict.py", self.results, str(seconds)], capture_output=True, text=True, env=os.environ | {"CI": ci})
        return done.returncode, done.stdout

    def test_all_passed(self) -> None:
        status, said = self.run_of({"one": PASSES, "two": PASSES})
        self.assertEqual((status, said.splitlines()[-1]), (0, "2 passed, 0 failed, 0 skipped"))

    def test_the_document_has_the_cpu_seconds_of_each_suite(self) -> None:
        self.run_of({"one": PASSES})
        self.assertRegex((self.results / "minutes.md").read_text(), r"(?m)^\| dev all \| 1 \| \d+ \| 7 \|$")

    def test_a_test_that_fails_beside_other_work_does_not_refuse_the_change_but_is_named(self) -> None:
        status, said = self.run_of({"one": PASSES, "two.x": FAILS_ONCE})
        self.assertEqual((status, said.splitlines()[-1]), (0, "2 passed, 0 failed, 0 skipped"))
        self.assertIn("failed once beside other work, passed alone: dev two.x", said.splitlines()[-2])
        self.assertIn("  | the first time", said)
        self.assertIn("the first time", (self.results / "first" / "dev-two.x.log").read_text())
        self.assertTrue((self.results / "second" / "dev-two.x.log").exists())

    def test_a_test_that_fails_twice_fails_the_run_and_shows_why(self) -> None:
        status, said = self.run_of({"one": PASSES, "two": FAILS_TWICE})
        self.assertEqual((status, said.splitlines()[-1]), (1, "1 passed, 1 failed, 0 skipped"))
        self.assertIn("test: failed: dev two", said)
        self.assertIn("  | the planted fault", said)

    def test_a_hang_has_one_second_try(self) -> None:
        status, said = self.run_of({"once": HANGS_ONCE, "twice": HANGS_TWICE})
        self.assertEqual((status, said.splitlines()[-1]), (1, "1 passed, 1 failed, 0 skipped"))
        self.assertIn("failed once beside other work, passed alone: dev once", said)
        self.assertIn("test: failed: dev twice", said)

    def test_more_than_ten_fail_the_run_whatever_they_do_alone(self) -> None:
        status, said = self.run_of({f"t{i}": FAILS_ONCE for i in range(11)})
        self.assertEqual((status, said.splitlines()[-1]), (1, "0 passed, 11 failed, 0 skipped"))

    def test_a_run_that_has_taken_long_has_no_second_tries(self) -> None:
        status, said = self.run_of({"one": PASSES, "two": FAILS_ONCE}, seconds=71 * 60)
        self.assertEqual((status, said.splitlines()[-1]), (1, "1 passed, 1 failed, 0 skipped"))

    def test_ten_may_pass_alone(self) -> None:
        status, said = self.run_of({f"t{i}": FAILS_ONCE for i in range(10)})
        self.assertEqual((status, said.splitlines()[-1]), (0, "10 passed, 0 failed, 0 skipped"))

    def test_a_skipped_test_fails_where_everything_can_be_installed(self) -> None:
        status, said = self.run_of({"one": SKIPS}, ci="true")
        self.assertEqual((status, said.splitlines()[-1]), (1, "0 passed, 0 failed, 1 skipped"))

    def test_what_is_no_test_of_a_build_has_no_second_try(self) -> None:
        (self.results / "counts").write_text("build asan\t0\t1\t0\t0\t0\n")
        status, said = self.run_of({"one": PASSES})
        self.assertEqual((status, said.splitlines()[-1]), (1, "1 passed, 1 failed, 0 skipped"))


class Changed(unittest.TestCase):
    def test_every_suite_that_a_rule_names_is_there(self) -> None:
        for _, names in changed.RULES:
            for name in names.split():
                self.assertTrue(name == "{folder}" or changed.is_suite(name), name)

    def test_a_change_in_the_core_is_looked_at_by_those_that_attack_it(self) -> None:
        self.assertLessEqual({"race", "explorer", "model", "kill-storm", "mutants"}, changed.suites_of("libdrom/shmem/events.cpp"))

    def test_a_helper_of_tests_breaks_those_that_read_it(self) -> None:
        self.assertIn("race", changed.suites_of("tests/support/memory_table.hpp"))
        self.assertNotIn("sim", changed.suites_of("tests/support/memory_table.hpp"))

    def test_every_folder_of_sources_breaks_something(self) -> None:
        for path in ("libdrom/api/api.cpp", "tools/drom/main.cpp", "tools/sim/workload/swf/swf_reader.cpp", "policy/x.cpp", "plugins/x.cpp", "examples/x.c", "tests/vm/run_vm.sh"):
            self.assertTrue(changed.suites_of(path), path)

    def told(self, *paths: str) -> list[str]:
        out = io.StringIO()
        with mock.patch.object(changed, "changes", return_value=list(paths)), mock.patch.object(changed, "base_of"), \
                mock.patch.object(sys, "argv", ["changed.py"]), contextlib.redirect_stdout(out):
            self.assertEqual(changed.main(), 0)
        return out.getvalue().splitlines()

    def test_mutants_are_those_of_the_product_files_that_changed(self) -> None:
        suites, files = self.told("libdrom/shmem/slots.cpp", "policy/backfill/backfill.cpp", "tests/unit/slots_test.cpp", "docs/index.md")
        self.assertIn("mutants", suites.split())
        self.assertEqual(files, "libdrom/shmem/slots.cpp policy/backfill/backfill.cpp")

    def test_a_change_of_the_mutants_tries_all_of_them(self) -> None:
        self.assertEqual(self.told("libdrom/shmem/slots.cpp", "tests/mutants/mutants.py")[1], "")


if __name__ == "__main__":
    unittest.main()
