#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""catalogue.py - the guests of the answers suite: how each is built, what it can run under, and whether its team may change.

A guest is one entry of GUESTS. Called as a program it prints a line per build for CMake:
  NAME;SOURCE;FAMILY;FLAGS;LIBRARIES      lists are separated by commas; a name that begins with lib is a shared library
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Build:
    family: str  # gcc, clang, or flang: the compiler for each language
    flags: tuple
    optional: bool = False  # left out where the compiler is not installed


BUILDS = {
    "gcc": Build("gcc", ("-O2",)),
    "gcc-O0": Build("gcc", ("-O0",)),
    "gcc-O1": Build("gcc", ("-O1",)),
    "gcc-O3": Build("gcc", ("-O3",)),
    "gcc-Ofast": Build("gcc", ("-Ofast",)),
    "gcc-Os": Build("gcc", ("-Os",)),
    "gcc-lto": Build("gcc", ("-O2", "-flto")),
    "clang": Build("clang", ("-O2",)),
    "clang-O0": Build("clang", ("-O0",)),
    "clang-O3": Build("clang", ("-O3",)),
    "clang-cached": Build("clang", ("-O2", "-fnoopenmp-use-tls")),  # threadprivate as in flang
    "flang": Build("flang", ("-O2",), optional=True),  # its package is 700 MB
    "flang-O1": Build("flang", ("-O1",), optional=True),
    "flang-O3": Build("flang", ("-O3",), optional=True),
}
BOTH = ("gcc", "clang")
GCC = ("gcc", "gcc-O0", "gcc-O1", "gcc-O3", "gcc-Ofast", "gcc-Os", "gcc-lto")
EVERY = (*GCC, "clang", "clang-O0", "clang-O3")
FORTRAN = ("gcc", "gcc-O0", "gcc-O1", "gcc-O3", "gcc-Ofast", "gcc-lto", "flang", "flang-O1", "flang-O3")

LLVM = ("14", "16", "19")
PYTHON = ("/usr/bin/python3",)  # the interpreter of Debian's packages


@dataclass(frozen=True)
class Guest:
    name: str
    source: str
    modes: str
    builds: tuple = BOTH
    follow: str = ""  # the modes whose team OpenMP's dynamic adjustment permits to change between regions ...
    why: str = ""  # ... and why these modes only
    resizes: str = ""  # the modes of which a team that is never resized is a failure
    limit: bool = False  # answers are the same each time also if OMP_THREAD_LIMIT is less than OMP_NUM_THREADS
    dynamic: bool = True  # answers are right natively with OMP_DYNAMIC=true
    flags: tuple = ()
    libraries: tuple = ()
    runtimes: tuple = ()  # the OpenMP runtimes, unless the builds say them

    def may_follow(self, mode):
        return mode in self.follow.split()


@dataclass(frozen=True)
class Library:
    """The library lib<name>-<build>.so, for guests."""

    name: str
    source: str
    builds: tuple = BOTH
    flags: tuple = ("-fopenmp",)


LIBRARIES = (
    Library("teams", "teams.c"),
    Library("tally", "tally.c", flags=()),
    Library("other", "other.c"),
)

