# SPDX-License-Identifier: BSD-3-Clause
"""programs.py - what the jobs run: a program that sleeps at the pace of its CPUs, or programs that compute."""

import math
import statistics
import subprocess
import time
from pathlib import Path

from cluster import environment
from jobs import MIX, Failure, Job
from play import Command

# What of a program can be had in any amount: its arguments for one unit, and the option that counts the units.
UNITS = {
    "pils": (["--tasks", "64", "--work", "100"], "--rounds"),
    "triad": (["--megabytes", "192"], "--rounds"),
    "heat": (["--size", "1024"], "--steps"),
}
PROBE_S = 1.0


def paced(bin_folder: Path, cpus: int, speed: float) -> Command:
    program = bin_folder / "paced"
    if not program.exists():
        raise Failure(f"{program} was not built")
    return lambda job: [str(program), "--cpus", str(cpus), "--milliseconds", str(max(1, round(job.seconds / speed * 1000)))]


def line(bin_folder: Path, name: str, amount: int) -> list[str]:
    fixed, counted = UNITS[name]
    return [str(bin_folder / f"{name}-gcc"), *fixed, counted, str(amount)]


def _took(command: list[str], cpus: int) -> float:
    begin = time.monotonic()
    try:
        done = subprocess.run(command, env=environment(OMP_NUM_THREADS=str(cpus)), capture_output=True, text=True, timeout=120)
    except FileNotFoundError:
        raise Failure(f"{command[0]} was not built") from None
    except subprocess.TimeoutExpired:
        raise Failure(f"{' '.join(command)} did not end within two minutes; is the machine busy?") from None
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)} ended with status {done.returncode}: {done.stderr.strip()[-400:]}")
    return time.monotonic() - begin


def units_a_second(bin_folder: Path, name: str, cpus: int) -> float:
    """On all CPUs; the median of three runs of a second or more."""
    amount = 8
    while (took := _took(line(bin_folder, name, amount), cpus)) < PROBE_S:
        amount = math.ceil(amount * min(10.0, 1.2 * PROBE_S / took))
    return amount / statistics.median([took, *(_took(line(bin_folder, name, amount), cpus) for _ in range(2))])


def computing(bin_folder: Path, cpus: int, speed: float) -> Command:
    """Programs of the thesis's three kinds, each with as much work as takes the job's time on all CPUs of a node that has nothing else to do."""
    rates = {name: units_a_second(bin_folder, name, cpus) for name, _ in MIX}
    return lambda job: ["env", f"OMP_NUM_THREADS={cpus}", *line(bin_folder, job.program, max(1, round(job.seconds / speed * rates[job.program])))]
