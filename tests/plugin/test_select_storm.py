# SPDX-License-Identifier: BSD-3-Clause
"""test_select_storm.py - the select storm's checks see what is wrong: each finds nothing in right jobs, and what was spoilt in spoilt ones."""

import collections
import dataclasses
import signal
import subprocess
import unittest
from unittest import mock

import select_storm

from select_storm_checks import (
    Asked,
    Groups,
    Finding,
    Job,
    allocated_of,
    groups_of,
    hosts,
    jobs_of,
    judge_allocated,
    judge_groups,
    judge_crash,
    judge_cores,
    judge_limits,
    judge_log,
    minutes_of,
    near_suspended,
)
from storm_checks import cpus

SIZE = 8


def job(number: int, cores: dict[str, str], **rest: object) -> Job:
    values = {"name": f"storm{number}", "state": "RUNNING", "cpus": SIZE * len(cores), "minutes": 3}
    return Job(id=number, cores={node: cpus(ids) for node, ids in cores.items()}, **(values | rest))


# A mate on two nodes with its guest; a job that is alone; one that has a part of a node; one that waits; one that
# completes.
RIGHT = [
    job(1, {"n1": "0-3", "n2": "0-3"}, with_whom=frozenset({2}), minutes=4),
    job(2, {"n1": "4-7", "n2": "4-7"}, with_whom=frozenset({1}), minutes=6),
    job(3, {"n3": "0-7"}),
    job(4, {"n4": "2-3"}, cpus=2),
    job(5, {}, state="PENDING", cpus=8),
    job(6, {"n3": "0-7"}, state="COMPLETING"),
]
ALLOCATED = {"n1": 8, "n2": 8, "n3": 8, "n4": 2}
ASKED = {f"storm{number}": Asked(3, 3) for number in range(1, 7)}
TOGETHER = Groups([{1, 2}])


def spoilt(number: int, **change: object) -> list[Job]:
    return [dataclasses.replace(each, **change) if each.id == number else each for each in RIGHT]


def kinds(found: list[Finding]) -> list[str]:
    return [finding.kind for finding in found]


class Right(unittest.TestCase):
    def test_nothing_is_found(self) -> None:
        self.assertEqual(judge_cores(RIGHT, SIZE), [])
        self.assertEqual(judge_allocated(RIGHT, ALLOCATED), [])
        self.assertEqual(judge_groups(RIGHT, SIZE), [])
        self.assertEqual(judge_limits(RIGHT, ASKED, TOGETHER), [])

    def test_a_suspended_jobs_cores_are_free_for_all_and_so_is_what_is_beside_it(self) -> None:
        jobs = spoilt(1, cores={"n1": cpus("0-7"), "n2": cpus("0-7")}, was_suspended=True)
        self.assertEqual(judge_cores(jobs, SIZE), [])
        self.assertEqual(judge_allocated(jobs, {**ALLOCATED, "n1": 4}), [])
        self.assertEqual(near_suspended(jobs), {"n1", "n2", "JobId=1", "JobId=2"})


class Cores(unittest.TestCase):
    def test_a_core_of_two_jobs(self) -> None:
        found = judge_cores(spoilt(1, cores={"n1": cpus("0-4"), "n2": cpus("0-3")}), SIZE)
        self.assertEqual(kinds(found), ["booked twice"])
        self.assertIn("n1: cores 4 are", found[0].what)

    def test_a_mate_that_did_not_get_its_cores_back(self) -> None:
        found = judge_cores(spoilt(3, cores={"n3": cpus("0-3")}), SIZE)
        self.assertEqual(kinds(found), ["leaked"])
        self.assertIn("n3: cores 4,5,6,7 are no job's", found[0].what)

    def test_a_core_between_two_that_share(self) -> None:
        self.assertEqual(kinds(judge_cores(spoilt(2, cores={"n1": cpus("5-7"), "n2": cpus("4-7")}), SIZE)), ["leaked"])

    def test_a_job_without_a_core(self) -> None:
        self.assertIn("no core", kinds(judge_cores(spoilt(4, cores={"n4": frozenset()}), SIZE)))

    def test_sinfo_counts_others(self) -> None:
        for count in (4, 0):
            self.assertEqual(kinds(judge_allocated(RIGHT, {**ALLOCATED, "n3": count})), ["sinfo"])
        self.assertEqual(kinds(judge_allocated([], {"n1": 8})), ["sinfo"])


class Group(unittest.TestCase):
    def test_a_job_says_that_it_shares_with_one_that_is_elsewhere(self) -> None:
        self.assertEqual(kinds(judge_groups(spoilt(3, with_whom=frozenset({1})), SIZE)), ["group"])

    def test_a_job_of_whom_nothing_is_known_says_nothing(self) -> None:
        self.assertEqual(judge_groups(spoilt(1, with_whom=frozenset()), SIZE), [])

    def test_a_job_that_waits_again_says_that_it_shares(self) -> None:
        self.assertEqual(kinds(judge_groups(spoilt(5, with_whom=frozenset({1})), SIZE)), ["group"])


