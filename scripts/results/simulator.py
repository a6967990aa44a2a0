#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""simulator.py - writes tables of docs/results/simulator.md, from simulations made now.

  scripts/results/simulator.py build/release/bin/drom-sim FOLDER_OF_LOGS [--only PART] [--row TEXT] [--check]

Parts are easy, workload3, cirne, curie, predictions, recovered, plan, sensitivity and speed; those that are not asked for stay as they are. With --check
nothing is written: rows that differ are printed, and the status is 1 where there are any. --row checks only the rows that have the text, and makes no
others. The part speed is made only where it is asked for, of build/bench/sim.json, which `scripts/bench.sh sim` writes. Tables of few malleable jobs
are those of shares.py.
"""

import argparse
import csv
import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import fmean

from page import Page, with_interval

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = "scripts/results/simulator.py"
PAGE = ROOT / "docs/results/simulator.md"

# Name on the page, file, options of the machine; pyss: mean wait, mean response, bounded slowdown; whether field 3 has
# its waits.
EASY = [
    ("KTH-SP2-1996-2.1-cln, 100 nodes", "KTH-SP2-1996-2.1-cln", ["--nodes", "100"], ("pyss", 6843.5, 15696.3, 92.89), False),
    ("KTH-SP2-1996 (derived)", "KTH-SP2-1996.pyss-easy", ["--nodes", "100"], ("pyss 2015", 6836.9, 15696.8, 92.58), True),
    ("SDSC-SP2-1998 (derived), 128", "SDSC-SP2-1998.pyss-easy", ["--nodes", "128"], ("pyss", 20576.0, 27929.1, 87.86), True),
    ("CTC-SP2-1996 (derived), 338", "CTC-SP2-1996.pyss-easy", ["--nodes", "338"], ("pyss", 13942.3, 25196.5, 48.74), True),
    ("CEA-Curie-2012 (derived), 80640", "CEA-Curie-2012.pyss-easy", ["--nodes", "80640"], ("pyss", 6519.9, 13033.4, 205.76), True),
]

RICC = ["--swf", "RICC-sept-2010.swf.gz", "--nodes", "1024", "--cores-per-node", "8"]
KTH = ["--swf", "KTH-SP2-1996-2.1-cln.swf.gz", "--nodes", "25", "--cores-per-node", "4"]
DEPTH = {"bf_max_job_test": "50", "bf_window": "0"}
# The static row of workload 3 in the thesis.
PUBLISHED = {"response_mean": 43537, "slowdown_mean": 1341, "makespan": 407043}

def setting_of(policy: str, options: dict[str, str]) -> str:
    return policy + (":" + ",".join(f"{name}={value}" for name, value in options.items()) if options else "")


# Parameter, its values, and whether it is one of both settings.
SENSITIVITY = [
    ("max_mates", ["1", "2", "3"], False),
    ("candidates", ["50", "200", "0"], False),
    ("sharing_factor", ["0.25", "0.5", "0.75"], False),
    ("bf_max_job_test", ["50", "100", "300", "1000"], True),
    ("bf_interval", ["30", "60", "300"], True),
    ("malleable_share", ["0", "0.2", "0.4", "0.6", "0.8", "1"], False),
    ("overestimate", ["0", "0.5", "1"], True),
]
# Workload, what its slowdown changes by in the thesis, options of sd, other settings.
CIRNE_SEEDS = 20
LIMITS = [{"max_slowdown": limit} for limit in ("5", "10", "50", "inf")]
CIRNE = [
    ("w1", "-49.5 %", [*LIMITS, {}], ["easy", "sd+"]),
    ("w2", "-31 %", [LIMITS[-1], {}], ["easy", "sd+"]),
    ("w1-samples", "", [LIMITS[-1]], ["sd+"]),
    ("w2-samples", "", [LIMITS[-1]], ["sd+"]),
]

CURIE = ["--swf", "CEA-Curie-2012.pyss-easy.swf.gz", "--nodes", "5040", "--cores-per-node", "16"]
# Baseline, and the settings that are compared with it; none: it stands alone.
CURIE_SETTINGS = [
    ("slurm", ["sd:max_slowdown=10", "sd:max_slowdown=inf", "sd"]),
    ("easy", ["sd:base=easy,max_slowdown=10", "sd+"]),
    (setting_of("slurm", DEPTH), [setting_of("sd", {"max_slowdown": "10", **DEPTH})]),
]

RECOVERED_SEEDS = 5
RECOVERED = [{"model": "worst"}] + [
    {"model": "worst", **options}
    for options in ({"prediction": "knn"}, {"prediction": "last2"}, {"sd_prediction": "knn"}, {"sd_prediction": "knn", "safety": "0.9"}, {"sd_prediction": "knn", "sd_plan": "prediction"})
]
# Name on the page, options of log and machine, and settings whose limits are extended by requests or by predictions.
PLANNED = [
    ("RICC-sept-2010", RICC, ("sd", {"max_slowdown": "inf", **DEPTH, "sd_prediction": "knn"})),
    ("RICC-sept-2010", RICC, ("sd-deep", DEPTH)),
    ("KTH-SP2-1996-2.1-cln, 25 x 4", KTH, ("sd", {"max_slowdown": "inf", "sd_prediction": "knn"})),
    ("KTH-SP2-1996-2.1-cln, 25 x 4", KTH, ("sd-deep", {})),
]

# Row, and its keys in build/bench/sim.json: under easy, under sd.
SPEED = [
    ("CEA-Curie-2012, 5040 x 16", "curie_easy", "curie_sd"),
    ("its first 50000", "curie_easy_50k", "curie_sd_50k"),
    ("RICC-2010, 1024 x 8", "ricc_easy", "ricc_sd"),
    ("preset `year`, 10000 x 192, generated", "year_easy", "year_sd"),
    ("its first 100000", "year_easy_100k", "year_sd_100k"),
]
PREDICTED = [(name, log, machine) for name, log, machine, _, derived in EASY if derived][:3]
MEASURES = ("response_mean", "slowdown_mean", "stretched_slowdown_mean", "makespan")
# Options of easy, and the bounded slowdowns that the study has of the same rules on the logs of PREDICTED.
PREDICTORS = [
    ({"prediction": "request"}, (92.58, 87.87, 49.57)),
    ({"prediction": "user2"}, (76.92, 83.99, 69.39)),
    ({"prediction": "user2", "correction": "request"}, (65.72, 79.21, 35.32)),
    ({"prediction": "last2"}, None),
    ({"prediction": "last2", "correction": "request"}, None),
    ({"prediction": "knn"}, None),
    ({"prediction": "knn", "correction": "request"}, None),
]


class Simulations:
    """Runs of the simulator over the logs of a folder; none is made twice."""

    def __init__(self, sim: str, logs: Path):
        self.sim, self.logs = sim, logs
        self.known: dict[tuple[str, ...], dict] = {}

    def summary(self, words: list[str]) -> dict:
        key = tuple(words)
        if key not in self.known:
            out = subprocess.run([self.sim, *words, "--json", "-q"], cwd=self.logs, check=True, capture_output=True, text=True).stdout
            self.known[key] = json.loads(out)
        return self.known[key]

    def compared(self, preset: str, settings: list[str], seeds: int) -> dict[str, list[dict]]:
        """Returns the rows of summary.csv of each setting, a row per seed."""
        with tempfile.TemporaryDirectory() as folder:
            words = compare_words(preset, settings, seeds)
            subprocess.run([self.sim, *words, "--out", folder, "--force", "--gantt", "none", "-q"], check=True, stdout=subprocess.DEVNULL)
            with open(Path(folder, "summary.csv"), encoding="utf-8") as lines:
                rows = list(csv.DictReader(lines))
        return {setting: [row for row in rows if row["setting"] == setting] for setting in settings}

    def same_waits(self, words: list[str], log: str) -> float:
        """Returns the share of the jobs, in percent, that wait as long as field 3 of the log says."""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([self.sim, *words, "--out", folder, "--gantt", "none", "-q"], cwd=self.logs, check=True, stdout=subprocess.DEVNULL)
            with open(Path(folder, "jobs.csv"), encoding="utf-8") as lines:
                ours = {row["id"]: row["wait"] for row in csv.DictReader(lines)}
        with gzip.open(self.logs / f"{log}.swf.gz", "rt", encoding="utf-8", errors="replace") as lines:
            theirs = [line.split()[:3] for line in lines if line.strip() and not line.lstrip().startswith(";")]
        return 100 * sum(ours.get(job) == wait for job, _, wait in theirs) / len(theirs)


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    return ["| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *rows]]


def command(words: list[str]) -> str:
    return "`drom-sim " + " ".join(words) + "`"


def compare_words(preset: str, settings: list[str], seeds: int) -> list[str]:
    return ["compare", "--generate", preset, "--seeds", str(seeds), *settings]


def changes(ours: list[dict], theirs: list[dict], measure: str) -> list[float]:
    """Changes of a measure in percent, one per seed."""
    return [100 * (float(a[measure]) / float(b[measure]) - 1) for a, b in zip(ours, theirs, strict=True)]


def change(here: float, there: float) -> str:
    return f"{100 * (here / there - 1):+.1f} %"


class Tables:
    def __init__(self, simulations: Simulations, row: str):
        self.simulations, self.row = simulations, row

    def wanted(self, *names: str) -> bool:
        return any(self.row in name for name in names)

    def easy(self) -> list[str]:
        rows = []
        for name, log, machine, pyss, derived in EASY:
            if not self.wanted(name):
                continue
            words = ["--swf", f"{log}.swf.gz", *machine, "--cores-per-node", "1", "--policy", "easy"]
            found = self.simulations.summary(words)
            ours = [f"{found['wait_mean']:.1f}", f"{found['response_mean']:.1f}", f"{found['bounded_slowdown_mean']:.2f}"]
            rows.append([name, pyss[0], f"{pyss[1]:.1f}", f"{pyss[2]:.1f}", f"{pyss[3]:.2f}", "", ""])
            rows.append([name, "drom-sim", *ours, f"{self.simulations.same_waits(words, log):.1f} %" if derived else "", command(words)])
        return table(["log", "", "mean wait s", "mean response s", "bounded slowdown", "same wait", "command"], rows)

    def workload3(self) -> list[str]:
        static = setting_of("slurm", DEPTH)
        settings = [static, static + ",bf_interval=300", setting_of("sd", {"max_slowdown": "inf", **DEPTH}), "easy", "sd+"]
        rows = [["published static", *(str(value) for value in PUBLISHED.values()), ""]]
        for setting in settings:
            if not self.wanted(setting):
                continue
            words = [*RICC, "--policy", setting]
            found = self.simulations.summary(words)
            against, name = self.against(setting, static)
            cells = [f"{found[key]:{form}} ({change(found[key], against[key])})" for key, form in (("response_mean", ".0f"), ("slowdown_mean", ".1f"), ("makespan", "d"))]
            rows.append([f"`{setting}`, against {name}", *cells, command(words)])
        return table(["policy", "response s", "slowdown", "makespan s", "command"], rows)

    def against(self, setting: str, static: str) -> tuple[dict, str]:
        if setting.startswith("slurm"):
            return PUBLISHED, "the published row"
        name = "easy" if setting == "sd+" else static
        return self.simulations.summary([*RICC, "--policy", name]), f"`{name}`"

    def cirne(self) -> list[str]:
        static, rows = setting_of("slurm", DEPTH), []
        for preset, published, options, others in CIRNE:
            settings = [setting_of("sd", {**some, **DEPTH}) for some in options] + others
            settings = [setting for setting in settings if self.wanted(f"{preset} {setting}")]
            found = self.simulations.compared(preset, [static, *settings], CIRNE_SEEDS) if settings else {}
            for setting in settings:
                cells = [with_interval(changes(found[setting], found[static], measure)) for measure in MEASURES]
                name = f"{preset} (published: {published})" if published else preset
                rows.append([name, f"`{setting}`", *cells, command(compare_words(preset, [static, setting], CIRNE_SEEDS))])
        return table(["workload", "policy", "response", "slowdown", "stretched slowdown", "makespan", "command"], rows)

    def curie(self) -> list[str]:
        rows = []
        for baseline, settings in CURIE_SETTINGS:
            for setting in [baseline, *settings]:
                if not self.wanted(setting):
                    continue
                here, there = (self.simulations.summary([*CURIE, "--policy", name]) for name in (setting, baseline))
                means = [(here[measure], change(here[measure], there[measure])) for measure in MEASURES[:3]]
                cells = [f"{mean:.0f}" if setting == baseline else f"{mean:.0f} ({changed})" for mean, changed in means]
                shared = "" if setting == baseline else str(here["malleable_starts"])
                rows.append([f"`{setting}`", *cells, shared, command([*CURIE, "--policy", setting])])
        return table(["policy", "response s", "slowdown", "stretched slowdown", "shared starts", "command"], rows)

    def recovered(self) -> list[str]:
        preset, static = "w1-samples", setting_of("slurm", DEPTH)
        ideal, *settings = [setting_of("sd", {"max_slowdown": "inf", **DEPTH, **options}) for options in [{"model": "ideal"}, *RECOVERED]]
        found = self.simulations.compared(preset, [static, ideal, *settings], RECOVERED_SEEDS)
        means = {setting: fmean(changes(found[setting], found[static], "slowdown_mean")) for setting in (ideal, *settings)}
        lost, rows = means[settings[0]] - means[ideal], []
        for setting in (ideal, *settings):
            gain, loss = (with_interval(changes(found[setting], found[other], "slowdown_mean")) for other in (static, ideal))
            back = f"{100 * (means[settings[0]] - means[setting]) / lost:.0f} %"
            words = command(compare_words(preset, [static, ideal, *([] if setting == ideal else [setting])], RECOVERED_SEEDS))
            rows.append([f"`{setting}`", gain, "-" if setting == ideal else loss, "-" if setting in (ideal, settings[0]) else back, words])
        return table(["policy", "against `slurm`", "against `model=ideal`", "difference got back", "command"], rows)

    def plan(self) -> list[str]:
        rows = []
        for name, where, (policy, options) in PLANNED:
            settings = [setting_of(policy, {**options, "sd_plan": plan}) for plan in ("request", "prediction")]
            for setting in settings:
                if not self.wanted(f"{name} {setting}"):
                    continue
                here, there = (self.simulations.summary([*where, "--policy", other]) for other in (setting, settings[0]))
                means = [f"{here[measure]:.0f}" for measure in ("wait_mean", "response_mean", "slowdown_mean")]
                changed = "-" if setting == settings[0] else change(here["slowdown_mean"], there["slowdown_mean"])
                counts = [str(here[count]) for count in ("malleable_starts", "outlived", "killed")]
                rows.append([name, f"`{setting}`", *means, changed, *counts, command([*where, "--policy", setting])])
        head = ["log", "policy", "wait s", "response s", "slowdown", "change", "shared starts", "guests that outlive a mate", "killed"]
        return table([*head, "command"], rows)

    def speed(self) -> list[str]:
        figures = json.loads((ROOT / "build/bench/sim.json").read_text(encoding="utf-8"))["figures"]
        rows = []
        for name, easy, sd in SPEED:
            rows.append([name, str(figures[easy]["jobs"]), *(f"{figures[key]['cpu_s']:.2f}" for key in (easy, sd))])
        return table(["", "jobs", "`easy` s", "`sd`, limit 10, depth 100 s"], rows)

    def sensitivity(self) -> list[str]:
        rows = []
        for parameter, values, of_both in SENSITIVITY:
            for value in values:
                ours = setting_of("sd", {"max_slowdown": "inf", **DEPTH, parameter: value})
                static = setting_of("slurm", {**DEPTH, parameter: value} if of_both else DEPTH)
                if not self.wanted(ours):
                    continue
                words = [*RICC, "--policy", ours]
                here, there = (self.simulations.summary([*RICC, "--policy", setting])["slowdown_mean"] for setting in (ours, static))
                rows.append([f"`{parameter}`", value, f"{here:.0f}", change(here, there), command(words)])
        return table(["parameter", "value", "slowdown", "against `slurm`", "command"], rows)

    def predictions(self) -> list[str]:
        rows = []
        for number, (name, log, machine) in enumerate(PREDICTED):
            for options, study in PREDICTORS:
                setting = setting_of("easy", options)
                words = ["--swf", f"{log}.swf.gz", *machine, "--policy", setting]
                if not self.wanted(f"{name} {setting}"):
                    continue
                found = self.simulations.summary(words)
                published = f"{study[number]:.2f}" if study else "-"
                cells = [published, f"{found['bounded_slowdown_mean']:.2f}", f"{found['wait_mean']:.0f}"]
                rows.append([name, f"`{setting}`", *cells, command(words)])
        return table(["log", "policy", "bounded slowdown of the study", "bounded slowdown", "mean wait s", "command"], rows)


PARTS = ["easy", "workload3", "cirne", "curie", "predictions", "recovered", "plan", "sensitivity"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sim")
    parser.add_argument("logs", type=Path)
    parser.add_argument("--only", choices=[*PARTS, "speed"])
    parser.add_argument("--row", default="", metavar="TEXT")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.row and not options.check:
        parser.error("--row goes with --check: the others would be lost")
    tables = Tables(Simulations(str(Path(options.sim).resolve()), options.logs), options.row)
    page = Page(PAGE)
    strange = []
    for part in [options.only] if options.only else PARTS:
        lines = getattr(tables, part)()
        strange += [line for line in lines[2:] if line not in page.rows(part, SCRIPT)]
        page.replace(part, SCRIPT, lines)
    if not options.check:
        page.write()
        return 0
    print("".join(line + "\n" for line in strange), end="")
    return 1 if strange else 0


if __name__ == "__main__":
    sys.exit(main())
