#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""energy.py - writes the part of docs/results/schedulers.md about chapter 6 of the thesis, from simulations made now.

  scripts/results/energy.py build/release/bin/drom-sim [--seeds N] [--check [--only MACHINE,MIX]]

With --check nothing is written: rows that are not on the page are printed, and the status is 1 where there are any. --only checks the rows of one
machine and mix, for example p1-p3,13, or those of energy and sharing together.
"""

import argparse
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import mean

from page import Page, with_interval

ROOT = Path(__file__).resolve().parents[2]

BASE, TIME, ENERGY = "best-partition", "energy:least=time", "energy:least=energy"
REORDER, INC, INCV = "eamc:order=reorder", "eamc:order=priority-inc", "eamc:order=priority-inc-v"
INC15, INCV15 = INC + ",t_weight=1.5", INCV + ",t_weight=1.5"
SETTINGS = [BASE, TIME, ENERGY, REORDER, INC, INC15, INCV, INCV15]
ENERGY_POINTS, MAKESPAN_POINTS = 2, 3  # how far from the published change a row may be

# System, share of STREAM, baseline, setting, measure, published change, prototype's.
ROWS = [
    ("p1-p2", "13", BASE, TIME, "makespan", -39, "-38.6"),
    ("p1-p2", "13", BASE, TIME, "response", -64, "-46"),
    ("p1-p2", "13", BASE, ENERGY, "energy", -5, "-5.2"),
    ("p1-p2", "13", ENERGY, TIME, "energy", 12, "+12.0"),
    ("p1-p2", "13", TIME, INC, "energy", -9, "-8.0 to -8.6"),
    ("p1-p2", "33", TIME, INC15, "response", -14, "-13"),
    ("p1-p2", "33", ENERGY, TIME, "energy", 17, "+14.4"),
    ("p1-p2", "33", TIME, ENERGY, "response", 51, "+52"),
    ("p1-p2", "33", TIME, ENERGY, "makespan", 23, "+22.5"),
    ("p1-p2", "50", TIME, INC15, "response", -25, "-13.5"),
    ("p1-p2", "50", TIME, INC, "energy", -20, "-18.2"),
    ("p1-p2", "50", ENERGY, INCV, "energy", -6, "-5.7"),
    ("p1-p2", "50", ENERGY, TIME, "energy", 21, ""),
    ("p1-p2", "50", TIME, BASE, "response", -19, "-15.5"),
    ("p1-p2", "50", TIME, BASE, "energy", -10, "-7.2"),
    ("p1-p2", "50", TIME, BASE, "makespan", 7, "-1.5"),
    ("p1-p3", "13", TIME, INCV, "energy", -7, "-7.9"),
    ("p1-p3", "13", TIME, INCV15, "response", -15, "-11"),
    ("p1-p3", "13", TIME, INCV15, "energy", -4, "-6.7"),
    ("p1-p3", "13", INCV, ENERGY, "energy", -2, "-2.9"),
    ("p1-p3", "13", INCV, ENERGY, "response", 61, "+84"),
]
CASES = [("p1-p2", "13"), ("p1-p2", "33"), ("p1-p2", "50"), ("p1-p3", "13")]
SHARING = "sharing"
FIELDS = {"makespan": "makespan", "response": "response_mean", "energy": "energy_j"}


def command(system: str, mix: str, settings: list[str]) -> list[str]:
    files = ["--machine", f"examples/energy/{system}.machine", "--apps", "examples/energy/thesis.apps"]
    return ["drom-sim", "compare", "--generate", "eamc", "--app-mix", mix, *files, *settings]


def command_cell(system: str, mix: str, settings: list[str], seeds: int) -> str:
    return "`" + " ".join([*command(system, mix, settings), "--seeds", str(seeds)]) + "`"


def simulate(sim: str, system: str, mix: str, seed: int, settings: list[str], more: tuple[str, ...] = ()) -> dict[str, dict]:
    """Returns the summary of each setting."""
    words = command(system, mix, settings)
    words = [sim, *words[1:], "--workload-seed", str(seed), "--json", "-q", "--threads", "1", *more]
    out = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return dict(zip(settings, json.loads(out)))


def changes(runs: list[dict[str, dict]], base: str, setting: str, measure: str) -> list[float]:
    field = FIELDS[measure]
    return [100 * (run[setting][field] / run[base][field] - 1) for run in runs]


def verdict(measure: str, published: float, ours: float) -> str:
    if measure == "response":
        return "yes" if published * ours > 0 else "no: another sign"
    points = ENERGY_POINTS if measure == "energy" else MAKESPAN_POINTS
    off = abs(ours - published)
    return "yes" if off <= points else f"no: {off:.1f} points away"


def published_table(runs: dict, seeds: int) -> list[str]:
    lines = ["| machine, mix | setting against its baseline | measure | thesis | prototype | here | met | command |", "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for system, mix, base, setting, measure, published, prototype in ROWS:
        if (system, mix) not in runs:
            continue
        values = changes(runs[system, mix], base, setting, measure)
        lines.append(f"| {system}, {mix} % | `{setting}` against `{base}` | {measure} | {published:+d} | {prototype or '-'} | {with_interval(values)} | "
                     f"{verdict(measure, published, mean(values))} | {command_cell(system, mix, [base, setting], seeds)} |")
    return lines


def absolute_table(runs: dict) -> list[str]:
    lines = ["| machine, mix | policy | makespan d | response h | on each partition h | energy GJ | with idle nodes GJ | sum of run times Ms | GHz | on each partition | jobs in best partition | command |", "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    for (system, mix), seeds in runs.items():
        for setting in seeds[0]:
            def of(get) -> float:
                return mean(get(run[setting]) for run in seeds)
            parts = range(len(seeds[0][setting]["partitions"]))
            responses = " / ".join(f"{of(lambda s: s['partitions'][p]['response_mean'] or 0) / 3600:.1f}" for p in parts)
            speeds = " / ".join(f"{of(lambda s: s['partitions'][p]['ghz_mean'] or 0):.2f}" for p in parts)
            lines.append(f"| {system}, {mix} % | `{setting}` | {of(lambda s: s['makespan']) / 86400:.2f} | {of(lambda s: s['response_mean']) / 3600:.1f} | {responses} | "
                         f"{of(lambda s: s['energy_j']) / 1e9:.1f} | {of(lambda s: s['energy_with_idle_j']) / 1e9:.1f} | {of(lambda s: s['run_sum_s']) / 1e6:.2f} | "
                         f"{of(lambda s: s['ghz_mean']):.2f} | {speeds} | {100 * of(lambda s: s['best_partition_share']):.0f} % | {command_cell(system, mix, [setting], len(seeds))} |")
    return lines


def order_table(runs: dict) -> list[str]:
    parts = ["| machine, mix | reorder GJ | priority-inc GJ | priority-inc-v GJ | met | command |", "| --- | --- | --- | --- | --- | --- |"]
    for (system, mix), seeds in runs.items():
        energy = [mean(run[s]["energy_j"] for run in seeds) / 1e9 for s in (REORDER, INC, INCV)]
        met = energy[0] > energy[1] >= energy[2]
        parts.append(f"| {system}, {mix} % | {energy[0]:.1f} | {energy[1]:.1f} | {energy[2]:.1f} | {'yes' if met else 'no'} | {command_cell(system, mix, [REORDER, INC, INCV], len(seeds))} |")
    return parts


def sharing_table(sim: str, count: int) -> list[str]:
    """Returns the rows of chapter 7's future work: frequencies and sharing together, each alone, and neither."""
    both = "sd-eamc"
    lines = ["| machine | policy | makespan | response | slowdown | energy | with idle nodes | command |", "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for system, base, settings in (("p1", "easy", ["eamc", "sd+", both]), ("p1-p2", INCV, [both])):
        runs = [simulate(sim, system, "13", seed, [base, *settings]) for seed in range(1, count + 1)]
        for setting in settings:
            cells = []
            for field in ("makespan", "response_mean", "slowdown_mean", "energy_j", "energy_with_idle_j"):
                cells.append(with_interval([100 * (run[setting][field] / run[base][field] - 1) for run in runs]))
            lines.append(f"| {system} | `{setting}` against `{base}` | " + " | ".join(cells) + f" | {command_cell(system, '13', [base, setting], count)} |")
    return lines


def simulate_all(sim: str, cases: list[tuple[str, str]], seeds: int) -> dict:
    """Returns the summaries of each machine and mix, one per seed."""
    with ThreadPoolExecutor(2) as pool:
        jobs = {(case, seed): pool.submit(simulate, sim, *case, seed, SETTINGS) for case in cases for seed in range(1, seeds + 1)}
        return {case: [jobs[case, seed].result() for seed in range(1, seeds + 1)] for case in cases}


def section(sim: str, seeds: int) -> list[str]:
    runs = simulate_all(sim, CASES, seeds)
    return [f"Changes are in percent of the baseline: means over {seeds} workloads, with 95 % confidence. A row is met where the energy is within {ENERGY_POINTS} points of the",
            f"thesis, the makespan within {MAKESPAN_POINTS}, and where the response has its sign. The workload of the thesis is not public.",
            "With `--out DIR` a command writes a row per seed to `DIR/summary.csv`, and the measures of each partition of one seed to `DIR/summary.json`.", "",
            *published_table(runs, seeds), "",
            "The orders have to gain in this order: *reorder*, *priority-inc*, *priority-inc-v*. No entry is beyond the threshold of 35 % with the published", "coefficients, and so the last two are the same.", "", *order_table(runs), "",
            "### The measures themselves", "", *absolute_table(runs), "",
            "### Energy and sharing together", "", "The same changes with `sd-eamc`, which the thesis names as future work. The machine `p1` is 1024 nodes of one partition.", "",
            *sharing_table(sim, seeds)]


def tables_of(sim: str, only: str, seeds: int) -> list[list[str]]:
    if only == SHARING:
        return [sharing_table(sim, seeds)]
    system, mix = only.split(",")
    runs = simulate_all(sim, [(system, mix)], seeds)
    return [published_table(runs, seeds), order_table(runs), absolute_table(runs)]


def check_rows(tables: list[list[str]], page: Page) -> int:
    """Prints the rows that the page does not have. Returns the exit status."""
    known = set(page.was.splitlines())
    strange = [line for table in tables for line in table[2:] if line not in known]
    print("".join(line + "\n" for line in strange), end="")
    return 1 if strange else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sim")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", choices=[*(",".join(case) for case in CASES), SHARING])
    options = parser.parse_args()
    if options.only and not options.check:
        parser.error("--only goes with --check: the others would be lost")
    sim = str(Path(options.sim).resolve())
    page = Page(ROOT / "docs/results/schedulers.md")
    if options.only:
        return check_rows(tables_of(sim, options.only, options.seeds), page)
    page.replace("energy", "scripts/results/energy.py", section(sim, options.seeds))
    return page.check() if options.check else page.write()


if __name__ == "__main__":
    sys.exit(main())
