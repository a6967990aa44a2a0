# SPDX-License-Identifier: BSD-3-Clause
"""test_workload.py - the pure parts of the workload under Slurm: scales, settings, what Slurm says, logs, measures,
pieces of the picture."""

import gzip
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "demo" / "workload"))

import cluster  # noqa: E402
import jobs  # noqa: E402
import log  # noqa: E402
import measures  # noqa: E402
import picture  # noqa: E402
import prediction  # noqa: E402
import programs  # noqa: E402
import report  # noqa: E402
from cluster import Backfill, Shape, Sharing  # noqa: E402
from jobs import Job, Row  # noqa: E402
from runs import Failure  # noqa: E402
from measures import Outcome  # noqa: E402
from play import Played, Ran  # noqa: E402
from prediction import Predicted  # noqa: E402

ROWS = [Row(100, 60, 1, 120), Row(160, 600, 8, 1200), Row(300, 7, 16, 3600)]
MANY = ROWS * 30


class Scales(unittest.TestCase):
    def test_the_work_fills_the_time_that_was_asked_for(self) -> None:
        scale = jobs.scale_for(MANY, 49, 40, 2)
        self.assertAlmostEqual(jobs.work(MANY, scale), 40 * 49 * jobs.FULL, delta=1)

    def test_no_job_is_shorter_than_the_shortest_nor_much_of_the_whole(self) -> None:
        scale = jobs.scale_for(MANY, 49, 40, 2)
        self.assertTrue(all(2 <= job.seconds <= 40 * jobs.LONGEST for job in jobs.scaled(MANY, scale)))

    def test_jobs_that_cannot_fit_are_refused(self) -> None:
        with self.assertRaisesRegex(Failure, "do not fit"):
            jobs.scale_for(ROWS, 4, 10, 60)

    def test_too_few_jobs_are_refused(self) -> None:
        with self.assertRaisesRegex(Failure, "too few"):
            jobs.scale_for(ROWS[:1], 49, 40, 2)

    def test_a_limit_has_room_for_the_start(self) -> None:
        plan = jobs.scaled([Row(0, 60, 1, 60)], jobs.Scale(1, 1, 49, 1, 1000))
        self.assertEqual((plan[0].seconds, plan[0].limit), (60, 2))

    def test_arrivals_have_a_scale_of_their_own(self) -> None:
        plan = jobs.scaled(ROWS, jobs.Scale(1, 0.5, 49, 1, 1000))
        self.assertEqual([job.submit for job in plan], [0, 30, 100])

    def test_a_smaller_cluster_has_smaller_jobs(self) -> None:
        self.assertEqual([jobs.smaller(nodes, 8) for nodes in (1, 8, 16)], [1, 1, 3])
        self.assertEqual([jobs.smaller(nodes, 50) for nodes in (1, 16)], [1, 16])
        self.assertEqual([jobs.smaller(nodes, 50, 128) for nodes in (1, 64, 128)], [1, 25, 50])

    def test_programs_come_in_the_thesis_s_shares_all_the_time(self) -> None:
        names = jobs.programs(1000)
        self.assertAlmostEqual(names[:100].count("pils"), 30.5, delta=2)
        self.assertAlmostEqual(names.count("triad"), 308, delta=2)

    def test_ranks_of_a_hybrid_program_can_each_give_up_a_cpu(self) -> None:
        self.assertEqual([programs.ranks_of(cpus) for cpus in (2, 3, 4, 48)], [1, 1, 2, 2])

    def test_slurm_starts_the_ranks(self) -> None:
        script = cluster.script_of(cluster.Step(["env", "A=b c", "heat"], 2, ("--mpi=pmix",)))
        self.assertIn("srun --ntasks-per-node=2 --mpi=pmix env 'A=b c' heat >out 2>err", script)

    def test_without_a_program_of_a_kind_it_is_said(self) -> None:
        with self.assertRaisesRegex(Failure, "no MPI"):
            programs.computations(Path("/nowhere"), 2)

    def test_a_log_is_read_by_nodes(self) -> None:
        self.assertEqual(jobs.rows_of("; a header\n1 100 -1 60 49 -1 -1 49 120 -1 1 -1 -1 -1 -1 -1 -1 -1\n", 48), [Row(100, 60, 2, 120)])


