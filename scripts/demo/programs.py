# SPDX-License-Identifier: BSD-3-Clause
"""programs.py - which programs the demonstration runs, and how much work each is given on this machine."""

import math
import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


class Failure(Exception):
    """One sentence: what went wrong; the demonstration ends with it."""


@dataclass
class Program:
    """`command(amount)` is the command line for an amount of work; `amount` is found by calibrate()."""

    name: str
    command: Callable[[int], list[str]]
    amount: int


@dataclass
class Pair:
    key: str
    title: str
    simulation: Program
    analytics: Program


def environment(**more: str) -> dict[str, str]:
    """Ours without what would change OpenMP or drom behind the demonstration's back."""
    foreign = ("OMP_", "KMP_", "GOMP_", "OPENBLAS_", "GOTO_", "DROM_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign) and name != "LD_PRELOAD"}
    return kept | more


def _heat(program: Path, cpus: int) -> Callable[[int], list[str]]:
    # The plate grows with the node, so that a thread's part of a step stays as long as it is on two CPUs.
    size = 64 * round(12 * math.sqrt(cpus / 2))
    return lambda amount: [str(program), "--size", str(size), "--steps", str(amount)]


def pairs(bin_folder: Path, cpus: int) -> list[Pair]:
    """The cases that this build can run, in the order they are shown."""

    def analytics(runtime: str) -> Program:
        program = bin_folder / f"analytics-{runtime}"
        return Program("analytics", lambda amount: [str(program), "--samples", str(10 * cpus), "--rounds", str(amount)], 4)

    heat = {runtime: Program("simulation", _heat(bin_folder / f"heat-{runtime}", cpus), 1000) for runtime in ("gcc", "clang")}
    dgemm = Program("simulation", lambda amount: [str(bin_folder / "dgemm"), "--products", str(amount)], 20)
    return [
        Pair("libgomp", "heat and analytics, g++ -fopenmp (libgomp)", heat["gcc"], analytics("gcc")),
        Pair("libomp", "heat and analytics, clang++ -fopenmp (LLVM's runtime)", heat["clang"], analytics("clang")),
        Pair("openblas", "matrix products by Debian's OpenBLAS, and analytics", dgemm, analytics("gcc")),
    ]


def _seconds(program: Program, threads: int, limit: float) -> float:
    command = program.command(program.amount)
    begin = time.monotonic()
    try:
        done = subprocess.run(command, env=environment(OMP_NUM_THREADS=str(threads)), timeout=limit, capture_output=True, text=True)
    except FileNotFoundError:
        raise Failure(f"{command[0]} is not there; build it first, scripts/demo.sh does") from None
    except subprocess.TimeoutExpired:
        raise Failure(f"{' '.join(command)} did not end within {limit:.0f} s") from None
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)} ended with status {done.returncode}: {done.stderr.strip()}")
    return time.monotonic() - begin


def calibrate(program: Program, threads: int, wanted: float, limit: float) -> None:
    """Sets the amount of work that takes about `wanted` seconds on `threads` CPUs."""
    took = _seconds(program, threads, limit)
    while took < wanted / 4:
        program.amount = math.ceil(program.amount * min(10.0, wanted / 2 / took))
        took = _seconds(program, threads, limit)
    program.amount = max(1, round(program.amount * wanted / took))
