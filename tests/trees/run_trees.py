#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""run_trees.py - a client is a process and its descendants: no thread of any of them runs outside the mask of a released request.

Each row starts a program under drom run that starts others: in the background, in pipelines, by make, by xargs, as
pools, as daemons. Then come random requests. When a request is answered as released, no thread of the row may run
outside the mask. For a tenth of a second every thread is looked at again and again. The processes of a row are those
with the row's mark in their environment, wherever they are in the tree.

  run_trees.py BUILD [--long] [--only PATTERN] [--seed N]

  --long      200 requests per row instead of 5, as with TREES_REQUESTS=200

Exit status: 0 nothing found, 1 something found, 77 a prerequisite is missing.
"""

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GUESTS = Path(__file__).parent / "guests"
WATCHDOG_S = 600
READY_S = 60
LOOK_S = 0.1
MARK = "TREES_ROW"
POOL = """
import multiprocessing, time
def work(_):
    time.sleep(0.02)
if __name__ == "__main__":
    multiprocessing.set_start_method("{}")
    with multiprocessing.Pool(3) as pool:
        while True:
            pool.map(work, range(30))
"""

# The command of each row, and the least number of its processes when it is under way.
ROWS = {
    "background jobs of a shell": ("for i in 1 2 3; do (while :; do sleep 0.02; done) & done; wait", 5),
    "a pipeline": ("while :; do echo line; sleep 0.02; done | cat | cat >/dev/null", 4),
    "make -j": ("make -s -j 4 -f {work}/makefile", 4),
    "xargs -P": ("yes | xargs -P 4 -n 1 sh -c 'sleep 0.05; :'", 5),
    "a pool of Python, forked": ("exec python3 {work}/fork.py", 4),
    "a pool of Python, spawned": ("exec python3 {work}/spawn.py", 4),
    "a pool of Python, by a fork server": ("exec python3 {work}/forkserver.py", 4),
    "double forks": ("((while :; do sleep 0.02; done) &); ((sleep 600 &) &); exec sleep 600", 4),
    "sessions of their own": ("setsid -f sh -c 'while :; do sleep 0.02; done'; setsid sleep 600 & wait; exec sleep 600", 3),
    "daemons that come and go": ("exec {work}/daemons", 4),
    "a child whose first thread has ended": ("exec {work}/headless", 3),
    "OpenMP children of a script": ("{work}/team & {work}/team & wait", 3),
    "children that an OpenMP program forks": ("KMP_AFFINITY=none exec {work}/forks", 3),
    "children that no parent reaps": ("(sleep 0.01 & sleep 0.01 & exec sleep 600) & exec sleep 600", 2),
}


class Failure(Exception):
    """A promise was broken."""


def tids_of(pid):
    try:
        return os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []


def environment_of(pid, tid):
    try:
        return Path(f"/proc/{pid}/task/{tid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


def threads_of(pid):
    """Returns each thread's mask, without the threads that end meanwhile."""
    masks = {}
    for tid in tids_of(pid):
        try:
            if Path(f"/proc/{pid}/task/{tid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX":
                masks[int(tid)] = os.sched_getaffinity(int(tid))
        except OSError:
            pass
    return masks


class Row:
    """One drom run with everything below it, in a table of its own."""

    def __init__(self, drom, work, name):
        self.drom, self.work, self.mark = drom, work, f"{os.getpid()}-{time.monotonic_ns()}"
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("DROM_") and k != "LD_PRELOAD"}
        self.environment["DROM_TABLE"] = str(work / f"table-{self.mark}")
        self.name = name
        self.user = []
        self.process = None

    def command(self, *words, check=True):
        done = subprocess.run([*self.user, self.drom, *words], env=self.environment, capture_output=True, text=True, timeout=WATCHDOG_S, check=False)
        if check and done.returncode != 0:
            raise Failure(f"drom {' '.join(words)}: status {done.returncode}: {done.stderr}{done.stdout}")
        return done

    def start(self, words, options=()):
        environment = self.environment | {MARK: self.mark}
        line = [*self.user, self.drom, "run", "--name", "tree", *options, "--", *words]
        self.process = subprocess.Popen(line, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

    def processes(self):
        """Returns every process with the mark but drom run itself.

        A zombie has no environment. Nor has a process whose first thread has ended, but its other threads have it."""
        wanted = f"{MARK}={self.mark}".encode()
        found = []
        for entry in os.listdir("/proc"):
            if not entry.isdigit() or int(entry) == self.process.pid:
                continue
            if any(wanted in environment_of(entry, tid) for tid in tids_of(entry)):
                found.append(int(entry))
        return found

    def client(self, name="tree"):
        done = self.command("list", "--json", check=False)
        clients = json.loads(done.stdout)["clients"] if done.returncode == 0 else []
        return next((c for c in clients if c["name"] == name), None)

    def eventually(self, what, test):
        end = time.monotonic() + READY_S
        while not test():
            if self.process.poll() is not None or time.monotonic() > end:
                raise Failure(f"never: {what}")
            time.sleep(0.02)

    @staticmethod
    def eventually_left(what, test):
        """Waits as eventually() does, when drom run has ended."""
        end = time.monotonic() + READY_S
        while not test():
            if time.monotonic() > end:
                raise Failure(f"never: {what}")
            time.sleep(0.02)

    def ready(self, count):
        self.eventually("it is a client", lambda: self.client() is not None)
        self.eventually(f"{count} processes", lambda: len(self.processes()) >= count)

    def check_inside(self, mask, but=()):
        """Checks again and again that no thread of any process may run outside the mask."""
        end = time.monotonic() + LOOK_S
        looks = seen = 0
        while looks < 3 or time.monotonic() < end:
            looks += 1
            for pid in self.processes():
                if pid in but:
                    continue
                for tid, allowed in threads_of(pid).items():
                    seen += 1
                    if not allowed <= mask:
                        raise Failure(f"thread {tid} of {words_of(pid)} may run on {sorted(allowed)}, released was {sorted(mask)}")
        if seen == 0:
            raise Failure("no thread was seen")
        return seen

    def set(self, mask):
        said = self.command("set", "tree", ",".join(map(str, sorted(mask)))).stdout
        if "released" not in said and "already" not in said and "as it is" not in said:
            raise Failure(f"set to {sorted(mask)}: {said}")
        return said

    def end(self):
        for _ in range(100):
            left = self.processes()
            if not left:
                break
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass
            time.sleep(0.02)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def words_of(pid):
    try:
        return f"{pid} ({Path(f'/proc/{pid}/cmdline').read_bytes().decode(errors='replace').replace(chr(0), ' ').strip()})"
    except OSError:
        return str(pid)


def random_requests(suite, row, count):
    both, choice = set(suite.cpus), suite.random
    seen = 0
    for _ in range(count):
        mask = choice.choice([{suite.cpus[0]}, {suite.cpus[1]}, both])
        row.set(mask)
        seen += row.check_inside(mask)
    row.set({suite.cpus[0]})
    row.check_inside({suite.cpus[0]})
    row.set(both)  # all threads get both CPUs back
    narrow = [words_of(p) for p in row.processes() for a in threads_of(p).values() if a != both]
    if narrow:
        raise Failure(f"given back both CPUs, but not to {narrow}")
    return f"{count + 2} requests, {seen} masks read"


class Suite:
    def __init__(self, build, options):
        self.drom = str(Path(build) / "bin" / "drom")
        self.cpus = sorted(os.sched_getaffinity(0))[:2]
        self.requests = 200 if options.long else int(os.environ.get("TREES_REQUESTS", "5"))
        self.random = random.Random(options.seed)
        self.work = Path(tempfile.mkdtemp(prefix="drom-trees-"))

    def build_guests(self):
        self.work.chmod(0o755)
        for name, flags in (("team", ["-fopenmp"]), ("binds", ["-fopenmp"]), ("headless", ["-pthread"]), ("daemons", []), ("other_user", [])):
            subprocess.run(["gcc", "-O2", *flags, str(GUESTS / f"{name}.c"), "-o", str(self.work / name)], check=True)
        # LLVM's runtime sets affinities in a forked child, and GCC's does not.
        subprocess.run(["clang", "-O2", "-fopenmp", str(GUESTS / "forks.c"), "-o", str(self.work / "forks")], check=True)
        jobs = " ".join(f"job{i}" for i in range(20000))
        (self.work / "makefile").write_text(f"all: {jobs}\n{jobs}:\n\t@sleep 0.05; :\n")
        for method in ("fork", "spawn", "forkserver"):
            (self.work / f"{method}.py").write_text(POOL.format(method))

    def row(self, name):
        return Row(self.drom, self.work, name)

    # --- rows with a course of their own: each returns what it saw ---

    def clients_of_its_own(self, row):
        first, second = self.cpus
        inner = f"{self.drom} run --name inner --cpus {second} -- sh -c 'while :; do sleep 0.02; done'"
        row.start(["sh", "-c", f"{inner} & while :; do sleep 0.02; done"], ["--cpus", f"{first},{second}"])
        row.ready(4)
        row.eventually("the inner client is there", lambda: (row.client("inner") or {}).get("mask") == str(second))
        row.set({first})
        mine = row.client("inner")["pid"]
        theirs = {mine} | {p for p in row.processes() if parent_of(p) == mine}
        for pid in theirs:
            for allowed in threads_of(pid).values():
                if allowed != {second}:
                    raise Failure(f"a client of its own was moved to {sorted(allowed)} with its parent")
        return "not moved with its parent"

    def an_affinity_call(self, row):
        first, second = self.cpus
        code = f"import os, time\ntime.sleep(0.5)\nwhile True:\n    os.path.exists('{row.work}/go') and os.sched_setaffinity(0, {{{first}, {second}}}) is None and time.sleep(600)\n    time.sleep(0.01)"
        row.environment["LD_PRELOAD"] = ""
        row.start(["sh", "-c", f"python3 -c \"{code}\" & wait"], ["--no-preload"])
        row.ready(2)
        row.set({first})
        (row.work / "go").touch()
        row.eventually("a process has left", lambda: any(a != {first} for p in row.processes() for a in threads_of(p).values()))
        row.set({first})
        row.check_inside({first})
        (row.work / "go").unlink()
        return "the same request again brings it back"

    def an_affinity_call_with_the_agent(self, row):
        """Checks that Python, taskset and a program of plain threads stay inside, although they are no clients."""
        first, second = self.cpus
        wait = f"while [ ! -e {row.work}/go ]; do sleep 0.01; done"
        python = f"import os, time; os.sched_setaffinity(0, {{{first}, {second}}}); os.rename(\"{row.work}/go\", \"{row.work}/done\"); time.sleep(600)"
        row.start(["sh", "-c", f"{wait}; taskset -c {first},{second} sleep 600 & taskset -c {second} sleep 600 & python3 -c '{python}' & wait"])
        row.ready(1)
        row.set({first})
        (row.work / "go").touch()
        row.eventually("Python has asked for both", (row.work / "done").exists)
        row.eventually("both sleep", lambda: [name_of(p) for p in row.processes()].count("sleep") == 2)
        row.check_inside({first})
        return "stays inside"

    def affinity_calls_about_others(self, row):
        """Checks that what a script binds stays inside: by taskset -p, and from Python. Both put it onto a lost CPU."""
        first, second = self.cpus
        wait = f"while [ ! -e {row.work}/bind ]; do sleep 0.01; done"
        python = f"import os, subprocess, time; child = subprocess.Popen([\"sleep\", \"600\"]); os.sched_setaffinity(child.pid, {{{second}}}); time.sleep(600)"
        row.start(["sh", "-c", f"sleep 600 & job=$!; {wait}; taskset -a -c -p {second} $job; taskset -c -p {second} $$; python3 -c '{python}' & wait"])
        row.ready(2)
        row.set({first})
        (row.work / "bind").touch()
        row.eventually("Python has a child", lambda: [name_of(p) for p in row.processes()].count("sleep") == 2)
        time.sleep(LOOK_S)
        row.check_inside({first})
        return "stays inside"

    def children_that_a_client_binds(self, row):
        row.start([str(self.work / "binds")])
        row.ready(2)
        row.eventually("it has joined", lambda: row.client()["entry_points"])
        for cpu in [*self.cpus, *self.cpus]:
            row.set({cpu})
            row.check_inside({cpu})
        return "stays inside"

    def a_narrower_binding(self, row):
        first, second = self.cpus
        row.start(["sh", "-c", f"taskset -c {first} sleep 600 & sleep 600 & wait"])
        row.ready(3)
        row.eventually("it has bound itself", lambda: [{first}] in [list(threads_of(p).values()) for p in row.processes()])
        bound = next(p for p in row.processes() if list(threads_of(p).values()) == [{first}])
        row.set({first, second})
        if list(threads_of(bound).values()) != [{first}]:
            raise Failure("a process that bound itself was given all CPUs")
        return "keeps its CPU"

    def what_is_left_behind(self, row):
        first, second = self.cpus
        row.start(["sh", "-c", "sleep 600 & exit 3"], ["--cpus", str(second)])
        if row.process.wait(READY_S) != 3:
            raise Failure("drom run did not end as its program did")
        client = row.client()
        if client is None or client["mask"] != str(second):
            raise Failure(f"a process runs on CPU {second}, which is said to be free: {client}")
        row.set({first})
        row.check_inside({first})
        for pid in row.processes():
            os.kill(pid, signal.SIGKILL)
        end = time.monotonic() + READY_S
        while row.client() is not None or json.loads(row.command("list", "--json").stdout)["free"] == "":
            if time.monotonic() > end:
                raise Failure("its CPU never came back")
            row.command("check", check=False)
        return "keeps its CPUs until it ends"

    def keeps_until_the_last_ends(self, row, second):
        """Ends each process in turn. The others keep their CPU, which no other client gets, and follow the mask."""
        first = self.cpus[0]
        for request in ({first}, {second}, {first}):
            row.set(request)
            row.check_inside(request)
            left = row.processes()
            os.kill(row.client()["pid"], signal.SIGKILL)
            row.eventually_left("a process has ended", lambda count=len(left): len(row.processes()) < count)
            row.command("check", check=False)
            client = row.client()
            if len(left) == 1:
                break
            if client is None or client["mask"] != ",".join(map(str, request)):
                raise Failure(f"{len(row.processes())} processes run on CPU {request}, which is said to be free: {client}")
        row.eventually_left("its CPUs came back", lambda: row.client() is None and json.loads(row.command("list", "--json").stdout)["free"] != "")

    def several_left_behind(self, row):
        """Checks that the reservation passes on: the first process has it when drom run ends.

        When that process ended, the CPUs were free although the others still ran on them."""
        second = self.cpus[1]
        row.start(["sh", "-c", "sleep 600 & (sleep 600 &); setsid -f sleep 600; exit 3"], ["--cpus", str(second)])
        if row.process.wait(READY_S) != 3:
            raise Failure("drom run did not end as its program did")
        self.keeps_until_the_last_ends(row, second)
        return "keep their CPUs until the last ends"

    def left_by_a_killed_launcher(self, row):
        second = self.cpus[1]
        row.start(["sh", "-c", "(sleep 600 &); sleep 600 & exec sleep 600"], ["--cpus", str(second)])
        row.ready(3)
        row.process.kill()
        row.process.wait()
        self.keeps_until_the_last_ends(row, second)
        return "keep their CPUs until the last ends"

    def given_back_without_an_agent(self, row):
        first, second = self.cpus
        row.start(["sh", "-c", "sleep 600 & wait"], ["--no-preload"])
        row.ready(2)
        row.command("run", "--name", "guest", "--cpus", str(second), "--", "true")
        if row.client()["mask"] != f"{first}-{second}" and row.client()["mask"] != f"{first},{second}":
            raise Failure(f"it has {row.client()['mask']}")
        narrow = [words_of(p) for p in row.processes() for a in threads_of(p).values() if a != {first, second}]
        if narrow:
            raise Failure(f"its CPU came back, but not to {narrow}")
        return "told by drom run's end"

    def another_user(self, row):
        if os.geteuid() != 0:
            return "SKIPPED: not root, so nothing can be made set-uid"
        first, second = self.cpus
        program = row.work / "other_user"
        program.chmod(0o4755)
        row.environment["DROM_TABLE"] = tempfile.mkdtemp(dir=row.work)
        os.chown(row.environment["DROM_TABLE"], 65534, 65534)
        row.environment["DROM_TABLE"] += "/table"
        row.user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        row.start(["sh", "-c", f"{program} & wait"], ["--no-preload"])
        row.ready(1)
        row.eventually("it is root's", lambda: any(os.stat(f"/proc/{p}").st_uid == 0 for p in row.processes()))
        done = row.command("set", "tree", str(first), "--timeout", "300", check=False)
        client = row.client()
        if client["request"] in ("released", "confined") or client["mask"] == str(first):
            raise Failure(f"said to be released, but a process of root's runs on {first} and {second}: {done.stdout}{done.stderr}")
        return "not said to be released"

    def released_by_the_client(self, row):
        """Checks a client that looks after its own children: no administrator confines it before a minute has
        passed."""
        row.environment["DROM_GRACE_MS"] = "60000"
        row.start(["env", "KMP_AFFINITY=none", str(self.work / "forks")])
        row.ready(3)
        told = random_requests(self, row, self.requests)
        if row.client()["request"] != "released":
            raise Failure(f"its last request is {row.client()['request']}")
        return told

    def counted_and_named(self, row):
        row.start(["sh", "-c", "sleep 600 & sleep 600 & setsid -f sleep 600; wait"])
        row.ready(4)
        row.eventually("3 descendants are counted", lambda: len(row.client()["descendants"]) == 3)
        header, line = row.command("list").stdout.splitlines()[:2]
        if "PROCESSES" not in header or "1+3" not in line:
            raise Failure(f"list says\n{header}\n{line}")
        told = row.command("explain", "tree").stdout
        if "It is 1 process and 3 descendants, which are moved with it" not in told or told.count("(sleep)") < 3:
            raise Failure(f"explain says\n{told}")
        return "1 process and 3 descendants"

    def special_rows(self):
        return {
            "list counts, explain names": self.counted_and_named,
            "children that the client itself moves": self.released_by_the_client,
            "a script that starts clients of its own": self.clients_of_its_own,
            "an affinity call without the agent": self.an_affinity_call,
            "affinity calls of programs that have not joined": self.an_affinity_call_with_the_agent,
            "affinity calls about other processes": self.affinity_calls_about_others,
            "children that a client binds": self.children_that_a_client_binds,
            "a process that bound itself": self.a_narrower_binding,
            "a process that is left behind": self.what_is_left_behind,
            "several processes that are left behind": self.several_left_behind,
            "processes whose launcher was killed": self.left_by_a_killed_launcher,
            "CPUs that come back to a script": self.given_back_without_an_agent,
            "a process of another user": self.another_user,
        }

    def plain_row(self, row, shell, count):
        row.start(["sh", "-c", shell.format(work=self.work)])
        row.ready(count)
        return random_requests(self, row, self.requests)

    def rows(self):
        for name, (shell, count) in ROWS.items():
            yield name, lambda row, shell=shell, count=count: self.plain_row(row, shell, count)
        yield from self.special_rows().items()


def name_of(pid):
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def parent_of(pid):
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def run(suite, pattern):
    failed = ran = 0
    for name, test in suite.rows():
        if not re.search(pattern, name):
            continue
        row = suite.row(name)
        ran += 1
        try:
            signal.alarm(WATCHDOG_S)
            print(f"ok      {name}: {test(row)}", flush=True)
        except (Failure, subprocess.SubprocessError) as problem:
            failed += 1
            print(f"FAILED  {name}: {problem}", flush=True)
        finally:
            signal.alarm(0)
            if row.process is not None:
                row.end()
    print(f"trees: {ran} rows, {failed} failed")
    return 1 if failed > 0 or ran == 0 else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("DROM_TEST_SEED", "1")))
    options = parser.parse_args()
    if len(os.sched_getaffinity(0)) < 2:
        print("SKIPPED: one CPU only")
        return 77
    suite = Suite(options.build, options)
    try:
        suite.build_guests()
        return run(suite, options.only)
    finally:
        shutil.rmtree(suite.work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
