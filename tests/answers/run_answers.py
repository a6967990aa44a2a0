#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""run_answers.py - unmodified programs must give the same answer under any sequence of requests.

Each case (guest, mode, build, runtime, threads, start, way; catalogue.py) runs natively once for the reference. Then it
runs under random request sequences, and exit status and stdout must be the same. A run that ended before a request was
released proves nothing: it is made fourfold longer, up to three times. A mode for which no request ever landed is a
failure. So is a mode whose team was never resized although it must be (`resizes`).

  run_answers.py --build build/dev --runtimes build/runtimes --seconds 150          a share, another one each hour
  run_answers.py --build build/dev --runtimes build/runtimes --sequences 100        100 for each mode of a guest
  run_answers.py ... --only plain:never:clang:libomp-19:2:run:keep --seed 7         one case again
  run_answers.py ... --jobs 3                                                       three sequences at once

A sequence depends on the seed, its case and its number only, not on what else runs. Sequences that run at once have pairs of CPUs of their own as
long as there are any.

Exit status: 0 all the same, 1 differences, 2 usage, 77 a prerequisite is missing.
"""

import argparse
import collections
import contextlib
import itertools
import json
import math
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from catalogue import BUILDS, GUESTS, LLVM, PYTHON, Case, all_cases

WATCHDOG_S = 120
SHORT_S = 0.15
LONG_S = 10  # in a longer run than this, requests did not land for another reason than its length
LENGTHENED = 3  # how often a run is made fourfold longer
GAP_US = (200, 30000)


@dataclass
class Outcome:
    status: object  # exit status, "hung", or "nothing listed"
    stdout: bytes
    stderr: str
    seconds: float
    storm: dict = field(default_factory=dict)


@dataclass
class Count:
    runs: int = 0
    requests: int = 0
    released: int = 0
    confined: int = 0
    resizes: int = 0
    differences: int = 0
    hangs: int = 0
    slowest: float = 0.0


class Suite:
    def __init__(self, given):
        self.given = given
        self.build = Path(given.build).resolve()
        self.runtimes = Path(given.runtimes).resolve()
        self.guests = self.build / "tests" / "answers" / "guests"
        usable = sorted(os.sched_getaffinity(0))
        self.pairs = itertools.cycle([usable[i : i + 2] for i in range(0, len(usable) - 1, 2)] or [usable])
        self.of_thread = threading.local()
        self.counting = threading.Lock()
        self.alone = {}  # work -> lock: the length of its runs changes for all of them
        self.references = {}
        self.scales = {}  # for cases that would end before a request could reach them
        self.counts = collections.defaultdict(Count)
        self.resized = collections.Counter()  # (guest, mode) -> teams of another size than the first
        self.tried = collections.Counter()
        self.landed = collections.Counter()  # topic -> requests that were released while the program ran
        self.failures = []

    @property
    def cpus(self):
        """The two CPUs of the sequences of the calling thread."""
        if not hasattr(self.of_thread, "cpus"):
            self.of_thread.cpus = next(self.pairs)
        return self.of_thread.cpus

    def is_built(self, case: Case):
        return case.build not in BUILDS or (self.guests / f"{case.guest.name}-{case.build}").exists()

    # ---- one run -----------------------------------------------------------------------------------------------

    def environment(self, case: Case, table: Path, seed=None):
        disturbed = seed is not None
        env = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "ASAN_OPTIONS") if name in os.environ}
        env.update(DROM_TABLE=str(table), DROM_TIMEOUT_MS="2000", **case.environment())
        if self.given.resize and not case.follows:
            env["DROM_RESIZE"] = self.given.resize
        # The answer does not depend on how threads wait. If they spin, the reference takes long on a busy machine.
        if not disturbed or case.is_passive(seed):
            env["OMP_WAIT_POLICY"] = "passive"
        if library_path := case.library_path(self.runtimes):
            env["LD_LIBRARY_PATH"] = library_path
        preload = [self.given.preload_first] if disturbed and self.given.preload_first else []
        if disturbed and case.start == "preload":
            preload += [str(self.build / "lib" / name) for name in (*(("libdrom-omp.so",) if case.follows else ()), "libdrom-agent.so")]
        if preload:
            env["LD_PRELOAD"] = ":".join(preload)
        return env

    def command(self, case: Case, disturbed: bool):
        scale = self.scales.get(case.work, self.given.scale)
        program = [*case.command(self.guests), case.mode, str(scale), str(case.threads or len(self.cpus))]
        if not disturbed or case.start == "preload":
            return program
        cpus = ",".join(map(str, self.cpus))
        return [str(self.build / "bin" / "drom"), "run", "--cpus", cpus, "--"] + program

    def run(self, case: Case, storm_seed=None) -> Outcome:
        disturbed = storm_seed is not None
        remove_left_registrations()
        scratch = Path(tempfile.mkdtemp(prefix="drom-answers-"))
        try:
            env = self.environment(case, scratch / "table", storm_seed)
            return self.run_in(scratch, self.command(case, disturbed), env, storm_seed)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def run_in(self, scratch: Path, command, env, storm_seed=None) -> Outcome:
        with open(scratch / "out", "w+b") as out, open(scratch / "err", "w+b") as err:
            begin = time.monotonic()
            with bound_to(self.cpus):
                guest = subprocess.Popen(command, env=env, cwd=scratch, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True)
            storm = self.start_storm(guest.pid, scratch / "table", storm_seed) if storm_seed is not None else None
            status = self.wait_for(guest)
            seconds = time.monotonic() - begin
            told = self.end_storm(storm) if storm else {}
            out.seek(0)
            err.seek(0)
            return Outcome(status, out.read(), err.read().decode(errors="replace"), seconds, told)

    def start_storm(self, pid, table, seed):
        arguments = [str(table), str(pid), str(seed), ",".join(map(str, self.cpus)), *map(str, GAP_US)]
        env = dict(os.environ, LD_LIBRARY_PATH=str(self.build / "lib"))
        return subprocess.Popen([str(self.build / "tests" / "answers" / "requests"), "storm", *arguments], env=env,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    @staticmethod
    def end_storm(storm):
        try:
            out, err = storm.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            storm.kill()
            out, err = storm.communicate()
            return {"died": "the administrator still waits 10 s after the guest's end"}
        if storm.returncode != 0:
            return {"died": f"the administrator ended with {storm.returncode}: {err.decode(errors='replace')[-300:]}"}
        return json.loads(out)

    def wait_for(self, guest):
        try:
            return guest.wait(WATCHDOG_S)
        except subprocess.TimeoutExpired:
            print(threads_of_session(guest.pid), file=sys.stderr)
            end_session(guest.pid)
            guest.wait()
            return "hung"

    # ---- judging -----------------------------------------------------------------------------------------------

    def reference(self, case: Case) -> Outcome:
        if case.work not in self.references:
            outcome = self.run(case)
            if outcome.seconds < SHORT_S:
                self.scales[case.work] = self.given.scale * math.ceil(SHORT_S / max(outcome.seconds, 0.01))
                outcome = self.run(case)
            self.references[case.work] = outcome
        return self.references[case.work]

    def lengthen(self, case: Case) -> Outcome:
        self.scales[case.work] = 4 * self.scales.get(case.work, self.given.scale)
        self.references[case.work] = self.run(case)
        return self.references[case.work]

    def sequence(self, case: Case, number: int):
        with self.alone.setdefault(case.work, threading.Lock()):
            expected, got = self.outcomes(case, number)
        with self.counting:
            self.count(case, expected, got)
            if self.given.verbose:
                print(f"{case.label} {number}: {expected.seconds:.2f} s, {got.seconds:.2f} s disturbed, {landed(got)} landed", flush=True)
            if trouble := self.judge(expected, got):
                self.counts[case.guest.name].differences += 1
                self.failures.append(case.label)
                self.tell(case, number, expected, got, trouble)

    def outcomes(self, case: Case, number: int):
        """Returns what the case says undisturbed, and what it says under the requests of this sequence."""
        expected = self.reference(case)
        seed = random.Random(f"{self.given.seed} {case.label} {number}").getrandbits(31)
        got = self.run(case, seed)
        for _ in range(LENGTHENED):
            # The run ended before a request landed: on a busy machine the undisturbed run only seemed long enough.
            if landed(got) or got.seconds > LONG_S or got.status != expected.status:
                break
            expected = self.lengthen(case)
            got = self.run(case, seed)
        return expected, got

    def count(self, case: Case, expected: Outcome, got: Outcome):
        count = self.counts[case.guest.name]
        count.runs += 1
        count.requests += got.storm.get("requests", 0)
        count.released += got.storm.get("released", 0)
        count.confined += got.storm.get("confined", 0)
        count.resizes += got.storm.get("changes", 0)
        count.hangs += got.status == "hung"
        count.slowest = max(count.slowest, got.seconds / max(expected.seconds, 0.01))
        self.landed[case.topic] += landed(got)
        if case.mode in case.guest.resizes.split() and (case.follows or not case.guest.follow):
            self.tried[case.guest.name, case.mode] += 1
            # If the regions are a library's, the guest cannot count their threads, and the agent's count is taken.
            seen = sizes_seen(got.stderr) > 1 if "teams" in got.stderr else got.storm.get("changes", 0) > 0
            self.resized[case.guest.name, case.mode] += seen

    @staticmethod
    def judge(expected: Outcome, got: Outcome):
        if got.status != expected.status:
            return f"exit status {got.status} instead of {expected.status}"
        if got.stdout != expected.stdout:
            return "another answer"
        if "died" in got.storm:
            return got.storm["died"]
        if not got.storm.get("found"):
            return "the program never became a client"
        if got.storm.get("unexpected"):
            return f"a request was refused ({got.storm['unexpected']}): {got.storm['text']}"
        return None

    def tell(self, case, number, expected, got, trouble):
        print(f"DIFFERENCE {case.label}, sequence {number}: {trouble}")
        if got.stdout != expected.stdout and (native := self.run(case)).stdout != expected.stdout:
            print(f"  it is not sure of its answer by itself: natively once more {native.stdout!r}")
        print(f"  expected {expected.stdout.decode(errors='replace')!r}")
        print(f"  got      {got.stdout.decode(errors='replace')!r} in {got.seconds:.2f} s ({expected.seconds:.2f} s undisturbed)")
        print(f"  stderr   {got.stderr[-400:]!r}")
        print(f"  requests {json.dumps(got.storm)}")
        print(f"  again    {sys.argv[0]} --build {self.given.build} --runtimes {self.given.runtimes} --scale {self.given.scale} "
              f"{f'--resize {self.given.resize} ' if self.given.resize else ''}--seed {self.given.seed} --only {case.label} --first {number} --sequences 1", flush=True)

    def never_resized(self):
        # One run may be too short, or all its requests may be the same. For several runs together that cannot be.
        return [f"NEVER RESIZED {name}:{mode}: {n} runs in which the team may change, and never one of another size"
                for (name, mode), n in sorted(self.tried.items())
                if n >= self.given.resize_after and not self.resized[name, mode]]

    def never_landed(self):
        return [f"NEVER LANDED {name}:{mode}{' where it may follow' if follows else ''}: no request was released before a run of it ended, "
                f"although it was lengthened up to {LENGTHENED} times fourfold"
                for (name, mode, follows), landed_there in sorted(self.landed.items()) if not landed_there]

    def summary(self):
        print(f"{'guest':12} {'runs':>6} {'requests':>9} {'released':>9} {'confined':>9} {'resizes':>8} "
              f"{'differences':>12} {'hangs':>6} {'slowest':>8}")
        for name, count in sorted(self.counts.items()):
            print(f"{name:12} {count.runs:6} {count.requests:9} {count.released:9} {count.confined:9} {count.resizes:8} "
                  f"{count.differences:12} {count.hangs:6} {count.slowest:7.1f}x")
        stuck = self.never_resized() + self.never_landed()
        for line in stuck:
            print(line)
        total = sum(count.runs for count in self.counts.values())
        bad = len(self.failures) + len(stuck)
        print(f"answers: seed {self.given.seed}: {total} sequences of {len(self.landed)} modes, {sum(self.landed.values())} requests landed, "
              f"{len(self.failures)} differences, {sum(c.hangs for c in self.counts.values())} hangs, {len(stuck)} never resized or landed")
        return 1 if bad or not total else 0


@contextlib.contextmanager
def bound_to(cpus):
    """Binds the calling thread, and so the processes that it starts: a preexec_fn is not safe beside other threads."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def remove_left_registrations():
    """Removes what LLVM's runtime leaves of a process that was killed while this began: an empty file by its pid.

    A later process with that pid dies of it, natively too (SIGBUS)."""
    for file in Path("/dev/shm").glob("__KMP_REGISTERED_LIB_*"):
        with contextlib.suppress(OSError, ValueError):
            if file.stat().st_size == 0 and not Path(f"/proc/{int(file.name.split('_')[5])}").exists():
                file.unlink()


