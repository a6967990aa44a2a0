#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""run_verify.py - drom verify finds the programs that a team of another size breaks.

Each is a guest of catalogue.py that trusts in the numbers of its threads, in their state, or in a size that it keeps.
drom verify has to call keep right and follow not. A run tries two of them, others each hour; with ANSWERS_SEQUENCES set
it tries all. Where too few requests land on a busy machine the guest is run longer, up to twice.

  run_verify.py BUILD [--only PATTERN] [--count N]

Exit status: 0 all found, 1 one was not, 77 a guest was not built.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BROKEN = {
    "numbers": "blocks minimum owners slots buckets selves counted streams seeded roles",
    "locals": "library specific callback",
    "sizes": "environment argument team_size",
    "levels": "lists levels wrapper",
    "state": "threadprivate",
}
SCALES = (30, 120, 480)  # 100: a guest runs for about a second
SKIPPED = 77


def verify(build: Path, words: list[str]) -> tuple[dict, str]:
    with tempfile.TemporaryDirectory(prefix="drom-verify-") as folder:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("DROM_", "OMP_"))}
        environment |= {"DROM_TABLE": f"{folder}/table", "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}
        done = subprocess.run([str(build / "bin" / "drom"), "verify", "--no-record", "--json", "--", *words], env=environment, cwd=folder,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return json.loads(done.stdout or "{}"), done.stderr


def right_of(report: dict, mode: str) -> tuple[int, int]:
    return next(((each["right"], each["runs"]) for each in report.get("modes", []) if each["mode"] == mode), (0, 0))


def complaint(build: Path, guest: Path, mode: str) -> str:
    """Returns what is wrong with the verdict, or an empty text."""
    for scale in SCALES:
        report, said = verify(build, [str(guest), mode, str(scale), "2"])
        keep, follow = right_of(report, "keep"), right_of(report, "follow")
        if report.get("verified") or report.get("chosen"):
            break
    told = f"keep {keep[0]} of {keep[1]}, follow {follow[0]} of {follow[1]}, chosen: {report.get('chosen') or 'none'}"
    print(f"{guest.name} {mode}: {told}", flush=True)
    found = report.get("chosen") == "keep" and keep[0] == keep[1] > 0 and follow[0] < follow[1]
    return "" if found else f"{guest.name} {mode}: {told}: {said.strip()[-300:]}"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("--only", default=".*", help="pattern of GUEST:MODE")
    parser.add_argument("--count", type=int, default=1000 if os.environ.get("ANSWERS_SEQUENCES") else 2)
    given = parser.parse_args()
    if len(os.sched_getaffinity(0)) < 2:
        print("SKIPPED: one CPU only")
        return SKIPPED
    all_of_them = [(name, mode) for name, modes in BROKEN.items() for mode in modes.split() if re.fullmatch(given.only, f"{name}:{mode}")]
    random.Random(int(time.time()) // 3600).shuffle(all_of_them)
    build, wrong = given.build.resolve(), []
    for name, mode in all_of_them[:given.count]:
        guest = build / "tests" / "answers" / "guests" / f"{name}-gcc"
        if not guest.exists():
            print(f"SKIPPED: {guest.name} was not built")
            return SKIPPED
        wrong += [text] if (text := complaint(build, guest, mode)) else []
    for text in wrong:
        print(f"NOT FOUND {text}")
    print(f"answers.verify: {min(given.count, len(all_of_them))} programs that another team size breaks, {len(wrong)} not found")
    return 1 if wrong or not all_of_them else 0


if __name__ == "__main__":
    sys.exit(main())