class GivenLogs(unittest.TestCase):
    LINE = "{} {} -1 60 4 -1 -1 {} 120 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
    TEXT = "; MaxProcs: 128\n" + LINE.format(2, 300, 8) + LINE.format(1, 100, -1) + LINE.format(3, 400, 2) + "4 500 -1 -1 4\n"

    def refused(self, text: str | bytes, sentence: str) -> None:
        with tempfile.NamedTemporaryFile(suffix=".swf") as file:
            file.write(text.encode() if isinstance(text, str) else text)
            file.flush()
            with self.assertRaisesRegex(log.BadLog, sentence):
                log.read(Path(file.name), 10)

    def test_its_first_jobs_come_in_the_order_of_their_submission(self) -> None:
        self.assertEqual(log.parsed(self.TEXT, 2), log.Log([Row(100, 60, 4, 120), Row(300, 60, 8, 120)], 128))

    def test_a_compressed_one_is_the_same(self) -> None:
        with tempfile.NamedTemporaryFile() as file:
            file.write(gzip.compress(self.TEXT.encode()))
            file.flush()
            self.assertEqual(log.read(Path(file.name), 9), log.parsed(self.TEXT, 9))

    def test_a_job_that_never_ran_is_left_out(self) -> None:
        self.assertEqual(len(log.parsed(self.TEXT, 9).rows), 3)

    def test_without_a_header_the_widest_job_has_the_whole_machine(self) -> None:
        self.assertEqual(log.parsed(self.TEXT.partition("\n")[2], 9).processors, 8)

    def test_a_job_has_the_same_part_of_the_played_cluster(self) -> None:
        read = log.parsed("; MaxProcs: 100\n" + "".join(self.LINE.format(n, n, 1 + n % 100) for n in range(400)), 400)
        plan = jobs.scaled(read.rows, jobs.scale_for(read.rows, 50, 6000, 10, 1, read.processors))
        self.assertEqual((min(job.nodes for job in plan), max(job.nodes for job in plan)), (1, 50))

    def test_what_is_no_log_is_refused(self) -> None:
        self.refused("#!/bin/sh\necho\n", "line 1 is no job")
        self.refused(self.LINE.format(1, 2, 3).replace("60", "inf"), "line 1 is no job")
        self.refused("; only a header\n", "0 jobs that ran")
        self.refused(gzip.compress(self.TEXT.encode())[:-9], "cannot be read: ")
        with self.assertRaisesRegex(log.BadLog, "^/nowhere cannot be read: No such file or directory$"):
            log.read(Path("/nowhere"), 10)


class Clusters(unittest.TestCase):
    def test_only_one_way_knows_drom(self) -> None:
        stock = " ".join(cluster.stock(Backfill()).settings)
        way = cluster.malleable(Backfill(), Sharing("5"), Path("/p"), Path("/d"), Shape(2, 24, topology="package:2"))
        self.assertNotIn("drom", stock)
        self.assertLessEqual({"select=select/malleable", "task=task/drom", "drom=table=/d/tables/%n.table", "drom=topology=package:2"}, set(way.settings))
        self.assertIn("sd_max_slowdown=5,", way.settings[0])
        self.assertEqual(way.options, ("--malleable",))

    def test_both_ways_schedule_alike(self) -> None:
        stock, way = cluster.stock(Backfill()), cluster.malleable(Backfill(), Sharing(), Path("/p"), Path("/d"), Shape(1, 2))
        self.assertTrue(way.settings[0].startswith(stock.settings[0] + ","))

    def test_a_record_has_whole_seconds_or_none(self) -> None:
        name, seen = cluster.record("JobId=7 JobName=12 JobState=RUNNING SubmitTime=1970-01-02T00:00:01 StartTime=1970-01-02T00:00:03 EndTime=Unknown NodeList=n[1-2]")
        self.assertEqual((name, seen.state, seen.start - seen.submit, seen.end, seen.nodes), ("12", "RUNNING", 2, 0, "n[1-2]"))
        self.assertIsNone(seen.cpu_seconds)

    def test_what_a_job_had_is_in_its_admin_comment(self) -> None:
        _, seen = cluster.record("JobId=7 JobName=12 JobState=COMPLETED SubmitTime=None StartTime=None EndTime=None AdminComment=malleable=1 shared=4s cpu_seconds=96 NodeList=n1")
        self.assertEqual((seen.cpu_seconds, seen.nodes), (96, "n1"))

    def test_a_name_too_long_for_sockets_is_refused(self) -> None:
        with self.assertRaisesRegex(Failure, "shorter --dir"):
            cluster.Cluster(Path("/" + "x" * 80), Shape(1, 2), 1, cluster.stock(Backfill()), 10, 60)


class Logs(unittest.TestCase):
    RAN = Ran(Job(1, 3, 5, 2, 4, "pils"), 4, 6, 12, "n[1-2]", "")

    def test_a_run_becomes_a_log(self) -> None:
        rows = [line.split() for line in prediction.swf([self.RAN], 8, 48).splitlines() if not line.startswith(";")]
        self.assertEqual((len(rows[0]), rows[0][1:5], rows[0][7:9]), (18, ["4", "2", "6", "96"], ["96", "240"]))

    def test_the_simulator_has_the_cluster_s_parameters(self) -> None:
        told = prediction.parameters(Backfill(interval=2), Sharing("10"))
        self.assertEqual((told[1], told[told.index("--bf-interval") + 1], told[told.index("--max-slowdown") + 1]), ("sd", "2", "10"))
        self.assertEqual(prediction.parameters(Backfill(), None)[1], "slurm")

    def test_its_outcomes_are_read_by_name(self) -> None:
        found = prediction.predicted("id,submit,start,end,wait,run,nodes,how\n4,10,20,75,10,50,3,shared\n5,10,20,30,10,10,1,in order\n")
        self.assertEqual(found, prediction.Predicted([Outcome(4, 10, 20, 75, 3, 50), Outcome(5, 10, 20, 30, 1, 10)], 1))


