#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""launch.py - what drom adds to the launch of a step in a real Slurm; called by `scripts/bench.sh slurm`.

Four clusters of one node run at once on this machine, each with an allocation: stock Slurm with task/affinity, task/drom before task/affinity with a
job that is not malleable and with one that is, and drom behind SPANK. They take turns at `srun true`; a figure is the time of a step less that of
the stock step of the same turn. Writes build/bench/slurm.json and a table on stdout.
Exit status: 0 measured, whatever came out; 1 Slurm or the plugins are not there, or a step failed."""

import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from harness import CannotMeasure, environment, spread, write_figures

ROOT = Path(__file__).resolve().parents[1]
CLUSTER = ROOT / "tests" / "plugin" / "cluster.sh"
LIBRARY = ROOT / "build" / "release" / "lib"
SPANK = f"required {LIBRARY}/slurm/spank_drom.so lib={LIBRARY}"
TURNS = 200
TARGET_MS = 2.0


@dataclass
class Way:
    key: str
    settings: list[str]
    malleable: bool = False
    directory: str = ""
    job: str = ""

    def environment(self) -> dict[str, str]:
        return environment(SLURM_CONF=f"{self.directory}/etc/slurm.conf")

    def options(self) -> list[str]:
        return ["--malleable"] if self.malleable else []


def ways(work: str) -> list[Way]:
    table = f"table={work}/%n.table"
    behind = ["task=task/drom,task/affinity", f"plugstack={SPANK}"]
    return [
        Way("stock", ["task=task/affinity"]),
        Way("task_rigid", [*behind, f"drom={table}.rigid"]),
        Way("task_malleable", [*behind, f"drom={table}.task"], malleable=True),
        Way("spank_malleable", ["task=task/affinity", f"plugstack={SPANK} {table}.spank"], malleable=True),
    ]


def start(way: Way, work: str) -> None:
    way.directory = f"{work}/{way.key}"
    settings = ["nodes=1", f"cores={os.cpu_count()}", f"plugins={LIBRARY}/slurm", f"owner={os.getpid()}", "limit=1200", *way.settings]
    started = subprocess.run([CLUSTER, "up", way.directory, *settings], capture_output=True, text=True)
    if started.returncode != 0:
        raise CannotMeasure(f"a cluster for {way.key} did not start: {started.stderr.strip()[-600:]}")
    command = ["salloc", "--no-shell", "-c", str(os.cpu_count()), *way.options()]
    granted = subprocess.run(command, env=way.environment(), capture_output=True, text=True, timeout=60)
    number = re.search(r"job allocation (\d+)", granted.stderr)
    if granted.returncode != 0 or number is None:
        raise CannotMeasure(f"{way.key}: {' '.join(command)}: {granted.stderr.strip()[-400:]}")
    way.job = number.group(1)


def step_ms(way: Way) -> float:
    command = ["srun", f"--jobid={way.job}", "--overlap", "-n1", *way.options(), "true"]
    begin = time.perf_counter()
    done = subprocess.run(command, env=way.environment(), capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise CannotMeasure(f"{way.key}: {' '.join(command)}: {done.stderr.strip()[-400:]}")
    return (time.perf_counter() - begin) * 1000


def measure(all_ways: list[Way]) -> dict[str, list[float]]:
    for way in all_ways:
        for _ in range(3):
            step_ms(way)
    times: dict[str, list[float]] = {way.key: [] for way in all_ways}
    for turn in range(TURNS):
        # A launch that follows the same neighbour each time would be measured with its leftovers.
        for i in range(len(all_ways)):
            way = all_ways[(turn + i) % len(all_ways)]
            times[way.key].append(step_ms(way))
    return times


def figures(times: dict[str, list[float]]) -> dict:
    found = {"stock_step_ms": spread(times["stock"])}
    for key in times:
        if key == "stock":
            continue
        more = [mine - stock for mine, stock in zip(times[key], times["stock"], strict=True)]
        found[f"{key}_over_stock_ms"] = spread(more) | {"target": TARGET_MS}
    return found


def main() -> int:
    with tempfile.TemporaryDirectory() as work:
        os.chmod(work, 0o755)
        running = ways(work)
        try:
            for way in running:
                start(way, work)
            found = figures(measure(running))
        except (CannotMeasure, FileNotFoundError, subprocess.TimeoutExpired) as trouble:
            print(f"bench: slurm: {trouble}", file=sys.stderr)
            return 1
        finally:
            for way in running:
                if way.directory:
                    subprocess.run([CLUSTER, "down", way.directory], check=False)
    write_figures("slurm", found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
