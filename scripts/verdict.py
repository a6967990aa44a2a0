#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""verdict.py - the end of a test run: verdict.py RESULTS SECONDS

Reads what scripts/junit.py left in RESULTS: counts, failed. Each test that failed runs once more, alone. A test that passes then failed beside other work:
the last lines name it, RESULTS/first and RESULTS/second keep what it said, and it does not count as failed. More than ten such tests fail the run. So
does a test that failed in a run that has taken more than 70 minutes: SECONDS says how long it took so far.

Ends with "N passed, N failed, N skipped". Exit status: 0 all passed, 1 something failed; with CI=true a skipped test counts as failed.
"""

import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as xml
from dataclasses import dataclass
from pathlib import Path

from junit import cases_of, keep, log_name

MOST_SECOND_TRIES = 10
LAST_SECOND_TRY = 70 * 60
_SHOWN = 60
_TELLS = re.compile(r"^(not ok |.*: Failure$|.*\bWRONG\b|\[  FAILED  \]|.*(ERROR|WARNING): \w*Sanitizer|FAIL: |AssertionError)")


@dataclass
class Failed:
    suite: str
    build: str
    test: str
    passed_alone: bool = False

    def title(self) -> str:
        return f"{Path(self.build).name} {self.test}" if self.build else f"{self.suite} {self.test}"

    def log(self, results: Path, folder: str) -> Path:
        return results / folder / log_name(self.build, self.test)


@dataclass
class Count:
    suite: str
    passed: int
    failed: int
    skipped: int
    seconds: int
    cpu: int  # seconds; without those of processes that leave their test, as daemons do
    alone: int = 0


def rows(file: Path) -> list[list[str]]:
    return [line.split("\t") for line in file.read_text().splitlines()] if file.exists() else []


def second_try(failed: Failed, results: Path) -> bool:
    print(f"test: {failed.title()}: a second try, alone", file=sys.stderr)
    file = results.resolve() / "second" / "result.xml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    exact = "^" + re.sub(r"([.+*?()|])", r"[\1]", failed.test) + "$"
    subprocess.run(["ctest", "--test-dir", failed.build, "-R", exact, "--timeout", "300", "--test-output-size-passed", "1000000", "--test-output-size-failed", "1000000",
                    "--output-junit", str(file)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        again = [case for case in cases_of(file) if case.name == failed.test]
    except (OSError, xml.ParseError):
        return False
    for case in again:
        keep(case, failed.build, results, "second")
    return bool(again) and all(case.verdict() == "passed" for case in again)


def show(failed: Failed, results: Path, folder: str) -> None:
    log = failed.log(results, folder)
    if not log.exists():
        return
    lines = log.read_text(errors="replace").splitlines()
    before = [line for line in lines[:-_SHOWN] if _TELLS.match(line)]
    print(f"--- {failed.title()}, {folder} try; {log} has all that it said")
    for line in [lines[0]] * (len(lines) > _SHOWN) + before[:_SHOWN // 3] + lines[-_SHOWN:]:
        print(f"  | {line}")


def table(counts: list[Count]) -> None:
    print(f"{'suite':<70} {'passed':>6} {'alone':>6} {'failed':>6} {'skipped':>7} {'seconds':>7} {'CPU s':>6}")
    for count in counts:
        print(f"{count.suite:<70} {count.passed:>6} {count.alone:>6} {count.failed:>6} {count.skipped:>7} {count.seconds:>7} {count.cpu:>6}")


def minutes(counts: list[Count], file: Path) -> None:
    """Writes the same for a document: where the minutes went."""
    lines = ["| suites | tests | seconds | CPU seconds |", "| --- | --- | --- | --- |"]
    lines += [f"| {count.suite} | {count.passed + count.alone + count.failed + count.skipped} | {count.seconds} | {count.cpu} |" for count in sorted(counts, key=lambda c: -c.seconds)]
    file.write_text("\n".join(lines) + "\n")


def judge(failures: list[Failed], counts: list[Count], results: Path, begin: float) -> None:
    """Tries failed tests a second time, and changes the counts by their results."""
    by_suite = {count.suite: count for count in counts}
    for failed in failures if len(failures) <= MOST_SECOND_TRIES else []:
        if time.monotonic() - begin > LAST_SECOND_TRY:
            print(f"test: {failed.title()}: no second try after {LAST_SECOND_TRY // 60} minutes", file=sys.stderr)
            continue
        failed.passed_alone = bool(failed.build) and second_try(failed, results)
        if failed.passed_alone:
            by_suite[failed.suite].failed -= 1
            by_suite[failed.suite].alone += 1


def main() -> int:
    if len(sys.argv) != 3 or not sys.argv[2].isdigit():
        print("usage: verdict.py RESULTS SECONDS", file=sys.stderr)
        return 2
    results, begin = Path(sys.argv[1]), time.monotonic() - int(sys.argv[2])
    counts = [Count(suite, *map(int, numbers)) for suite, *numbers in rows(results / "counts")]
    failures = [Failed(*row) for row in rows(results / "failed")]
    # Before the second tries: a run may be stopped while they are under way.
    for failed in failures:
        show(failed, results, "first")
    sys.stdout.flush()
    judge(failures, counts, results, begin)
    for failed in failures:
        if not failed.passed_alone:
            show(failed, results, "second")
    table(counts)
    minutes(counts, results / "minutes.md")
    for failed in failures:
        how = "failed once beside other work, passed alone" if failed.passed_alone else "failed"
        print(f"test: {how}: {failed.title()}")
    if len(failures) > MOST_SECOND_TRIES:
        print(f"test: {len(failures)} tests failed, more than the {MOST_SECOND_TRIES} that get a second try")
    passed = sum(count.passed + count.alone for count in counts)
    failed_count = sum(count.failed for count in counts)
    skipped = sum(count.skipped for count in counts)
    no_skips = os.environ.get("CI") == "true" and skipped > 0
    if no_skips:
        print(f"test: {skipped} tests were skipped, and CI=true allows none")
    print(f"{passed} passed, {failed_count} failed, {skipped} skipped")
    return 1 if failed_count > 0 or no_skips else 0


if __name__ == "__main__":
    sys.exit(main())
