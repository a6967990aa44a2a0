# SPDX-License-Identifier: BSD-3-Clause
"""test_landing.py - a run that proves nothing does not pass for a proof, and a difference can be run again."""

import argparse
import contextlib
import io
import unittest

import run_answers
from catalogue import all_cases

LABEL = "plain:never:gcc:libgomp:2:run:keep"


def outcome(released: int, seconds: float = 0.2, stdout: bytes = b"same"):
    return run_answers.Outcome(0, stdout, "", seconds, {"found": True, "requests": released, "released": released})


class Stub(run_answers.Suite):
    """Runs nothing: `disturbed` gives the outcomes of the disturbed runs, one after the other."""

    def __init__(self, disturbed):
        super().__init__(argparse.Namespace(build=".", runtimes=".", scale=15, seed=1, verbose=False, resize="", resize_after=4))
        self.disturbed = iter(disturbed)
        self.lengths = []

    def run(self, case, storm_seed=None):
        if storm_seed is None:
            return outcome(0)
        self.lengths.append(self.scales.get(case.work, self.given.scale))
        return next(self.disturbed)


def play(*disturbed):
    suite = Stub(disturbed)
    case = next(case for case in all_cases() if case.label == LABEL)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        suite.sequence(case, 3)
        status = suite.summary()
    return suite, status, said.getvalue()


class Landing(unittest.TestCase):
    def test_a_run_that_ends_before_a_request_lands_is_made_longer(self) -> None:
        suite, status, _ = play(outcome(0), outcome(0), outcome(5))
        self.assertEqual(suite.lengths, [15, 60, 240])
        self.assertEqual(status, 0)

    def test_a_guest_whose_requests_never_land_is_a_failure_with_a_sentence(self) -> None:
        suite, status, said = play(outcome(0), outcome(0), outcome(0), outcome(0))
        self.assertEqual(len(suite.lengths), 1 + run_answers.LENGTHENED)
        self.assertEqual(status, 1)
        self.assertIn("NEVER LANDED plain:never: no request was released", said)

    def test_a_long_run_is_not_made_longer(self) -> None:
        suite, status, _ = play(outcome(0, seconds=run_answers.LONG_S + 1))
        self.assertEqual((len(suite.lengths), status), (1, 1))

    def test_another_answer_is_reported_with_the_command_that_finds_it_again(self) -> None:
        _, status, said = play(outcome(5, stdout=b"another"))
        self.assertEqual(status, 1)
        self.assertIn(f"DIFFERENCE {LABEL}, sequence 3: another answer", said)
        self.assertRegex(said, rf"again .*--seed 1 --only {LABEL} --first 3 --sequences 1")


class Catalogue(unittest.TestCase):
    def test_a_guest_that_may_follow_or_may_not_says_why(self) -> None:
        silent = [guest.name for guest in run_answers.GUESTS if not guest.why]
        self.assertEqual(silent, [])

    def test_what_may_follow_and_what_must_be_resized_are_modes(self) -> None:
        for guest in run_answers.GUESTS:
            for mode in (guest.follow + " " + guest.resizes).split():
                self.assertIn(mode, guest.modes.split(), guest.name)

    def test_a_label_belongs_to_one_case(self) -> None:
        labels = [case.label for case in all_cases()]
        self.assertEqual(len(labels), len(set(labels)))


if __name__ == "__main__":
    unittest.main()
