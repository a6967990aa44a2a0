#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_concerned.py - which sources clang-tidy looks at again after a change (scripts/lint/concerned.py), in a repository of the test's own."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/lint/concerned.py"
FILES = {
    "a/low.hpp": "",
    "a/middle.hpp": '#include "a/low.hpp"\n',
    "a/user.cpp": '#include "middle.hpp"\n',
    "b/other.cpp": "#include <vector>\n",
    ".clang-tidy": "Checks: '*'\n",
}


class Concerned(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        for name, text in FILES.items():
            self.write(name, text)
        target = self.root / "scripts/lint/concerned.py"
        target.parent.mkdir(parents=True)
        shutil.copy(SCRIPT, target)
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "all")

    def write(self, name: str, text: str) -> None:
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def git(self, *arguments: str) -> None:
        subprocess.run(["git", "-C", str(self.root), *arguments], check=True)

    def concerned(self, commit: str = "HEAD") -> list[str]:
        script = self.root / "scripts/lint/concerned.py"
        return subprocess.run([sys.executable, str(script), commit], check=True, capture_output=True, text=True).stdout.split()

    def test_nothing_changed_concerns_nothing(self):
        self.assertEqual(self.concerned(), [])

    def test_a_changed_header_concerns_who_includes_it_through_another(self):
        self.write("a/low.hpp", "int x;\n")
        self.assertEqual(self.concerned(), ["a/user.cpp"])

    def test_a_removed_header_concerns_who_still_includes_it(self):
        (self.root / "a/middle.hpp").unlink()
        self.assertEqual(self.concerned(), ["a/user.cpp"])

    def test_a_new_source_is_looked_at(self):
        self.write("b/new.cpp", "")
        self.assertEqual(self.concerned(), ["b/new.cpp"])

    def test_changed_checks_concern_every_source(self):
        self.write(".clang-tidy", "Checks: '-*'\n")
        self.assertEqual(self.concerned(), ["a/user.cpp", "b/other.cpp"])

    def test_a_commit_that_the_clone_lacks_concerns_every_source(self):
        self.assertEqual(self.concerned("0123456789"), ["a/user.cpp", "b/other.cpp"])
        self.assertEqual(self.concerned(""), ["a/user.cpp", "b/other.cpp"])


if __name__ == "__main__":
    unittest.main()
