#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""starts.py - writes the tables of docs/results/starts.md, from simulations made now.

  scripts/results/starts.py build/release/bin/drom-sim FOLDER_OF_LOGS
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
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


def replaced(text: str, name: str, lines: list[str]) -> str:
    begin, end = f"<!-- {name}: made by scripts/results/starts.py -->", f"<!-- end of {name} -->"
    before, after = text.index(begin), text.index(end)
    return text[:before] + "\n".join([begin, "", *lines, "", ""]) + text[after:]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sim")
    parser.add_argument("logs", type=Path)
    options = parser.parse_args()
    tables = Tables(str(Path(options.sim).resolve()), options.logs)
    text = PAGE.read_text(encoding="utf-8")
    text = replaced(text, "moldable", tables.moldable())
    text = replaced(text, "urgent", tables.urgent())
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
