#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""numbers.py - prints docs/numbers.md from build/bench/summary.json and build/demo/report.json: measured, not typed.

  scripts/bench.sh && scripts/demo.sh && scripts/numbers.py > docs/numbers.md
"""

import json
import sys
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
    """The floor or peer that was measured in the same run."""
    parts = []
    for kind in ("floor", "peer"):
        for name, value in figure.get(kind, {}).items():
            middle = value.get("value") if isinstance(value, dict) else value
            if isinstance(middle, int | float):
                parts.append(f"{name.replace('_', ' ')} {number(middle)}")
    return ", ".join(parts) or "-"


def bench(summary: dict) -> None:
    machine = summary.get("machine", {})
    print("## What drom costs\n")
    print(f"`scripts/bench.sh` on {machine.get('cpus', '?')} CPUs, Linux {machine.get('kernel', '?')}; medians, 10 % to 90 % beside them. "
          "Targets are this project's own; the incumbent is DLB 3.7, measured on a machine of the same kind.\n")
    print("| figure | median | spread | unit | target | incumbent | beside it in the same run |\n| --- | --- | --- | --- | --- | --- | --- |")
    for key, figure in summary.items():
        if isinstance(figure, dict) and "value" in figure:
            print(f"| `{key}` | {number(figure['value'])} | {spread(figure)} | {figure.get('unit', '')} | {number(figure.get('target'))} | "
                  f"{number(figure.get('incumbent'))} | {beside(figure)} |")
    print()


def cell(value: dict) -> str:
    return f"{value['median']:.2f} ({value['least']:.2f}-{value['most']:.2f})"


def demo(report: dict) -> None:
    print("## What it gains\n")
    print(f"`scripts/demo.sh` on {report['cpus']} CPUs: the simulation has all of them, the analytics arrives after {report['arrival_s']:g} s and asks for "
          f"{report['cpus_wanted']}. Seconds, median of {report['repeats']} (least-most); response is from being asked for to the end. "
          "While waiting, the analytics gets the whole node afterwards.\n")
    columns = ("whole run", "simulation's response", "analytics' response", "average response")
    print("| | " + " | ".join(columns) + " |\n| --- |" + " --- |" * len(columns))
    for case in report["cases"]:
        print(f"| **{case['title']}** |" + " |" * len(columns))
        for way in WAYS:
            seconds = case["ways"][way]["seconds"]
            print(f"| {way} | " + " | ".join(cell(seconds[name]) for name in columns) + " |")
    print("\nEvery program computed the same result in all three ways, bit for bit.\n")


def main() -> int:
    try:
        summary = json.loads((ROOT / "build/bench/summary.json").read_text())
        report = json.loads((ROOT / "build/demo/report.json").read_text())
    except OSError as error:
        print(f"numbers: {error.filename} is not there; run scripts/bench.sh and scripts/demo.sh first", file=sys.stderr)
        return 1
    print("# Numbers\n")
    print("Made by `scripts/numbers.py` from one run of `scripts/bench.sh` and one of `scripts/demo.sh`; run them to get your own.\n")
    bench(summary)
    demo(report)
    print("![the same run](images/timeline.svg)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
