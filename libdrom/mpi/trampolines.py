#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""trampolines.py CALLS > trampolines.S - one entry point for each spelling of the procedures in CALLS, x86-64 System V.

Each looks whether there is anything to do and jumps to the same name behind it, with all arguments and the stack as they were. So no mpi.h
is needed, and one library serves every MPI and both languages. Those marked `init` call instead of jumping, because the process is a rank only
afterwards; all their arguments are in registers. mpi_entry.S explains the labels outside this file.
"""

import sys
from pathlib import Path

ROLES = {"init", "large"}


def spellings(name: str, large: bool) -> list[str]:
    """Returns the name in C; the names of Fortran compilers; mpi_f08, and its procedures with choice buffers by TS
    29113."""
    lower = f"mpi_{name.lower()}"
    own = [f"MPI_{name}", lower, f"{lower}_", f"{lower}__", lower.upper(), f"{lower}_f08_", f"{lower}_f08ts_"]
    # A large count is another procedure in C. Fortran's generic interfaces name it by the same pattern.
    return own + ([f"MPI_{name}_c", f"{lower}_c_f08_", f"{lower}_c_f08ts_"] if large else [])


def read_calls(path: Path) -> list[tuple[str, bool]]:
    """Returns for each call its symbol, and whether it is an init."""
    symbols = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        name, *roles = line.split("#")[0].split() or [""]
        if unknown := set(roles) - ROLES:
            sys.exit(f"{path}:{number}: {', '.join(sorted(unknown))}: known are {', '.join(sorted(ROLES))}")
        if name:
            symbols += [(symbol, "init" in roles) for symbol in spellings(name, "large" in roles)]
    return symbols


def entry(index: int, symbol: str, is_init: bool) -> str:
    body = "ENTER_INIT" if is_init else "ENTER"
    return f"    {body} {symbol}, {index}"


def main() -> None:
    symbols = read_calls(Path(sys.argv[1]))
    print('#include "mpi/mpi_entry.inc"\n\n    .text')
    print("\n".join(entry(index, *symbol) for index, symbol in enumerate(symbols)))
    print("\n    .data\n    .p2align 4\n    .globl drom_mpi_real\n    .hidden drom_mpi_real\ndrom_mpi_real:")
    print("\n".join(f"    .quad drom_mpi_first_{index}" for index in range(len(symbols))))
    print("    .size drom_mpi_real, . - drom_mpi_real")
    print("\n    .section .rodata\n    .globl drom_mpi_names, drom_mpi_count\n    .hidden drom_mpi_names, drom_mpi_count\ndrom_mpi_names:")
    print("\n".join(f'    .asciz "{symbol}"' for symbol, _ in symbols))
    print(f"    .p2align 2\ndrom_mpi_count:\n    .long {len(symbols)}")
    print('\n    .section .note.GNU-stack, "", @progbits')


main()
