#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""run_matrix.py - runtimes x languages x MPI libraries x ranks: each combination shrinks and expands, and computes right.

  run_matrix.py --build BUILD --runtimes RUNTIMES [--ranks 0,1] [--part K/N]
  run_matrix.py --document FILE LOG...

  --ranks     0: one process, without MPI
  --part      of the combinations with several ranks, each number of ranks gets every Nth one, from 0/N to (N-1)/N
  --document  writes the table of the cells that were right in these runs into the file, between its marks

Each rank has at least two CPUs. It shrinks to one and expands again, twice, and its team follows (cell_driver). All
results must be those that are known beforehand (cell.c, cell.F90). Prints one line per cell.
Exit status: 0 when all were right, 77 when something is missing.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

RUNTIMES = ("libgomp", "libomp-14", "libomp-16", "libomp-19")
LANGUAGES = {"": ("c", "c++", "fortran"), "openmpi": ("c", "c++", "mpif.h", "use mpi", "mpi_f08"), "mpich": ("c", "c++", "mpif.h", "use mpi", "mpi_f08")}
LIMIT_S = 120


@dataclass(frozen=True)
class Cell:
    runtime: str
    language: str
    mpi: str
    ranks: int

    @property
    def compiler(self) -> str:
        """Returns the compiler: clang's programs call LLVM's runtime by its own names, gfortran's by GCC's names."""
        return "clang" if self.runtime != "libgomp" and self.language in ("c", "c++") else "gcc"

    @property
    def program(self) -> str:
        return f"cell-{self.language.replace(' ', '_')}-{self.mpi or 'none'}-{self.compiler}"

    @property
    def loaded(self) -> str:
        """Returns a part of the runtime's path."""
        return "/libgomp.so.1" if self.runtime == "libgomp" else f"omp-{self.runtime.removeprefix('libomp-')}/lib"

    def library_path(self, runtimes: Path) -> str:
        if self.runtime == "libgomp":
            return ""
        return str(runtimes / f"{'omp' if self.compiler == 'clang' else 'gomp-on-omp'}-{self.runtime.removeprefix('libomp-')}")

    def __str__(self) -> str:
        return f"{self.runtime:10} {self.language:8} {self.mpi or 'no MPI':8} {self.ranks or 1} {'rank' if self.ranks == 1 else 'ranks' if self.ranks else 'process'}"


def cells(ranks: list[int], part: str) -> list[Cell]:
    chosen, parts = map(int, part.split("/"))
    found = []
    for n in ranks:
        for mpi in ("",) if n == 0 else ("openmpi", "mpich"):
            for i, runtime in enumerate(RUNTIMES):
                for j, language in enumerate(LANGUAGES[mpi]):
                    if n > 1 and (i + j + 2 * (mpi == "mpich") + ranks.index(n)) % parts != chosen:
                        continue
                    found.append(Cell(runtime, language, mpi, n))
    return found


