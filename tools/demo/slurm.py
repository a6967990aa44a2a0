# SPDX-License-Identifier: BSD-3-Clause
"""slurm.py - runs a simulation and a later guest as batch jobs of a Slurm of our own: under drom, one after the other,
or oversubscribed."""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from mpi import ON_ONE_MACHINE
from programs import Pair, Program
from runs import Failure, environment, output_of, slurm_environment
from ways import Run, Times, TooShort, Watch

WAYS = ("drom", "serial", "oversubscribed")
CLUSTER = Path(__file__).resolve().parents[2] / "tests" / "plugin" / "cluster.sh"
# slurmctld looks for batch jobs that it can start once per second. So that jobs of seconds do not measure where in that
# second they were submitted, all of them are submitted this long before it looks.
BEFORE_THE_LOOK = 0.25


# --- pure ---

def settings(way: str, plugins: Path, table: Path) -> list[str]:
    """Returns what cluster.sh is told beyond the node: serial is Slurm as it comes, oversubscribed puts both jobs on
    the same CPUs."""
    shared = "partition=OverSubscribe=FORCE:2"
    if way == "drom":
        return [shared, f"plugins={plugins}", f"plugstack=required {plugins / 'spank_drom.so'} table={table}"]
    return [shared] if way == "oversubscribed" else []


def script(program: Program) -> str:
    """Returns a batch script as users write them, with the times at which it began and ended in files."""
    srun = shlex.join(["srun", *program.srun])
    return ("#!/bin/bash\n"
            "date +%s%N >begin\n"
            "export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK\n"
            f'{srun} -c "$SLURM_CPUS_PER_TASK" {shlex.join(program.line())} >out 2>err\n'
            "status=$?\n"
            "date +%s%N >ending && mv ending end\n"
            "exit $status\n")


def record(shown: str) -> dict[str, str]:
    """Returns one job as scontrol -o shows it."""
    return dict(word.split("=", 1) for word in shown.split() if "=" in word)


