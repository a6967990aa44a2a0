#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""run_packaged.py - packaged programs give the same output, bit for bit, while their CPUs move, with every entry point.

LAMMPS, a melt of Lennard-Jones atoms, runs by itself, and as one of two ranks of Open MPI. It has no OpenMP, so its
ranks are released only. GraphicsMagick, a chain of filters, runs with OpenMP under GCC's runtime and LLVM's. NEURON, a
ring of cells that excite one another, is a rank with two threads of its own. Output files of each disturbed run are
compared with those of an undisturbed one.

  run_packaged.py --build build/dev --runtimes build/runtimes [--sequences N]

N is one per variant; with ANSWERS_SEQUENCES set, as in a long run, five.
Exit status: 0 all the same, 1 differences, 77 a prerequisite is missing.
"""

import argparse
import json
import os
import random
import re
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from run_answers import Suite, landed

MELT = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 10 0 10 0 10
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 20 delay 0 check no
fix 1 all nve
thermo 20
thermo_modify format float %20.15g
run {steps}
write_dump all custom atoms.txt id x y z vx vy vz modify sort id format float %20.15g
"""
RING = """begintemplate Cell
public soma, dend, synapse
create soma, dend
objref synapse
proc init() {
    soma { L = 20 diam = 20 nseg = 1 insert hh }
    dend { L = 400 diam = 2 nseg = 21 insert pas }
    connect dend(0), soma(1)
    soma synapse = new ExpSyn(0.5)
    synapse.tau = 2
}
endtemplate Cell
objref cells, connection, connections, times, numbers, context, current
cells = new List()
connections = new List()
times = new Vector()
numbers = new Vector()
for i = 0, 63 cells.append(new Cell())
for i = 0, 63 for j = 1, 3 {
    cells.o(i).soma connection = new NetCon(&v(0.5), cells.o((i + j) % 64).synapse, 0, 1 + j, 0.04)
    connections.append(connection)
    if (j == 1) connection.record(times, numbers, i)
}
cells.o(0).soma current = new IClamp(0.5)
current.del = 1
current.dur = 2
current.amp = 1
context = new ParallelContext()
context.nthread(2)
context.set_maxstep(10)
finitialize(-65)
context.psolve(1000)
wopen("spikes.txt")
for i = 0, times.size() - 1 fprint("%d %.15g\\n", numbers.x(i), times.x(i))
for i = 0, 63 fprint("%.15g\\n", cells.o(i).soma.v(0.5))
wopen()
quit()
"""
FILTERS = "-size 1600x1200 gradient:red-blue -swirl 90 -blur 0x6 -sharpen 0x2 -implode 0.3 -median 2 -rotate 7 -resize 1000x800"
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl": "self,vader"}


@dataclass(frozen=True)
class Variant:
    program: str
    # "run": drom run starts the program; "preload": only variables are set; "ranks": one of two ranks, with the other
    # one undisturbed
    start: str
    runtime: str = "libgomp"

    @property
    def reference(self):
        return self.program, self.start == "ranks", self.runtime


VARIANTS = [Variant("lammps", "run"), Variant("graphicsmagick", "run"), Variant("lammps", "ranks"),
            Variant("graphicsmagick", "preload", "libomp-19"), Variant("lammps", "preload"),
            Variant("graphicsmagick", "run", "libomp-19"), Variant("graphicsmagick", "preload"), Variant("neuron", "run"),
            Variant("neuron", "preload")]


def outputs(scratch: Path):
    """Returns the output that must not change: every energy that was printed, the atoms at the end, the image, the spikes.

    Which of NEURON's threads records the first of two spikes at the same time is chance."""
    log = scratch / "log.txt"
    energies = re.findall(r"^ *\d+ +[-\d.]+ +.*$", log.read_text(), re.M) if log.exists() else []
    files = [path.read_bytes() for path in (scratch / "atoms.txt", scratch / "image.ppm") if path.exists()]
    spikes = scratch / "spikes.txt"
    return energies, files + ([sorted(spikes.read_text().splitlines())] if spikes.exists() else [])


