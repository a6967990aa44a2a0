#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""starts.py - writes the tables of docs/results/starts.md, from simulations made now.

  scripts/results/starts.py build/release/bin/drom-sim FOLDER_OF_LOGS [--only PART] [--check]

Parts are moldable, urgent, reservations and guests; those that are not asked for stay as they are. With --check nothing is written: the difference is
printed, and the status is 1 where there is one.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from page import Page

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = "scripts/results/starts.py"
PAGE = ROOT / "docs/results/starts.md"

# File, options of the machine.
LOGS = {
    "KTH-SP2-1996-2.1-cln": ["--nodes", "100", "--cores-per-node", "1"],
    "SDSC-SP2-1998.pyss-easy": ["--nodes", "128", "--cores-per-node", "1"],
    "CTC-SP2-1996.pyss-easy": ["--nodes", "338", "--cores-per-node", "1"],
    "lublin_256": ["--nodes", "256", "--cores-per-node", "1"],
    "RICC-sept-2010": ["--nodes", "1024", "--cores-per-node", "8"],
}
# Nodes that can be shared have several cores. The log of KTH is of nodes of one; here each four are a node.
SHARED = {
    "RICC-sept-2010": LOGS["RICC-sept-2010"],
    "KTH-SP2-1996-2.1-cln": ["--nodes", "25", "--cores-per-node", "4"],
}
URGENT = [f"urgent:urgent_by={by}" for by in ("wait", "first", "share", "preempt", "share-first")]
MOLDABLE = ["easy", "moldable", "moldable:mold_min=0.1", "moldable:mold_min=0.5", "moldable:mold_reservations=10", "moldable:mold_max=2"]

# Half of a machine, for twelve hours of each week.
RESERVED_LOG, RESERVED_NODES, LENGTH = "KTH-SP2-1996-2.1-cln", 50, 43200
RESERVED = [(week * 604800, week * 604800 + LENGTH) for week in range(1, 47)]
BEFORE = 86400
LEADS = [(None, "1"), ("none", "1"), ("60", "1"), ("600", "1"), ("60", "0.5"), ("60", "0.25")]

# The same where nodes are shared: four nodes of the log are one, and 12 of 25 are reserved.
SHARED_NODES = 12
GUESTS = [("slurm", False), ("sd:max_slowdown=inf", False), ("slurm", True), ("sd:max_slowdown=inf", True), ("sd:max_slowdown=inf,leave_lead=60", True), ("sd-deep", True)]


def nodes_of(text: str) -> set[int]:
    nodes = set()
    for item in text.split(","):
        first, _, last = item.partition("-")
        nodes.update(range(int(first), int(last or first) + 1))
    return nodes


class ReservedNodes:
    """Counts the node-seconds of jobs on the reserved nodes, by the record of a simulation."""

    def __init__(self, first: int):
        self.first, self.jobs, self.resizes = first, {}, 0
        self.before = self.within = 0

    def line(self, text: str) -> None:
        kind, *words = text.split()
        if kind not in ("start", "resize", "end"):
            return
        values = dict(word.split("=", 1) for word in words)
        at, job = int(values["at"]), values["job"]
        self.resizes += kind == "resize"
        if job in self.jobs:
            self.count(*self.jobs.pop(job), at)
        if kind != "end":
            self.jobs[job] = (sum(node >= self.first for node in nodes_of(values["nodes"])), at)

    def count(self, nodes: int, start: int, end: int) -> None:
        for begin, over in RESERVED:
            self.before += nodes * max(0, min(end, begin) - max(start, begin - BEFORE))
            self.within += nodes * max(0, min(end, over) - max(start, begin))


