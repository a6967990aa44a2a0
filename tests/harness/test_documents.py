#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_documents.py - the lint of documents names a folder or a file in an answer to "where do I look?" that is not there."""

import contextlib
import io
import runpy
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts" / "lint"), str(ROOT / "bench")]

from documents import files, folders  # noqa: E402
from measure import FIGURES, CannotMeasure, missing  # noqa: E402

# Not imported by its name, which is that of a module of Python's.
numbers = runpy.run_path(str(ROOT / "scripts/numbers.py"))


def table(*answers: str) -> str:
    return "| question | folder |\n| --- | --- |\n" + "".join(f"| Where is `nothing/`? | {answer} |\n" for answer in answers)


class Folders(unittest.TestCase):
    def test_what_exists_is_no_complaint(self) -> None:
        self.assertEqual(folders(table("`libdrom/shmem/`: `ledger` alone; `drom run` asks", "`tools/drom/`: `main.cpp`, and `scripts/lint/floors.py`")), [])

    def test_a_folder_that_was_renamed_is_named(self) -> None:
        self.assertEqual(folders(table("`libdrom/sharedmemory/`")), ["libdrom/sharedmemory/ is no folder"])

    def test_a_file_that_moved_is_named(self) -> None:
        self.assertEqual(folders(table("`libdrom/shmem/`: `ledger`; `libdrom/admin/`: `ledger`", "`policy/nothing.cpp`")),
                         ["ledger is not in libdrom/admin/", "policy/nothing.cpp is not in ./"])

    def test_a_source_is_named_from_the_root_or_from_libdrom(self) -> None:
        self.assertEqual(files("`policy/sharing/mates.cpp`, `shmem/ledger.cpp`, `tl/expected.hpp`, policy/prose.cpp, `policy/moved.cpp`, `shmem/moved.hpp`"),
                         ["policy/moved.cpp is not there", "shmem/moved.hpp is not there"])

    def test_the_architecture_has_ten_answers_at_least(self) -> None:
        text = (ROOT / "docs/developer/architecture.md").read_text()
        self.assertGreaterEqual(sum(part.count("\n| ") for part in text.split("| question | folder |")[1:]), 10)
        self.assertEqual(folders(text), [])


class Figures(unittest.TestCase):
    """A figure whose measurement failed was left out of docs/results/numbers.md, and no reader missed it."""

    def test_a_figure_with_a_target_has_a_row(self) -> None:
        text = (ROOT / "docs/results/numbers.md").read_text()
        self.assertEqual([key for key, promise in FIGURES.items() if promise.target is not None and f"| `{key}` |" not in text], [])

    def test_a_figure_that_was_not_measured_is_printed_as_that(self) -> None:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            numbers["bench"]({"machine": {}, "full_size_over_bare": missing("full_size_over_bare", CannotMeasure("no compiler"))})
        self.assertIn("| `full_size_over_bare` | not measured: no compiler | - | ratio | 1.01 |", said.getvalue())


if __name__ == "__main__":
    unittest.main()
