# SPDX-License-Identifier: BSD-3-Clause
"""programs.py - which programs the demonstration runs, and how much work each is given on this machine."""

import atexit
import math
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent / "common"))

from mpi import ON_ONE_MACHINE  # noqa: E402
from runs import Failure, environment, output_of, seconds_of  # noqa: E402


@dataclass
class Program:
    """`command(amount)` is the command line for an amount of work; `amount` is found by calibrate().

    The result is what it prints, or what it leaves in `result`, a file in the folder it is started in. `srun` has
    options for its ranks."""

    name: str
    command: Callable[[int], list[str]]
    amount: int
    result: str | None = None
    ranks: int = 1
    srun: tuple[str, ...] = ()

    def line(self) -> list[str]:
        return self.command(self.amount)


@dataclass
class Pair:
    key: str
    title: str
    simulation: Program
    guest: Program  # arrives later


def _heat(program: Path, cpus: int) -> Callable[[int], list[str]]:
    # The plate grows with the node, so that a thread's part of a step stays as long as it is on two CPUs.
    size = 64 * round(12 * math.sqrt(cpus / 2))
    return lambda amount: [str(program), "--size", str(size), "--steps", str(amount)]


_TOPOLOGY = """#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/spce.itp"
[ system ]
water
[ molecules ]
"""
_PARAMETERS = """integrator = md
dt = 0.002
nsteps = -1
cutoff-scheme = Verlet
coulombtype = PME
rcoulomb = 0.9
rvdw = 0.9
gen-vel = yes
gen-temp = 300
gen-seed = 1
nstenergy = 100
nstxout-compressed = 0
"""


def _gmx(folder: Path, *words: str) -> None:
    output_of(["gmx", "-quiet", *words], environment(), folder)


def _water(cpus: int) -> Callable[[int], list[str]]:
    """Returns the commands for a box of 1,700 water molecules, made with the package's own tools when it is needed
    first.

    -reprod: GROMACS then computes the same bits whenever the number of threads is the same."""
    folder: list[Path] = []

    def command(amount: int) -> list[str]:
        if not folder:
            if shutil.which("gmx") is None:
                raise Failure("gmx is not there; install the package gromacs, scripts/packages.sh demo does")
            folder.append(Path(tempfile.mkdtemp(prefix="drom-water-")))
            atexit.register(shutil.rmtree, folder[0], ignore_errors=True)
            (folder[0] / "topol.top").write_text(_TOPOLOGY)
            (folder[0] / "run.mdp").write_text(_PARAMETERS)
            _gmx(folder[0], "solvate", "-cs", "spc216", "-box", "3.75", "3.75", "3.75", "-o", "water.gro", "-p", "topol.top")
            _gmx(folder[0], "grompp", "-f", "run.mdp", "-c", "water.gro", "-p", "topol.top", "-o", "water.tpr", "-maxwarn", "9")
        return ["gmx", "-quiet", "mdrun", "-s", str(folder[0] / "water.tpr"), "-nsteps", str(amount), "-ntmpi", "1", "-ntomp", str(cpus),
                "-pin", "off", "-reprod", "-c", "final.gro"]

    return command


def _analytics(bin_folder: Path, runtime: str, millions: int) -> Program:
    program = bin_folder / f"analytics-{runtime}"
    return Program("analytics", lambda amount: [str(program), "--samples", str(millions), "--rounds", str(amount)], 4)


def use_cases(bin_folder: Path, cpus: int) -> list[Pair]:
    """Returns the two of the thesis, each of programs that two OpenMP runtimes run."""

    def heat(name: str, runtime: str) -> Program:
        return Program(name, _heat(bin_folder / f"heat-{runtime}", cpus), 1000)

    return [
        Pair("insitu", "in-situ analytics (heat, and a short look at data)", heat("simulation", "gcc"), _analytics(bin_folder, "clang", cpus)),
        Pair("priority", "a high-priority job (heat, and another heat)", heat("simulation", "gcc"), heat("priority job", "clang")),
    ]


def pairs(bin_folder: Path, cpus: int) -> list[Pair]:
    """Returns the cases, in the order they are shown."""

    def analytics(runtime: str) -> Program:
        return _analytics(bin_folder, runtime, 10 * cpus)

    heat = {runtime: Program("simulation", _heat(bin_folder / f"heat-{runtime}", cpus), 1000) for runtime in ("gcc", "clang")}
    dgemm = Program("simulation", lambda amount: [str(bin_folder / "dgemm"), "--products", str(amount)], 20)
    water = Program("simulation", _water(cpus), 200, result="final.gro")
    return [
        Pair("libgomp", "heat and analytics, g++ -fopenmp (libgomp)", heat["gcc"], analytics("gcc")),
        Pair("libomp", "heat and analytics, clang++ -fopenmp (LLVM's runtime)", heat["clang"], analytics("clang")),
        Pair("openblas", "matrix products by Debian's OpenBLAS, and analytics", dgemm, analytics("gcc")),
        Pair("gromacs", "Debian's GROMACS, a box of water, and analytics", water, analytics("gcc")),
    ]


def _seconds(program: Program, threads: int, limit: float) -> float:
    with tempfile.TemporaryDirectory(prefix="drom-demo-") as folder:
        return seconds_of(program.line(), environment(OMP_NUM_THREADS=str(threads), **ON_ONE_MACHINE), limit, folder)


def calibrate(program: Program, threads: int, wanted: float, limit: float) -> None:
    """Sets the amount of work that takes about `wanted` seconds on `threads` CPUs. The better of two runs counts:
    whatever else
    happens on the machine only makes a run longer."""
    took = _seconds(program, threads, limit)
    while took < wanted / 4:
        program.amount = math.ceil(program.amount * min(10.0, wanted / 2 / took))
        took = _seconds(program, threads, limit)
    took = min(took, _seconds(program, threads, limit))
    program.amount = max(1, round(program.amount * wanted / took))
