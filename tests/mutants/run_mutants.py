#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""run_mutants.py - breaks libdrom on purpose, one line at a time (mutants.py), and looks whether its tests notice.

  run_mutants.py BUILD [--explorer] [--only TEXT] [--jobs N] [--verbose]

A mutant's file is compiled as the build compiles it, and linked into the test programs in place of the right one. The
build itself is not changed. A test that fails, ends by a signal or does not end has noticed. First each of these tests
has to pass without a mutant.

With --explorer the explorer has to notice alone, each mutant that it is said to notice; without it the other tests have
to. With DROM_MUTANTS_FILES="FILE..." only the mutants of these files are tried; the names are relative to libdrom.
With DROM_MUTANTS_LONG=1 every program that notices any mutant is tried on the mutants that are said to make no
difference.

Exit status: 0 enough were noticed, 1 not, or a mutant does not fit the source any more, 77 a test program was not built.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from markers import Stale, broken_text, complaints, marked_by_name
from mutants import MUTANTS, ORDER, SEQUENCE, Killer, Mutant

LIMIT_S = 1200       # for one test without any breakage
# A test that hangs has noticed, too: after so many seconds, and after so many times its duration without a breakage.
HANGS_S = (60, 10)
LIBRARIES = {"explorer": "explored_core"}  # whose objects a program is linked to, if not to those of libdrom.so
ALL_OF = (ORDER, SEQUENCE)
LEAST = 0.9  # the part of all mutants that must be noticed
ROOT = Path(__file__).resolve().parents[2]
MARKED = marked_by_name(ROOT)


class Build:
    def __init__(self, folder: Path):
        self.folder = folder
        entries = json.loads((folder / "compile_commands.json").read_text())
        self.compiles = [(Path(entry["file"]).resolve(), shlex.split(entry["command"])) for entry in entries]
        self.links: dict[str, list[str]] = {}

    def has(self, program: str) -> bool:
        return (self.folder / "bin" / program).exists()

    def link(self, program: str) -> list[str]:
        if program not in self.links:
            told = subprocess.run(["ninja", "-C", str(self.folder), "-t", "commands", f"bin/{program}"], capture_output=True, text=True, check=True).stdout
            last = told.strip().splitlines()[-1]
            self.links[program] = shlex.split(re.sub(r"^: && | && :$", "", last))
        return self.links[program]

    def compile_of(self, source: Path, program: str) -> list[str]:
        """Returns the command for the program's own object, if it is built of the source; else for the library's."""
        ours = [command for file, command in self.compiles if file == source]
        own = [command for command in ours if f"/{program}.dir/" in command[command.index("-o") + 1]]
        floor = f"drom_{source.parent.name}"
        library = [command for command in ours if f"/{LIBRARIES.get(program, floor)}.dir/" in command[command.index("-o") + 1]]
        return (own or library)[0]


