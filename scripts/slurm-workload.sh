#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# slurm-workload.sh - a workload of the DROM thesis under two Slurms on this machine, stock and with drom's
# co-scheduling; and its prediction.
#
#   scripts/slurm-workload.sh [--virtual | --real] [--quick] [--log FILE] [--help] [OPTION...]
#
# Installs the packages it needs, builds, and runs the same jobs, with the same arrivals, first under stock Slurm and
# then under select/malleable. --virtual: on 50 nodes of 48 cores that this machine plays; --real: on this machine's own
# CPUs, with programs that compute. --log FILE: the first jobs of a log in the Standard Workload Format, instead of
# workload 5. Then drom-sim gets the same submissions, and its prediction is compared with the runs. About 20 minutes
# after the build, with --quick less than two; root or not.
#
# Leaves build/slurm-workload/{report.json,gantt.svg,workload.swf}. Ends all that it started, also at Ctrl-C.
# Exit status: 0 done, 1 a step failed, 2 usage.
set -euo pipefail
cd "$(dirname "$0")/.."

run=(python3 tools/demo/workload/workload.py --bin build/release/bin --plugins build/release/lib/slurm --called-from "$OLDPWD")
log=build/slurm-workload/build.log
# shellcheck source=scripts/step.sh
. scripts/step.sh
begin "$@"
scripts/packages.sh build demo
# The select plugin needs headers that no package has.
step "looking for Slurm's headers" scripts/slurm-headers.sh
step "configuring" cmake --preset release -DDROM_TESTS=OFF -DDROM_BENCH=OFF -DDROM_SLURM=ON -DDROM_SIM=ON
step "building" cmake --build --preset release --target drom drom-cli drom-sim examples spank_drom job_submit_malleable task_drom select_malleable
exec "${run[@]}" "$@"
