#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""insitu.py - the demonstration: an analytics program arrives at a node that a simulation owns.

Called by scripts/demo.sh after the build. Prints a table; leaves report.json, timeline.svg and trace.json. With
--overhead it measures what preloading costs instead (overhead.py), and leaves overhead.json.
Exit status: 0 done, 1 something went wrong or a program computed something else than when it was alone, 2 usage.
"""

import argparse
import json
import os
import sys
from pathlib import Path

import overhead
import perfetto
import picture
import report
import timeline
import turns
from programs import Pair, calibrate, pairs
from runs import Failure, exit_status
from ways import Node, Run

TITLE = "Two unmodified OpenMP programs trade the CPUs of one node"


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/demo.sh", allow_abbrev=False,
                                     description="An analytics program arrives at a node that a simulation owns.")
    for option in ("--bin", "--out"):
        parser.add_argument(option, type=Path, required=True, help=argparse.SUPPRESS)  # scripts/demo.sh has both
    parser.add_argument("--check", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--overhead", action="store_true", help="what preloading costs a program of MPI and OpenMP that is asked for nothing")
    parser.add_argument("--repeats", type=int, help="runs of each way (default 3; with --overhead 20)")
    parser.add_argument("--seconds", type=float, default=3.0, help="length of the simulation on the whole node (default 3)")
    parser.add_argument("--case", action="append", choices=["libgomp", "libomp", "openblas", "gromacs"], help="only this case; may be repeated")
    options = parser.parse_args()
    options.bin = options.bin.resolve()  # the programs start in folders of their own
    if options.repeats is None:
        options.repeats = 20 if options.overhead else 3
    if options.overhead and options.case:
        parser.error("--overhead has a program of its own; leave --case out")
    if options.repeats < 1 or options.seconds < 0.2:
        parser.error("at least one repeat of 0.2 s")
    return options


def read_timeline(pair: Pair, run: Run, node: Node) -> timeline.Timeline:
    """Reads the events of a run under drom, and proves by them that the CPUs changed hands and came back."""
    names = {event["slot"]: event["name"] for event in run.events if event.get("name")}
    seen = turns.owners(pair, timeline.read(run.events, names))
    analytics = {tenure.cpu for tenure in seen.tenures if tenure.client.name == "analytics"}
    if len(analytics) != node.wanted:
        raise Failure(f"{pair.title}: the analytics asked for {node.wanted} CPUs and had {len(analytics)}")
    simulation = [tenure for tenure in seen.tenures if tenure.client.name == "simulation"]
    back = {tenure.cpu for tenure in simulation if tenure.begin > run.guest.begin}
    # `drom run` has handed the CPUs back before it ends.
    left = next((client.left for client in seen.clients if client.name == "simulation"), None)
    if (left is None or left > run.guest.end) and not analytics <= back:
        raise Failure(f"{pair.title}: the simulation did not get CPU {picture.ranges(sorted(analytics - back))} back")
    return seen


def run_case(pair: Pair, node: Node, options: argparse.Namespace, cpus: list[int]) -> tuple[dict, picture.Case]:
    calibrate(pair.simulation, node.cpus, options.seconds, node.limit)
    calibrate(pair.guest, node.wanted, options.seconds * 0.4, node.limit)
    runs = turns.measure_long_enough(pair, node, options.repeats, report.WAYS)
    timelines = [read_timeline(pair, run, node) for run in runs["drom"]]
    return turns.describe(pair, runs, timelines), turns.draw(pair, runs, timelines, cpus)


def demonstrate(options: argparse.Namespace) -> None:
    cpus = sorted(os.sched_getaffinity(0))
    if options.overhead:
        return overhead.measure(options, len(cpus), options.repeats)
    if len(cpus) < 2:
        raise Failure("this machine has one CPU; there is nothing to trade")
    node = Node(options.bin / "drom", len(cpus), len(cpus) // 2, options.seconds * 0.3, max(60.0, 30 * options.seconds))
    chosen = [pair for pair in pairs(options.bin, len(cpus)) if not options.case or pair.key in options.case]
    machine = turns.machine()
    cases, drawn = [], []
    for pair in chosen:
        case, drawing = run_case(pair, node, options, cpus)
        cases.append(case)
        drawn.append(drawing)
    story = (f"{node.cpus} CPUs; the simulation has all of them, the analytics arrives after {node.arrival:g} s and asks for {node.wanted}; "
             f"the run with the median response of {options.repeats}")
    options.out.mkdir(parents=True, exist_ok=True)
    whole = {"schema": "drom.demo/1", "cpus": node.cpus, "cpus_wanted": node.wanted, "arrival_s": node.arrival, "repeats": options.repeats,
             **machine, "cases": cases}
    turns.write(options.out / "report.json", json.dumps(whole, indent=1) + "\n")
    turns.write(options.out / "timeline.svg", picture.draw(drawn, TITLE, story))
    turns.write(options.out / "trace.json", json.dumps(perfetto.trace([(case["case"], d.timeline) for case, d in zip(cases, drawn)])) + "\n")
    print(f"\nThe simulation has all {node.cpus} CPUs; the analytics arrives after {node.arrival:g} s and wants {node.wanted}.")
    print(f"Seconds: median of {options.repeats} (min-max). Response: from being asked for to the end.\n")
    print(report.table(cases))
    report.tell_other_work(machine["load_before"], node.cpus)
    for case in cases:
        print(f"\n{case['title']}: {report.adoption_line(case)}.", end="")
    print()
    report.tell_end(options.out)


def main() -> int:
    options = parse()
    if options.check:
        return 0
    return exit_status("demo", lambda: demonstrate(options))


if __name__ == "__main__":
    sys.exit(main())
