#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""naive_easy.py - EASY backfilling by its definition, slow and plain, to compare drom-sim with.

  naive_easy.py workload SEED                      prints a random log
  naive_easy.py compare JOBS.csv LOG NODES CORES [FIRST]   compares the starts that drom-sim gave to the (first) jobs of the log

The definition is that of Mu'alem and Feitelson, 2001. Jobs start in the order of their coming. When the first waiting job does not fit, a later one
may start now if it fits and does not delay the first one. Delays are counted by the times that were asked for.
"""

import csv
import gzip
import random
import sys
from typing import NamedTuple


class Job(NamedTuple):
    """One job of a log, times in seconds."""

    submit: int
    run: int
    request: int
    nodes: int


def random_log(seed):
    """Returns the lines of a log; each seed has another mix of widths, times and arrivals."""
    draw = random.Random(seed)
    nodes = draw.choice([1, 2, 5, 16, 64, 100, 1000])
    widths = draw.choice(
        [
            lambda: draw.randint(1, nodes),
            lambda: min(nodes, 2 ** draw.randint(0, 10)),
            lambda: draw.choice([1, nodes]),
            lambda: max(1, nodes - draw.randint(0, 2)),
            lambda: draw.randint(1, max(1, nodes // 4)),
        ]
    )
    longest = draw.choice([5, 300, 20000])
    runs = draw.choice([lambda: draw.randint(0, longest), lambda: draw.choice([0, 0, longest]), lambda: int(longest ** draw.random())])
    requests = draw.choice(
        [
            lambda run: max(1, run),
            lambda run: max(1, run * draw.randint(1, 10)),
            lambda run: next(limit for limit in (60, 900, 3600, 43200) if limit >= run),
            lambda run: max(1, longest),
            lambda run: max(1, run + draw.choice([0, 1, 7, longest])),
        ]
    )
    gaps = draw.choice([lambda: 0, lambda: draw.choice([0, 0, 0, longest]), lambda: draw.randint(0, max(1, longest // 3)), lambda: draw.randint(0, 3)])
    lines, now = [f"; MaxNodes: {nodes}", f"; MaxProcs: {nodes}"], 0
    for number in range(1, draw.choice([40, 150, 400]) + 1):
        now += gaps()
        run = runs()
        width = widths()
        lines.append(f"{number} {now} -1 {run} {width} -1 -1 {width} {requests(run)} -1 1 1 1 1 1 -1 -1 -1")
    return lines


def read(path, nodes, cores, first=0):
    """Returns the jobs of a log in the order of their coming, as long as they fit on the machine."""
    jobs = []
    with gzip.open(path, "rt") if path.endswith(".gz") else open(path) as log:
        for line in log:
            if line.startswith(";") or not line.strip():
                continue
            field = [int(float(word)) for word in line.split()]
            processors = field[7] if field[7] > 0 else field[4]
            run = max(0, field[3])
            request = field[8] if field[8] > 0 else max(1, run)
            jobs.append(Job(field[1], min(run, request), request, -(-processors // cores)))
    jobs.sort(key=lambda job: job.submit)
    return [job for job in jobs[: first or None] if job.nodes <= nodes]


def earliest(job, running, free):
    """Returns when the job could start at the soonest by the requests of the running ones: [(asked end, nodes)]; None: now."""
    if job.nodes <= free:
        return None
    for end, nodes in sorted(running):
        free += nodes
        if job.nodes <= free:
            return end
    raise ValueError("a job is wider than the machine")


def delays(job, first, running, free, now):
    """Returns true when `first` could only start later than before if the job started now."""
    with_it = [*running, (now + job.request, job.nodes)]
    return earliest(first, with_it, free - job.nodes) > earliest(first, running, free)


def one_pass(jobs, waiting, running, starts, free, now):
    """Starts what may start now. `running`: number of the job to its asked end. Returns the nodes that are left."""

    def start(number):
        nonlocal free
        starts[number] = now
        running[number] = now + jobs[number].request
        waiting.remove(number)
        free -= jobs[number].nodes

    while waiting and jobs[waiting[0]].nodes <= free:
        start(waiting[0])
    for number in waiting[1:]:
        if jobs[number].nodes > free:
            continue
        asked = [(end, jobs[other].nodes) for other, end in running.items()]
        if not delays(jobs[number], jobs[waiting[0]], asked, free, now):
            start(number)
    return free


def easy(jobs, nodes):
    """Returns the start of each job. At equal times ends come first, then submits, then one pass."""
    starts, waiting, running, free, submitted = {}, [], {}, nodes, 0
    while submitted < len(jobs) or running:
        ends = [starts[number] + jobs[number].run for number in running]
        coming = [jobs[submitted].submit] if submitted < len(jobs) else []
        now = min(ends + coming)
        for number in [number for number in running if starts[number] + jobs[number].run == now]:
            del running[number]
            free += jobs[number].nodes
        while submitted < len(jobs) and jobs[submitted].submit == now:
            waiting.append(submitted)
            submitted += 1
        free = one_pass(jobs, waiting, running, starts, free, now)
    return [starts[number] for number in range(len(jobs))]


def compare(table, log, nodes, cores, first=0):
    """Prints what differs; returns the number of jobs that do."""
    jobs = read(log, nodes, cores, first)
    with open(table, newline="") as file:
        rows = list(csv.DictReader(file))
    if [tuple(int(row[key]) for key in Job._fields) for row in rows] != [tuple(job) for job in jobs]:
        print(f"{log}: the jobs are not the same, {len(rows)} and {len(jobs)}")
        return 1
    differing = 0
    for row, start in zip(rows, easy(jobs, nodes)):
        if int(row["start"]) != start:
            differing += 1
            print(f"{log}: job {row['id']} starts at {row['start']}; by the definition at {start}")
    print(f"{len(jobs)} jobs, {differing} differ; {sum(int(row['wait']) > 0 for row in rows)} waited, {sum(row['how'] == 'backfilled' for row in rows)} backfilled")
    return differing


def main(words):
    """Carries out one of the two verbs."""
    if words[:1] == ["workload"] and len(words) == 2:
        print("\n".join(random_log(int(words[1]))))
        return 0
    if words[:1] == ["compare"] and len(words) in (5, 6):
        return 1 if compare(words[1], words[2], *map(int, words[3:])) else 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