def landed(got: Outcome) -> int:
    """Returns the number of requests after which the program still ran, on other CPUs than before."""
    return got.storm.get("released", 0) + got.storm.get("confined", 0)


def session_members(session):
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            # Any process of the machine: its name may be no text.
            fields = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            found.append(int(entry.name))
    return found


def end_session(session):
    for pid in session_members(session):
        with contextlib.suppress(ProcessLookupError):  # a child that has ended since
            os.kill(pid, signal.SIGKILL)


def threads_of_session(session):
    lines = []
    for pid in session_members(session):
        for task in Path("/proc").glob(f"{pid}/task/*"):
            try:
                stat = (task / "stat").read_text()
                allowed = re.search(r"Cpus_allowed_list:\s*(\S+)", (task / "status").read_text()).group(1)
                waiting = (task / "wchan").read_text()
            except OSError:
                continue
            after = stat.rpartition(")")[2].split()
            lines.append(f"  pid {pid} thread {task.name} {stat.split('(')[1].rpartition(')')[0]} state {after[0]} "
                         f"user {after[11]} ticks, allowed {allowed}, in {waiting}")
    return "threads when the watchdog ended it:\n" + "\n".join(lines)


def sizes_seen(stderr):
    found = re.search(r"^teams((?: \d+:\d+)+)", stderr, re.M)
    return len(found.group(1).split()) if found else 0


