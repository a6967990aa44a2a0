# SPDX-License-Identifier: BSD-3-Clause
"""mpi.py - the MPI library that the example programs were built with, and how its ranks are started on one machine."""

from pathlib import Path

from runs import Failure

PLUGIN_OF_SLURM = {"openmpi": "pmix", "mpich": "pmi2"}  # of srun --mpi
ON_ONE_MACHINE = {"OMPI_MCA_btl": "self,vader", "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def built_mpi(bin_folder: Path) -> str:
    """Returns the library of the example programs; Open MPI where there are both. Failure: none was built."""
    for name in PLUGIN_OF_SLURM:
        if (bin_folder / f"heat_mpi-{name}-gcc").exists():
            return name
    raise Failure("there is no MPI+OpenMP program; scripts/packages.sh demo installs Open MPI")


def ranks_of(cpus: int) -> int:
    """Returns two, if each can give up a CPU and keep one."""
    return 2 if cpus >= 4 and cpus % 2 == 0 else 1