class Packaged(Suite):
    def command(self, variant: Variant, disturbed: bool):
        front = [str(self.build / "bin" / "drom"), "run", "--cpus", ",".join(map(str, self.cpus)), "--"] if disturbed else []
        if variant.program == "graphicsmagick":
            command = ["gm", "convert", *FILTERS.split(), "image.ppm"]
        elif variant.program == "neuron":
            command = ["nrniv", "-mpi", "-nobanner", "-nogui", "ring.hoc"]
        else:
            command = ["lmp", "-in", "melt.txt", "-log", "log.txt", "-screen", "none"]
        if variant.start == "ranks":
            return ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-np", "1", *command, ":", "-np", "1", *front, *command]
        return [*front, *command] if variant.start == "run" else command

    def environment(self, variant: Variant, table: Path, disturbed: bool):
        env = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "ASAN_OPTIONS") if name in os.environ}
        env.update(AS_ROOT, OMP_NUM_THREADS="2", DROM_TABLE=str(table))
        if not disturbed:  # threads that spin take long beside other work, and change no output
            env["OMP_WAIT_POLICY"] = "passive"
        if variant.runtime != "libgomp":
            folder = self.runtimes / f"gomp-on-omp-{variant.runtime.removeprefix('libomp-')}"
            if not folder.is_dir():  # the loader would take libgomp without a word
                sys.exit(f"run_packaged.py: {folder} is missing; scripts/fetch-runtimes.sh makes it")
            env["LD_LIBRARY_PATH"] = str(folder)
        preload = [self.given.preload_first] if disturbed and self.given.preload_first else []
        if disturbed and variant.start == "preload":
            libraries = ["libdrom-agent.so"] if variant.program == "graphicsmagick" else ["libdrom-mpi.so", "libdrom-agent.so"]
            preload += [str(self.build / "lib" / library) for library in libraries]
        if preload:
            env["LD_PRELOAD"] = ":".join(preload)
        return env

    def outcome(self, variant: Variant, storm_seed=None):
        scratch = Path(tempfile.mkdtemp(prefix="drom-packaged-"))
        try:
            (scratch / "melt.txt").write_text(MELT.format(steps=self.given.steps))
            (scratch / "ring.hoc").write_text(RING)
            disturbed = storm_seed is not None
            outcome = self.run_in(scratch, self.command(variant, disturbed), self.environment(variant, scratch / "table", disturbed), storm_seed)
            return outcome, outputs(scratch)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)


def is_complete(variant: Variant, output, steps: int):
    energies, files = output
    return len(files) == 1 and (variant.program != "lammps" or len(energies) == steps // 20 + 1)


def compare(suite: Packaged, given) -> int:
    references, differences, requests, landings = {}, 0, 0, 0
    for number in range(given.sequences):
        variant = VARIANTS[number % len(VARIANTS)]
        if variant.reference not in references:
            references[variant.reference] = suite.outcome(variant)
        expected, wanted = references[variant.reference]
        if expected.status != 0 or not is_complete(variant, wanted, given.steps):
            sys.exit(f"run_packaged.py: {variant.program} undisturbed ended with {expected.status}: {expected.stderr[-400:]}")
        seed = random.Random(f"{given.seed} {variant} {number}").getrandbits(31)
        outcome, got = suite.outcome(variant, seed)
        requests += outcome.storm.get("requests", 0)
        landings += landed(outcome)
        trouble = suite.judge(expected, outcome) or (None if got == wanted else "another output")
        print(f"{variant.program} {variant.runtime} by {variant.start}: {outcome.storm.get('requests', 0)} requests in {outcome.seconds:.1f} s "
              f"({expected.seconds:.1f} s undisturbed): {trouble or 'the same output'}", flush=True)
        if trouble:
            differences += 1
            print(f"  stderr {outcome.stderr[-600:]!r}\n  requests {json.dumps(outcome.storm)}")
    print(f"seed {given.seed}: packaged programs {given.sequences} sequences, {requests} requests, {landings} landed, {differences} differences")
    return 1 if differences or not landings else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--runtimes", required=True)
    parser.add_argument("--sequences", type=int, default=(5 if os.environ.get("ANSWERS_SEQUENCES") else 1) * len(VARIANTS))
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--seed", type=int, default=int(time.time()) // 3600)
    parser.add_argument("--preload-first", default="")
    given = parser.parse_args()
    suite = Packaged(given)
    missing = [program for program in ("lmp", "gm", "nrniv", "mpirun.openmpi") if not shutil.which(program)]
    if missing or len(suite.cpus) < 2:
        print("SKIPPED packaged programs: " + (f"{missing[0]} is missing; scripts/packages.sh test installs it" if missing else "one CPU only"))
        return 1 if os.environ.get("CI") == "true" else 77
    return compare(suite, given)


if __name__ == "__main__":
    sys.exit(main())
