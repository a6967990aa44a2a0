#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""process_pool.py - a pool of Python processes that follows drom's requests by polling, from Python.

  process_pool.py [TASKS]

The parent is the client, and hands out no more tasks at once than it has CPUs. Its workers are children, which it moves itself, because the
library moves the threads of its own process only."""

import concurrent.futures
import contextlib
import multiprocessing
import os
import sys

import drom

MODULUS = 2**61 - 1


def task(number: int) -> int:
    value = number + 2
    for _ in range(200_000):
        value = value * value % MODULUS
    return value


def move_workers(cpus: set[int]) -> None:
    for worker in multiprocessing.active_children():
        with contextlib.suppress(ProcessLookupError):  # it has just ended
            os.sched_setaffinity(worker.pid, cpus)


def join() -> contextlib.AbstractContextManager[drom.Client | None]:
    """Joins the table. Where there is none the program runs as ever."""
    try:
        return drom.Client(name="process_pool")
    except drom.Error as error:
        print(f"process_pool: {error}", file=sys.stderr)
        return contextlib.nullcontext()


def run(tasks: int, client: drom.Client | None) -> int:
    cpus = os.sched_getaffinity(0)
    total, running, waiting = 0, set(), iter(range(tasks))
    # Spawned: a fork copies a process with threads, such as the library's, but only one of its threads.
    with concurrent.futures.ProcessPoolExecutor(len(cpus), mp_context=multiprocessing.get_context("spawn")) as pool:
        exhausted = False
        while not exhausted or running:
            if client is not None and (new := client.poll()) is not None:
                cpus = new
                move_workers(cpus)
            while not exhausted and len(running) < len(cpus):
                number = next(waiting, None)
                exhausted = number is None
                if not exhausted:
                    running.add(pool.submit(task, number))
            done, running = concurrent.futures.wait(running, timeout=0.01, return_when=concurrent.futures.FIRST_COMPLETED)
            total += sum(future.result() for future in done)
    return total


def main() -> None:
    tasks = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with join() as client:
        print(f"process_pool: {tasks} tasks, checksum {run(tasks, client) % MODULUS:016x}")


if __name__ == "__main__":
    main()
