#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""shares.py - what each policy gains where only some jobs are malleable: a table of docs/results/simulator.md.

  scripts/results/shares.py build/release/bin/drom-sim [--seeds N] [--shares S,S...] [--only WORKLOAD] [--policy SETTING] [--print | --check]

Each row is the change of the mean slowdown against a static policy over the same jobs, in percent. Beside it is the 95 % interval over the seeds
(Student's t). There are columns for all jobs, the malleable ones, the rigid ones, and the class of jobs that fares worst. Classes are those of the
report, by nodes and run time. A class is surely beyond +2 where its whole interval is.
A seed draws which jobs are malleable, and the workload where it is generated. Classes with less than half a percent of the jobs are left out.
Rows that are not asked for stay as they are. With --print the rows are printed only. With --check nothing is written: rows that differ are printed,
and the status is 1 where there are any.
Exit status: 0 done; 1 a simulation failed, or a row differs; 2 usage.
"""

import argparse
import csv
import math
import subprocess
import sys
import tempfile
from bisect import bisect_left
from pathlib import Path

from page import Page, half_width

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = "scripts/results/shares.py"
LOGS = ROOT.parent / "shared" / "workloads"
RUN_CLASSES = (60, 600, 3600, 4 * 3600, 12 * 3600, 24 * 3600, 72 * 3600)
RUN_NAMES = ("1 min", "10 min", "1 h", "4 h", "12 h", "24 h", "72 h", "longer")
MIN_SHARE = 0.005

DEPTH = "bf_max_job_test=50,bf_window=0"
WORKLOADS = {
    "w1": (["--generate", "w1"], f"slurm:{DEPTH}"),
    "RICC": (["--swf", str(LOGS / "RICC-sept-2010.swf.gz"), "--nodes", "1024", "--cores-per-node", "8"], f"slurm:{DEPTH}"),
    "Curie": (["--swf", str(LOGS / "CEA-Curie-2012.pyss-easy.swf.gz"), "--nodes", "5040", "--cores-per-node", "16"], "slurm"),
}


# Seeds of a row, where --seeds does not say: a run of Curie takes up to minutes.
SEEDS = {"w1": 5, "RICC": 3, "Curie": 1}


def policies(baseline: str) -> list[tuple[str, str]]:
    """The settings that are compared, each with its own baseline."""
    options = baseline.partition(":")[2]
    static = f",{options}" if options else ""
    return [
        (f"sd:max_slowdown=10{static}", baseline),
        (f"sd:max_slowdown=inf{static}", baseline),
        (f"sd{':' + options if options else ''}", baseline),
        ("sd:base=easy,max_slowdown=10", "easy"),
        ("sd+", "easy"),
        (f"sd-deep{':' + options if options else ''}", baseline),
        ("sd-deep:base=easy", "easy"),
    ]


class Job:
    def __init__(self, row: dict) -> None:
        run = int(row["run"])
        if row["killed"] == "1":
            run = min(run, int(row["request"]))
        self.slowdown = float(row["slowdown"])
        self.malleable = row["malleable"] == "1"
        self.kind = ((int(row["nodes"]) - 1).bit_length(), bisect_left(RUN_CLASSES, run))


class Simulations:
    """Runs of drom-sim; those of static policies are remembered, because these do not look at which jobs are malleable."""

    def __init__(self, sim: Path) -> None:
        self.sim = sim
        self.known: dict[tuple[str, str, int], list[Job]] = {}

    def command(self, workload: str, setting: str, share: float, seed: int) -> list[str]:
        words = [str(self.sim), *WORKLOADS[workload][0], "--policy", setting, "--malleable-share", str(share), "--seed", str(seed)]
        return [*words, "--workload-seed", str(seed)] if "--generate" in words else words

    def jobs(self, workload: str, setting: str, share: float, seed: int) -> list[Job]:
        with tempfile.TemporaryDirectory() as folder:
            words = [*self.command(workload, setting, share, seed), "-q", "--force", "--out", folder]
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
            with open(Path(folder) / "jobs.csv", encoding="utf-8") as lines:
                return [Job(row) for row in csv.DictReader(lines) if row["end"]]

    def static(self, workload: str, setting: str, seed: int) -> list[Job]:
        key = (workload, setting, seed if "--generate" in WORKLOADS[workload][0] else 1)
        if key not in self.known:
            self.known[key] = self.jobs(workload, setting, 1, key[2])
        return self.known[key]


def mean(values: list[float]) -> float:
    return math.fsum(values) / len(values)


def mean_slowdown(jobs: list[Job]) -> float:
    return mean([job.slowdown for job in jobs])


def change(ours: list[Job], theirs: list[Job]) -> float:
    return 100 * (mean_slowdown(ours) / mean_slowdown(theirs) - 1)


def text(values: list[float]) -> str:
    if not values:
        return "-"
    return f"{mean(values):+.1f}" + (f" ± {half_width(values):.1f}" if len(values) > 1 else "")


def class_name(kind: tuple[int, int]) -> str:
    nodes = "1 node" if kind[0] == 0 else f"to {2 ** kind[0]} nodes"
    return f"{nodes}, to {RUN_NAMES[kind[1]]}"


class Changes:
    """Changes of one setting against its baseline, a value per seed."""

    def __init__(self) -> None:
        self.all: list[float] = []
        self.malleable: list[float] = []
        self.rigid: list[float] = []
        self.classes: dict[tuple[int, int], list[float]] = {}
        self.sizes: dict[tuple[int, int], int] = {}

    def add(self, ours: list[Job], theirs: list[Job]) -> None:
        self.all.append(change(ours, theirs))
        pairs = list(zip(ours, theirs, strict=True))
        for wanted, into in ((True, self.malleable), (False, self.rigid)):
            some = [pair for pair in pairs if pair[0].malleable == wanted]
            if some:
                into.append(change([a for a, _ in some], [b for _, b in some]))
        found: dict[tuple[int, int], list[tuple[Job, Job]]] = {}
        for pair in pairs:
            found.setdefault(pair[1].kind, []).append(pair)
        for kind, some in found.items():
            self.classes.setdefault(kind, []).append(change([a for a, _ in some], [b for _, b in some]))
            self.sizes[kind] = self.sizes.get(kind, 0) + len(some)

    def worst(self) -> str:
        jobs = sum(self.sizes.values())
        large = {kind: values for kind, values in self.classes.items() if self.sizes[kind] >= MIN_SHARE * jobs}
        kind = max(large, key=lambda k: mean(large[k]))
        surely = sum(1 for values in large.values() if len(values) > 1 and mean(values) - half_width(values) > 2)
        many = len(next(iter(large.values()))) > 1
        return f"{text(large[kind])} ({class_name(kind)}) | {f'{surely} of {len(large)}' if many else '-'}"


HEAD = [
    "| workload | policy | against | malleable | all | malleable jobs | rigid jobs | worst class | surely beyond +2 | command |",
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
]


def row(simulations: Simulations, workload: str, setting: str, against: str, share: float, seeds: int) -> str:
    changes = Changes()
    for seed in range(1, seeds + 1):
        changes.add(simulations.jobs(workload, setting, share, seed), simulations.static(workload, against, seed))
    command = f"{SCRIPT} drom-sim --only {workload} --policy {setting} --shares {share:g} --seeds {seeds}"
    cells = [workload, f"`{setting}`", f"`{against}`", f"{share:.0%}".replace("%", " %")]
    cells += [text(changes.all), text(changes.malleable), text(changes.rigid), changes.worst(), f"`{command}`"]
    return "| " + " | ".join(cells) + " |"


def key(line: str) -> tuple[str, ...]:
    """Workload, policy and share of a row."""
    cells = line.split(" | ")
    return cells[0].removeprefix("| "), cells[1], cells[3]


def wanted(options: argparse.Namespace) -> list[tuple[str, str, str, float]]:
    """The rows that are asked for, in the order of the table: workload, policy, baseline, share."""
    return [
        (workload, setting, against, share)
        for workload, (_, baseline) in WORKLOADS.items()
        for setting, against in policies(baseline)
        for share in map(float, options.shares.split(","))
        if options.only in (None, workload) and options.policy in (None, setting)
    ]


def place(line: str) -> tuple[int, int, int]:
    workload, setting, share = key(line)
    settings = [f"`{name}`" for name, _ in policies(WORKLOADS[workload][1])]
    return list(WORKLOADS).index(workload), settings.index(setting), int(share.split()[0])


def put(line: str) -> None:
    """Writes one row into the page, in the place of the one before."""
    page = Page(ROOT / "docs/results/simulator.md")
    rows = {key(known): known for known in page.rows("shares", SCRIPT)}
    rows[key(line)] = line
    page.replace("shares", SCRIPT, [*HEAD, *sorted(rows.values(), key=place)])
    page.write()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sim", type=Path)
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--shares", default="0.2,0.4,0.6,0.8,1")
    parser.add_argument("--only", choices=WORKLOADS)
    parser.add_argument("--policy")
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    simulations = Simulations(options.sim.resolve())
    known = Page(ROOT / "docs/results/simulator.md").rows("shares", SCRIPT)
    differ = False
    for workload, setting, against, share in wanted(options):
        line = row(simulations, workload, setting, against, share, options.seeds or SEEDS[workload])
        if not options.check and not options.print:
            put(line)
        elif options.print or line not in known:
            print(line, flush=True)
            differ = True
    return 1 if options.check and differ else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        print(f"shares: {error}", file=sys.stderr)
        sys.exit(1)
