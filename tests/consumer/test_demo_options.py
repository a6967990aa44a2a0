# SPDX-License-Identifier: BSD-3-Clause
"""test_demo_options.py - a call for help, or with wrong options, of a demonstration installs and builds nothing."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ("demo.sh", "slurm-demo.sh", "slurm-workload.sh")


class Options(unittest.TestCase):
    """Each script runs in a copy of what it reads; there the installation of packages leaves a file, and fails."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        shutil.copytree(ROOT / "tools/demo", self.root / "tools/demo")
        (self.root / "scripts").mkdir()
        for name in (*SCRIPTS, "step.sh"):
            shutil.copy(ROOT / "scripts" / name, self.root / "scripts")
        packages = self.root / "scripts/packages.sh"
        packages.write_text('#!/bin/bash\ntouch "${0%/*}/../installed"\nexit 1\n')
        packages.chmod(0o755)

    def call(self, script: str, *options: str, path: str = os.environ["PATH"]) -> subprocess.CompletedProcess:
        return subprocess.run([self.root / "scripts" / script, *options], capture_output=True, text=True, env={**os.environ, "PATH": path})

    def changed(self) -> bool:
        return (self.root / "installed").exists() or (self.root / "build").exists()

    def without_python(self) -> str:
        """Returns the folder of the few programs that the scripts call on their way to the packages."""
        programs = self.root / "programs"
        programs.mkdir()
        for name in ("bash", "dirname", "mkdir", "sed", "touch"):
            (programs / name).symlink_to(shutil.which(name))
        return str(programs)

    def test_help_comes_first(self):
        for script in SCRIPTS:
            for option in ("--help", "-h"):
                said = self.call(script, "--repeats", "2", option) if script != SCRIPTS[2] else self.call(script, option)
                self.assertEqual((said.returncode, said.stderr), (0, ""), script)
                self.assertTrue(said.stdout.startswith(f"usage: scripts/{script} "), said.stdout)
                self.assertFalse(self.changed(), script)

    def test_wrong_options_are_refused_first(self):
        for script in SCRIPTS:
            for option in ("--no-such", "--hel"):
                said = self.call(script, option)
                self.assertEqual((said.returncode, said.stdout), (2, ""), script)
                self.assertIn(f"scripts/{script}: error: unrecognized arguments: {option}", said.stderr)
                self.assertFalse(self.changed(), script)

    def test_options_that_exclude_each_other_are_refused_first(self):
        for script, option, what in (("demo.sh", "--overhead", "libomp"), ("slurm-demo.sh", "--table", "insitu")):
            said = self.call(script, option, "--case", what)
            self.assertEqual((said.returncode, said.stdout), (2, ""), script)
            self.assertRegex(said.stderr, f"error: {option} has .* of its own; leave --case out")
            self.assertFalse(self.changed(), script)

    def test_a_file_that_is_no_log_is_refused_first(self):
        (self.root / "other").write_text("a b c\n")
        for file, what in (("other", "line 1 is no job of the Standard Workload Format"), ("none", "No such file or directory")):
            said = subprocess.run(["scripts/slurm-workload.sh", "--log", file], capture_output=True, text=True, cwd=self.root)
            self.assertEqual((said.returncode, said.stdout), (2, ""))
            self.assertRegex(said.stderr, f"scripts/slurm-workload.sh: error: --log: {self.root / file}.* {what}")
            self.assertFalse(self.changed())

    def test_without_options_the_packages_come_first(self):
        for script in SCRIPTS:
            self.assertEqual(self.call(script).returncode, 1, script)
            self.assertTrue((self.root / "installed").exists(), script)
            (self.root / "installed").unlink()

    def test_where_there_is_no_python_yet_help_is_that_of_the_script(self):
        path = self.without_python()
        for script in SCRIPTS:
            said = self.call(script, "--help", path=path)
            self.assertEqual((said.returncode, said.stderr), (0, ""), script)
            self.assertIn(f"  scripts/{script} [", said.stdout)
            self.assertFalse(self.changed(), script)
        self.call(SCRIPTS[0], path=path)
        self.assertTrue((self.root / "installed").exists())


if __name__ == "__main__":
    unittest.main()