class Matrix:
    def __init__(self, build: Path, runtimes: Path):
        self.build, self.runtimes = build, runtimes
        self.programs = build / "tests" / "matrix"

    def missing(self, cell: Cell) -> str:
        path = cell.library_path(self.runtimes)
        if path and not Path(path).is_dir():  # without it the loader would take another runtime without a word
            return f"{path} is missing; scripts/fetch-runtimes.sh makes it"
        if not (self.programs / cell.program).exists():
            return f"{cell.program} is not built; scripts/packages.sh test installs the compilers"
        return ""

    def environment(self, cell: Cell, scratch: Path) -> dict[str, str]:
        cpus = len(os.sched_getaffinity(0))
        env = {name: value for name, value in os.environ.items() if not name.startswith(("DROM_", "OMP_", "OMPI_"))}
        env |= {"DROM_TABLE": str(scratch / "table"), "OMP_NUM_THREADS": str(cpus // max(1, cell.ranks)), "OMP_WAIT_POLICY": "passive",
                "DROM_RESIZE": "follow",
                "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl": "self,vader"}
        if path := cell.library_path(self.runtimes):
            env["LD_LIBRARY_PATH"] = ":".join(filter(None, [path, env.get("LD_LIBRARY_PATH")]))
        return env

    def command(self, cell: Cell, stop: Path) -> list[str]:
        program = [str(self.build / "bin" / "drom"), "run", "--", str(self.programs / cell.program), str(stop)]
        if cell.ranks == 0:
            return program
        return [f"mpirun.{cell.mpi}", *(["--bind-to", "none", "--oversubscribe"] if cell.mpi == "openmpi" else []), "-np", str(cell.ranks), *program]

    def run(self, cell: Cell) -> str:
        """Runs the cell. Returns what was wrong, or an empty text."""
        with tempfile.TemporaryDirectory() as folder:
            scratch = Path(folder)
            env, stop = self.environment(cell, scratch), scratch / "stop"
            ranks = subprocess.Popen(self.command(cell, stop), env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            driver = subprocess.run([self.build / "bin" / "cell_driver", str(max(1, cell.ranks)), cell.loaded, str(stop)], env=env, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True, check=False, timeout=LIMIT_S)
            stop.touch()  # the driver itself may have been unable to start
            try:
                output = ranks.communicate(timeout=LIMIT_S)[0]
            except subprocess.TimeoutExpired:
                ranks.terminate()
                return "it does not end"
        if driver.returncode != 0:
            return driver.stdout.strip() + " " + output.strip()
        right = any(line.startswith("rounds ") and line.endswith(" wrong 0") for line in output.splitlines())
        return "" if right and ranks.returncode == 0 else f"status {ranks.returncode}: {output.strip()}"


def table(done: list[Cell]) -> str:
    rows = [f"| language | MPI | {' | '.join(RUNTIMES)} |", "|---" * (2 + len(RUNTIMES)) + "|"]
    for mpi, languages in LANGUAGES.items():
        for language in languages:
            ranks = [", ".join(str(cell.ranks or "yes") for cell in done if (cell.runtime, cell.language, cell.mpi) == (runtime, language, mpi))
                     for runtime in RUNTIMES]
            rows.append(f"| {language} | {mpi or 'none'} | {' | '.join(ranks)} |")
    return "\n".join(rows) + "\n"


_RIGHT = re.compile(r"^ok +(\S+) +(\S.*?) +(no MPI|openmpi|mpich) +(\d) (process|ranks?) ")


def right_in(logs: list[Path]) -> list[Cell]:
    found = set()
    for line in "\n".join(log.read_text() for log in logs).splitlines():
        if match := _RIGHT.match(line):
            runtime, language, mpi, ranks, unit = match.groups()
            found.add(Cell(runtime, language, "" if mpi == "no MPI" else mpi, 0 if unit == "process" else int(ranks)))
    return sorted(found, key=lambda cell: cell.ranks)


def document(path: Path, done: list[Cell]) -> int:
    if not done:
        print("run_matrix.py: no line of a right cell in these logs", file=sys.stderr)
        return 1
    begin, end = "<!-- matrix: begin -->\n", "<!-- matrix: end -->"
    text = path.read_text()
    before, rest = text.split(begin)
    path.write_text(before + begin + table(done) + end + rest.split(end)[1])
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path)
    parser.add_argument("--runtimes", type=Path)
    parser.add_argument("--ranks", default="0,1")
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--document", type=Path)
    parser.add_argument("logs", nargs="*", type=Path)
    given = parser.parse_args()
    if given.document:
        return document(given.document, right_in(given.logs))
    if not given.build or not given.runtimes:
        parser.error("--build and --runtimes are needed")
    matrix = Matrix(given.build.resolve(), given.runtimes.resolve())
    chosen = cells([int(n) for n in given.ranks.split(",")], given.part)
    for why in filter(None, map(matrix.missing, chosen)):
        print(f"SKIPPED matrix: {why}")
        return 1 if os.environ.get("CI") == "true" else 77
    right = 0
    for cell in chosen:
        start = time.monotonic()
        wrong = matrix.run(cell)
        print(f"{'FAIL' if wrong else 'ok  '} {cell}  {time.monotonic() - start:.1f} s{'  ' + wrong if wrong else ''}", flush=True)
        right += not wrong
    print(f"matrix: {right} right, {len(chosen) - right} wrong")
    return 0 if right == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
