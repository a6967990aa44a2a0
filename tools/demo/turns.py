# SPDX-License-Identifier: BSD-3-Clause
"""turns.py - what every demonstration does with a pair of programs: the ways take turns, results are compared, a run is
drawn."""

import os
import platform
import sys
from pathlib import Path
from typing import Protocol

import picture
import report
import timeline
from programs import Pair
from runs import Failure
from ways import Run, TooShort


class Setting(Protocol):
    """Where a pair is run: a node (ways.py), a node under Slurm (slurm.py)."""

    def run(self, pair: Pair, way: str) -> Run: ...


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def machine() -> dict:
    return {"processor": processor(), "kernel": platform.release(), "load_before": round(os.getloadavg()[0], 2)}


def measure(pair: Pair, setting: Setting, repeats: int, ways: tuple[str, ...]) -> dict[str, list[Run]]:
    runs: dict[str, list[Run]] = {way: [] for way in ways}
    # The ways take turns, so that a disturbed minute disturbs all of them.
    for repeat in range(repeats):
        for way in ways:
            print(f"demo: {pair.title}: {way}, {repeat + 1} of {repeats}", file=sys.stderr)
            runs[way].append(setting.run(pair, way))
    return runs


def measure_long_enough(pair: Pair, setting: Setting, repeats: int, ways: tuple[str, ...]) -> dict[str, list[Run]]:
    """Measures with more work where a run is too short. On a crowded machine programs whose threads wait for one
    another take many times as long, and the calibration with them."""
    for _ in range(3):
        try:
            return measure(pair, setting, repeats, ways)
        except TooShort as short:
            print(f"demo: {pair.title}: {short}; again with three times the work", file=sys.stderr)
            pair.simulation.amount *= 3
    return measure(pair, setting, repeats, ways)


def same_results(pair: Pair, runs: list[Run]) -> dict[str, str]:
    """Returns what each program printed, which must be the same in every way and repeat."""
    first = runs[0]
    for run in runs:
        for name, text in run.outputs.items():
            if text != first.outputs[name]:
                raise Failure(f"{pair.title}: the {name} computed something else under '{run.way}' than under '{first.way}': "
                              f"'{text}' instead of '{first.outputs[name]}'")
    return first.outputs


def owners(pair: Pair, seen: timeline.Timeline) -> timeline.Timeline:
    """Returns the owners of CPUs in a run under drom, if its events are complete and without contradiction."""
    if seen.lost:
        raise Failure(f"{pair.title}: {seen.lost} events of the table were lost")
    if seen.conflicts:
        raise Failure(f"{pair.title}: {seen.conflicts[0]}")
    return seen


def median_run(runs: list[Run]) -> Run:
    return sorted(runs, key=lambda run: run.average)[len(runs) // 2]


def describe(pair: Pair, runs: dict[str, list[Run]], timelines: list[timeline.Timeline]) -> dict:
    """Returns a case of report.json."""
    guest = pair.guest.name
    return {
        "case": pair.key,
        "title": pair.title,
        "commands": {p.name: " ".join(p.line()) for p in (pair.simulation, pair.guest)},
        "results": same_results(pair, [run for of_way in runs.values() for run in of_way]),
        "adoption": report.adoption(timelines),
        "ways": {way: {"seconds": report.figures(of_way, guest), "runs": [report.run_json(run, guest) for run in of_way]}
                 for way, of_way in runs.items()},
    }


def _spans(pair: Pair, run: Run) -> list[picture.Span]:
    def seconds(time: int) -> float:
        return (time - run.simulation.asked) / 1e9

    return [picture.Span(program.name, seconds(times.asked), seconds(times.begin), seconds(times.end))
            for program, times in ((pair.simulation, run.simulation), (pair.guest, run.guest))]


def draw(pair: Pair, runs: dict[str, list[Run]], timelines: list[timeline.Timeline], cpus: list[int]) -> picture.Case:
    """Returns a case of the picture: of each way the run with the median response."""
    shown = median_run(runs["drom"])
    seen = timelines[runs["drom"].index(shown)]
    lanes = []
    for way, of_way in runs.items():
        if way != "drom":
            run = median_run(of_way)
            lanes.append(picture.Lane(way, _spans(pair, run), run.average))
    end = max(shown.simulation.end, shown.guest.end)
    return picture.Case(pair.title, seen, cpus, shown.simulation.asked, shown.guest.asked, end, shown.average, lanes, pair.guest.name)


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
