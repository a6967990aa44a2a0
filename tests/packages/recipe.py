#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""recipe.py - does what docs/admin/slurm-install.md tells an administrator, in a root folder with the packages: recipe.py [--only-site] DOCUMENT

With --only-site it writes the files that the site has before the first stage, and does nothing else.

Files of the document are written as they stand there, and its commands are typed one after the other. `build$` is left out, because the packages are there.
Lines below a command are what it has to print; jobs may have other numbers. A command that only looks is repeated until it prints that.

One machine is controller, node and login. So its own name, `node01` and `login` are one, and the sizes of the node are those of this machine. `systemctl` is a
program of this test, as there is no systemd in a root folder. Prints a line per step. Exit status: 0 all of it worked, 1 not.
"""

from __future__ import annotations

import os
import pwd
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

USER = "alice"
CHANGES = ("sbatch", "systemctl", "apt-get", "rm", "cp", "sed", "scancel")
PROMPT = re.compile(r"^(every|head|node|login)([#$]) (.*?)(?:  +# .*)?$")


@dataclass
class Command:
    prompt: str
    text: str
    line: int
    wanted: list[str] = field(default_factory=list)


@dataclass
class File:
    path: str
    text: str
    line: int


@dataclass
class Block:
    heading: str
    back: bool
    """Whether it is below "Go back"."""
    line: int
    lines: list[str]


def blocks(document: str):
    """Yields the fenced blocks."""
    heading, back, inside = "", False, None
    for number, line in enumerate(document.splitlines(), 1):
        if line.startswith("```") and inside is None:
            inside = Block(heading, back, number + 1, [])
        elif line.startswith("```"):
            yield inside
            inside = None
        elif inside is not None:
            inside.lines.append(line)
        elif line.startswith("## "):
            heading, back = line[3:], False
        elif line.startswith("**"):
            back = line.startswith("**Go back")


def file_of(lines: list[str], start: int) -> File | None:
    for line in lines[:2]:
        if found := re.match(r"# (\S+\.(?:conf|sh))\b", line):
            return File(found[1], "\n".join(lines) + "\n", start)
    return None


def commands_of(lines: list[str], start: int) -> list[Command]:
    commands: list[Command] = []
    for number, line in enumerate(lines, start):
        if found := PROMPT.match(line):
            commands.append(Command(found[2], found[3], number))
        elif commands:
            commands[-1].wanted.append(line)
    return commands


def steps_of(block: Block) -> list[File | Command]:
    found = file_of(block.lines, block.line)
    return [found] if found else commands_of(block.lines, block.line)


def of_this_size(text: str, cpus: int) -> str:
    """Returns the text for nodes of this size; the document's have 16 cores."""
    text = text.replace("CPUs=16 Sockets=2 CoresPerSocket=8", f"CPUs={cpus} Sockets=1 CoresPerSocket={cpus}")
    return re.sub(r"-c 16\b", f"-c {cpus}", text)


DOCUMENT_CPUS = 16
CPU_LIST = re.compile(r"(?<![\w-])\d+-\d+$")


def count_of(cpus: str) -> int:
    """Returns the number of CPUs in a list, for instance 0-3,5."""
    ends = [[int(end) for end in part.split("-")] for part in cpus.split(",")]
    return sum(end[-1] - end[0] + 1 for end in ends)


def is_line(wanted: str, got: str, cpus: int) -> bool:
    """Compares two lines. A list of CPUs at the end has to be the same part of the node, in any place."""
    listed = CPU_LIST.search(wanted)
    if listed is None:
        return wanted == got
    before, _, last = got.rpartition(" ")
    if not re.fullmatch(r"\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*", last):
        return False
    share = count_of(listed[0]) * cpus / DOCUMENT_CPUS
    return before == wanted[: listed.start()].rstrip() and abs(count_of(last) - share) < 1


def is_output(wanted: list[str], got: list[str], cpus: int) -> bool:
    return len(wanted) == len(got) and all(is_line(*lines, cpus) for lines in zip(wanted, got))


SUBMITTED = "Submitted batch job "


def shown(text: str) -> list[str]:
    """Returns the lines, with one blank in place of several."""
    return [" ".join(line.split()) for line in text.strip().splitlines()]


def home() -> Path:
    return Path(pwd.getpwnam(USER).pw_dir)


