# SPDX-License-Identifier: BSD-3-Clause
"""select_storm_checks.py - what must hold of what slurmctld says of its jobs, whenever it is asked. Pure.

One answer of `scontrol show job` is of one instant, so whatever is wrong in it was wrong then. Jobs that were ever suspended are left out where
cores are compared: stock Slurm, too, gives a suspended job's cores to others and takes them back for it without a question.
"""

import collections
import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from storm_checks import cpus, text_of


@dataclass(frozen=True)
class Finding:
    kind: str
    what: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.what}"


@dataclass(frozen=True)
class Job:
    """As scontrol shows it."""

    id: int
    name: str
    state: str
    cores: Mapping[str, frozenset[int]]  # of each of its nodes
    cpus: int  # that were granted: more than its cores while it lends some
    minutes: int  # its limit, now
    was_suspended: bool = False
    with_whom: frozenset[int] = frozenset()  # by its admin comment

    @property
    def runs(self) -> bool:
        return self.state == "RUNNING" and bool(self.cores)

    def has_whole_nodes(self, size: int) -> bool:
        return self.cpus == size * len(self.cores)

    def __str__(self) -> str:
        where = "; ".join(f"{node}: {text_of(cores)}" for node, cores in sorted(self.cores.items()))
        return f"job {self.id} ({self.name}, {self.state}{', ' + where if where else ''}, {self.minutes} min)"


@dataclass
class Asked:
    """Minutes that a job's user and the administrator gave it. Orders that went to a controller that was killed may have got lost, or not, and
    several may have been under way at once. An order for more or fewer minutes is one for a number of them: scontrol adds to what it was shown, and if
    that had been extended for others it is the job's own from then on."""

    min: int
    max: int
    was_shown: bool = False

    def changed_by(self, minutes: int) -> "Asked":
        return Asked(self.min + min(0, minutes), self.max + max(0, minutes), True)


@dataclass
class Groups:
    """Jobs that were ever together, directly or over others, by the log of decisions."""

    groups: list[set[int]] = field(default_factory=list)

    def add(self, jobs: Iterable[int]) -> None:
        joined = set(jobs)
        for group in [group for group in self.groups if group & joined]:
            joined |= group
            self.groups.remove(group)
        self.groups.append(joined)

    def of(self, job: int) -> set[int]:
        return next((group - {job} for group in self.groups if job in group), set())


# --- reading ---


def hosts(text: str) -> list[str]:
    """Returns n[1-2,4],m1 as a list."""
    found = []
    for prefix, inside in re.findall(r"([^,\[\]]+)(?:\[([^\]]*)\])?", text):
        found += [f"{prefix}{number}" for number in sorted(cpus(inside))] if inside else [prefix]
    return found


def minutes_of(text: str) -> int:
    """Returns the minutes of 1-02:03:04, or 02:03:04."""
    days, _, clock = text.rpartition("-")
    hours, minutes, seconds = map(int, clock.split(":"))
    return int(days or 0) * 1440 + hours * 60 + minutes + (1 if seconds else 0)


def cores_of(line: str) -> dict[str, frozenset[int]]:
    return {host: cpus(ids) for nodes, ids in re.findall(r"(?<!\S)Nodes=(\S+) CPU_IDs=(\S*) ", line) for host in hosts(nodes)}


def jobs_of(text: str) -> list[Job]:
    """Returns the jobs of `scontrol -o -d show job`."""
    found = []
    for line in text.splitlines():
        values = dict(re.findall(r"(?<!\S)(JobId|JobName|JobState|TimeLimit|NumCPUs|SuspendTime)=(\S+)", line))
        if "JobId" not in values or not re.fullmatch(r"[-\d:]+", values.get("TimeLimit", "")):
            continue
        sharing = re.search(r"(?<!\S)(?:AdminComment=)?sharing=([\d,]+)", line)
        found.append(
            Job(
                id=int(values["JobId"]),
                name=values["JobName"],
                state=values["JobState"],
                cores=cores_of(line),
                cpus=int(values["NumCPUs"].partition("-")[0]),
                minutes=minutes_of(values["TimeLimit"]),
                was_suspended=values["SuspendTime"] != "None" or values["JobState"] == "SUSPENDED",
                with_whom=frozenset(map(int, sharing.group(1).split(","))) if sharing else frozenset(),
            )
        )
    return found


def allocated_of(text: str) -> dict[str, int]:
    """Returns the counts of `sinfo -h -N -o "%N %C"`."""
    return {node: int(counts.partition("/")[0]) for node, counts in (line.split() for line in text.splitlines())}


def groups_of(log: str) -> Groups:
    """Returns the groups of the log of decisions."""
    found = Groups()
    for job, mates in re.findall(r"^share .*?\bjob=(\d+) .*?\bmates=([\d,]+)", log, re.MULTILINE):
        found.add(map(int, [job, *mates.split(",")]))
    return found


# --- judging ---


def running_on(jobs: list[Job]) -> dict[str, list[Job]]:
    found: dict[str, list[Job]] = collections.defaultdict(list)
    for job in jobs:
        if job.runs or (job.was_suspended and job.cores):
            for node in job.cores:
                found[node].append(job)
    return {node: there for node, there in found.items() if not any(job.was_suspended for job in there)}


def near_suspended(jobs: list[Job]) -> set[str]:
    """Returns the jobs that were ever suspended, their nodes, and the jobs there, as the log names them."""
    nodes = {node for job in jobs if job.was_suspended for node in job.cores}
    return nodes | {f"JobId={job.id}" for job in jobs if job.was_suspended or job.cores.keys() & nodes}