class Measures(unittest.TestCase):
    SEEN = [Outcome(1, 0, 0, 20, 1, 20), Outcome(2, 10, 20, 60, 1, 20)]

    def test_are_the_thesis_s(self) -> None:
        found = measures.measures(self.SEEN)
        self.assertEqual((found["makespan_s"], found["response_s"], found["slowdown"], found["wait_s"]), (60, 35, 1.75, 5))

    def test_worse_is_by_more_than_a_launch_takes(self) -> None:
        later = [Outcome(1, 0, 0, 24, 1, 20), Outcome(2, 10, 20, 66, 1, 20)]
        self.assertEqual(measures.worse_share(later, self.SEEN), 0.5)

    def test_a_job_is_faster_than_its_share_when_it_takes_less_than_its_cpus_account_for(self) -> None:
        # Both took 40 s instead of 20, the first with half of 4 CPUs and the second with three quarters of 8.
        seen = [(Outcome(1, 0, 0, 40, 1, 20.5), 80), (Outcome(2, 0, 0, 40, 2, 20), 240)]
        self.assertEqual(measures.above_share(seen, 4), 1)

    def test_shared_starts_are_the_journal_s(self) -> None:
        lines = ["start at=1 job=1", "share at=2 job=3 cores=24 mates=1,2", "share at=4 job=5 cores=24 mates=1", "consider at=5 job=6 outcome=share mates=1"]
        self.assertEqual(measures.sharing(lines), {"shared_starts": 2, "mates": 2})


class Reports(unittest.TestCase):
    @staticmethod
    def played(*ends: int) -> Played:
        jobs = [Ran(Job(n, 0, 10, 1, 1, "pils"), 0, 0, end, f"n{n}", "") for n, end in enumerate(ends, 1)]
        return Played(jobs, 0.0, ["share at=1 job=2 mates=1"] if len(set(ends)) > 1 else [])

    def test_a_prediction_is_compared_with_what_happened(self) -> None:
        played = {"stock": self.played(10, 10), "malleable": self.played(20, 30)}
        foreseen = {name: Predicted([Outcome(1, 0, 0, 20, 1, 10), Outcome(2, 0, 0, 20, 1, 10)], 0) for name in played}
        whole = report.report({"speed": 10, "cpus_per_node": 4}, played, foreseen, {"decisions": 1, "decided_otherwise": 0})
        self.assertEqual(whole["change_percent"]["response_s"], 150)
        self.assertEqual(whole["ways"]["stock"]["prediction_error_percent"]["response_s"], 100)
        self.assertAlmostEqual(whole["ways"]["malleable"]["prediction_error_percent"]["response_s"], -20)
        self.assertEqual((whole["ways"]["malleable"]["shared_starts"], whole["ways"]["malleable"]["worse_than_stock"]), (1, 1))


    def test_jobs_that_had_all_of_their_cpus_are_not_counted_as_faster_than_their_share(self) -> None:
        played = self.played(10, 20)
        shared = replace(played.jobs[1], cpu_seconds=30)
        found = report.speeds(Played([played.jobs[0], shared], 0.0, []), report.outcomes(played, self.played(10, 10)), 4)
        self.assertEqual(found, {"jobs_that_shared": 1, "faster_than_share": 1})

    def test_a_program_that_computed_something_else_is_named(self) -> None:
        played = {"stock": self.played(10, 10), "malleable": self.played(10, 10)}
        self.assertEqual(report.different(played), [])
        other = Played([replace(ran, said="checksum 2") for ran in played["malleable"].jobs[:1]] + played["malleable"].jobs[1:], 0.0, [])
        self.assertEqual(report.different({**played, "malleable": other}), [1])


class Pictures(unittest.TestCase):
    def test_two_jobs_have_half_of_the_node_while_both_are_there(self) -> None:
        found = picture.pieces([picture.Block(1, 0, 10, "n1"), picture.Block(2, 4, 6, "n1")])
        self.assertEqual([(piece.number, piece.begin, piece.end, piece.lanes) for piece in found], [(1, 0, 4, 1), (1, 4, 6, 2), (2, 4, 6, 2), (1, 6, 10, 1)])

    def test_nodes_are_read_as_slurm_writes_them(self) -> None:
        self.assertEqual(picture.nodes_of("n[1-3,12]"), [1, 2, 3, 12])
        self.assertEqual(picture.nodes_of("n4"), [4])

    def test_a_picture_is_xml(self) -> None:
        ElementTree.fromstring(picture.draw({"stock": [picture.Block(1, 0, 10, "n[1-2]")]}))


if __name__ == "__main__":
    unittest.main()
