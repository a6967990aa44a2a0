#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run_vm_matrix.sh - runs the matrix with 2 and 4 ranks on a virtual node of 16 CPUs.
#
#   run_vm_matrix.sh BUILD RUNTIMES CACHE [OPTION]...
#
# The options are those of run_matrix.py.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
build=$1 runtimes=$2 cache=$3
shift 3
# A quarter of the combinations, another one each hour, unless MATRIX_LONG=1.
[[ ${MATRIX_LONG-} == 1 ]] || set -- --part "$((EPOCHSECONDS / 3600 % 4))/4" "$@"
for tool in qemu-system-x86_64 busybox cpio; do
    command -v "$tool" >/dev/null && continue
    echo "SKIPPED matrix: $tool is missing; scripts/packages.sh test installs it"
    [[ ${CI-} == true ]] && exit 1
    exit 77
done
# The virtual node sees the build folder, but not all of this machine: its /tmp is its own.
mkdir -p "$build/tests/matrix/runtimes"
cp -aL "$runtimes/." "$build/tests/matrix/runtimes/"
cp "$here/run_matrix.py" "$build/tests/matrix/"
exec "$here/../vm/numavm.sh" -l 1400 -w "$cache" -b "$build" \
    "LD_LIBRARY_PATH=/mnt/build/lib python3 -u /mnt/build/tests/matrix/run_matrix.py --build /mnt/build --runtimes /mnt/build/tests/matrix/runtimes --ranks 2,4 $*"