def compiled(build: Build, source: Path, broken: Path, program: str, folder: Path) -> tuple[str, Path]:
    """Compiles the mutant. Returns the object that is replaced, and the mutant's object."""
    command = list(build.compile_of(source, program))
    place = command.index("-o") + 1
    replaced, command[place] = command[place], str(folder / f"{program}.o")
    command[command.index("-c") + 1] = str(broken)
    # Warnings about a mutant would be right, and do not matter here. The headers are beside the source, and not beside
    # the copy.
    command += ["-w", "-Wno-error", "-iquote", str(source.parent)]
    done = subprocess.run(command, cwd=build.folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise Stale(f"it does not compile: {done.stderr.strip()[:600]}")
    return replaced, Path(command[place])


def linked(build: Build, program: str, replaced: str, by: Path, folder: Path) -> Path:
    command = list(build.link(program))
    if replaced in command:
        command[command.index(replaced)] = str(by)
    else:
        command.insert(command.index("-o"), str(by))  # before the library, whose own object is then not needed
    place = command.index("-o") + 1
    command[place] = str(folder / program)
    done = subprocess.run(command, cwd=build.folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise Stale(f"it does not link: {done.stderr.strip()[:600]}")
    return folder / program


def failure_of(program: Path, killer: Killer, build: Build, limit: float) -> str:
    """Runs the test. Returns its exit status and output, or an empty text when it passes."""
    environment = os.environ | {"TSAN_OPTIONS": "exitcode=66", "LD_LIBRARY_PATH": str(build.folder / "lib"), "DROM_RACE_ROUNDS": "2000"}
    # The test has a process group of its own, so that the processes that it has started end with it.
    process = subprocess.Popen([str(program), *killer.arguments], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, errors="replace", start_new_session=True)
    try:
        output = process.communicate(timeout=limit)[0]
    except subprocess.TimeoutExpired:
        return f"still running after {limit:.0f} s"
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
    if "Running 0 tests" in output or "crash-walk -O0: 0 operations" in output:
        raise Stale(f"{killer.program} {' '.join(killer.arguments)} runs nothing")
    # Any other status of the explorer, also of a crash, is no finding.
    if killer.program == "explorer" and process.returncode != 0 and (process.returncode != 1 or "--replay" not in output):
        raise Stale(f"the explorer ends with status {process.returncode} and names no schedule: {output.strip()[-600:]}")
    return "" if process.returncode == 0 else f"exit status {process.returncode}\n{output}"


def noticed(build: Build, mutant: Mutant, took: dict[Killer, float]) -> str:
    """Returns the test that noticed, or an empty text."""
    with tempfile.TemporaryDirectory(prefix="drom-mutant-") as name:
        folder = Path(name)
        source = MARKED[mutant.marker].file
        broken = folder / source.name
        broken.write_text(broken_text(MARKED[mutant.marker], mutant.edit))
        made: dict[str, Path] = {}
        for killer in mutant.killers:
            if killer.program not in made:
                made[killer.program] = linked(build, killer.program, *compiled(build, source, broken, killer.program, folder), folder)
            if failure_of(made[killer.program], killer, build, max(HANGS_S[0], HANGS_S[1] * took[killer])):
                return " ".join([killer.program, *killer.arguments])
    return ""


def judge(build: Build, mutant: Mutant, took: dict[Killer, float]) -> tuple[Mutant, str, str]:
    try:
        return mutant, noticed(build, mutant, took), ""
    except Stale as stale:
        return mutant, "", str(stale)


def sound(build: Build, killers: set[Killer], jobs: int, took: dict[Killer, float]) -> list[str]:
    """Returns the tests that fail without any breakage, and how long each test takes."""
    def good(killer: Killer) -> bool:
        begin = time.monotonic()
        failure = failure_of(build.folder / "bin" / killer.program, killer, build, LIMIT_S)
        took[killer] = time.monotonic() - begin
        if failure:
            print(f"mutants: {killer.program} {' '.join(killer.arguments)} without any breakage: {failure}")
        return not failure

    ordered = sorted(killers, key=str)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return [" ".join([killer.program, *killer.arguments]) for killer, passed in zip(ordered, pool.map(good, ordered)) if not passed]


def report(judged: list[tuple[Mutant, str, str]], min_share: float, verbose: bool) -> bool:
    good, kinds, killed = True, collections.Counter(), collections.Counter()
    for mutant, by, stale in judged:
        counts = not mutant.survives
        kinds[mutant.kind] += counts
        killed[mutant.kind] += counts and bool(by)
        if stale:
            good = False
            print(f"mutants: stale: {mutant.name}: {stale}")
        elif by and mutant.survives:
            good = False
            print(f"mutants: noticed, although it is said to be none: {mutant.name}: by {by}")
        elif not by and counts:
            good &= mutant.kind not in ALL_OF
            print(f"mutants: SURVIVED: {mutant.kind}: {mutant.name}")
        elif verbose or mutant.survives:
            print(f"mutants: {mutant.name}: " + (f"noticed by {by}" if by else f"makes no difference: {mutant.survives}"))
    good &= sum(killed.values()) >= min_share * sum(kinds.values())
    parts = ", ".join(f"{killed[kind]} of {count} {kind}" for kind, count in kinds.items())
    print(f"mutants: {sum(killed.values())} of {sum(kinds.values())} noticed ({parts}), {sum(bool(mutant.survives) for mutant, _, _ in judged)} that make no difference")
    return good


def chosen(explorer: bool, only: str, files: list[str]) -> list[Mutant]:
    """Returns the mutants to try, each with the killers that have to notice it."""
    by = {mutant: tuple(killer for killer in mutant.killers if (killer.program == "explorer") == explorer) for mutant in MUTANTS}
    if os.environ.get("DROM_MUTANTS_LONG") == "1":
        everybody = tuple(dict.fromkeys(killer for mutant in MUTANTS for killer in mutant.killers))
        by |= {mutant: everybody for mutant in MUTANTS if mutant.survives and not explorer}
    return [replace(mutant, killers=killers) for mutant, killers in by.items()
            if killers and only in mutant.name and (not files or str(MARKED[mutant.marker].file.relative_to(ROOT / "libdrom")) in files)]


def main() -> int:
    parser = argparse.ArgumentParser(description="breaks libdrom on purpose and looks whether its tests notice")
    parser.add_argument("build", type=Path)
    parser.add_argument("--explorer", action="store_true", help="by the explorer alone")
    parser.add_argument("--only", default="", help="mutants whose name has this text")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true")
    given = parser.parse_args()
    if wrong := complaints(ROOT, MUTANTS):
        print(*wrong, sep="\n")
        return 1
    build = Build(given.build.resolve())
    files = os.environ.get("DROM_MUTANTS_FILES", "").split()
    tried = chosen(given.explorer, given.only, files)
    if not tried:
        print(f"mutants: there is none in {' '.join(files)} {given.only}")
        return 0 if files else 1
    killers = {killer for mutant in tried for killer in mutant.killers}
    if absent := sorted({killer.program for killer in killers if not build.has(killer.program)}):
        print(f"SKIPPED: {', '.join(absent)} was not built")
        return 77
    took: dict[Killer, float] = {}
    if broken := sound(build, killers, given.jobs, took):
        print(f"mutants: these fail without any breakage: {'; '.join(broken)}")
        return 1
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        judged = list(pool.map(lambda mutant: judge(build, mutant, took), tried))
    return 0 if report(judged, 1.0 if given.explorer else LEAST, given.verbose) else 1


if __name__ == "__main__":
    sys.exit(main())
