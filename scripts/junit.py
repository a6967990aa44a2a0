#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""junit.py - one suite's line: junit.py NAME FILE tells people on stderr, and prints "passed failed skipped" on stdout.

FILE is what ctest --output-junit wrote. A test that was not run for want of its program or its set-up is a failure; skipped is only
what says so itself, with a reason. The output of what failed is shown again, so that nobody has to look for a log.
"""

import re
import sys
import xml.etree.ElementTree as xml

# The three ways to say "skipped" here: our own tests, GoogleTest, and bats (TAP).
_SAYS_SKIPPED = re.compile(r"^(SKIPPED\b.*|\[  SKIPPED \] \S.*|ok \d+ .*# skip.*)$", re.MULTILINE)
_SHOWN = 25


class Case:
    def __init__(self, element: xml.Element):
        self.name = element.get("name", "?")
        self.output = (element.findtext("system-out") or "").rstrip()
        self.status = element.get("status", "")
        skipped = element.find("skipped")
        self.reason = "" if skipped is None else skipped.get("message", "")

    def verdict(self) -> str:
        said = _SAYS_SKIPPED.search(self.output)
        if self.status == "disabled" or self.reason.startswith("SKIP_"):
            return "skipped"
        if self.status != "run":
            return "failed"
        return "skipped" if said else "passed"

    def why(self) -> str:
        said = _SAYS_SKIPPED.search(self.output)
        return said.group(0) if said else self.reason


def main() -> int:
    if len(sys.argv) != 3:
        print("usage: junit.py NAME FILE", file=sys.stderr)
        return 2
    try:
        cases = [Case(element) for element in xml.parse(sys.argv[2]).getroot().iter("testcase")]
    except (OSError, xml.ParseError) as error:
        print(f"junit: {sys.argv[2]}: {error}", file=sys.stderr)
        return 1
    by = {verdict: [c for c in cases if c.verdict() == verdict] for verdict in ("passed", "failed", "skipped")}
    print(f"{sys.argv[1]:<28} {len(by['passed']):5} passed {len(by['failed']):4} failed {len(by['skipped']):4} skipped", file=sys.stderr)
    for case in by["skipped"]:
        print(f"    skipped: {case.name}: {case.why()}", file=sys.stderr)
    for case in by["failed"]:
        print(f"    failed: {case.name} {case.reason}", file=sys.stderr)
        for line in case.output.splitlines()[-_SHOWN:]:
            print(f"      | {line}", file=sys.stderr)
    print(len(by["passed"]), len(by["failed"]), len(by["skipped"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
