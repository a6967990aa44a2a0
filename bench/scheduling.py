#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scheduling.py - what select/malleable adds to a scheduling cycle of a real slurmctld; called by `scripts/bench.sh
select`.

Two clusters of 500 nodes of 8 cores that are accounted for only (fake_nodes.py): select/cons_tres and select/malleable, with the same 1,000
running and 1,000 queued jobs, all malleable. Of the running ones 375 have one node and 25 have two: they could be mates. 600 have one core each on
the other 75 nodes, and could not. The queued ones are for whole nodes, shuffled. 500 are too long for any job to be their mate. 500 are short and
find mates whose limits the partition's MaxTime does not let be extended. So nothing starts, in both clusters, and each cycle looks at all.

They take turns; while one is measured the other is stopped by a signal. backfill: slurmctld's own count (sdiag) of a cycle's time, without its
pauses, by the number of jobs that the cycle tried; backfill_cpu: the same of its thread's processor time, because the machine has other users;
main: sdiag's mean cycle of the main scheduler, which looks at the first of the queue. `again`: what the plugin remembers of the last cycle holds; `anew`: slurmctld was told to
read its configuration again, and it remembers nothing. Writes build/bench/select.json and a table on stdout.
Exit status: 0 measured, whatever came out; 1 Slurm or the plugins are not there, or a command failed."""

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from fake_nodes import FakeNodes
from harness import CannotMeasure, environment, spread, write_figures

ROOT = Path(__file__).resolve().parents[1]
CLUSTER = ROOT / "tests" / "plugin" / "cluster.sh"
LIBRARY = Path(os.environ.get("DROM_BUILD", ROOT / "build" / "release")) / "lib"
NODES, CORES, MAX_TIME = 500, 8, 600
TARGET = 1.3
RUNNING = [("1-375", ["-N1", "-c8"]), ("1-25", ["-N2", "--ntasks-per-node=1", "-c8"]), ("1-600", ["-n1", "-c1"])]
SCHEDULER = "bf_continue,bf_max_time=600,default_queue_depth=1000"


@dataclass
class Controller:
    """slurmctld of one cluster."""

    key: str
    depth: int
    options: str = ""
    directory: str = ""
    queued: str = ""  # one of the jobs that wait
    times: dict[str, list[float]] = field(default_factory=dict)

    def run(self, *command: str) -> str:
        done = subprocess.run(command, env=environment(SLURM_CONF=f"{self.directory}/etc/slurm.conf"), capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise CannotMeasure(f"{self.key}: {' '.join(command)}: {done.stderr.strip()[-400:]}")
        return done.stdout

    def pid(self) -> int:
        return int(Path(self.directory, "run", "daemons").read_text().split()[1])

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.pid(), number)


def settings(controller: Controller, port: int) -> list[str]:
    scheduler = f"{SCHEDULER},bf_max_job_test={controller.depth}{controller.options}"
    return [f"nodes={NODES}", f"cores={CORES}", f"answered={port}", f"plugins={LIBRARY}/slurm", f"owner={os.getpid()}", "limit=1800",
            f"select=select/{controller.key}", f"scheduler={scheduler}", f"plugstack=required {LIBRARY}/slurm/spank_drom.so lib={LIBRARY}",
            "extra=TreeWidth=65533", "extra=MaxJobCount=20000", f"extra=PartitionName=day Nodes=n[1-{NODES}] MaxTime={MAX_TIME} State=UP"]


def start(controller: Controller, work: str, port: int) -> None:
    controller.directory = f"{work}/{controller.key}"
    started = subprocess.run([CLUSTER, "up", controller.directory, *settings(controller, port)], capture_output=True, text=True)
    if started.returncode != 0:
        raise CannotMeasure(f"a cluster for {controller.key} did not start: {started.stderr.strip()[-600:]}")


def wait_for(what: str, done: Callable[[], bool], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            raise CannotMeasure(f"{what}: not within {seconds:.0f} s")
        time.sleep(0.1)


def submit(controller: Controller, *options: str) -> str:
    common = ["--parsable", "--malleable", "-p", "day", "-o", "/dev/null", "--wrap", "sleep 36000"]
    return controller.run("sbatch", *common, *options).strip()


def queue() -> list[list[str]]:
    """Returns the options of the jobs that will wait: the same in every run."""
    chance = random.Random(19)
    minutes = [chance.randint(400, MAX_TIME) for _ in range(500)] + [chance.randint(10, 200) for _ in range(500)]
    chance.shuffle(minutes)
    return [[f"-N{chance.choice((1, 1, 1, 2, 2, 4, 8))}", "--ntasks-per-node=1", f"-c{CORES}", f"-t{limit}"] for limit in minutes]


def fill(controller: Controller) -> None:
    for array, options in RUNNING:
        submit(controller, "-t", str(MAX_TIME), "-a", array, *options)
    wait_for(f"{controller.key}: 1,000 jobs run", lambda: len(controller.run("squeue", "-h", "-r", "-t", "running", "-o", "%i").split()) == 1000)
    with ThreadPoolExecutor(2) as some:
        jobs = list(some.map(lambda options: submit(controller, "--hold", *options), queue()))
    controller.run("scontrol", "release", ",".join(jobs))
    controller.queued = jobs[0]


def backfill_ns(controller: Controller) -> int:
    """Returns the time that the backfill scheduler's thread has had a CPU."""
    for thread in Path(f"/proc/{controller.pid()}/task").iterdir():
        if (thread / "comm").read_text().strip() == "bckfl":
            return int((thread / "schedstat").read_text().split()[0])
    raise CannotMeasure(f"{controller.key}: slurmctld has no thread for backfill")


def statistics_of(text: str) -> dict[str, float]:
    """Returns what sdiag prints: per job of the mean backfill cycle, and the mean cycle of the main scheduler, in
    microseconds."""
    main, backfill = text.split("Backfilling stats")

    def number(part: str, name: str) -> float:
        found = re.search(rf"^\s*{re.escape(name)}:\s+(\d+)", part, re.MULTILINE)
        return float(found.group(1)) if found else 0.0

    return {"cycles": number(backfill, "Total cycles"), "depth": number(backfill, "Depth Mean (try depth)"),
            "backfill": number(backfill, "Mean cycle"), "main": number(main, "Mean cycle")}


def cycle(controller: Controller) -> dict[str, float]:
    """Measures the next whole backfill cycle."""
    controller.run("sdiag", "-r")
    before = backfill_ns(controller)
    controller.run("scontrol", "update", f"jobid={controller.queued}", "comment=turn")
    found: dict[str, float] = {}

    def has_one() -> bool:
        found.update(statistics_of(controller.run("sdiag")))
        return found["cycles"] >= 1

    wait_for(f"{controller.key}: a backfill cycle", has_one)
    found["cpu"] = (backfill_ns(controller) - before) / 1000 / found["cycles"]
    return found


def turn(controller: Controller) -> None:
    controller.signal(signal.SIGCONT)
    cycle(controller)  # it may have been stopped in the middle of one
    note(controller, "again", cycle(controller))
    controller.run("scontrol", "reconfigure")
    note(controller, "anew", cycle(controller))
    controller.signal(signal.SIGSTOP)


def note(controller: Controller, when: str, found: dict[str, float]) -> None:
    if found["depth"] < 0.9 * controller.depth:
        raise CannotMeasure(f"{controller.key}: a backfill cycle tried {found['depth']:.0f} of {controller.depth} jobs only")
    controller.times.setdefault(f"backfill_{when}", []).append(found["backfill"] / found["depth"])
    controller.times.setdefault(f"backfill_cpu_{when}", []).append(found["cpu"] / found["depth"])
    controller.times.setdefault(f"main_{when}", []).append(found["main"])


def measure(stock: Controller, ours: Controller, turns: int) -> None:
    for controller in (stock, ours):
        controller.signal(signal.SIGSTOP)
    for number in range(turns):
        for controller in (stock, ours) if number % 2 == 0 else (ours, stock):
            turn(controller)


def figures(stock: Controller, ours: Controller) -> dict:
    found = {}
    for key, theirs in stock.times.items():
        mine = ours.times[key]
        unit = "us_per_job" if key.startswith("backfill") else "us"
        found[f"stock_{key}_{unit}"] = spread(theirs)
        found[f"malleable_{key}_{unit}"] = spread(mine)
        found[f"{key}_over_stock"] = spread([m / t for m, t in zip(mine, theirs, strict=True) if t > 0]) | {"target": TARGET}
    return found


def end(controller: Controller) -> None:
    if controller.directory:
        if Path(controller.directory, "run", "daemons").exists():
            controller.signal(signal.SIGCONT)
        subprocess.run([CLUSTER, "down", controller.directory], check=False)


def main() -> int:
    options = argparse.ArgumentParser(description="what select/malleable adds to a scheduling cycle")
    options.add_argument("--turns", type=int, default=3)
    options.add_argument("--depth", type=int, default=1000, help="jobs that a backfill cycle looks at")
    asked = options.parse_args()
    stock, ours = Controller("cons_tres", asked.depth), Controller("malleable", asked.depth, ",sd_max_slowdown=10")
    with FakeNodes() as nodes, tempfile.TemporaryDirectory() as work:
        try:
            for controller in (stock, ours):
                start(controller, work, nodes.port)
            with ThreadPoolExecutor() as both:
                list(both.map(fill, (stock, ours)))
            measure(stock, ours, asked.turns)
        except (CannotMeasure, OSError, subprocess.TimeoutExpired) as trouble:
            print(f"bench: select: {trouble}", file=sys.stderr)
            return 1
        finally:
            for controller in (stock, ours):
                end(controller)
    write_figures("select", figures(stock, ours), depth=asked.depth, turns=asked.turns)
    return 0


if __name__ == "__main__":
    sys.exit(main())