class Machine:
    def __init__(self, numbers: dict[str, str]):
        self.cpus = len(os.sched_getaffinity(0))
        self.numbers = numbers  # of a job: the document's, and that of this run

    def write(self, file: File) -> None:
        path = home() / file.path  # an absolute path stays one
        path.parent.mkdir(parents=True, exist_ok=True)
        # In one step, as an editor does it: a job that ends just then reads slurm.conf; an empty one drains the node.
        complete = path.with_name(f".{path.name}.new")
        complete.write_text(of_this_size(file.text, self.cpus))
        complete.replace(path)

    def renumbered(self, text: str) -> str:
        """Returns the text with the numbers that jobs have in this run."""
        return re.sub(r"(?:(?<=job[= ])|(?<=-j )|(?<=scancel )|^)\d+\b", lambda found: self.numbers.get(found[0], found[0]), text)

    def once(self, command: Command) -> tuple[int, list[str]]:
        user = command.prompt == "$"
        shell = ["bash", "-c", self.renumbered(of_this_size(command.text, self.cpus))]
        if user:
            shell = ["runuser", "-u", USER, "--", "env", f"HOME={home()}", f"USER={USER}", *shell]
        try:
            done = subprocess.run(shell, cwd=home() if user else "/srv/test/packages", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, timeout=120)
        except subprocess.TimeoutExpired as error:
            return 124, ["it has not ended within 120 s", *shown((error.stdout or b"").decode())]
        return done.returncode, shown(done.stdout)

    def is_right(self, command: Command, status: int, output: list[str]) -> bool:
        if not command.wanted:
            return status == 0
        if command.wanted[0].startswith(SUBMITTED):
            # slurmctld may have it tried again, and that is said in a line before.
            return bool(output) and output[-1].startswith(SUBMITTED)
        return is_output([self.renumbered(line) for line in shown("\n".join(command.wanted))], output, self.cpus)

    def does(self, command: Command) -> str:
        """Returns what is wrong; empty: nothing."""
        end = time.monotonic() + (0 if command.text.startswith(CHANGES) else 90)
        status, output = self.once(command)
        while not (right := self.is_right(command, status, output)) and time.monotonic() < end:
            time.sleep(0.5)
            status, output = self.once(command)
        if not right:
            return "\n".join(["wanted:", *(command.wanted or ["status 0"]), f"got (status {status}):", *output])
        if output and output[-1].startswith(SUBMITTED):
            self.numbers[command.wanted[0].removeprefix(SUBMITTED)] = output[-1].removeprefix(SUBMITTED)
        return ""


def chapters(document: str) -> dict[str, list[Block]]:
    """Returns the blocks by heading."""
    found: dict[str, list[Block]] = {}
    for block in blocks(document):
        found.setdefault(block.heading, []).append(block)
    return found


def order(found: dict[str, list[Block]]) -> list[Block]:
    """Returns what to do: to each stage through those before it, and back."""
    stages = [heading for heading in found if heading.startswith("Stage ")]
    todo = [*found["Packages"], *found["The site of this example"]]
    for number, stage in enumerate(stages):
        todo += [block for earlier in stages[:number] for block in found[earlier] if not block.back]
        todo += found[stage]
    return [*todo, *found["Remove"]]


def main() -> int:
    found = chapters(Path(sys.argv[-1]).read_text())
    machine = Machine({})
    if "--only-site" in sys.argv:
        for block in found["The site of this example"]:
            for step in steps_of(block):
                if isinstance(step, File):
                    machine.write(step)
        return 0
    done: set[int] = set()
    times = 0
    for block in order(found):
        for step in steps_of(block):
            wrong = machine.write(step) if isinstance(step, File) else machine.does(step)
            what = f"{block.heading}: {step.path if isinstance(step, File) else step.text} (line {step.line})"
            if wrong:
                print(f"not ok: {what}\n{wrong}", flush=True)
                return 1
            print(f"ok: {what}", flush=True)
            done.add(step.line)
            times += 1
    backs = sum(block.back for block in order(found))
    print(f"packages: recipe: {len(done)} commands and files of the document, {times} in all, back from each of {backs} stages")
    return 0 if len(done) > 40 and backs == 3 else 1


if __name__ == "__main__":
    sys.exit(main())
