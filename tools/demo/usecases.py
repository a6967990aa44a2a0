#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usecases.py - the two use cases of the DROM thesis as batch jobs of a Slurm on this machine.

Called by scripts/slurm-demo.sh after the build. Prints tables; leaves report.json, timeline.svg and trace.json. With
--table it runs the shapes of the first use case instead (shapes.py), and leaves table.json.
Exit status: 0 done, 1 something went wrong or a program computed something else than in another way, 2 usage.
"""

import argparse
import json
import os
import sys
from pathlib import Path

import marks
import perfetto
import picture
import report
import shapes
import slurm
import timeline
import turns
from programs import Pair, calibrate, use_cases
from runs import Failure, exit_status, this_machine
from ways import Run

TITLE = "Two unmodified OpenMP programs, batch jobs of Slurm, share a node"
ARRIVAL = 0.3  # of the simulation's time
# The time of the guest with the CPUs it asks for, as a part of the simulation's time. Then whether it asks for all
# CPUs.
GUESTS = {"insitu": (0.06, False), "priority": (0.25, True)}


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/slurm-demo.sh", allow_abbrev=False,
                                     description="The two use cases of the DROM thesis, under Slurm.")
    for option in ("--bin", "--plugins", "--out"):
        parser.add_argument(option, type=Path, required=True, help=argparse.SUPPRESS)  # scripts/slurm-demo.sh has them
    parser.add_argument("--check", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--table", action="store_true", help="shapes of a simulation, kinds and sizes of an analytics: figures 4.5 to 4.13 of the thesis")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each way (default 5)")
    parser.add_argument("--seconds", type=float, default=9.0, help="length of the simulation on the whole node (default 9)")
    parser.add_argument("--case", action="append", choices=list(GUESTS), help="only this case; may be repeated")
    options = parser.parse_args()
    options.bin, options.plugins = options.bin.resolve(), options.plugins.resolve()  # jobs start in folders of their own
    if options.repeats < 1 or options.seconds < 2:
        parser.error("at least one repeat of 2 s: Slurm starts jobs once per second")
    if options.table and options.case:
        parser.error("--table has cases of its own; leave --case out")
    return options


def names(pair: Pair, run: Run) -> dict[int, str]:
    """Returns the job of each client by pid. A job is a batch script and the tasks of its step; a client that is first
    seen after the submission of the guest is the guest's."""
    found: dict[int, str] = {}
    for event in run.events:
        found.setdefault(event["pid"], pair.simulation.name if event["time_ns"] < run.guest.asked else pair.guest.name)
    return found


def had_at_first(seen: timeline.Timeline, name: str) -> int:
    """Returns how many CPUs a job was given when it came."""
    tenures = [tenure for tenure in seen.tenures if tenure.client.name == name]
    first = min((tenure.begin for tenure in tenures), default=0)
    return len({tenure.cpu for tenure in tenures if tenure.begin < first + 100_000_000})


def left(seen: timeline.Timeline, name: str) -> int:
    return max((seen.end if client.left is None else client.left for client in seen.clients if client.name == name), default=seen.begin)


def had_at(seen: timeline.Timeline, name: str, time: int) -> int:
    return len({tenure.cpu for tenure in seen.tenures if tenure.client.name == name and tenure.begin <= time < tenure.end})


def check(pair: Pair, run: Run, node: slurm.SlurmNode) -> timeline.Timeline:
    """Returns the owners of CPUs in a run under drom, and proves by them that the node was split and became whole
    again."""
    seen = turns.owners(pair, timeline.read(run.events, {}, names(pair, run)))
    simulation, guest = pair.simulation.name, pair.guest.name
    had = had_at_first(seen, guest)
    half = node.cpus // 2, (node.cpus + 1) // 2
    if had not in (half if node.asks >= half[0] else (node.asks,)):
        raise Failure(f"{pair.title}: of {node.cpus} CPUs the {guest} was given {had}, not {'half' if node.asks >= half[0] else node.asks}")
    first, last = sorted((simulation, guest), key=lambda name: left(seen, name))
    asked = node.cpus if last == simulation else node.asks
    # Steps take a moment to end; a job that ends in that moment gets no more CPUs.
    alone = left(seen, first) + 1_000_000_000
    if alone < left(seen, last) and had_at(seen, last, alone) < asked:
        raise Failure(f"{pair.title}: a second after the {first} had ended the {last} had {had_at(seen, last, alone)} CPUs of {asked}")
    return seen


def node_for(asks: int, options: argparse.Namespace, shape: dict[str, int]) -> slurm.SlurmNode:
    looks = max(1, round(ARRIVAL * options.seconds))
    return slurm.SlurmNode(options.bin, options.plugins, shape, asks, looks, 60 + 12 * options.seconds)


