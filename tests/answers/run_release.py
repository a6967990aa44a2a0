#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""run_release.py - a CPU that was taken is free: no thread of the former owner may run there, in any phase of it.

Each program owns two CPUs and has to leave one of them. Then it is in a serial phase, in one long region, blocked in
the kernel, spinning, or starting threads all the time; some programs know nothing of drom at all. Once the request is
reported as released, every thread is looked at for a second, again and again: where it may run, and where it is.

  run_release.py --build build/dev --runtimes build/runtimes [--only PATTERN]

Every other scene takes part, the rest in the next hour; all with --only, or where ANSWERS_SEQUENCES makes a long run.

Exit status: 0 always free, 1 not, 77 a prerequisite is missing.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from run_answers import Suite, end_session


@dataclass(frozen=True)
class Scene:
    what: str
    program: str
    mode: str
    start: str  # run, preload, or none: a program that is no client
    threads: int = 2


SCENES = tuple(
    Scene(what, f"{program}-{compiler}", mode, start)
    for compiler in ("gcc", "clang") for start in ("run", "preload")
    for what, program, mode in (
        ("in a serial phase", "phases", "serial"), ("in one long region", "phases", "endless"),
        ("in one long region with barriers", "phases", "long"), ("blocked in the kernel", "phases", "blocked"),
        ("spinning on its own flags", "phases", "flags"), ("with workers left over", "phases", "idle"),
        ("region after region", "plain", "never"), ("with threads of its own", "processes", "pthreads"),
        ("starting threads all the time", "objects", "threads"), ("forking", "processes", "fork"),
        ("with regions inside regions", "nested", "two_levels"), ("whose threads pin themselves", "phases", "pins"))
) + (Scene("in one long region, four threads", "phases-gcc", "endless", "run", 4),
     Scene("in one long region, four threads", "phases-clang", "endless", "run", 4),
     Scene("no client, in one long region", "phases-gcc", "endless", "none"),
     Scene("no client, region after region", "plain-clang", "never", "none"))


def parse_list(text):
    cpus = set()
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        cpus.update(range(int(first), int(last or first) + 1))
    return cpus


def look(pid, cpu):
    """Returns the number of threads, those that may run on `cpu`, and those that are running there right now."""
    seen, may, on = 0, [], []
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            base = f"/proc/{pid}/task/{task}"
            allowed = re.search(r"Cpus_allowed_list:\s*(\S+)", Path(base, "status").read_text()).group(1)
            fields = Path(base, "stat").read_text().rpartition(")")[2].split()
        except (OSError, AttributeError):
            continue
        seen += 1
        if cpu in parse_list(allowed):
            may.append(f"thread {task} may run on {allowed}")
        elif fields[0] == "R" and int(fields[36]) == cpu:
            on.append(f"thread {task} runs on {cpu}")
    return seen, may, on


class Release(Suite):
    def start(self, scene: Scene, scratch: Path):
        env = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "ASAN_OPTIONS") if name in os.environ}
        env.update(OMP_NUM_THREADS=str(scene.threads), DROM_TABLE=str(scratch / "table"))
        # The program runs long enough to be watched for a second on any machine. play() ends it.
        amount = {"nested": "500000", "processes": "50000"}.get(scene.program.rpartition("-")[0], "2000")
        command = [str(self.guests / scene.program), scene.mode, amount]
        preload = [self.given.preload_first] if self.given.preload_first else []
        if scene.start == "run":
            command = [str(self.build / "bin" / "drom"), "run", "--cpus", ",".join(map(str, self.cpus)), "--", *command]
        elif scene.start == "preload":
            preload.append(str(self.build / "lib" / "libdrom-agent.so"))
        if preload and scene.start != "none":
            env["LD_PRELOAD"] = ":".join(preload)
        return subprocess.Popen(command, env=env, cwd=scratch, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=open(scratch / "err", "wb"), start_new_session=True,
                                preexec_fn=lambda: os.sched_setaffinity(0, self.cpus))

    def request(self, *arguments):
        env = dict(os.environ, LD_LIBRARY_PATH=str(self.build / "lib"))
        return subprocess.run([str(self.build / "tests" / "answers" / "requests"), *map(str, arguments)], env=env,
                              capture_output=True, text=True, check=False, timeout=30)

    def client_pid(self, scene, started, table):
        """Returns the process that computes: the child of drom run, or the program itself once it is listed."""
        end = time.monotonic() + 10
        while time.monotonic() < end and started.poll() is None:
            children = Path(f"/proc/{started.pid}/task/{started.pid}/children").read_text().split()
            pid = int(children[0]) if scene.start == "run" and children else started.pid
            computing = Path(f"/proc/{pid}/comm").read_text().strip() == scene.program[:15]
            listed = scene.start == "none" or self.request("set", table, pid, self.all_cpus()).returncode == 0
            if computing and listed:
                return pid
            time.sleep(0.01)
        return None

    def all_cpus(self):
        return ",".join(map(str, self.cpus))

    def play(self, scene: Scene):
        """Plays the scene. Returns None, or what went wrong."""
        with tempfile.TemporaryDirectory(prefix="drom-release-") as name:
            scratch = Path(name)
            started = self.start(scene, scratch)
            try:
                pid = self.client_pid(scene, started, scratch / "table")
                if pid is None:
                    return "never became a client: " + (scratch / "err").read_text()[-300:]
                time.sleep(0.3)  # until the program is in the phase of the scene
                if scene.start == "none":
                    said = self.request("confine", scratch / "table", pid, self.cpus[0], self.all_cpus())
                else:
                    said = self.request("set", scratch / "table", pid, self.cpus[0])
                if said.returncode != 0:
                    return f"the request was not released: {said.stdout}{said.stderr}"
                return self.watch(pid, self.cpus[1])
            finally:
                end_session(started.pid)
                started.wait()

    @staticmethod
    def watch(pid, cpu):
        end = time.monotonic() + 1
        looks = threads = 0
        while time.monotonic() < end:
            try:
                seen, may, on = look(pid, cpu)
            except (FileNotFoundError, ProcessLookupError):
                return "the program ended before it was watched for a second"
            looks += 1
            threads = max(threads, seen)
            if may or on:
                return f"look {looks}: " + "; ".join(may + on)
        return None if looks >= 20 and threads else f"only {looks} looks at {threads} threads"


def scenes(only):
    if only or os.environ.get("ANSWERS_SEQUENCES"):
        return SCENES
    return SCENES[int(time.time()) // 3600 % 2::2]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--runtimes", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--preload-first", default="")
    suite = Release(parser.parse_args())
    if len(suite.cpus) < 2:
        print("SKIPPED release: one CPU only: nothing to leave")
        return 1 if os.environ.get("CI") == "true" else 77
    failed = total = 0
    for scene in scenes(suite.given.only):
        label = f"{scene.program} {scene.mode} by {scene.start}"
        if not re.search(suite.given.only, label):
            continue
        trouble = suite.play(scene)
        total += 1
        failed += trouble is not None
        print(f"{'not free' if trouble else 'free':9} {label}, {scene.what}{': ' + trouble if trouble else ''}", flush=True)
    print(f"release: {total} scenes, {failed} in which the CPU was not free")
    return 1 if failed or not total else 0


if __name__ == "__main__":
    sys.exit(main())
