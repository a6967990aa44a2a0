#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_prose.py - the lint of sentences names a program that a name, a text or a comment calls a person, and leaves users alone."""

import sys
import unittest
from pathlib import Path

LINT = Path(__file__).resolve().parents[2] / "scripts" / "lint" / "prose.py"
sys.path.insert(0, str(LINT.parent))

from prose import code_complaints, complaints_about, wide_lines  # noqa: E402


def lines_of(*lines: str, path: str = "f.cpp") -> list[int]:
    return [number for number, _ in code_complaints(list(lines), Path(path))]


class Programs(unittest.TestCase):
    def test_a_text_that_is_printed_is_looked_at(self) -> None:
        self.assertEqual(lines_of('say("nobody waits");', 'say("whoever set it");', 'say("no client waits");'), [1, 2])
        self.assertEqual(lines_of('say("CPU 1 is somebody\'s");', 'say(x) << "it is " << "Anybody may";'), [1, 2])

    def test_the_name_of_a_test_or_a_function_is_looked_at(self) -> None:
        self.assertEqual(lines_of("TEST(Plan, TakesNobodysCpus) {", "TEST(Plan, NobodyLosesOne) {", "bool somebody_is_dead();"), [1, 2, 3])
        self.assertEqual(lines_of('@test "nobody waits" {', "nobody_left() {", path="f.bats"), [1, 2])
        self.assertEqual(lines_of("    def test_it_ends_nobody(self):", path="f.py"), [1])

    def test_the_user_nobody_is_a_user(self) -> None:
        self.assertEqual(lines_of("chown nobody file", "env USER=nobody LOGNAME=nobody", 'refuses "no client is called \'nobody\'; drom list"',
                                  path="f.bats"), [])
        self.assertEqual(lines_of('user("nobody");', "NOBODY = 4194304"), [])

    def test_comments_are_left_to_the_rules_of_sentences(self) -> None:
        self.assertEqual(lines_of("// nobody_left"), [])
        self.assertEqual(complaints_about("It waits for nobody."), ["a program is not nobody"])


class Lines(unittest.TestCase):
    def test_lines_of_336_columns_were_no_complaint(self) -> None:
        self.assertEqual(list(wide_lines(["word " * 32, "word " * 33, "x" * 336])), [(2, 165), (3, 336)])

    def test_tables_and_code_may_be_wide(self) -> None:
        wide = "word " * 40
        self.assertEqual(list(wide_lines([f"| {wide} |", f"    {wide}", "```console", wide, "```", f"> {wide}"])), [])


if __name__ == "__main__":
    unittest.main()
