# SPDX-License-Identifier: BSD-3-Clause
"""ways.py - runs a simulation and a later analytics on one node: under drom, waiting, or oversubscribed; and takes the
times."""

import hashlib
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from programs import Pair, Program
from runs import Failure, environment


@dataclass
class Times:
    """CLOCK_MONOTONIC nanoseconds: when the program was asked for, started, ended."""

    asked: int
    begin: int
    end: int = 0

    @property
    def response(self) -> float:
        return (self.end - self.asked) / 1e9


@dataclass
class Run:
    way: str
    simulation: Times
    guest: Times
    outputs: dict[str, str] = field(default_factory=dict)
    events: list[dict] = field(default_factory=list)
    notes: dict = field(default_factory=dict)  # other entries of report.json

    @property
    def whole(self) -> float:
        return (max(self.simulation.end, self.guest.end) - self.simulation.asked) / 1e9

    @property
    def average(self) -> float:
        return (self.simulation.response + self.guest.response) / 2


class Process:
    """A program that is running, in a folder of its own. Its end is the kernel's notice, not found by looking again and
    again."""

    def __init__(self, program: Program, env: dict[str, str], launcher: tuple[str, ...] = (), asked: int | None = None):
        self.name, self.result = program.name, program.result
        self.command = [*launcher, *program.line()]
        self.folder = tempfile.TemporaryDirectory(prefix="drom-demo-")
        self.out, self.err = tempfile.TemporaryFile("w+"), tempfile.TemporaryFile("w+")
        begin = time.monotonic_ns()
        self.times = Times(begin if asked is None else asked, begin)
        self.child = subprocess.Popen(self.command, cwd=self.folder.name, env=env, stdout=self.out, stderr=self.err,
                                      stdin=subprocess.DEVNULL)
        self.fd = os.pidfd_open(self.child.pid)

    def ended_within(self, seconds: float) -> bool:
        return bool(select.select([self.fd], [], [], max(seconds, 0))[0])

    def finish(self, deadline: float) -> str:
        """Returns what it printed. Raises Failure when it does not end in time or says that it failed."""
        if not self.ended_within(deadline - time.monotonic()):
            raise Failure(f"{' '.join(self.command)} did not end in time")
        return self.collect(time.monotonic_ns())

    def collect(self, end: int) -> str:
        self.times.end = end
        status = self.child.wait()
        self.out.seek(0)
        self.err.seek(0)
        if status != 0:
            raise Failure(f"{' '.join(self.command)} ended with status {status}: {self.err.read().strip()[-2000:]}")
        if self.result is None:
            return self.out.read().strip()
        return f"{self.result} {hashlib.sha256((Path(self.folder.name) / self.result).read_bytes()).hexdigest()}"

    def stop(self) -> None:
        """Ends it if it still runs, and gives back what it held. May be said twice."""
        if self.fd < 0:
            return
        if self.child.poll() is None:
            self.child.terminate()
            if not self.ended_within(5):
                self.child.kill()
            self.child.wait()
        os.close(self.fd)
        self.fd = -1
        self.out.close()
        self.err.close()
        self.folder.cleanup()


def finish_both(first: Process, second: Process, deadline: float) -> dict[str, str]:
    """Waits for both at once, so that each end is timed when it happens."""
    running = {first.fd: first, second.fd: second}
    outputs = {}
    while running:
        ready = select.select(list(running), [], [], max(deadline - time.monotonic(), 0))[0]
        now = time.monotonic_ns()
        if not ready:
            raise Failure(f"{' and '.join(p.name for p in running.values())} did not end in time")
        for fd in ready:
            process = running.pop(fd)
            outputs[process.name] = process.collect(now)
    return outputs


class Watch:
    """`drom watch --json` on a table, read line by line until both clients have left."""

    def __init__(self, drom: Path, env: dict[str, str]):
        self.events: list[dict] = []
        self.left = threading.Event()
        self.child = subprocess.Popen([str(drom), "watch", "--all", "--json"], env=env, stdout=subprocess.PIPE, text=True,
                                      stdin=subprocess.DEVNULL)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self) -> None:
        present = set()
        for line in self.child.stdout:
            event = json.loads(line)
            if "index" not in event:
                continue
            self.events.append(event)
            if event["event"] == "join":
                present.add(event["slot"])
                self.left.clear()
            elif event["event"] in ("leave", "reap"):
                present.discard(event["slot"])
                if not present:
                    self.left.set()

    def events_at_end(self) -> list[dict]:
        """Returns all events, once the last client has left the table."""
        if not self.left.wait(2):
            raise Failure("a client had not left the table two seconds after both programs had ended")
        self.stop()
        return self.events

    def stop(self) -> None:
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGINT)
            try:
                self.child.wait(5)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
        self.reader.join(5)


