#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_usage.py - each command in scripts/ answers a call for help with its usage, and does nothing else."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Programs by which a script would install, build, or start something.
WORKERS = ("apt-get", "cmake", "debootstrap", "mmdebstrap", "munged", "slurmctld", "slurmd", "sudo")


class Usage(unittest.TestCase):
    """Each script runs in a copy of what it reads, where each of those programs leaves a file, and fails."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for tree in ("scripts", "tools/demo", "tools/site"):
            shutil.copytree(ROOT / tree, self.root / tree, ignore=shutil.ignore_patterns("__pycache__"))
        (self.root / "programs").mkdir()
        for name in WORKERS:
            program = self.root / "programs" / name
            program.write_text(f'#!/bin/bash\ntouch "{self.root}/worked"\nexit 1\n')
            program.chmod(0o755)

    def call(self, script: Path, *options: str) -> subprocess.CompletedProcess:
        path = f"{self.root / 'programs'}:{os.environ['PATH']}"
        return subprocess.run([script, *options], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
                              env={**os.environ, "PATH": path, "HOME": str(self.root)}, cwd=self.root)

    def files(self) -> set[Path]:
        return {path for path in self.root.rglob("*") if "__pycache__" not in path.parts}

    def test_help_is_the_usage(self):
        # The other files are read by scripts.
        commands = [script for script in sorted((self.root / "scripts").glob("*.sh")) if os.access(script, os.X_OK)]
        self.assertGreater(len(commands), 10)
        for script in commands:
            with self.subTest(script=script.name):
                before = self.files()
                said = self.call(script, "--help")
                self.assertIn(said.returncode, (0, 2))
                self.assertIn(f"scripts/{script.name} ", said.stdout + said.stderr)
                self.assertEqual(self.files(), before)

    def test_a_suite_that_no_build_named_beside_it_runs_passed_without_a_test(self):
        suite = self.root / "tests/policy/CMakeLists.txt"
        suite.parent.mkdir(parents=True)
        suite.touch()
        before = self.files()
        for build in ("asan", "tsan"):
            said = self.call(self.root / "scripts/test.sh", "--only", build, "--only", "policy")
            self.assertEqual(said.returncode, 2)
            self.assertIn("test: --only policy: no build that was named runs it", said.stderr)
        self.assertEqual(self.files(), before)

    def test_a_script_that_works_is_seen(self):
        self.call(self.root / "scripts/bench.sh")
        self.assertTrue((self.root / "build").exists() or (self.root / "worked").exists())


if __name__ == "__main__":
    unittest.main()
