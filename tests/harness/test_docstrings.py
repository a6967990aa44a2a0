#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_docstrings.py - the lint names the comment of a function that begins with a noun, and no other comment."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LINT = Path(__file__).resolve().parents[2] / "scripts" / "lint" / "docstrings.py"
sys.path.insert(0, str(LINT.parent))

from docstrings import complaints  # noqa: E402


def lines_of(text: str) -> list[int]:
    return [int(found.split(":")[1]) for found in complaints("f.hpp", text)]


class Docstrings(unittest.TestCase):
    def test_a_comment_that_begins_with_a_noun_is_named(self) -> None:
        self.assertEqual(lines_of("/// Returns the mask.\nCpuSet mask();\n\n/// The mask of\n/// the client.\nCpuSet other() noexcept {\n"), [4])

    def test_a_block_in_a_header_of_c(self) -> None:
        self.assertEqual(lines_of("/* Posts it. */\nint post(void);\n/* A name,\n * or NULL. */\nAPI const char *name(void);\n"), [3])

    def test_a_function_is_known_by_its_parentheses_whatever_is_in_front(self) -> None:
        for code in ("template <class A, class B>\nvoid f(A a);", "[[nodiscard]] bool f() const;", "bool operator==(const A& a) const {",
                     "explicit F(int a = 1);", "static Expected<F> f(int a = 1);"):
            with self.subTest(code):
                self.assertEqual(lines_of(f"    /// Its size.\n    {code}\n"), [1])

    def test_types_members_and_texts_are_not_looked_at(self) -> None:
        for code in ("struct Mask {", "enum class Kind : uint8_t { kA };", "using F = void (*)(int);", "typedef void (*fn)(int);", "void (*call)(int);",
                     "int size = f(3);", "constexpr int kSize = 3;", "#define F(x) (x)", "int size;  ///< The size", "", "// another",
                     "std::function<void(int size)> resized;", "std::array<Cell, kSizes.size() + 1> row;", "const Table kTable({{1, 2}});"):
            with self.subTest(code):
                self.assertEqual(lines_of(f"/// The size.\n{code}\nint f();\n"), [])

    def test_the_comment_of_a_test_says_what_it_is_about(self) -> None:
        for code in ("TEST(Masks, AreRead) {", "TEST_F(Masks, AreRead) {", "RC_GTEST_PROP(Masks, AreRead, (int size)) {", "BENCHMARK(set);"):
            with self.subTest(code):
                self.assertEqual(lines_of(f"/// A mask is a set.\n{code}\n"), [])

    def test_a_macro_in_front_of_a_function_does_not_hide_it(self) -> None:
        for code in ("API const char *name(void);", "std::vector<std::pair<int, int>> pairs(int size) {", "std::unique_ptr<F> f(Window window = {});"):
            with self.subTest(code):
                self.assertEqual(lines_of(f"/// The name.\n{code}\n"), [1])

    def test_a_planted_comment_fails_the_lint(self) -> None:
        with tempfile.TemporaryDirectory(prefix="drom-docstrings-") as folder:
            planted = Path(folder) / "planted.hpp"
            for text, status in (("/// Waits for it.\nvoid wait();\n", 0), ("/// How long it takes.\nvoid wait();\n", 1)):
                planted.write_text(text)
                done = subprocess.run([sys.executable, LINT, planted], capture_output=True, text=True)
                self.assertEqual((done.returncode, "planted.hpp:1: " in done.stdout), (status, status == 1), done.stdout)


if __name__ == "__main__":
    unittest.main()