class Limits(unittest.TestCase):
    def test_a_job_that_never_shared_has_its_own(self) -> None:
        for minutes in (2, 4):
            self.assertEqual(kinds(judge_limits(spoilt(3, minutes=minutes), ASKED, TOGETHER)), ["limit"])

    def test_a_job_that_waits_has_its_own_whatever_was(self) -> None:
        self.assertEqual(kinds(judge_limits(spoilt(5, minutes=4), ASKED, Groups([{1, 2, 5}]))), ["limit"])

    def test_a_job_whose_extended_limit_was_changed_has_that_as_its_own(self) -> None:
        asked = {**ASKED, "storm5": Asked(3, 3).changed_by(1)}
        group = Groups([{1, 2}, {3, 5}])  # extended by four minutes at most
        self.assertEqual(judge_limits(spoilt(5, minutes=8), asked, group), [])
        self.assertEqual(kinds(judge_limits(spoilt(5, minutes=9), asked, group)), ["limit"])
        self.assertEqual(kinds(judge_limits(spoilt(5, minutes=5), asked, TOGETHER)), ["limit"])

    def test_a_limit_grows_by_what_others_asked_for_at_most(self) -> None:
        self.assertEqual(judge_limits(spoilt(1, minutes=7), ASKED, TOGETHER), [])
        self.assertEqual(kinds(judge_limits(spoilt(1, minutes=8), ASKED, TOGETHER)), ["limit"])
        self.assertEqual(kinds(judge_limits(spoilt(1, minutes=2), ASKED, TOGETHER)), ["limit"])

    def test_an_administrators_minutes_count_or_got_lost(self) -> None:
        asked = {**ASKED, "storm3": Asked(3, 3).changed_by(1).changed_by(1).changed_by(-1)}
        for minutes in (2, 3, 4, 5):
            self.assertEqual(judge_limits(spoilt(3, minutes=minutes), asked, TOGETHER), [])
        self.assertEqual(kinds(judge_limits(spoilt(3, minutes=6), asked, TOGETHER)), ["limit"])


class Log(unittest.TestCase):
    OVERFLOW = "[2026-01-02T03:04:05.678] error: job overflow: could not find idle resources for JobId=7"

    def test_what_stock_slurm_says_of_a_restart_is_nothing(self) -> None:
        lines = ["[x] Recovered JobId=7 Assoc=0", "[x] error: Orphan JobId=8.batch reported on node n1", "[x] select/malleable: 3 jobs have whole nodes"]
        self.assertEqual(judge_log(lines, set()), ([], {}))

    def test_an_overflow_is_found_unless_a_job_was_suspended(self) -> None:
        self.assertEqual(kinds(judge_log([self.OVERFLOW], set())[0]), ["log"])
        self.assertEqual(kinds(judge_log([self.OVERFLOW], {"JobId=7"})[0]), [])

    def test_an_overflow_of_an_element_of_an_array_is_that_of_its_job(self) -> None:
        line = self.OVERFLOW.replace("=7", "=7_0(9)")
        self.assertEqual(kinds(judge_log([line], {"JobId=7"})[0]), ["log"])
        self.assertEqual(kinds(judge_log([line], {"JobId=9"})[0]), [])

    def test_what_is_explained_is_counted(self) -> None:
        self.assertEqual(list(judge_log([self.OVERFLOW, self.OVERFLOW.replace("=7", "=8")], {"JobId=7", "JobId=8"})[1].values()), [2])

    def test_a_node_without_cores_enough_is_found_unless_a_job_was_suspended(self) -> None:
        line = "error: select/malleable: node n1 has fewer cores than jobs have to have there; they keep what they have"
        self.assertEqual(kinds(judge_log([line], {"n2"})[0]), ["log"])
        self.assertEqual(kinds(judge_log([line], {"n1"})[0]), [])

    def test_cpus_that_the_end_of_a_former_run_has_counted_as_gone_are_counted_again(self) -> None:
        line = "error: job_update_tres_cnt: cpu_cnt underflow (8 > {}) on JobId=39"
        self.assertEqual(kinds(judge_log([line.format(0)], set())[0]), [])
        self.assertEqual(kinds(judge_log([line.format(4)], set())[0]), ["log"])

    def test_the_books_are_wrong(self) -> None:
        for line in (
            "error: cons_res: node n1 memory is overallocated (5)",
            "error: node n1 under-allocated",
            "error: select/malleable: node n2 has fewer cores than jobs have to have there",
            "error: select/cons_tres: anything",
            "error: select/malleable: the list of loans is not used, because its line 4 has no job=",
            "error: gres/gpu: job 5 node n1 count mis-count",
            "fatal: anything",
        ):
            self.assertEqual(kinds(judge_log([line], {"JobId=7", "n1"})[0]), ["log"], line)


