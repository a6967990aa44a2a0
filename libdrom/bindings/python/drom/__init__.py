# SPDX-License-Identifier: BSD-3-Clause
"""__init__.py - the package drom: move CPUs between running processes of one node, from Python.

An administrator:

    import drom

    with drom.Table() as table:
        for client in table.clients():
            print(client.pid, client.name, drom.format_cpus(client.owned))
        table.set_mask(4711, {0, 1}, take=True, wait="released")

A program that adapts itself:

    with drom.Client(name="pool") as client:
        while work:
            if (cpus := client.poll()) is not None:
                pool.resize(len(cpus))
            ...

CPUs are sets of numbers. Every call that fails raises drom.Error, whose text is one finished sentence, and has changed nothing; calls that wait
return drom.Status, because "posted, not acknowledged yet" is news and no failure. The package needs no compiler: it calls libdrom.so
through ctypes, which releases the interpreter's lock, so other threads go on while a call waits. A Table may be used by one thread at a time.
drom.h says what each call means, costs and refuses, in the words of this interface's C names.
"""

from __future__ import annotations

import contextlib
import ctypes
import enum
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from . import _library as c

__all__ = ["Client", "ClientInfo", "Error", "Event", "RegionInfo", "Reservation", "Status", "Table", "format_cpus", "parse_cpus", "region",
           "region_info"]
__version__ = "0.1.0"

Wait = Literal["released", "resized"] | None


class Status(enum.IntEnum):
    """drom.h's statuses: above 0 news, 0 done, below 0 an error."""

    UNCHANGED = 2
    PENDING = 1
    OK = 0
    INVAL = -1
    NOTABLE = -2
    VERSION = -3
    PERM = -4
    BUSY = -5
    NOPROC = -6
    TIMEOUT = -7
    NOCPU = -8
    FULL = -9
    CORRUPT = -10
    OS = -11
    NOINIT = -12


class Error(Exception):
    """The request, the obstacle, and the help, in one sentence. `status` is the C interface's."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = Status(status)


def parse_cpus(text: str) -> set[int]:
    """Returns {0, 1, 2, 3, 8} for "0-3,8"; reads "8-14:2", too. Raises ValueError; nothing is guessed."""
    cpus: set[int] = set()
    for item in text.split(","):
        span, colon, stride = item.partition(":")
        first, dash, last = span.partition("-")
        numbers = [first, last if dash else first, stride if colon else "1"]
        if not all(number.isascii() and number.isdigit() for number in numbers):
            raise ValueError(f"drom: '{item}' in '{text}' is no CPU and no range of CPUs, as in 0-3,8")
        begin, end, step = map(int, numbers)
        if begin > end or step == 0 or end >= c.MAX_CPUS:
            raise ValueError(f"drom: '{item}' in '{text}': CPUs go upwards from 0 to {c.MAX_CPUS - 1}")
        cpus.update(range(begin, end + 1, step))
    return cpus


def format_cpus(cpus: Iterable[int]) -> str:
    """Returns "0-3,8" for {0, 1, 2, 3, 8}; "" for no CPUs."""
    spans: list[list[int]] = []
    for cpu in sorted(set(cpus)):
        if spans and cpu == spans[-1][1] + 1:
            spans[-1][1] = cpu
        else:
            spans.append([cpu, cpu])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)


def _call(function: Callable[..., int], *arguments: object) -> Status:
    error = c.Error()
    status = function(*arguments, ctypes.byref(error))
    if status < 0:
        raise Error(status, error.text.decode(errors="replace"))
    return Status(status)


def _request(wait: Wait, timeout: float | None, grace: float | None, flags: int) -> c.Options:
    """Returns options with times in milliseconds. A time of 0 seconds means "at once", which the C interface says differently."""
    options = c.Options(size=ctypes.sizeof(c.Options), flags=flags)
    if wait not in (None, "released", "resized"):
        raise ValueError(f"drom: wait={wait!r}: one can wait until a request is 'released' or 'resized'")
    if wait:
        options.flags |= c.WAIT_RELEASED if wait == "released" else c.WAIT_RESIZED
    if timeout is not None:
        options.timeout_ms = max(1, round(timeout * 1000))
    if grace is not None:
        options.grace_ms = round(grace * 1000) or c.GRACE_AT_ONCE
    return options


@dataclass(frozen=True)
class ClientInfo:
    """One client as the table has it. `rank` is None for what is no rank of an MPI job."""

    pid: int
    slot: int
    name: str
    job: str
    owned: frozenset[int]
    wanted: frozenset[int]
    rank: int | None
    ranks: int
    live: bool
    team_size: int
    start_size: int
    min_cpus: int
    max_cpus: int
    rigid: bool
    limited: bool
    request_seq: int
    released_seq: int
    resized_seq: int
    why: str


@dataclass(frozen=True)
class RegionInfo:
    """A region of a process. Times are seconds, over the time in which it was open: `cpu` of all threads, None where it is not known; `available` is
    the number of CPUs in the mask, summed over that time. `fine` False: the figures could not be read."""

    name: str
    count: int
    open: int
    elapsed: float
    cpu: float | None
    available: float
    fine: bool


@dataclass(frozen=True)
class Reservation:
    """`environment` is what has to be added to the variables of the program that the reservation is for."""

    status: Status
    environment: dict[str, str]


@dataclass(frozen=True)
class Event:
    """`kind` is the C interface's name: "join", "offer", "released" ...; `cpu` is None for what is not about one CPU."""

    index: int
    time_ns: int
    kind: str
    slot: int
    pid: int
    cpu: int | None
    seq: int
    value: int


