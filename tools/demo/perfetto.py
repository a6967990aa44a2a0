# SPDX-License-Identifier: BSD-3-Clause
"""perfetto.py - a timeline as Chrome/Perfetto trace events. Pure.

A process of the trace is a client, a thread is a CPU. Ownership is complete events (ph X), the number of CPUs a counter (ph C).
Each request is an arrow (ph s, t, f) from the administrator that posted it over the client's release to its resize.
Open the file with ui.perfetto.dev or chrome://tracing.
"""

from timeline import Client, Request, Timeline

_ADMINISTRATOR = 1
_REQUESTS = 1_000_000  # the thread that shows adoptions, below the CPUs


def _metadata(pid: int, what: str, name: str, tid: int = 0) -> dict:
    return {"ph": "M", "pid": pid, "tid": tid, "name": what, "args": {"name": name}}


class _Writer:
    def __init__(self, timeline: Timeline, first_process: int, label: str):
        self.timeline = timeline
        self.label = label
        self.events: list[dict] = []
        self.processes = {id(c): first_process + 1 + at for at, c in enumerate(timeline.clients)}
        self.administrator = first_process

    def us(self, time: int) -> float:
        return (time - self.timeline.begin) / 1000

    def slice(self, pid: int, tid: int, name: str, begin: int, end: int, **args) -> None:
        # Perfetto binds an arrow to the slice around it, so no slice may be empty.
        length = max(self.us(end) - self.us(begin), 0.1)
        self.events.append({"ph": "X", "pid": pid, "tid": tid, "name": name, "ts": self.us(begin), "dur": length, "args": args})

    def point(self, pid: int, name: str, time: int) -> None:
        self.slice(pid, _REQUESTS, name, time, time + 1000)

    def arrow(self, phase: str, pid: int, time: int, request: Request) -> None:
        ident = f"{self.label}.{request.client.slot}.{request.client.joined}.{request.seq}"
        event = {"ph": phase, "pid": pid, "tid": _REQUESTS, "name": "request", "cat": "request", "id": ident, "ts": self.us(time)}
        if phase == "f":
            event["bp"] = "e"
        self.events.append(event)

    def names(self) -> None:
        self.events.append(_metadata(self.administrator, "process_name", f"{self.label}: administrator"))
        self.events.append(_metadata(self.administrator, "thread_name", "requests", _REQUESTS))
        for client in self.timeline.clients:
            pid = self.processes[id(client)]
            self.events.append(_metadata(pid, "process_name", f"{self.label}: {client.name} (pid {client.pid})"))
            self.events.append(_metadata(pid, "thread_name", "adoption", _REQUESTS))
            for cpu in sorted({t.cpu for t in self.timeline.tenures if t.client is client}):
                self.events.append(_metadata(pid, "thread_name", f"CPU {cpu}", cpu + 1))

    def tenures(self) -> None:
        for tenure in self.timeline.tenures:
            pid = self.processes[id(tenure.client)]
            self.slice(pid, tenure.cpu + 1, f"{tenure.client.name} owns CPU {tenure.cpu}", tenure.begin, tenure.end)
            if tenure.offered is not None:
                self.slice(pid, tenure.cpu + 1, "offered", tenure.offered, tenure.end)

    def counters(self, client: Client) -> None:
        changes: dict[int, int] = {}
        for tenure in self.timeline.tenures:
            if tenure.client is client:
                changes[tenure.begin] = changes.get(tenure.begin, 0) + 1
                changes[tenure.end] = changes.get(tenure.end, 0) - 1
        owned = 0
        for time in sorted(changes):
            owned += changes[time]
            pid = self.processes[id(client)]
            self.events.append({"ph": "C", "pid": pid, "name": "cores", "ts": self.us(time), "args": {"cores": owned}})

    def request(self, request: Request) -> None:
        pid = self.processes[id(request.client)]
        title = f"request {request.seq}: {request.client.name} to {request.cpus} CPUs"
        self.point(self.administrator, title, request.posted)
        self.arrow("s", self.administrator, request.posted, request)
        if request.released is None:
            return
        self.slice(pid, _REQUESTS, "releasing", request.posted, request.released, request=request.seq)
        how = "confined from outside" if request.confined else "released"
        if request.resized is None or request.resized <= request.released:
            self.point(pid, how, request.released)
            self.arrow("f", pid, request.released, request)
            return
        self.slice(pid, _REQUESTS, f"{how}, resizing", request.released, request.resized, request=request.seq)
        self.arrow("t", pid, request.released, request)
        self.point(pid, f"resized to {request.threads} threads", request.resized)
        self.arrow("f", pid, request.resized, request)


def trace(timelines: list[tuple[str, Timeline]]) -> dict:
    """Returns the trace of several runs side by side, each starting at 0; the label tells them apart."""
    events: list[dict] = []
    process = _ADMINISTRATOR
    for label, timeline in timelines:
        writer = _Writer(timeline, process, label)
        process += 1 + len(timeline.clients)
        writer.names()
        writer.tenures()
        for client in timeline.clients:
            writer.counters(client)
        for request in timeline.requests:
            writer.request(request)
        events += writer.events
    return {"displayTimeUnit": "ms", "traceEvents": events}
