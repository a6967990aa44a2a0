#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""select_storm.py - slurmctld with select/malleable is killed at any moment, again and again, while jobs come, share and go on four nodes.

  select_storm.py --build build/dev --kills 105                            sd_max_slowdown=inf
  select_storm.py ... --options sd_max_slowdown=dynamic,sd_max_jobs_per_node=3
  select_storm.py ... --seed 7                                             the same decisions again; when each falls is up to the machine

One life of the controller is some orders and then SIGKILL. The orders submit, cancel, requeue and suspend jobs, change their limits, and
make it read its configuration again. The signal comes at once, or right after a guest has started or ended by the log of decisions, or
slurmctld has saved its state. It does that every five seconds at most, or, with storm_preload.c, after every change. A change that was not
saved is lost, as in stock Slurm. Jobs that had just come are unknown to the next controller: it ends them on the nodes and gives their
numbers away once more. After each restart
select_storm_checks.py judges what the controller says of its jobs, and storm_checks.py the nodes' tables. At the end every node is
whole again, and `drom-sim replay` makes the same decisions from the log.

Exit status: 0 nothing found, 1 found, 2 usage, 77 a prerequisite is missing.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from select_storm_checks import (
    Asked,
    Finding,
    Job,
    allocated_of,
    groups_of,
    jobs_of,
    judge_allocated,
    judge_groups,
    judge_crash,
    judge_cores,
    judge_limits,
    judge_log,
    kind_of,
    near_suspended,
)
from storm_checks import cpus, is_alive, judge, look, read_table
from storm_cluster import WATCHDOG_S, Cluster, Missing, Setup, blow, eventually, kill, plugin_folder

NODES, CORES = 4, 8
IN_FLIGHT = 3
MOST_JOBS = 14  # running and waiting: more only wait
ORDERS = {"submit": 60, "cancel": 9, "requeue": 5, "suspend": 3, "limit": 6, "reconfigure": 4}
# Before the controller is killed: what is waited for, at most so many seconds, and up to so many milliseconds more.
MOMENTS = {"an order": 30, "a guest's start": 30, "an end": 14, "its state is saved": 12, "any": 14}
LIVES_S = [(35, 0.0, 0.25), (57, 1.1, 2.4), (8, 4.5, 6.0)]  # weight, shortest, longest; no job starts in the first second
SAVES_AT_ONCE = 0.75  # of all controllers
PRELOAD = Path("lib") / "storm_preload.so"
ORDERLY = 0.06  # of all stops: the controller saves its state
# A slurmctld may have forgotten the nodes of a running job (see judge_crash). Stock scontrol then reads at a wrong
# address.
SCONTROL_TRIES = 25
SCONTROL_CRASHED = "scontrol crashed over the controller's answer"
BLIND = "times nothing was seen of the jobs, because scontrol crashes"


class CannotSee(Exception):
    """The controller's jobs cannot be told."""


@dataclass
class Submission:
    name: str
    options: list[str]
    lines: list[str]  # of its script
    minutes: int


class Author:
    """Makes jobs up."""

    def __init__(self, chance: random.Random):
        self.chance = chance
        self.written = 0

    def whole(self, malleable: bool) -> list[str]:
        nodes = self.chance.choice([1, 1, 1, 1, 2, 2, 3])
        # An exclusive job waits for the sizes of nodes, a second after each start of slurmctld.
        exclusive = ["--exclusive"] if self.chance.random() < 0.2 else ["--ntasks-per-node=1", f"-c{CORES}"]
        return [f"-N{nodes}", *exclusive, *(["--malleable"] if malleable else [])]

    def shape(self) -> list[str]:
        form = self.chance.random()
        if form < 0.86:
            min_per_rank = self.chance.random() < 0.1
            return [*self.whole(True), *(["--drom-min-per-rank=2"] if min_per_rank else [])]
        if form < 0.93:
            return ["-N1", "-n1", f"-c{self.chance.randint(1, CORES - 1)}"]
        return self.whole(False)

    def lines(self, malleable: bool) -> list[str]:
        # No job shares with one that is not malleable: it does not stay.
        times = ["1", "2", "3", "4", "6", "8", "8", "25"] if malleable else ["0.3", "1", "2"]
        if self.chance.random() < 0.3:
            return [f"exec sleep {self.chance.choice(times)}"]
        return [f"srun sleep {self.chance.choice(times)}" for _ in range(self.chance.choice([1, 1, 2]))]

    def job(self) -> Submission:
        self.written += 1
        options = self.shape()
        is_malleable = "--malleable" in options
        # A job that asks for less than those that run gains by sharing with them.
        minutes = self.chance.choice([1, 1, 1, 2, 3, 5, 5]) if is_malleable else 1
        if self.chance.random() < 0.1:
            options.append("--array=0-2")
        return Submission(f"storm{self.written}", [*options, f"-t{minutes}"], self.lines(is_malleable), minutes)


