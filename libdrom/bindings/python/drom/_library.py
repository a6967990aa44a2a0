# SPDX-License-Identifier: BSD-3-Clause
"""_library.py - drom.h for ctypes: structs, flags, signatures. Private to the package; tests/abi and tests/python pin it to the header."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

MAX_CPUS = 4096
WORDS = MAX_CPUS // 64
Words = ctypes.c_uint64 * WORDS

WAIT_RELEASED, WAIT_RESIZED, NEVER_CONFINE, TAKE, RETURN, FAST, CREATE, READONLY, ASYNC, RIGID, NODE, ADD, REMOVE, VIRTUAL, TREE = (1 << bit for bit in range(15))
GRACE_AT_ONCE = NO_CPU = 2**32 - 1
CLIENT_LIVE = 2
NOT_KNOWN = 2**64 - 1
REGION_FINE = 0
EVENT_KINDS = dict(enumerate(("join", "leave", "reap", "claim", "offer", "accept", "free", "post", "released", "confined", "resized", "cancel", "kept"), 1))


def _fields(text: str) -> list[tuple[str, object]]:
    """Returns ("name", type) of "type name name; type name[8]; ..."."""
    types = {"size": ctypes.c_size_t, "u64": ctypes.c_uint64, "u32": ctypes.c_uint32, "i32": ctypes.c_int32, "char": ctypes.c_char, "text": ctypes.c_char_p}
    found = []
    for line in text.split(";"):
        kind, *names = line.split()
        for name in names:
            base, bracket, length = name.partition("[")
            found.append((base, types[kind] * int(length.rstrip("]")) if bracket else types[kind]))
    return found


class Error(ctypes.Structure):
    _fields_ = _fields("i32 status; char text[252]")


class Options(ctypes.Structure):
    _fields_ = _fields("size size; u64 flags; u32 timeout_ms grace_ms; text name job; u32 min_cpus max_cpus cpus clients; u64 reserved[4]")


class ClientInfo(ctypes.Structure):
    _fields_ = _fields("size size; i32 pid; u32 slot; u64 request_seq released_seq resized_seq confined_seq; "
                       "u32 generation state entry_points resize owned_cpus wanted_cpus min_cpus max_cpus team_size start_size; i32 launcher_pid; "
                       "u32 flags limited ranks rank local_rank; u64 posted_ns released_ns resized_ns safe_points queries polls adoptions; "
                       "char name[32] job[32] why[96]")


class Event(ctypes.Structure):
    _fields_ = _fields("u64 index time_ns seq; u32 type slot cpu value; i32 pid; u32 reserved")


class RegionInfo(ctypes.Structure):
    _fields_ = _fields("size size; u64 count elapsed_ns cpu_ns available_ns; u32 open state; char name[128]")


MaskFunction = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_uint64), ctypes.c_size_t, ctypes.c_void_p)


def words_of(cpus: Iterable[int]) -> ctypes.Array[ctypes.c_uint64]:
    words = Words()
    for cpu in cpus:
        if not 0 <= cpu < MAX_CPUS:
            raise ValueError(f"drom: there is no CPU {cpu}: they are numbered from 0 to {MAX_CPUS - 1}")
        words[cpu // 64] |= 1 << cpu % 64
    return words


class ClientMask(ctypes.Structure):
    _fields_ = [("pid", ctypes.c_int32), ("reserved", ctypes.c_uint32), ("words", ctypes.POINTER(ctypes.c_uint64)), ("nwords", ctypes.c_size_t)]


def client_masks_of(masks: Mapping[int, Iterable[int]]) -> ctypes.Array[ClientMask]:
    array = (ClientMask * max(len(masks), 1))()
    for entry, (pid, cpus) in zip(array, masks.items()):
        entry.pid, entry.words, entry.nwords = pid, words_of(cpus), WORDS
    return array


def cpus_of(words: ctypes.Array[ctypes.c_uint64], count: int = WORDS) -> set[int]:
    return {64 * index + bit for index in range(count) for bit in range(64) if words[index] >> bit & 1}


class Environment:
    """The malloc'd array that drom_reserve extends."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None)
        self._libc.calloc.restype = ctypes.c_void_p
        self._libc.calloc.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
        self._libc.free.argtypes = [ctypes.c_void_p]
        self._array = ctypes.c_void_p(self._libc.calloc(1, ctypes.sizeof(ctypes.c_void_p)))

    def address(self) -> ctypes.c_void_p:
        return ctypes.byref(self._array)

    def take(self) -> dict[str, str]:
        entries = ctypes.cast(self._array, ctypes.POINTER(ctypes.c_void_p))
        variables: dict[str, str] = {}
        index = 0
        while entries[index]:
            name, _, value = ctypes.string_at(entries[index]).decode().partition("=")
            variables[name] = value
            self._libc.free(entries[index])
            index += 1
        self._libc.free(self._array)
        return variables


