#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""environment.py - prints docs/reference/environment.md: drom's own variables from libdrom/base/env.def, and those of others that it reads.

It refuses a read of a variable, by getenv() or text_of(), that is in neither.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_LINE = re.compile(r'^X\((DROM_\w+), "((?:[^"\\]|\\.)*)", ([01]), "((?:[^"\\]|\\.)*)"\)$')
_READ = re.compile(r'(?:getenv|\btext_of)\("(\w+)"\)')
# Variables of others.
OTHERS = (
    ("OMP_NUM_THREADS OMP_DYNAMIC", "with how many threads a program starts (*drom run --max* sets it), and whether its team may follow"),
    ("OMP_WAIT_POLICY GOMP_SPINCOUNT KMP_BLOCKTIME KMP_LIBRARY", "how the user wants threads to wait, which is left so"),
    ("OMP_PROC_BIND OMP_PLACES GOMP_CPU_AFFINITY KMP_AFFINITY", "whether the OpenMP runtime binds threads"),
    ("OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_LOCAL_RANK OMPI_COMM_WORLD_LOCAL_SIZE PMI_RANK PMI_SIZE MPI_LOCALRANKID MPI_LOCALNRANKS "
     "SLURM_PROCID SLURM_STEP_NUM_TASKS SLURM_LOCALID SLURM_STEP_TASKS_PER_NODE", "which rank of an MPI job a process is"),
    ("SLURM_JOB_ID SLURM_STEP_ID PBS_JOBID PMIX_NAMESPACE", "to which job a process belongs, where `DROM_JOB` does not say it"),
    ("DLB_ARGS", "options of a program written for DLB"),
    ("LD_PRELOAD PATH", "what the commands preload besides drom's libraries, and where they look for a program"),
    ("ASAN_OPTIONS", "what the user wants of AddressSanitizer; the commands add that its library need not come first"),
    ("XDG_STATE_HOME HOME", "where the records of `drom verify` are"),
    ("TMPDIR", "where `drom verify` makes its files"),
    ("COLUMNS TZ", "the width of help pages; the time zone of a log"),
    ("TERM NO_COLOR", "the terminal of `drom top`, and whether it has colours"),
    ("SLURM_CONF SLURMD_NODENAME", "the configuration and the node, in `spank_drom.so`"),
)


def unlisted() -> list[str]:
    """Returns the variables that are read, and in no table."""
    listed = {name for name, *_ in variables()} | {name for names, _ in OTHERS for name in names.split()}
    files = [file for tree in ("libdrom", "plugins", "tools") for file in (ROOT / tree).rglob("*.cpp")]
    return sorted({name for file in files for name in _READ.findall(file.read_text())} - listed)


def variables() -> list[tuple[str, str, bool, str]]:
    found = []
    for line in (ROOT / "libdrom/base/env.def").read_text().splitlines():
        match = _LINE.match(line)
        if match:
            found.append((match[1], match[2], match[3] == "1", match[4].replace('\\"', '"')))
        elif line.startswith("X("):
            sys.exit(f"libdrom/base/env.def: not understood: {line}")
    return found


def main() -> None:
    print("# Environment\n")
    print("The first table is made from `libdrom/base/env.def`. `drom env` prints it with the values in force.")
    print("A `DROM_*` variable that is not here is reported once. Options of the command line come before variables.\n")
    print("| variable | default | meaning |\n| --- | --- | --- |")
    for name, default, secure, text in variables():
        shown = f"`{default}`" if default else "unset"
        note = " Also read in set-uid programs." if secure else ""
        print(f"| `{name}` | {shown} | {text.replace('|', chr(92) + '|')}.{note} |")
    print("\ndrom also reads these variables of others:\n\n| variables | for |\n| --- | --- |")
    for names, text in OTHERS:
        print(f"| {', '.join(f'`{name}`' for name in names.split())} | {text} |")
    if missing := unlisted():
        sys.exit(f"scripts/lint/environment.py: {', '.join(missing)}: it is read, and in no table")


if __name__ == "__main__":
    main()