class Controller:
    """slurmctld of the cluster."""

    def __init__(self, cluster: Cluster):
        self.cluster = cluster
        self.pid = 0
        self.starts: list[float] = []  # seconds until it answered
        self.log_read = 0

    def adopt(self) -> None:
        self.pid = self.cluster.slurmd("slurmctld")

    def has_died(self) -> bool:
        return not is_alive(self.pid)

    def kill(self) -> None:
        kill(self.pid)
        eventually("the killed slurmctld is gone", self.has_died)

    def stop(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)
        eventually("slurmctld has stopped", self.has_died)

    def listens(self) -> bool:
        with socket.socket() as probe:
            probe.settimeout(1)
            return probe.connect_ex(("127.0.0.1", self.port())) == 0

    def port(self) -> int:
        conf = (self.cluster.dir / "etc" / "slurm.conf").read_text()
        return int(re.search(r"^SlurmctldPort=(\d+)", conf, re.MULTILINE).group(1))

    def start(self, saves_at_once: bool) -> bool:
        """Starts it. Returns False if it died."""
        begin = time.monotonic()
        preload = {"LD_PRELOAD": str(self.cluster.build / PRELOAD), **({"SAVE_AT_ONCE": "1"} if saves_at_once else {})}
        command = [self.cluster.script, "again", self.cluster.dir, "slurmctld"]
        subprocess.run(command, env=self.cluster.env | preload, check=True, timeout=WATCHDOG_S)
        self.adopt()
        while not self.listens():
            if self.has_died():
                return False
            if time.monotonic() > begin + WATCHDOG_S:
                raise RuntimeError(f"slurmctld does not answer within {WATCHDOG_S} s")
            time.sleep(0.005)
        self.cluster.call("squeue", "-h")
        self.starts.append(time.monotonic() - begin)
        return True

    def said_at_last(self) -> list[str]:
        return (self.cluster.dir / "log" / "slurmctld.out").read_text(errors="replace").splitlines()[-12:]

    def new_lines(self) -> list[str]:
        """Returns the lines of its log since the last time."""
        with (self.cluster.dir / "log" / "slurmctld.log").open(errors="replace") as log:
            log.seek(self.log_read)
            lines = log.readlines()
            self.log_read = log.tell()
        return lines


class Moments:
    """Waits for what is worth a kill."""

    def __init__(self, cluster: Cluster):
        self.decisions, self.state = cluster.dir / "decisions", cluster.dir / "state" / "job_state"

    def saved(self) -> int:
        try:
            return self.state.stat().st_mtime_ns
        except FileNotFoundError:  # it is just replaced
            return 0

    def said(self, beginning: str) -> Callable[[], bool]:
        log = self.decisions.open()
        log.seek(0, os.SEEK_END)
        return lambda: any(line.startswith(beginning) for line in log.readlines())

    def wait(self, moment: str, max_s: float) -> None:
        before = self.saved()
        conditions = {"a guest's start": "share ", "an end": "finish "}
        if moment in conditions:
            has_come = self.said(conditions[moment])
        elif moment == "its state is saved":
            has_come = lambda: self.saved() != before  # noqa: E731
        else:
            return time.sleep(max_s)
        end = time.monotonic() + max(max_s, 0.2)
        while not has_come() and time.monotonic() < end:
            time.sleep(0.0005)


