#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""attack.py - runs suites of the dev build one after the other, and prints the line that each says of itself. Called by scripts/attack.sh.

CTest knows how each is run; this does it itself, because a long run has other deadlines than one of continuous integration: those that the suites keep.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

BUILD = Path("build/dev")
LOGS = Path("build/attack")
DOCUMENT = Path("docs/results/attacks.md")
SKIPPED = 77


@dataclass(frozen=True)
class Suite:
    """`long`: what of its environment makes it long, unless the user's has another value."""

    what: str
    long: dict[str, str]


SUITES = {
    "crash-walk": Suite("every operation killed after every store, recovery too", {}),
    "model": Suite("the protocol, complete search", {"DROM_MODEL_LONG": "1"}),
    "explorer": Suite("the real code under every schedule with few preemptions, and crashes", {"DROM_EXPLORER_LONG": "1"}),
    "race": Suite("threads as actors on one table", {"DROM_RACE_ROUNDS": "40000"}),
    "kill-storm": Suite("administrators, clients and OpenMP programs killed at random", {"DROM_STORM_KILLS": "400000"}),
    "liveness": Suite("reused pids, zombies, other users, other namespaces", {"DROM_LIVENESS_REUSES": "10000"}),
    "hostile": Suite("other users, other programs, bad input", {}),
    "faults": Suite("every system call fails in turn", {"DROM_FAULTS_LONG": "1"}),
    "guest": Suite("the agent in other people's processes", {}),
    "answers": Suite("programs compute the same under any requests", {"ANSWERS_SEQUENCES": "100", "ANSWERS_JOBS": "3"}),
    "fuzz": Suite("parsers and tables fed with garbage", {"DROM_FUZZ_SECONDS": "1800"}),
    "mutants": Suite("deliberate breakages, each to be noticed", {"DROM_MUTANTS_LONG": "1"}),
    "latency": Suite("how long a release takes, as a distribution", {"LATENCY_REQUESTS": "100000"}),
    "soak": Suite("two jobs resized a hundred times per second", {"SOAK_SECONDS": "3600"}),
    "trees": Suite("what a client starts is moved with it", {"TREES_REQUESTS": "200"}),
    "readme": Suite("what README.md tells a newcomer to type, in a Debian of its own", {"DROM_README_LONG": "1"}),
    "packages": Suite("Debian packages from source, in a root of their own", {"PACKAGES_LONG": "1"}),
    "plugin": Suite("Slurm's daemons killed while jobs share nodes", {"PLUGIN_STORM_TIMES": "20"}),
    "vm-cgroup-v2": Suite("a real Slurm with cgroup v2, on a virtual node", {"VM_LONG": "1"}),
    "matrix": Suite("runtimes x languages x MPI libraries x ranks, every combination", {"MATRIX_LONG": "1"}),
    "abi": Suite("layout and symbols as published", {}),
    "sim": Suite("the simulator, and each table of its pages that takes long", {"SIM_LONG": "1"}),
    "lint": Suite("all of clang-tidy over every file", {}),
}


@dataclass(frozen=True)
class Test:
    name: str
    labels: list[str]
    command: list[str]
    environment: dict[str, str]
    folder: str


# CTest does not know it: scripts/test.sh calls scripts/lint.sh itself.
LINT = Test("lint.deep", ["lint"], ["scripts/lint.sh", "deep"], {}, ".")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/attack.sh", add_help=False)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("suite", nargs="*")
    given = parser.parse_args()
    if unknown := [name for name in given.suite if name not in SUITES]:
        parser.error(f"there is no suite {', '.join(unknown)}; there are {', '.join(SUITES)}")
    return given


def test_of(shown: dict) -> Test:
    properties = {entry["name"]: entry["value"] for entry in shown["properties"]}
    environment = dict(entry.split("=", 1) for entry in properties.get("ENVIRONMENT", []))
    return Test(shown["name"], properties.get("LABELS", []), shown["command"], environment, properties.get("WORKING_DIRECTORY", str(BUILD)))


