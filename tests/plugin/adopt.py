#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""adopt.py - has Slurm adopt a process into the extern step of a job, by the call that pam_slurm_adopt makes.

usage: adopt.py LIBSLURMFULL SPOOL-FOLDER NODE JOB PID
"""

import ctypes
import os
import sys


class StepId(ctypes.Structure):
    """slurm_step_id_t. It begins with a number of the job's record in series later than 22.05 (SLURM_SERIES)."""

    _fields_ = [("record", ctypes.c_uint64)] if os.environ.get("SLURM_SERIES") else []
    _fields_ += [("job", ctypes.c_uint32), ("het_component", ctypes.c_uint32), ("step", ctypes.c_uint32)]


EXTERN = 0xFFFFFFFC
NO_VAL = 0xFFFFFFFE


def main() -> int:
    library, spool, node, job, pid = sys.argv[1:]
    slurm = ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)
    slurm.slurm_init(None)
    version = ctypes.c_uint16()
    step = StepId(job=int(job), het_component=NO_VAL, step=EXTERN)
    connection = slurm.slurm_stepd_connect(spool.encode(), node.encode(), ctypes.byref(step), ctypes.byref(version))
    if connection < 0:
        sys.exit(f"adopt.py: job {job} has no extern step on {node}")
    return int(slurm.slurm_stepd_add_extern_pid(connection, version, int(pid)) != 0)


if __name__ == "__main__":
    sys.exit(main())