def wait_for_table(simulation: Process, table: Path) -> None:
    """Waits until `drom run` has made the table, or has ended. On a crowded machine that takes longer than the arrival."""
    while not table.exists() and not simulation.ended_within(0.02):
        pass


class TooShort(Failure):
    """A simulation whose length was measured while the machine was busier than now."""


class Node:
    """This machine, the built drom, and how long after the simulation the analytics arrives."""

    def __init__(self, drom: Path, cpus: int, wanted: int, arrival: float, limit: float):
        self.drom, self.cpus, self.wanted, self.arrival, self.limit = drom, cpus, wanted, arrival, limit

    def run(self, pair: Pair, way: str) -> Run:
        return {"drom": self.with_drom, "waiting": self.waiting, "oversubscribed": self.oversubscribed}[way](pair)

    def wait_for_arrival(self, simulation: Process, share: float = 1.0) -> None:
        """Waits until `share` of the time between the simulation's start and the analytics' arrival has passed."""
        until = simulation.times.begin / 1e9 + self.arrival * share
        if simulation.ended_within(until - time.monotonic()):
            simulation.collect(time.monotonic_ns())
            raise TooShort(f"the simulation had ended before the analytics arrived after {self.arrival:g} s")

    def both(self, way: str, simulation: Process, later: Callable[[], Process]) -> Run:
        """Starts `later()` when the analytics arrives; ends when both have."""
        deadline = time.monotonic() + self.limit
        analytics = None
        try:
            self.wait_for_arrival(simulation)
            analytics = later()
            outputs = finish_both(simulation, analytics, deadline)
            return Run(way, simulation.times, analytics.times, outputs)
        finally:
            simulation.stop()
            if analytics is not None:
                analytics.stop()

    def with_drom(self, pair: Pair) -> Run:
        folder = tempfile.mkdtemp(prefix="drom-demo-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        env = environment(DROM_TABLE=os.path.join(folder, "table"))
        run = (str(self.drom), "run", "--resize=follow", "--name")
        few = ("analytics", "--ncpus", str(self.wanted), "--")
        try:
            simulation = Process(pair.simulation, env, (*run, "simulation", "--"))
            return self.watched(simulation, lambda: Process(pair.guest, env, (*run, *few)), env)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def watched(self, simulation: Process, analytics: Callable[[], Process], env: dict[str, str]) -> Run:
        watch = None
        try:
            # Half way to the arrival the start of a watcher disturbs no resize.
            self.wait_for_arrival(simulation, 0.5)
            wait_for_table(simulation, Path(env["DROM_TABLE"]))
            watch = Watch(self.drom, env)
            result = self.both("drom", simulation, analytics)
            result.events = watch.events_at_end()
            return result
        finally:
            simulation.stop()
            if watch is not None:
                watch.stop()

    def waiting(self, pair: Pair) -> Run:
        """Runs both in turn: the analytics starts when the simulation has ended, and then has the whole node."""
        deadline = time.monotonic() + self.limit
        simulation = Process(pair.simulation, environment())
        try:
            outputs = {"simulation": simulation.finish(deadline)}
        finally:
            simulation.stop()
        asked = simulation.times.begin + int(self.arrival * 1e9)
        analytics = Process(pair.guest, environment(), asked=asked)
        try:
            outputs["analytics"] = analytics.finish(deadline)
        finally:
            analytics.stop()
        return Run("waiting", simulation.times, analytics.times, outputs)

    def oversubscribed(self, pair: Pair) -> Run:
        """Runs both at once; the kernel shares the CPUs among all their threads."""
        env = environment(OMP_NUM_THREADS=str(self.wanted))
        simulation = Process(pair.simulation, environment())
        return self.both("oversubscribed", simulation, lambda: Process(pair.guest, env))
