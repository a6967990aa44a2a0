# SPDX-License-Identifier: BSD-3-Clause
# cpusets.bash - cpusets of a real Slurm in a v1 hierarchy (ConstrainCores=yes).
# shellcheck shell=bash

CPUSETS=/sys/fs/cgroup/cpuset

# why_not: prints the reason why Slurm cannot make cpusets here; nothing when it can.
why_not() {
    [[ -e $CPUSETS/cpuset.cpus ]] || { echo "there is no v1 cpuset hierarchy at $CPUSETS"; return; }
    [[ $(tr , '\n' <"$CPUSETS/cpuset.cpus" | head -n 1) == 0-* ]] || { echo "$CPUSETS does not have CPUs 0 and 1"; return; }
    mkdir "$CPUSETS/drom_test_$$" 2>/dev/null || { echo "$CPUSETS cannot be written"; return; }
    rmdir "$CPUSETS/drom_test_$$"
}

# cpuset_settings: prints settings of cluster.sh.
cpuset_settings() {
    printf '%s\n' cgroup=CgroupPlugin=cgroup/v1 "cgroup=CgroupMountpoint=${CPUSETS%/*}" cgroup=CgroupAutomount=no cgroup=ConstrainCores=yes
}

# remove_cgroups HIERARCHY NODE: Slurm always leaves its own directory behind, and those of its last step when that ends
# badly.
remove_cgroups() {
    local pid folder=$1/slurm_$2
    [[ -d $folder ]] || return 0
    while read -r pid; do echo "$pid" >"$1/cgroup.procs"; done < <(find "$folder" -name cgroup.procs -exec cat {} +)
    find "$folder" -depth -type d -exec rmdir {} +
}

# cpuset_of PID: prints the directory of the process's cpuset.
cpuset_of() { echo "$CPUSETS$(sed -n 's/^[0-9]*:cpuset://p' "/proc/$1/cgroup")"; }
