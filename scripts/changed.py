#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""changed.py - the suites that the changes of this working tree can break: changed.py [BASE]

BASE is a commit (default: main@{upstream}, or what stands for it: origin/main, main). Changes that are not committed count, and files that are not tracked.
Prints their names, one line; `lint` among them; and on a second line the files whose mutants are worth a run, nothing for all. The suites that take
longer than minutes are left to the full run: said on stderr.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

CORE = "unit model race explorer crash-walk kill-storm hostile liveness faults cli dlb mutants trees"
AGENT = "unit guest answers faults kill-storm mpi matrix soak latency vm"
# The first pattern that fits a path decides, except for patterns that name no suite: they only inform people.
RULES = [
    (r"tests/crash/", "crash-walk kill-storm fuzz"),
    (r"tests/hostile/", "hostile liveness"),
    (r"tests/vm/", "vm vm-cgroup-v2"),
    (r"tests/plugin/c(group|pusets)\.", "plugin vm-cgroup-v2"),
    (r"tests/data/", "partition plugin"),
    (r"tests/mutants/", "mutants explorer harness"),
    (r"tests/(?P<folder>[^/]+)/", "{folder}"),
    (r"libdrom/shmem/", CORE),
    (r"libdrom/container/", f"cli {AGENT}"),
    (r"libdrom/(openmp|agent)/", AGENT),
    (r"libdrom/mpi/", "unit mpi matrix"),
    (r"libdrom/dlb/", "dlb faults model fuzz"),
    (r"libdrom/bindings/python/", "python"),
    (r"libdrom/bindings/fortran/", "fortran"),
    (r"libdrom/partition/", "partition node_agent plugin fuzz"),
    (r"libdrom/api/drom\.map", "abi"),
    (r"libdrom/include/", f"abi consumer python fortran readme {CORE} {AGENT}"),
    (r"libdrom/", f"abi {CORE} {AGENT}"),
    (r"tools/drom/", "cli metrics hostile consumer trees"),
    (r"tools/sim/", "sim fuzz"),
    (r"tools/text/", "cli sim"),
    (r"tools/trace/", "metrics"),
    (r"tools/journal/", "metrics sim"),
    (r"docs/reference/schemas/", "cli sim consumer"),
    (r"metrics/", "metrics"),
    (r"policy/", "policy sim plugin fuzz"),
    (r"plugins/node_agent/", "plugin node_agent fuzz vm-cgroup-v2"),
    (r"plugins/", "plugin node_agent fuzz"),
    (r"examples/", "consumer demo cli"),
    (r"scripts/(junit|verdict|changed|attack|lint/)|scripts/(test|attack)\.sh", "harness"),
    (r"tools/site/", "harness"),
    (r"tools/demo/|scripts/(demo|slurm-demo|slurm-workload|step)\.sh", "consumer demo harness"),
    (r"CMakeLists\.txt|CMakePresets\.json|cmake/", "unit consumer packages readme"),
    (r"debian/|packaging/", "packages"),
    (r"README\.md|docs/admin/slurm-install\.md|scripts/packages\.sh", "packages readme harness"),
    (r"scripts/slurm-(here|daemons)\.sh", "plugin harness"),
    (r"scripts/[\w-]+\.sh", "harness"),
    (r"docs/reference/man/", "readme cli sim"),
    (r"docs/|scripts/manual\.py", "readme"),
]
# Folders with lines that a mutant may break.
PRODUCT = ("libdrom/", "tools/", "policy/", "metrics/", "plugins/")
# Each takes longer than five minutes alone on two cores.
LONG = ("matrix", "soak", "latency", "vm", "fuzz")


def git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else []


def base_of(given: str) -> str:
    for name in [given] if given else ["main@{upstream}", "origin/main", "main"]:
        if found := git("merge-base", name, "HEAD"):
            return found[0]
    sys.exit(f"changed.py: compare with {given or 'main@{upstream}'}: there is no such commit")


def changes(base: str) -> list[str]:
    return git("diff", "--name-only", base) + git("ls-files", "--others", "--exclude-standard")


def folders_that_name(header: str) -> set[str]:
    """Returns the readers of a header of tests/support, and theirs: all of them can break by it."""
    found: set[str] = set()
    seen: set[str] = set()
    waiting = {header}
    while waiting:
        name = waiting.pop()
        seen.add(name)
        for path in git("grep", "-lF", name, "--", "tests"):
            support = path.startswith("tests/support/")
            waiting |= {Path(path).name} - seen if support else set()
            found |= set() if support else {path}
    return found


def suites_of(path: str) -> set[str]:
    if path.startswith("tests/support/"):
        return {suite for reader in folders_that_name(Path(path).name) for suite in suites_of(reader)}
    for pattern, names in RULES:
        if match := re.match(pattern, path):
            return {name.format(**match.groupdict()) for name in names.split()}
    return set()


def is_suite(name: str) -> bool:
    return name in ("lint", "crash-walk", "demo", "kill-storm", "liveness", "vm-cgroup-v2") or (ROOT / "tests" / name / "CMakeLists.txt").exists()


def main() -> int:
    if len(sys.argv) > 2:
        print("usage: changed.py [BASE]", file=sys.stderr)
        return 2
    paths = changes(base_of(sys.argv[1] if len(sys.argv) == 2 else ""))
    found = {suite for path in paths for suite in suites_of(path) if is_suite(suite)} | ({"lint"} if paths else set())
    own = {path.split("/")[1] for path in paths if path.startswith("tests/")}
    left = sorted(found & set(LONG) - own)
    if left:
        print(f"changed.py: left to the full run, for they take long: {' '.join(left)}", file=sys.stderr)
    print(*sorted(found - set(left)))
    print(*([] if own & {"mutants", "explorer"} else sorted(path for path in paths if path.startswith(PRODUCT))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
