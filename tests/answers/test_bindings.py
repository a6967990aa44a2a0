#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_bindings.py - under drom a program's symbols are bound where they are bound natively, but for the affinity calls.

The dynamic loader itself says where symbols are bound (LD_DEBUG=bindings), and binds all at once (LD_BIND_NOW). Each
guest runs three times: natively, with the libraries that `drom run` preloads if the team keeps its size, and with these
and DROM_DISABLE=1. The bindings of its objects must be the same.

  test_bindings.py --build build/dev --runtimes build/runtimes

Exit status: 0 the same, 1 not, 77 a prerequisite is missing.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from catalogue import PYTHON, Case, all_cases

# pthread_create gets an affinity, too, with its attributes. thrd_create begins threads that follow a container.
AFFINITY_CALLS = {"sched_setaffinity", "sched_getaffinity", "pthread_setaffinity_np", "pthread_getaffinity_np", "syscall", "pthread_create",
                  "thrd_create"}
BINDING = re.compile(r"binding file (\S+) \[\d+\] to (\S+) \[\d+\]: \w+ symbol `([^']+)'(?: \[([^\]]+)\])?")
# Names that the loader binds for itself or for its caller, at moments of its own.
OF_THE_LOADER = re.compile(r"^(_dl_|__libc_|_?_?rtld|__tls_get_addr|malloc|calloc|realloc|free)")
GUESTS = {"plain:never", "numbers:slots", "kept:procs", "sizes:sets_told", "locals:library", "objects:pool", "linked:turns", "opened:turns",
          "opens:turns", "plugins:turns", "fields:do", "processes:pthreads"}


def is_ours(path: str) -> bool:
    return re.match(r"libdrom(-\w+)?\.so", Path(path).name) is not None


def bindings_in(folder: Path, program: str) -> set:
    """Returns the bindings of the process that ran `program`: (object, symbol, version) -> object.

    Objects of drom do not count as callers."""
    found = set()
    for log in folder.glob("ld.*"):
        text = log.read_text(errors="replace")
        if f"binding file {program} " not in text:
            continue
        for caller, target, symbol, version in BINDING.findall(text):
            if not is_ours(caller) and not OF_THE_LOADER.match(symbol):
                found.add((caller, symbol, version, target))
    return found


class Comparison:
    def __init__(self, given):
        self.given = given
        self.build = Path(given.build).resolve()
        self.runtimes = Path(given.runtimes).resolve()
        self.guests = self.build / "tests" / "answers" / "guests"

    def command(self, case: Case) -> list:
        return [*case.command(self.guests), case.mode, "1", "2"]

    def run(self, case: Case, front=(), **variables) -> set:
        program = self.command(case)
        with tempfile.TemporaryDirectory(prefix="drom-bindings-") as name:
            folder = Path(name)
            env = {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
            env.update(case.environment(), LD_BIND_NOW="1", LD_DEBUG="bindings", LD_DEBUG_OUTPUT=str(folder / "ld"),
                       DROM_TABLE=str(folder / "table"), OMP_WAIT_POLICY="passive", **variables)
            if path := case.library_path(self.runtimes):
                env["LD_LIBRARY_PATH"] = path
            done = subprocess.run([*front, *program], env=env, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                sys.exit(f"test_bindings.py: {' '.join([*front, *program])} ended with {done.returncode}: {done.stderr[-400:]}")
            return bindings_in(folder, program[0])

    def agent(self) -> str:
        """Returns the library that `drom run` preloads into a program whose team keeps its size."""
        return str(self.build / "lib" / "libdrom-agent.so")

    def differences(self, case: Case) -> list:
        native = self.run(case)
        if len(native) < 5:
            return [f"natively the loader told {len(native)} bindings only"]
        told = []
        for way, got in (("preloaded", self.run(case, LD_PRELOAD=self.agent())), ("DROM_DISABLE=1", self.run(case, DROM_DISABLE="1", LD_PRELOAD=self.agent()))):
            for caller, symbol, version, target in sorted(got ^ native):
                # With a handle, dlsym() looks a symbol up for the object of the handle. That is a look of drom's own,
                # and binds nothing.
                is_a_look = caller == target and not version and (caller, symbol, version, target) in got
                if symbol not in AFFINITY_CALLS and not is_a_look:
                    side = way if (caller, symbol, version, target) in got else "natively"
                    told.append(f"{side}: {Path(caller).name} has {symbol}@{version or '-'} of {target}")
        return told


def chosen(comparison) -> list:
    cases = {}
    for case in all_cases(lambda case: case.build == "python" or (comparison.guests / f"{case.guest.name}-{case.build}").exists()):
        if f"{case.guest.name}:{case.mode}" in GUESTS and (case.threads, case.start, case.way) == (2, "run", "keep"):
            cases.setdefault((case.guest.name, case.build.partition("-")[0], case.runtime), case)
    return list(cases.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--runtimes", required=True)
    comparison = Comparison(parser.parse_args())
    if not Path(PYTHON[0]).exists() or not (comparison.guests / "plain-gcc").exists():
        print("SKIPPED bindings: the guests were not built: scripts/packages.sh test installs the compilers")
        return 1 if os.environ.get("CI") == "true" else 77
    cases = chosen(comparison)
    bad = 0
    for case in cases:
        told = comparison.differences(case)
        print(f"{'not ok' if told else 'ok'} {case.label}")
        bad += bool(told)
        for line in told[:12]:
            print(f"  {line}")
    print(f"answers.bindings: {len(cases)} programs, {bad} of them bound elsewhere than natively")
    return 1 if bad or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
