#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_recipe.py - recipe.py notices what a command should not have printed."""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
import recipe  # noqa: E402


class Output(unittest.TestCase):
    def test_a_half_of_the_node_is_a_half_of_any_node(self):
        self.assertTrue(recipe.is_output(["5.0 0-7", "6.0 8-15"], ["5.0 1", "6.0 0"], 2))
        self.assertTrue(recipe.is_output(["5.0 0-15"], ["5.0 0-3"], 4))

    def test_a_job_that_was_not_shrunk_is_noticed(self):
        self.assertFalse(recipe.is_output(["5.0 0-7", "6.0 8-15"], ["5.0 0-1", "6.0 0"], 2))
        self.assertFalse(recipe.is_output(["5.0 0-15"], ["5.0 0"], 2))

    def test_another_word_number_or_line_is_noticed(self):
        self.assertFalse(recipe.is_output(["7 R"], ["7 PD"], 2))
        self.assertFalse(recipe.is_output(["0"], ["1"], 2))
        self.assertFalse(recipe.is_output(["0"], ["0", "1"], 2))
        self.assertFalse(recipe.is_output(["0"], [], 2))

    def test_jobs_have_the_numbers_of_this_run(self):
        machine = recipe.Machine({"7": "12"})
        self.assertEqual(machine.renumbered("squeue -j 7"), "squeue -j 12")
        self.assertEqual(machine.renumbered("7.0 0-7"), "12.0 0-7")


class Document(unittest.TestCase):
    TEXT = "## Packages\n## The site of this example\n## Stage 1: a\n```\nhead# one\nout\n```\n**Go back.**\n```\nhead# back\n```\n## Stage 2: b\n```\n# /etc/x.conf\ny\n```\n## Remove\n"

    def test_a_stage_is_reached_through_those_before_it_without_their_way_back(self):
        found = {"Packages": [], "The site of this example": [], "Remove": []} | recipe.chapters(self.TEXT)
        typed = [step.text for block in recipe.order(found) for step in recipe.steps_of(block)]
        self.assertEqual(typed, ["one", "back", "one", "# /etc/x.conf\ny\n"])


if __name__ == "__main__":
    unittest.main()
