#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# select_restart.bats - what select_storm.py found: jobs that share are requeued, and controllers come back with an older state.

load support

setup_file() {
    [[ -e $PLUGINS/select_malleable.so ]] || { missing "no select_malleable.so; scripts/slurm-headers.sh"; return; }
    start_cluster nodes=2 sockets=2 cores=4 select=select/malleable scheduler=sd_max_slowdown=inf extra=JobSubmitPlugins=malleable \
        plugstack="required $SPANK_DROM"
}

# job NAME OPTION...: a malleable job of one whole node; its number is in $NAME.
job() {
    local -n number=$1
    shift
    script 'exec sleep 120'
    number=$(sbatch --parsable -o /dev/null -N1 --ntasks-per-node=1 -c8 --malleable "$@" "$SCRIPT")
}
has_state() { [[ $(field "$1" JobState) == "$2" ]]; }
has_limit() { [[ $(field "$1" TimeLimit) == "$2" ]]; }
cores() { scontrol -d -o show job "$1" | sed -n 's/.* CPU_IDs=\([^ ]*\) .*/\1/p'; }
has_cores() { [[ $(cores "$1") == "$2" ]]; }
daemon() { sed -n "s/^$1 //p" "$CLUSTER/run/daemons" | tail -n 1; }
state_saved() { [[ $CLUSTER/state/job_state -nt $1 ]]; }

# sharing: a mate of ten minutes and a guest of one, in $MATE and $GUEST.
sharing() {
    job MATE -t 10 -w n1
    eventually "the mate runs" has_state "$MATE" RUNNING
    job GUEST -t 1 -w n1
    eventually "the guest has half of the node" has_cores "$GUEST" 4-7
    eventually "the guest's limit is extended" has_limit "$GUEST" 00:02:00
}

@test "a requeued guest asks for its own time again, and not for what sharing had added" {
    sharing
    scontrol requeue "$GUEST"
    eventually "the guest waits again" has_state "$GUEST" PENDING
    expect "$(field "$GUEST" TimeLimit)" 00:01:00
    [[ $(scontrol -o show job "$GUEST") != *sharing=* ]]
}

restart() {
    kill -KILL "$(daemon slurmctld)"
    "$CLUSTER_SH" again "$CLUSTER" slurmctld
}

@test "minutes that an administrator gives to a job that shares stay, whoever reads the configuration or kills slurmctld" {
    sharing
    expect "$(field "$MATE" TimeLimit)" 00:11:00
    scontrol update jobid="$MATE" timelimit=40
    scontrol reconfigure
    expect "$(field "$MATE" TimeLimit)" 00:41:00
    touch "$WORK/given"
    sleep 1
    eventually "the state is saved" state_saved "$WORK/given"
    restart
    eventually "slurmctld knows the mate" has_state "$MATE" RUNNING
    expect "$(field "$MATE" TimeLimit)" 00:41:00
}

@test "a limit that an administrator lowered does not grow with each reading of the configuration" {
    sharing
    scontrol update jobid="$MATE" timelimit=5
    for _ in 1 2 3; do scontrol reconfigure; done
    expect "$(field "$MATE" TimeLimit)" 00:06:00
}

# slurmctld saves its state every five seconds at most: what came since is lost, but not in the ledger.
@test "a guest whose end a killed controller had not saved keeps its cores until it is missed: no core is booked twice" {
    sharing
    touch "$WORK/shared"
    sleep 1
    eventually "the state is saved" state_saved "$WORK/shared"
    # Else it would say at once to the next controller that the guest has ended.
    kill -STOP "$(daemon n1)"
    scancel "$GUEST"
    eventually "the mate has the node again" has_cores "$MATE" 0-7
    restart
    eventually "slurmctld knows the guest as it was" has_state "$GUEST" RUNNING
    local both
    both="$(cores "$MATE") $(cores "$GUEST")"
    kill -CONT "$(daemon n1)"
    expect "$both" "0-3 4-7"
    scancel "$GUEST"
    eventually "the mate has the node again" has_cores "$MATE" 0-7
    ! grep -E "job overflow|error: select/malleable" "$CLUSTER/log/slurmctld.log"
}
