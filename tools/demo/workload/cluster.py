# SPDX-License-Identifier: BSD-3-Clause
"""cluster.py - a private Slurm of nodes that this machine plays: up, jobs, what it recorded of them, down.

The clock of slurmctld, and of no other program, goes faster than the wall's, by libfaketime. Slurm's limits are whole minutes, and it foresees the ends of
jobs in steps of half a minute and more: with jobs of seconds it would schedule blindly, and jobs of hours would take hours."""

import os
import re
import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from jobs import Job
from runs import Failure, output_of, slurm_environment

SCRIPT = Path(__file__).resolve().parents[3] / "tests" / "plugin" / "cluster.sh"
LONGEST_PATH = 72  # of the cluster's folder: the sockets of its step daemons are below it, and 108 bytes are all that they may have


@dataclass(frozen=True)
class Shape:
    """Of each node. `topology`: the same in hwloc's words, when this machine only plays it; empty: this machine's own
    CPUs."""

    sockets: int
    cores: int
    threads: int = 1
    topology: str = ""

    @property
    def cpus(self) -> int:
        return self.sockets * self.cores * self.threads


@dataclass(frozen=True)
class Backfill:
    """Returns the SchedulerParameters that the simulator is told, too. Seconds."""

    interval: int = 5
    resolution: int = 10
    window_min: int = 1440
    depth: int = 500

    def slurm(self) -> str:
        # bf_window_linear: the steps in which Slurm foresees ends stay at half a minute instead of being doubled.
        return (f"sched_min_interval=0,bf_interval={self.interval},bf_resolution={self.resolution},"
                f"bf_window={self.window_min},bf_max_job_test={self.depth},bf_continue,bf_window_linear=1,default_queue_depth={self.depth}")


@dataclass(frozen=True)
class Sharing:
    """The policy, as select/malleable and drom-sim both know it."""

    max_slowdown: str = "inf"
    sharing_factor: float = 0.5
    max_mates: int = 2


@dataclass(frozen=True)
class Way:
    """How Slurm is set up for a run."""

    name: str
    settings: tuple[str, ...]
    options: tuple[str, ...] = ()  # of each submission


@dataclass(frozen=True)
class Step:
    """The work of a job: a program, on each node so many ranks of it, started by srun with these options."""

    program: list[str]
    ranks: int = 1
    options: tuple[str, ...] = ()


Command = Callable[[Job], Step]


@dataclass(frozen=True)
class Seen:
    """A job as Slurm recorded it: whole seconds of its clock."""

    state: str
    submit: int
    start: int
    end: int
    nodes: str
    cpu_seconds: int | None = None  # what it had, of a job that has shared


def common(backfill: Backfill) -> list[str]:
    # The records of all jobs are there at the end. A limit is what the scheduler knows of a job, and ends none.
    # Otherwise a job that takes all of its limit would be ended because of the moment that its start takes. A job that
    # computes would be ended because of other work on this machine. Nodes answer by the wall's clock.
    kept = ("MinJobAge=1000000", "OverTimeLimit=UNLIMITED", "MessageTimeout=100", "SlurmdTimeout=60000", "InactiveLimit=0")
    return [f"scheduler={backfill.slurm()}", *(f"extra={line}" for line in kept)]


def stock(backfill: Backfill) -> Way:
    return Way("stock", tuple(common(backfill)))


def malleable(backfill: Backfill, sharing: Sharing, plugins: Path, folder: Path, shape: Shape) -> Way:
    settings = common(backfill)
    # The simulator, with which this is compared, lets guests move the starts that backfill has promised.
    settings[0] += (f",sd_max_slowdown={sharing.max_slowdown},sd_sharing_factor={sharing.sharing_factor},sd_max_mates={sharing.max_mates},sd_delay_max=inf,"
                    f"sd_log={journal(folder)}")
    # The task plugin, because SPANK alone does not know what a job has without sharing when its step starts on a part
    # of that.
    settings += [f"plugins={plugins}", "select=select/malleable", "extra=JobSubmitPlugins=malleable", f"plugstack=required {plugins / 'spank_drom.so'}",
                 "task=task/drom", f"drom=table={folder / 'tables'}/%n.table", f"drom=sharing_factor={sharing.sharing_factor}"]
    settings += [f"drom=topology={shape.topology}"] if shape.topology else []
    return Way("malleable", tuple(settings), ("--malleable",))