BY_NUMBER = "none: each trusts that the same threads come back, or as many"
GUESTS = (
    Guest("plain", "plain.c", "never again coarse mixed", EVERY, follow="never coarse mixed", resizes="never coarse mixed",
          why="worksharing only; 'again' divides its work by an answer that is an upper bound"),
    Guest("partition", "partition.c", "next later forever nested twice clause static late prints", EVERY, limit=True,
          follow="prints",
          why="'prints' asks for an upper bound and prints it; the others divide by it"),
    Guest("kept", "kept.c", "once single each late seldom procs", EVERY, follow="procs", limit=True,
          why="'procs' has as many iterations as it was told, whichever thread takes them; the others keep a size"),
    Guest("numbers", "numbers.c", "blocks minimum owners slots buckets selves counted streams seeded roles waiting barrier spinning",
          EVERY, limit=True, why=BY_NUMBER),
    Guest("sizes", "sizes.c", "environment argument online team_size procs procs_each comes asks sets_told sets_procs sets_found sets_each "
          "clause hands_on", (*BOTH, "gcc-O0", "gcc-O3"), libraries=("teams",),
          why="none: each keeps a size, or prints one"),
    Guest("asks", "sizes.c", "asks team_size", BOTH, libraries=("teams",), limit=True, why="none: each keeps a size"),
    Guest("locals", "locals.c", "library specific callback", (*BOTH, "gcc-O0", "gcc-O3"), libraries=("teams", "tally"), why=BY_NUMBER),
    Guest("state", "state.c", "threadprivate copyin thread_local slots", (*BOTH, "clang-cached"), follow="slots",
          why="'slots' adds to any slot and sums up over all of them, serially; the others lose what an idle thread has"),
    Guest("nested", "nested.c", "two_levels clauses asks serialized teams_sum",
          follow="two_levels serialized teams_sum",
          why="worksharing, or divided by what omp_get_num_threads() says in the region; the others divide by an upper bound"),
    Guest("tasks", "tasks.c", "depend taskloop recurse group", follow="depend taskloop recurse group", why="tasks belong to no thread"),
    Guest("constructs", "constructs.c", "reductions sections schedules numthreads sets echoes lowers dynamic",
          follow="reductions sections schedules dynamic", why="worksharing only; the others divide by the size that they set"),
    Guest("phases", "phases.c", "serial long endless blocked flags idle pins", follow="serial long blocked idle pins",
          why="'endless' and 'flags' need the other thread"),
    Guest("processes", "processes.c", "pthreads fork fork_first spawn daemon",
          why="none: all divide by an upper bound"),
    Guest("objects", "objects.cpp", "threads exceptions containers pool statics",
          follow="threads exceptions",
          why="worksharing only; the others divide by an upper bound"),
    Guest("levels", "levels.cpp", "tiles lists levels wrapper hardware ids barrier", EVERY, limit=True,
          follow="tiles",
          why="'tiles' sums up over all buffers, serially; the others trust that the same threads come back, or as many"),
    Guest("hydro", "hydro.cpp", "steps constraints gather kept passed", EVERY,
          follow="gather",
          why="'gather' divides by worksharing and asks only whether there are several; the others reduce over an upper bound"),
    Guest("blas", "blas.c", "dgemm level2", ("gcc",), libraries=("openblas",), follow="dgemm level2", dynamic=False,
          why="its regions need as many threads as OpenBLAS has asked for, and keep them; natively a smaller team hangs"),
    Guest("fields", "fields.f90", "do next forever told common sets", FORTRAN, follow="do", why="'do' is worksharing only; the others keep a size"),
    Guest("numbered", "numbered.f90", "blocks buckets private streams counted environment argument roles barrier", FORTRAN, limit=True, why=BY_NUMBER),
    # Guests with two runtimes in one process.
    Guest("linked", "both.c", "turns sets", ("gcc",), flags=("-DLINKED",), libraries=("other-clang",),
          runtimes=("libgomp+libomp-14", "libgomp+libomp-19"), why="none: both ask and divide"),
    Guest("opened", "both.c", "turns sets", ("gcc",), flags=("-DOTHER=libother-clang.so",),
          runtimes=("libgomp+libomp-16", "libgomp+libomp-19"), why="none: both ask and divide"),
    Guest("opens", "both.c", "turns sets", ("clang",), flags=("-DOTHER=libother-gcc.so",), runtimes=("libomp-14", "libomp-19"),
          why="none: both ask and divide"),
    Guest("plugins", "both.c", "turns sets", ("gcc",), flags=("-DNO_OPENMP", "-DOTHER=libother-clang.so"),
          runtimes=("libgomp+libomp-14", "libgomp+libomp-19"), why="none: both ask and divide"),
    Guest("learn", "learn.py", "kmeans boosting limits", ("python",), runtimes=("libgomp",), why="none: scikit-learn asks, and sums per thread"),
)


