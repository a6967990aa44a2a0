# SPDX-License-Identifier: BSD-3-Clause
"""programs.py - what the jobs run: a program that sleeps at the pace of its CPUs, or OpenMP and MPI+OpenMP programs
that compute."""

import math
import statistics
from dataclasses import dataclass
from pathlib import Path

from cluster import Command, Step
from jobs import MIX, Job
from mpi import ON_ONE_MACHINE, PLUGIN_OF_SLURM, built_mpi, ranks_of
from runs import Failure, seconds_of, slurm_environment

PROBE_S = 1.0


@dataclass(frozen=True)
class Computation:
    """A program that can be had in any amount: its arguments, and the option that counts the units of its work."""

    program: Path
    fixed: tuple[str, ...]
    counted: str
    ranks: int = 1
    options: tuple[str, ...] = ()  # of srun

    def line(self, amount: int) -> list[str]:
        return [str(self.program), *self.fixed, self.counted, str(amount)]


def computations(bin_folder: Path, cpus: int) -> dict[str, Computation]:
    """Returns one for each of the thesis's three kinds. Failure: one was not built."""
    mpi = built_mpi(bin_folder)
    return {
        "pils": Computation(bin_folder / "pils-gcc", ("--tasks", "64", "--work", "100"), "--rounds"),
        "triad": Computation(bin_folder / "triad-gcc", ("--megabytes", "192"), "--rounds"),
        "heat": Computation(bin_folder / f"heat_mpi-{mpi}-gcc", ("--size", "1024"), "--steps", ranks_of(cpus), (f"--mpi={PLUGIN_OF_SLURM[mpi]}",)),
    }


def paced(bin_folder: Path, cpus: int, speed: float) -> Command:
    program = bin_folder / "paced"
    if not program.exists():
        raise Failure(f"{program} was not built")
    return lambda job: Step([str(program), "--cpus", str(cpus), "--milliseconds", str(max(1, round(job.seconds / speed * 1000)))])


def _took(what: Computation, amount: int, cpus: int) -> float:
    """Returns the time of one rank on all CPUs: two take as long."""
    return seconds_of(what.line(amount), slurm_environment(OMP_NUM_THREADS=str(cpus), **ON_ONE_MACHINE), 120)


def units_a_second(what: Computation, cpus: int) -> float:
    """Returns the units on all CPUs, beyond what a program takes to start: the median of three runs of a second or
    more."""
    shortest, amount = _took(what, 1, cpus), 8
    while (took := _took(what, amount, cpus) - shortest) < PROBE_S:
        amount = math.ceil(amount * min(10.0, 1.2 * PROBE_S / max(took, 0.01)))
    return amount / statistics.median([took, *(_took(what, amount, cpus) - shortest for _ in range(2))])


def computing(bin_folder: Path, cpus: int, speed: float) -> Command:
    """Returns programs of the thesis's three kinds. Each has as much work as takes the job's time on all CPUs of an
    idle node."""
    kinds = computations(bin_folder, cpus)
    rates = {name: units_a_second(kinds[name], cpus) for name, _ in MIX}

    def step(job: Job) -> Step:
        what = kinds[job.program]
        variables = [f"OMP_NUM_THREADS={cpus // what.ranks}", *(f"{name}={value}" for name, value in ON_ONE_MACHINE.items())]
        return Step(["env", *variables, *what.line(max(1, round(job.seconds / speed * rates[job.program])))], what.ranks, what.options)

    return step