def measure(pair: Pair, node: slurm.SlurmNode, share: float, options: argparse.Namespace) -> tuple[dict, picture.Case]:
    """Runs a case. `share`: of the simulation's time that the guest takes on the CPUs that it asks for."""
    print(f"demo: {pair.title}: how much work it is", file=sys.stderr)
    calibrate(pair.simulation, node.cpus, options.seconds, node.limit)
    calibrate(pair.guest, node.asks, options.seconds * share, node.limit)
    runs = turns.measure_long_enough(pair, node, options.repeats, slurm.WAYS)
    timelines = [check(pair, run, node) for run in runs["drom"]]
    case = turns.describe(pair, runs, timelines) | {"guest": pair.guest.name, "guest_asks": node.asks}
    case |= {"arrival_s": node.looks - slurm.BEFORE_THE_LOOK}
    case["drom_against"] = {baseline: marks.changes(case, baseline) for baseline in slurm.WAYS[1:]}
    return case, turns.draw(pair, runs, timelines, sorted(os.sched_getaffinity(0)))


def run_case(pair: Pair, options: argparse.Namespace, shape: dict[str, int]) -> tuple[dict, picture.Case]:
    share, whole = GUESTS[pair.key]
    cpus = cpus_of(shape)
    case, drawn = measure(pair, node_for(cpus if whole else cpus // 2, options, shape), share, options)
    return case | {"thesis": marks.verdicts(case)}, drawn


def differs(cases: list[dict]) -> float:
    return max(run["slurm_differs_s"] for case in cases for way in case["ways"].values() for run in way["runs"])


def show(case: dict, cpus: int) -> None:
    print(f"\nThe simulation has all {cpus} CPUs; the {case['guest']} is submitted {case['arrival_s']:g} s later and asks for {case['guest_asks']}.\n")
    print(report.table([case], case["guest"], "serial"))
    print("\n".join(marks.lines(case)))
    print(f"  {report.adoption_line(case)}")


def leave(options: argparse.Namespace, whole: dict, drawn: list[picture.Case]) -> None:
    options.out.mkdir(parents=True, exist_ok=True)
    story = (f"{whole['cpus']} CPUs; at the top of each case the owner of each CPU under drom, below it stock Slurm; of each way the run with "
             f"the median response of {options.repeats}")
    traced = [(case["case"], drawing.timeline) for case, drawing in zip(whole["cases"], drawn)]
    turns.write(options.out / "report.json", json.dumps(whole, indent=1) + "\n")
    turns.write(options.out / "timeline.svg", picture.draw(drawn, TITLE, story))
    turns.write(options.out / "trace.json", json.dumps(perfetto.trace(traced)) + "\n")


def cpus_of(shape: dict[str, int]) -> int:
    return shape["sockets"] * shape["cores"] * shape["threads"]


def tabulate(options: argparse.Namespace) -> None:
    """Runs all shapes, and leaves table.json."""
    shape = this_machine()
    cpus = cpus_of(shape)
    head = {"schema": "drom.slurm-table/1", "cpus": cpus, "repeats": options.repeats, **turns.machine()}
    cases = [measure(of.pair, node_for(of.asks, options, shape), GUESTS["insitu"][0], options)[0] for of in shapes.cases(options.bin, cpus)]
    options.out.mkdir(parents=True, exist_ok=True)
    turns.write(options.out / "table.json", json.dumps(head | {"cases": cases}, indent=1) + "\n")
    print(f"\nSeconds: median of {options.repeats} (min-max). Response: from submission to the end of the batch script.\n")
    print(report.table(cases, shapes.GUEST, "serial"))
    print("\n".join(marks.ranges(cases)))
    report.tell_other_work(head["load_before"], cpus)
    print(f"Every program computed the same result, bit for bit, in all three ways.\n\n  {options.out / 'table.json'}")


def demonstrate(options: argparse.Namespace) -> None:
    shape = this_machine()
    cpus = cpus_of(shape)
    machine = turns.machine()
    done = [run_case(pair, options, shape) for pair in use_cases(options.bin, cpus) if not options.case or pair.key in options.case]
    cases = [case for case, _ in done]
    leave(options, {"schema": "drom.slurm-demo/1", "cpus": cpus, "repeats": options.repeats, **machine, "cases": cases}, [d for _, d in done])
    print(f"\nSeconds: median of {options.repeats} (min-max). Response: from submission to the end of the batch script.")
    for case in cases:
        show(case, cpus)
    report.tell_other_work(machine["load_before"], cpus)
    print(f"\nSlurm's own records, whole seconds, differ from these times by {differs(cases):.1f} s at most.")
    report.tell_end(options.out)


def main() -> int:
    options = parse()
    if options.check:
        return 0
    return exit_status("demo", lambda: tabulate(options) if options.table else demonstrate(options))


if __name__ == "__main__":
    sys.exit(main())
