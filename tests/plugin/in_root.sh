#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# in_root.sh - runs tests of the plugins with another series of Slurm, in a root folder (scripts/slurm-root.sh).
#
#   in_root.sh SERIES BUILD COMMAND...
#
# The command finds SLURM_SERIES and DROM_BUILD in its environment. Exit status: that of the command. If
# the root cannot be had, a line that begins with SKIPPED gives the reason, and the exit status is 0.
set -euo pipefail
cd "$(dirname "$0")/../.."

series=$1 build=$2
shift 2
skip() { echo "SKIPPED: $*"; exit 0; }

((EUID == 0)) || skip "Slurm $series runs in a root folder, which needs root"
said=$(scripts/slurm-root.sh make "$series" 2>&1) || skip "${said##*$'\n'}"
exec scripts/slurm-root.sh run "$series" env SLURM_SERIES="$series" DROM_BUILD="$build" "$@"
