#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_documents.py - the lint of documents names a folder or a file in an answer to "where do I look?" that is not there."""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "lint"))

from documents import files, folders  # noqa: E402


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
        self.assertEqual(files("`policy/mates.cpp`, `shmem/ledger.cpp`, `tl/expected.hpp`, policy/prose.cpp, `policy/moved.cpp`, `shmem/moved.hpp`"),
                         ["policy/moved.cpp is not there", "shmem/moved.hpp is not there"])

    def test_the_architecture_has_ten_answers_at_least(self) -> None:
        text = (ROOT / "docs/developer/architecture.md").read_text()
        self.assertGreaterEqual(text.split("| question | folder |")[1].count("\n| "), 10)
        self.assertEqual(folders(text), [])


if __name__ == "__main__":
    unittest.main()