class Storm:
    def __init__(self, cluster: Cluster, seed: int, kills: int, seconds: float):
        self.cluster, self.kills, self.seed, self.seconds = cluster, kills, seed, seconds
        self.controller, self.moments = Controller(cluster), Moments(cluster)
        self.chance = random.Random(seed)
        self.author = Author(self.chance)
        self.asked: dict[str, Asked] = {}
        self.changes = threading.Lock()  # of what was asked, by orders under way
        self.findings: list[Finding] = []
        self.explained: collections.Counter[str] = collections.Counter()
        self.done: collections.Counter[str] = collections.Counter()
        self.seen: collections.Counter[str] = collections.Counter()
        self.events: list[str] = []
        self.suspended: list[int] = []
        self.near_suspended: set[str] = set()  # jobs that were, and those on nodes with them, and the nodes
        self.begin = time.monotonic()

    def note(self, what: str) -> None:
        self.events.append(f"{time.strftime('%H:%M:%S')} {time.monotonic() - self.begin:8.3f} {what}")

    def find(self, findings: list[Finding]) -> None:
        for finding in findings:
            if finding not in self.findings:
                self.findings.append(finding)
                self.note(f"FOUND {finding}")

    def jobs(self) -> list[Job]:
        """Returns the jobs as the controller shows them; none while it is down."""
        for _ in range(SCONTROL_TRIES):
            done = self.cluster.call("scontrol", "-o", "-d", "show", "job")
            if done.returncode >= 0:
                return jobs_of(done.stdout)
            # A half of its answer is there: it ends in the middle of a line.
            self.explained[SCONTROL_CRASHED] += 1
            time.sleep(0.2)
        raise CannotSee

    @contextlib.contextmanager
    def as_far_as_seen(self) -> Iterator[None]:
        try:
            yield
        except CannotSee:
            self.seen[BLIND] += 1

    # --- orders; each is decided in the main thread, and given in another ---

    def submit(self) -> Callable[[], None]:
        job = self.author.job()
        self.asked[job.name] = Asked(job.minutes, job.minutes)

        def go() -> None:
            script = self.cluster.dir / f"{job.name}.sh"
            script.write_text("\n".join(["#!/bin/bash", *job.lines, ""]))
            said = self.cluster.call("sbatch", "--parsable", "-o", "/dev/null", "-J", job.name, *job.options, script)
            self.note(f"submit {job.name} {job.options} {job.lines}: {said.stdout.strip() or said.stderr.strip()}")

        return go

    def to_some_job(self, what: str, command: Callable[[Job], list[str]], state: str) -> Callable[[], None]:
        which = self.chance.random()

        def go() -> None:
            jobs = [job for job in self.jobs() if job.state in state]
            if not jobs:
                return
            job = jobs[int(which * len(jobs))]
            said = self.cluster.call(*command(job))
            self.note(f"{what} {job}: {said.stderr.strip() or 'done'}")

        return go

    def requeue(self) -> Callable[[], None]:
        return self.to_some_job("requeue", lambda job: ["scontrol", "requeue", str(job.id)], "RUNNING")

    def cancel(self) -> Callable[[], None]:
        return self.to_some_job("cancel", lambda job: ["scancel", str(job.id)], "RUNNING PENDING SUSPENDED")

    def suspend(self) -> Callable[[], None]:
        def command(job: Job) -> list[str]:
            self.suspended.append(job.id)
            return ["scontrol", "suspend", str(job.id)]

        return self.to_some_job("suspend", command, "RUNNING")

    def limit(self) -> Callable[[], None]:
        change = self.chance.choice([-1, 1, 2])

        def command(job: Job) -> list[str]:
            minutes = change if job.minutes > 2 else 1
            with self.changes:
                if job.name in self.asked:
                    self.asked[job.name] = self.asked[job.name].changed_by(minutes)
            return ["scontrol", "update", f"jobid={job.id}", f"timelimit={minutes:+}"]

        return self.to_some_job("limit", command, "RUNNING PENDING")

    def reconfigure(self) -> Callable[[], None]:
        def go() -> None:
            self.cluster.call("scontrol", "reconfigure")
            self.note("reconfigure")

        return go

    def order(self) -> tuple[str, Callable[[], None]]:
        kind = self.chance.choices(list(ORDERS), list(ORDERS.values()))[0]
        makers = {
            "submit": self.submit,
            "cancel": self.cancel,
            "requeue": self.requeue,
            "suspend": self.suspend,
            "limit": self.limit,
            "reconfigure": self.reconfigure,
        }
        return kind, makers[kind]()

    # --- lives of the controller ---

    def give(self, kind: str, go: Callable[[], None]) -> None:
        try:
            go()
        except subprocess.TimeoutExpired as late:
            self.find([Finding("hung", f"{kind}: {late}")])
        self.done[kind] += 1

    def live(self, pool: concurrent.futures.Executor) -> list[concurrent.futures.Future]:
        """Lets it live until the moment at which it is to be killed."""
        _, shortest, longest = self.chance.choices(LIVES_S, [weight for weight, _, _ in LIVES_S])[0]
        moment = self.chance.choices(list(MOMENTS), list(MOMENTS.values()))[0]
        lasts = self.chance.uniform(shortest, longest)
        orders = [self.order() for _ in range(self.chance.choice([1, 2, 3]) + round(lasts))]
        late = self.chance.choice([0, 0, 0.001, 0.002, 0.004, 0.008, 0.02, 0.1])
        end = time.monotonic() + lasts
        flights = [pool.submit(self.give, kind, go) for kind, go in orders]
        if moment == "an order":
            concurrent.futures.wait(flights, lasts + 1.0, concurrent.futures.FIRST_COMPLETED)
        while longest > 1 and time.monotonic() < end - 0.8:
            self.check()
            time.sleep(0.3)
        if moment != "an order" or longest > 1:
            self.moments.wait(moment, max(0.0, end - time.monotonic()))
        time.sleep(late)
        self.done[f"moment: {moment}"] += 1
        return flights

    def end_life(self) -> None:
        if self.controller.has_died():
            found, explained = judge_crash(self.controller.said_at_last())
            self.explained += explained
            return self.find(found)
        orderly = self.chance.random() < ORDERLY
        self.note("stop slurmctld" if orderly else "kill slurmctld")
        self.controller.stop() if orderly else self.controller.kill()
        self.done["stop" if orderly else "kill"] += 1
        time.sleep(self.chance.choice([0, 0, 0, 0.1, 0.5]))

    def revive(self) -> bool:
        saves_at_once = self.chance.random() < SAVES_AT_ONCE
        if not self.controller.start(saves_at_once):
            self.find([Finding("died", f"slurmctld while it started: {' | '.join(self.controller.said_at_last())}")])
            return False
        self.done["that save at once"] += saves_at_once
        self.note(f"slurmctld answers after {self.controller.starts[-1]:.3f} s{', and saves at once' if saves_at_once else ''}")
        return True

    def resume_suspended(self) -> None:
        """Resumes suspended jobs unless another job has come to their cores: stock Slurm would let both have them."""
        jobs = self.jobs()
        for job in [job for job in jobs if job.id in self.suspended and job.state == "SUSPENDED"]:
            alone = not any(other.runs and other.cores.keys() & job.cores.keys() for other in jobs)
            self.note(f"{'resume' if alone else 'cancel'} {job}")
            self.cluster.call(*(["scontrol", "resume"] if alone else ["scancel"]), str(job.id))
        self.suspended.clear()

    def resume_drained(self) -> None:
        """Resumes drained nodes: slurmctld drains a node on which a job that it requeued runs still."""
        drained = self.cluster.call("sinfo", "-h", "-N", "-t", "drain", "-o", "%N").stdout.split()
        self.seen["nodes that Slurm drained"] += len(drained)
        for node in drained:
            self.cluster.call("scontrol", "update", f"nodename={node}", "state=resume")

    def let_some_end(self) -> None:
        """Lets some jobs end. Waiting jobs go first: running ones may be mates."""
        jobs = self.jobs()
        waiting, running = ([job.id for job in jobs if job.state == state] for state in ("PENDING", "RUNNING"))
        while len(waiting) + len(running) > MOST_JOBS:
            some = waiting or running
            self.cluster.call("scancel", str(some.pop(self.chance.randrange(len(some)))))

    def run(self) -> None:
        self.controller.adopt()
        with concurrent.futures.ThreadPoolExecutor(IN_FLIGHT) as pool:
            while self.done["kill"] < self.kills and len(self.findings) < 40 and time.monotonic() < self.begin + self.seconds:
                flights = self.live(pool)
                self.end_life()
                if not self.revive():
                    return
                self.check()
                for flight in flights:
                    flight.result()
                with self.as_far_as_seen():
                    self.resume_suspended()
                    self.let_some_end()
                self.resume_drained()
        self.check()

    # --- checks ---

    def check(self) -> None:
        self.done["check"] += 1
        with self.as_far_as_seen():
            self.judge_controller()
        for node in self.cluster.nodes:
            sight = look(node, lambda node=node: read_table(self.drom(), self.cluster.table(node)), self.cluster.mark)
            found = judge(sight, False, frozenset())
            self.seen["clients of tables"] += found.steady
            self.find([Finding("table", what) for what in [*found.booked_twice, *found.wrong]])
        found, explained = judge_log(self.controller.new_lines(), self.near_suspended)
        self.find(found)
        self.explained += explained

    def drom(self) -> str:
        return str(self.cluster.build / "bin" / "drom")

    def judge_controller(self) -> None:
        for _ in range(8):
            jobs = self.jobs()
            allocated = allocated_of(self.cluster.call("sinfo", "-h", "-N", "-o", "%N %C").stdout)
            self.find(self.judge_jobs(jobs))
            counted = judge_allocated(jobs, allocated)
            # Between the two answers something may have come or gone.
            if not counted or self.jobs() == jobs:
                return self.find(counted)
            time.sleep(0.05)
        self.seen["sinfo was never asked in peace"] += 1

    def judge_jobs(self, jobs: list[Job]) -> list[Finding]:
        groups = groups_of((self.cluster.dir / "decisions").read_text())
        self.near_suspended |= near_suspended(jobs)
        self.seen["running jobs"] += sum(job.runs for job in jobs)
        self.seen["jobs that share"] += sum(job.runs and bool(job.with_whom) for job in jobs)
        return [*judge_cores(jobs, CORES), *judge_groups(jobs, CORES), *judge_limits(jobs, self.asked, groups)]

    # --- the end ---

    def finish(self) -> None:
        self.note("calm")
        with self.as_far_as_seen():
            for job in self.jobs():
                if job.was_suspended:
                    self.cluster.call("scontrol", "resume", str(job.id))
        self.cluster.cancel_all()
        eventually("every job has ended", lambda: not self.cluster.job_names(), self.cluster.end_hung_jobs)
        eventually("every task has ended", lambda: not self.cluster.marked(), lambda: [kill(pid) for pid in self.cluster.marked()])
        eventually("every node is idle", self.cluster.all_idle, self.cluster.resume)
        self.resume_drained()
        self.check()
        for node in self.cluster.nodes:
            self.find(self.last_step(node))
        self.check()
        if self.seen[BLIND] * 10 > self.done["check"]:
            self.find([Finding("blind", f"{self.seen[BLIND]} of {self.done['check']} times scontrol told nothing")])
        self.find(self.judge_processes())
        self.find(self.replay())

    def last_step(self, node: str) -> list[Finding]:
        """Runs a last step. After it, the node's table has no client, and every core is free."""
        done = self.cluster.call("srun", "-Q", "-J", "last", f"-w{node}", "-N1", "-n1", f"-c{CORES}", "-t1", "--malleable", "true")
        found = [Finding("last step", f"{node}: {done.stderr.strip()}")] if done.returncode != 0 else []
        eventually(f"the table of {node} has no client", lambda: not self.cluster.listing(node)["clients"])
        listing = self.cluster.listing(node)
        if cpus(listing["free"]) != cpus(listing["present"]):
            found.append(Finding("table", f"{node}: at the end of {listing['present']} only {listing['free']} are free"))
        return found

    def judge_processes(self) -> list[Finding]:
        names = ["slurmctld", *self.cluster.nodes]
        found = [Finding("died", f"{name} is not there at the end") for name in names if not is_alive(self.cluster.slurmd(name))]
        return found

    def replay(self) -> list[Finding]:
        done = self.cluster.call(self.cluster.build / "bin" / "drom-sim", "replay", self.cluster.dir / "decisions", "-q")
        self.note(f"replay: {done.stdout.strip()}")
        return [] if done.returncode == 0 else [Finding("replay", f"status {done.returncode}: {done.stderr.strip()} {done.stdout.strip()}")]

    # --- what is said ---

    def found_nothing(self) -> bool:
        return not self.findings

    def report(self) -> None:
        decisions = (self.cluster.dir / "decisions").read_text()
        orders = ", ".join(f"{self.done[kind]} {kind}" for kind in ORDERS)
        moments = ", ".join(f"{count} {kind.removeprefix('moment: ')}" for kind, count in sorted(self.done.items()) if kind.startswith("moment"))
        starts = self.controller.starts or [0.0]
        print(f"storm: seed {self.seed}: {time.monotonic() - self.begin:.0f} s; orders: {orders}")
        print(f"storm: {self.done['kill']} kills of slurmctld after: {moments}; {self.done['stop']} orderly stops")
        print(f"storm: {len(self.controller.starts)} restarts ({self.done['that save at once']} save at once), {sum(starts) / len(starts):.2f} s in the mean until it answered, {max(starts):.2f} s at most")
        log = (self.cluster.dir / "log" / "slurmctld.log").read_text(errors="replace")
        shared, ended = (len(re.findall(rf"select/malleable: job \d+ {what}", log)) for what in ("shares", "has ended; its cores go"))
        came_back = sum(int(count) > 0 for count in re.findall(r"jobs have whole nodes, (\d+) of them share", log))
        refused = len(re.findall(r"^consider .*outcome=(?!share)", decisions, re.MULTILINE))
        print(f"storm: {shared} shared starts, {ended} ends of jobs that shared, {refused} refusals; {came_back} times it came back to jobs that share")
        print(f"storm: {self.done['check']} checks: " + ", ".join(f"{count} {what}" for what, count in self.seen.items()))
        for what, count in self.explained.most_common():
            print(f"storm: {count:4} times, explained: {what}")
        kinds = collections.Counter(finding.kind for finding in self.findings)
        first = {kind_of(str(finding)): finding for finding in reversed(self.findings)}
        for finding in list(first.values())[::-1][:12]:
            print(f"storm: found: {finding}")
        print("storm: findings: " + (", ".join(f"{count} {kind}" for kind, count in kinds.most_common()) or "none"))


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="slurmctld is killed at any moment while jobs share nodes")
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--kills", type=int, default=105)
    parser.add_argument("--seconds", type=float, default=262, help="after which nothing more is killed")
    parser.add_argument("--options", default="sd_max_slowdown=inf", help="of SchedulerParameters")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    parser.add_argument("--keep", type=Path, help="where the cluster's logs, its log of decisions and what was done are left")
    parser.add_argument("--verbose", action="store_true", help="what was done, and the logs, also when nothing was found")
    return parser.parse_args()


