# SPDX-License-Identifier: BSD-3-Clause
"""measures.py - from jobs to the thesis's numbers, the same for a cluster and for the simulator. Pure."""

from dataclasses import dataclass
from statistics import mean

BOUND_S = 10.0  # bounded slowdown: shorter jobs count as if they took so long
SAME_S = 5.0    # a response that is longer by no more is not called worse: Slurm's loops and the launch of a job take about so long

NAMES = {"makespan_s": "makespan s", "wait_s": "wait s", "response_s": "response s", "slowdown": "slowdown", "bounded_slowdown": "bounded slowdown"}


@dataclass(frozen=True)
class Outcome:
    """`alone`: what the job takes on all its cores."""

    number: int
    submit: float
    start: float
    end: float
    nodes: int
    alone: float

    @property
    def response(self) -> float:
        return self.end - self.submit

    @property
    def slowdown(self) -> float:
        return self.response / self.alone

    @property
    def bounded(self) -> float:
        return max(1.0, self.response / max(self.alone, BOUND_S))


def measures(jobs: list[Outcome]) -> dict[str, float]:
    return {
        "makespan_s": max(job.end for job in jobs) - min(job.start for job in jobs),
        "wait_s": mean(job.start - job.submit for job in jobs),
        "response_s": mean(job.response for job in jobs),
        "slowdown": mean(job.slowdown for job in jobs),
        "bounded_slowdown": mean(job.bounded for job in jobs),
    }


def worse_share(jobs: list[Outcome], baseline: list[Outcome]) -> float:
    """Returns the share of the jobs whose response is longer than in the baseline."""
    before = {job.number: job.response for job in baseline}
    return mean(job.response > before[job.number] + SAME_S for job in jobs)


def above_share(jobs: list[tuple[Outcome, int]], cpus: int) -> int:
    """Returns how many jobs were faster than their share of the CPUs of their nodes, which have `cpus` each. Each job
    comes with the CPU-seconds that it had."""
    return sum(job.alone / (job.end - job.start) > had / ((job.end - job.start) * job.nodes * cpus) for job, had in jobs if job.end > job.start)


def changes(new: dict[str, float], old: dict[str, float]) -> dict[str, float]:
    """Returns the changes in percent of the old."""
    return {name: 100 * (new[name] / old[name] - 1) if old[name] else 0.0 for name in new}


def journal_field(line: str, name: str) -> str:
    return next((word.split("=", 1)[1] for word in line.split() if word.startswith(name + "=")), "")


def sharing(journal: list[str]) -> dict[str, int]:
    """Returns how many jobs were started on nodes of others, and how many others these were."""
    shares = [line for line in journal if line.startswith("share ")]
    mates = {mate for line in shares for mate in journal_field(line, "mates").split(",") if mate}
    return {"shared_starts": len(shares), "mates": len(mates)}


def _cell(value: float) -> str:
    return f"{value:.1f}" if abs(value) >= 100 else f"{value:.2f}"


def table(columns: dict[str, dict[str, float]], names: dict[str, str] = NAMES) -> str:
    """Returns one line per measure, one column per dictionary."""
    widths = [max(len(title), 12) for title in columns]
    lines = [" " * 20 + "  ".join(title.rjust(width) for title, width in zip(columns, widths))]
    for key, name in names.items():
        cells = [_cell(column[key]) for column in columns.values()]
        lines.append(name.ljust(20) + "  ".join(cell.rjust(width) for cell, width in zip(cells, widths)))
    return "\n".join(lines)
