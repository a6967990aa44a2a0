# SPDX-License-Identifier: BSD-3-Clause
"""prediction.py - what drom-sim says of a workload that has been run: a log of it, and the same policies with the same
parameters."""

import csv
import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from cluster import Backfill, Sharing
from runs import Failure
from measures import Outcome
from play import Ran


@dataclass(frozen=True)
class Predicted:
    jobs: list[Outcome]
    shared_starts: int


def swf(ran: list[Ran], nodes: int, cores: int) -> str:
    """Writes each submitted job by Slurm's clock: run time on all its cores, requested time its limit."""
    lines = [f"; Version: 2.2\n; Computer: {nodes} nodes of {cores} processors, played by one machine\n; Note: written by slurm-workload, from a run under stock Slurm\n"
             f"; MaxJobs: {len(ran)}\n; MaxNodes: {nodes}\n; MaxProcs: {nodes * cores}\n"]
    for one in ran:
        processors = one.job.nodes * cores
        lines.append(f"{one.job.number} {one.submit} {one.start - one.submit} {one.seconds} {processors} -1 -1 {processors} {one.job.limit * 60} -1 1"
                     + " -1" * 7 + "\n")
    return "".join(lines)


def parameters(backfill: Backfill, sharing: Sharing | None) -> list[str]:
    given = ["--bf-interval", str(backfill.interval), "--bf-resolution", str(backfill.resolution), "--bf-window", str(backfill.window_min),
             "--bf-max-job-test", str(backfill.depth), "--keep-overrun", "--kill", "no"]
    if sharing is None:
        return ["--policy", "slurm", *given]
    return ["--policy", "sd", *given, "--max-slowdown", sharing.max_slowdown, "--sharing-factor", str(sharing.sharing_factor),
            "--max-mates", str(sharing.max_mates), "--model", "worst"]


def predicted(jobs_csv: str) -> Predicted:
    rows = list(csv.DictReader(jobs_csv.splitlines()))
    jobs = [Outcome(*(int(row[name]) for name in ("id", "submit", "start", "end", "nodes", "run"))) for row in rows]
    return Predicted(jobs, sum(row["how"] == "shared" for row in rows))


def predict(simulator: Path, log: Path, out: Path, backfill: Backfill, sharing: Sharing | None) -> Predicted:
    shutil.rmtree(out, ignore_errors=True)
    command = [str(simulator), "--swf", str(log), *parameters(backfill, sharing), "--out", str(out), "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)} ended with status {done.returncode}: {done.stderr.strip()[-1000:]}")
    return predicted((out / "jobs.csv").read_text())


def replay(simulator: Path, journal: Path) -> dict[str, int]:
    """Returns how many decisions of a controller drom-sim makes again, and how many of them otherwise."""
    done = subprocess.run([str(simulator), "replay", str(journal), "--json", "--quiet"], capture_output=True, text=True)
    if not done.stdout:
        raise Failure(f"drom-sim replay {journal}: {done.stderr.strip()[-1000:]}")
    told = json.loads(done.stdout)
    return {"decisions": told["decisions"], "decided_otherwise": told["differing"]}
