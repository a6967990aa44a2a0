#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_clang_tidy.py - the real clang-tidy looks at a text in which it found nothing only once, and at every other text (scripts/lint/clang_tidy.py)."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/lint/clang_tidy.py"
CLEAN = '#include "half.hpp"\nint main() { return half(2) - 1; }\n'
FINDING = '#include "half.hpp"\nint main() { return half(sizeof(sizeof(int))) - 4; }\n'  # bugprone-sizeof-expression
CONFIG = "Checks: '-*,bugprone-sizeof-expression'\nWarningsAsErrors: '*'\nHeaderFilterRegex: 'half.hpp'\n"


class ClangTidy(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        self.clone = self.project("one")

    def project(self, name: str) -> Path:
        clone = self.root / name
        (clone / "scripts/lint").mkdir(parents=True)
        shutil.copy(SCRIPT, clone / "scripts/lint")
        (clone / "half.hpp").write_text("inline int half(int n) { return n / 2; }\n")
        (clone / "main.cpp").write_text(CLEAN)
        (clone / ".clang-tidy").write_text(CONFIG)
        source = str(clone / "main.cpp")
        command = f"c++ -I{clone} -std=c++20 -o main.o -c {source}"
        (clone / "compile_commands.json").write_text(json.dumps([{"directory": str(clone), "command": command, "file": source}]))
        return clone

    def run_in(self, clone: Path, *checks: str, words: list[str] | None = None) -> subprocess.CompletedProcess:
        """Counts in `looked` how often the real clang-tidy ran."""
        bin = self.root / "bin"
        bin.mkdir(exist_ok=True)
        real = shutil.which("clang-tidy-19")
        self.assertIsNotNone(real, "clang-tidy-19 is missing: scripts/packages.sh test installs it")
        counted = f'case " $* " in *" --version "*) ;; *) echo . >>"{self.root}/looked" ;; esac\n'
        (bin / "clang-tidy-19").write_text(f'#!/bin/sh\n{counted}exec {real} "$@"\n')
        (bin / "clang-tidy-19").chmod(0o755)
        environment = os.environ | {"PATH": f"{bin}:{os.environ['PATH']}", "XDG_CACHE_HOME": str(self.root / "cache")}
        words = words or [str(clone), str(clone / "main.cpp"), *checks]
        return subprocess.run([sys.executable, str(clone / "scripts/lint/clang_tidy.py"), *words], env=environment, capture_output=True, text=True)

    def looked(self) -> int:
        file = self.root / "looked"
        return len(file.read_text().split()) if file.exists() else 0

    def passes(self, looks: int, clone: Path | None = None, *checks: str) -> None:
        done = self.run_in(clone or self.clone, *checks)
        self.assertEqual((done.returncode, self.looked()), (0, looks), done.stdout + done.stderr)

    def test_a_text_without_a_finding_is_looked_at_once(self):
        self.passes(1)
        self.passes(1)

    def test_a_clone_in_another_folder_is_known(self):
        self.passes(1)
        self.passes(1, self.project("two"))

    def test_a_finding_is_found_every_time(self):
        (self.clone / "main.cpp").write_text(FINDING)
        for looks in (1, 2):
            done = self.run_in(self.clone)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("bugprone-sizeof-expression", done.stdout)
            self.assertEqual(self.looked(), looks)

    def test_a_finding_that_a_changed_header_brings_is_found(self):
        self.passes(1)
        (self.clone / "half.hpp").write_text("inline int half(int n) { return n / (int)sizeof(sizeof(int)); }\n")
        done = self.run_in(self.clone)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("half.hpp:1:", done.stdout)

    def test_other_checks_and_other_flags_are_looked_at(self):
        self.passes(1)
        (self.clone / ".clang-tidy").write_text(CONFIG.replace("bugprone", "misc-unused-using-decls,bugprone"))
        self.passes(2)
        database = self.clone / "compile_commands.json"
        database.write_text(database.read_text().replace("c++20", "c++17"))
        self.passes(3)

    def test_nothing_found_by_more_checks_is_nothing_by_fewer(self):
        self.passes(1, self.clone, "misc-unused-using-decls")
        self.passes(1)
        self.passes(1, self.clone, "misc-unused-using-decls")

    def test_a_folder_that_cannot_be_written_costs_time_only(self):
        (self.root / "cache").write_text("no folder\n")
        self.passes(1)
        self.passes(2)

    def test_a_source_that_the_database_lacks_is_refused(self):
        done = self.run_in(self.clone, words=[str(self.clone), str(self.clone / "half.hpp")])
        self.assertEqual((done.returncode, self.looked()), (2, 0))
        self.assertIn("compile_commands.json does not have it", done.stderr)


if __name__ == "__main__":
    unittest.main()