@dataclass(frozen=True)
class Case:
    guest: Guest
    mode: str
    build: str
    runtime: str  # libgomp, libomp-NN, or both
    threads: int  # OMP_NUM_THREADS; 0: unset
    start: str  # run: started by drom run; preload: LD_PRELOAD alone
    # keep: no variable; follow: DROM_RESIZE; dynamic: OMP_DYNAMIC; limit: OMP_THREAD_LIMIT alone; bound: OMP_PROC_BIND
    # alone
    way: str

    @property
    def label(self):
        return f"{self.guest.name}:{self.mode}:{self.build}:{self.runtime}:{self.threads}:{self.start}:{self.way}"

    @property
    def work(self):
        """Returns what decides the answer: all but the way in which the case is started."""
        return (self.guest.name, self.mode, self.build, self.runtime, self.threads, self.way if self.way in ("limit", "bound") else "")

    @property
    def topic(self):
        """Returns the key of which each value has to be run once before any is run twice."""
        return (self.guest.name, self.mode, self.follows)

    @property
    def follows(self):
        return self.way in ("follow", "dynamic")

    def is_passive(self, seed) -> bool:
        """Returns whether threads wait passively: in half of the sequences, and always in Python, which is slow anyway."""
        return seed % 2 == 1 or self.build == "python"

    def command(self, guests: Path) -> list:
        if self.build == "python":
            return [*PYTHON, str(Path(__file__).parent / "guests" / self.guest.source)]
        return [str(guests / f"{self.guest.name}-{self.build}")]

    def environment(self) -> dict:
        env = {"OMP_NUM_THREADS": str(self.threads)} if self.threads else {}
        said = {"keep": {}, "limit": {"OMP_THREAD_LIMIT": "2"}, "bound": {"OMP_PROC_BIND": "true"},
                "follow": {"DROM_RESIZE": "follow"},
                "dynamic": {"OMP_DYNAMIC": "true", "OMP_THREAD_LIMIT": "3"}}
        return env | said[self.way]

    def library_path(self, runtimes: Path) -> str:
        """Returns LD_LIBRARY_PATH; LLVM's runtime stands in for libgomp under programs of gcc."""
        if "libomp" not in self.runtime:
            return ""
        stands_in = family(self.build) == "gcc" and "+" not in self.runtime
        return str(runtimes / f"{'gomp-on-omp' if stands_in else 'omp'}-{self.runtime.rpartition('-')[2]}")


def family(build: str) -> str:
    return BUILDS[build].family if build in BUILDS else build


def runtimes_of(guest: Guest, build: str):
    if guest.runtimes:
        return guest.runtimes
    if family(build) == "flang":
        return ("libomp-19",)
    # Every program of gcc can run on LLVM's runtime. Programs of gfortran are tried with all releases of it.
    newest = tuple(f"libomp-{version}" for version in LLVM)
    if family(build) == "clang":
        return newest
    return ("libgomp", *newest) if guest.source.endswith(".f90") else ("libgomp", newest[-1])


def cases_of(guest: Guest, build: str, runtime: str, mode: str):
    for threads in (2, 4, 0):
        # With more than two threads the order of a sum of floating-point numbers differs from run to run.
        if threads == 4 and build == "python":
            continue
        for start in ("run", "preload"):
            yield Case(guest, mode, build, runtime, threads, start, "keep")
            if guest.may_follow(mode):
                yield Case(guest, mode, build, runtime, threads, start, "follow")
    if guest.may_follow(mode) and guest.dynamic:
        yield Case(guest, mode, build, runtime, 2, "run", "dynamic")
    if build != "python":
        yield Case(guest, mode, build, runtime, 4, "run", "bound")
    if guest.limit:
        yield Case(guest, mode, build, runtime, 4, "run", "limit")


def all_cases(is_built=lambda case: True):
    for guest in GUESTS:
        for build in guest.builds:
            for runtime in runtimes_of(guest, build):
                for mode in guest.modes.split():
                    yield from filter(is_built, cases_of(guest, build, runtime, mode))


def built_with(library: str, build: str) -> str:
    """Returns the file of a library, which is the system's or our own.

    The program's compiler builds our own, unless their name says which compiler does."""
    return f"{library}-{family(build)}" if library in {entry.name for entry in LIBRARIES} else library


def print_builds():
    for library in LIBRARIES:
        for build in library.builds:
            flags = ",".join((*BUILDS[build].flags, *library.flags))
            print(f"lib{library.name}-{build}.so;{library.source};{BUILDS[build].family};{flags};")
    for guest in GUESTS:
        for build in guest.builds:
            if build not in BUILDS:
                continue
            openmp = () if "-DNO_OPENMP" in guest.flags else ("-fopenmp",)
            flags = ",".join((*BUILDS[build].flags, *openmp, *guest.flags))
            print(f"{guest.name}-{build};{guest.source};{BUILDS[build].family};{flags};"
                  f"{','.join(built_with(library, build) for library in guest.libraries)}")


if __name__ == "__main__":
    print_builds()
