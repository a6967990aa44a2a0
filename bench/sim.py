#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""sim.py - how fast drom-sim replays real logs, and in how much memory; called by `scripts/bench.sh sim`.

Each figure is the processor time of a whole process that reads the log, simulates and prints, on one thread. Processor time, because
the machine has other users; wall-clock time is beside it. Writes build/bench/sim.json and a table on stdout.
Exit status: 0 measured, whatever came out; 1 the logs or the command are not there, or a run failed."""

import json
import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SIM = ROOT / "build" / "release" / "bin" / "drom-sim"
LOGS = ROOT.parent / "shared" / "workloads"
CURIE = ["--swf", str(LOGS / "CEA-Curie-2012.pyss-easy.swf.gz"), "--nodes", "5040", "--cores-per-node", "16"]
RICC = ["--swf", str(LOGS / "RICC-2010-2.swf.gz"), "--nodes", "1024", "--cores-per-node", "8"]
YEAR = ["--generate", "year"]  # a million jobs on 10,000 nodes of 192 cores
SLURM = ["--bf-max-job-test", "100", "--bf-window", "0"]

# key, arguments, target in seconds (None: no target)
FIGURES = [
    ("curie_easy", [*CURIE, "--policy", "easy"], 5),
    ("curie_sd", [*CURIE, "--policy", "sd", *SLURM, "--max-slowdown", "10"], 15),
    ("curie_sd_plus", [*CURIE, "--policy", "sd+"], None),
    ("curie_slurm", [*CURIE, "--policy", "slurm"], None),
    ("ricc_easy", [*RICC, "--policy", "easy"], 10),
    ("ricc_sd", [*RICC, "--policy", "sd", *SLURM, "--max-slowdown", "10"], 30),
    ("curie_easy_10k", [*CURIE, "--policy", "easy", "--first", "10000"], None),
    ("curie_easy_50k", [*CURIE, "--policy", "easy", "--first", "50000"], None),
    ("curie_sd_10k", [*CURIE, "--policy", "sd", *SLURM, "--max-slowdown", "10", "--first", "10000"], None),
    ("curie_sd_50k", [*CURIE, "--policy", "sd", *SLURM, "--max-slowdown", "10", "--first", "50000"], None),
    ("year_easy", [*YEAR, "--policy", "easy"], 10),
    ("year_sd", [*YEAR, "--policy", "sd", *SLURM, "--max-slowdown", "10"], 60),
    ("year_easy_100k", [*YEAR, "--policy", "easy", "--jobs", "100000"], None),
    ("year_sd_100k", [*YEAR, "--policy", "sd", *SLURM, "--max-slowdown", "10", "--jobs", "100000"], None),
]
RSS_TARGET_MIB = 1024
RSS_TARGET_YEAR_MIB = 2048


def run(arguments: list[str]) -> dict:
    """Runs one process. Returns its time and its memory, and how many jobs it replayed."""
    begin = time.monotonic()
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(writing, 1)
        os.execv(SIM, [str(SIM), *arguments, "--json", "--quiet"])
    os.close(writing)
    with os.fdopen(reading) as out:
        text = out.read()
    _, status, usage = os.wait4(pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise RuntimeError(f"drom-sim {' '.join(arguments)} ended with {os.waitstatus_to_exitcode(status)}")
    cpu = usage.ru_utime + usage.ru_stime
    return {"cpu_s": round(cpu, 3), "wall_s": round(time.monotonic() - begin, 3), "rss_mib": round(usage.ru_maxrss / 1024, 1),
            "jobs": json.loads(text)["jobs"]}


def line(key: str, figure: dict) -> str:
    target = f"{figure['target_s']} s" if figure["target_s"] else "-"
    return (f"{key:16} {figure['cpu_s']:8.2f} {target:>7} {figure['wall_s']:8.2f} {figure['rss_mib']:8.0f} "
            f"{figure['jobs'] / figure['cpu_s']:12,.0f}")


def main() -> int:
    if not LOGS.is_dir() or not SIM.exists():
        print(f"bench: sim: {LOGS if not LOGS.is_dir() else SIM} is not there", file=sys.stderr)
        return 1
    figures = {}
    print(f"{'figure':16} {'cpu s':>8} {'target':>7} {'wall s':>8} {'MiB':>8} {'jobs / cpu s':>12}")
    for key, arguments, target in FIGURES:
        runs = [run(arguments) for _ in range(3)]
        figures[key] = min(runs, key=lambda r: r["cpu_s"]) | {"target_s": target, "all_cpu_s": [r["cpu_s"] for r in runs]}
        print(line(key, figures[key]), flush=True)
    for what, target in (("logs", RSS_TARGET_MIB), ("year", RSS_TARGET_YEAR_MIB)):
        most = max(figure["rss_mib"] for key, figure in figures.items() if key.startswith("year") == (what == "year"))
        print(f"most memory, {what}: {most:.0f} MiB (target {target})")
    folder = ROOT / "build" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sim.json").write_text(json.dumps({"figures": figures, "rss_target_mib": RSS_TARGET_MIB, "rss_target_year_mib": RSS_TARGET_YEAR_MIB}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
