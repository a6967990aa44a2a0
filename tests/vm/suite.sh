#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# suite.sh - the pinning tests, run inside the virtual node: 16 CPUs, 2 packages, 2 NUMA nodes (0-7, 8-15). Prints TAP.
#
#   suite.sh BUILD      BUILD/bin, BUILD/lib and BUILD/tests/vm hold the programs under test
set -uo pipefail

build=$1
export PATH=$build/bin:$PATH LD_LIBRARY_PATH=$build/lib DROM_TABLE=/dev/shm/table
# No thread may spin on interpreted CPUs, and drom's limit must be long enough for CPUs that are 100 times slower.
# The team follows its mask here, because only then each thread is pinned anew.
export OMP_WAIT_POLICY=passive OMP_NUM_THREADS=16 DROM_TIMEOUT_MS=10000 DROM_RESIZE=follow
number=0 failed=0
guest=

ok() { echo "ok $((++number)) - $1"; }
not_ok() {
    echo "not ok $((++number)) - $1"
    shift
    printf '#   %s\n' "$@"
    failed=$((failed + 1))
}

# check TITLE COMMAND...: passes if the command succeeds.
check() {
    local title=$1 said
    shift
    if said=$("$@" 2>&1); then ok "$title"; else not_ok "$title" "$*" "exit status $?" "$said"; fi
}

# refused TITLE PATTERN COMMAND...: passes if the command is refused (1) or not understood (2) with a message that
# matches.
refused() {
    local title=$1 pattern=$2 said status
    shift 2
    said=$("$@" 2>&1)
    status=$?
    if ((status == 1 || status == 2)) && [[ $said =~ $pattern ]]; then ok "$title"; else not_ok "$title" "$*" "exit status $status" "$said"; fi
}

# Starts a guest that owns the node; its output is read while it runs.
start() {
    drom run --cpus 0-15 -- "$@" >/dev/shm/out 2>/dev/shm/err &
    guest=$!
    wait_for 90 'team=16 ' || not_ok "$1 starts with 16 threads" "$(tail -n 1 /dev/shm/out)" "$(cat /dev/shm/err)"
}

stop() {
    kill "$guest"
    wait "$guest"
    guest=
} 2>/dev/null

# wait_for SECONDS PATTERN: waits until the newest line of the guest matches.
wait_for() {
    local end=$((SECONDS + $1))
    while ! [[ $(tail -n 1 /dev/shm/out) =~ $2 ]]; do
        ((SECONDS < end)) || return 1
        sleep 0.1
    done
}

# sees TITLE PATTERN: passes if the guest's newest line comes to match.
sees() {
    if wait_for 90 "$2"; then ok "$1"; else
        not_ok "$1" "expected $2" "last     $(tail -n 1 /dev/shm/out)" "$(cat /dev/shm/err)" "$(drom explain "$guest" 2>&1 | head -n 12)"
    fi
}

all=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15

# moves_bound TITLE: shrinks and expands the guest; each time every thread must be on a CPU of its own.
moves_bound() {
    drom set "$guest" 0-3 >/dev/null
    sees "$1: 16 -> 4 on node 0, one CPU each" '^team=4 cpus=0,1,2,3 masks=0,1,2,3 bound=4$'
    drom set "$guest" 8-15 >/dev/null
    sees "$1: expanded to 8-15, one CPU each" '^team=8 cpus=8,9,10,11,12,13,14,15 masks=8,9,10,11,12,13,14,15 bound=8$'
    drom set "$guest" 0-15 >/dev/null
    sees "$1: and back to 16" "^team=16 cpus=$all masks=$all bound=16\$"
}

moves_placed() {
    drom set "$guest" 0-3 >/dev/null
    sees "$1: 16 -> 4 on node 0" '^team=4 cpus=[0-3],[0-3],[0-3],[0-3] masks=0,1,2,3 bound=0$'
    drom set "$guest" 8-15 >/dev/null
    sees "$1: expanded to 8-15" '^team=8 cpus=.* masks=8,9,10,11,12,13,14,15 bound=0$'
    drom set "$guest" 0-15 >/dev/null
    sees "$1: and back to 16" "^team=16 cpus=.* masks=$all bound=0\$"
}

# The default: a team keeps its size, and each of its threads stays inside the mask.
keeps() {
    local by
    for by in gcc clang; do
        DROM_RESIZE=keep start "$build/tests/vm/places-$by" 200
        drom set "$guest" 0-3 >/dev/null
        sees "$by, keep: 16 threads on the 4 CPUs of 0-3" '^team=16 cpus=[0-3](,[0-3]){15} masks=0,1,2,3 '
        drom set "$guest" 0-15 >/dev/null
        sees "$by, keep: and back on all 16" "^team=16 cpus=.* masks=$all "
        stop
    done
}

pinning() {
    local by
    for by in gcc clang; do
        start "$build/tests/vm/places-$by" 200
        moves_placed "$by, OMP_PROC_BIND unset"
        stop
        for OMP_PROC_BIND in true spread; do
            export OMP_PROC_BIND
            start "$build/tests/vm/places-$by" 200
            moves_bound "$by, OMP_PROC_BIND=$OMP_PROC_BIND"
            stop
        done
        unset OMP_PROC_BIND
    done
    export DROM_PIN=bind
    start "$build/tests/vm/places-gcc" 200
    moves_bound "gcc, DROM_PIN=bind"
    stop
    unset DROM_PIN
}