def judge_cores(jobs: list[Job], size: int) -> list[Finding]:
    """Checks that no core is two jobs', and where all jobs have whole nodes each core is some job's."""
    found = []
    for node, there in sorted(running_on(jobs).items()):
        for one, other in itertools.combinations(there, 2):
            if both := one.cores[node] & other.cores[node]:
                found.append(Finding("booked twice", f"{node}: cores {text_of(both)} are those of {one} and of {other}"))
        had = frozenset().union(*(job.cores[node] for job in there))
        if all(job.has_whole_nodes(size) for job in there) and had != frozenset(range(size)):
            names = " and ".join(map(str, there))
            found.append(Finding("leaked", f"{node}: cores {text_of(frozenset(range(size)) - had)} are no job's beside {names}"))
        found += [Finding("no core", f"{node}: {job} has none") for job in there if not job.cores[node]]
    return found


def judge_allocated(jobs: list[Job], allocated: Mapping[str, int]) -> list[Finding]:
    """Checks that the counts of sinfo are those of the jobs."""
    judged = running_on(jobs)
    unclear = {node for job in jobs if job.was_suspended for node in job.cores}
    found = []
    for node, count in sorted(allocated.items()):
        had = sum(len(job.cores[node]) for job in judged.get(node, []))
        if node not in unclear and had != count:
            names = ", ".join(map(str, judged.get(node, []))) or "no job"
            found.append(Finding("sinfo", f"{node}: {count} CPUs are allocated, and {had} are those of {names}"))
    return found


def judge_groups(jobs: list[Job], size: int) -> list[Finding]:
    """Checks that a job that says that it shares is there with those jobs. One that says nothing may be beside others:
    in a state that is older than the list of loans it cannot be told which job lent what to which."""
    whole = [job for job in jobs if (job.runs or (job.was_suspended and job.cores)) and job.has_whole_nodes(size)]
    suspended = {job.id for job in jobs if job.was_suspended}
    found = []
    for job in jobs:
        if job.was_suspended or not (job.runs or job.state == "PENDING"):
            continue
        beside = {other.id for other in whole if other is not job and job in whole and other.cores.keys() & job.cores.keys()}
        if job.with_whom - beside - suspended:
            found.append(Finding("group", f"{job} says that it shares with {text_of(job.with_whom)}, and is on nodes with {text_of(beside)}"))
    return found


def judge_limits(jobs: list[Job], asked: Mapping[str, Asked], groups: Groups) -> list[Finding]:
    """Checks that a limit is what was asked for, and at most all the work of those that it was together with."""
    max_minutes: dict[int, int] = {}
    for job in jobs:
        if job.name in asked:
            max_minutes[job.id] = asked[job.name].max
    longest = max((each.max for each in asked.values()), default=1)
    found = []
    for job in jobs:
        if job.name not in asked or not (job.runs or job.state == "PENDING"):
            continue
        own = asked[job.name]
        group = groups.of(job.id) if job.runs or own.was_shown else set()
        limit = own.max + sum(max_minutes.get(other, longest) + 1 for other in group)
        if not own.min <= job.minutes <= limit:
            with_them = f" and was together with {text_of(group)}" if group else ""
            found.append(Finding("limit", f"{job} asked for {own.min} to {own.max} min{with_them}: {own.min} to {limit} min are right"))
    return found


# The part of a log's line that is counted.
def kind_of(line: str) -> str:
    return re.sub(r"\d+(?:[-,:]\d+)*", "N", re.sub(r"^\[[^\]]*\] ", "", line)).strip()


SUSPICIOUS = re.compile(r"overallocated|under-?allocated|job overflow|mis-?count|error: select/|fatal|invalid .*core|underflow", re.IGNORECASE)
# Said of a job or a node that has not cores enough. Of an element of an array: JobId=32_0(39).
SHORTAGE = re.compile(r"job overflow: could not find idle resources for JobId=(?:\d+_\d+\()?(\d+)|error: select/malleable: node (\S+) has fewer cores than")

# The end of a former run (see STOCK_CRASH) subtracts the CPUs of the job that runs. The job's own end subtracts them
# again.
COUNTED_BEFORE = re.compile(r"error: job_update_tres_cnt: cpu_cnt underflow \(\d+ > 0\) on JobId=")


def judge_log(lines: Iterable[str], near: set[str]) -> tuple[list[Finding], collections.Counter[str]]:
    """Returns lines that must not be in slurmctld's log, and counts of those that are Slurm's own doing: stock Slurm gives a
    suspended job's cores to others, and takes the end of a job's former run for its own."""
    found, explained = [], collections.Counter()
    for line in lines:
        shortage = SHORTAGE.search(line)
        if (shortage and near & {f"JobId={shortage[1]}", shortage[2]}) or COUNTED_BEFORE.search(line):
            explained[kind_of(line)] += 1
        elif SUSPICIOUS.search(line):
            found.append(Finding("log", line.strip()))
    return found, explained


# 1. A node reports the end of a job's former run, which was lost. 2. That clears the nodes of the job that runs now, as
# a comment of job_epilog_complete() says. 3. An srun of that job asks for its allocation, and slurmctld crashes.
STOCK_CRASH = re.compile(r"\(build_job_info_resp\+")


def judge_crash(words: list[str]) -> tuple[list[Finding], collections.Counter[str]]:
    """Judges a slurmctld that ended by itself, by the last lines with its stack."""
    ours = any("select_malleable" in word for word in words)
    if not ours and any(STOCK_CRASH.search(word) for word in words):
        return [], collections.Counter(["slurmctld crashed in build_job_info_resp()"])
    return [Finding("died", "slurmctld by itself: " + " | ".join(words))], collections.Counter()
