#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""run_mutants.py - breaks drom on purpose, one line at a time (mutants.py), and looks whether its tests notice.

  run_mutants.py BUILD [--explorer] [--only TEXT] [--jobs N] [--verbose]

A mutant's file is compiled as the build compiles it, and linked into the test programs in place of the right one; or
into a library, for suites that run programs with that library. Such a suite gets a copy of the build (copied_build.py).
The build itself is not changed. A test that fails, ends by a signal or does not end has noticed. First each of these
tests has to pass without a mutant.

With --explorer the explorer has to notice alone, each mutant that it is said to notice; without it the other tests have
to. With DROM_MUTANTS_FILES="FILE..." only the mutants of these files are tried; the names are relative to this tree.
With DROM_MUTANTS_PART=K/N (K from 0) only one of N parts is tried: of all tests that are to notice something, every Nth.
With DROM_MUTANTS_LONG=1 every program that notices any mutant is tried on the mutants that are said to make no
difference.

Exit status: 0 enough were noticed, 1 not, or a mutant does not fit the source any more, 77 a test cannot run here.
"""

import argparse
import collections
import concurrent.futures
import functools
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from copied_build import CopiedBuild
from markers import Stale, broken_text, complaints, marked_by_name
from mutants import MUTANTS, ORDER, RULE, SEQUENCE, Killer, Mutant

LIMIT_S = 1200       # for one test without any breakage
# A test that hangs has noticed, too: after so many seconds, and after so many times its duration without a breakage.
HANGS_S = (60, 10)
LIBRARIES = {"explorer": "explored_core"}  # whose objects a program is linked to, if not to those of libdrom.so
ALL_OF = (ORDER, SEQUENCE, RULE)
LEAST = 0.9  # the part of all mutants that must be noticed
SKIPPED = 77
ROOT = Path(__file__).resolve().parents[2]
MARKED = marked_by_name(ROOT)


@dataclass(frozen=True)
class Run:
    """The start of a test: command, variables, folder."""

    command: list[str]
    environment: dict[str, str]
    folder: str | None = None


class Skipped(Exception):
    """Says that a test lacks something on this machine."""


class Build:
    def __init__(self, folder: Path):
        self.folder = folder
        entries = json.loads((folder / "compile_commands.json").read_text())
        self.compiles = [(Path(entry["file"]).resolve(), shlex.split(entry["command"])) for entry in entries]
        self.links: dict[str, list[str]] = {}

    @functools.cached_property
    def suites(self) -> dict[str, Run]:
        """Returns the tests of CTest."""
        told = subprocess.run(["ctest", "--test-dir", str(self.folder), "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout
        found = {}
        for test in json.loads(told)["tests"]:
            said = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
            environment = dict(line.split("=", 1) for line in said.get("ENVIRONMENT", []))
            found[test["name"]] = Run(test.get("command", []), environment, said.get("WORKING_DIRECTORY", str(self.folder)))
        return found

    def has(self, killer: Killer) -> bool:
        if killer.library:
            return killer.program in self.suites and (self.folder / "lib" / killer.library).exists()
        return (self.folder / "bin" / killer.program).exists()

    def output(self, killer: Killer) -> Path:
        """Returns what the mutant is linked into: the killer's program, or the file of its library."""
        return (self.folder / "lib" / killer.library).resolve() if killer.library else self.folder / "bin" / killer.program

    def link(self, output: Path) -> list[str]:
        name = str(output.relative_to(self.folder))
        if name not in self.links:
            told = subprocess.run(["ninja", "-C", str(self.folder), "-t", "commands", name], capture_output=True, text=True, check=True).stdout
            # CMake writes ": && LINK && WHAT-FOLLOWS".
            self.links[name] = shlex.split(told.strip().splitlines()[-1].removeprefix(": && ").partition(" && ")[0])
        return list(self.links[name])

    def compile_of(self, source: Path, killer: Killer) -> list[str]:
        """Returns the command for the killer's own object, if it is built of the source; else for the library's."""
        by_target = {Path(command[command.index("-o") + 1]).as_posix().split(".dir/")[0].rpartition("/")[2]: command
                     for file, command in self.compiles if file == source}
        own = killer.library.removeprefix("lib").removesuffix(".so") or killer.program
        wanted = [own, LIBRARIES.get(killer.program, f"drom_{source.parent.name}"), *(target for target in by_target if target.startswith("drom_"))]
        return next(by_target[target] for target in wanted if target in by_target)

    def run_of(self, killer: Killer) -> Run:
        """Returns how the killer is started in this build."""
        if not killer.library:
            return Run([str(self.folder / "bin" / killer.program), *killer.arguments], {"LD_LIBRARY_PATH": str(self.folder / "lib")})
        suite = self.suites[killer.program]
        return replace(suite, command=[*suite.command, *killer.arguments], environment={"LD_LIBRARY_PATH": str(self.folder / "lib")} | suite.environment)


