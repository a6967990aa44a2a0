#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""storm.py - jobs come, go, and are killed with their daemons, at random, on four nodes of a real Slurm; no CPU may ever be two jobs'.

  storm.py --build build/dev --setup real --steps 300              nodes of this machine's two CPUs, affinities set
  storm.py --build build/dev --setup virtual --steps 200           nodes of 2 x 24 CPUs that are accounted for only
  storm.py ... --seed 7                                            the same decisions again; when each falls is up to the machine

A step of the storm submits a job, cancels one, or kills by SIGKILL a task, a step daemon, or a node's slurmd. The slurmd is started again.
Several steps are under way at once. After each step, and all the time from a second thread, storm_checks.py judges the nodes. At the end each node
must still have all its CPUs to give, and its owner has them all again when guests are killed together.

Exit status: 0 nothing found, 1 found, 2 usage, 77 a prerequisite is missing.
"""

import argparse
import collections
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from storm_checks import Client, Findings, cpus, is_alive, is_settled, judge, look, read_table, status_of, steady_clients, tasks_marked, text_of
from storm_cluster import CALLERS, SETUPS, WATCHDOG_S, Cluster, Missing, blow, eventually, kill

NODES = 4
IN_FLIGHT = 4
MOST_JOBS = 14  # running and waiting: more only wait
WEIGHTS = {"submit": 46, "cancel": 14, "kill task": 13, "kill step daemon": 6, "kill both": 5, "restart slurmd": 5}


class Watch(threading.Thread):
    """Looks at one node after the other until it is told to stop."""

    def __init__(self, cluster: Cluster, found: Callable[[], None]):
        super().__init__(daemon=True)
        self.cluster, self.found = cluster, found
        self.stock = frozenset(os.sched_getaffinity(0))
        self.drom = str(cluster.build / "bin" / "drom")
        self.findings, self.checks, self.trouble = Findings(), 0, ""
        self.lock, self.stopping = threading.Lock(), threading.Event()

    def check(self, node: str) -> None:
        sight = look(node, lambda: read_table(self.drom, self.cluster.table(node)), self.cluster.mark)
        findings = judge(sight, self.cluster.setup.real, self.stock)
        with self.lock:
            self.checks += 1
            self.findings.add(findings)
        if findings.booked_twice or findings.wrong:
            self.found()

    def run(self) -> None:
        try:
            while not self.stopping.is_set():
                for node in self.cluster.nodes:
                    self.check(node)
                    self.stopping.wait(0.03)
        except Exception as error:  # noqa: BLE001 - a watch that died has seen nothing, and must not pass for one that found nothing
            self.trouble = f"the checking thread died: {error!r}"
            self.found()

    def stop(self) -> None:
        self.stopping.set()
        self.join()


@dataclass
class Submission:
    name: str
    nodes: list[str]  # empty: Slurm's choice
    options: list[str]
    lines: list[str] = field(default_factory=list)  # of a batch script; none: srun runs `program`
    program: list[str] = field(default_factory=list)


class Author:
    """Makes jobs up."""

    def __init__(self, chance: random.Random, cluster: Cluster):
        self.chance, self.cluster = chance, cluster
        self.written = 0

    def program(self, malleable: bool = True) -> list[str]:
        build, real = self.cluster.build, self.cluster.setup.real
        if self.chance.random() < (0.4 if real else 0.15):
            size, steps = (200, self.chance.randint(100, 4000)) if real else (60, self.chance.randint(5, 40))
            return [str(build / "bin" / "heat-gcc"), "--size", str(size), "--steps", str(steps)]
        # No step can share with one that is not malleable: it does not stay.
        return ["sleep", self.chance.choice(["0", "0.2", "0.5", "1", "3", "60", "60"] if malleable else ["0", "0.2", "0.5", "1"])]

    def malleable(self) -> list[str]:
        node_cpus = self.cluster.setup.cpus
        ranges = ["--malleable", "--malleable", "--malleable=1", f"--malleable=1-{node_cpus}", "--malleable=1-2", f"--malleable={node_cpus // 4 or 1}"]
        options = [self.chance.choice(ranges)]
        if self.chance.random() < 0.15:
            options.append("--drom-min-per-rank=1")
        return options

    def shape(self) -> list[str]:
        """Returns the tasks and the CPUs of a job."""
        node_cpus = self.cluster.setup.cpus
        tasks = self.chance.choice([1, 1, 1, 2] if node_cpus < 4 else [1, 1, 2, 3, 4])
        each = node_cpus // tasks if self.chance.random() < 0.5 else self.chance.randint(1, node_cpus // tasks)
        if self.chance.random() < 0.1:
            return ["-N2", f"-n{2 * tasks}", f"--ntasks-per-node={tasks}", f"-c{each}"]
        return ["-N1", f"-n{tasks}", f"-c{each}"]

    def step_line(self, malleable: bool) -> str:
        words = ["srun"]
        if self.chance.random() < 0.3:
            words += ["--exact", "-n1", "-c1"]
        if malleable and self.chance.random() < 0.1:
            words.append("--no-drom")
        together = " &" if self.chance.random() < 0.3 else ""
        return " ".join(words + self.program("--no-drom" not in words and malleable)) + together

    def job(self) -> Submission:
        self.written += 1
        is_malleable = self.chance.random() < 0.85
        options = self.shape() + (self.malleable() if is_malleable else [])
        one = "-N1" in options and self.chance.random() < 0.8
        job = Submission(f"storm{self.written}", [self.chance.choice(self.cluster.nodes)] if one else [], options)
        form = self.chance.random()
        if form < 0.35:
            job.program = self.program(is_malleable)
        elif form < 0.45:
            job.lines = ["exec " + " ".join(self.program(is_malleable))]
        else:
            job.lines = [self.step_line(is_malleable) for _ in range(self.chance.randint(1, 3))] + ["wait"]
        return job


class Storm:
    def __init__(self, cluster: Cluster, seed: int, steps: int):
        self.cluster, self.steps, self.seed = cluster, steps, seed
        self.chance = random.Random(seed)
        self.author = Author(self.chance, cluster)
        self.over = threading.Event()
        self.watch = Watch(cluster, self.over.set)
        self.done: collections.Counter[str] = collections.Counter()
        self.events: list[str] = []
        self.begin = time.monotonic()
        self.abandoned: list[str] = []  # jobs whose step daemon was killed: slurmctld does not know
        self.sruns: list[subprocess.Popen] = []

    def note(self, what: str) -> None:
        self.events.append(f"{time.monotonic() - self.begin:8.3f} {what}")

    # --- the steps; each is decided in the main thread, and done in another ---

    def submit(self) -> Callable[[], list[str]]:
        job = self.author.job()
        where = [f"-w{','.join(job.nodes)}"] if job.nodes else []

        def go() -> list[str]:
            self.note(f"submit {job.name} {where} {job.options} {job.lines or job.program}")
            common = ["-J", job.name, "-t", "10", *where, *job.options]
            if job.program:
                self.sruns.append(self.cluster.start("srun", "-Q", *common, *job.program))
                return job.nodes
            script = self.cluster.dir / f"{job.name}.sh"
            script.write_text("\n".join(["#!/bin/bash", *job.lines, ""]))
            said = self.cluster.call("sbatch", "--parsable", "-o", "/dev/null", "--no-requeue", *common, script)
            self.note(f"{job.name} is {said.stdout.strip() or said.stderr.strip()}")
            return job.nodes

        return go

    def cancel(self) -> Callable[[], list[str]]:
        which = self.chance.random()

        def go() -> list[str]:
            if self.abandoned and which < 0.5:
                target = [self.abandoned.pop(0)]
            elif names := sorted(set(self.cluster.job_names())):
                target = ["-n", names[int(which * len(names))]]
            else:
                return []
            self.note(f"cancel {target}")
            self.cluster.call("scancel", *target)
            return []

        return go

    def kill_task(self) -> Callable[[], list[str]]:
        which = self.chance.random()

        def go() -> list[str]:
            tasks = sorted(tasks_marked(self.cluster.mark).values(), key=lambda task: task.pid)
            if not tasks:
                return []
            task = tasks[int(which * len(tasks))]
            self.note(f"kill task {task.pid} on {task.node}")
            kill(task.pid)
            return [task.node]

        return go

    def kill_daemon(self, with_tasks: bool) -> Callable[[], list[str]]:
        which = self.chance.random()

        def go() -> list[str]:
            daemons = sorted(self.cluster.step_daemons().items())
            if not daemons:
                return []
            pid, job = daemons[int(which * len(daemons))]
            tasks = children(pid) if with_tasks else []
            self.note(f"kill step daemon {pid} of job {job}, and tasks {tasks}")
            for each in [pid, *tasks]:
                kill(each)
            if job:
                self.abandoned.append(job)
            return []

        return go

    def restart(self) -> Callable[[], list[str]]:
        node, pause = self.chance.choice(self.cluster.nodes), self.chance.choice([0, 0, 0.1, 0.3])

        def go() -> list[str]:
            self.note(f"kill and restart slurmd of {node}")
            self.cluster.kill_and_restart(node, pause)
            return [node]

        return go

    def step(self) -> tuple[str, Callable[[], list[str]]]:
        kind = self.chance.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        makers = {
            "submit": self.submit,
            "cancel": self.cancel,
            "kill task": self.kill_task,
            "kill step daemon": lambda: self.kill_daemon(False),
            "kill both": lambda: self.kill_daemon(True),
            "restart slurmd": self.restart,
        }
        return kind, makers[kind]()

    # --- the whole ---

    def one(self, kind: str, go: Callable[[], list[str]], turn: threading.Semaphore) -> None:
        try:
            touched = go()
            for node in touched or [self.cluster.nodes[self.done.total() % NODES]]:
                self.watch.check(node)
            self.done[kind] += 1
        finally:
            turn.release()

    def run(self) -> None:
        self.watch.start()
        turn = threading.Semaphore(IN_FLIGHT)
        with concurrent.futures.ThreadPoolExecutor(IN_FLIGHT) as pool:
            flights = []
            for number in range(self.steps):
                if self.over.is_set():
                    break
                kind, go = self.step()
                turn.acquire()
                flights.append(pool.submit(self.one, kind, go, turn))
                time.sleep(self.chance.choice([0, 0, 0.02, 0.05, 0.1, 0.3]))
                if number % 8 == 7:
                    self.let_some_end()
        for flight in flights:
            flight.result()

    def let_some_end(self) -> None:
        """Lets some jobs end, because too many would only wait for each other: those that have hung since their daemon
        was killed go first, then any."""
        names = sorted(set(self.cluster.job_names()))
        for job in self.abandoned[:4]:
            self.cluster.call("scancel", job)
        del self.abandoned[:4]
        while len(names) > MOST_JOBS:
            self.cluster.call("scancel", "-n", names.pop(self.chance.randrange(len(names))))

    def calm(self) -> None:
        """Ends all jobs, and waits until nothing of the storm runs any more."""
        self.note("calm")
        self.cluster.cancel_all()
        eventually("every job has ended", lambda: not self.cluster.job_names(), self.cluster.end_hung_jobs)
        self.note("every job has ended")
        for srun in self.sruns:
            try:
                srun.wait(WATCHDOG_S)
            except subprocess.TimeoutExpired:
                srun.kill()
                srun.wait()
        self.note("every srun has ended")
        # A step whose daemon was killed is not ended by Slurm. Its CPUs were its own until now.
        for pid in self.cluster.marked():
            kill(pid)
        eventually("every task has ended", lambda: not self.cluster.marked())
        eventually("every node is idle", self.cluster.all_idle, self.cluster.resume)

    def last_step(self, node: str) -> list[str]:
        """Starts a malleable step for all of the node's CPUs, when no other is there: a CPU that it does not get was
        lost."""
        go_on = self.cluster.dir / f"{node}.go-on"
        waiting = f"until [ -e {go_on} ]; do sleep 0.05; done"
        cpus_asked = ["-N1", "-n1", f"-c{self.cluster.setup.cpus}"]
        step = self.cluster.start("srun", "-Q", "-J", "last", f"-w{node}", *cpus_asked, "--malleable", "sh", "-c", waiting)
        everything, wrong = frozenset(range(self.cluster.setup.cpus)), []

        def has_settled() -> bool:
            sight = look(node, lambda: read_table(self.watch.drom, self.cluster.table(node)), self.cluster.mark)
            if not any(is_settled(client, sight) for client in steady_clients(sight)):
                return False
            wrong.extend(f"{node}: at the end there is also {client}" for client in sight.after[1:])
            if sight.after and sight.after[0].mask != everything:
                wrong.append(f"{node}: at the end {sight.after[0]} does not have all {self.cluster.setup.cpus} CPUs")
            return True

        try:
            eventually(f"the last step of {node} is in its table", has_settled)
        finally:
            go_on.touch()
        if step.wait(WATCHDOG_S) != 0:
            wrong.append(f"{node}: the last step ended with status {step.returncode}")
        eventually(f"the table of {node} has no client", lambda: not self.cluster.listing(node)["clients"])
        listing = self.cluster.listing(node)
        if cpus(listing["free"]) != cpus(listing["present"]):
            wrong.append(f"{node}: at the end CPUs {text_of(cpus(listing['present']) - cpus(listing['free']))} have no owner and are not free")
        return wrong

    def hold(self, node: str, name: str) -> None:
        """Holds a malleable step of all of the node's CPUs, until it is ended."""
        everything = ["-N1", "-n1", f"-c{self.cluster.setup.cpus}", "--malleable"]
        self.sruns.append(self.cluster.start("srun", "-Q", "-J", f"{name}-{node}", f"-w{node}", *everything, "sleep", "300"))

    def guests_end_together(self, node: str) -> None:
        """Checks that, however guests end, and at once, their owner has all of its CPUs again when the next step
        comes."""

        def clients() -> list[Client]:
            return read_table(self.watch.drom, self.cluster.table(node))

        def how_many_run() -> int:
            return len(tasks_marked(self.cluster.mark).keys() & {client.pid for client in clients()})

        def owner_has_all() -> bool:
            present = clients()
            return len(present) == 1 and present[0].mask == frozenset(range(self.cluster.setup.cpus))

        guests = ["guest"] if self.cluster.setup.real else ["guest", "second"]
        self.hold(node, "owner")
        eventually(f"the owner of {node} has all", owner_has_all)
        owner = clients()[0].pid
        for number, guest in enumerate(guests, 2):
            self.hold(node, guest)
            eventually(f"the {guest} of {node} is there", lambda wanted=number: how_many_run() == wanted)
        for guest in [client.pid for client in clients() if client.pid != owner]:
            daemon = int(status_of(Path(f"/proc/{guest}/status"))["PPid"])
            victims = self.chance.choice([[guest], [daemon, guest], [guest, daemon]])
            self.note(f"kill guest: {victims} on {node}")
            for victim in victims:
                kill(victim)
            # On a crowded machine a process may take its time to die, and the next step would find it alive.
            eventually(f"{victims} have ended", lambda ended=tuple(victims): not any(map(is_alive, ended)))
        self.cluster.call("srun", "-Q", "-J", f"next-{node}", f"-w{node}", "-N1", "-n1", "-c1", "--malleable", "true")
        eventually(f"the owner of {node} has all again", owner_has_all)
        for name in ["owner", *guests]:
            self.cluster.call("scancel", "-n", f"{name}-{node}")

    def finish(self) -> None:
        self.calm()
        self.note("every node is idle")
        for node in self.cluster.nodes:
            self.guests_end_together(node)
        self.calm()
        for node in self.cluster.nodes:
            self.watch.findings.wrong.extend(self.last_step(node))
        self.watch.stop()

    # --- what is said ---

    def found_nothing(self) -> bool:
        return not (self.watch.findings.booked_twice or self.watch.findings.wrong or self.watch.trouble)

    def report(self) -> None:
        findings, watch = self.watch.findings, self.watch
        log = self.cluster.log_lines()
        started = sum("launch task StepId=" in line or "Launching batch job" in line for line in log)
        ended = sum("done with job" in line for line in log)
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.done.items()))
        print(f"storm: {self.cluster.setup.name}, seed {self.seed}: {self.done.total()} steps in {time.monotonic() - self.begin:.0f} s: {kinds}")
        print(f"storm: steps of jobs on nodes: {started} started, {ended} ended with their daemon alive")
        print(
            f"storm: {watch.checks} checks: {findings.steady} clients steady, {findings.settled} settled and compared with /proc in "
            f"{findings.pairs} pairs, {findings.rigid} looks at tasks that are not malleable"
        )
        for reason, count in reasons(log).most_common():
            print(f"storm: {count:4} times: {reason}")
        for line in [*findings.booked_twice[:5], *findings.wrong[:5], *filter(None, [watch.trouble])]:
            print(f"storm: found: {line}")
        print(f"storm: double-booked: {len(findings.booked_twice)}, otherwise wrong: {len(findings.wrong)}")


