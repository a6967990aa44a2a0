#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_markers.py - markers and mutants that do not fit one another are named; and what each edit makes of a line."""

import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "mutants"))

from markers import GONE, NEVER, Becomes, Before, Moved, Stale, Word, broken_text, complaints, marked_by_name  # noqa: E402

TEXT = "int f() {\n    if (a) return 1;  // mutant early\n    return 2;\n}\n"
TABLE = "tests/mutants/mutants.py: it is late: "


class Markers(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="drom-markers-")
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("libdrom/shmem/f.cpp", TEXT)

    def write(self, name: str, text: str) -> None:
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def said(self, marker: str = "early", edit=NEVER) -> list[str]:
        return complaints(self.root, [SimpleNamespace(name="it is late", marker=marker, edit=edit)])

    def test_a_marker_and_its_mutant_fit(self) -> None:
        self.assertEqual(self.said(), [])

    def test_a_marker_without_a_mutant_and_a_mutant_without_a_marker(self) -> None:
        self.assertEqual(self.said("late"), ["libdrom/shmem/f.cpp:2: the marker early has no mutant in tests/mutants/mutants.py",
                                             TABLE + "no line has its marker late"])

    def test_a_marker_that_stands_twice(self) -> None:
        self.write("libdrom/shmem/g.cpp", TEXT)
        self.assertEqual(self.said(), ["libdrom/shmem/g.cpp:2: the marker early stands a second time"])

    def test_a_marker_where_no_mutant_can_be(self) -> None:
        for name in ("libdrom/shmem/g.hpp", "policy/g.h"):
            with self.subTest(name):
                self.write(name, TEXT)
                self.assertEqual(self.said(), [f"{name}:2: the marker early is not in a .cpp file, and no other file can have a mutant"])
                (self.root / name).unlink()

    def test_a_marker_with_more_text(self) -> None:
        self.write("libdrom/shmem/g.cpp", "return 3;  // mutant early, once more\n")
        self.assertEqual(self.said(), ['libdrom/shmem/g.cpp:1: a marker is "  // mutant NAME" at the end of its line'])

    def test_an_edit_that_does_not_fit_its_line(self) -> None:
        self.assertEqual(self.said(edit=Word("while", "if")), [TABLE + 'its line has "while" 0 times, not once'])

    def test_what_the_edits_make_of_a_line(self) -> None:
        for edit, middle in ((NEVER, "    if (false && a) return 1;\n    return 2;\n"),
                             (GONE, "\n    return 2;\n"),
                             (Becomes("    b();"), "    b();\n    return 2;\n"),
                             (Before("    b();"), "    b();\n    if (a) return 1;\n    return 2;\n"),
                             (Moved(1), "    return 2;\n    if (a) return 1;\n")):
            with self.subTest(edit):
                self.assertEqual(broken_text(marked_by_name(self.root)["early"], edit), f"int f() {{\n{middle}}}\n")
        self.assertEqual(broken_text(marked_by_name(self.root)["early"], Moved(-1)), "    if (a) return 1;\nint f() {\n    return 2;\n}\n")

    def test_a_line_is_not_moved_out_of_its_file(self) -> None:
        for edit in (Moved(-2), Moved(3)):
            with self.subTest(edit), self.assertRaises(Stale):
                broken_text(marked_by_name(self.root)["early"], edit)


if __name__ == "__main__":
    unittest.main()
