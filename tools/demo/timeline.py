# SPDX-License-Identifier: BSD-3-Clause
"""timeline.py - from the table's events to the owner of each CPU over time. Pure: no processes, no clock, no files."""

from dataclasses import dataclass, field


@dataclass
class Client:
    """One use of a slot: from the event that filled it to the one that emptied it."""

    slot: int
    pid: int
    name: str
    joined: int
    left: int | None = None


@dataclass
class Tenure:
    """A CPU was `client`'s from `begin` to `end`; from `offered` on the client had been notified to leave it."""

    cpu: int
    client: Client
    begin: int
    end: int | None = None
    offered: int | None = None


@dataclass
class Request:
    """A new mask for a client. Times in nanoseconds; None: it did not come to that."""

    client: Client
    seq: int
    cpus: int
    posted: int
    before: int
    released: int | None = None
    confined: bool = False
    resized: int | None = None
    threads: int | None = None

    @property
    def shrinks(self) -> bool:
        return self.cpus < self.before

    @property
    def held(self) -> bool:
        """The program keeps an answer, so its team kept its size and shares the CPUs that are left."""
        return self.released is not None and (self.resized is None or (self.threads or 0) > self.cpus)


@dataclass
class Timeline:
    begin: int
    end: int
    clients: list[Client] = field(default_factory=list)
    tenures: list[Tenure] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    lost: int = 0
    conflicts: list[str] = field(default_factory=list)  # CPUs of two clients at once: never, by the table's promise

    def cpus(self) -> list[int]:
        return sorted({tenure.cpu for tenure in self.tenures})

    def client(self, name: str) -> Client | None:
        return next((client for client in self.clients if client.name == name), None)


class _Reader:
    """Applies one event after the other. The promise of the table is checked: a CPU has one owner at a time."""

    def __init__(self, names: dict[int, str], by_pid: dict[int, str]):
        self.names, self.by_pid = names, by_pid
        self.timeline = Timeline(0, 0)
        self.by_slot: dict[int, Client] = {}
        self.owned: dict[int, Tenure] = {}
        self.cpus_wanted: dict[int, int] = {}
        self.next_index: int | None = None

    def apply(self, event: dict) -> None:
        if self.next_index is not None:
            self.timeline.lost += event["index"] - self.next_index
        self.next_index = event["index"] + 1
        act = getattr(self, "on_" + event["event"], None)
        if act is not None:
            act(event)

    def client(self, event: dict) -> Client:
        client = self.by_slot.get(event["slot"])
        return client if client is not None else self.on_join(event)

    def on_join(self, event: dict) -> Client:
        client = self.by_slot.get(event["slot"])
        if client is None:
            pid = event["pid"]
            name = self.by_pid.get(pid) or self.names.get(event["slot"], f"pid {pid}")
            client = Client(event["slot"], pid, name, event["time_ns"])
            self.by_slot[event["slot"]] = client
            self.timeline.clients.append(client)
        return client

    def on_leave(self, event: dict) -> None:
        client = self.by_slot.pop(event["slot"], None)
        if client is None:
            return
        client.left = event["time_ns"]
        self.cpus_wanted.pop(event["slot"], None)
        for cpu in [cpu for cpu, tenure in self.owned.items() if tenure.client is client]:
            self.close(cpu, event["time_ns"])

    on_reap = on_leave

    def close(self, cpu: int, time: int) -> None:
        tenure = self.owned.pop(cpu, None)
        if tenure is not None:
            tenure.end = time

    def on_claim(self, event: dict) -> None:
        client = self.client(event)
        previous = self.owned.get(event["cpu"])
        if previous is not None and previous.client is not client and previous.offered is None:
            self.timeline.conflicts.append(f"CPU {event['cpu']} went to {client.name} while {previous.client.name} had not been notified to leave")
        self.close(event["cpu"], event["time_ns"])
        tenure = Tenure(event["cpu"], client, event["time_ns"])
        self.owned[event["cpu"]] = tenure
        self.timeline.tenures.append(tenure)

    on_accept = on_claim

    def on_free(self, event: dict) -> None:
        self.close(event["cpu"], event["time_ns"])

    def on_offer(self, event: dict) -> None:
        if event.get("cpu") in self.owned:
            self.owned[event["cpu"]].offered = event["time_ns"]

    def on_cancel(self, event: dict) -> None:
        if event.get("cpu") in self.owned:
            self.owned[event["cpu"]].offered = None

    def on_post(self, event: dict) -> None:
        client = self.client(event)
        before = self.cpus_wanted.get(event["slot"], event["value"])
        self.cpus_wanted[event["slot"]] = event["value"]
        self.timeline.requests.append(Request(client, event["seq"], event["value"], event["time_ns"], before))

    def answered(self, event: dict) -> list[Request]:
        """Returns the request that is acknowledged. Older ones that were not are superseded and stay unanswered."""
        client = self.by_slot.get(event["slot"])
        return [r for r in self.timeline.requests if r.client is client and r.seq == event["seq"]]

    def on_released(self, event: dict) -> None:
        for request in self.answered(event):
            request.released = request.released or event["time_ns"]

    def on_confined(self, event: dict) -> None:
        for request in self.answered(event):
            if request.released is None:
                request.released, request.confined = event["time_ns"], True

    def on_resized(self, event: dict) -> None:
        for request in self.answered(event):
            request.resized, request.threads = event["time_ns"], event["value"]

    on_kept = on_resized  # held, as its threads are more than its CPUs


def read(events: list[dict], names: dict[int, str], by_pid: dict[int, str] | None = None) -> Timeline:
    """Reads `events` as `drom watch --json` prints them, in order; `names` of the clients by slot, or, where slots are
    used again, by pid."""
    reader = _Reader(names, by_pid or {})
    for event in events:
        reader.apply(event)
    timeline = reader.timeline
    if events:
        timeline.begin, timeline.end = events[0]["time_ns"], events[-1]["time_ns"]
    for tenure in timeline.tenures:
        tenure.end = timeline.end if tenure.end is None else tenure.end
    return timeline
