# SPDX-License-Identifier: BSD-3-Clause
"""storm_cluster.py - the Slurm that the storm goes over: cluster.sh with one of two kinds of nodes, its daemons, its commands."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from storm_checks import all_pids, environ_of, is_alive, status_of

WATCHDOG_S = 180  # how long anything may take before it counts as hung; nothing here takes a tenth of it on an idle machine


class Missing(Exception):
    """A prerequisite that this machine does not have."""


def plugin_folder(build: Path) -> Path:
    """Returns where the plugins are, for the installed Slurm or the series in whose root folder this runs."""
    series = os.environ.get("SLURM_SERIES")
    return build / "lib" / (f"slurm-{series}" if series else "slurm")


@dataclass(frozen=True)
class Setup:
    """A kind of node."""

    name: str
    settings: tuple[str, ...]  # of cluster.sh
    cpus: int  # of a node
    topology: str = ""

    @property
    def real(self) -> bool:
        return not self.topology


SETUPS = {
    # Every node is this machine's first two CPUs, and affinities are set.
    "real": Setup("real", ("cores=2", "partition=OverSubscribe=FORCE:4"), 2),
    # Masks are accounted for in the tables only.
    "virtual": Setup("virtual", ("sockets=2", "cores=24", "partition=OverSubscribe=FORCE:4"), 48, "package:2,core:24,pu:1"),
}


def spank_caller(plugins: Path, tables: str, topology: str) -> list[str]:
    words = [f"required {plugins / 'spank_drom.so'} table={tables}"]
    return ["plugstack=" + " ".join([*words, f"topology={topology}"] if topology else words)]


def task_caller(plugins: Path, tables: str, topology: str) -> list[str]:
    if not (plugins / "task_drom.so").exists():
        raise Missing(f"there is no {plugins / 'task_drom.so'}; scripts/slurm-headers.sh, then configure again")
    settings = ["task=task/drom", f"plugstack=required {plugins / 'spank_drom.so'}", f"drom=table={tables}"]
    return [*settings, f"drom=topology={topology}"] if topology else settings


# The plugin that calls the node agent, as settings of cluster.sh.
CALLERS: dict[str, Callable[[Path, str, str], list[str]]] = {"spank": spank_caller, "task": task_caller}


def eventually(what: str, condition: Callable[[], bool], again: Callable[[], object] = lambda: None) -> None:
    """Waits until it is so, and calls `again` every few seconds meanwhile."""
    end, next_try = time.monotonic() + WATCHDOG_S, time.monotonic() + 3
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError(f"never within {WATCHDOG_S} s: {what}")
        if time.monotonic() > next_try:
            again()
            next_try = time.monotonic() + 3
        time.sleep(0.1)


class Cluster:
    def __init__(self, build: Path, setup: Setup, caller: str, nodes: int):
        for command in ("slurmctld", "slurmd", "srun", "setsid"):
            if shutil.which(command, path=os.environ["PATH"] + ":/usr/sbin:/sbin") is None:
                raise Missing(f"no {command}; scripts/packages.sh test")
        self.setup, self.build = setup, build
        self.nodes = [f"n{i}" for i in range(1, nodes + 1)]
        self.script = Path(__file__).with_name("cluster.sh")
        self.dir = Path(tempfile.mkdtemp(prefix="storm-"))
        self.dir.chmod(0o755)
        plugins = plugin_folder(build)
        self.settings = [f"nodes={nodes}", f"plugins={plugins}", f"owner={os.getpid()}", *setup.settings]
        self.settings += CALLERS[caller](plugins, f"{self.dir}/%n.table", setup.topology)
        self.mark = str(self.dir)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("DROM_", "SLURM_"))}
        self.env = inherited | {"SLURM_CONF": str(self.dir / "etc" / "slurm.conf"), "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}
        self.restarts = threading.Lock()

    def script_does(self, verb: str, *arguments: str) -> None:
        subprocess.run([self.script, verb, self.dir, *arguments], env=self.env, check=True, timeout=WATCHDOG_S)

    def up(self) -> None:
        self.script_does("up", *self.settings)

    def down(self) -> None:
        self.script_does("down")
        shutil.rmtree(self.dir, ignore_errors=True)

    def table(self, node: str) -> Path:
        return self.dir / f"{node}.table"

    def call(self, *command: object) -> subprocess.CompletedProcess:
        """Runs a command of Slurm. A submitted job carries the mark; the caller judges how it ends."""
        return subprocess.run(
            list(map(str, command)), env=self.env | {"STORM_MARK": self.mark}, cwd=self.dir, capture_output=True, text=True, timeout=WATCHDOG_S
        )

    def start(self, *command: object) -> subprocess.Popen:
        environment = self.env | {"STORM_MARK": self.mark}
        return subprocess.Popen(
            list(map(str, command)), env=environment, cwd=self.dir, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def listing(self, node: str) -> dict:
        return json.loads(self.call(self.build / "bin" / "drom", "list", "--table", self.table(node), "--json").stdout)

    # --- its processes ---

    def slurmd(self, node: str) -> int:
        pairs = [line.split() for line in (self.dir / "run" / "daemons").read_text().splitlines()]
        return [int(pid) for name, pid in pairs if name == node][-1]

    def kill_and_restart(self, node: str, pause: float) -> None:
        with self.restarts:
            kill(self.slurmd(node))
            eventually(f"the killed slurmd of {node} is gone", lambda: not is_alive(self.slurmd(node)))
            time.sleep(pause)
            self.script_does("again", node)

    def step_daemons(self) -> dict[int, str]:
        """Returns the step daemons, each with the job that it serves."""
        found = {}
        for pid in all_pids():
            if status_of(Path(f"/proc/{pid}/status")).get("Name", "").strip() != "slurmstepd" or not is_alive(pid):
                continue
            if environ_of(pid).get("CLUSTER_MARK") != self.mark:
                continue
            with contextlib.suppress(OSError):
                name = re.search(r"\[(\d+)\.", Path(f"/proc/{pid}/cmdline").read_text())
                found[pid] = name.group(1) if name else ""
        return found

    def marked(self) -> list[int]:
        return [pid for pid in all_pids() if environ_of(pid).get("STORM_MARK") == self.mark and is_alive(pid)]

    # --- its jobs ---

    def job_names(self) -> list[str]:
        return self.call("squeue", "-h", "-o", "%j").stdout.split()

    def cancel_all(self) -> None:
        self.call("scancel", "-u", str(os.getuid()))

    def end_hung_jobs(self) -> None:
        """Ends jobs that hang: where slurmd was killed while it ended a job, slurmctld asks again after half a minute
        only, but not of a node that is down."""
        self.cancel_all()
        for node in set(self.call("squeue", "-h", "-t", "completing", "-o", "%N").stdout.split()):
            self.call("scontrol", "update", f"nodename={node}", "state=down", "reason=storm")
        self.resume()

    def all_idle(self) -> bool:
        return self.call("sinfo", "-h", "-t", "idle", "-o", "%D").stdout.strip() == str(len(self.nodes))

    def resume(self) -> None:
        """Resumes also the nodes that slurmctld drained because they lost a step daemon at a bad moment."""
        for node in self.nodes:
            self.call("scontrol", "update", f"nodename={node}", "state=resume")

    def log_lines(self) -> list[str]:
        return [line for node in self.nodes for line in (self.dir / "log" / f"{node}.log").read_text(errors="replace").splitlines()]


def kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


class Storm(Protocol):
    """The part that all storms have in common."""

    cluster: Cluster
    seed: int
    events: list[str]

    def run(self) -> None: ...
    def finish(self) -> None: ...
    def found_nothing(self) -> bool: ...
    def report(self) -> None: ...


def blow(storm: Storm, title: str, verbose: bool) -> bool:
    """Returns True when nothing was found; otherwise the last actions and the logs have been printed."""
    print(f"storm: {title}, seed {storm.seed}", flush=True)
    storm.cluster.up()
    trouble = ""
    try:
        storm.run()
        storm.finish()
    except (RuntimeError, subprocess.SubprocessError) as error:
        trouble = f"storm: {error}"
    good = storm.found_nothing() and not trouble
    if not good or verbose:
        print("\n".join(storm.events[-100:]), flush=True)
        storm.cluster.script_does("logs")
    # Last, because CI shows the end of what a test says.
    storm.report()
    if trouble:
        print(trouble, flush=True)
    return good
