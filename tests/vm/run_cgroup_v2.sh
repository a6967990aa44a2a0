#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run_cgroup_v2.sh - runs tests/plugin/cgroup.bats in a real Slurm with cgroup v2, on a virtual node of 2 CPUs. Its
# Slurm is this machine's, without systemd (IgnoreSystemd=yes).
#
#   run_cgroup_v2.sh BUILD CACHE
#
# One test, unless VM_LONG=1. Exit status: that of bats; 77 skipped.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
build=$1 cache=$2

skip() {
    echo "SKIPPED vm-cgroup-v2: $*"
    [[ ${CI-} == true ]] && exit 1
    exit 77
}
export PATH=$PATH:/usr/sbin:/sbin
for tool in qemu-system-x86_64 busybox cpio jq bats slurmctld slurmd srun; do
    command -v "$tool" >/dev/null || skip "$tool is missing; scripts/packages.sh test installs it"
done
[[ -e $build/lib/slurm/spank_drom.so ]] || skip "the plugins for Slurm were left out of the build; scripts/packages.sh test"

# The virtual node sees the build folder, but not all of this machine: its /tmp is its own.
copy=$build/tests/vm/cgroup_v2
rm -rf "$copy"
mkdir -p "$copy"/tests/cli "$copy/scripts"
cp -r "$here"/../plugin "$here"/../support "$copy/tests"
cp "$here"/../cli/support.bash "$copy/tests/cli"
cp "$here"/../../scripts/slurm-daemons.sh "$copy/scripts"

# systemd makes system.slice elsewhere. Slurm finds its own name only where there is an address besides 127.0.0.1. No
# program may spin on interpreted CPUs.
one=(-f 'born on one core')
[[ ${VM_LONG-} != 1 ]] || one=()
status=0
"$here/numavm.sh" -s 1 -c 2 -l 900 -w "$cache" -b "$build" "mkdir /sys/fs/cgroup/system.slice
    busybox ip address add 10.0.0.1/32 dev lo
    export CI=true CGROUP_V2=yes DROM_BUILD=/mnt/build LD_LIBRARY_PATH=/mnt/build/lib OMP_WAIT_POLICY=passive
    bats --tap ${one[*]@Q} /mnt/build/tests/vm/cgroup_v2/tests/plugin/cgroup.bats" || status=$?
((status != 126)) || skip "there is no kernel for the virtual node, and none could be fetched"
exit "$status"