mask_of_guest() { drom list --json | jq -r '.clients[0].mask'; }

names() {
    start "$build/tests/vm/places-clang" 200
    local row mask expected
    for row in numa:1=8-15 package:0=0-7 core:2-3=2-3 numa:0,core:15=0-7,15 0-14:2=0,2,4,6,8,10,12,14 0xf0=4-7; do
        mask=${row%%=*} expected=${row#*=}
        drom set "$guest" "$mask" >/dev/null
        check "set $mask is $expected" test "$(mask_of_guest)" = "$expected"
    done
    sees "the team follows names" '^team=4 cpus=[4-7],[4-7],[4-7],[4-7] masks=4,5,6,7 '
    refused "a node that is not there is refused" 'numa:2|NUMA' drom set "$guest" numa:2
    refused "CPU 16 is refused" '16' drom set "$guest" 0-16
    stop
}

offline() {
    start "$build/tests/vm/places-clang" 200
    drom set "$guest" 0-3 >/dev/null
    echo 0 >/sys/devices/system/cpu/cpu5/online
    refused "an offline CPU is refused" 'CPU 5 .*offline|offline.* 5' drom set "$guest" 4-5
    check "a refusal changes nothing" test "$(mask_of_guest)" = 0-3
    echo 1 >/sys/devices/system/cpu/cpu5/online
    check "online again it is given" drom set "$guest" 4-5
    stop
}

# A cpuset may be narrower than the mask: then the intersection is applied, and drom says so.
cpuset() {
    local group=/sys/fs/cgroup/narrow pid
    echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control
    mkdir "$group"
    start "$build/tests/vm/places-clang" 200
    pid=$(drom list --json | jq -r '.clients[0].pid')
    echo 0-3 >"$group/cpuset.cpus"
    echo "$pid" >"$group/cgroup.procs"
    drom set "$guest" 2-9 >/dev/null 2>&1
    sees "a narrower cpuset limits the mask" '^team=.* masks=2,3 '
    check "and the list says so" bash -c "drom list --json | jq -e '.clients[0].limited' || drom explain $guest | grep -i -E 'cpuset|limited'"
    echo 0-15 >"$group/cpuset.cpus"
    drom set "$guest" 4-7 >/dev/null
    sees "a wider one lifts the limit" '^team=.* masks=4,5,6,7 '
    stop
    rmdir "$group"
}

# A program in a cgroup with a quota, and later with fewer CPUs, without a table.
container() {
    local group=/sys/fs/cgroup/pod/app by
    echo "+cpu +cpuset" >/sys/fs/cgroup/cgroup.subtree_control
    mkdir /sys/fs/cgroup/pod
    echo "+cpu +cpuset" >/sys/fs/cgroup/pod/cgroup.subtree_control
    mkdir "$group"
    echo "300000 100000" >/sys/fs/cgroup/pod/cpu.max
    echo "700000 100000" >"$group/cpu.max"
    check "nproc counts the quota of the group above" test \
        "$(sh -c "echo \$\$ >$group/cgroup.procs; exec env -u OMP_NUM_THREADS drom run --follow -- nproc")" = 3
    for by in gcc clang; do
        echo max >/sys/fs/cgroup/pod/cpu.max
        echo max >"$group/cpu.max"
        sh -c "echo \$\$ >$group/cgroup.procs; exec drom run --follow -- $build/tests/vm/places-$by 200" >/dev/shm/out 2>/dev/shm/err &
        guest=$!
        sees "$by: without a quota it has all CPUs" "^team=16 .* masks=$all "
        echo "400000 100000" >/sys/fs/cgroup/pod/cpu.max
        sees "$by: a quota for four CPUs, on one node" '^team=16 .* masks=(([0-7],){3}[0-7]|(8|9|1.)(,(9|1.)){3}) '
        echo 2-5 >"$group/cpuset.cpus"
        sees "$by: a cpuset of four others" '^team=16 .* masks=2,3,4,5 '
        echo 0-15 >"$group/cpuset.cpus"
        echo max >/sys/fs/cgroup/pod/cpu.max
        sees "$by: and back on all CPUs" "^team=16 .* masks=$all "
        stop
    done
    rmdir "$group" /sys/fs/cgroup/pod
}

# Whole NUMA nodes go to newcomers: the guest that owned both keeps the other one.
newcomer() {
    start "$build/tests/vm/places-gcc" 200
    rm -f /dev/shm/seen
    drom run --ncpus 8 -- sh -c 'until [ -e /dev/shm/seen ]; do sleep 0.1; done' &
    local other=$! end=$((SECONDS + 60)) masks=
    while ((SECONDS < end)) && [[ $masks != "0-7 8-15 " ]]; do
        masks=$(drom list --json | jq -r '.clients[].mask' | sort -V | tr '\n' ' ')
    done
    check "a newcomer of 8 gets one node, the owner keeps the other" test "$masks" = "0-7 8-15 "
    touch /dev/shm/seen
    wait "$other"
    sees "and the owner has both again afterwards" "^team=16 .* masks=$all "
    stop
}

check "the virtual node has 16 CPUs" test "$(nproc --all)" = 16
keeps
pinning
names
offline
cpuset
container
newcomer
check "no client is left in the table" test "$(drom list --json | jq '.clients | length')" = 0
echo "1..$number"
echo "vm: $((number - failed)) passed, $failed failed, in $(cut -d. -f1 /proc/uptime) s"
exit $((failed > 0))