def _region_info(info: c.RegionInfo) -> RegionInfo:
    return RegionInfo(name=info.name.decode(errors="replace"), count=info.count, open=info.open, elapsed=info.elapsed_ns / 1e9,
                      cpu=None if info.cpu_ns == c.NOT_KNOWN else info.cpu_ns / 1e9, available=info.available_ns / 1e9, fine=info.state == c.REGION_FINE)


def _region_refusal(name: str) -> ValueError:
    return ValueError(f"drom: {name!r} is no name of a region: it has 1 to 127 bytes, and none of them is 0")


@contextlib.contextmanager
def region(name: str) -> Iterator[None]:
    """Measures what is inside as a region of this process, which need be no client. Raises ValueError for a name that cannot be: empty, longer than
    127 bytes, or with a NUL; and MemoryError for too many regions."""
    text = name.encode()
    status = c.lib.drom_region_begin(text) if b"\0" not in text else Status.INVAL
    if status == Status.INVAL:
        raise _region_refusal(name)
    if status < 0:
        raise MemoryError(f"drom: region {name!r}: this process has too many regions, or too little memory")
    try:
        yield
    finally:
        c.lib.drom_region_end(text)


def region_info(name: str) -> RegionInfo:
    """Returns the figures of a region of this process, until now. Raises ValueError for a name with a NUL."""
    if "\0" in name:
        raise _region_refusal(name)
    info = c.RegionInfo(size=ctypes.sizeof(c.RegionInfo))
    _call(c.lib.drom_region_get, name.encode(), ctypes.byref(info))
    return _region_info(info)


def _bytes(text: str | None) -> bytes | None:
    """Returns the text as the library takes it. Raises ValueError for one with a NUL, at which the library would end it."""
    if text is not None and "\0" in text:
        raise ValueError(f"drom: {text!r} has a NUL, which no path, name or job may have")
    return None if text is None else text.encode()


