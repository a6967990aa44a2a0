# SPDX-License-Identifier: BSD-3-Clause
"""test_slurm_demo.py - the pure parts of the demonstration under Slurm: scripts, times, what Slurm says, proofs, the
thesis's marks."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "demo"))

import marks  # noqa: E402
import picture  # noqa: E402
import report  # noqa: E402
import shapes  # noqa: E402
import slurm  # noqa: E402
import timeline  # noqa: E402
import usecases  # noqa: E402
from programs import Pair, Program  # noqa: E402
from runs import Failure, shape  # noqa: E402
from test_demo import SECOND, START, Story  # noqa: E402
from ways import Run, Times  # noqa: E402

PAIR = Pair("insitu", "a case", Program("simulation", lambda amount: ["true"], 1), Program("analytics", lambda amount: ["true"], 1))


class Scripts(unittest.TestCase):
    def test_the_program_is_quoted_and_its_status_is_the_job_s(self) -> None:
        text = slurm.script(Program("heat", lambda amount: ["/a folder/heat", "--steps", str(amount)], 3))
        self.assertIn('\nsrun -c "$SLURM_CPUS_PER_TASK" \'/a folder/heat\' --steps 3 >out', text)
        self.assertTrue(text.endswith("exit $status\n"))

    def test_only_drom_loads_the_plugin_and_only_serial_shares_nothing(self) -> None:
        told = {way: " ".join(slurm.settings(way, Path("/p"), Path("/t/%n"))) for way in slurm.WAYS}
        self.assertIn("plugstack=required /p/spank_drom.so table=/t/%n", told["drom"])
        self.assertEqual({way for way, text in told.items() if "spank_drom" in text}, {"drom"})
        self.assertEqual({way for way, text in told.items() if "FORCE:2" in text}, {"drom", "oversubscribed"})


class WhatSlurmSays(unittest.TestCase):
    def test_the_node_is_as_slurmd_finds_it(self) -> None:
        said = "NodeName=n CPUs=16 Boards=1 SocketsPerBoard=2 CoresPerSocket=4 ThreadsPerCore=2 RealMemory=1000\nUpTime=0-00:01:00\n"
        self.assertEqual(shape(said), {"sockets": 2, "cores": 4, "threads": 2})

    def test_a_slurmd_that_says_something_else_is_reported(self) -> None:
        with self.assertRaisesRegex(Failure, "SocketsPerBoard"):
            shape("slurmd: no such option")

    def test_a_record_keeps_what_is_behind_the_first_equals_sign(self) -> None:
        found = slurm.record("JobId=7 JobName=a TRES=cpu=2,node=1 JobState=COMPLETED\n")
        self.assertEqual((found["JobId"], found["TRES"], found["JobState"]), ("7", "cpu=2,node=1", "COMPLETED"))

    def test_its_whole_seconds_are_compared_with_ours(self) -> None:
        slurm_says = {"SubmitTime": "1970-01-02T00:00:01", "StartTime": "1970-01-02T00:00:01", "EndTime": "1970-01-02T00:00:09"}
        begin = int(slurm.datetime.fromisoformat("1970-01-02T00:00:00").timestamp() * 1e9)
        clock = begin - 5 * SECOND
        times = Times(6 * SECOND, 6 * SECOND + SECOND // 4, 14 * SECOND + SECOND // 2)
        self.assertAlmostEqual(slurm.disagreement(times, clock, slurm_says), 0.5)


class Submissions(unittest.TestCase):
    def test_are_shortly_before_slurmctld_looks(self) -> None:
        started = 100 * SECOND
        at = slurm.next_look(started, started + SECOND // 100, 3)
        self.assertEqual(at, started + 3 * SECOND - int(slurm.BEFORE_THE_LOOK * SECOND))

    def test_a_look_that_is_over_is_not_waited_for(self) -> None:
        started = 100 * SECOND
        now = started + 2 * SECOND + SECOND // 2
        at = slurm.next_look(started, now)
        self.assertGreater(at, now)
        self.assertLessEqual(at, now + SECOND)
        self.assertEqual((at - started) % SECOND, SECOND - int(slurm.BEFORE_THE_LOOK * SECOND))


class Proofs(unittest.TestCase):
    @staticmethod
    def check(events: list[dict], asks: int = 2) -> timeline.Timeline:
        events = [event | {"index": index} for index, event in enumerate(events)]
        node = slurm.SlurmNode(Path(), Path(), {"sockets": 1, "cores": 4, "threads": 1}, asks, 1, 60)
        return usecases.check(PAIR, Run("drom", Times(START, START), Times(START + SECOND // 2, START + SECOND), events=events), node)

    def test_half_for_the_guest_and_all_back_is_accepted(self) -> None:
        self.assertEqual(self.check(Story([0, 1, 2, 3]).events).client("analytics").slot, 1)

    def test_a_guest_with_less_than_half_is_not(self) -> None:
        events = [e for e in Story([0, 1, 2, 3]).events if not (e["event"] == "accept" and e["cpu"] == 3)]
        with self.assertRaisesRegex(Failure, "was given 1, not half"):
            self.check(events)

    def test_a_cpu_that_stays_free_when_the_guest_has_gone_is_noticed(self) -> None:
        events = [e for e in Story([0, 1, 2, 3]).events if not (e["event"] == "claim" and e["cpu"] == 3 and e["time_ns"] > START + SECOND)]
        with self.assertRaisesRegex(Failure, "a second after the analytics had ended the simulation had 3 CPUs of 4"):
            self.check(events)

    def test_a_guest_that_asks_for_less_than_half_has_no_more(self) -> None:
        with self.assertRaisesRegex(Failure, "of 4 CPUs the analytics was given 2, not 1"):
            self.check(Story([0, 1, 2, 3]).events, asks=1)

    def test_a_guest_that_never_joined_is_reported(self) -> None:
        with self.assertRaisesRegex(Failure, "the analytics was given 0, not half"):
            self.check([e for e in Story([0, 1, 2, 3]).events if e["slot"] == 0])

    def test_a_batch_script_that_goes_on_when_its_step_has_ended_is_its_job_s(self) -> None:
        story = Story([0, 1, 2, 3])
        script = {"slot": 1, "pid": 100, "value": 0, "seq": 0, "cpu": 4294967295}
        story.events += [script | {"index": 0, "time_ns": START + 4 * SECOND + 10, "event": "claim", "cpu": cpu} for cpu in range(4)]
        story.events += [script | {"index": 0, "time_ns": START + 4 * SECOND + 20, "event": "reap"}]
        self.assertEqual({client.name for client in self.check(story.events).clients}, {"simulation", "analytics"})


class Marks(unittest.TestCase):
    @staticmethod
    def case_of(key: str, average: float, whole: float) -> dict:
        def seconds(factor_average: float, factor_whole: float) -> dict:
            return {"seconds": {report.AVERAGE: report.spread([10 * factor_average]), report.WHOLE: report.spread([20 * factor_whole])}}

        return {"case": key, "ways": {"drom": seconds(average, whole), "serial": seconds(1, 1), "oversubscribed": seconds(2, 1)}}

    def test_a_mark_is_reached_at_its_least_favourable_end(self) -> None:
        found = marks.verdicts(self.case_of("insitu", 0.62, 1.04))
        self.assertEqual([(v["what"], v["reached"]) for v in found], [(report.AVERAGE, True), (report.WHOLE, True)])
        self.assertEqual([v["reached"] for v in marks.verdicts(self.case_of("insitu", 0.64, 1.06))], [False, False])

    def test_what_is_not_reached_is_said(self) -> None:
        text = "\n".join(marks.lines(self.case_of("priority", 0.95, 0.99)))
        self.assertIn("the thesis, average response: -10 %; here -5.0 %: not reached", text)
        self.assertIn("the thesis, whole run: -2.5 %; here -1.0 %: not reached", text)
        self.assertIn("drom against oversubscribed: average response -52 %", text)

    def test_a_change_that_may_be_mere_spread_is_said_to_be(self) -> None:
        case = self.case_of("insitu", 0.6, 0.99)
        case["ways"]["drom"]["seconds"][report.WHOLE]["max"] = 21
        self.assertIn("here -1.0 %: reached, but the runs of both ways overlap", "\n".join(marks.lines(case)))

    def test_every_case_has_marks_and_a_colour(self) -> None:
        pairs = usecases.use_cases(Path("/bin"), 4)
        self.assertEqual([pair.key for pair in pairs], list(marks.THESIS))
        self.assertEqual([pair.key for pair in pairs], list(usecases.GUESTS))
        for pair in pairs:
            self.assertIn(pair.guest.name, picture.COLOURS)


class Shapes(unittest.TestCase):
    @staticmethod
    def of(cpus: int) -> list[shapes.Shape]:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "heat_mpi-openmpi-gcc").touch()
            return shapes.cases(Path(folder), cpus)

    def test_a_small_node_has_one_rank_and_each_kind_asks_for_all_and_for_half(self) -> None:
        self.assertEqual([shape.pair.title for shape in self.of(2)], ["heat of 1 x 2, pils on 2", "heat of 1 x 2, triad on 2",
                                                                     "heat of 1 x 2, pils on 1", "heat of 1 x 2, triad on 1"])

    def test_a_large_one_has_two_ranks_too_and_guests_of_one_cpu(self) -> None:
        found = self.of(16)
        self.assertEqual((len(found), {shape.asks for shape in found}), (12, {16, 8, 1}))
        simulation = found[-1].pair.simulation
        self.assertEqual(simulation.ranks, 2)
        self.assertIn("\nsrun --mpi=pmix -c", slurm.script(simulation))

    def test_all_names_are_those_of_the_first_use_case(self) -> None:
        for shape in self.of(16):
            self.assertEqual((shape.pair.key, shape.pair.simulation.name, shape.pair.guest.name), ("insitu", "simulation", shapes.GUEST))

    def test_what_they_came_to_is_beside_the_thesis(self) -> None:
        cases = [Marks.case_of("insitu", average, 1) for average in (0.6, 0.7)]
        self.assertIn("the thesis, average response: -37 to -48 %; here -40.0 to -30.0 %, reached by 1 of 2", "\n".join(marks.ranges(cases)))


class Tables(unittest.TestCase):
    def test_the_guest_has_its_name_and_the_baseline_no_change(self) -> None:
        run = Run("serial", Times(0, 0, 4 * SECOND), Times(SECOND, 4 * SECOND, 5 * SECOND), notes={"slurm_differs_s": 0.5})
        case = {"title": "a case", "ways": {way: {"seconds": report.figures([run], "priority job")} for way in slurm.WAYS}}
        text = report.table([case], "priority job", "serial")
        self.assertIn("priority job's response", text)
        self.assertIn("against serial", text)
        compared = {line.split()[0]: "%" in line for line in text.splitlines() if line.startswith("  ") and "response" not in line}
        self.assertEqual(compared, {"drom": True, "serial": False, "oversubscribed": True})
        self.assertEqual(report.run_json(run, "priority job")["slurm_differs_s"], 0.5)

    def test_a_legend_that_is_too_long_goes_on_below(self) -> None:
        canvas = picture.Canvas()
        self.assertEqual(picture._legend(canvas, ["analytics"] * 5, 100), 122)


if __name__ == "__main__":
    unittest.main()