def compiled(build: Build, source: Path, broken: Path, killer: Killer, folder: Path) -> tuple[str, Path]:
    """Compiles the mutant. Returns the object that is replaced, and the mutant's object."""
    command = list(build.compile_of(source, killer))
    place = command.index("-o") + 1
    replaced, command[place] = command[place], str(folder / f"{killer.program}.o")
    command[command.index("-c") + 1] = str(broken)
    # Warnings about a mutant would be right, and do not matter here. The headers are beside the source, and not beside
    # the copy.
    command += ["-w", "-Wno-error", "-iquote", str(source.parent)]
    done = subprocess.run(command, cwd=build.folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise Stale(f"it does not compile: {done.stderr.strip()[:600]}")
    return replaced, Path(command[place])


def linked(build: Build, output: Path, replaced: str, by: Path, folder: Path) -> Path:
    command = build.link(output)
    if replaced in command:
        command[command.index(replaced)] = str(by)
    else:
        command.insert(command.index("-o"), str(by))  # before the library, whose own object is then not needed
    place = command.index("-o") + 1
    command[place] = str(folder / output.name)
    done = subprocess.run(command, cwd=build.folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise Stale(f"it does not link: {done.stderr.strip()[:600]}")
    return folder / output.name


def in_copy(build: Build, killer: Killer, broken: Path, folder: Path) -> Run:
    """Returns how the killer is started with the broken program, or in a copy of the build with the broken library."""
    run = build.run_of(killer)
    if not killer.library:
        return replace(run, command=[str(broken), *killer.arguments])
    copy = CopiedBuild(build.folder, folder / "build")
    copy.replace_library(build.output(killer), broken)
    return Run([copy.path_in(word) for word in run.command], {name: copy.path_in(value) for name, value in run.environment.items()},
               copy.path_in(run.folder or ""))


def failure_of(run: Run, killer: Killer, limit: float) -> str:
    """Runs the test. Returns its exit status and output, or an empty text when it passes."""
    environment = os.environ | {"TSAN_OPTIONS": "exitcode=66", "DROM_RACE_ROUNDS": "2000"} | run.environment
    # The test has a process group of its own, so that the processes that it has started end with it.
    process = subprocess.Popen(run.command, cwd=run.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
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
    if "Running 0 tests" in output or "crash-walk -O0: 0 operations" in output or re.search(r"^1\.\.0$|^trees: 0 rows|: no case matches", output, re.MULTILINE):
        raise Stale(f"{killer.program} {' '.join(killer.arguments)} runs nothing")
    if process.returncode == SKIPPED or re.search(r"^ok \d+ .* # skip", output, re.MULTILINE):
        raise Skipped(f"{killer.program} {' '.join(killer.arguments)}: {output.strip()[-300:]}")
    # Any other status of the explorer, also of a crash, is no finding.
    if killer.program == "explorer" and process.returncode != 0 and (process.returncode != 1 or "--replay" not in output):
        raise Stale(f"the explorer ends with status {process.returncode} and names no schedule: {output.strip()[-600:]}")
    return "" if process.returncode == 0 else f"exit status {process.returncode}\n{output}"


def noticed(build: Build, mutant: Mutant, took: dict[Killer, float]) -> str:
    """Returns the test that noticed, or an empty text."""
    with tempfile.TemporaryDirectory(prefix="drom-mutant-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # some suites become other users
        source = MARKED[mutant.marker].file
        broken = folder / source.name
        broken.write_text(broken_text(MARKED[mutant.marker], mutant.edit))
        made: dict[Path, Path] = {}
        for killer in mutant.killers:
            output = build.output(killer)
            if output not in made:
                made[output] = linked(build, output, *compiled(build, source, broken, killer, folder), folder)
            if failure_of(in_copy(build, killer, made[output], folder), killer, max(HANGS_S[0], HANGS_S[1] * took[killer])):
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
        with tempfile.TemporaryDirectory(prefix="drom-mutant-") as name:
            folder = Path(name)
            folder.chmod(0o755)
            # A library, too, is used as a mutant is: in a copy of the build.
            failure = failure_of(in_copy(build, killer, build.output(killer), folder), killer, LIMIT_S)
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


def in_part(mutants: list[Mutant], part: str) -> list[Mutant]:
    """Returns those of a part, K/N. One test's mutants are in the same part, because it runs once without a breakage."""
    k, n = map(int, part.split("/"))
    killers = list(dict.fromkeys(mutant.killers[0] for mutant in mutants))
    return [mutant for mutant in mutants if killers.index(mutant.killers[0]) % n == k]


def chosen(explorer: bool, only: str, files: list[str]) -> list[Mutant]:
    """Returns the mutants to try, each with the killers that have to notice it."""
    by = {mutant: tuple(killer for killer in mutant.killers if (killer.program == "explorer") == explorer) for mutant in MUTANTS}
    if os.environ.get("DROM_MUTANTS_LONG") == "1":
        everybody = tuple(dict.fromkeys(killer for mutant in MUTANTS if mutant.kind != RULE for killer in mutant.killers))
        by |= {mutant: everybody for mutant in MUTANTS if mutant.survives and not explorer}
    return [replace(mutant, killers=killers) for mutant, killers in by.items()
            if killers and only in mutant.name and (not files or str(MARKED[mutant.marker].file.relative_to(ROOT)) in files)]


def main() -> int:
    parser = argparse.ArgumentParser(description="breaks drom on purpose and looks whether its tests notice")
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
    tried = in_part(chosen(given.explorer, given.only, files), os.environ.get("DROM_MUTANTS_PART") or "0/1")
    if not tried:
        print(f"mutants: there is none in {' '.join(files)} {given.only}")
        return 0 if files else 1
    killers = {killer for mutant in tried for killer in mutant.killers}
    if absent := sorted({killer.program for killer in killers if not build.has(killer)}):
        print(f"SKIPPED: {', '.join(absent)} was not built")
        return SKIPPED
    took: dict[Killer, float] = {}
    try:
        broken = sound(build, killers, given.jobs, took)
    except Skipped as skipped:
        print(f"SKIPPED: {skipped}")
        return SKIPPED
    if broken:
        print(f"mutants: these fail without any breakage: {'; '.join(broken)}")
        return 1
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        judged = list(pool.map(lambda mutant: judge(build, mutant, took), tried))
    return 0 if report(judged, 1.0 if given.explorer else LEAST, given.verbose) else 1


if __name__ == "__main__":
    sys.exit(main())
