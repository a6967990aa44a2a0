#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""run_gromacs.py - a packaged simulation, GROMACS with a box of water, gives the same trajectory while its CPUs move.

GROMACS uses num_threads clauses throughout, so its teams keep their size and are only confined. Still every bit must
be the same. It runs once as gmx, with one rank among its threads. The second run is of gmx_mpi, a rank of Open MPI with the
entry points for MPI calls. Energies and final coordinates of a disturbed run are those of an undisturbed one.

  run_gromacs.py --build build/dev --runtimes build/runtimes --sequences 6

Exit status: 0 all the same, 1 differences, 77 a prerequisite is missing.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from run_answers import Suite, landed

TOPOLOGY = """#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/spc.itp"
[ system ]
water
[ molecules ]
"""
PARAMETERS = """integrator = md
nsteps = {steps}
dt = 0.001
nstlog = 50
nstenergy = 50
cutoff-scheme = Verlet
coulombtype = PME
rcoulomb = 0.9
rvdw = 0.9
tcoupl = v-rescale
tc-grps = System
tau_t = 0.1
ref_t = 300
gen_vel = yes
gen_seed = 7
ld_seed = 7
constraints = h-bonds
"""


def prepare(folder: Path, steps: int):
    """Prepares a box of 466 water molecules."""
    (folder / "water.top").write_text(TOPOLOGY)
    (folder / "run.mdp").write_text(PARAMETERS.format(steps=steps))
    for command in ("solvate -cs spc216 -box 2.4 2.4 2.4 -p water.top -o water.gro",
                    "grompp -f run.mdp -c water.gro -p water.top -o run.tpr -maxwarn 2"):
        done = subprocess.run(["gmx", "-quiet", *command.split()], cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"run_gromacs.py: gmx {command}: {done.stderr[-400:]}")


def result(scratch: Path):
    """Returns the results that must not change: every energy line of the log, and the final coordinates."""
    log = (scratch / "md.log").read_text() if (scratch / "md.log").exists() else ""
    energies = re.findall(r"Energies \(kJ/mol\)\n(.*?)\n\n", log, re.S)
    final = scratch / "final.gro"
    return energies, final.read_text() if final.exists() else ""


class Gromacs(Suite):
    def mdrun(self, folder: Path, start: str, runtime: str, storm_seed=None):
        scratch = Path(tempfile.mkdtemp(prefix="drom-gromacs-"))
        try:
            program = ["gmx_mpi", "-quiet", "mdrun"] if start == "mpi" else ["gmx", "-quiet", "mdrun", "-ntmpi", "1"]
            command = [*program, "-s", str(folder / "run.tpr"), "-reprod", "-notunepme", "-ntomp", "2", "-pin", "off", "-c", "final.gro"]
            env = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "ASAN_OPTIONS") if name in os.environ}
            env.update(OMP_NUM_THREADS="2", DROM_TABLE=str(scratch / "table"), GMX_MAXBACKUP="-1")
            if storm_seed is None:  # spinning threads take long beside other work, and change no result
                env["OMP_WAIT_POLICY"] = "passive"
            if runtime != "libgomp":
                folder_of_runtime = self.runtimes / f"gomp-on-omp-{runtime.removeprefix('libomp-')}"
                if not folder_of_runtime.is_dir():  # the loader would take libgomp without a word
                    sys.exit(f"run_gromacs.py: {folder_of_runtime} is missing; scripts/fetch-runtimes.sh makes it")
                env["LD_LIBRARY_PATH"] = str(folder_of_runtime)
            preload = [self.given.preload_first] if self.given.preload_first else []
            if storm_seed is not None and start in ("run", "mpi"):
                command = [str(self.build / "bin" / "drom"), "run", "--cpus", ",".join(map(str, self.cpus)), "--", *command]
            elif storm_seed is not None:
                preload.append(str(self.build / "lib" / "libdrom-agent.so"))
            if preload and storm_seed is not None:
                env["LD_PRELOAD"] = ":".join(preload)
            outcome = self.run_in(scratch, command, env, storm_seed)
            return outcome, result(scratch)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)


def compare(suite: Gromacs, folder: Path, given) -> int:
    variants = [(start, runtime) for runtime in ("libgomp", "libomp-19") for start in ("run", "preload", "mpi")]
    reference, differences, requests, landings = {}, 0, 0, 0
    for number in range(given.sequences):
        start, runtime = variants[number % len(variants)]
        program = (runtime, start == "mpi")
        if program not in reference:
            reference[program] = suite.mdrun(folder, start, runtime)
        expected, wanted = reference[program]
        seed = random.Random(f"{given.seed} {start} {runtime} {number}").getrandbits(31)
        outcome, got = suite.mdrun(folder, start, runtime, seed)
        requests += outcome.storm.get("requests", 0)
        landings += landed(outcome)
        trouble = suite.judge(expected, outcome) or (None if got == wanted and got[1] else "another trajectory")
        print(f"gromacs {runtime} by {start}: {outcome.storm.get('requests', 0)} requests in {outcome.seconds:.1f} s "
              f"({expected.seconds:.1f} s undisturbed): {trouble or 'the same energies and coordinates'}", flush=True)
        if trouble:
            differences += 1
            print(f"  stderr {outcome.stderr[-600:]!r}\n  requests {json.dumps(outcome.storm)}")
    print(f"seed {given.seed}: gromacs {given.sequences} sequences, {requests} requests, {landings} landed, {differences} differences")
    return 1 if differences or not landings else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--runtimes", required=True)
    parser.add_argument("--sequences", type=int, default=6)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=int(time.time()) // 3600)
    parser.add_argument("--preload-first", default="")
    given = parser.parse_args()
    suite = Gromacs(given)
    missing = [program for program in ("gmx", "gmx_mpi") if not shutil.which(program)]
    if missing or len(suite.cpus) < 2:
        print("SKIPPED gromacs: " + (f"{missing[0]} is missing; scripts/packages.sh test installs it" if missing else "one CPU only"))
        return 1 if os.environ.get("CI") == "true" else 77
    with tempfile.TemporaryDirectory(prefix="drom-gromacs-") as folder:
        prepare(Path(folder), given.steps)
        return compare(suite, Path(folder), given)


if __name__ == "__main__":
    sys.exit(main())
