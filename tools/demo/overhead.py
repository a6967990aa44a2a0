# SPDX-License-Identifier: BSD-3-Clause
"""overhead.py - what preloading costs an MPI+OpenMP program that is asked for nothing (the DROM thesis, section 4.3).

The same program runs bare and preloaded in turns, the one first in one turn and the other in the next."""

import argparse
import json
import math
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import turns
from mpi import ON_ONE_MACHINE, built_mpi, ranks_of
from report import spread
from runs import Failure, environment

ROUNDS = (1_000, 10_000)  # 0.018 % and 0.2 % in the thesis
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
WAYS = ("bare", "preloaded")


@dataclass(frozen=True)
class Took:
    whole: float   # seconds, with the launcher and MPI_Init
    rounds: float  # as the program says
    said: str


@dataclass(frozen=True)
class Programs:
    """The program, and the libraries of drom beside it."""

    bin: Path
    cpus: int

    def command(self, rounds: int, libraries: list[Path]) -> list[str]:
        mpi, ranks = built_mpi(self.bin), ranks_of(self.cpus)
        unbound = ["--oversubscribe", "--bind-to", "none"] if mpi == "openmpi" else []
        preload = ["env", f"LD_PRELOAD={':'.join(map(str, libraries))}"] if libraries else []
        program = [str(self.bin / f"pils_mpi-{mpi}-gcc"), "--tasks", "8", "--work", str(60 * self.cpus), "--rounds", str(rounds)]
        return [f"mpirun.{mpi}", *unbound, "-np", str(ranks), *preload, *program]

    def run(self, rounds: int, way: str, limit: float = 600) -> Took:
        folder = Path(tempfile.mkdtemp(prefix="drom-demo-"))
        libraries = [self.bin.parent / "lib" / name for name in ("libdrom-mpi.so", "libdrom-agent.so")] if way == "preloaded" else []
        env = environment(OMP_NUM_THREADS=str(self.cpus // ranks_of(self.cpus)), DROM_TABLE=str(folder / "table"), **ON_ONE_MACHINE, **AS_ROOT)
        try:
            begin = time.monotonic()
            done = subprocess.run(self.command(rounds, libraries), env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=limit)
            whole = time.monotonic() - begin
            if done.returncode != 0:
                raise Failure(f"{' '.join(self.command(rounds, libraries))} ended with status {done.returncode}: {done.stderr.strip()[-2000:]}")
            if libraries and not (folder / "table").exists():
                raise Failure("no rank became a client, so nothing would be measured")
            return Took(whole, float(done.stderr.rsplit("pils_mpi:", 1)[1].split()[0]), done.stdout)
        except FileNotFoundError as missing:
            raise Failure(f"{missing.filename} is not there; scripts/packages.sh demo installs Open MPI") from None
        except subprocess.TimeoutExpired:
            raise Failure(f"{' '.join(self.command(rounds, libraries))} did not end within {limit:.0f} s; is the machine busy?") from None
        finally:
            shutil.rmtree(folder, ignore_errors=True)


# --- pure ---

def overhead(bare: list[float], preloaded: list[float]) -> dict:
    """Returns the median of what preloading adds to a turn, in percent, and the 95 % interval of that median: ranks of
    the binomial distribution."""
    found = sorted(100 * (with_it / without - 1) for without, with_it in zip(bare, preloaded, strict=True))
    least = max(0, math.floor(len(found) / 2 - 0.98 * math.sqrt(len(found))))
    return {"median": statistics.median(found), "low": found[least], "high": found[len(found) - 1 - least]}


def row_of(rounds: int, took: dict[str, list[Took]]) -> dict:
    ways = {way: {"whole_s": spread([one.whole for one in of_way]), "rounds_s": spread([one.rounds for one in of_way])} for way, of_way in took.items()}
    return {"rounds": rounds, "ways": ways,
            "whole_percent": overhead([one.whole for one in took["bare"]], [one.whole for one in took["preloaded"]]),
            "rounds_percent": overhead([one.rounds for one in took["bare"]], [one.rounds for one in took["preloaded"]])}


def percent(value: dict) -> str:
    return f"{value['median']:+.2f} % ({value['low']:+.2f} to {value['high']:+.2f})"


def lines(rows: list[dict]) -> list[str]:
    return [f"  {row['rounds']:>6,} rounds, {row['ways']['bare']['whole_s']['median']:.2f} s: {percent(row['rounds_percent'])}; "
            f"with the launcher and MPI_Init {percent(row['whole_percent'])}" for row in rows]


# --- the runs ---

def measured(programs: Programs, rounds: int, repeats: int) -> dict[str, list[Took]]:
    took: dict[str, list[Took]] = {way: [] for way in WAYS}
    for turn in range(repeats):
        print(f"demo: pils_mpi, {rounds:,} rounds: turn {turn + 1} of {repeats}", file=sys.stderr)
        for way in WAYS if turn % 2 == 0 else reversed(WAYS):
            took[way].append(programs.run(rounds, way))
    if len({one.said for of_way in took.values() for one in of_way}) != 1:
        raise Failure("the program computed something else when it was preloaded")
    return took


def measure(options: argparse.Namespace, cpus: int, repeats: int) -> None:
    """Prints the overhead at both numbers of rounds, and leaves overhead.json."""
    head = {"schema": "drom.demo-overhead/1", "cpus": cpus, "repeats": repeats, **turns.machine()}
    programs = Programs(options.bin, cpus)
    programs.run(1, "preloaded")  # nothing is done for the first time afterwards
    rows = [row_of(rounds, measured(programs, rounds, repeats)) for rounds in ROUNDS]
    options.out.mkdir(parents=True, exist_ok=True)
    turns.write(options.out / "overhead.json", json.dumps(head | {"rows": rows}, indent=1) + "\n")
    print(f"\nWhat preloading adds to the time of {ranks_of(cpus)} x {cpus // ranks_of(cpus)} threads that only compute, MPI_Allreduce after each round.")
    print(f"Medians of {repeats} turns, with their 95 % intervals. The thesis has 0.018 % and 0.2 %.\n")
    print("\n".join(lines(rows)))
    print(f"\nThe program computed the same result each time.\n\n  {options.out / 'overhead.json'}")
