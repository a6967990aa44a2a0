#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""placement.py - writes the tables of docs/results/placement.md, from simulations made now.

  scripts/results/placement.py build/release/bin/drom-sim [--seeds N] [--gaps build/dev/bin/policy_tests] [--check]

The gaps to the least cost are those of a test, as only tests have an exact solver. Without --gaps they stay as they are.
With --check nothing is written: differences are printed, and the status is 1 where there are any.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import mean

from page import Page, ratio, with_interval

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = "scripts/results/placement.py"
FILES = ["--machine", "examples/platforms/three.machine", "--apps", "examples/platforms/kinds.apps"]
LOADS = ["x0.5", "x1", "x2"]
BASE, SUPPLY = "first-partition", "ejs"
POLICIES = [BASE, SUPPLY, "best-first", "most-free", "round-robin", "scale", "app:map=1/0/0/2/1"]
HOUR = 3600
# Gains of choosing by supply against the first partition, by load.
PUBLISHED = {"makespan": (1.05, 1.6, 1.8), "done": (1.25, 4, 6)}
NAMES = {"makespan": "makespan", "done": "jobs done after 1 h"}


class Runs:
    """Response, makespan and jobs done after an hour of each policy at each load, by seed."""

    def __init__(self, sim: str, seeds: int):
        self.sim, self.seeds = sim, seeds
        with ThreadPoolExecutor(2) as pool:
            jobs = {load: [pool.submit(self.simulate, load, seed) for seed in range(1, seeds + 1)] for load in LOADS}
            self.of = {load: [job.result() for job in runs] for load, runs in jobs.items()}

    def simulate(self, load: str, seed: int) -> list[dict[str, float]]:
        words = ["compare", "--generate", f"platforms-{load}", *FILES, "--workload-seed", str(seed), "--threads", "1", "--gantt", "none", "-q"]
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([self.sim, *words, "--out", folder, *POLICIES], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
            return [measures(row, Path(folder, row["folder"], "jobs.csv")) for row in rows_of(Path(folder, "summary.csv"))]

    def values(self, load: str, policy: str, measure: str) -> list[float]:
        return [run[POLICIES.index(policy)][measure] for run in self.of[load]]

    def gain(self, load: str, policy: str, measure: str) -> tuple[float, float]:
        base, here = self.values(load, BASE, measure), self.values(load, policy, measure)
        return ratio(here, base) if measure == "done" else ratio(base, here)

    def command(self, load: str, policy: str) -> str:
        settings = [BASE] if policy == BASE else [BASE, policy]
        return " ".join(["drom-sim", "compare", "--generate", f"platforms-{load}", "--seeds", str(self.seeds), *FILES, *settings])


def rows_of(table: Path) -> list[dict[str, str]]:
    with table.open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def measures(summary: dict[str, str], jobs: Path) -> dict[str, float]:
    done = sum(int(job["end"]) <= HOUR for job in rows_of(jobs))
    return {"response": float(summary["response_mean"]), "makespan": float(summary["makespan"]), "done": done}


def gain_text(gain: tuple[float, float]) -> str:
    return f"{gain[0]:.2f} ± {gain[1]:.2f}"


def policies_table(runs: Runs) -> list[str]:
    lines = ["| run times | policy | response s | makespan s | gain | jobs done after 1 h | gain | command |", "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for load in LOADS:
        for policy in POLICIES:
            cells = [load, f"`{policy}`", with_interval(runs.values(load, policy, "response"), ".0f")]
            for measure in ("makespan", "done"):
                cells += [with_interval(runs.values(load, policy, measure), ".0f"), gain_text(runs.gain(load, policy, measure))]
            lines.append("| " + " | ".join([*cells, f"`{runs.command(load, policy)}`"]) + " |")
    return lines


def published_table(runs: Runs) -> list[str]:
    lines = ["| run times | gain of `ejs` against `first-partition` | published | here | command |", "| --- | --- | --- | --- | --- |"]
    for measure, published in PUBLISHED.items():
        for load, figure in zip(LOADS, published, strict=True):
            gain = gain_text(runs.gain(load, SUPPLY, measure))
            lines.append(f"| {load} | {NAMES[measure]} | {figure:g} | {gain} | `{runs.command(load, SUPPLY)}` |")
    return lines


def gaps_table(tests: str) -> list[str]:
    words = [tests, "--gtest_filter=PlacementGap.*", "--gtest_brief=1"]
    out = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    sizes = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    if not sizes:
        sys.exit(f"{SCRIPT}: {tests} was built without GLPK; install libglpk-dev, or leave --gaps out")
    lines = ["| applications × systems | problems | gap, median | p95 | largest |", "| --- | --- | --- | --- | --- |"]
    for row in sizes:
        gaps = " | ".join(f"{round(100 * row[name], 2) + 0:g} %" for name in ("median", "p95", "largest"))
        lines.append(f"| {row['size']} × {row['size']} | {row['problems']} | {gaps} |")
    return [*lines, "", "Command of each row: `build/dev/bin/policy_tests --gtest_filter='PlacementGap.*'`"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sim")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--gaps", metavar="POLICY_TESTS")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    page = Page(ROOT / "docs/results/placement.md")
    runs = Runs(str(Path(options.sim).resolve()), options.seeds)
    page.replace("partitions", SCRIPT, [*policies_table(runs), "", *published_table(runs)])
    if options.gaps:
        page.replace("gaps", SCRIPT, gaps_table(str(Path(options.gaps).resolve())))
    return page.check() if options.check else page.write()


if __name__ == "__main__":
    sys.exit(main())
