# SPDX-License-Identifier: BSD-3-Clause
"""jobs.py - a workload, generated or of a log, made small enough for a cluster that this machine plays. Pure but for generate().

All seconds are those of the cluster's clock, which goes faster than the wall's (cluster.py)."""

import math
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "common"))

from runs import Failure  # noqa: E402

PRESET = "w5"          # workload 5 of the thesis: Cirne and Berman's model, arrivals of ANL, 49 nodes, at most 16 per job
PRESET_NODES = 49
PRESET_CORES = 48
ARRIVALS = 0.28        # of the time from the first start to the last end: when the last job of the whole preset is submitted
FULL = 0.85            # how much of the cluster is busy from the first start to the last end; a guess that sets the scale only
LONGEST = 0.45         # of the whole run: what one job may take; more happens to few jobs, and only where few jobs are asked for
START_S = 5.0          # time of a job beyond its work, to be started by Slurm; its limit has room for it

# The thesis, table 5.2: share of the jobs, and what stands for the application here. Its CoreNeuron, NEST and Alya
# compute and use memory, as heat does.
MIX = (("pils", 0.305), ("triad", 0.308), ("heat", 0.387))


@dataclass(frozen=True)
class Row:
    """A job of a log, in its own seconds."""

    submit: int
    run: int
    nodes: int
    request: int


@dataclass(frozen=True)
class Job:
    """A job as submitted: `submit` seconds after the start, with `seconds` of work on all cores of its nodes."""

    number: int
    submit: int
    seconds: float
    nodes: int
    limit: int  # minutes
    program: str


@dataclass(frozen=True)
class Scale:
    """How a log becomes jobs: its run times and requests are multiplied by `factor`, its arrivals by `arrivals`.
    `machine`: the nodes of the log's machine, of which a smaller cluster plays the same parts."""

    factor: float
    arrivals: float
    nodes: int
    shortest: float
    longest: float
    room: float = 1  # in a limit, beyond the work: programs that compute take the time that the machine gives them
    machine: int = PRESET_NODES

    def seconds(self, of_log: int) -> float:
        return min(max(of_log * self.factor, self.shortest), self.longest)

    def nodes_of(self, row: Row) -> int:
        return smaller(row.nodes, self.nodes, self.machine)


def rows_of(swf: str, cores: int) -> list[Row]:
    fields = [line.split() for line in swf.splitlines() if line and not line.startswith(";")]
    return [Row(int(f[1]), int(f[3]), math.ceil(int(f[7]) / cores), int(f[8])) for f in fields]


def smaller(nodes: int, of: int, machine: int = PRESET_NODES) -> int:
    """Returns the nodes of a job on a cluster that has `of` of them, and not as many as the machine."""
    return max(1, round(nodes * of / machine)) if of < machine else nodes


def work(rows: list[Row], scale: Scale) -> float:
    """Returns the work in node-seconds."""
    return sum(scale.seconds(row.run) * scale.nodes_of(row) for row in rows)


def scale_for(rows: list[Row], nodes: int, seconds: float, shortest: float, room: float = 1, machine: int = PRESET_NODES) -> Scale:
    """Returns a scale such that the jobs take about so long. Failure: even the shortest ones take longer."""
    wanted, longest = seconds * nodes * FULL, max(shortest, seconds * LONGEST)
    arrivals = seconds * ARRIVALS / max(1, rows[-1].submit - rows[0].submit)

    def by(factor: float) -> Scale:
        return Scale(factor, arrivals, nodes, shortest, longest, room, machine)

    if work(rows, by(0)) >= wanted:
        raise Failure(f"{len(rows)} jobs of at least {shortest:g} s do not fit into {seconds:g} s on {nodes} nodes; give fewer jobs, or more minutes")
    if work(rows, by(seconds)) < wanted:
        raise Failure(f"{len(rows)} jobs are too few to keep {nodes} nodes busy for {seconds:g} s; give more jobs, or fewer nodes")
    low, high = 0.0, seconds
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if work(rows, by(middle)) < wanted else (low, middle)
    return by(low)


def programs(count: int) -> list[str]:
    """Returns the program of each job: the shares of MIX, spread evenly over any stretch of the workload."""
    had = {name: 0 for name, _ in MIX}
    found = []
    for place in range(1, count + 1):
        name = max(MIX, key=lambda entry: entry[1] * place - had[entry[0]])[0]
        had[name] += 1
        found.append(name)
    return found


def scaled(rows: list[Row], scale: Scale) -> list[Job]:
    first = rows[0].submit
    jobs = []
    for number, (row, program) in enumerate(zip(rows, programs(len(rows)), strict=True), 1):
        seconds = round(scale.seconds(row.run), 2)
        limit = math.ceil(max(scale.seconds(row.request), seconds * scale.room + START_S) / 60)
        jobs.append(Job(number, round((row.submit - first) * scale.arrivals), seconds, scale.nodes_of(row), limit, program))
    return jobs


def generate(simulator: Path, count: int, seed: int) -> list[Row]:
    done = subprocess.run([str(simulator), "generate", PRESET, "--workload-seed", str(seed), "--jobs", str(count)], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"{simulator} generate: {done.stderr.strip()}")
    return rows_of(done.stdout, PRESET_CORES)