def chosen_cases(given, suite):
    """Returns the cases in an order that depends on the seed.

    Every mode of every guest comes before any of them twice, so that the time is spread evenly."""
    cases = [case for case in all_cases(suite.is_built) if given.only == case.label or re.fullmatch(given.only, case.label)]
    random.Random(given.seed).shuffle(cases)
    turn = collections.Counter()
    order = {}
    for case in cases:
        order[case] = turn[case.topic]
        turn[case.topic] += 1
    return sorted(cases, key=order.get)


def plan(given, cases):
    """Yields (case, sequence number) in the order to run."""
    if not given.sequences:
        number = 0
        while True:
            yield from ((case, number) for case in cases)
            number += 1
    topics = collections.defaultdict(list)
    for case in cases:
        topics[case.topic].append(case)
    for number in range(given.first, given.first + given.sequences):
        for of_topic in topics.values():
            yield of_topic[number % len(of_topic)], number


def run_plan(suite, given, cases):
    """Runs the plan until its end, or until the seconds are over; several sequences at once, as jobs says."""
    items, taking, end = plan(given, cases), threading.Lock(), time.monotonic() + given.seconds

    def take():
        with taking:
            return None if not given.sequences and time.monotonic() > end else next(items, None)

    def job():
        while item := take():
            suite.sequence(*item)

    with ThreadPoolExecutor(given.jobs) as jobs:
        for done in [jobs.submit(job) for _ in range(given.jobs)]:
            done.result()


