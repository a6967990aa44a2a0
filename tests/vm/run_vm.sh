#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run_vm.sh - boots the virtual node once and runs suite.sh in it.
#
#   run_vm.sh BUILD CACHE
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
for tool in qemu-system-x86_64 busybox cpio jq clang-14; do
    command -v "$tool" >/dev/null && continue
    echo "SKIPPED vm: $tool is missing; scripts/packages.sh test installs it"
    [[ ${CI-} == true ]] && exit 1
    exit 77
done
exec "$here/numavm.sh" -l 1000 -w "$2" -b "$1" 'bash /mnt/build/tests/vm/suite.sh /mnt/build'