def keep(storm: Storm, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "events").write_text("\n".join(storm.events) + "\n")
    for file in [storm.cluster.dir / "decisions", *(storm.cluster.dir / "log").iterdir()]:
        (folder / file.name).write_bytes(file.read_bytes())


def main() -> int:
    arguments = read_arguments()
    times = int(os.environ.get("PLUGIN_STORM_TIMES", "1"))
    arguments.kills, arguments.seconds = arguments.kills * times, arguments.seconds * times
    build = arguments.build.resolve()
    settings = ("sockets=2", f"cores={CORES // 2}", "select=select/malleable", "extra=JobSubmitPlugins=malleable")
    try:
        if not (plugin_folder(build) / "select_malleable.so").exists():
            raise Missing("there is no select_malleable.so; scripts/slurm-headers.sh, then configure again")
        if not (build / PRELOAD).exists():
            raise Missing("there is no storm_preload.so; build the target storm_preload")
        cluster = Cluster(build, Setup("select", settings, CORES, f"package:2,core:{CORES // 2},pu:1"), "spank", NODES)
    except Missing as missing:
        print(f"SKIPPED: {missing}")
        return 77
    cluster.settings.append(f"scheduler={arguments.options},sd_log={cluster.dir}/decisions")
    try:
        storm = Storm(cluster, arguments.seed, arguments.kills, arguments.seconds)
        good = blow(storm, arguments.options, arguments.verbose)
        if arguments.keep:
            keep(storm, arguments.keep)
        return 0 if good else 1
    finally:
        cluster.down()


if __name__ == "__main__":
    sys.exit(main())
