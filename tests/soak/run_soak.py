#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""run_soak.py - two MPI+OpenMP jobs on all CPUs, whose shares change a hundred times per second, for a long time.

One job is long; the other comes, computes and goes again. Every request is a random distribution of the CPUs among the
ranks that are there. Three things are checked all the while. The results of each run must be exact. The memory of the
long job must not grow. Each running thread must be on a CPU of its job: a sample counts as foreign if the CPU was
another job's before and after it.

  run_soak.py BUILD [--seconds S] [--seed N]        SOAK_SECONDS sets the default of 30

Exit status: 0 nothing found, 1 something found, 77 a prerequisite is missing.
"""

import argparse
import collections
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import drom

EVERY_S = 0.01
SAMPLE_S = 0.003
WARM_S = 5.0        # until a run of the long job has the memory that it needs
LONG_S, SHORT_S = 12.0, 1.5
MOST_FOREIGN = 0.001  # of all samples of running threads
MOST_GROWN_KIB = 512  # the allocator's own changes; a leak per request would be a hundred times that in a minute
NO_ROOM = "0 more can be taken"
WATCHDOG_S = 120      # the limit of one run


@dataclass
class Job:
    """A program that is run again and again. `work`: the steps that take its time on half of the CPUs."""

    name: str
    work: int
    expected: str = ""
    runs: int = 0
    wrong: list[str] = field(default_factory=list)
    grown_kib: int = 0


@dataclass
class Seen:
    requests: int = 0
    refused: collections.Counter = field(default_factory=collections.Counter)
    running: int = 0   # samples of running threads
    foreign: int = 0   # of these, on another job's CPU
    at: list[str] = field(default_factory=list)


class Soak:
    def __init__(self, build: Path, seconds: float, seed: int, folder: Path):
        self.build, self.seconds, self.folder = build, seconds, folder
        self.cpus = sorted(os.sched_getaffinity(0))
        self.ranks = 2 if len(self.cpus) >= 4 else 1
        self.chance = random.Random(seed)
        self.program = build / "bin" / "heat_mpi-openmpi-gcc"
        self.seen = Seen()
        self.stop = threading.Event()
        self.pids: dict[str, set[int]] = {}  # the present clients of each job
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "DROM_"))}
        self.env |= {"DROM_TABLE": str(folder / "table"), "DROM_RESIZE": "follow", "OMPI_MCA_btl": "self,vader", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                     "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none"}

    # --- jobs ---

    def line(self, steps: int) -> list[str]:
        return [str(self.program), "--size", "256", "--steps", str(steps)]

    def undisturbed(self, steps: int) -> tuple[str, float]:
        begin = time.monotonic()
        done = subprocess.run(self.line(steps), env=self.env | {"OMP_NUM_THREADS": "1"}, capture_output=True, text=True, timeout=300, check=True)
        return done.stdout.strip(), time.monotonic() - begin

    def job(self, name: str, seconds: float) -> Job:
        steps = 200
        while (took := self.undisturbed(steps)[1]) < 0.5:
            steps *= 3
        work = round(steps * seconds / took * len(self.cpus) / 2)
        return Job(name, work, self.undisturbed(work)[0])

    def command(self, job: Job) -> list[str]:
        under = [str(self.build / "bin" / "drom"), "run", "-q", "--ncpus", "1", "--max", str(len(self.cpus) // self.ranks), "--job", job.name, "--", *self.line(job.work)]
        return under if self.ranks == 1 else ["mpirun", "-np", str(self.ranks), *under]

    def run_once(self, job: Job) -> None:
        with open(self.folder / f"{job.name}.err", "w+") as said:
            process = subprocess.Popen(self.command(job), env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said, text=True, start_new_session=True)
            watch = threading.Timer(WATCHDOG_S, lambda: os.killpg(process.pid, signal.SIGKILL))
            watch.start()
            out = process.communicate()[0].strip()
            watch.cancel()
            said.seek(0)
            words = said.read()
            if NO_ROOM in words:  # the other job's rank keeps its last CPU, and so does one that is just ending
                self.seen.refused["starts"] += 1
                return time.sleep(EVERY_S)
            if process.returncode != 0 or out != job.expected:
                job.wrong.append(f"run {job.runs}: status {process.returncode}, said {out or words[-300:]!r} instead of {job.expected!r}")
        job.runs += 1

    def run_again_and_again(self, job: Job) -> None:
        while not self.stop.is_set():
            self.run_once(job)

    # --- requests ---

    def request(self, table: drom.Table) -> None:
        clients = [client for client in table.clients() if client.live]
        self.pids = {name: {client.pid for client in clients if client.job == name} for name in ("long", "short")}
        if not clients or len(clients) > len(self.cpus):
            return
        cpus = self.chance.sample(self.cpus, len(self.cpus))
        cuts = sorted(self.chance.sample(range(1, len(cpus)), len(clients) - 1)) if len(clients) > 1 else []
        parts = [cpus[a:b] for a, b in zip([0, *cuts], [*cuts, len(cpus)])]
        if len(clients) == 1 and self.chance.random() < 0.5:
            parts[0] = parts[0][:-1]
        self.seen.requests += 1
        try:
            table.set_masks({client.pid: part for client, part in zip(clients, parts)}, take=True, fast=self.chance.random() < 0.5)
        except drom.Error as refusal:
            self.seen.refused[refusal.status.name] += 1

    # --- what is looked at ---

    def owners(self, table: drom.Table) -> dict[int, tuple[str, frozenset[int]]]:
        """Returns job and CPUs of each client that has released its last request."""
        return {client.pid: (client.job, client.owned) for client in table.clients() if client.live and client.released_seq == client.request_seq and client.owned == client.wanted}

    def look(self, table: drom.Table) -> None:
        before = self.owners(table)
        places = {pid: places_of(pid) for pid in before}
        after = self.owners(table)
        for pid, (job, owned) in before.items():
            others = frozenset().union(*(theirs for other, theirs in before.values() if other != job))
            if after != before:
                return
            for cpu in places[pid]:
                self.seen.running += 1
                if cpu in others and cpu not in owned:
                    self.seen.foreign += 1
                    self.seen.at.append(f"a thread of {job} ({pid}) on CPU {cpu}, with {sorted(owned)}")

    def look_again_and_again(self) -> None:
        with drom.Table(str(self.folder / "table"), read_only=True) as table:
            while not self.stop.is_set():
                self.look(table)
                time.sleep(SAMPLE_S)

    def watch_memory(self, job: Job) -> None:
        first: dict[int, int] = {}
        born: dict[int, float] = {}
        while not self.stop.is_set():
            for pid in self.pids.get(job.name, set()):
                now = time.monotonic()
                if now - born.setdefault(pid, now) > WARM_S and (kib := memory_of(pid)):
                    job.grown_kib = max(job.grown_kib, kib - first.setdefault(pid, kib))
            time.sleep(0.25)

    # --- all of it ---

    def run(self) -> int:
        long, short = self.job("long", LONG_S), self.job("short", SHORT_S)
        with drom.Table(str(self.folder / "table"), create=True) as table:
            threads = [threading.Thread(target=what, args=args) for what, args in
                       ((self.run_again_and_again, (long,)), (self.run_again_and_again, (short,)), (self.look_again_and_again, ()), (self.watch_memory, (long,)))]
            for thread in threads:
                thread.start()
            try:
                end = time.monotonic() + self.seconds
                while time.monotonic() < end:
                    begin = time.monotonic()
                    self.request(table)
                    time.sleep(max(0.0, EVERY_S - (time.monotonic() - begin)))
            finally:
                self.stop.set()
                for thread in threads:
                    thread.join()
            left = self.left_in(table)
        return self.report(long, short, left)

    def left_in(self, table: drom.Table) -> list[str]:
        """Waits, because a rank of Open MPI leaves a daemon behind for a while. Returns the clients that remain."""
        end = time.monotonic() + 20
        while True:
            table.check()
            left = [client.name for client in table.clients()]
            if not left or time.monotonic() > end:
                return left
            time.sleep(0.1)

    def report(self, long: Job, short: Job, left: list[str]) -> int:
        seen = self.seen
        share = seen.foreign / max(1, seen.running)
        found = [*long.wrong, *short.wrong, *([f"clients are left: {left}"] if left else [])]
        if share > MOST_FOREIGN:
            found.append(f"{share:.3%} of the running threads' samples are on another job's CPU, for instance {seen.at[0]}")
        if long.grown_kib > MOST_GROWN_KIB:
            found.append(f"the long job has grown by {long.grown_kib} KiB")
        if not (long.runs and short.runs > 1 and seen.requests > 100 and seen.running > 100):
            found.append("too little happened")
        for what in found:
            print(f"soak: found: {what}")
        refused = ", ".join(f"{count} {name}" for name, count in seen.refused.most_common()) or "none"
        print(f"soak: {len(self.cpus)} CPUs, {self.ranks} ranks a job, {self.seconds:g} s: {seen.requests} requests (refused: {refused}); {long.runs} runs of the long job, "
              f"{short.runs} of the short, {len(long.wrong) + len(short.wrong)} wrong; {seen.running} samples of running threads, {seen.foreign} on another job's CPU "
              f"({share:.4%}); the long job has grown by {long.grown_kib} KiB")
        return 1 if found else 0


def places_of(pid: int) -> list[int]:
    """Returns the CPUs of the process's running threads."""
    places = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            words = Path(f"/proc/{pid}/task/{task}/stat").read_text().rpartition(")")[2].split()
            if words[0] == "R":
                places.append(int(words[36]))
    except OSError:  # the process has ended meanwhile
        return []
    return places


def memory_of(pid: int) -> int:
    try:
        found = re.search(r"^RssAnon:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    except OSError:
        return 0
    return int(found.group(1)) if found else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="two MPI+OpenMP jobs are resized a hundred times per second")
    parser.add_argument("build", type=Path)
    parser.add_argument("--seconds", type=float, default=float(os.environ.get("SOAK_SECONDS", "30")))
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    given = parser.parse_args()
    if not (given.build / "bin" / "heat_mpi-openmpi-gcc").exists():
        print("SKIPPED: no heat_mpi-openmpi-gcc; scripts/packages.sh test")
        return 77
    if len(os.sched_getaffinity(0)) < 2:
        print("SKIPPED: there is one CPU only, and nothing to move")
        return 77
    print(f"soak: seed {given.seed}")
    with tempfile.TemporaryDirectory(prefix="drom-soak-") as folder:
        return Soak(given.build.resolve(), given.seconds, given.seed, Path(folder)).run()


if __name__ == "__main__":
    sys.exit(main())