def _load() -> ctypes.CDLL:
    """Loads the libdrom.so that `drom run` preloaded, if it did: a second copy would be a second agent. Else the one
    that was installed, or built, with this package, else what the loader finds."""
    name = "libdrom.so.0"
    beside = [parent / name for parent in Path(__file__).resolve().parents]
    for mode, candidates in ((os.RTLD_NOLOAD, [name]), (0, [*filter(Path.exists, beside), name])):
        for candidate in candidates:
            try:
                return ctypes.CDLL(str(candidate), mode=os.RTLD_NOW | mode)
            except OSError as error:
                why = error
    raise ImportError(f"drom: {name} was not found ({why}); install drom, or add its folder to LD_LIBRARY_PATH")


_SIGNATURES = {
    "drom_init": "words size options error", "drom_finalize": "error", "drom_poll": "words size error", "drom_poll_apply": "error",
    "drom_on_change": "function pointer options error", "drom_disable": "", "drom_enable": "", "drom_region_begin": "text", "drom_region_end": "text",
    "drom_region_get": "text pointer error", "drom_regions": "table i32 pointer pointer error", "drom_limits": "u32 u32 error",
    "drom_open": "pointer text options error", "drom_clients": "table pointer pointer error", "drom_get_mask": "table i32 words words size error",
    "drom_table_masks": "table words words words size error", "drom_set_mask": "table i32 words size options error",
    "drom_set_masks": "table pointer size options error",
    "drom_shrink": "table i32 u32 options error", "drom_expand": "table i32 u32 options error",
    "drom_reserve": "table i32 words size options pointer error", "drom_release": "table i32 options error",
    "drom_drain": "table words size options error", "drom_restore": "table words size options error",
    "drom_wait_for": "table i32 u64 options error", "drom_check": "table options error", "drom_events": "table pointer pointer pointer u32 error",
}


def _declare(lib: ctypes.CDLL) -> ctypes.CDLL:
    types = {"words": ctypes.POINTER(ctypes.c_uint64), "size": ctypes.c_size_t, "options": ctypes.POINTER(Options), "error": ctypes.POINTER(Error),
             "table": ctypes.c_void_p, "pointer": ctypes.c_void_p, "text": ctypes.c_char_p, "function": MaskFunction, "i32": ctypes.c_int32,
             "u32": ctypes.c_uint32, "u64": ctypes.c_uint64}
    for name, parameters in _SIGNATURES.items():
        function = getattr(lib, name)
        function.argtypes = [types[word] for word in parameters.split()]
        function.restype = ctypes.c_int
    for name, result in (("drom_close", None), ("drom_table_path", ctypes.c_char_p), ("drom_table_cpus", ctypes.c_uint32), ("drom_table_clients", ctypes.c_uint32)):
        getattr(lib, name).argtypes = [ctypes.c_void_p]
        getattr(lib, name).restype = result
    return lib


lib = _declare(_load())
