#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""insitu.py - the demonstration: an analytics program arrives at a node that a simulation owns.

Called by scripts/demo.sh after the build. Prints a table; leaves report.json, timeline.svg and trace.json.
Exit status: 0 done, 1 something went wrong or a program computed something else than when it was alone, 2 usage.
"""

import argparse
import json
import os
import platform
import sys
from pathlib import Path

import perfetto
import picture
import report
import timeline
from programs import Failure, Pair, calibrate, pairs
from ways import Node, Run, TooShort

TITLE = "Two unmodified OpenMP programs trade the CPUs of one node"


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/demo.sh", description="An analytics program arrives at a node that a simulation owns.")
    parser.add_argument("--bin", type=Path, required=True, help="folder with drom and the example programs")
    parser.add_argument("--out", type=Path, required=True, help="folder for report.json, timeline.svg and trace.json")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each way (default 3)")
    parser.add_argument("--seconds", type=float, default=3.0, help="length of the simulation on the whole node (default 3)")
    parser.add_argument("--case", action="append", choices=["libgomp", "libomp", "openblas", "gromacs"], help="only this case; may be repeated")
    options = parser.parse_args()
    options.bin = options.bin.resolve()  # the programs start in folders of their own
    if options.repeats < 1 or options.seconds < 0.2:
        parser.error("at least one repeat of 0.2 s")
    return options


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def same_results(pair: Pair, runs: list[Run]) -> dict[str, str]:
    """What each program printed, which must be the same in every way and repeat."""
    first = runs[0]
    for run in runs:
        for name, text in run.outputs.items():
            if text != first.outputs[name]:
                raise Failure(f"{pair.title}: the {name} computed something else under '{run.way}' than under '{first.way}': "
                              f"'{text}' instead of '{first.outputs[name]}'")
    return first.outputs


def read_timeline(pair: Pair, run: Run, node: Node) -> timeline.Timeline:
    """The events of a run under drom, and proof in them that the CPUs changed hands and came back."""
    names = {event["slot"]: event["name"] for event in run.events if event.get("name")}
    seen = timeline.read(run.events, names)
    if seen.lost:
        raise Failure(f"{pair.title}: {seen.lost} events of the table were lost")
    if seen.conflicts:
        raise Failure(f"{pair.title}: {seen.conflicts[0]}")
    analytics = {tenure.cpu for tenure in seen.tenures if tenure.client.name == "analytics"}
    if len(analytics) != node.wanted:
        raise Failure(f"{pair.title}: the analytics asked for {node.wanted} CPUs and had {len(analytics)}")
    simulation = [tenure for tenure in seen.tenures if tenure.client.name == "simulation"]
    back = {tenure.cpu for tenure in simulation if tenure.begin > run.analytics.begin}
    if run.simulation.end > run.analytics.end + 50_000_000 and not analytics <= back:
        raise Failure(f"{pair.title}: the simulation did not get CPU {picture.ranges(sorted(analytics - back))} back")
    return seen


def measure(pair: Pair, node: Node, repeats: int) -> dict[str, list[Run]]:
    runs: dict[str, list[Run]] = {way: [] for way in report.WAYS}
    # The ways take turns, so that a disturbed minute disturbs all of them.
    for repeat in range(repeats):
        for way in report.WAYS:
            print(f"demo: {pair.title}: {way}, {repeat + 1} of {repeats}", file=sys.stderr)
            runs[way].append(node.run(pair, way))
    return runs


def measure_long_enough(pair: Pair, node: Node, repeats: int) -> dict[str, list[Run]]:
    """On a crowded machine programs whose threads wait for one another take many times as long, and the calibration with them."""
    for _ in range(3):
        try:
            return measure(pair, node, repeats)
        except TooShort as short:
            print(f"demo: {pair.title}: {short}; again with three times the work", file=sys.stderr)
            pair.simulation.amount *= 3
    return measure(pair, node, repeats)


def median_run(runs: list[Run]) -> Run:
    return sorted(runs, key=lambda run: run.average)[len(runs) // 2]


def span(name: str, run: Run) -> picture.Span:
    times = {"simulation": run.simulation, "analytics": run.analytics}[name]
    asked, begin, end = ((time - run.simulation.asked) / 1e9 for time in (times.asked, times.begin, times.end))
    return picture.Span(name, asked, begin, end)


def picture_case(pair: Pair, shown: Run, seen: timeline.Timeline, runs: dict[str, list[Run]], cpus: list[int]) -> picture.Case:
    lanes = []
    for way in ("waiting", "oversubscribed"):
        run = median_run(runs[way])
        lanes.append(picture.Lane(way, [span("simulation", run), span("analytics", run)], run.average))
    end = max(shown.simulation.end, shown.analytics.end)
    return picture.Case(pair.title, seen, cpus, shown.simulation.asked, shown.analytics.asked, end, shown.average, lanes)


def run_case(pair: Pair, node: Node, options: argparse.Namespace, cpus: list[int]) -> tuple[dict, picture.Case]:
    calibrate(pair.simulation, node.cpus, options.seconds, node.limit)
    calibrate(pair.analytics, node.wanted, options.seconds * 0.4, node.limit)
    runs = measure_long_enough(pair, node, options.repeats)
    results = same_results(pair, [run for way in report.WAYS for run in runs[way]])
    timelines = [read_timeline(pair, run, node) for run in runs["drom"]]
    shown = median_run(runs["drom"])
    seen = timelines[runs["drom"].index(shown)]
    case = {
        "case": pair.key,
        "title": pair.title,
        "commands": {p.name: " ".join(p.line()) for p in (pair.simulation, pair.analytics)},
        "results": results,
        "adoption": report.adoption(timelines),
        "ways": {way: {"seconds": report.figures(runs[way]), "runs": [report.run_json(r) for r in runs[way]]} for way in report.WAYS},
    }
    return case, picture_case(pair, shown, seen, runs, cpus)


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def demonstrate(options: argparse.Namespace) -> None:
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        raise Failure("this machine has one CPU; there is nothing to trade")
    node = Node(options.bin / "drom", len(cpus), len(cpus) // 2, options.seconds * 0.3, max(60.0, 30 * options.seconds))
    chosen = [pair for pair in pairs(options.bin, len(cpus)) if not options.case or pair.key in options.case]
    load = os.getloadavg()[0]
    cases, drawn = [], []
    for pair in chosen:
        case, drawing = run_case(pair, node, options, cpus)
        cases.append(case)
        drawn.append(drawing)
    story = (f"{node.cpus} CPUs; the simulation has all of them, the analytics arrives after {node.arrival:g} s and asks for {node.wanted}; "
             f"the run with the median response of {options.repeats}")
    options.out.mkdir(parents=True, exist_ok=True)
    whole = {"schema": "drom.demo/1", "cpus": node.cpus, "cpus_wanted": node.wanted, "arrival_s": node.arrival, "repeats": options.repeats,
             "processor": processor(), "kernel": platform.release(), "load_before": round(load, 2), "cases": cases}
    write(options.out / "report.json", json.dumps(whole, indent=1) + "\n")
    write(options.out / "timeline.svg", picture.draw(drawn, TITLE, story))
    write(options.out / "trace.json", json.dumps(perfetto.trace([(case["case"], d.timeline) for case, d in zip(cases, drawn)])) + "\n")
    print(f"\nThe simulation has all {node.cpus} CPUs; the analytics arrives after {node.arrival:g} s and wants {node.wanted}.")
    print(f"Seconds: median of {options.repeats} (least-most). Response: from being asked for to the end.\n")
    print(report.table(cases))
    if load > node.cpus / 2:
        print(f"\nOther work kept {load:.1f} CPUs busy before this began: the times are longer and wider than they need to be.")
    for case in cases:
        print(f"\n{case['title']}: {report.adoption_line(case)}.", end="")
    print("\nEvery program computed the same result, bit for bit, in all three ways.\n")
    for name in ("timeline.svg", "trace.json", "report.json"):
        print(f"  {options.out / name}")


def main() -> int:
    options = parse()
    try:
        demonstrate(options)
    except Failure as failure:
        print(f"\ndemo: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