class Crash(unittest.TestCase):
    STOCK = "slurmctld(build_job_info_resp+0xfe)[0x55de39126cae]"

    def test_a_crash_of_stock_slurm_is_counted(self) -> None:
        found, explained = judge_crash(["slurmctld: error: anything", self.STOCK])
        self.assertEqual((found, explained.total()), ([], 1))

    def test_any_other_is_found(self) -> None:
        for words in (["slurmctld(find_job_record+0x1)[0x5]"], [], [self.STOCK, "/x/select_malleable.so(+0x1)[0x5]"]):
            self.assertEqual(kinds(judge_crash(words)[0]), ["died"])


class Reading(unittest.TestCase):
    LINE = (
        "JobId=12 JobName=storm3 UserId=root(0) Priority=1 JobState=RUNNING Reason=None RunTime=00:00:02 TimeLimit=00:10:00 TimeMin=N/A"
        " SuspendTime=None SecsPreSuspend=0 NodeList=n[1-2,4] NumNodes=3 NumCPUs=24 NumTasks=3 JOB_GRES=(null)  Nodes=n[1-2] CPU_IDs=0-3 Mem=0 GRES="
        "  Nodes=n4 CPU_IDs=0-1,6 Mem=0 GRES= MinCPUsNode=8 AdminComment=malleable=1 since=2026-01-02T03:04:05 sharing=13,14 slowdown=1.10"
        "  StdErr=/dev/null"
    )

    def test_a_job_of_scontrol(self) -> None:
        (only,) = jobs_of(self.LINE + "\n")
        self.assertEqual((only.id, only.name, only.state, only.cpus, only.minutes), (12, "storm3", "RUNNING", 24, 10))
        self.assertEqual(only.cores, {"n1": cpus("0-3"), "n2": cpus("0-3"), "n4": cpus("0-1,6")})
        self.assertEqual((only.with_whom, only.was_suspended, only.has_whole_nodes(8)), ({13, 14}, False, True))
        self.assertTrue(jobs_of(self.LINE.replace("SuspendTime=None", "SuspendTime=2026-01-02T03:04:05"))[0].was_suspended)

    def test_an_answer_without_jobs(self) -> None:
        self.assertEqual(jobs_of("No jobs in the system\n"), [])

    def test_names_of_nodes_and_times(self) -> None:
        self.assertEqual(hosts("n[1-2,4],m1"), ["n1", "n2", "n4", "m1"])
        self.assertEqual((minutes_of("01:02:00"), minutes_of("1-00:00:00")), (62, 1440))
        self.assertEqual(allocated_of("n1 8/0/0/8\nn2 0/8/0/8\n"), {"n1": 8, "n2": 0})

    def test_who_was_together_with_whom(self) -> None:
        log = "share at=5 job=2 submit=1 request=60 count=1 min_cores=1 cores=4 mates=1\nconsider at=6 job=9 outcome=share mates=1\n"
        log += "share at=7 job=4 submit=1 request=60 count=1 min_cores=1 cores=4 mates=3\nshare at=9 job=5 submit=1 cores=4 mates=2,3\n"
        together = groups_of(log)
        self.assertEqual((together.of(1), together.of(9)), ({2, 3, 4, 5}, set()))


class Answers(unittest.TestCase):
    WHOLE = "JobId=7 JobName=storm7 JobState=RUNNING SuspendTime=None TimeLimit=00:03:00 NumCPUs=8   Nodes=n1 CPU_IDs=0-7 Mem=0 GRES= \n"

    def storm(self, *answers: tuple[int, str]) -> select_storm.Storm:
        storm = object.__new__(select_storm.Storm)
        storm.explained, storm.seen = collections.Counter(), collections.Counter()
        storm.cluster = mock.Mock()
        storm.cluster.call.side_effect = [subprocess.CompletedProcess([], code, text) for code, text in answers]
        return storm

    def test_the_half_answer_of_an_scontrol_that_crashed_is_asked_for_again(self) -> None:
        storm = self.storm((-signal.SIGSEGV, self.WHOLE[:70]), (-signal.SIGSEGV, self.WHOLE[:90]), (0, self.WHOLE))
        self.assertEqual([job.id for job in storm.jobs()], [7])
        self.assertEqual(storm.explained.total(), 2)

    def test_nothing_is_judged_while_nothing_can_be_seen(self) -> None:
        storm = self.storm(*[(-signal.SIGSEGV, self.WHOLE[:70])] * select_storm.SCONTROL_TRIES)
        with mock.patch("time.sleep"), storm.as_far_as_seen():
            storm.jobs()
        self.assertEqual(storm.seen[select_storm.BLIND], 1)



if __name__ == "__main__":
    unittest.main()
