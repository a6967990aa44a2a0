#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""measured.py - drom stats beside the clocks of programs whose efficiency has a closed form: 1:1, 1:2.5 and 1:3 of work.

  measured.py --build BUILD [--window SECONDS] [--table]

Without --table the runs are checked: structure, exit status, identities, and the order of 1:1 and 1:3. A comparison with the programs' clocks has wide
bounds, and a try that does not keep them is repeated: other load of the machine moves both. With --table nothing is checked, and the rows of
docs/results/stats.md are printed.

Exit status: 0 all is well, 1 not, 2 usage, 77 two CPUs are missing here, or each of the compilers.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNTIMES = {"openmpi": "Open MPI", "mpich": "MPICH", "libgomp": "libgomp", "libomp": "libomp"}
RATIOS = (1.0, 2.5, 3.0)
LIMIT_S = 60
TRIES = 3
# Of a share: one second has 200 samples per thread, and the windows of both clocks begin and end apart.
AGREE = 0.2
UNCLASSIFIED = "lets no samples be taken of .* \\(Operation not permitted"


@dataclass
class Row:
    runtime: str
    ratio: float
    measured: float
    clocks: float
    report: dict

    @property
    def closed_form(self) -> float:
        return (1 + self.ratio) / (2 * self.ratio)

    @property
    def factors(self) -> dict:
        return self.report["applications"][0]["factors"]


class Wrong(Exception):
    """Says what is wrong with a run."""


def two_cpus() -> str:
    return ",".join(map(str, sorted(os.sched_getaffinity(0))[:2]))


