#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_sources.py - the lint of sources names a line that writes words of the table outside the files for that."""

import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "lint"))

from sources import complaints  # noqa: E402


class Words(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, Path.cwd())
        os.chdir(folder.name)

    def planted(self, name: str, line: str) -> list[str]:
        """Returns the complaints about a file that has only this line."""
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"// SPDX-License-Identifier: BSD-3-Clause\n// {path.name} - a test's.\n{line}\n")
        return complaints(path)

    def test_a_word_of_a_slot_that_another_floor_writes_is_named(self) -> None:
        for line in ("slot.client.start.store(me.start);", "slot.client.pid.compare_exchange_strong(pid, me.pid);", "launcher.pid.store(0);",
                     "table.ledger.slot(user.slot).launcher.pid.store(0);", "slot->min_cpus.store(1);", "ledger.slot(1).state.fetch_add(1);",
                     "write_identity(slot.client, successor);", "slot.claimer.signs.exchange(3);"):
            with self.subTest(line):
                self.assertEqual(self.planted("libdrom/admin/a.cpp", line), [f"libdrom/admin/a.cpp:3: a word of a slot is written outside shmem/: {line}"])
                self.assertEqual(self.planted("libdrom/shmem/a.cpp", line), [])

    def test_an_owner_word_that_another_file_writes_is_named(self) -> None:
        line = "ledger.owner(3).store(word);"
        self.assertEqual(len(self.planted("libdrom/shmem/a.cpp", line)), 1)
        self.assertEqual(self.planted("libdrom/shmem/ledger.cpp", line), [])

    def test_what_only_reads_or_is_no_word_of_a_slot_is_no_complaint(self) -> None:
        for line in ("slot.client.pid.load();", "state.store(State::kJoined);", "cache->start.store(identity.start);", "process.pid.store(0);",
                     "// slot.client.pid.store(0);", "read_identity(slot.client);", "page.start_size.store(team.start);"):
            with self.subTest(line):
                self.assertEqual(self.planted("libdrom/client/a.cpp", line), [])


if __name__ == "__main__":
    unittest.main()
