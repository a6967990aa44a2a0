# SPDX-License-Identifier: BSD-3-Clause
"""report.py - from both runs and their predictions to report.json, the picture, and the tables on the terminal."""

import json
import platform
from dataclasses import asdict
from pathlib import Path

import measures
import picture
from measures import Outcome
from play import Played
from prediction import Predicted

THESIS = "the simulator of the thesis: 1.7"


def outcomes(played: Played, alone: Played) -> list[Outcome]:
    """Returns the outcomes against the run under stock Slurm, where every job has all its cores."""
    seconds = {ran.job.number: ran.seconds for ran in alone.jobs}
    return [Outcome(ran.job.number, ran.submit, ran.start, ran.end, ran.job.nodes, seconds[ran.job.number]) for ran in played.jobs]


def speeds(played: Played, seen: list[Outcome], cpus: int) -> dict[str, int]:
    """Returns of the jobs that have shared how many there are, and how many were faster than their share of the
    CPUs."""
    shared = [(outcome, ran.cpu_seconds) for outcome, ran in zip(seen, played.jobs, strict=True) if ran.cpu_seconds is not None]
    return {"jobs_that_shared": len(shared), "faster_than_share": measures.above_share(shared, cpus)}


def described(played: Played, stock: Played, predicted: Predicted, cpus: int) -> dict:
    """Describes a way in report.json. `cpus`: of each node."""
    seen = outcomes(played, stock)
    real, foreseen = measures.measures(seen), measures.measures(predicted.jobs)
    rows = [{**asdict(outcome), "limit_min": ran.job.limit, "program": ran.job.program, "on": ran.nodes, "cpu_seconds": ran.cpu_seconds, "said": ran.said}
            for outcome, ran in zip(seen, played.jobs, strict=True)]
    return {
        "measures": real, **measures.sharing(played.journal), **speeds(played, seen, cpus), "worse_than_stock": measures.worse_share(seen, outcomes(stock, stock)),
        "beyond_limit": sum(ran.seconds > ran.job.limit * 60 for ran in played.jobs), "latest_submission_late_s": round(played.late, 1),
        "predicted": foreseen, "predicted_shared_starts": predicted.shared_starts, "prediction_error_percent": measures.changes(foreseen, real), "jobs": rows,
    }


def report(settings: dict, played: dict[str, Played], predicted: dict[str, Predicted], replayed: dict[str, int]) -> dict:
    """Returns all of report.json. `replayed`: what drom-sim replay says of the controller's decisions."""
    ways = {name: described(one, played["stock"], predicted[name], settings["cpus_per_node"]) for name, one in played.items()}
    whole = {"schema": "drom.slurm-workload/1", **settings, "jobs": len(played["stock"].jobs), "kernel": platform.release(), "ways": ways}
    if "malleable" in ways:
        ways["malleable"] |= replayed
        for key, which in (("change_percent", "measures"), ("predicted_change_percent", "predicted")):
            whole[key] = measures.changes(ways["malleable"][which], ways["stock"][which])
    return whole


def different(played: dict[str, Played]) -> list[int]:
    """Returns the jobs whose programs did not print the same in every run."""
    said: dict[int, set[str]] = {}
    for one in played.values():
        for ran in one.jobs:
            said.setdefault(ran.job.number, set()).add(ran.said)
    return [number for number, texts in said.items() if len(texts) > 1]


def leave(folder: Path, whole: dict, played: dict[str, Played]) -> None:
    (folder / "report.json").write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    lanes = {name: [picture.Block(ran.job.number, ran.start, ran.end, ran.nodes) for ran in one.jobs] for name, one in played.items()}
    (folder / "gantt.svg").write_text(picture.draw(lanes), encoding="utf-8")


def show(whole: dict) -> None:
    ways = whole["ways"]
    changed = {"change %": whole["change_percent"]} if "change_percent" in whole else {}
    print(f"By Slurm's clock, which went {whole['speed']:g} times as fast as the wall's:\n")
    print(measures.table({name: way["measures"] for name, way in ways.items()} | changed))
    if changed:
        show_sharing(whole["jobs"], ways["malleable"])
    for name, way in ways.items():
        if name == "stock" and way["beyond_limit"]:
            print(f"Under stock Slurm {way['beyond_limit']} jobs took longer than their limit, which ended none.")
    if whole["kind"] == "real" and whole["load_before"] > whole["cpus_per_node"] / 2:
        print(f"\nOther work kept {whole['load_before']:.1f} CPUs busy before this began: programs that compute were slowed down by it, one run perhaps more than the other.")
    print(f"\nWhat drom-sim predicts from workload.swf, and how far off that is, in percent ({THESIS}):\n")
    predicted = {f"{name}{what}": way[key] for name, way in ways.items() for what, key in (("", "predicted"), (", off %", "prediction_error_percent"))}
    print(measures.table(predicted | ({"change %": whole["predicted_change_percent"]} if changed else {})))


def show_sharing(jobs: int, shared: dict) -> None:
    print(f"\n{shared['shared_starts']} of {jobs} jobs were started on nodes of {shared['mates']} others (predicted: {shared['predicted_shared_starts']}); "
          f"{100 * shared['worse_than_stock']:.1f} % of the jobs\nhad a response more than {measures.SAME_S:g} s longer than under stock Slurm.")
    print(f"{shared['faster_than_share']} of {shared['jobs_that_shared']} jobs that shared were faster than their share of the CPUs (the thesis: 449 of 539).")
    print(f"The controller wrote down {shared['decisions']} decisions; drom-sim replay decides {shared['decided_otherwise']} of them otherwise.")
