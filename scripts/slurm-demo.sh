#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# slurm-demo.sh - the two use cases of the DROM thesis for real, as batch jobs: Slurm starts a second job on a node that
# is taken.
#
#   scripts/slurm-demo.sh [--case insitu|priority] [--repeats N] [--seconds S] [--help]
#   scripts/slurm-demo.sh --table [--repeats N] [--seconds S]
#
# Installs the packages it needs, builds, and runs both jobs of each case in a Slurm of its own on this machine:
# malleable under drom, one after the other, and oversubscribed. Prints tables and leaves
# build/slurm-demo/{timeline.svg,trace.json,report.json}. About eight minutes after the build; root or not. With
# --table it runs shapes of a simulation and kinds of analytics instead (figures 4.5 to 4.13), twice as long on two
# CPUs, into build/slurm-demo/table.json. Ends all that it started, also at Ctrl-C.
# Exit status: 0 done, 1 a step failed or a result differed, 2 usage.
set -euo pipefail
cd "$(dirname "$0")/.."

run=(python3 tools/demo/usecases.py --bin build/release/bin --plugins build/release/lib/slurm --out build/slurm-demo)
log=build/slurm-demo/build.log
# shellcheck source=scripts/step.sh
. scripts/step.sh
begin "$@"
scripts/packages.sh build demo
step "configuring" cmake --preset release -DDROM_TESTS=OFF -DDROM_BENCH=OFF -DDROM_SLURM=ON
step "building" cmake --build --preset release --target drom drom-agent drom-omp drom-cli examples spank_drom
exec "${run[@]}" "$@"
