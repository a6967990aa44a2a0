#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""malleable-shares.py - what each policy gains where only some jobs are malleable, as a table for docs/results/simulator.md.

  scripts/malleable-shares.py [--sim DROM_SIM] [--seeds N] [--shares S,S...] [--only WORKLOAD] [--policy TEXT]

Each row is the change of the mean slowdown against a static policy over the same jobs, in percent. Beside it is the 95 % interval over the seeds
(Student's t). There are columns for all jobs, the malleable ones, the rigid ones, and the class of jobs that fares worst. Classes are those of the
report, by nodes and run time.
A seed draws which jobs are malleable, and the workload where it is generated. Classes with less than half a percent of the jobs are left out.
`--policy` takes only the policies whose setting contains the text. The last line names the command of one run.
Exit status: 0 the table was printed; 1 a simulation failed; 2 usage."""

import argparse
import csv
import math
import subprocess
import sys
import tempfile
from bisect import bisect_left
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOGS = ROOT.parent / "shared" / "workloads"
RUN_CLASSES = (60, 600, 3600, 4 * 3600, 12 * 3600, 24 * 3600, 72 * 3600)
RUN_NAMES = ("1 min", "10 min", "1 h", "4 h", "12 h", "24 h", "72 h", "longer")
STUDENT = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}
MIN_SHARE = 0.005

DEPTH = "bf_max_job_test=50,bf_window=0"
WORKLOADS = {
    "w1": (["--generate", "w1"], f"slurm:{DEPTH}"),
    "RICC": (["--swf", str(LOGS / "RICC-sept-2010.swf.gz"), "--nodes", "1024", "--cores-per-node", "8"], f"slurm:{DEPTH}"),
    "Curie": (["--swf", str(LOGS / "CEA-Curie-2012.pyss-easy.swf.gz"), "--nodes", "5040", "--cores-per-node", "16"], "slurm"),
}


def policies(baseline: str) -> list[tuple[str, str]]:
    """The settings that are compared, each with its own baseline."""
    options = baseline.partition(":")[2]
    static = f",{options}" if options else ""
    return [
        (f"sd:max_slowdown=10{static}", baseline),
        (f"sd-deep{':' + options if options else ''}", baseline),
        (f"slurm:prediction=knn{static}", baseline),
        ("sd+", "easy"),
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
    """Runs of drom-sim; those of static policies are remembered, which do not look at who is malleable."""

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


def estimate(values: list[float]) -> tuple[float, float]:
    if len(values) < 2:
        return values[0], 0
    middle = mean(values)
    deviation = math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1))
    return middle, STUDENT.get(len(values), 2) * deviation / math.sqrt(len(values))


def text(values: list[float]) -> str:
    if not values:
        return "-"
    middle, half = estimate(values)
    return f"{middle:+.1f} ± {half:.1f}"


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
        surely = sum(1 for values in large.values() if estimate(values)[0] - estimate(values)[1] > 2)
        return f"{text(large[kind])} ({class_name(kind)}; {surely} of {len(large)} surely beyond +2)"


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__.replace("%", "%%"))
    parser.add_argument("--sim", type=Path, default=ROOT / "build" / "release" / "bin" / "drom-sim")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--shares", default="0.2,0.4,0.6,0.8,1")
    parser.add_argument("--only", choices=WORKLOADS)
    parser.add_argument("--policy", default="")
    options = parser.parse_args()
    simulations = Simulations(options.sim)
    print("| workload | policy | malleable | all | malleable jobs | rigid jobs | worst class |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for workload, (_, baseline) in WORKLOADS.items():
        if options.only not in (None, workload):
            continue
        for setting, against in policies(baseline):
            if options.policy not in setting:
                continue
            for share in map(float, options.shares.split(",")):
                changes = Changes()
                for seed in range(1, options.seeds + 1):
                    changes.add(simulations.jobs(workload, setting, share, seed), simulations.static(workload, against, seed))
                print(
                    f"| {workload} | `{setting}` against `{against}` | {share:.0%} | {text(changes.all)} | {text(changes.malleable)} | "
                    f"{text(changes.rigid)} | {changes.worst()} |",
                    flush=True,
                )
    example = simulations.command("w1", policies(WORKLOADS["w1"][1])[1][0], 0.2, 1)
    print("\nOne run: `" + " ".join(["drom-sim", *example[1:], "--out", "FOLDER"]) + "`")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        print(f"malleable-shares: {error}", file=sys.stderr)
        sys.exit(1)
