#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""junit.py - counts one run of ctest: junit.py NAME CPU-SECONDS FILE [BUILD] RESULTS

FILE is what ctest --output-junit wrote for the build folder BUILD. A line for people goes to stderr. RESULTS/counts gets a line: name, passed, failed,
skipped, seconds, CPU seconds. The names of failed tests go to RESULTS/failed, where scripts/verdict.py finds it, and their output to RESULTS/first. Without BUILD there is no second try.

A test that was not run for want of its program or its set-up is a failure; skipped is only what says so itself, with a reason.
"""

import re
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

# The three ways to report "skipped" here: drom's own tests, GoogleTest, and bats (TAP).
_SAYS_SKIPPED = re.compile(r"^(SKIPPED\b.*|\[  SKIPPED \] \S.*|ok \d+ .*# skip.*)$", re.MULTILINE)


class Case:
    def __init__(self, element: xml.Element):
        self.name = element.get("name", "?")
        self.output = (element.findtext("system-out") or "").rstrip()
        self.status = element.get("status", "")
        self.seconds = float(element.get("time") or 0)
        skipped = element.find("skipped")
        self.reason = "" if skipped is None else skipped.get("message", "")

    def verdict(self) -> str:
        if self.status == "disabled" or self.reason.startswith("SKIP_"):
            return "skipped"
        if self.status != "run":
            return "failed"
        return "skipped" if _SAYS_SKIPPED.search(self.output) else "passed"

    def why(self) -> str:
        said = _SAYS_SKIPPED.search(self.output)
        return said.group(0) if said else self.reason


def cases_of(file: Path) -> list[Case]:
    return [Case(element) for element in xml.parse(file).getroot().iter("testcase")]


def log_name(build: str, test: str) -> str:
    return f"{Path(build).name}-{test}.log"


def keep(case: Case, build: str, results: Path, folder: str) -> Path:
    """Keeps all that a test said. Returns the file."""
    log = results / folder / log_name(build, case.name)
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text(f"{case.name}: {case.status} {case.reason}\n{case.output}\n")
    return log


def main() -> int:
    if len(sys.argv) not in (5, 6) or not sys.argv[2].isdigit():
        print("usage: junit.py NAME CPU-SECONDS FILE [BUILD] RESULTS", file=sys.stderr)
        return 2
    name, cpu, file, build, results = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4] if len(sys.argv) == 6 else "", Path(sys.argv[-1])
    try:
        cases = cases_of(Path(file))
    except (OSError, xml.ParseError) as error:
        print(f"junit: {file}: {error}", file=sys.stderr)
        return 1
    by = {verdict: [c for c in cases if c.verdict() == verdict] for verdict in ("passed", "failed", "skipped")}
    seconds = sum(case.seconds for case in cases)
    counts = [len(by[verdict]) for verdict in by]
    print(f"{name:<28} {counts[0]:5} passed {counts[1]:4} failed {counts[2]:4} skipped {seconds:6.0f} s {cpu:5} CPU s", file=sys.stderr)
    for case in by["skipped"]:
        print(f"    skipped: {case.name}: {case.why()}", file=sys.stderr)
    for case in by["failed"]:
        print(f"    failed: {case.name} {case.reason}", file=sys.stderr)
        keep(case, build, results, "first")
        with (results / "failed").open("a") as failed:
            print(name, build, case.name, sep="\t", file=failed)
    with (results / "counts").open("a") as lines:
        print(name, *counts, round(seconds), cpu, sep="\t", file=lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
