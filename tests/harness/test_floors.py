#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_floors.py - the lint of floors names an include that climbs, however it is written, and no other include."""

import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "lint"))

import floors  # noqa: E402

HEADERS = ("libdrom/base/text.hpp", "libdrom/shmem/slots.hpp", "libdrom/client/rank.hpp", "policy/job/job.hpp", "policy/registry/registry.hpp",
           "policy/resize/ranges.hpp", "tools/text/wrapped.hpp", "tools/sim/engine/engine.hpp", "tools/sim/report/csv.hpp",
           "plugins/common/settings.hpp", "plugins/node_agent/step_plan.hpp", "plugins/spank/step.hpp", "plugins/select_malleable/state/counters.hpp",
           "plugins/select_malleable/books/books.hpp", "plugins/select_malleable/transaction/recovery.hpp", "libdrom/include/drom/drom.h")


class Floors(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        for header in HEADERS:
            self.write(header, "")
        patch = mock.patch.object(floors, "ROOT", self.root)
        patch.start()
        self.addCleanup(patch.stop)

    def write(self, name: str, text: str) -> None:
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def planted(self, name: str, line: str) -> list[str]:
        """Returns the complaints about a file that has only this line."""
        self.write(name, line + "\n")
        found = [text for tree in floors.REACH for text in floors.climbs(tree)]
        (self.root / name).unlink()
        return found

    def test_an_include_from_a_higher_floor_is_named(self) -> None:
        self.assertEqual(self.planted("libdrom/base/a.cpp", '#include "shmem/slots.hpp"'),
                         ["libdrom/base/a.cpp: it includes from shmem/, which is not below base/"])

    def test_a_name_that_begins_above_its_folder_hid_the_floor(self) -> None:
        self.assertEqual(self.planted("libdrom/base/a.cpp", '#include "../shmem/slots.hpp"'),
                         ["libdrom/base/a.cpp: it includes ../shmem/slots.hpp; the name begins at the tree, without ../",
                          "libdrom/base/a.cpp: it includes from shmem/, which is not below base/"])
        self.assertEqual(len(self.planted("libdrom/shmem/a.cpp", '#include "../base/text.hpp"')), 1)

    def test_an_include_of_another_tree_was_not_looked_at(self) -> None:
        for name, line, where, below in (("libdrom/base/a.cpp", '#include "policy/job/job.hpp"', "policy/job", "libdrom"),
                                         ("policy/a.cpp", '#include "tools/sim/engine/engine.hpp"', "tools/sim/engine", "policy"),
                                         ("policy/resize/a.cpp", '#include "libdrom/client/rank.hpp"', "libdrom/client", "policy"),
                                         ("tools/sim/main.cpp", '#include "client/rank.hpp"', "libdrom/client", "tools/sim"),
                                         ("tools/drom/verbs/a.cpp", '#include "shmem/slots.hpp"', "libdrom/shmem", "tools/drom"),
                                         ("tools/text/a.cpp", '#include "policy/job/job.hpp"', "policy/job", "tools/text"),
                                         ("policy/a.hpp", '#include "common/settings.hpp"', "plugins/common", "policy"),
                                         ("plugins/spank/a.cpp", '#include "sim/engine/engine.hpp"', "tools/sim/engine", "plugins")):
            with self.subTest(line, file=name):
                self.assertEqual(self.planted(name, line), [f"{name}: it includes from {where}/, which is not below {below}/"])

    def test_a_file_in_a_deeper_folder_was_not_looked_at(self) -> None:
        self.assertEqual(self.planted("libdrom/base/linux/a.cpp", '#include "shmem/slots.hpp"'),
                         ["libdrom/base/linux/a.cpp: it includes from shmem/, which is not below base/"])
        self.write("libdrom/shmem/words/a.hpp", "")
        self.assertEqual(self.planted("libdrom/base/a.cpp", '#include "shmem/words/a.hpp"'),
                         ["libdrom/base/a.cpp: it includes from shmem/, which is not below base/"])

    def test_the_folders_of_policy_have_floors(self) -> None:
        self.assertEqual(self.planted("policy/resize/a.cpp", '#include "policy/registry/registry.hpp"'),
                         ["policy/resize/a.cpp: it includes from registry/, which is not below resize/"])
        self.assertEqual(self.planted("policy/job/a.cpp", '#include "policy/registry/registry.hpp"'),
                         ["policy/job/a.cpp: it includes from registry/, which is not below job/"])
        self.assertEqual(self.planted("policy/urgent/a.cpp", '#include "policy/resize/ranges.hpp"'),
                         ["policy/urgent/a.cpp: it includes from resize/, which is not below urgent/"])

    def test_the_folders_of_plugins_had_no_floors(self) -> None:
        for name, line, where, below in (
                ("plugins/common/a.cpp", '#include "node_agent/step_plan.hpp"', "node_agent", "common"),
                ("plugins/task_affinity/a.cpp", '#include "spank/step.hpp"', "spank", "task_affinity"),
                ("plugins/spank/a.cpp", '#include "select_malleable/state/counters.hpp"', "plugins/select_malleable/state", "plugins"),
                ("plugins/select_malleable/state/a.cpp", '#include "select_malleable/books/books.hpp"', "books", "state"),
                ("plugins/select_malleable/search/a.cpp", '#include "select_malleable/books/books.hpp"', "books", "search"),
                ("plugins/select_malleable/books/a.cpp", '#include "select_malleable/transaction/recovery.hpp"', "transaction", "books"),
                ("plugins/select_malleable/books/a.cpp", '#include "node_agent/step_plan.hpp"', "plugins/node_agent", "plugins/select_malleable")):
            with self.subTest(line, file=name):
                self.assertEqual(self.planted(name, line), [f"{name}: it includes from {where}/, which is not below {below}/"])

    def test_a_file_beside_the_folders_of_policy_was_on_no_floor(self) -> None:
        self.write("policy/a.cpp", "")
        self.assertEqual(list(floors.homeless("policy")), ["policy/a.cpp: it is on no floor; scripts/lint/floors.py names them"])

    def test_an_include_is_seen_however_it_is_written(self) -> None:
        for line in ('#  include "shmem/slots.hpp"', "#include <shmem/slots.hpp>", '  #include"shmem/slots.hpp"'):
            with self.subTest(line):
                self.assertEqual(len(self.planted("libdrom/base/a.cpp", line)), 1)

    def test_what_is_below_is_no_complaint(self) -> None:
        for name, line in (("libdrom/shmem/a.cpp", '#include "base/text.hpp"'), ("libdrom/shmem/a.cpp", '#include "slots.hpp"'),
                           ("libdrom/base/a.cpp", '#include "drom/drom.h"'), ("libdrom/base/a.cpp", "#include <vector>"),
                           ("libdrom/base/a.cpp", '// #include "shmem/slots.hpp"'), ("policy/a.cpp", '#include "libdrom/base/text.hpp"'),
                           ("policy/registry/a.cpp", '#include "policy/resize/ranges.hpp"'), ("policy/resize/a.cpp", '#include "policy/job/job.hpp"'),
                           ("tools/sim/report/a.cpp", '#include "engine/engine.hpp"'), ("tools/sim/engine/a.cpp", '#include "policy/job/job.hpp"'),
                           ("tools/sim/main.cpp", '#include "report/csv.hpp"'), ("plugins/spank/a.cpp", '#include "common/settings.hpp"'),
                           ("plugins/select_malleable/a.cpp", '#include "select_malleable/transaction/recovery.hpp"'),
                           ("plugins/select_malleable/books/a.cpp", '#include "select_malleable/state/counters.hpp"'),
                           ("plugins/select_malleable/state/a.cpp", '#include "policy/job/job.hpp"')):
            with self.subTest(line, file=name):
                self.assertEqual(self.planted(name, line), [])

    def test_a_folder_without_a_floor_is_named(self) -> None:
        self.assertEqual(list(floors.homeless("policy")), [])
        self.write("policy/attic/a.hpp", "")
        self.assertEqual(list(floors.homeless("policy")), ["policy/attic: it is on no floor; scripts/lint/floors.py names them"])


if __name__ == "__main__":
    unittest.main()
