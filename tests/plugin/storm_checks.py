# SPDX-License-Identifier: BSD-3-Clause
"""storm_checks.py - what must hold on a node at every moment: which task has which CPUs by the table, and which by the kernel. Pure but for look().

A table and /proc cannot be read in one instant, so one sight of a node is: the table, then /proc, then the table again. Only what
both readings of the table agree on is judged:

* A client is *steady* when it is in both readings with the same pid, slot, mask, wanted mask and number of its newest request. A CPU that
  changed hands in between would have moved that number, so two steady clients that list one CPU did have it at the same instant.
* A client is *settled* when it is steady, has what it wants, has released its newest request, and runs its program. It releases by itself at
  a safe point, or the administrator confines it after the grace period. Before its program runs it is the step
  daemon's fork, whose affinity the agent is about to set. The reservation, request 1, is not acknowledged by a program that takes no part in anything: the agent sets that affinity itself.
  Before and after the look at /proc it had done all that was asked of it. So what /proc shows has to be inside its mask.
"""

import contextlib
import itertools
import json
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path


def cpus(text: str) -> frozenset[int]:
    """Returns 0-3,8 as a set."""
    found: set[int] = set()
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return frozenset(found)


def text_of(some: Iterable[int]) -> str:
    return ",".join(map(str, sorted(some))) or "none"


@dataclass(frozen=True)
class Client:
    """A line of the table."""

    pid: int
    slot: int
    step: str
    mask: frozenset[int]
    want: frozenset[int]
    seq: int
    released: int
    rigid: bool
    live: bool = True  # else reserved: its program has not said anything

    def same_as(self, other: "Client") -> bool:
        return (self.pid, self.slot, self.mask, self.want, self.seq) == (other.pid, other.slot, other.mask, other.want, other.seq)

    def __str__(self) -> str:
        return f"step {self.step} (pid {self.pid}, CPUs {text_of(self.mask)}, wants {text_of(self.want)}, request {self.seq}, released {self.released})"


@dataclass(frozen=True)
class Task:
    """A process that a step or a batch script started, by /proc."""

    pid: int
    node: str
    malleable: bool
    allowed: tuple[frozenset[int], ...]  # one per thread


@dataclass
class Sight:
    """A node: the table before, the tasks that lived, the table after."""

    node: str
    before: list[Client]
    tasks: dict[int, Task]
    after: list[Client]


@dataclass
class Findings:
    steady: int = 0
    settled: int = 0
    pairs: int = 0  # of settled clients whose affinities were compared
    rigid: int = 0  # tasks that are not malleable whose affinity was looked at
    booked_twice: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)  # everything else

    def add(self, other: "Findings") -> None:
        self.steady += other.steady
        self.settled += other.settled
        self.pairs += other.pairs
        self.rigid += other.rigid
        self.booked_twice += other.booked_twice
        self.wrong += other.wrong


def steady_clients(sight: Sight) -> list[Client]:
    later = {client.pid: client for client in sight.after}
    return [client for client in sight.before if client.pid in later and client.same_as(later[client.pid])]


def is_settled(client: Client, sight: Sight) -> bool:
    answered = client.released >= client.seq or (not client.live and client.seq <= 1)
    return client.pid in sight.tasks and client.mask == client.want and answered


def judge(sight: Sight, real: bool, stock: frozenset[int]) -> Findings:
    """Judges a node. Real: the node's CPUs are this machine's, so affinities are looked at, too. Stock: what Slurm by
    itself gives every task."""
    found = Findings()
    steady = steady_clients(sight)
    found.steady = len(steady)
    for one, other in itertools.combinations(steady, 2):
        both = (one.mask & other.mask) | (one.want & other.want)
        if both:
            found.booked_twice.append(f"{sight.node}: CPUs {text_of(both)} are those of {one} and of {other}")
    for client in steady:
        # CPUs that a client was asked to take are on their way. A step starts at its launch's deadline, also when their
        # owner has not left them.
        if not client.rigid and not client.mask and not client.want and client.pid in sight.tasks:
            found.wrong.append(f"{sight.node}: {client} lives and has no CPU")
    if real:
        found.add(judge_affinity(sight, [client for client in steady if is_settled(client, sight)]))
        found.add(judge_rigid(sight, stock))
    return found


