# SPDX-License-Identifier: BSD-3-Clause
"""shapes.py - the runs of the DROM thesis's figures 4.5 to 4.13: a simulation of one rank or two, and an analytics that
computes or uses memory and asks for all CPUs, half of them, or one."""

from dataclasses import dataclass
from pathlib import Path

from mpi import PLUGIN_OF_SLURM, built_mpi, ranks_of
from programs import Pair, Program

GUEST = "analytics"


@dataclass(frozen=True)
class Shape:
    pair: Pair
    asks: int  # CPUs of the guest


def _simulation(bin_folder: Path, mpi: str, ranks: int, threads: int) -> Program:
    program = bin_folder / f"heat_mpi-{mpi}-gcc"
    # A plate that is as large as the simulation of the use cases: 768 x 768 on two CPUs.
    size = 64 * round(12 * (ranks * threads / 2) ** 0.5)
    return Program("simulation", lambda amount: [str(program), "--size", str(size), "--steps", str(amount)], 1000, ranks=ranks,
                   srun=(f"--mpi={PLUGIN_OF_SLURM[mpi]}",))


def _guests(bin_folder: Path) -> dict[str, Program]:
    pils, triad = bin_folder / "pils-gcc", bin_folder / "triad-gcc"
    return {
        "pils": Program(GUEST, lambda amount: [str(pils), "--tasks", "64", "--work", "50", "--rounds", str(amount)], 10),
        "triad": Program(GUEST, lambda amount: [str(triad), "--megabytes", "96", "--rounds", str(amount)], 10),
    }


def shapes_of(cpus: int) -> list[tuple[int, int]]:
    """Returns the ranks of the simulation, and the threads of each."""
    return [(ranks, cpus // ranks) for ranks in range(1, ranks_of(cpus) + 1)]


def sizes_of(cpus: int) -> list[int]:
    """Returns the CPUs that a guest may ask for."""
    return sorted({cpus, cpus // 2, 1}, reverse=True)


def cases(bin_folder: Path, cpus: int) -> list[Shape]:
    """Returns all combinations, each with programs of its own: how much work a program is given depends on its CPUs."""
    mpi = built_mpi(bin_folder)
    return [Shape(Pair("insitu", f"heat of {ranks} x {threads}, {kind} on {asks}", _simulation(bin_folder, mpi, ranks, threads), guest), asks)
            for ranks, threads in shapes_of(cpus) for asks in sizes_of(cpus) for kind, guest in _guests(bin_folder).items()]