class Table:
    """The node's table: which client owns which CPU. `path` None: DROM_TABLE, else the user's own. Close it, or use it in `with`."""

    def __init__(self, path: str | None = None, *, create: bool = False, read_only: bool = False, cpus: int = 0) -> None:
        self._table = ctypes.c_void_p()
        options = c.Options(size=ctypes.sizeof(c.Options), cpus=cpus,
                            flags=(c.CREATE if create else 0) | (c.READONLY if read_only else 0))
        _call(c.lib.drom_open, ctypes.byref(self._table), _bytes(None if path is None else str(path)), ctypes.byref(options))
        self._next_event = ctypes.c_uint64(2**64 - 1)

    def close(self) -> None:
        table, self._table = self._table, ctypes.c_void_p()
        c.lib.drom_close(table)

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> ctypes.c_void_p:
        if not self._table:
            raise ValueError("drom: this table is closed")
        return self._table

    @property
    def path(self) -> str:
        return c.lib.drom_table_path(self._open()).decode()

    @property
    def size(self) -> int:
        """Returns the number of CPUs of the node, present or not."""
        return c.lib.drom_table_cpus(self._open())

    def masks(self) -> tuple[set[int], set[int], set[int]]:
        """Returns the CPUs that are present, free, drained."""
        words = [c.Words() for _ in range(3)]
        _call(c.lib.drom_table_masks, self._open(), *words, c.WORDS)
        present, free, drained = map(c.cpus_of, words)
        return present, free, drained

    def mask(self, pid: int) -> tuple[set[int], set[int]]:
        """Returns the CPUs that are the client's, and those that it has once everything posted is done."""
        owned, wanted = c.Words(), c.Words()
        _call(c.lib.drom_get_mask, self._open(), pid, owned, wanted, c.WORDS)
        return c.cpus_of(owned), c.cpus_of(wanted)

    def clients(self) -> list[ClientInfo]:
        room = c.lib.drom_table_clients(self._open())
        infos = (c.ClientInfo * room)()
        infos[0].size = ctypes.sizeof(c.ClientInfo)
        count = ctypes.c_size_t(room)
        _call(c.lib.drom_clients, self._open(), infos, ctypes.byref(count))
        found = []
        for info in infos[: count.value]:
            with contextlib.suppress(Error):  # it may have ended since
                found.append(self._view(info))
        return found

    def _view(self, info: c.ClientInfo) -> ClientInfo:
        owned, wanted = self.mask(info.pid)
        return ClientInfo(
            pid=info.pid, slot=info.slot, name=info.name.decode(errors="replace"), job=info.job.decode(errors="replace"),
            owned=frozenset(owned), wanted=frozenset(wanted), rank=info.rank if info.ranks else None, ranks=info.ranks,
            live=info.state == c.CLIENT_LIVE, team_size=info.team_size, start_size=info.start_size, min_cpus=info.min_cpus,
            max_cpus=info.max_cpus, rigid=bool(info.flags & c.RIGID), limited=bool(info.limited), request_seq=info.request_seq,
            released_seq=info.released_seq, resized_seq=info.resized_seq, why=info.why.decode(errors="replace"))

    def set_mask(self, pid: int, cpus: Iterable[int], *, how: Literal["exactly", "add", "remove"] = "exactly", take: bool = False,
                 give_back: bool = False, wait: Wait = None, timeout: float | None = None, grace: float | None = None) -> Status:
        """Gives the client these CPUs; `how` "add" or "remove" moves only these. `take`: also CPUs of other clients; `give_back`: those go back to
        them when this client ends. Times are in seconds."""
        moves = {"exactly": 0, "add": c.ADD, "remove": c.REMOVE}
        if how not in moves:
            raise ValueError(f"drom: how={how!r}: a mask is set 'exactly', or CPUs are moved by 'add' or 'remove'")
        flags = moves[how] | (c.TAKE if take else 0) | (c.RETURN if give_back else 0)
        options = _request(wait, timeout, grace, flags)
        return _call(c.lib.drom_set_mask, self._open(), pid, c.words_of(cpus), c.WORDS, ctypes.byref(options))

    def set_masks(self, masks: Mapping[int, Iterable[int]], *, take: bool = False, give_back: bool = False, fast: bool = False, wait: Wait = None,
                  timeout: float | None = None, grace: float | None = None) -> Status:
        """Gives each client (by pid) exactly its CPUs: all of them or, when it raises, none. CPUs move among them without `take`. `fast`: CPUs
        change hands before their owners have released them, which an exchange of only CPUs needs."""
        flags = (c.TAKE if take else 0) | (c.RETURN if give_back else 0) | (c.FAST if fast else 0)
        options = _request(wait, timeout, grace, flags)
        return _call(c.lib.drom_set_masks, self._open(), c.client_masks_of(masks), len(masks), ctypes.byref(options))

    def shrink(self, pid: int, to: int, *, wait: Wait = None, timeout: float | None = None, grace: float | None = None) -> Status:
        """Leaves the client with `to` CPUs in all: the farthest go."""
        return _call(c.lib.drom_shrink, self._open(), pid, to, ctypes.byref(_request(wait, timeout, grace, 0)))

    def expand(self, pid: int, to: int, *, take: bool = False, wait: Wait = None, timeout: float | None = None,
               grace: float | None = None) -> Status:
        """Gives the client `to` CPUs in all: the nearest free ones come, with `take` also those of other clients."""
        return _call(c.lib.drom_expand, self._open(), pid, to, ctypes.byref(_request(wait, timeout, grace, c.TAKE if take else 0)))

    def wait(self, pid: int, seq: int = 0, *, until: Wait = "released", timeout: float | None = None) -> Status:
        """Waits until request `seq` (0: the newest) is released or resized. Returns Status.PENDING when the time is over first."""
        return _call(c.lib.drom_wait_for, self._open(), pid, seq, ctypes.byref(_request(until, timeout, None, 0)))

    def reserve(self, pid: int, cpus: Iterable[int], *, name: str | None = None, job: str | None = None, min_cpus: int = 0, max_cpus: int = 0,
                rigid: bool = False, take: bool = False, give_back: bool = False, wait: Wait = "released",
                timeout: float | None = None) -> Reservation:
        """Reserves CPUs for a process that is about to start a program; they stay reserved while that process or this one lives. Status.PENDING:
        the reservation stands, and the owners have not left the CPUs yet."""
        flags = (c.RIGID if rigid else 0) | (c.TAKE if take else 0) | (c.RETURN if give_back else 0)
        options = _request(wait, timeout, None, flags)
        options.name, options.job = _bytes(name), _bytes(job)
        options.min_cpus, options.max_cpus = min_cpus, max_cpus
        environment = c.Environment()
        error = c.Error()
        status = c.lib.drom_reserve(self._open(), pid, c.words_of(cpus), c.WORDS, ctypes.byref(options), environment.address(), ctypes.byref(error))
        variables = environment.take()
        if status < 0:
            raise Error(status, error.text.decode(errors="replace"))
        return Reservation(Status(status), variables)

    def release(self, pid: int) -> Status:
        """Takes all CPUs from a client that has ended, or is about to. CPUs that were taken with `give_back` go back."""
        return _call(c.lib.drom_release, self._open(), pid, None)

    def drain(self, cpus: Iterable[int], *, wait: Wait = None, timeout: float | None = None) -> Status:
        """Empties CPUs and keeps them empty until restore()."""
        return _call(c.lib.drom_drain, self._open(), c.words_of(cpus), c.WORDS, ctypes.byref(_request(wait, timeout, None, 0)))

    def restore(self, cpus: Iterable[int]) -> Status:
        return _call(c.lib.drom_restore, self._open(), c.words_of(cpus), c.WORDS, None)

    def regions(self, pid: int) -> list[RegionInfo]:
        """Returns the regions of a client, in no order, as they are now."""
        room = (c.RegionInfo * 64)()
        room[0].size = ctypes.sizeof(c.RegionInfo)
        count = ctypes.c_size_t(len(room))
        _call(c.lib.drom_regions, self._open(), pid, room, ctypes.byref(count))
        return [_region_info(info) for info in room[: count.value]]

    def check(self) -> Status:
        """Verifies the table, finishes what a dead administrator began, removes the dead. Returns Status.UNCHANGED when there is nothing to do."""
        return _call(c.lib.drom_check, self._open(), None)

    def events(self, timeout: float = 0) -> list[Event]:
        """Returns the events since the last call; the first call, only what happens from then on. Waits up to `timeout` seconds for one."""
        room = (c.Event * 256)()
        count = ctypes.c_size_t(len(room))
        _call(c.lib.drom_events, self._open(), ctypes.byref(self._next_event), room, ctypes.byref(count), round(timeout * 1000))
        return [Event(index=e.index, time_ns=e.time_ns, kind=c.EVENT_KINDS.get(e.type, str(e.type)), slot=e.slot, pid=e.pid,
                      cpu=None if e.cpu == c.NO_CPU else e.cpu, seq=e.seq, value=e.value) for e in room[: count.value]]


