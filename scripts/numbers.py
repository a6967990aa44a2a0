#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""numbers.py - prints docs/results/numbers.md from what was measured into build/: not typed.

  scripts/bench.sh && scripts/bench.sh slurm && scripts/bench.sh select && scripts/bench.sh slurm-scale && scripts/attack.sh latency && scripts/demo.sh && scripts/demo.sh --overhead && scripts/slurm-demo.sh && scripts/slurm-demo.sh --table && scripts/numbers.py > docs/results/numbers.md
"""

import json
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WAYS = ("drom", "waiting", "oversubscribed")


def number(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool | str):
        return str(value)
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def spread(figure: dict) -> str:
    low, high = figure.get("p10"), figure.get("p90")
    return f"{number(low)} - {number(high)}" if low is not None and high is not None else "-"


def beside(figure: dict) -> str:
    """Returns the floor or peer that was measured in the same run."""
    parts = []
    for kind in ("floor", "peer"):
        for name, value in figure.get(kind, {}).items():
            middle = value.get("value") if isinstance(value, dict) else value
            if isinstance(middle, int | float):
                parts.append(f"{name.replace('_', ' ')} {number(middle)}")
    return ", ".join(parts) or "-"


def paragraph(*sentences: str) -> None:
    print(textwrap.fill(" ".join(sentences), width=150, break_long_words=False, break_on_hyphens=False), end="\n\n")


def say_if_busy(report: dict) -> None:
    if (busy := report.get("load_before", 0)) > report.get("cpus", 1) / 2:
        paragraph(f"**Other work kept {busy:.1f} CPUs busy when this began: take the times as an illustration.**")


def bench(summary: dict) -> None:
    machine = summary.get("machine", {})
    print("## What drom costs\n")
    paragraph(f"`scripts/bench.sh` on {machine.get('cpus', '?')} CPUs, Linux {machine.get('kernel', '?')}; medians, or the 99th percentile where a name has p99, with 10 % to 90 % beside them.",
              "Targets are this project's own; the incumbent is DLB 3.7, measured on a machine of the same kind.")
    print("| figure | median | spread | unit | target | incumbent | beside it in the same run |\n| --- | --- | --- | --- | --- | --- | --- |")
    for key, figure in summary.items():
        if isinstance(figure, dict) and "missing" in figure:
            print(f"| `{key}` | not measured: {figure['missing']} | - | {figure['unit']} | {number(figure['target'])} | {number(figure['incumbent'])} | - |")
        elif isinstance(figure, dict) and "value" in figure:
            print(f"| `{key}` | {number(figure['value'])} | {spread(figure)} | {figure.get('unit', '')} | {number(figure.get('target'))} | "
                  f"{number(figure.get('incumbent'))} | {beside(figure)} |")
    print()


def distributions(kinds: dict) -> None:
    """Prints of tests/latency how long a client takes to leave a CPU, from the request on."""
    columns = [name for name in next(iter(kinds.values())) if name != "samples"]
    paragraph("`scripts/attack.sh latency`: from the request until a CPU is released, as distributions; microseconds.",
              "Clients differ by how far their safe points are apart; the floor is a futex there and back between two processes, in the same run.")
    print("| | requests | " + " | ".join(columns) + " |\n| --- | --- |" + " --- |" * len(columns))
    for kind, found in kinds.items():
        print(f"| {kind} | {found['samples']:,} | " + " | ".join(number(found[name]) for name in columns) + " |")
    print()


def cell(value: dict) -> str:
    return f"{value['median']:.2f} ({value['min']:.2f}-{value['max']:.2f})"


def demos() -> list[dict]:
    """Returns the runs on this machine and on others: their build/demo, copied as build/demo-NAME."""
    return [json.loads(path.read_text()) for path in sorted((ROOT / "build").glob("demo*/report.json"))]


def demo(report: dict) -> None:
    paragraph(f"`scripts/demo.sh` on {report['cpus']} CPUs: the simulation has all of them, the analytics arrives after {report['arrival_s']:g} s and asks for "
              f"{report['cpus_wanted']}.", f"Seconds, median of {report['repeats']} (min-max); response is from being asked for to the end.",
              "While waiting, the analytics gets the whole node afterwards.")
    say_if_busy(report)
    columns = ("whole run", "simulation's response", "analytics' response", "average response")
    print("| | " + " | ".join(columns) + " |\n| --- |" + " --- |" * len(columns))
    for case in report["cases"]:
        print(f"| **{case['title']}** |" + " |" * len(columns))
        for way in WAYS:
            seconds = case["ways"][way]["seconds"]
            print(f"| {way} | " + " | ".join(cell(seconds[name]) for name in columns) + " |")
    print("\nEvery program computed the same result in all three ways, bit for bit.\n")


def slurm_demo(report: dict) -> None:
    print("## Under Slurm\n")
    paragraph(f"`scripts/slurm-demo.sh` on {report['cpus']} CPUs: batch jobs of a real Slurm.",
              f"Seconds, median of {report['repeats']} (min-max); response is from submission to the last line of the batch script.")
    say_if_busy(report)
    for case in report["cases"]:
        columns = list(case["ways"]["drom"]["seconds"])
        print(f"**{case['title']}**: the {case['guest']} comes after {case['arrival_s']:g} s and asks for {case['guest_asks']}.\n")
        print("| | " + " | ".join(columns) + " |\n| --- |" + " --- |" * len(columns))
        for way, what in case["ways"].items():
            print(f"| {way} | " + " | ".join(cell(what["seconds"][name]) for name in columns) + " |")
        for way, change in case["drom_against"].items():
            print(f"| drom against {way} | " + " | ".join(f"{change[name]:+.0f} %" for name in columns) + " |")
        print()
    print("![a run of scripts/slurm-demo.sh](../images/slurm-timeline.svg)\n")


def shapes(report: dict) -> None:
    """Prints of scripts/slurm-demo.sh --table how both times changed under drom."""
    paragraph(f"`scripts/slurm-demo.sh --table` on {report['cpus']} CPUs: the first use case in the shapes of the thesis's figures 4.5 to 4.13.",
              f"Medians of {report['repeats']}; in the thesis the whole run changed by +5 to -8 %, the average response by -37 to -48 %.")
    say_if_busy(report)
    times = ("whole run", "average response")
    print("| | " + " | ".join(f"{way}: {time}" for time in times for way in report["cases"][0]["ways"]) + " | " +
          " | ".join(f"against serial: {time}" for time in times) + " |\n| --- |" + " --- |" * 8)
    for case in report["cases"]:
        medians = [f"{what['seconds'][time]['median']:.2f}" for time in times for what in case["ways"].values()]
        changed = [f"{case['drom_against']['serial'][time]:+.0f} %" for time in times]
        print(f"| {case['title']} | " + " | ".join(medians + changed) + " |")
    print()


def overhead(report: dict) -> None:
    """Prints of scripts/demo.sh --overhead what preloading adds."""
    paragraph(f"`scripts/demo.sh --overhead` on {report['cpus']} CPUs: what preloading adds to the time of `pils_mpi`, which only computes.",
              f"Medians of {report['repeats']} turns, with their 95 % intervals. The thesis has 0.018 % and 0.2 % (section 4.3).")
    say_if_busy(report)
    print("| rounds | bare, s | in its rounds | with the launcher and MPI_Init |\n| --- | --- | --- | --- |")
    for row in report["rows"]:
        found = [f"{value['median']:+.2f} % ({value['low']:+.2f} to {value['high']:+.2f})" for value in (row["rounds_percent"], row["whole_percent"])]
        print(f"| {row['rounds']:,} | {row['ways']['bare']['whole_s']['median']:.2f} | " + " | ".join(found) + " |")
    print()


def slurm_bench(report: dict, *sentences: str) -> None:
    paragraph(*sentences, *([f"Medians of {report['turns']} turns."] if "turns" in report else []))
    say_if_busy(report)
    print("| figure | median | spread | target |\n| --- | --- | --- | --- |")
    for key, figure in report["figures"].items():
        print(f"| `{key}` | {number(figure['value'])} | {spread(figure)} | {number(figure.get('target'))} |")
    print()


def launch(report: dict) -> None:
    slurm_bench(report, "`scripts/bench.sh slurm`: time of `srun true`, and what drom adds to it in the same turn; milliseconds.")


def scheduling(report: dict) -> None:
    slurm_bench(report, "`scripts/bench.sh select`: a scheduling cycle of slurmctld with 500 nodes, 1,000 running and 1,000 waiting jobs.",
                f"Backfill looks at {report['depth']:,} of them; `bench/scheduling.py` says how.",
                'CPU time is what was slurmctld\'s own; "anew" is the first cycle after a reconfiguration, when nothing is remembered.')


def scale(report: dict) -> None:
    slurm_bench(report, "`scripts/bench.sh slurm-scale`: the same with thousands of nodes.",
                f"Backfill looks at {report['depth']:,} jobs; `bench/scale.py` says how.")


def measured(file: str) -> dict | None:
    path = ROOT / "build" / file
    return json.loads(path.read_text()) if path.exists() else None


def main() -> int:
    summary, reports = measured("bench/summary.json"), demos()
    if summary is None and not reports:
        print("numbers: nothing was measured; run scripts/bench.sh and scripts/demo.sh first", file=sys.stderr)
        return 1
    print("# Numbers\n")
    paragraph("Made by `scripts/numbers.py` from the last runs of `scripts/bench.sh` and of the two demonstrations; run them to get your own.")
    if summary is not None:
        bench(summary)
    if (kinds := measured("attack/latency.json")) is not None:
        distributions(kinds)
    if (preloading := measured("demo/overhead.json")) is not None:
        overhead(preloading)
    if reports:
        print("## What it gains\n")
        for report in reports:
            demo(report)
        print("![a run of scripts/demo.sh](../images/timeline.svg)\n")
    if (slurm := measured("slurm-demo/report.json")) is not None:
        slurm_demo(slurm)
    if (table := measured("slurm-demo/table.json")) is not None:
        shapes(table)
    if (steps := measured("bench/slurm.json")) is not None:
        launch(steps)
    if (cycles := measured("bench/select.json")) is not None:
        scheduling(cycles)
    if (large := measured("bench/slurm-scale.json")) is not None:
        scale(large)
    return 0


if __name__ == "__main__":
    sys.exit(main())