def next_look(started: int, now: int, later: int = 0) -> int:
    """Returns when to submit, in nanoseconds: shortly before the `later`-th look after `started`, when a batch script
    began, that is not over."""
    second = 1_000_000_000
    at = started + later * second - int(BEFORE_THE_LOOK * second)
    return at if at > now else at + -(-(now - at) // second) * second


def disagreement(times: Times, clock: int, slurm: dict[str, str]) -> float:
    """Returns the most seconds between our times of a job and the whole ones that Slurm keeps; `clock`: the wall clock
    less ours."""
    ours = {"SubmitTime": times.asked, "StartTime": times.begin, "EndTime": times.end}
    return max(abs(datetime.fromisoformat(slurm[name]).timestamp() - (at + clock) / 1e9) for name, at in ours.items())


# --- a cluster ---

class Job:
    """A batch job with a folder of its own, where its script leaves its times and its output."""

    def __init__(self, folder: Path, name: str):
        self.folder, self.name = folder, name
        self.number = ""
        folder.mkdir()

    def time(self, which: str) -> int | None:
        """Returns the wall clock's nanoseconds when the script began, or ended; None when it has not."""
        try:
            text = (self.folder / which).read_text()
        except FileNotFoundError:
            return None
        return int(text) if text.endswith("\n") else None

    def wait(self, which: str, deadline: float) -> int:
        while (at := self.time(which)) is None:
            if time.monotonic() > deadline:
                raise Failure(f"job {self.number}, the {self.name}: no {which} in time; {self.text('log') or 'its log is empty'}")
            time.sleep(0.01)
        return at

    def text(self, name: str) -> str:
        path = self.folder / name
        return path.read_text().strip() if path.exists() else ""


class Cluster:
    """One node, this machine, under Slurm: up at `with`, down at its end, whatever ends it."""

    def __init__(self, node: dict[str, int], extra: list[str], limit: float):
        self.settings = ["nodes=1", *[f"{name}={value}" for name, value in node.items()], *extra, f"owner={os.getpid()}", f"limit={limit:.0f}"]

    def __enter__(self) -> "Cluster":
        self.folder = Path(tempfile.mkdtemp(prefix="drom-slurm-"))
        self.env = slurm_environment(SLURM_CONF=str(self.folder / "etc" / "slurm.conf"), **ON_ONE_MACHINE)
        try:
            output_of([str(CLUSTER), "up", str(self.folder), *self.settings], self.env)
        except BaseException:
            self.down()
            raise
        return self

    def __exit__(self, kind, error, trace) -> None:
        if kind is Failure:
            sys.stderr.write(subprocess.run([str(CLUSTER), "logs", str(self.folder)], capture_output=True, text=True).stderr)
        self.down()

    def down(self) -> None:
        output_of([str(CLUSTER), "down", str(self.folder)], self.env)
        shutil.rmtree(self.folder, ignore_errors=True)

    def submit(self, name: str, text: str, *options: str) -> Job:
        job = Job(self.folder / name, name)
        (job.folder / "job.sh").write_text(text)
        where = ["-J", name, "-D", str(job.folder), "-o", str(job.folder / "log")]
        job.number = output_of(["sbatch", "--parsable", *where, *options, str(job.folder / "job.sh")], self.env).strip()
        return job

    def ended(self, job: Job) -> dict[str, str]:
        """Returns what Slurm recorded of a job whose script has ended. Raises Failure when it did not end well."""
        deadline = time.monotonic() + 10
        while True:
            seen = record(output_of(["scontrol", "-o", "show", "job", job.number], self.env))
            if seen["JobState"] not in ("RUNNING", "COMPLETING") or time.monotonic() > deadline:
                break
            time.sleep(0.05)
        if seen["JobState"] != "COMPLETED":
            said = job.text("err")[-1000:] or job.text("log")[-1000:]
            raise Failure(f"job {job.number}, the {job.name}: Slurm says {seen['JobState']}, exit code {seen['ExitCode']}: {said}")
        return seen


# --- the ways ---

@dataclass
class SlurmNode:
    """This machine as a node of Slurm. `asks`: how many CPUs the guest asks for; the simulation asks for all."""

    bin: Path
    plugins: Path
    node: dict[str, int]
    asks: int
    looks: int    # of slurmctld, from the simulation's start to the look that can start the guest
    limit: float  # seconds of one run

    @property
    def cpus(self) -> int:
        return self.node["sockets"] * self.node["cores"] * self.node["threads"]

    def run(self, pair: Pair, way: str) -> Run:
        # In memory where there is such a folder: every hand-over writes to the table.
        table = Path(tempfile.mkdtemp(prefix="drom-slurm-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
        try:
            with Cluster(self.node, settings(way, self.plugins, table / "%n.table"), self.limit + 60) as cluster:
                return _Turn(self, cluster, pair, way, table / "n1.table").run()
        finally:
            shutil.rmtree(table, ignore_errors=True)


class _Turn:
    """One run of both jobs on a cluster that is up."""

    def __init__(self, node: SlurmNode, cluster: Cluster, pair: Pair, way: str, table: Path):
        self.node, self.cluster, self.pair, self.way, self.table = node, cluster, pair, way, table
        self.deadline = time.monotonic() + node.limit
        self.clock = time.time_ns() - time.monotonic_ns()
        self.watch: Watch | None = None

    def run(self) -> Run:
        try:
            return self.both()
        finally:
            if self.watch is not None:
                self.watch.stop()

    def both(self) -> Run:
        simulation, simulated = self.submit(self.pair.simulation, self.node.cpus, self.first_look())
        simulated.begin = simulation.wait("begin", self.deadline) - self.clock
        arrival = next_look(simulated.begin, time.monotonic_ns(), self.node.looks)
        self.sleep_until((simulated.begin + arrival) // 2)
        self.watch_table()
        guest, visited = self.submit(self.pair.guest, self.node.asks, arrival)
        if simulation.time("end") is not None:
            raise TooShort("the simulation had ended before its guest was submitted")
        jobs = {simulation: simulated, guest: visited}
        for job, times in jobs.items():
            times.begin = job.wait("begin", self.deadline) - self.clock
            times.end = job.wait("end", self.deadline) - self.clock
        return Run(self.way, simulated, visited, {job.name: job.text("out") for job in jobs}, self.events(simulated.asked), self.notes(jobs))

    def first_look(self) -> int:
        """Runs a job that only says when it began: it shows when slurmctld looks, and nothing is done for the first
        time afterwards."""
        probe = self.cluster.submit("probe", "#!/bin/bash\ndate +%s%N >begin\n", "-c1")
        began = probe.wait("begin", self.deadline) - self.clock
        self.cluster.ended(probe)
        return next_look(began, time.monotonic_ns())

    @staticmethod
    def sleep_until(at: int) -> None:
        time.sleep(max(0.0, (at - time.monotonic_ns()) / 1e9))

    def submit(self, program: Program, cpus: int, at: int) -> tuple[Job, Times]:
        self.sleep_until(at)
        asked = time.monotonic_ns()
        malleable = ["--malleable", "--drom-resize=follow"] if self.way == "drom" else []
        size = f"-n{program.ranks}", f"-c{cpus // program.ranks}"
        return self.cluster.submit(program.name, script(program), *size, *malleable), Times(asked, asked)

    def watch_table(self) -> None:
        if self.way != "drom":
            return
        if not self.table.exists():
            raise Failure("the node agent made no table for the simulation's step; the log of slurmd, above, says why")
        # Half way to the arrival the table is there, and the start of a watcher disturbs no resize.
        self.watch = Watch(self.node.bin / "drom", environment(DROM_TABLE=str(self.table)))

    def events(self, since: int) -> list[dict]:
        """Returns the events without those of the job that came before."""
        return [] if self.watch is None else [event for event in self.watch.events_at_end() if event["time_ns"] >= since]

    def notes(self, jobs: dict[Job, Times]) -> dict:
        if abs(time.time_ns() - time.monotonic_ns() - self.clock) > 100_000_000:
            raise Failure("the machine's clock was set while jobs ran, and their times are of no use; run it again")
        found = {job.name: self.cluster.ended(job) for job in jobs}
        kept = ("JobId", "JobState", "SubmitTime", "StartTime", "EndTime")
        return {"slurm": {name: {key: seen[key] for key in kept} for name, seen in found.items()},
                "slurm_differs_s": max(disagreement(times, self.clock, found[job.name]) for job, times in jobs.items())}
