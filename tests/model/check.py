#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check.py - searches the protocol's models completely, and then each of their planted faults, which must be found.

  check.py [--long]     --long (or DROM_MODEL_LONG=1): the larger configurations, too

Exit status: 0 nothing wrong and every fault found, 1 otherwise, 77 when spin or a C compiler is missing.
"""
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
COMPILER = next((c for c in ("cc", "gcc", "clang") if shutil.which(c)), None)
DEPTH = 1000000
MEMORY_MB = 3000
SECONDS = 900

CONFIGURATIONS = {
    # Two processes post at once, while a client reads.
    "posters": ("mailbox", "-DTRIES=1"),
    # A slot gets another user while a process still posts to the former one.
    "next-user": ("mailbox", "-DREUSE -DTRIES=1"),
    # Two administrators work at once, and each may stop and go on at any step.
    "overlap": ("ledger", "-DADMINISTRATORS=2"),
    # A process marks an offer as notified that has been replaced by another offer meanwhile.
    "late": ("ledger", "-DTHIRD"),
    # A client joins, and may die at any step. There is one administrator, and one that stays when all others are dead.
    "joining": ("ledger", "-DJOINING -DADMINISTRATORS=1 -DRECOVERY -DDEATHS"),
    # A dead client's slot is reaped, and claimed by the next one.
    "reuse": ("ledger", "-DREUSE -DADMINISTRATORS=1"),
    "reaping": ("ledger", "-DREAPING -DDEATHS -DADMINISTRATORS=1"),
    # Two words have an intent. The administrator that carries it out dies at any step, and so does the one that
    # recovers; then the last one recovers.
    "recovery": ("ledger", "-DCPUS=2 -DADMINISTRATORS=1 -DRECOVERY"),
}
LONG = {
    "posters-again": ("mailbox", "-DTRIES=2"),
    "next-user-again": ("mailbox", "-DREUSE -DTRIES=2"),
    "recovery-killed": ("ledger", "-DCPUS=2 -DADMINISTRATORS=1 -DRECOVERY -DRECOVERERS"),
    "recovery-killed-clients-too": ("ledger", "-DCPUS=2 -DADMINISTRATORS=1 -DRECOVERY -DRECOVERERS -DDEATHS"),
    "reaping-recovery": ("ledger", "-DREAPING -DDEATHS -DADMINISTRATORS=1 -DRECOVERY"),
}
# Each fault must be found by the configuration beside it.
FAULTS = {
    "OLD_TAKE": "posters",
    "M_NUMBER_BY_STORE_OF_THE_PAGE": "posters-again",
    "M_NO_CHECKSUM": "posters",
    "M_NAME_NOT_COMPARED": "next-user",
    "M_HALVES_NOT_BLANKED": "next-user",
    "OLD_NEVER": "joining",
    "OLD_NOTIFIED": "late",
    "M_NOTIFIED_NOT_REQUIRED": "late",
    "M_NUMBER_BY_STORE": "overlap",
    "M_ACCEPT_BEFORE_RELEASE": "overlap",
    "M_RELEASED_FIRST": "overlap",
    "M_NO_INTENT": "recovery",
    "M_INTENT_NOT_FINISHED": "recovery",
    "M_NOTHING_SETTLED_AFTER_A_DEATH": "recovery",
    "M_CLIENT_WAITS_FOR_THE_TURN": "recovery",
    "M_WORD_BY_STORE": "overlap",
    "M_THE_DEAD_KEEP": "joining",
    "M_THE_DEAD_INHERIT": "joining",
    "M_UNREADABLE_IS_POSTED": "joining",
}


class Failure(Exception):
    pass


def run(command, folder, seconds):
    """Returns the command's output. Raises a Failure when it does not end well or in time."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired as late:
        raise Failure(f"{command[0]}: did not end within {seconds} s") from late
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)}: status {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def number(pattern, text):
    found = re.search(pattern, text)
    if not found:
        raise Failure(f"pan did not say '{pattern}': {text[-2000:]}")
    return int(float(found.group(1)))


def search(model, defines, first_error=False, optimisation="-O0"):
    """Returns states, transitions, depth and errors of a search: complete, or until the first error (first_error).

    Compiling the searching program takes 11 seconds with -O1 and 1 second without: most searches are shorter than that."""
    with tempfile.TemporaryDirectory(prefix="drom-model.") as folder:
        run(["spin", "-a", *defines.split(), os.path.join(HERE, f"{model}.pml")], folder, 300)
        flags = [optimisation, "-w", "-DSAFETY", "-DNOFAIR", "-DCOLLAPSE", f"-DMEMLIM={MEMORY_MB}"]
        run([COMPILER, *flags, "-o", "pan", "pan.c"], folder, 600)
        # -E: a killed process stands still for ever. The model's own watch says whether the others came to their end.
        said = run(["./pan", "-E", f"-m{DEPTH}", "-w23"], folder, SECONDS)
    errors = number(r"errors: (\d+)", said)
    if not (first_error and errors):
        for sign in ("Search not completed", "search was truncated", "max search depth too small", "reached -DMEMLIM",
                     "out of memory", "hash conflicts, possibly"):
            if sign in said and not errors:
                raise Failure(f"the search is not complete: {sign}")
        if "Full statespace search" not in said:
            raise Failure(f"pan did not search the full state space: {said[:2000]}")
    return (number(r"([\d.e+]+) states, stored", said), number(r"([\d.e+]+) transitions", said),
            number(r"depth reached (\d+)", said), errors, said)


def check(name, model, defines):
    """Prints the line of a search. Returns False when it found an error."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    optimisation = "-O2" if name in LONG else "-O0"
    states, transitions, depth, errors, said = search(model, defines, optimisation=optimisation)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - used
    print(f"model: {name}: {states} states, {transitions} transitions, depth {depth}, {used:.1f} s, {errors} errors",
          flush=True)
    if errors:
        print(said[:2000], file=sys.stderr)
    return errors == 0


def survives(fault):
    model, defines = {**CONFIGURATIONS, **LONG}[FAULTS[fault]]
    return search(model, f"{defines} -D{fault}", True)[3] == 0


def main():
    if shutil.which("spin") is None or COMPILER is None:
        print("SKIPPED: model: spin or a C compiler is not installed; scripts/packages.sh test installs them")
        return 77
    chosen = dict(CONFIGURATIONS)
    if "--long" in sys.argv[1:] or os.environ.get("DROM_MODEL_LONG") == "1":
        chosen.update(LONG)
    wrong = [name for name, (model, defines) in chosen.items() if not check(name, model, defines)]
    alive = [fault for fault in FAULTS if survives(fault)]
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"model: {len(chosen)} configurations searched completely, {len(wrong)} with errors; "
          f"{len(FAULTS) - len(alive)} of {len(FAULTS)} planted faults found; {used.ru_utime + used.ru_stime:.0f} s of CPU")
    for fault in alive:
        print(f"model: the planted fault {fault} was not found by '{FAULTS[fault]}'", file=sys.stderr)
    return 1 if wrong or alive else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        sys.exit(f"model: {failure}")