def judge_affinity(sight: Sight, settled: list[Client]) -> Findings:
    found = Findings()
    runs_on = {client.pid: frozenset().union(*sight.tasks[client.pid].allowed) for client in settled if not client.rigid}
    malleable = [client for client in settled if not client.rigid]
    found.settled = len(malleable)
    for client in malleable:
        if not runs_on[client.pid] <= client.mask:
            found.wrong.append(f"{sight.node}: {client} may run on CPUs {text_of(runs_on[client.pid])}")
    for one, other in itertools.combinations(malleable, 2):
        found.pairs += 1
        both = runs_on[one.pid] & runs_on[other.pid]
        if both:
            found.booked_twice.append(f"{sight.node}: {one} and {other} both may run on CPUs {text_of(both)}")
    return found


def judge_rigid(sight: Sight, stock: frozenset[int]) -> Findings:
    found = Findings()
    for task in sight.tasks.values():
        if task.malleable:
            continue
        found.rigid += 1
        for allowed in task.allowed:
            if allowed != stock:
                found.wrong.append(
                    f"{sight.node}: pid {task.pid} is not malleable, and may run on CPUs {text_of(allowed)} instead of {text_of(stock)}"
                )
    return found


# --- looking ---


def clients_of(listing: str) -> list[Client]:
    """Returns the clients of `drom list --json`."""
    return [
        Client(
            pid=c["pid"],
            slot=c["slot"],
            step=c["job"],
            mask=cpus(c["mask"]),
            want=cpus(c["want"]),
            seq=c["seq"],
            released=max(c["released"], c["confined"]),
            rigid=c["rigid"],
            live=c["state"] == "live",
        )
        for c in json.loads(listing)["clients"]
    ]


def read_table(drom: str, table: Path) -> list[Client]:
    """Returns the clients; none when no step has made it yet."""
    if not (table / "ledger").exists():
        return []
    done = subprocess.run([drom, "list", "--table", str(table), "--json"], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise RuntimeError(f"drom list {table}: {done.stderr or done.stdout}")
    return clients_of(done.stdout)


def environ_of(pid: int) -> dict[str, str]:
    """Returns the environment; empty: it has ended, or is of another cluster."""
    try:
        raw = Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace")
    except OSError:
        return {}
    return dict(entry.split("=", 1) for entry in raw.split("\0") if "=" in entry)


def status_of(path: Path) -> dict[str, str]:
    try:
        return dict(line.split(":", 1) for line in path.read_text().splitlines() if ":" in line)
    except OSError:
        return {}


def is_alive(pid: int) -> bool:
    """Returns whether the process lives: a zombie that is not reaped has ended."""
    return status_of(Path(f"/proc/{pid}/status")).get("State", "X").strip()[0] not in "ZX"


def allowed_of(pid: int) -> tuple[frozenset[int], ...]:
    """Returns the CPUs of each of its threads; of those that end meanwhile nothing is known."""
    found = []
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            status = status_of(thread / "status")
            if "Cpus_allowed_list" in status and status["State"].strip()[0] not in "ZX":
                found.append(cpus(status["Cpus_allowed_list"]))
    return tuple(found)


def all_pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def tasks_marked(mark: str) -> dict[int, Task]:
    """Returns the tasks of this storm that run their programs: these alone have the variables that Slurm gives a task,
    of which one is their pid."""
    found = {}
    for pid in all_pids():
        variables = environ_of(pid)
        if variables.get("STORM_MARK") != mark or variables.get("SLURM_TASK_PID") != str(pid) or not is_alive(pid):
            continue
        # A step without room has DROM_OFF as well, and its affinity follows; --no-drom takes the declaration away.
        malleable = "DROM_MALLEABLE" in variables
        found[pid] = Task(pid, variables.get("SLURMD_NODENAME", ""), malleable, allowed_of(pid))
    return found


def look(node: str, table: Callable[[], list[Client]], mark: str) -> Sight:
    before = table()
    tasks = {pid: task for pid, task in tasks_marked(mark).items() if task.node == node}
    return Sight(node, before, tasks, table())
