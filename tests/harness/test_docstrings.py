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


def lines_of(text: str, name: str = "f.hpp") -> list[int]:
    return [int(found.split(":")[1]) for found in complaints(name, text)]


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

    def test_the_docstring_of_a_function_in_python(self) -> None:
        for code in ("def f():", "async def f(a: int = 1) -> str:", "@cache\ndef f():", "class F:\n  def f(self):", "def f():\n  def g():"):
            with self.subTest(code):
                indent = " " * (len(code.splitlines()[-1]) - len(code.splitlines()[-1].lstrip()) + 2)
                below = code.count("\n") + 2
                self.assertEqual(lines_of(f'{code}\n{indent}"""The size.\n\n{indent}Returns it."""\n', "f.py"), [below])
                self.assertEqual(lines_of(f'{code}\n{indent}"""Returns\n{indent}the size."""\n', "f.py"), [])

    def test_types_members_and_tests_in_python_are_not_looked_at(self) -> None:
        for code in ("class F:", "class F:\n  @property\n  def f(self):", "class F:\n  @functools.cached_property\n  def f(self):",
                     "class F(unittest.TestCase):\n  def test_f(self):"):
            with self.subTest(code):
                self.assertEqual(lines_of(f'{code}\n    """The size."""\n', "f.py"), [])

    def test_a_module_in_python_begins_with_the_name_of_its_file(self) -> None:
        for docstring, lines in (("f.py - sizes.", []), ("f.py FILE - prints sizes.", []), ("Prints sizes.", [1]), ("g.py - sizes.", [1])):
            with self.subTest(docstring):
                self.assertEqual(lines_of(f'"""{docstring}"""\n', "tests/f.py"), lines)

    def test_a_comment_above_a_procedure_in_fortran(self) -> None:
        for code in ("function f(a)", "pure integer function f(a)", "integer(c_int) function f() bind(c, name='f')", "SUBROUTINE f",
                     "pure subroutine f(a)", "type(c_ptr) function f(a)", "character(kind=c_char, len=3) function f(a)"):
            with self.subTest(code):
                self.assertEqual(lines_of(f"  !> The size\n  !> of it.\n  {code}\n", "f.f90"), [1])
                self.assertEqual(lines_of(f"! The size.\n{code}\n", "f.F90"), [1])
                self.assertEqual(lines_of(f"  !> Returns the size\n  !> of it.\n  {code}\n", "f.f90"), [])

    def test_other_comments_in_fortran_are_not_looked_at(self) -> None:
        for code in ("type, bind(c) :: size", "end function", "end function f", "integer :: size", "call function_of(size)", "", "!$omp parallel"):
            with self.subTest(code):
                self.assertEqual(lines_of(f"  !> The size.\n  {code}\n  function f()\n", "f.f90"), [])
        self.assertEqual(lines_of("  !$omp end parallel\n  function f()\n", "f.f90"), [])

    def test_a_planted_comment_fails_the_lint(self) -> None:
        with tempfile.TemporaryDirectory(prefix="drom-docstrings-") as folder:
            for name, text in (("planted.hpp", "/// {}\nvoid wait();\n"), ("planted.f90", "!> {}\nsubroutine wait()\n"),
                               ("planted.py", 'def wait(): "{}"\n')):
                planted = Path(folder) / name
                for comment, status in (("Waits for it.", 0), ("How long it takes.", 1)):
                    planted.write_text(text.format(comment))
                    done = subprocess.run([sys.executable, LINT, planted], capture_output=True, text=True)
                    self.assertEqual((done.returncode, f"{name}:1: " in done.stdout), (status, status == 1), done.stdout)


if __name__ == "__main__":
    unittest.main()
