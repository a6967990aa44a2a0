# SPDX-License-Identifier: BSD-3-Clause
"""harness.py - processes to be measured, tables of their own, and figures."""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "tools" / "demo" / "common"))

import runs  # noqa: E402
from runs import environment  # noqa: E402

Figure = dict[str, Any]
LOAD_BEFORE = round(os.getloadavg()[0], 2)  # CPUs that other work kept busy as this program began


class CannotMeasure(Exception):
    """One sentence: what is in the way."""


def quantile(values: Sequence[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def spread(values: Sequence[float]) -> Figure:
    """Returns the median and the values around it."""
    digits = 3 if statistics.median(values) < 100 else 1
    parts = {"value": statistics.median(values), "min": min(values), "p10": quantile(values, 0.1), "p90": quantile(values, 0.9),
             "p99": quantile(values, 0.99), "max": max(values)}
    return {name: round(value, digits) for name, value in parts.items()} | {"samples": len(values)}


def output_of(command: list[str], env: dict[str, str], limit: float = 300) -> str:
    try:
        return runs.output_of(command, env, limit=limit)
    except runs.Failure as failure:
        raise CannotMeasure(str(failure)) from None


def wall_us(command: list[str], env: dict[str, str]) -> float:
    """Returns microseconds from the start of a process to its end, its output thrown away."""
    quiet = [(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]
    begin = time.perf_counter_ns()
    pid = os.posix_spawn(command[0], command, env, file_actions=quiet)
    _, status = os.waitpid(pid, 0)
    took = time.perf_counter_ns() - begin
    if status != 0:
        raise CannotMeasure(f"{' '.join(command)} ended with status {os.waitstatus_to_exitcode(status)}")
    return took / 1000


@dataclass
class Build:
    """Where things were built."""

    folder: Path

    @property
    def drom(self) -> str:
        return str(self.folder / "bin" / "drom")

    def bench(self, name: str) -> str:
        return str(self.folder / "bench" / name)

    def library(self, name: str) -> str:
        return str(self.folder / "lib" / name)

    def micro(self, program: str, repetitions: int) -> dict[str, dict[str, list[float]]]:
        """Runs a Google Benchmark program. Returns for each benchmark the nanoseconds of each repetition, "cpu" and
        "real"."""
        with TableFolder() as table:
            text = output_of([self.bench(program), "--benchmark_format=json", f"--benchmark_repetitions={repetitions}",
                              "--benchmark_enable_random_interleaving=true", "--benchmark_min_time=0.02"], table.env)
        times: dict[str, dict[str, list[float]]] = {}
        for run in json.loads(text)["benchmarks"]:
            if run["run_type"] != "iteration":
                continue
            found = times.setdefault(run["name"].split("/")[0], {"cpu": [], "real": []})
            found["cpu"].append(run["cpu_time"])
            found["real"].append(run["real_time"])
        return times


class TableFolder:
    """A table of a measurement's own, in memory like the users' tables."""

    def __enter__(self) -> "TableFolder":
        home = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.folder = tempfile.mkdtemp(prefix="drom-bench-", dir=home)
        self.env = environment(DROM_TABLE=f"{self.folder}/table")
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


class Guest:
    """regions.c as a process, by itself or under `drom run` on CPUs 0 and 1. Ends with the `with`."""

    def __init__(self, build: Build, runtime: str, kind: str, steps: int, *, table: TableFolder | None = None,
                 cpu: int | None = None, **variables: str) -> None:
        self.build, self.table = build, table
        self.command = [build.bench(f"regions-{runtime}"), kind, str(steps)]
        if not os.access(self.command[0], os.X_OK):
            raise CannotMeasure(f"{self.command[0]} was not built; its compiler is missing")
        if cpu is not None:
            self.command = ["taskset", "-c", str(cpu), *self.command]
        if table is not None:
            self.command = [build.drom, "run", "--cpus", "0,1", "--", *self.command]
        follows = {"DROM_RESIZE": "follow"} if kind in ("follow", "nested") else {}
        self.env = (table.env if table is not None else environment()) | follows | variables

    def __enter__(self) -> "Guest":
        self.process = subprocess.Popen(self.command, env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        if self._line() != "ready":
            message = self.process.communicate(timeout=10)[1].strip()
            raise CannotMeasure(f"{' '.join(self.command)} did not start: {message[-400:]}")
        self.pid = self.process.pid if self.table is None else self.client()["pid"]
        return self

    def __exit__(self, *_: object) -> None:
        # By itself if it waits for its input; by a signal, which drom run passes on, if it computes.
        self.process.stdin.close()
        try:
            self.process.wait(0.3)
        except subprocess.TimeoutExpired:
            self.process.terminate()
            self.process.wait(30)

    def _line(self) -> str:
        return self.process.stdout.readline().strip()

    def start(self, regions: int) -> None:
        self.process.stdin.write(f"{regions}\n")
        self.process.stdin.flush()

    def finish(self) -> float:
        """Returns when the command that was started last ended; nanoseconds."""
        text = self._line()
        if not text:
            raise CannotMeasure(f"{' '.join(self.command)} ended in the middle")
        return float(text)

    def regions(self, count: int) -> float:
        """Runs that many regions; nanoseconds each."""
        self.start(count)
        return self.finish() / count

    def client(self) -> dict[str, Any]:
        """Returns what drom list says of it."""
        clients = json.loads(output_of([self.build.drom, "list", "--json"], self.table.env))["clients"]
        if len(clients) != 1:
            raise CannotMeasure(f"the table of {' '.join(self.command)} has {len(clients)} clients")
        return clients[0]

    def take_all_but_one(self) -> None:
        """Leaves it CPU 0, wherever it is."""
        output_of([self.build.drom, "set", str(self.pid), "0", "--quiet"], self.table.env)

    def shrink_to_one(self) -> None:
        """Shrinks it to CPU 0, and far enough that the team has followed if it can."""
        self.take_all_but_one()
        self.regions(200)


def write_figures(name: str, figures: dict[str, dict[str, Any]], **more: object) -> None:
    """Writes the figures into build/bench/NAME.json, and as a table on stdout."""
    out = Path(__file__).resolve().parents[1] / "build" / "bench" / f"{name}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    report = {"schema": f"drom.bench.{name}/1", "cpus": os.cpu_count(), "load_before": LOAD_BEFORE, **more, "figures": figures}
    out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    width = max(map(len, figures), default=3)
    print(f"{'key':{width}} {'median':>9} {'target':>7} {'p10':>9} {'p90':>9}")
    for key, figure in figures.items():
        print(f"{key:{width}} {figure['value']:9.2f} {figure.get('target', '-'):>7} {figure['p10']:9.2f} {figure['p90']:9.2f}")


def paired(first: Callable[[], float], second: Callable[[], float], pairs: int, rest: float = 0.02) -> list[tuple[float, float]]:
    """Measures each `pairs` times, in turn. Each comes first in every second pair, and waiting threads get the time to
    go to sleep."""
    results = []
    for pair in range(pairs):
        values = [0.0, 0.0]
        for which in (0, 1) if pair % 2 == 0 else (1, 0):
            values[which] = (first, second)[which]()
            time.sleep(rest)
        results.append((values[0], values[1]))
    return results