def journal(folder: Path) -> Path:
    return folder / "decisions.journal"


def node_settings(shape: Shape, nodes: int) -> list[str]:
    return [f"nodes={nodes}", f"sockets={shape.sockets}", f"cores={shape.cores}", f"threads={shape.threads}"]


def clock(speed: float) -> str:
    """Returns a program that starts slurmctld with a clock that is so much faster than the wall's."""
    found = sorted(path for folder in ("lib/*/faketime", "lib/faketime", "lib64/faketime") for path in Path("/usr").glob(f"{folder}/libfaketimeMT.so.1"))
    if not found:
        raise Failure("there is no libfaketimeMT.so.1, by which Slurm's clock is made faster; install the package libfaketime")
    return f"#!/bin/bash\nLD_PRELOAD={found[0]} FAKETIME='+0 x{speed:g}' exec \"$@\"\n"


def script_of(step: Step) -> str:
    return f"#!/bin/bash\nexec srun --ntasks-per-node={step.ranks} {shlex.join([*step.options, *step.program])} >out 2>err\n"


def seconds_of(stamp: str) -> int:
    """Returns the seconds of a stamp; 0: not yet."""
    return 0 if stamp in ("Unknown", "None", "") else int(datetime.fromisoformat(stamp).timestamp())


def record(shown: str) -> tuple[str, Seen]:
    """Reads a line of `scontrol -o show job`: the job's name, and what Slurm knows."""
    found = dict(re.findall(r"(\w+)=(\S*)", shown))
    had = found.get("cpu_seconds")  # a word of the admin comment
    return found["JobName"], Seen(found["JobState"], seconds_of(found["SubmitTime"]), seconds_of(found["StartTime"]), seconds_of(found["EndTime"]),
                                  found["NodeList"], None if had is None else int(had))


class Cluster:
    """Up at `with`, down at its end, whatever ends it."""

    def __init__(self, folder: Path, shape: Shape, nodes: int, way: Way, speed: float, limit: float):
        if len(str(folder)) > LONGEST_PATH:
            raise Failure(f"the folder {folder} has a name of more than {LONGEST_PATH} characters, and Slurm's sockets do not fit below it; give a shorter --dir")
        self.folder, self.way = folder, way
        self.clock = clock(speed)
        self.settings = [*node_settings(shape, nodes), *way.settings, f"owner={os.getpid()}", f"limit={limit:.0f}"]
        self.env = slurm_environment(SLURM_CONF=str(folder / "etc" / "slurm.conf"), CONTROLLER_UNDER=str(folder / "clock"))

    def __enter__(self) -> "Cluster":
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "tables").mkdir(parents=True)
        (self.folder / "jobs").mkdir()
        self.folder.chmod(0o755)
        (self.folder / "clock").write_text(self.clock)
        (self.folder / "clock").chmod(0o755)
        try:
            self.call(str(SCRIPT), "up", str(self.folder), *self.settings)
        except BaseException:
            self.down()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.down()

    def down(self) -> None:
        self.call(str(SCRIPT), "down", str(self.folder))
        shutil.rmtree(self.folder / "tables", ignore_errors=True)

    def call(self, *command: str) -> str:
        return output_of(list(command), self.env)

    def job_folder(self, job: Job) -> Path:
        return self.folder / "jobs" / str(job.number)

    def submit(self, job: Job, command: Command, cpus: int) -> None:
        folder, step = self.job_folder(job), command(job)
        folder.mkdir()
        (folder / "job.sh").write_text(script_of(step))
        asked = ["-N", str(job.nodes), f"--ntasks-per-node={step.ranks}", "-c", str(cpus // step.ranks), "-t", str(job.limit)]
        self.call("sbatch", "-J", str(job.number), "-D", str(folder), "-o", str(folder / "log"), *asked, *self.way.options, str(folder / "job.sh"))

    def waiting_or_running(self) -> int:
        return len(self.call("squeue", "-h", "-o", "%i").split())

    def records(self) -> dict[int, Seen]:
        found = (record(line) for line in self.call("scontrol", "-o", "show", "job").splitlines() if "JobName=" in line)
        return {int(name): seen for name, seen in found}
