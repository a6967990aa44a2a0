# SPDX-License-Identifier: BSD-3-Clause
"""test_demo.py - the pure parts of the demonstration: events to timeline, timeline to picture and trace, runs to table,
work."""

import contextlib
import io
import os
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "demo"))

import perfetto  # noqa: E402
import picture  # noqa: E402
import report  # noqa: E402
import timeline  # noqa: E402
import turns  # noqa: E402
from svg import PAPER, text_width  # noqa: E402
from programs import Pair, Program  # noqa: E402
from runs import Failure, environment, exit_status, output_of, seconds_of  # noqa: E402
from ways import Process, Run, Times, TooShort, wait_for_table  # noqa: E402

SECOND = 1_000_000_000
START = 1000 * SECOND
NOT_ABOUT_A_CPU = 4294967295


class Story:
    """The events of a simulation that lends half its CPUs to an analytics from 1 s to 2 s and ends at 4 s."""

    def __init__(self, cpus: list[int], held: bool = False):
        self.events: list[dict] = []
        half = cpus[len(cpus) // 2:]
        self.add(0, "join", 0)
        for cpu in cpus:
            self.add(10, "claim", 0, cpu)
        self.add(20, "post", 0, value=len(cpus), seq=1)
        self.add(1_000_000, "join", 1)
        for cpu in half:
            self.add(1_000_005, "offer", 0, cpu)
        self.add(1_000_010, "post", 0, value=len(cpus) - len(half), seq=2)
        self.add(1_000_070, "released", 0, seq=2)
        for cpu in half:
            self.add(1_000_080, "accept", 1, cpu)
        if not held:
            self.add(1_000_800, "resized", 0, value=len(cpus) - len(half), seq=2)
        for cpu in half:
            self.add(2_000_000, "free", 1, cpu)
            self.add(2_000_001, "claim", 0, cpu)
        self.add(2_000_003, "leave", 1)
        self.add(2_000_005, "post", 0, value=len(cpus), seq=3)
        self.add(2_000_050, "released", 0, seq=3)
        self.add(2_000_900, "resized", 0, value=len(cpus), seq=3)
        self.add(4_000_000, "leave", 0)

    def add(self, us: int, kind: str, slot: int, cpu: int = NOT_ABOUT_A_CPU, value: int = 0, seq: int = 0) -> None:
        self.events.append({"index": len(self.events), "time_ns": START + us * 1000, "seq": seq, "event": kind, "slot": slot,
                            "cpu": cpu, "value": value, "pid": 100 + slot})

    def read(self) -> timeline.Timeline:
        return timeline.read(self.events, {0: "simulation", 1: "analytics"})


def case_of(cpus: list[int], held: bool = False) -> picture.Case:
    lanes = [picture.Lane("waiting", [picture.Span("simulation", 0, 0, 3), picture.Span("analytics", 1, 3, 4)], 3.0)]
    return picture.Case("a case", Story(cpus, held).read(), cpus, START, START + SECOND, START + 4 * SECOND, 2.5, lanes)


def extent(text: xml.Element) -> tuple[float, float, float, float]:
    """Returns left, top, right and bottom of a text, about."""
    size, x, y = (float(text.get(name)) for name in ("font-size", "x", "y"))
    width = 0.9 * text_width(text.text, size)
    left = x - {"start": 0, "middle": width / 2, "end": width}[text.get("text-anchor")]
    return left, y - 0.75 * size, left + width, y + 0.2 * size


def meet(one: tuple, other: tuple) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def collisions(drawing: str) -> list[str]:
    """Returns texts that meet a line or another text. A ground behind a text, and the bar that it is in, cover the
    lines drawn before it."""
    found, lines, texts, ground = [], [], [], False
    for shape in xml.fromstring(drawing):
        kind = shape.tag.rpartition("}")[2]
        if kind == "line":
            ends = [float(shape.get(name)) for name in ("x1", "y1", "x2", "y2")]
            box = (min(ends[::2]), min(ends[1::2]), max(ends[::2]), max(ends[1::2]))
            found += [f"{text.text!r} and a line" for text in texts if meet(extent(text), box)]
            lines.append(box)
        elif kind == "text":
            covered = ground or shape.get("fill") == PAPER
            found += [f"{shape.text!r} and a line" for box in lines if not covered and meet(extent(shape), box)]
            found += [f"{shape.text!r} and {text.text!r}" for text in texts if meet(extent(shape), extent(text))]
            texts.append(shape)
        ground = kind == "rect" and shape.get("fill") == PAPER
    return found


class Timelines(unittest.TestCase):
    def test_a_lent_cpu_has_three_tenures_without_overlap(self) -> None:
        seen = Story([0, 1]).read()
        lent = [t for t in seen.tenures if t.cpu == 1]
        self.assertEqual([t.client.name for t in lent], ["simulation", "analytics", "simulation"])
        for before, after in zip(lent, lent[1:]):
            self.assertLessEqual(before.end, after.begin)
        self.assertEqual((lent[0].end - lent[0].offered) / 1000, 75)
        self.assertEqual(seen.conflicts, [])
        self.assertEqual(seen.lost, 0)

    def test_a_shrink_is_measured_from_its_request(self) -> None:
        shrink = next(r for r in Story([0, 1]).read().requests if r.shrinks)
        self.assertEqual(shrink.released - shrink.posted, 60_000)
        self.assertEqual(shrink.resized - shrink.posted, 790_000)
        self.assertEqual(shrink.threads, 1)

    def test_a_later_acknowledgement_does_not_answer_a_superseded_request(self) -> None:
        shrink = next(r for r in Story([0, 1], held=True).read().requests if r.shrinks)
        self.assertIsNone(shrink.resized)
        self.assertTrue(shrink.held)

    def test_a_team_that_acknowledges_with_its_old_size_is_held(self) -> None:
        story = Story([0, 1])
        next(e for e in story.events if e["event"] == "resized" and e["seq"] == 2).update(event="kept", value=2)
        self.assertTrue(next(r for r in story.read().requests if r.shrinks).held)

    def test_a_cpu_taken_without_an_offer_is_a_conflict(self) -> None:
        story = Story([0, 1])
        story.events = [e for e in story.events if e["event"] != "offer"]
        self.assertIn("CPU 1 went to analytics", story.read().conflicts[0])

    def test_lost_events_are_counted(self) -> None:
        story = Story([0, 1])
        del story.events[5:8]
        self.assertEqual(story.read().lost, 3)

    def test_no_event_at_all_is_an_empty_timeline(self) -> None:
        self.assertEqual(timeline.read([], {}).cpus(), [])


class Pictures(unittest.TestCase):
    def test_is_well_formed_and_names_every_cpu(self) -> None:
        root = xml.fromstring(picture.draw([case_of([0, 1])], "a < b & c", "words"))
        words = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
        for expected in ("CPU 0", "CPU 1", "released +60 µs", "1 thread +790 µs", "analytics arrives", "waiting"):
            self.assertIn(expected, words)

    def test_cpus_with_one_history_share_a_row(self) -> None:
        words = picture.draw([case_of(list(range(64)))], "t", "s")
        self.assertIn(">CPUs 0-31<", words)
        self.assertIn(">CPUs 32-63<", words)

    def test_a_held_team_is_said(self) -> None:
        self.assertIn("the team keeps its size", picture.draw([case_of([0, 1], held=True)], "t", "s"))

    def test_no_line_runs_through_a_word_and_no_word_touches_another(self) -> None:
        cases = [case_of([0, 1]), case_of([0, 1], held=True), case_of(list(range(16)))]
        for case in cases:
            case.lanes.append(picture.Lane("oversubscribed", [picture.Span("simulation", 0, 0, 4.3), picture.Span("analytics", 1, 1, 2.6)], 3.1))
        self.assertEqual(collisions(picture.draw(cases, "a title", "words")), [])

    def test_a_collision_is_found(self) -> None:
        canvas = picture.Canvas()
        canvas.text(10, 20, "one word")
        canvas.text(30, 22, "another")
        canvas.line(15, 0, 15, 40, "black")
        self.assertEqual(collisions(canvas.picture(100, 100, "t")), ["'another' and 'one word'", "'one word' and a line"])

    def test_ranges(self) -> None:
        for cpus, text in (([0], "0"), ([0, 1, 2, 5], "0-2,5"), ([3, 4, 7, 8], "3-4,7-8"), ([], "")):
            self.assertEqual(picture.ranges(cpus), text)


class Traces(unittest.TestCase):
    def test_every_arrow_has_its_ends_inside_slices(self) -> None:
        events = perfetto.trace([("a", Story([0, 1]).read()), ("b", Story([0, 1], held=True).read())])["traceEvents"]
        slices = [e for e in events if e["ph"] == "X"]
        for arrow in (e for e in events if e["ph"] in "stf"):
            around = [s for s in slices if (s["pid"], s["tid"]) == (arrow["pid"], arrow["tid"])
                      and s["ts"] <= arrow["ts"] < s["ts"] + s["dur"]]
            self.assertTrue(around, arrow)
        starts = {e["id"] for e in events if e["ph"] == "s"}
        self.assertTrue({e["id"] for e in events if e["ph"] == "f"} <= starts)

    def test_cores_are_counted_and_everything_is_named(self) -> None:
        events = perfetto.trace([("a", Story([0, 1, 2, 3]).read())])["traceEvents"]
        cores = [e["args"]["cores"] for e in events if e["ph"] == "C" and e["pid"] == 2]
        self.assertEqual(cores, [4, 2, 4, 0])
        named = {e["pid"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
        self.assertEqual({e["pid"] for e in events}, named)


class Reports(unittest.TestCase):
    @staticmethod
    def run_of(way: str, simulation: float, analytics: float) -> Run:
        return Run(way, Times(0, 0, int(simulation * 1e9)), Times(SECOND, SECOND, int(analytics * 1e9)))

    def test_times_count_from_when_a_program_was_asked_for(self) -> None:
        run = self.run_of("waiting", 3, 4)
        self.assertEqual((run.whole, run.simulation.response, run.guest.response, run.average), (4, 3, 3, 3))

    def test_table_shows_median_and_spread_and_change(self) -> None:
        ways = {}
        for way, end in (("drom", 2.0), ("waiting", 4.0), ("oversubscribed", 5.0)):
            ways[way] = {"seconds": report.figures([self.run_of(way, 3 + at / 10, end) for at in range(3)], "analytics")}
        text = report.table([{"title": "a case", "ways": ways}])
        self.assertIn("3.10 (3.00-3.20)", text)
        self.assertIn("-33 %", text)
        self.assertEqual(len({line.rstrip()[-1] for line in text.splitlines() if line.startswith("  drom")}), 1)


class Tables(unittest.TestCase):
    """On a crowded machine the table came later than the watcher, and the demonstration ended with a wrong reason."""

    def started(self, script: str) -> tuple[Process, Path]:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        table = Path(folder.name) / "table"
        process = Process(Program("late", lambda _: ["sh", "-c", script.format(table=table)], 1), dict(os.environ))
        self.addCleanup(process.stop)
        return process, table

    def test_a_table_that_comes_late_is_waited_for(self):
        process, table = self.started("sleep 0.5; mkdir {table}; sleep 60")
        wait_for_table(process, table)
        self.assertTrue(table.exists())

    def test_a_program_that_ends_without_a_table_is_not_waited_for(self):
        process, table = self.started("exit 3")
        wait_for_table(process, table)
        self.assertFalse(table.exists())


class Calibration(unittest.TestCase):
    def test_a_simulation_that_was_calibrated_on_a_busier_machine_is_made_longer(self):
        """On a crowded machine the demonstration ended with "the simulation had ended before the analytics arrived"."""
        simulation = Program("simulation", lambda amount: ["true"], 10)
        pair = Pair("case", "a case", simulation, Program("analytics", lambda amount: ["true"], 1))
        node = TooQuick(enough=80)
        runs = turns.measure_long_enough(pair, node, 2, report.WAYS)
        self.assertEqual(simulation.amount, 90)
        self.assertEqual({way: len(of_way) for way, of_way in runs.items()}, {way: 2 for way in report.WAYS})

    def test_it_gives_up_after_some_tries(self):
        pair = Pair("case", "a case", Program("simulation", lambda amount: ["true"], 1), Program("analytics", lambda amount: ["true"], 1))
        with self.assertRaises(TooShort):
            turns.measure_long_enough(pair, TooQuick(enough=1_000_000), 1, report.WAYS)


class TooQuick:
    """A node on which a simulation of less than `enough` work ends too early."""

    def __init__(self, enough: int):
        self.enough = enough

    def run(self, pair: Pair, way: str) -> str:
        if pair.simulation.amount < self.enough:
            raise TooShort("the simulation had ended before the analytics arrived after 0.9 s")
        return way


class OtherPrograms(unittest.TestCase):
    def test_a_program_that_fails_ends_the_run_with_its_reason(self) -> None:
        with self.assertRaisesRegex(Failure, "ended with status 3: no luck"):
            output_of(["sh", "-c", "echo no luck >&2; exit 3"], environment())
        with self.assertRaisesRegex(Failure, "/nowhere is not there"):
            seconds_of(["/nowhere"], environment(), 10)

    def test_the_exit_status_says_whether_it_was_done(self) -> None:
        def fail() -> None:
            raise Failure("no node")

        def interrupt() -> None:
            raise KeyboardInterrupt

        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual([exit_status("demo", work) for work in (lambda: None, fail, interrupt)], [0, 1, 130])
        self.assertEqual(said.getvalue(), "demo: no node\n")


if __name__ == "__main__":
    unittest.main()