def tests() -> list[Test]:
    told = subprocess.run(["ctest", "--test-dir", str(BUILD), "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout
    return [*(test_of(shown) for shown in json.loads(told)["tests"] if "command" in shown), LINT]


def line_of(suite: str, test: Test, output: str) -> str:
    """Returns what it says of itself: its last line that begins with its name, or how many of its tests passed."""
    own = re.findall(rf"^(?:{suite}|{re.escape(test.name)})\b[^\n]*: [^\n]*", output, re.MULTILINE)
    if own:
        return own[-1]
    passed, failed = (len(re.findall(rf"^{word} \d+", output, re.MULTILINE)) for word in ("ok", "not ok"))
    return f"{test.name}: {passed} passed, {failed} failed" if passed + failed else f"{test.name}: " + (output.strip().splitlines() or ["it said nothing"])[-1]


def rows() -> dict[str, str]:
    """Returns the rows of the table of long runs, by test."""
    lines = DOCUMENT.read_text().splitlines() if DOCUMENT.exists() else []
    return {line.split(" | ")[0].removeprefix("| "): line for line in lines[lines.index(TABLE[-1]) + 1:] if line.startswith("| ")} if TABLE[-1] in lines else {}


TABLE = [
    "# The last long run of each attack",
    "",
    "Written by `scripts/attack.sh --long`, not by hand: what each test of the suites said of itself when it ran as long as it takes, and of which commit.",
    "A test that has no line has not had such a run since this table is kept; each runs shorter in every run of `scripts/test.sh`.",
    "",
    "| test | commit | date | status | seconds | what it said |",
    "| --- | --- | --- | --- | --- | --- |",
]


def document(test: str, status: int, seconds: float, said: str) -> None:
    """Replaces the line of this test."""
    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], capture_output=True, text=True).stdout.strip()

    # The commit, and "+" for uncommitted changes.
    commit = git("rev-parse", "--short", "HEAD") + ("+" if git("status", "--porcelain", "--untracked-files=no", "--", "libdrom", "tools", "plugins", "policy", "metrics", "tests") else "")
    told = said.removeprefix(f"{test}: ").replace("|", "/")
    lines = rows() | {test: f"| {test} | {commit} | {time.strftime('%Y-%m-%d', time.gmtime())} | {status} | {seconds:.0f} | {told} |"}
    DOCUMENT.write_text("\n".join([*TABLE, *(lines[name] for name in sorted(lines))]) + "\n")


def run(suite: str, test: Test, long: bool) -> int:
    lengths = {name: os.environ.get(name, value) for name, value in SUITES[suite].long.items()} if long else {}
    environment = os.environ | test.environment | {"LATENCY_JSON": str(LOGS.resolve() / "latency.json")} | lengths
    begin = time.monotonic()
    done = subprocess.run(test.command, cwd=test.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    (LOGS / f"{test.name}.log").write_text(done.stdout)
    said, seconds = line_of(suite, test, done.stdout), time.monotonic() - begin
    print(f"{said}  [{seconds:.0f} s]", flush=True)
    if long:
        document(test.name, done.returncode, seconds, said)
    if done.returncode != 0:
        how = "could not run" if done.returncode == SKIPPED else f"ended with status {done.returncode}"
        print(f"attack: {test.name} {how}; {LOGS / test.name}.log has all that it said", flush=True)
    return done.returncode


def main() -> int:
    given = parse()
    if given.list and not given.check:
        for name, suite in SUITES.items():
            print(f"{name:11} {suite.what}")
        return 0
    if given.check:
        return 0
    LOGS.mkdir(parents=True, exist_ok=True)
    known = tests()
    failed = []
    for name in given.suite or SUITES:
        of_it = [test for test in known if name in test.labels]
        if not of_it:
            print(f"attack: {name}: it was not built; the summary of cmake says what it needs")
        failed += [name] if not of_it else [test.name for test in of_it if run(name, test, given.long) != 0]
    print(f"attack: {len(failed)} of these found something: {', '.join(failed)}" if failed else "attack: nothing was found")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