class Tables:
    """Runs the simulator over the logs of one folder."""

    def __init__(self, sim: str, logs: Path):
        self.sim, self.logs = sim, logs

    def words(self, log: str, machine: list[str], more: list[str]) -> list[str]:
        return ["compare", "--swf", f"{log}.swf.gz", *machine, *more]

    def summaries(self, log: str, machine: list[str], settings: list[str], more: list[str]) -> list[dict]:
        words = [self.sim, *self.words(log, machine, [*settings, *more]), "--json", "-q"]
        out = subprocess.run(words, cwd=self.logs, check=True, capture_output=True, text=True).stdout
        return json.loads(out)

    def command(self, log: str, machine: list[str], settings: list[str], more: list[str]) -> str:
        return "`drom-sim " + " ".join(self.words(log, machine, [*settings, *more])) + "`"

    def moldable(self) -> list[str]:
        more = ["--moldable-share", "1"]
        lines = ["| log | policy | mean wait s | mean response s | slowdown | bounded slowdown | nodes in use % | command |", "| --- | --- | --- | --- | --- | --- | --- | --- |"]
        for log, machine in LOGS.items():
            for setting, found in zip(MOLDABLE, self.summaries(log, machine, MOLDABLE, more)):
                settings = [setting] if setting == "easy" else ["easy", setting]
                lines.append(f"| {log} | `{setting}` | {found['wait_mean']:.0f} | {found['response_mean']:.0f} | {found['slowdown_mean']:.1f} | "
                             f"{found['bounded_slowdown_mean']:.1f} | {100 * found['allocated']:.1f} | {self.command(log, machine, settings, more)} |")
        return lines

    def urgent(self) -> list[str]:
        lines = ["| log, malleable | policy | wait of urgent jobs s: mean | 95th percentile | slowdown of urgent jobs | shared starts | preemptions | lost node-hours | mean wait of all s | slowdown of all | command |", "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
        for log, machine in SHARED.items():
            for share in ("1", "0.5"):
                more = ["--urgent-share", "0.05", "--malleable-share", share]
                for setting, found in zip(URGENT, self.summaries(log, machine, URGENT, more)):
                    lines.append(f"| {log}, {100 * float(share):.0f} % | `{setting}` | {found['urgent_wait_mean']:.0f} | {found['urgent_wait_p95']:.0f} | {found['urgent_slowdown_mean']:.1f} | "
                                 f"{found['malleable_starts']} | {found['preemptions']} | {found['lost_node_seconds'] / 3600:.0f} | {found['wait_mean']:.0f} | {found['slowdown_mean']:.1f} | "
                                 f"{self.command(log, machine, [setting], more)} |")
        return lines

    def reservations(self) -> list[str]:
        lines = ["| reservations, malleable | mean wait s | mean response s | slowdown | node-hours empty in the 24 h before | in use within | jobs that left nodes | command |", "| --- | --- | --- | --- | --- | --- | --- | --- |"]
        machine = LOGS[RESERVED_LOG]
        for lead, share in LEADS:
            words = ["--swf", f"{RESERVED_LOG}.swf.gz", *machine, "--policy", "slurm", "--malleable-share", share]
            reserved = "/".join(f"{begin}-{end}:{RESERVED_NODES}" for begin, end in RESERVED)
            options = [] if lead is None else ["--leave-lead", lead]
            with tempfile.TemporaryDirectory() as folder:
                record = Path(folder) / "record"
                command = [self.sim, *words, *options, *(["--reserved", reserved] if lead else []), "--record", str(record), "--json", "-q"]
                found = json.loads(subprocess.run(command, cwd=self.logs, check=True, capture_output=True, text=True).stdout)
                counted = ReservedNodes(int(machine[1]) - RESERVED_NODES)
                for line in record.open(encoding="utf-8"):
                    counted.line(line)
            empty = len(RESERVED) * RESERVED_NODES * BEFORE - counted.before
            name = "no reservation" if lead is None else "held empty" if lead == "none" else f"`leave_lead={lead}`"
            shown = " ".join([*words, *(["--reserved ${weekly#/}", *options] if lead else [])])
            lines.append(f"| {name}, {100 * float(share):.0f} % | {found['wait_mean']:.0f} | {found['response_mean']:.0f} | {found['slowdown_mean']:.1f} | {empty / 3600:.0f} | "
                         f"{counted.within / 3600:.0f} | {counted.resizes} | `drom-sim {shown}` |")
        return lines

    def guests(self) -> list[str]:
        lines = ["| policy | reservations | mean wait s | mean response s | slowdown | bounded slowdown | shared starts | command |", "| --- | --- | --- | --- | --- | --- | --- | --- |"]
        reserved = "/".join(f"{begin}-{end}:{SHARED_NODES}" for begin, end in RESERVED)
        for setting, with_reservations in GUESTS:
            words = ["--swf", f"{RESERVED_LOG}.swf.gz", *SHARED[RESERVED_LOG], "--policy", setting]
            command = [self.sim, *words, *(["--reserved", reserved] if with_reservations else []), "--json", "-q"]
            found = json.loads(subprocess.run(command, cwd=self.logs, check=True, capture_output=True, text=True).stdout)
            shown = " ".join([*words, *(["--reserved ${shared#/}"] if with_reservations else [])])
            lines.append(f"| `{setting}` | {'46' if with_reservations else 'none'} | {found['wait_mean']:.0f} | {found['response_mean']:.0f} | {found['slowdown_mean']:.1f} | "
                         f"{found['bounded_slowdown_mean']:.1f} | {found['malleable_starts']} | `drom-sim {shown}` |")
        return lines


PARTS = ["moldable", "urgent", "reservations", "guests"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sim")
    parser.add_argument("logs", type=Path)
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    tables = Tables(str(Path(options.sim).resolve()), options.logs)
    page = Page(PAGE)
    for part in [options.only] if options.only else PARTS:
        page.replace(part, SCRIPT, getattr(tables, part)())
    return page.check() if options.check else page.write()


if __name__ == "__main__":
    sys.exit(main())
