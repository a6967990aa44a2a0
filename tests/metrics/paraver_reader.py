# SPDX-License-Identifier: BSD-3-Clause
"""paraver_reader.py FILE.prv - reads a Paraver trace as its format says, with its .pcf and .row, and prints what it has.

Each record has to lie within the object model of the heading, and the records have to be in the order of their times. No thread may be in two states at
once, and no CPU may run two threads at once. Each state and each type of an event needs a name.
"""

import re
import sys
from pathlib import Path


def fail(text: str) -> None:
    sys.exit(f"paraver_reader: {text}")


def heading(line: str) -> tuple[int, list[int], list[list[int]]]:
    """Returns the duration, the CPUs of each node, and the threads of each task of each application."""
    found = re.fullmatch(r"#Paraver \(\d\d/\d\d/\d{4} at \d\d:\d\d\):(\d+)_ns:(\d+)\(([\d,]+)\):(\d+)((?::\d+\([\d:,]+\))*)", line)
    if not found:
        fail(f"no heading: {line}")
    nodes = [int(count) for count in found[3].split(",")]
    applications = []
    for count, tasks in re.findall(r":(\d+)\(([\d:,]+)\)", found[5]):
        applications.append([int(task.split(":")[0]) for task in tasks.split(",")])
        if len(applications[-1]) != int(count):
            fail("an application has another number of tasks than it says")
    if len(nodes) != int(found[2]) or len(applications) != int(found[4]):
        fail("the heading contradicts itself")
    return int(found[1]), nodes, applications


def levels(text: str) -> dict[str, list[str]]:
    found = {}
    for part in text.strip().split("\n\n"):
        first, *rows = part.split("\n")
        name, size = re.fullmatch(r"LEVEL (\w+) SIZE (\d+)", first).groups()
        if len(rows) != int(size):
            fail(f"level {name} has {len(rows)} rows, not {size}")
        found[name] = rows
    return found


def named(text: str, section: str, column: int) -> set[int]:
    """Returns the numbers that a section of the .pcf names."""
    found = re.search(rf"^{section}\n(.*?)(?:\n\n|\Z)", text, re.DOTALL | re.MULTILINE)
    return {int(line.split()[column]) for line in found[1].strip().split("\n")}


def read(path: Path) -> None:
    first, *records = path.read_text().splitlines()
    duration, nodes, applications = heading(first)
    pcf, row = path.with_suffix(".pcf").read_text(), levels(path.with_suffix(".row").read_text())
    states, types = named(pcf, "STATES", 0), named(pcf, "EVENT_TYPE", 1)
    threads = [threads for tasks in applications for threads in tasks]
    sizes = {"CPU": sum(nodes), "NODE": len(nodes), "APPL": len(applications), "TASK": len(threads), "THREAD": sum(threads)}
    for name, size in sizes.items():
        if len(row[name]) != size:
            fail(f"{size} of level {name}, and {len(row[name])} names")
    last, until = 0, {}
    for record in records:
        kind, cpu, application, task, thread, time, *rest = (int(word) for word in record.split(":"))
        if not 1 <= cpu <= sizes["CPU"] or not 1 <= thread <= applications[application - 1][task - 1]:
            fail(f"outside of the model: {record}")
        if time < last or time > duration:
            fail(f"out of order: {record}")
        last = time
        if kind == 2 and (rest[0] not in types or len(rest) % 2):
            fail(f"no such event: {record}")
        if kind != 1:
            continue
        end, state = rest
        if state not in states or not time <= end <= duration:
            fail(f"no such state: {record}")
        for place in ((cpu,), (application, task, thread)):
            if until.get(place, 0) > time:
                fail(f"two at once: {record}")
            until[place] = end
    print(f"1 node of {sizes['CPU']} CPUs, {sizes['APPL']} applications, {sizes['TASK']} tasks, {sizes['THREAD']} threads, {len(records)} records")
    print("\n".join(row["APPL"]))


read(Path(sys.argv[1]))