class Session:
    """Programs under drom, with a table of their own."""

    def __init__(self, build: Path):
        self.build = build.resolve()
        self.folder = tempfile.TemporaryDirectory(prefix="drom-metrics-")
        self.place = Path(self.folder.name)
        self.drom = str(self.build / "bin" / "drom")
        kept = {name: value for name, value in os.environ.items() if not name.startswith("DROM_") and name not in ("LD_PRELOAD", "OMP_NUM_THREADS")}
        self.environment = kept | {"DROM_TABLE": str(self.place / "table"), "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                                   "OMPI_MCA_btl": "self,vader"}
        self.process: subprocess.Popen | None = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        (self.place / "stop").touch()
        if self.process is not None:
            try:
                self.process.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.folder.cleanup()

    def load(self, name: str) -> str:
        return str(self.build / "tests" / "metrics" / "loads" / name)

    def start(self, command: list[str], clients: int) -> None:
        with open(self.place / "out", "w") as out:
            self.process = subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        self.until(lambda: len(self.clients()) == clients, f"{clients} clients")

    def until(self, is_so, what: str) -> None:
        end = time.monotonic() + LIMIT_S
        while not is_so():
            if self.process.poll() is not None or time.monotonic() > end:
                raise Wrong(f"there were never {what}; the program said: {(self.place / 'out').read_text()[-600:]}")
            time.sleep(0.05)

    def clients(self) -> list[dict]:
        done = subprocess.run([self.drom, "list", "--json"], env=self.environment, capture_output=True, text=True, timeout=LIMIT_S)
        return json.loads(done.stdout).get("clients", []) if done.returncode == 0 else []

    def clocks(self, count: int) -> list[list[float]]:
        """Returns what the program has written: of each process the time, and the work of its threads."""
        return [memoryview((self.place / str(i)).read_bytes()).cast("d").tolist() for i in range(count)]

    def has_worked(self, count: int) -> bool:
        return all((self.place / str(i)).exists() and (self.place / str(i)).stat().st_size > 0 for i in range(count)) and all(c[0] > 0 for c in self.clocks(count))

    def stats(self, *arguments: str, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess:
        return subprocess.run([*before, self.drom, "stats", *arguments], env=self.environment, capture_output=True, text=True, timeout=LIMIT_S + 600)


def command_of(session: Session, runtime: str, ratio: float) -> tuple[list[str], int, int]:
    """Returns the command, the number of its clients, and of its processes."""
    load = [session.load(runtime), str(ratio), session.folder.name]
    if runtime in ("libgomp", "libomp"):
        return [session.drom, "run", "--name", "load", "--cpus", two_cpus(), "--", *load], 1, 1
    unbound = ["--oversubscribe", "--bind-to", "none"] if runtime == "openmpi" else []
    return [f"mpirun.{runtime}", *unbound, "-np", "2", session.drom, "run", "--ncpus", "1", "--", *load], 2, 2


def fits_schema(text: str) -> None:
    done = subprocess.run([sys.executable, str(ROOT / "tests/support/schemas.py"), "stats"], input=text, capture_output=True, text=True)
    if done.returncode not in (0, 77):
        raise Wrong(f"not what the schema says: {done.stderr}")


def check_identities(report: dict) -> None:
    for application in report["applications"]:
        f = application["factors"]
        for whole, parts in {"parallel_efficiency": ("mpi_parallel_efficiency", "openmp_parallel_efficiency"),
                             "mpi_parallel_efficiency": ("mpi_communication", "mpi_load_balance"),
                             "mpi_load_balance": ("mpi_load_balance_within_nodes", "mpi_load_balance_between_nodes"),
                             "openmp_parallel_efficiency": ("openmp_serialization", "openmp_load_balance", "openmp_scheduling")}.items():
            product = 1.0
            for part in parts:
                product *= f[part]
            if abs(product - f[whole]) > 1e-9:
                raise Wrong(f"{whole} is {f[whole]}, and the product of its parts {product}")


def measure(build: Path, runtime: str, ratio: float, window: int) -> Row:
    with Session(build) as session:
        command, clients, processes = command_of(session, runtime, ratio)
        session.start(command, clients)
        session.until(lambda: session.has_worked(processes), "clocks of the program")
        before = session.clocks(processes)
        done = session.stats("--json", "--window", str(window))
        after = session.clocks(processes)
        if done.returncode != 0:
            raise Wrong(f"drom stats: status {done.returncode}: {done.stderr}")
        fits_schema(done.stdout)
        report = json.loads(done.stdout)
        if len(report["applications"]) != 1 or len(report["applications"][0]["processes"]) != processes:
            raise Wrong(f"not one program of {processes} processes: {done.stdout}")
        worked = sum(sum(b[1:]) - sum(a[1:]) for a, b in zip(before, after))
        elapsed = sum(b[0] - a[0] for a, b in zip(before, after)) / processes
        return Row(runtime, ratio, report["applications"][0]["factors"]["parallel_efficiency"], worked / (2 * elapsed), report)


def checked(build: Path, runtime: str, ratio: float, window: int) -> Row:
    for attempt in range(1, TRIES + 1):
        row = measure(build, runtime, ratio, window)
        check_identities(row.report)
        f = row.factors
        if runtime in ("libgomp", "libomp") and f["mpi_parallel_efficiency"] != 1:
            raise Wrong(f"a program without MPI has an MPI parallel efficiency of {f['mpi_parallel_efficiency']}")
        print(f"{runtime} 1:{ratio:g}: drom stats {row.measured:.3f}, the program's clocks {row.clocks:.3f}, closed form {row.closed_form:.3f}", flush=True)
        if abs(row.measured - row.clocks) <= AGREE:
            return row
        print(f"{runtime} 1:{ratio:g}: apart in try {attempt}", flush=True)
    raise Wrong(f"{runtime} 1:{ratio:g}: {TRIES} times more than {AGREE} apart from the program's clocks")


def check_order(even: Row, uneven: Row) -> None:
    """Says nothing where the program's own clocks have the other order: the machine was busy."""
    if even.clocks - uneven.clocks > 0.15 and even.measured <= uneven.measured:
        raise Wrong(f"{even.runtime}: 1:1 has {even.measured:.3f}, not more than the {uneven.measured:.3f} of 1:3")


def check_brief(build: Path, window: int) -> None:
    """Looks at threads and processes that begin in the window: their CPU time is counted."""
    with Session(build) as session:
        session.start([session.drom, "run", "--name", "brief", "--cpus", two_cpus(), "--", session.load("brief"), session.folder.name], 1)
        session.until(lambda: session.has_worked(1), "clocks of the program")
        before = session.clocks(1)
        done = session.stats("brief", "--json", "--window", str(window + 1))
        session.until(lambda: session.has_worked(2), "clocks of the child")
        after = session.clocks(2)
        report = json.loads(done.stdout)
        process = report["applications"][0]["processes"][0]
        worked = after[0][1] - before[0][1] + after[1][1]
        print(f"brief threads: drom stats {process['cpu_ns'] / 1e9:.3f} s, the program's clocks {worked:.3f} s", flush=True)
        if not 0.5 * worked < process["cpu_ns"] / 1e9 < 2 * worked:
            raise Wrong("the CPU time of threads and processes that are brief is not counted")


def check_unsampled(build: Path) -> None:
    """Looks at a program where the kernel refuses: a sentence, status 1, and the CPU use."""
    with Session(build) as session:
        command, clients, processes = command_of(session, "libgomp", 1)
        session.start(command, clients)
        refused = (session.load("unsampled"),)
        for arguments in (("load", "--window", "1"), ("load", "--window", "1", "--json")):
            done = session.stats(*arguments, before=refused)
            if done.returncode != 1 or not re.search(UNCLASSIFIED, done.stderr) or done.stderr.count("\n") != 1:
                raise Wrong(f"without samples: status {done.returncode}, {done.stderr!r}")
            if "--json" not in arguments and not re.search("^  CPU use +[0-9.]+ %$", done.stdout, re.MULTILINE):
                raise Wrong(f"without samples: no CPU use in {done.stdout!r}")
        fits_schema(done.stdout)
        application = json.loads(done.stdout)["applications"][0]
        if application["sampled"] or application["factors"] is not None or application["processes"][0]["cpu_ns"] == 0:
            raise Wrong(f"without samples: {application}")
        print("without samples: one sentence, status 1, CPU use", flush=True)


def table_line(row: Row) -> str:
    f = row.factors
    waited = sum(process["waited_ns"] for process in row.report["applications"][0]["processes"]) / 1e9
    cost = 100 * row.report["cost_ns"] / row.report["window_ns"]
    balance = f["mpi_load_balance"] if row.runtime in ("openmpi", "mpich") else f["openmp_load_balance"]
    return (f"| {RUNTIMES[row.runtime]} | 1:{row.ratio:g} | {row.closed_form:.3f} | {row.clocks:.3f} | {row.measured:.3f} | {row.measured - row.clocks:+.3f} | "
            f"{balance:.3f} | {waited:.2f} | {cost:.3f} |")


def main() -> int:
    parser = argparse.ArgumentParser(prog="measured.py")
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--window", type=int, default=10)
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    there = [name for name in RUNTIMES if (given.build / "tests/metrics/loads" / name).exists()]
    if len(os.sched_getaffinity(0)) < 2 or not there:
        print("SKIPPED: two CPUs, and mpicc.openmpi, mpicc.mpich, gcc or clang with OpenMP are needed", file=sys.stderr)
        return 1 if os.environ.get("CI") == "true" else 77
    try:
        if given.table:
            for name in there:
                for ratio in RATIOS:
                    print(table_line(measure(given.build, name, ratio, given.window)), flush=True)
            return 0
        for name in there:
            # 1:2.5 says the same as 1:3, in a third of the time: of one kind of each.
            rows = {ratio: checked(given.build, name, ratio, given.window) for ratio in RATIOS if ratio != 2.5 or name in ("openmpi", "libgomp")}
            check_order(rows[1.0], rows[3.0])
        if "libgomp" in there:
            check_brief(given.build, given.window)
            check_unsampled(given.build)
    except Wrong as wrong:
        print(f"metrics-loads: {wrong}", file=sys.stderr)
        return 1
    print(f"metrics-loads: {len(there)} runtimes, nothing wrong")
    return 0


if __name__ == "__main__":
    sys.exit(main())
