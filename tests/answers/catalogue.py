# SPDX-License-Identifier: BSD-3-Clause
"""catalogue.py - the guests of the answers suite, their modes, and the runtimes each can run under."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Guest:
    name: str
    modes: tuple
    built_by: tuple = ("gcc", "clang")
    resizes: tuple = ()  # modes that never ask, or ask each time: a team that is never resized here is a failure
    any_team: tuple = ()  # modes that are right with any team: only these may run with OMP_DYNAMIC and OMP_THREAD_LIMIT


GUESTS = (
    Guest("plain", ("never", "again", "coarse", "mixed"), resizes=("never", "again", "coarse", "mixed"),
          any_team=("never", "coarse", "mixed")),
    Guest("partition", ("next", "later", "forever", "nested", "twice", "clause", "static", "late", "prints"),
          resizes=("next",)),
    Guest("kept", ("once", "single", "each", "late", "seldom", "procs"), any_team=("procs",)),
    Guest("state", ("threadprivate", "copyin", "thread_local", "slots"), any_team=("slots",)),
    Guest("nested", ("two_levels", "clauses", "asks", "serialized", "teams_sum")),
    Guest("tasks", ("depend", "taskloop", "recurse", "group"), any_team=("depend", "taskloop", "recurse", "group")),
    Guest("constructs", ("reductions", "sections", "schedules", "numthreads", "sets", "echoes", "lowers", "dynamic"),
          any_team=("reductions", "sections", "schedules", "dynamic")),
    Guest("phases", ("serial", "long", "endless", "blocked", "flags", "idle", "pins"),
          any_team=("serial", "long", "blocked", "idle", "pins")),
    Guest("processes", ("pthreads", "fork", "fork_first", "spawn", "daemon")),
    Guest("objects", ("threads", "exceptions", "containers", "pool", "statics")),
    Guest("hydro", ("steps", "constraints", "gather", "kept", "passed"), resizes=("gather",)),
    Guest("blas", ("dgemm", "level2"), built_by=("gcc",), resizes=("dgemm",)),
    Guest("fields", ("do", "next", "forever", "told", "common", "sets"), built_by=("gcc",)),
)

LLVM = ("14", "16", "19")


@dataclass(frozen=True)
class Case:
    guest: Guest
    mode: str
    compiler: str
    runtime: str  # libgomp, or libomp-NN
    threads: int  # OMP_NUM_THREADS; 0: unset
    door: str  # run: started by drom run; preload: LD_PRELOAD alone
    limit: bool  # OMP_THREAD_LIMIT and OMP_DYNAMIC set

    @property
    def label(self):
        limit = ":limit" if self.limit else ""
        return f"{self.guest.name}:{self.mode}:{self.compiler}:{self.runtime}:{self.threads}:{self.door}{limit}"

    @property
    def work(self):
        """What it computes, whichever way it is started."""
        return (self.guest.name, self.mode, self.compiler, self.runtime, self.threads, self.limit)

    @property
    def pair(self):
        return (self.guest.name, self.compiler, self.runtime)

    def program(self, guests: Path) -> Path:
        return guests / f"{self.guest.name}-{self.compiler}"

    def library_path(self, runtimes: Path) -> str:
        """LD_LIBRARY_PATH; LLVM's runtime stands in for libgomp under gcc-built programs."""
        if self.runtime == "libgomp":
            return ""
        folder = "omp" if self.compiler == "clang" else "gomp-on-omp"
        return str(runtimes / f"{folder}-{self.runtime.removeprefix('libomp-')}")


def runtimes_of(guest: Guest, compiler: str):
    if compiler == "clang":
        return tuple(f"libomp-{version}" for version in LLVM)
    # Every gcc-built guest can run on LLVM's runtime; for Fortran that is the only way to it.
    return ("libgomp",) + tuple(f"libomp-{version}" for version in (LLVM if guest.name == "fields" else ("19",)))


def all_cases():
    for guest in GUESTS:
        for compiler in guest.built_by:
            for runtime in runtimes_of(guest, compiler):
                for mode in guest.modes:
                    for threads in (2, 4, 0):
                        for door in ("run", "preload"):
                            yield Case(guest, mode, compiler, runtime, threads, door, False)
                    if mode in guest.any_team:
                        yield Case(guest, mode, compiler, runtime, 2, "run", True)