@dataclass
class Client:
    """This process as a client; once per process. `cpus` None: those it may run on. `background`: requests are released as soon as they
    arrive, by the agent's own thread, not only at the next poll()."""

    cpus: Iterable[int] | None = None
    name: str | None = None
    job: str | None = None
    min_cpus: int = 0
    max_cpus: int = 0
    rigid: bool = False
    background: bool = True
    _callbacks: list[object] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        flags = (c.ASYNC if self.background else 0) | (c.RIGID if self.rigid else 0)
        options = c.Options(size=ctypes.sizeof(c.Options), flags=flags, min_cpus=self.min_cpus, max_cpus=self.max_cpus)
        options.name, options.job = _bytes(self.name), _bytes(self.job)
        words = None if self.cpus is None else c.words_of(self.cpus)
        _call(c.lib.drom_init, words, 0 if words is None else c.WORDS, ctypes.byref(options))

    def close(self) -> None:
        """Gives every CPU back and leaves."""
        self.on_change(None)
        _call(c.lib.drom_finalize)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def poll(self) -> set[int] | None:
        """Returns the new mask, or None. Each thread of the process is inside the new mask already. The next poll acknowledges that the
        caller has adapted."""
        words = c.Words()
        return c.cpus_of(words) if _call(c.lib.drom_poll, words, c.WORDS) == Status.OK else None

    def poll_apply(self) -> bool:
        """Does as poll(), and the OpenMP runtime's team follows. Returns True when there was something new."""
        return _call(c.lib.drom_poll_apply) == Status.OK

    def on_change(self, function: Callable[[set[int]], None] | None) -> None:
        """Sets `function`, called with each new mask: by poll(), and with `background` by the agent's own thread as
        soon as the request arrives. An exception of it is printed and dropped: there is no caller to raise it to.
        None: nothing is called any more."""
        options = c.Options(size=ctypes.sizeof(c.Options), flags=c.ASYNC if self.background else 0)
        call = c.MaskFunction()
        if function is not None:
            call = c.MaskFunction(lambda words, count, _: function(c.cpus_of(words, count)))
        _call(c.lib.drom_on_change, call, None, ctypes.byref(options))
        # The library holds no reference, so this object does. The agent's thread may still be inside the former
        # function.
        self._callbacks.append(call)

    @contextlib.contextmanager
    def disabled(self) -> Iterator[None]:
        """Postpones adoption in its block. An administrator may still confine from outside after the grace period."""
        c.lib.drom_disable()
        try:
            yield
        finally:
            c.lib.drom_enable()

    def limits(self, min_cpus: int = 0, max_cpus: int = 0) -> None:
        """Sets the min and max of the CPUs that this client can use; 0 leaves a limit as it is."""
        _call(c.lib.drom_limits, min_cpus, max_cpus)
