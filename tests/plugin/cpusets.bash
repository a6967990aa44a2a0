# SPDX-License-Identifier: BSD-3-Clause
# cpusets.bash - cpusets of a real Slurm (ConstrainCores=yes) in a v1 hierarchy. With CGROUP_V2=yes in that of v2, whose
# top may have any folders: that of a virtual node (tests/vm/run_cgroup_v2.sh).
# shellcheck shell=bash

is_v2() { [[ ${CGROUP_V2:-} == yes ]]; }
CPUSETS=/sys/fs/cgroup/cpuset
! is_v2 || CPUSETS=/sys/fs/cgroup

# why_not: prints the reason why Slurm cannot make cpusets here; nothing when it can.
why_not() {
    if is_v2; then
        grep -qsw cpuset "$CPUSETS/cgroup.controllers" || echo "there is no v2 hierarchy with cpusets at $CPUSETS"
        return
    fi
    [[ -e $CPUSETS/cpuset.cpus ]] || { echo "there is no v1 cpuset hierarchy at $CPUSETS"; return; }
    [[ $(tr , '\n' <"$CPUSETS/cpuset.cpus" | head -n 1) == 0-* ]] || { echo "$CPUSETS does not have CPUs 0 and 1"; return; }
    mkdir "$CPUSETS/drom_test_$$" 2>/dev/null || { echo "$CPUSETS cannot be written"; return; }
    rmdir "$CPUSETS/drom_test_$$"
}

# cpuset_settings: prints settings of cluster.sh.
cpuset_settings() {
    if is_v2; then
        printf '%s\n' cgroup=CgroupPlugin=cgroup/v2 cgroup=IgnoreSystemd=yes cgroup=CgroupAutomount=yes cgroup=ConstrainCores=yes
        return
    fi
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
cpuset_of() {
    local prefix='[0-9]*:cpuset:'
    ! is_v2 || prefix=0::
    echo "$CPUSETS$(sed -n "s/^$prefix//p" "/proc/$1/cgroup")"
}
# cpus_of_cpuset PID: prints the CPUs that the process's cpuset lets it have.
cpus_of_cpuset() {
    local folder
    folder=$(cpuset_of "$1")
    is_v2 || { cat "$folder/cpuset.cpus"; return; }
    # A level without the controller has what the one above has.
    while [[ ! -e $folder/cpuset.cpus.effective ]]; do folder=${folder%/*}; done
    cat "$folder/cpuset.cpus.effective"
}

# limited PID CPUS: puts the process, and those beside it, into a cpuset with these CPUs below the one that it is in;
# its path is in $LIMIT.
limited() {
    local above pid
    above=$(cpuset_of "$1")
    LIMIT=$above/program
    mkdir "$LIMIT"
    if is_v2; then
        # A level with processes has no controllers for those below.
        for pid in $(<"$above/cgroup.procs"); do echo "$pid" >"$LIMIT/cgroup.procs"; done
        echo +cpuset >"$above/cgroup.subtree_control"
        echo "$2" >"$LIMIT/cpuset.cpus"
        return
    fi
    cat "$above/cpuset.mems" >"$LIMIT/cpuset.mems"
    echo "$2" >"$LIMIT/cpuset.cpus"
    echo "$1" >"$LIMIT/cgroup.procs"
}
