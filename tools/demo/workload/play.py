# SPDX-License-Identifier: BSD-3-Clause
"""play.py - submits a workload to a cluster at its times, and collects what Slurm recorded of each job."""

import sys
import time
from dataclasses import dataclass
from pathlib import Path

from cluster import Cluster, Command, Seen, Shape, Way, journal
from jobs import MIX, Job
from runs import Failure

LEAD_S = 0.5  # of the wall's clock, before the first submission
SLEPT_S = 1.0


@dataclass(frozen=True)
class Ran:
    """A job in one run. Seconds of Slurm's clock since the run's first submission."""

    job: Job
    submit: int
    start: int
    end: int
    nodes: str
    said: str  # by the program
    cpu_seconds: int | None = None  # what it had, if it has shared

    @property
    def seconds(self) -> int:
        return max(1, self.end - self.start)


@dataclass(frozen=True)
class Played:
    jobs: list[Ran]
    late: float  # seconds of Slurm's clock, by which the latest submission missed its time
    journal: list[str]  # lines of decisions; none from stock Slurm


def _text(path: Path) -> str:
    return path.read_text().strip() if path.exists() else ""


def _tell(text: str) -> None:
    print(f"workload: {text}", file=sys.stderr)


def _first_of_all(cluster: Cluster, command: Command, cpus: int) -> None:
    """Runs a short job, after which nothing is done for the first time."""
    cluster.submit(Job(0, 0, 0.01, 1, 1, MIX[0][0]), command, cpus)
    _wait_for_all(cluster, time.monotonic() + 60)


def _submit_all(cluster: Cluster, jobs: list[Job], command: Command, cpus: int, speed: float) -> float:
    zero, late = time.monotonic() + LEAD_S, 0.0
    for done, job in enumerate(jobs, 1):
        time.sleep(max(0.0, zero + job.submit / speed - time.monotonic()))
        cluster.submit(job, command, cpus)
        late = max(late, (time.monotonic() - zero) * speed - job.submit)
        if done % 50 == 0:
            _tell(f"{cluster.way.name}: {done} of {len(jobs)} jobs submitted after {time.monotonic() - zero:.0f} s")
    return late


def _wait_for_all(cluster: Cluster, deadline: float) -> None:
    while left := cluster.waiting_or_running():
        if time.monotonic() > deadline:
            raise Failure(f"{cluster.way.name}: {left} jobs had not ended in time; {cluster.folder / 'log'} says more")
        time.sleep(SLEPT_S)


def _ran(cluster: Cluster, job: Job, seen: Seen, zero: int) -> Ran:
    folder = cluster.job_folder(job)
    if seen.state != "COMPLETED":
        said = _text(folder / "err") or _text(folder / "log")
        raise Failure(f"{cluster.way.name}: job {job.number} ended as {seen.state}: {said[-1000:] or 'it said nothing'}")
    return Ran(job, seen.submit - zero, seen.start - zero, seen.end - zero, seen.nodes, _text(folder / "out"), seen.cpu_seconds)


def _collect(cluster: Cluster, jobs: list[Job]) -> list[Ran]:
    seen = cluster.records()
    zero = seen[jobs[0].number].submit
    return [_ran(cluster, job, seen[job.number], zero) for job in jobs]


def play(folder: Path, shape: Shape, nodes: int, way: Way, jobs: list[Job], command: Command, speed: float, limit: float) -> Played:
    """Plays the workload. `limit`: seconds of the wall's clock."""
    _tell(f"{way.name}: starting a Slurm of {nodes} nodes")
    with Cluster(folder, shape, nodes, way, speed, limit + 120) as cluster:
        deadline = time.monotonic() + limit
        _first_of_all(cluster, command, shape.cpus)
        _tell(f"{way.name}: {len(jobs)} jobs, the last one after {jobs[-1].submit / speed:.0f} s")
        late = _submit_all(cluster, jobs, command, shape.cpus, speed)
        _wait_for_all(cluster, deadline)
        ran = _collect(cluster, jobs)
        lines = _text(journal(folder)).splitlines()
    _tell(f"{way.name}: done, after {max(job.end for job in ran)} s by Slurm's clock")
    return Played(ran, late, lines)
