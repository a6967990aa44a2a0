# SPDX-License-Identifier: BSD-3-Clause
"""report.py - from runs to numbers: medians with their spread, the table on the terminal, report.json. Pure."""

from collections.abc import Callable
from pathlib import Path
from statistics import median

from timeline import Timeline
from ways import Run

WAYS = ("drom", "waiting", "oversubscribed")
WHOLE, AVERAGE = "whole run", "average response"


def possessive(name: str) -> str:
    return name + ("'" if name.endswith("s") else "'s")


def columns(guest: str) -> dict[str, Callable[[Run], float]]:
    return {
        WHOLE: lambda run: run.whole,
        "simulation's response": lambda run: run.simulation.response,
        f"{possessive(guest)} response": lambda run: run.guest.response,
        AVERAGE: lambda run: run.average,
    }


def spread(values: list[float]) -> dict:
    return {"median": median(values), "min": min(values), "max": max(values)}


def figures(runs: list[Run], guest: str) -> dict:
    """Returns the four times of one way, in seconds."""
    return {name: spread([take(run) for run in runs]) for name, take in columns(guest).items()}


def adoption(timelines: list[Timeline]) -> dict:
    """Returns how long after its request the simulation's shrink was released, and resized; microseconds."""
    released, resized, held = [], [], 0
    for timeline in timelines:
        for request in timeline.requests:
            if request.client.name != "simulation" or not request.shrinks or request.released is None:
                continue
            released.append((request.released - request.posted) / 1e3)
            if request.held:
                held += 1
            else:
                resized.append((request.resized - request.posted) / 1e3)
    return {
        "shrink_released_us": spread(released) if released else None,
        "shrink_resized_us": spread(resized) if resized else None,
        "shrinks": len(released),
        "shrinks_held": held,
    }


def run_json(run: Run, guest: str) -> dict:
    def times(program) -> dict:
        begin = run.simulation.asked
        return {"asked_s": (program.asked - begin) / 1e9, "begin_s": (program.begin - begin) / 1e9,
                "end_s": (program.end - begin) / 1e9, "response_s": program.response}

    return {"whole_s": run.whole, "average_response_s": run.average, "simulation": times(run.simulation),
            guest: times(run.guest), **run.notes}


def _cell(value: dict) -> str:
    return f"{value['median']:.2f} ({value['min']:.2f}-{value['max']:.2f})"


def change(ours: float, theirs: float) -> float:
    """Returns the change in percent."""
    return 100 * (ours / theirs - 1)


def table(cases: list[dict], guest: str = "analytics", baseline: str = "waiting") -> str:
    """Returns a table of `cases` as in report.json, all with the same guest; the last column compares average responses
    with the baseline's."""
    names = list(columns(guest))
    rows = [["", *names, f"against {baseline}"]]
    for case in cases:
        rows.append([case["title"]])
        theirs = case["ways"][baseline]["seconds"][AVERAGE]["median"]
        for way, found in case["ways"].items():
            seconds = found["seconds"]
            changed = "" if way == baseline else f"{change(seconds[AVERAGE]['median'], theirs):+.0f} %"
            rows.append(["  " + way, *[_cell(seconds[name]) for name in names], changed])
    widths = [max(len(row[at]) for row in rows if len(row) > 1) for at in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) if at == 0 else cell.rjust(width) for at, (cell, width) in enumerate(zip(row, widths))]
        lines.append(row[0] if len(row) == 1 else "  ".join(cells).rstrip())
    return "\n".join(lines)


def adoption_line(case: dict) -> str:
    took = case["adoption"]
    released, resized = took["shrink_released_us"], took["shrink_resized_us"]
    if released is None:
        return "the simulation ended before it released anything"
    text = f"the simulation left the CPU {released['median'] / 1e3:.2f} ms after the request"
    if resized is not None:
        text += f" and had a thread per CPU again after {resized['median'] / 1e3:.2f} ms"
    if took["shrinks_held"]:
        text += f"; in {took['shrinks_held']} of {took['shrinks']} runs its team kept its size and shared the CPUs left"
    return text


def tell_other_work(load: float, cpus: int) -> None:
    if load > cpus / 2:
        print(f"\nOther work kept {load:.1f} CPUs busy before this began: the times are longer and wider than they need to be.")


def tell_end(folder: Path) -> None:
    print("Every program computed the same result, bit for bit, in all three ways.\n")
    for name in ("timeline.svg", "trace.json", "report.json"):
        print(f"  {folder / name}")
