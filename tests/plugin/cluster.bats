#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# cluster.bats - the harness itself: it works for any user, and leaves nothing behind, even when it is killed.

load support

setup_file() { :; }
teardown_file() { :; }
setup() {
    WORK=$BATS_TEST_TMPDIR
    command -v slurmctld >/dev/null || missing "no slurmctld; scripts/packages.sh test"
    CLUSTER=$(mktemp -d)
}
teardown() {
    "$CLUSTER_SH" down "$CLUSTER"
    rm -rf "$CLUSTER"
}

# processes: prints the living processes of this cluster.
processes() {
    local pid
    for pid in $(pgrep -x 'slurmctld|slurmd|slurmstepd'); do
        grep -zqxF "CLUSTER_MARK=$CLUSTER" "/proc/$pid/environ" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$pid/status" && echo "$pid"
    done
    return 0
}
no_process_left() { [[ -z $(processes) ]]; }

@test "down ends running jobs and every daemon" {
    "$CLUSTER_SH" up "$CLUSTER" owner=$$
    SLURM_CONF=$CLUSTER/etc/slurm.conf sbatch -o /dev/null --wrap 'trap "" TERM; echo $$ >'"$WORK/pid"'; while :; do sleep 1; done'
    eventually "the job runs" test -s "$WORK/pid"
    expect "$(processes | wc -l)" 4
    "$CLUSTER_SH" down "$CLUSTER"
    no_process_left
    eventually "the job has ended" bash -c "! kill -0 $(cat "$WORK/pid")"
}

@test "a cluster whose test was killed stops by itself" {
    bash -c '"$0" up "$1" owner=$$; sleep 600' "$CLUSTER_SH" "$CLUSTER" 3>&- &
    owner=$!
    eventually "it is up" bash -c "SLURM_CONF=$CLUSTER/etc/slurm.conf sinfo -h -t idle | grep -q main"
    # Waits until both slurmd run, not only the first.
    eventually "all daemons run" bash -c "(( $(processes | wc -l) == 3 ))"
    kill -KILL "$owner"
    eventually "nothing is left" no_process_left
}

@test "a cluster ends at its limit" {
    "$CLUSTER_SH" up "$CLUSTER" owner=$$ limit=2
    eventually "nothing is left" no_process_left
}

@test "a daemon that cannot start is told with its log" {
    refuses 1 "start in .*: not every node became idle" "$CLUSTER_SH" up "$CLUSTER" owner=$$ extra=NoSuchOption=1
    refuses 1 "NoSuchOption" "$CLUSTER_SH" up "$CLUSTER" owner=$$ extra=NoSuchOption=1
    no_process_left
}

# first_time NODE-OR-DAEMON PATTERN: prints the time of the first such line of its log.
first_time() { grep -m 1 "$2" "$CLUSTER/log/$1.log" | sed 's/^\[\([^]]*\)\].*/\1/'; }

@test "the nodes of a controller that is late do not wait for their next try to register" {
    printf '%s\n' '#!/bin/bash' 'sleep 4' 'exec "$@"' >"$WORK/late"
    chmod +x "$WORK/late"
    CONTROLLER_UNDER=$WORK/late "$CLUSTER_SH" up "$CLUSTER" owner=$$
    local node
    for node in n1 n2; do [[ $(first_time slurmctld "Running as primary controller") < $(first_time $node .) ]]; done
}

@test "two clusters at once do not meet" {
    other=$(mktemp -d)
    "$CLUSTER_SH" up "$CLUSTER" nodes=1 owner=$$ &
    first=$!
    "$CLUSTER_SH" up "$other" nodes=3 owner=$$
    wait "$first"
    expect "$(SLURM_CONF=$CLUSTER/etc/slurm.conf sinfo -h -o %D)" 1
    expect "$(SLURM_CONF=$other/etc/slurm.conf sinfo -h -o %D)" 3
    "$CLUSTER_SH" down "$other"
    expect "$(processes | wc -l)" 2
    rm -rf "$other"
}

@test "an ordinary user has a cluster, with our plugins" {
    user=()
    if ((EUID == 0)); then user=(setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/ USER=nobody LOGNAME=nobody); fi
    # Other users may not be let into the build folder.
    mkdir -p "$CLUSTER/lib/slurm"
    cp -a "$BUILD"/lib/libdrom{.so*,-agent.so,-omp.so} "$CLUSTER/lib/"
    cp "$SPANK_DROM" "$CLUSTER/lib/slurm/"
    local cluster_sh=$CLUSTER/tests/plugin/cluster.sh
    mkdir -p "$CLUSTER"/{tests/plugin,scripts}
    cp "$CLUSTER_SH" "$CLUSTER/tests/plugin/"
    cp "$BATS_TEST_DIRNAME/../../scripts/slurm-daemons.sh" "$CLUSTER/scripts/"
    chmod -R go+rX "$CLUSTER"
    ((EUID != 0)) || chown 65534:65534 "$CLUSTER"
    cd "$CLUSTER"
    "${user[@]}" "$cluster_sh" up "$CLUSTER" owner=$$ plugstack="required $CLUSTER/lib/slurm/spank_drom.so"
    SLURM_CONF=$CLUSTER/etc/slurm.conf timeout 60 "${user[@]}" srun -D / --malleable bash -c 'id -u; printenv LD_PRELOAD' >"$WORK/out"
    expect "$(cat "$WORK/out")" "$("${user[@]}" id -u)
$CLUSTER/lib/libdrom-agent.so:$CLUSTER/lib/libdrom.so.0"
    "${user[@]}" "$cluster_sh" down "$CLUSTER"
    no_process_left
}
