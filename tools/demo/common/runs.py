# SPDX-License-Identifier: BSD-3-Clause
"""runs.py - what the demonstrations and the workload have in common: other programs, this machine as a node of Slurm,
and the exit status."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

FOREIGN = ("OMP_", "KMP_", "GOMP_", "OPENBLAS_", "GOTO_", "DROM_")
SLURM = ("SLURM_", "SBATCH_", "SRUN_", "SPANK_", "PMI")


class Failure(Exception):
    """One sentence: what went wrong; the run ends with it."""


def _kept(foreign: tuple[str, ...]) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(foreign) and name != "LD_PRELOAD"}


def environment(**more: str) -> dict[str, str]:
    """Returns our environment without what would change OpenMP or drom behind a run's back."""
    return _kept(FOREIGN) | more


def slurm_environment(**more: str) -> dict[str, str]:
    """Returns the environment of Slurm's commands: none of an outer Slurm, and no option that its users may set."""
    return _kept(FOREIGN + SLURM) | {"PATH": os.environ.get("PATH", "/usr/bin:/bin") + ":/usr/sbin:/sbin"} | more


def output_of(command: list[str], env: dict[str, str], folder: Path | str | None = None, limit: float = 600) -> str:
    """Runs a program to its end, within `limit` seconds."""
    try:
        # A session of its own: Ctrl-C is for this program, which then ends all that it started.
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, start_new_session=True, stdin=subprocess.DEVNULL,
                              timeout=limit)
    except FileNotFoundError:
        raise Failure(f"{command[0]} is not there: not built, or not installed") from None
    except subprocess.TimeoutExpired:
        raise Failure(f"{' '.join(command)} did not end within {limit:.0f} s; is the machine busy?") from None
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)} ended with status {done.returncode}: {done.stderr.strip()[-3000:]}")
    return done.stdout


def seconds_of(command: list[str], env: dict[str, str], limit: float, folder: Path | str | None = None) -> float:
    """Runs a program to its end, and returns how long it took."""
    begin = time.monotonic()
    output_of(command, env, folder, limit)
    return time.monotonic() - begin


def shape(described: str) -> dict[str, int]:
    """Returns the node as cluster.sh wants it, from what slurmd -C prints."""
    found = dict(re.findall(r"(\w+)=(\d+)", described))
    try:
        sockets = int(found["SocketsPerBoard"]) * int(found.get("Boards", 1))
        return {"sockets": sockets, "cores": int(found["CoresPerSocket"]), "threads": int(found["ThreadsPerCore"])}
    except KeyError as missing:
        raise Failure(f"slurmd -C does not say {missing} of this machine: '{described.strip()}'") from None


def this_machine() -> dict[str, int]:
    """Returns the shape of this machine, all of whose CPUs have to be ours; two at least, because they are shared."""
    env = slurm_environment()
    if shutil.which("slurmd", path=env["PATH"]) is None:
        raise Failure("slurmd is not there; scripts/packages.sh demo installs it")
    node = shape(output_of(["slurmd", "-C"], env))
    cpus, ours = node["sockets"] * node["cores"] * node["threads"], len(os.sched_getaffinity(0))
    if cpus != ours:
        raise Failure(f"the machine has {cpus} CPUs and this process may use {ours}: Slurm would give away CPUs that it has not; "
                      "start it without taskset and outside of a cpuset")
    if cpus < 2:
        raise Failure("this machine has one CPU; there is nothing to share")
    return node


def exit_status(name: str, work: Callable[[], None]) -> int:
    """Does the work, and says what went wrong."""
    # As with Ctrl-C, what was started is ended first.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        work()
    except (Failure, OSError) as failure:
        print(f"{name}: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0
