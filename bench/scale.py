#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scale.py - what select/malleable costs a slurmctld of thousands of nodes; called by `scripts/bench.sh slurm-scale`.

Two clusters of nodes that are only accounted for (fake_nodes.py): select/cons_tres and select/malleable, with the same jobs, all malleable. With
5,000 nodes 2,000 jobs run and 5,000 wait; fewer nodes have fewer jobs. Of the running ones three quarters have 1 to 64 whole nodes and one of ten
limits, and could be mates. The others have a quarter of a node. The waiting ones are for whole nodes. Half of them are too long for any mate.
The others find mates whose limits MaxTime does not let be extended. So no waiting job starts, in both clusters, and each cycle looks at all.
Before each turn a small job ends and another one begins: what the plugin remembers of refusals is then forgotten.

They take turns; while one is measured the other is stopped by a signal. Every time is the processor time of one thread of slurmctld, because the
machine has other users. backfill: of a whole cycle, by the number of jobs that it tried; main: of a cycle of the main scheduler. rss: the memory of
the process at the end. The jobs are submitted once: both clusters begin with the same saved state. `memory`: the same with memory as a resource (CR_Core_Memory), where half of the mates have too little left for a guest.

start: slurmctld comes back with a ledger of 2,000 jobs that share, half of them guests. It is the processor time until it answers about a job,
against that of select/cons_tres with the same jobs.
Writes build/bench/slurm-scale.json and a table on stdout.
Exit status: 0 measured, whatever came out; 1 Slurm or the plugins are not there, or a command failed."""

import argparse
import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fake_nodes import FakeNodes
from harness import CannotMeasure, environment, spread, write_figures
from scheduling import CLUSTER, LIBRARY, Controller, end, statistics_of, wait_for

CORES, MEMORY = 16, 2000  # of each node; cluster.sh says the memory
LIMITS = [60 * hour for hour in range(1, 11)]
SIZES = (1, 1, 1, 1, 2, 2, 2, 4, 4, 8)
WIDE = (1, 1, 1, 2, 2, 4, 8, 16, 32, 64)
TARGET, MEMORY_TARGET, START_TARGET = 1.2, 1.1, 1.0
SUBMIT = LIBRARY.parent / "bench" / "slurm_submit"


def running_whole(nodes: int) -> list[int]:
    """Returns the sizes of the jobs that fill all nodes but those of the small ones."""
    chance = random.Random(7)
    sizes = [chance.choice(SIZES) for _ in range(nodes * 3 // 10)]
    rest = nodes - small_nodes(nodes) - sum(sizes)
    while rest != 0:
        which = chance.randrange(len(sizes))
        step = 1 if rest > 0 else -1
        if sizes[which] + step >= 1:
            sizes[which] += step
            rest -= step
    return sizes


def small_nodes(nodes: int) -> int:
    return nodes // 40


def requests(nodes: int, with_memory: bool) -> tuple[list[str], list[str]]:
    """Returns lines for slurm_submit: of the jobs that will run, and of those that will wait."""
    chance = random.Random(19)

    def memory(*choices: int) -> int:
        return chance.choice(choices) if with_memory else 0

    kinds = Counter((size, chance.choice(LIMITS), memory(900, 1500)) for size in running_whole(nodes))
    run = [f"{number} {size} {CORES} {limit} {mb} at{limit}" for (size, limit, mb), number in kinds.items()]
    run.append(f"{small_nodes(nodes) * 4} 1 {CORES // 4} 600 {400 if with_memory else 0} small")
    half = nodes // 2
    minutes = [chance.randint(400, 600) for _ in range(half)] + [chance.randint(10, 200) for _ in range(nodes - half)]
    chance.shuffle(minutes)
    wait = [f"1 {chance.choice(WIDE)} {CORES} {limit} {memory(900)} day" for limit in minutes]
    wait.append(f"200 1 {CORES // 4} 600 {400 if with_memory else 0} small")
    return run, wait


def settings(controller: Controller, nodes: int, port: int, consumes: str) -> list[str]:
    scheduler = f"bf_continue,bf_max_time=1200,bf_max_job_test={controller.depth},sched_min_interval=0{controller.options}"
    everywhere = f"Nodes=n[1-{nodes}] State=UP"
    partitions = [f"extra=PartitionName=at{limit} {everywhere} MaxTime={limit}" for limit in LIMITS]
    return [f"nodes={nodes}", f"cores={CORES}", f"answered={port}", f"plugins={LIBRARY}/slurm", f"owner={os.getpid()}", "limit=7200",
            f"select=select/{controller.key}", f"scheduler={scheduler}", f"consumes={consumes}", "extra=TreeWidth=65533",
            "extra=SlurmdTimeout=3600", "extra=MessageTimeout=100", "extra=MaxJobCount=50000", f"extra=PartitionName=day {everywhere} MaxTime=600",
            f"extra=PartitionName=small {everywhere} MaxTime=600 PriorityTier=9", *partitions]


def start(controller: Controller, work: str, nodes: int, port: int, consumes: str) -> None:
    controller.directory = f"{work}/{controller.key}"
    started = subprocess.run([CLUSTER, "up", controller.directory, *settings(controller, nodes, port, consumes)], capture_output=True, text=True)
    if started.returncode != 0:
        raise CannotMeasure(f"a cluster for {controller.key} did not start: {started.stderr.strip()[-600:]}")


def submit(controller: Controller, lines: list[str]) -> list[str]:
    done = subprocess.run([SUBMIT], input="\n".join(lines) + "\n", env=environment(SLURM_CONF=f"{controller.directory}/etc/slurm.conf"),
                          capture_output=True, text=True, timeout=900)
    if done.returncode != 0:
        raise CannotMeasure(f"{controller.key}: a job was not submitted: {done.stderr.strip()[-400:]}")
    return done.stdout.split()


def count(controller: Controller, *options: str) -> int:
    return len(controller.run("squeue", "-h", "-r", "-o", "%i", *options).split())


def set_partitions(controller: Controller, state: str) -> None:
    for partition in ("day", "small", *(f"at{limit}" for limit in LIMITS)):
        controller.run("scontrol", "update", f"partitionname={partition}", f"state={state}")


def fill(controller: Controller, run: list[str], wait: list[str]) -> None:
    def submit_and_start(lines: list[str]) -> list[str]:
        set_partitions(controller, "down")  # or each submission would be scheduled by itself
        jobs = submit(controller, lines)
        set_partitions(controller, "up")
        return jobs

    begun = sum(int(line.split()[0]) for line in run)
    submit_and_start(run)
    wait_for(f"{controller.key}: {begun} jobs run", lambda: count(controller, "-t", "running") == begun, 600)
    submit_and_start(wait)


def stop(controller: Controller) -> None:
    """Ends slurmctld, which saves its state."""
    process = Path("/proc", str(controller.pid()), "cmdline")
    with contextlib.suppress(ProcessLookupError):
        controller.signal(signal.SIGTERM)
    wait_for(f"{controller.key}: slurmctld ends", lambda: not (process.exists() and process.read_bytes()), 300)


def come_back(controller: Controller, state: Path) -> None:
    """Replaces what slurmctld knows by a saved state."""
    stop(controller)
    own = Path(controller.directory, "state")
    shutil.rmtree(own)
    shutil.copytree(state, own)
    daemons = Path(controller.directory, "run", "daemons")
    daemons.write_text("")
    subprocess.run([CLUSTER, "again", controller.directory, "slurmctld"], check=True)
    wait_for(f"{controller.key}: the jobs are back", lambda: knows_jobs(controller), 300)


def knows_jobs(controller: Controller) -> bool:
    done = subprocess.run(["squeue", "-h", "-t", "running"], env=environment(SLURM_CONF=f"{controller.directory}/etc/slurm.conf"), capture_output=True,
                          check=False)
    return done.returncode == 0 and len(done.stdout) > 0


def fill_both(stock: Controller, ours: Controller, state: Path, size: int, with_memory: bool) -> None:
    """Submits the jobs to one, and gives both the same state."""
    if not state.exists():
        fill(stock, *requests(size, with_memory))
        time.sleep(1)
        stop(stock)
        shutil.copytree(f"{stock.directory}/state", state)
    for controller in (stock, ours):
        come_back(controller, state)
        controller.queued = controller.run("squeue", "-h", "-t", "pending", "-p", "day", "-o", "%i").split()[0]


def thread_ns(controller: Controller, name: str) -> int:
    """Returns the time that a thread of slurmctld has had a CPU."""
    for thread in Path(f"/proc/{controller.pid()}/task").iterdir():
        if (thread / "comm").read_text().strip() == name:
            return int((thread / "schedstat").read_text().split()[0])
    raise CannotMeasure(f"{controller.key}: slurmctld has no thread {name}")


def rss_mib(controller: Controller) -> float:
    found = re.search(r"^VmRSS:\s+(\d+)", Path(f"/proc/{controller.pid()}/status").read_text(), re.MULTILINE)
    return int(found.group(1)) / 1024


def replace_small(controller: Controller) -> None:
    """Ends a small job; a waiting one takes its place."""
    running = controller.run("squeue", "-h", "-t", "running", "-p", "small", "-o", "%i").split()
    waiting = count(controller, "-t", "pending", "-p", "small")
    controller.run("scancel", running[0])
    wait_for(f"{controller.key}: a small job starts", lambda: count(controller, "-t", "pending", "-p", "small") < waiting, 900)


def cycles_of(controller: Controller) -> tuple[dict[str, float], float]:
    """Returns what sdiag says of backfill since it was reset, and how many cycles the main scheduler has had."""
    text = controller.run("sdiag")
    main = re.search(r"^\s*Total cycles:\s+(\d+)", text, re.MULTILINE)
    return statistics_of(text), float(main.group(1)) if main else 0.0


def backfill_us(controller: Controller) -> float:
    """Returns the microseconds of the next whole cycle, by job."""
    for _ in range(5):
        took, depth = backfill_cycle(controller)
        if depth >= 0.9 * controller.depth:
            return took / depth
    raise CannotMeasure(f"{controller.key}: a backfill cycle tried {depth:.0f} of {controller.depth} jobs only")


def finished_cycles(controller: Controller) -> float:
    return cycles_of(controller)[0]["cycles"]


def backfill_cycle(controller: Controller) -> tuple[float, float]:
    """Returns the microseconds from the end of a cycle to that of the next, and the jobs that this one tried. sdiag is
    not reset: that could be in the middle of a cycle."""
    def wait_for_end(after: float) -> tuple[float, int]:
        controller.run("scontrol", "update", f"jobid={controller.queued}", "comment=turn")
        wait_for(f"{controller.key}: a backfill cycle", lambda: finished_cycles(controller) > after, 1200)
        return finished_cycles(controller), thread_ns(controller, "bckfl")

    first, before = wait_for_end(finished_cycles(controller))
    last, after = wait_for_end(first)
    depth = re.search(r"Last depth cycle \(try sched\):\s+(\d+)", controller.run("sdiag"))
    return (after - before) / 1000 / (last - first), float(depth.group(1)) if depth else 0.0


def main_us(controller: Controller) -> float:
    """Returns the microseconds of a cycle of the main scheduler while small jobs end and others begin."""
    controller.run("sdiag", "-r")
    before = thread_ns(controller, "sched_agent")
    for _ in range(3):
        replace_small(controller)
    cycles = cycles_of(controller)[1]
    if cycles < 1:
        raise CannotMeasure(f"{controller.key}: the main scheduler had no cycle")
    return (thread_ns(controller, "sched_agent") - before) / 1000 / cycles


def turn(controller: Controller, backfill: str, main: str) -> None:
    controller.signal(signal.SIGCONT)
    backfill_cycle(controller)  # it may have been stopped in the middle of one
    controller.times.setdefault(main, []).append(main_us(controller))
    controller.times.setdefault(backfill, []).append(backfill_us(controller))
    controller.signal(signal.SIGSTOP)


def over(stock: list[float], ours: list[float], target: float) -> dict:
    return spread([m / t for m, t in zip(ours, stock, strict=True)]) | {"target": target}


def measure_cycles(work: str, asked: argparse.Namespace, size: int, consumes: str) -> dict:
    depth = min(asked.depth, size)
    stock, ours = Controller("cons_tres", depth), Controller("malleable", depth, ",sd_max_slowdown=10")
    both = (stock, ours)
    with FakeNodes() as nodes:
        try:
            for controller in both:
                start(controller, work, size, nodes.port, consumes)
            fill_both(stock, ours, Path(asked.state or work, f"{size}-{consumes}"), size, consumes != "CR_Core")
            for controller in both:
                controller.signal(signal.SIGSTOP)
            for number in range(asked.turns):
                for controller in both if number % 2 == 0 else (ours, stock):
                    turn(controller, "backfill", "main")
            rss = [rss_mib(controller) for controller in both]
        finally:
            for controller in both:
                end(controller)
    found = {}
    for key in ("backfill", "main"):
        unit = "us_per_job" if key == "backfill" else "us"
        found |= {f"stock_{key}_{unit}": spread(stock.times[key]), f"malleable_{key}_{unit}": spread(ours.times[key]),
                  f"{key}_over_stock": over(stock.times[key], ours.times[key], TARGET)}
    return found | {"stock_rss_mib": spread(rss[:1]), "malleable_rss_mib": spread(rss[1:]), "rss_over_stock": over(rss[:1], rss[1:], MEMORY_TARGET)}


# ---- slurmctld comes back --------------------------------------------------------------------------------------


def share(controller: Controller, size: int) -> None:
    """Starts mates and guests."""
    chance = random.Random(23)
    sizes = [chance.choice((3, 4, 5, 6)) for _ in range(size // 5)]
    submit(controller, [f"1 {wide} {CORES} 300 0 day" for wide in sizes])
    wait_for("mates run", lambda: count(controller, "-t", "running") == len(sizes), 600)
    hold = size - sum(sizes)
    if hold > 0:
        submit(controller, [f"{hold} 1 {CORES} 600 0 small"])
        wait_for("no node is free", lambda: count(controller, "-t", "running") == len(sizes) + hold, 600)
    guests = submit(controller, [f"1 {wide} {CORES} 60 0 day" for wide in sizes])
    begun = len(sizes) + max(hold, 0)
    wait_for("guests run", lambda: count(controller, "-t", "running") >= begun + len(guests) * 0.98, 1200)


def process_seconds(pid: int) -> float:
    """Returns the processor time of all threads, also of those that have ended."""
    return time.clock_gettime(~pid << 3 | 2)


def seconds_to_start(controller: Controller, select: str, saved: Path) -> float:
    """Returns the processor time of a slurmctld from its start until it answers about the first job."""
    directory = Path(controller.directory)
    shutil.rmtree(directory / "state")
    shutil.copytree(saved, directory / "state")
    conf = directory / "etc" / "slurm.conf"
    conf.write_text(re.sub(r"^SelectType=.*$", f"SelectType=select/{select}", conf.read_text(), flags=re.MULTILINE))
    process = subprocess.Popen(["/usr/sbin/slurmctld", "-D"], env=environment(SLURM_CONF=str(conf)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        def answers() -> bool:
            asked = subprocess.run(["scontrol", "show", "job", "1"], env=environment(SLURM_CONF=str(conf)), capture_output=True, timeout=300, check=False)
            return asked.returncode == 0

        wait_for(f"slurmctld with select/{select} answers", answers, 600)
        return process_seconds(process.pid)
    finally:
        process.kill()
        process.wait()


def measure_start(work: str, asked: argparse.Namespace, size: int) -> dict:
    ours = Controller("malleable", size, ",sd_max_slowdown=inf")
    with FakeNodes() as nodes:
        try:
            start(ours, f"{work}/start", size, nodes.port, "CR_Core")
            saved = Path(asked.state or work, f"{size}-start")
            if not saved.exists():
                share(ours, size)
                stop(ours)
                shutil.copytree(f"{ours.directory}/state", saved)
            stop(ours)
            ledger = (saved / "malleable.loans").read_text()
            times = {select: [seconds_to_start(ours, select, saved) for _ in range(asked.starts)] for select in ("cons_tres", "malleable")}
        finally:
            subprocess.run([CLUSTER, "down", ours.directory], check=False)
    more = [ours - theirs for ours, theirs in zip(times["malleable"], times["cons_tres"], strict=True)]
    return {"ledger_jobs": spread([float(len(re.findall(r"^job ", ledger, re.MULTILINE)))]), "stock_start_s": spread(times["cons_tres"]),
            "malleable_start_s": spread(times["malleable"]), "start_more_s": spread(more) | {"target": START_TARGET}}


def main() -> int:
    options = argparse.ArgumentParser(description="what select/malleable costs a slurmctld of thousands of nodes")
    options.add_argument("--nodes", default="5000", help="sizes, separated by commas")
    options.add_argument("--turns", type=int, default=10)
    options.add_argument("--starts", type=int, default=3)
    options.add_argument("--depth", type=int, default=500, help="jobs that a backfill cycle looks at; 500 is what Slurm does by itself")
    options.add_argument("--state", help="keeps the filled clusters in this folder, and begins with those that are there")
    options.add_argument("--only", default="cores,memory,start", help="parts, separated by commas")
    asked = options.parse_args()
    found = {}
    parts = {"cores": lambda work, size: measure_cycles(work, asked, size, "CR_Core"),
             "memory": lambda work, size: measure_cycles(work, asked, size, "CR_Core_Memory"),
             "start": lambda work, size: measure_start(work, asked, size)}
    for size in map(int, asked.nodes.split(",")):
        for part in asked.only.split(","):
            with tempfile.TemporaryDirectory() as work:
                try:
                    figures = parts[part](work, size)
                except (CannotMeasure, OSError, subprocess.TimeoutExpired) as trouble:
                    print(f"bench: slurm-scale: {trouble}", file=sys.stderr)
                    return 1
            found |= {f"{part}_{size}_{key}": figure for key, figure in figures.items()}
            write_figures("slurm-scale", found, depth=asked.depth, turns=asked.turns)
    return 0


if __name__ == "__main__":
    sys.exit(main())
