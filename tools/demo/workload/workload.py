#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""workload.py - a workload of the thesis, or of a log, under stock Slurm and under select/malleable, and what drom-sim predicts of
both.

Called by scripts/slurm-workload.sh after the build. Prints tables; leaves report.json, workload.swf, gantt.svg and the logs of both clusters.
Exit status: 0 done, 1 something went wrong, 2 usage.
"""

import argparse
import os
import re
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import cluster
import jobs as workload_jobs
import log
import prediction
import report
import programs
from cluster import Backfill, Shape, Sharing, Way
from jobs import Job, Row, Scale
from log import BadLog, Log
from play import Played, play
from prediction import Predicted
from runs import Failure, exit_status, this_machine

VIRTUAL = Shape(2, 24, topology="package:2,core:24,pu:1")
WAYS = ("stock", "malleable")
REAL_ROOM = 1.5  # limits of programs that compute: this machine has other load


@dataclass(frozen=True)
class Size:
    """The values of --jobs, --nodes, --minutes, --shortest and --speed that are not given."""

    jobs: int
    nodes: int
    minutes: float
    shortest: float
    speed: float


SIZES = {
    "virtual": Size(180, 50, 10, 10, 10),
    "real": Size(40, 1, 8, 30, 10),
    "quick": Size(24, 8, 0.75, 20, 20),
    "quick-real": Size(10, 1, 0.75, 20, 20),
}


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/slurm-workload.sh", allow_abbrev=False,
                                     description="Workload 5 of the thesis, or the first jobs of a log, scaled, under two Slurms of this machine.")
    parser.add_argument("--bin", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--plugins", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--called-from", type=Path, default=Path(), help=argparse.SUPPRESS)
    parser.add_argument("--check", action="store_true", help=argparse.SUPPRESS)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--virtual", action="store_true", help="many nodes that this machine only plays; jobs sleep at the pace of their CPUs (default)")
    kind.add_argument("--real", action="store_true", help="one node, this machine; jobs compute")
    parser.add_argument("--quick", action="store_true", help="a small one, of two minutes in all")
    parser.add_argument("--log", type=Path, metavar="FILE", help="the first jobs of this log instead of workload 5: Standard Workload Format, compressed by gzip or not")
    parser.add_argument("--jobs", type=int, help="how many (180; --real: 40)")
    parser.add_argument("--nodes", type=int, help="of 48 cores, that are played (50)")
    parser.add_argument("--minutes", type=float, help="of the wall's clock that one run shall take, about (10; --real: 8)")
    parser.add_argument("--speed", type=float, metavar="K", help="Slurm's clock is K times as fast as the wall's: its minutes have 60 / K seconds (10; --quick: 20)")
    parser.add_argument("--shortest", type=float, metavar="SECONDS", help="of Slurm's clock; shorter jobs are made so long (10; --real: 30; --quick: 20)")
    parser.add_argument("--seed", type=int, default=1, help="of workload 5 (1)")
    parser.add_argument("--max-slowdown", default="inf", metavar="P", help="no mate is slowed down to P or beyond: a number, inf, dynamic (inf)")
    parser.add_argument("--sharing-factor", type=float, default=0.5, metavar="F", help="largest share of a node that is lent (0.5)")
    parser.add_argument("--stock", action="store_true", help="stock Slurm only, and its prediction")
    parser.add_argument("--dir", type=Path, default=Path("build/slurm-workload"), help="where everything is written (build/slurm-workload)")
    options = parser.parse_args()
    options.kind = "real" if options.real else "virtual"
    fill_in(options, SIZES[("quick-real" if options.real else "quick") if options.quick else options.kind])
    complain(parser, options)
    options.read = read_log(parser, options)
    options.dir, options.bin, options.plugins = options.dir.resolve(), options.bin.resolve(), options.plugins.resolve()
    return options


def fill_in(options: argparse.Namespace, size: Size) -> None:
    for name, value in asdict(size).items():
        if getattr(options, name) is None:
            setattr(options, name, value)


def complain(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    if options.jobs < 2 or options.nodes < 1 or options.minutes <= 0 or options.shortest <= 0 or options.speed < 1:
        parser.error("at least two jobs, one node, more than no time, and a clock at least as fast as the wall's")
    if options.real and options.nodes != 1:
        parser.error("--real has one node: several on one machine would have the same CPUs")
    if not re.fullmatch(r"inf|dynamic|[0-9]+(\.[0-9]+)?", options.max_slowdown):
        parser.error("--max-slowdown is a number, inf or dynamic")
    if not 0 < options.sharing_factor < 1:
        parser.error("--sharing-factor is between 0 and 1")


def read_log(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Log | None:
    try:
        return None if options.log is None else log.read(options.called_from / options.log, options.jobs)
    except BadLog as wrong:
        parser.error(f"--log: {wrong}")


def way_of(name: str, options: argparse.Namespace, shape: Shape, sharing: Sharing) -> Way:
    if name == "stock":
        return cluster.stock(Backfill())
    for plugin in ("select_malleable.so", "task_drom.so", "spank_drom.so", "job_submit_malleable.so"):
        if not (options.plugins / plugin).exists():
            raise Failure(f"there is no {options.plugins / plugin}; the summary of cmake says what it needs")
    return cluster.malleable(Backfill(), sharing, options.plugins, options.dir / name, shape)


def predict(options: argparse.Namespace, shape: Shape, alone: Played, sharing: Sharing) -> dict[str, Predicted]:
    log = options.dir / "workload.swf"
    log.write_text(prediction.swf(alone.jobs, options.nodes, shape.cpus))
    return {name: prediction.predict(options.bin / "drom-sim", log, options.dir / f"predicted-{name}", Backfill(), how)
            for name, how in (("stock", None), ("malleable", sharing))}


def rows_of(options: argparse.Namespace) -> tuple[list[Row], int]:
    """Returns the jobs before they are scaled, and the nodes of the machine that they are of."""
    if options.read is not None:
        return options.read.rows, options.read.processors
    return workload_jobs.generate(options.bin / "drom-sim", options.jobs, options.seed), workload_jobs.PRESET_NODES


def say_scale(options: argparse.Namespace, plan: list[Job], scale: Scale, shape: Shape) -> None:
    limits = sorted(job.limit for job in plan)
    source = options.log or f"{workload_jobs.PRESET} (seed {options.seed})"
    print(f"workload: {len(plan)} jobs of {source} for {options.nodes} nodes of {shape.cpus} CPUs, submitted within "
          f"{plan[-1].submit} s\nworkload: its run times times {scale.factor:.4g}, none shorter than {scale.shortest:g} s; limits of {limits[0]} to {limits[-1]} "
          f"min, half of them at most {limits[len(limits) // 2]} min\nworkload: Slurm's clock goes {options.speed:g} times as fast as the wall's",
          file=sys.stderr)


def settings_of(options: argparse.Namespace, shape: Shape, scale: Scale, sharing: Sharing) -> dict:
    """Returns what was asked for, for report.json, and how busy the machine was before."""
    return {"kind": options.kind, "load_before": round(os.getloadavg()[0], 2), "speed": options.speed, "seed": options.seed,
            "log": None if options.log is None else options.log.name, "nodes": options.nodes, "cpus_per_node": shape.cpus, "scale": asdict(scale),
            "backfill": asdict(Backfill()), "sharing": asdict(sharing)}


def same_results(played: dict[str, Played]) -> None:
    """Compares the results of programs that compute; the others print how long they took. Failure: one computed
    something else."""
    if others := report.different(played):
        raise Failure(f"jobs {', '.join(map(str, others))} computed something else when they shared a node; report.json has what they said")
    if len(played) > 1:
        print("Every program computed the same result in both runs.")


def run(options: argparse.Namespace) -> None:
    options.dir.mkdir(parents=True, exist_ok=True)
    shape = Shape(**this_machine()) if options.real else VIRTUAL
    sharing = Sharing(options.max_slowdown, options.sharing_factor)
    ways = {name: way_of(name, options, shape, sharing) for name in (WAYS[:1] if options.stock else WAYS)}
    rows, machine = rows_of(options)
    scale = workload_jobs.scale_for(rows, options.nodes, options.minutes * 60 * options.speed, options.shortest, REAL_ROOM if options.real else 1, machine)
    plan = workload_jobs.scaled(rows, scale)
    say_scale(options, plan, scale, shape)
    settings = settings_of(options, shape, scale, sharing)
    command = (programs.computing if options.real else programs.paced)(options.bin, shape.cpus, options.speed)
    limit = options.minutes * 60 * 4 + 120
    played = {name: play(options.dir / name, shape, options.nodes, way, plan, command, options.speed, limit) for name, way in ways.items()}
    told = prediction.replay(options.bin / "drom-sim", cluster.journal(options.dir / "malleable")) if "malleable" in played else {}
    whole = report.report(settings, played, predict(options, shape, played["stock"], sharing), told)
    report.leave(options.dir, whole, played)
    report.show(whole)
    if options.real:
        same_results(played)
    print("\n" + "\n".join(f"  {options.dir / name}" for name in ("report.json", "gantt.svg", "workload.swf")))


def main() -> int:
    options = parse()
    if options.check:
        return 0
    return exit_status("workload", lambda: run(options))


if __name__ == "__main__":
    sys.exit(main())