def children(pid: int) -> list[int]:
    try:
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [int(child) for child in found if is_alive(int(child))]


def reasons(log: list[str]) -> collections.Counter[str]:
    """Counts the lines of the node agent, numbers left out."""
    found: collections.Counter[str] = collections.Counter()
    for line in log:
        said = re.search(r"spank_drom: step \S+: (.*)", line)
        if said:
            found[re.sub(r"\d+(\.(\d+|batch))?([-,]\d+)*", "N", said.group(1))] += 1
    return found


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="random starts, stops and kills over a real Slurm")
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--setup", choices=sorted(SETUPS), default="real")
    parser.add_argument("--caller", choices=sorted(CALLERS), default="spank", help="the plugin that calls the node agent")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    parser.add_argument("--verbose", action="store_true", help="what was done, and the logs, also when nothing was found")
    return parser.parse_args()


def main() -> int:
    arguments = read_arguments()
    arguments.steps *= int(os.environ.get("PLUGIN_STORM_TIMES", "1"))
    setup = SETUPS[arguments.setup]
    if setup.real and len(os.sched_getaffinity(0)) < setup.cpus:
        print("SKIPPED: one CPU only: there is nothing to share")
        return 77
    try:
        cluster = Cluster(arguments.build.resolve(), setup, arguments.caller, NODES)
    except Missing as missing:
        print(f"SKIPPED: {missing}")
        return 77
    try:
        return 0 if blow(Storm(cluster, arguments.seed, arguments.steps), setup.name, arguments.verbose) else 1
    finally:
        cluster.down()


if __name__ == "__main__":
    sys.exit(main())
