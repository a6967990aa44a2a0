#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_environment.py - the page of variables names each one that the sources read."""

import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "lint"))

import environment  # noqa: E402


class Environment(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name, text in (("libdrom/base/env.def", 'X(DROM_TABLE, "", 0, "directory of the table")\n'), ("plugins/a.cpp", ""), ("tools/a.cpp", "")):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        patch = mock.patch.object(environment, "ROOT", self.root)
        patch.start()
        self.addCleanup(patch.stop)

    def test_a_variable_that_was_read_was_on_no_page(self) -> None:
        (self.root / "tools/a.cpp").write_text('const char* text = std::getenv("LINES");\n')
        (self.root / "plugins/a.cpp").write_text('const char* text = secure_getenv("DROM_ATTIC");\n')
        self.assertEqual(environment.unlisted(), ["DROM_ATTIC", "LINES"])

    def test_a_variable_that_a_function_of_our_own_read_was_on_no_page(self) -> None:
        (self.root / "tools/a.cpp").write_text('const char* text = text_of("CXX"); context_of("no variable");\n')
        self.assertEqual(environment.unlisted(), ["CXX"])

    def test_own_variables_and_those_of_others_are_listed(self) -> None:
        (self.root / "tools/a.cpp").write_text('getenv("DROM_TABLE"); getenv("OMP_NUM_THREADS"); getenv(name);\n')
        self.assertEqual(environment.unlisted(), [])


if __name__ == "__main__":
    unittest.main()
