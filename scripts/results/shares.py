#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""shares.py - what each policy gains where only some jobs are malleable: tables of docs/results/simulator.md.

  scripts/results/shares.py build/release/bin/drom-sim [--seeds N | --seed K] [--shares S,S...] [--only WORKLOAD] [--policy SETTING] [--part PART]
                            [--logs FOLDER] [--print | --check | --csv FILE]
  scripts/results/shares.py --from FILE [--from FILE] [--part PART] [--print | --check]

Rows are changes of the mean slowdown against a static policy, in percent. Beside it is the 95 % interval over the seeds
(Student's t). There are columns for all jobs, the malleable ones, the rigid ones, and the class of jobs that fares worst. Classes are those of the
report, by nodes and run time. A class is surely beyond +2 where its whole interval is.
A seed draws which jobs are malleable, and the workload where it is generated. Classes with less than half a percent of the jobs are left out.
Parts are shares, every policy and every share, choice, options of sd-deep, why, what sd lacks, and more, a row of Curie with more seeds: the latter
three at 20 %. The table aim says what rows of more have, and those of shares where more has none. It is made with them.
Rows that are not asked for stay as they are. With --print the rows are printed only. With --check nothing is written: rows that differ are printed,
and the status is 1 where there are any.
With --csv the changes of each seed are appended to FILE instead. So processes can share the work, each with a file of its own: --seed makes one
seed only. With --from, as often as there are files, nothing is simulated, and the rows are those of the files.
Exit status: 0 done; 1 a simulation failed, or a row differs; 2 usage.
"""

import argparse
import csv
import math
import subprocess
import sys
import tempfile
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from page import Page, half_width

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = "scripts/results/shares.py"
PAGE = ROOT / "docs/results/simulator.md"
LOGS = ROOT.parent / "shared" / "workloads"
RUN_CLASSES = (60, 600, 3600, 4 * 3600, 12 * 3600, 24 * 3600, 72 * 3600)
RUN_NAMES = ("1 min", "10 min", "1 h", "4 h", "12 h", "24 h", "72 h", "longer")
MIN_SHARE = 0.005

DEPTH = "bf_max_job_test=50,bf_window=0"
WORKLOADS = {
    "w1": (["--generate", "w1"], f"slurm:{DEPTH}"),
    "RICC": (["--swf", "RICC-sept-2010.swf.gz", "--nodes", "1024", "--cores-per-node", "8"], f"slurm:{DEPTH}"),
    "Curie": (["--swf", "CEA-Curie-2012.pyss-easy.swf.gz", "--nodes", "5040", "--cores-per-node", "16"], "slurm"),
}


# Seeds of a row, where --seeds does not say: a run of Curie takes up to minutes.
SEEDS = {"w1": 5, "RICC": 3, "Curie": 1}


def policies(baseline: str) -> list[tuple[str, str]]:
    """Returns the settings that are compared, each with its own baseline."""
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


def choice(baseline: str) -> list[tuple[str, str]]:
    static = baseline.removeprefix("slurm").replace(":", ",")
    return [(f"sd-deep:{options}{static}", baseline) for options in ("keep=first,sharing_factor=0.5", "keep=all,sharing_factor=0.5", "keep=all,sharing_factor=0.65")]


def why(baseline: str) -> list[tuple[str, str]]:
    """Returns the options of sd, which leads to those of sd-deep."""
    deep = "max_slowdown=inf,gain={},parts={},keep=first,sharing_depth=0"
    some = ["max_slowdown=10", "max_slowdown=inf,gain=1,parts=yes", "max_slowdown=inf,gain=1,parts=yes,keep=first", deep.format(1, "yes"), deep.format(20, "yes")]
    return [(f"sd:{options},{DEPTH}", baseline) for options in [*some, deep.format(100, "yes"), deep.format(20, "no")]]


def more(baseline: str) -> list[tuple[str, str]]:
    return [("sd-deep", baseline)]


# Settings of each part, and its shares; parts of one workload only; parts whose rows the aim has, the first one first.
PARTS = {"shares": (policies, "0.2,0.4,0.6,0.8,1"), "choice": (choice, "0.2"), "why": (why, "0.2"), "more": (more, "0.2")}
ONLY = {"why": "w1", "more": "Curie"}
OF_AIM = ("more", "shares")


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

    def __init__(self, sim: Path, logs: Path) -> None:
        self.sim, self.logs = sim, logs
        self.known: dict[tuple[str, str, int], list[Job]] = {}

    def command(self, workload: str, setting: str, share: float, seed: int) -> list[str]:
        words = [str(self.sim), *WORKLOADS[workload][0], "--policy", setting, "--malleable-share", str(share), "--seed", str(seed)]
        return [*words, "--workload-seed", str(seed)] if "--generate" in words else words

    def jobs(self, workload: str, setting: str, share: float, seed: int) -> list[Job]:
        with tempfile.TemporaryDirectory() as folder:
            words = [*self.command(workload, setting, share, seed), "-q", "--force", "--out", folder]
            subprocess.run(words, cwd=self.logs if "--swf" in words else None, check=True, stdout=subprocess.DEVNULL)
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


class Change(NamedTuple):
    """The change of the mean slowdown of some jobs, in percent: a row of a file of --csv."""

    part: str  # all, malleable, rigid or class
    nodes: int  # of a class: at most 2 to the power of it
    run: int  # of a class: index of its longest run time
    jobs: int
    change: float


class Run(NamedTuple):
    """The setting and the seed that a change is of."""

    workload: str
    policy: str
    against: str
    share: float
    seed: int


def changes_between(ours: list[Job], theirs: list[Job]) -> Iterator[Change]:
    """Changes of all jobs, of the malleable and the rigid ones, and of each class."""
    parts: dict[tuple[str, int, int], list[tuple[Job, Job]]] = {}
    for pair in zip(ours, theirs, strict=True):
        kinds = [("all", 0, 0), ("malleable" if pair[0].malleable else "rigid", 0, 0), ("class", *pair[1].kind)]
        for kind in kinds:
            parts.setdefault(kind, []).append(pair)
    for kind, pairs in parts.items():
        yield Change(*kind, len(pairs), change([a for a, _ in pairs], [b for _, b in pairs]))


class Changes:
    """Changes of one setting against its baseline, a value per seed."""

    def __init__(self) -> None:
        self.parts: dict[str, list[float]] = {"all": [], "malleable": [], "rigid": []}
        self.classes: dict[tuple[int, int], list[float]] = {}
        self.sizes: dict[tuple[int, int], int] = {}

    def add(self, one: Change) -> None:
        if one.part != "class":
            self.parts[one.part].append(one.change)
            return
        kind = one.nodes, one.run
        self.classes.setdefault(kind, []).append(one.change)
        self.sizes[kind] = self.sizes.get(kind, 0) + one.jobs

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


def row(part: str, setting: Run, changes: Changes) -> str:
    command = f"{SCRIPT} drom-sim --only {setting.workload} --policy {setting.policy} --shares {setting.share:g} --seeds {len(changes.parts['all'])}"
    if part != "shares":
        command += f" --part {part}"
    cells = [setting.workload, f"`{setting.policy}`", f"`{setting.against}`", f"{setting.share:.0%}".replace("%", " %")]
    cells += [text(changes.parts[some]) for some in ("all", "malleable", "rigid")]
    return "| " + " | ".join([*cells, changes.worst(), f"`{command}`"]) + " |"


def rows(part: str, found: Iterable[tuple[Run, Change]]) -> Iterator[str]:
    """Yields the row of each setting; a seed that is there twice counts once."""
    settings: dict[Run, dict[tuple[int, str, int, int], Change]] = {}
    for run, one in found:
        settings.setdefault(run._replace(seed=0), {})[(run.seed, *one[:3])] = one
    for setting, known in settings.items():
        changes = Changes()
        for _, one in sorted(known.items()):
            changes.add(one)
        yield row(part, setting, changes)


def key(line: str) -> tuple[str, ...]:
    """Returns workload, policy and share of a row."""
    cells = line.split(" | ")
    return cells[0].removeprefix("| "), cells[1], cells[3]


def wanted(options: argparse.Namespace) -> Iterator[list[Run]]:
    """Yields the rows that are asked for, in the order of the table, each as its runs."""
    settings, shares = PARTS[options.part]
    for workload, (words, baseline) in WORKLOADS.items():
        if ONLY.get(options.part, workload) != workload:
            continue
        for policy, against in settings(baseline):
            if options.only in (None, workload) and options.policy in (None, policy):
                for share in map(float, (options.shares or shares).split(",")):
                    same = share == 1 and "--generate" not in words
                    yield [Run(workload, policy, against, share, seed) for seed in ([1] if same else seeds_of(options, workload))]


def seeds_of(options: argparse.Namespace, workload: str) -> Iterable[int]:
    return [options.seed] if options.seed else range(1, (options.seeds or SEEDS[workload]) + 1)


def simulated(simulations: Simulations, runs: list[Run]) -> Iterator[tuple[Run, Change]]:
    for run in runs:
        ours = simulations.jobs(run.workload, run.policy, run.share, run.seed)
        for one in changes_between(ours, simulations.static(run.workload, run.against, run.seed)):
            yield run, one


def append(path: Path, found: Iterable[tuple[Run, Change]]) -> None:
    with open(path, "a", encoding="utf-8", newline="") as lines:
        written = csv.writer(lines)
        if lines.tell() == 0:
            written.writerow([*Run._fields, *Change._fields])
        written.writerows([*run, *one] for run, one in found)


def read(paths: list[Path]) -> Iterator[tuple[Run, Change]]:
    for path in paths:
        with open(path, encoding="utf-8", newline="") as lines:
            for cells in csv.DictReader(lines):
                run = Run(cells["workload"], cells["policy"], cells["against"], float(cells["share"]), int(cells["seed"]))
                yield run, Change(cells["part"], int(cells["nodes"]), int(cells["run"]), int(cells["jobs"]), float(cells["change"]))


def place(part: str, line: str) -> tuple[int, int, int]:
    workload, setting, share = key(line)
    settings = [f"`{name}`" for name, _ in PARTS[part][0](WORKLOADS[workload][1])]
    return list(WORKLOADS).index(workload), settings.index(setting), int(share.split()[0])


def verdict(line: str) -> str:
    """Says of a row of 20 % whether it is at least 10 % better, with no class worse by more than 2 %."""
    cells = line.split(" | ")
    gain, worst = cells[4], cells[7].split(" (")[0]
    met = float(gain.split()[0]) <= -10 and float(worst.split()[0]) <= 2
    return f"{gain}, {worst}: {'**met**' if met else 'missed'}"


def aim(page: Page) -> list[str]:
    """Returns a table of verdicts on the page's rows of 20 %: a line per policy, a column per workload."""
    found: dict[tuple[int, int], str] = {}
    for part in OF_AIM:
        for line in page.rows(part, SCRIPT):
            if key(line)[2] == "20 %":
                found.setdefault(place("shares", line)[:2], verdict(line))
    table = ["| policy | " + " | ".join(WORKLOADS) + " |", "| --- |" + " --- |" * len(WORKLOADS)]
    for number, (setting, _) in enumerate(policies("slurm")):
        cells = [found.get((workload, number), "not run") for workload in range(len(WORKLOADS))]
        table.append(f"| `{setting}` | " + " | ".join(cells) + " |")
    return table


def aim_differs() -> bool:
    """Prints the table aim where it is not what the rows on the page say."""
    page = Page(PAGE)
    made = aim(page)[2:]
    if page.rows("aim", SCRIPT) == made:
        return False
    print("\n".join(made))
    return True


def put(part: str, line: str) -> None:
    """Writes one row into the page, in the place of the one before."""
    page = Page(PAGE)
    known = {key(other): other for other in page.rows(part, SCRIPT)}
    known[key(line)] = line
    lines = sorted(known.values(), key=lambda other: place(part, other))
    page.replace(part, SCRIPT, [*HEAD, *lines])
    if part in OF_AIM:
        page.replace("aim", SCRIPT, aim(page))
    page.write()


def lines_of(options: argparse.Namespace) -> Iterator[str]:
    """Yields the rows that are asked for, each as soon as it is known; none with --csv, which has the changes."""
    if options.read:
        yield from rows(options.part, read(options.read))
        return
    simulations = Simulations(options.sim.resolve(), options.logs)
    for runs in wanted(options):
        if options.csv:
            append(options.csv, simulated(simulations, runs))
        else:
            yield from rows(options.part, simulated(simulations, runs))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sim", type=Path, nargs="?")
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--shares")
    parser.add_argument("--part", choices=PARTS, default="shares")
    parser.add_argument("--only", choices=WORKLOADS)
    parser.add_argument("--policy")
    parser.add_argument("--logs", type=Path, default=LOGS)
    parser.add_argument("--from", type=Path, action="append", dest="read", metavar="FILE")
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if (options.sim is None) == (options.read is None):
        parser.error("give either drom-sim or --from")
    return options


def main() -> int:
    options = arguments()
    known = [] if options.csv or options.print else Page(PAGE).rows(options.part, SCRIPT)
    differ = options.check and options.part in OF_AIM and aim_differs()
    for line in lines_of(options):
        if not options.check and not options.print:
            put(options.part, line)
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