def missing(suite):
    for program in [suite.build / "bin" / "drom", suite.build / "lib" / "libdrom.so"]:
        if not program.exists():
            return f"{program} is not built"
    for guest in GUESTS:
        for build in guest.builds:
            program = suite.guests / f"{guest.name}-{build}"
            if build in BUILDS and not program.exists() and not BUILDS[build].optional:
                return f"guest {program.name} was not built: scripts/packages.sh test installs the compilers"
    if subprocess.run([*PYTHON, "-c", "import numpy, sklearn, threadpoolctl"], capture_output=True, check=False).returncode != 0:
        return "Python's numpy and scikit-learn are missing: scripts/packages.sh test installs them"
    for version in LLVM:
        if not (suite.runtimes / f"omp-{version}" / "libomp.so.5").exists():
            return f"libomp {version} is not in {suite.runtimes}: run scripts/fetch-runtimes.sh {suite.runtimes}"
    if len(suite.cpus) < 2:
        return "one CPU only: nothing to shrink to"
    return None


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--runtimes", required=True)
    parser.add_argument("--sequences", type=int, default=int(os.environ.get("ANSWERS_SEQUENCES", "0")),
                        help="for each mode of a guest, instead of --seconds; default: ANSWERS_SEQUENCES")
    parser.add_argument("--first", type=int, default=0, help="number of the first sequence")
    parser.add_argument("--seconds", type=float, default=150)
    parser.add_argument("--jobs", type=int, default=os.environ.get("ANSWERS_JOBS", "1"), help="sequences at once; default: ANSWERS_JOBS, or 1")
    parser.add_argument("--scale", type=int, default=15, help="100: a guest runs for about a second")
    parser.add_argument("--seed", type=int, default=int(time.time()) // 3600, help="default: another one each hour")
    parser.add_argument("--only", default=".*", help="label or pattern of guest:mode:build:runtime:threads:start:way")
    parser.add_argument("--verbose", action="store_true", help="a line for each sequence")
    parser.add_argument("--resize", default="", help="DROM_RESIZE of the cases that are given none")
    parser.add_argument("--resize-after", type=int, default=4, help="runs without any resize that are too many")
    parser.add_argument("--preload-first", default="", help="library to preload before drom's (a sanitizer's runtime)")
    given = parser.parse_args()
    if given.jobs < 1:
        parser.error("--jobs (ANSWERS_JOBS) is at least 1")
    return given


def main():
    given = arguments()
    suite = Suite(given)
    if reason := missing(suite):
        print(f"SKIPPED answers: {reason}")
        return 1 if os.environ.get("CI") == "true" else 77
    cases = chosen_cases(given, suite)
    if not cases:
        print(f"run_answers.py: no case matches {given.only}", file=sys.stderr)
        return 2
    print(f"seed {given.seed}, CPUs {suite.cpus}, {len(cases)} cases, scale {given.scale}", flush=True)
    for build in {build for guest in GUESTS for build in guest.builds} - {case.build for case in all_cases(suite.is_built)}:
        print(f"left out: {build} (its compiler is not installed)", flush=True)
    run_plan(suite, given, cases)
    return suite.summary()


if __name__ == "__main__":
    sys.exit(main())
