#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# promises.bats - what select/malleable leaves to jobs that wait: the starts that backfill promised to them.

load support
load tables
load select

# Four nodes of 2 x 4 CPUs exist in tables only.
setup_file() {
    has_select || return
    local settings
    mapfile -t settings < <(select_settings "sd_max_slowdown=inf,sd_log=$BATS_FILE_TMPDIR/sd.log")
    start_cluster nodes=4 "${settings[@]}" extra="PartitionName=fast Nodes=n[1-2] MaxTime=INFINITE State=UP" \
        extra="PartitionName=slow Nodes=n[3-4] MaxTime=INFINITE State=UP"
    sizes_known
}

teardown() {
    [[ -n ${BATS_TEST_COMPLETED:-} ]] || "$CLUSTER_SH" logs "$CLUSTER"
    scancel -u "$(id -un)" 2>/dev/null
    eventually "the jobs have ended" no_jobs
    reconfigure # a test may have changed options
}

# promised OPTIONS...: submits a job that is not malleable, and waits for its promise; its number is in $WIDE, the start
# in $PROMISE.
promised() {
    script "srun sleep 300"
    WIDE=$(sbatch --parsable --exclusive -o /dev/null "$@" "$SCRIPT")
    eventually "job $WIDE is promised a start" has_promise "$WIDE"
    PROMISE=$(start_of "$WIDE")
}
has_promise() { [[ -n $(squeue -h -j "$1" -O schednodes | tr -d ' ' | grep -v null) ]]; }
# start_of JOB: prints its start in seconds since 1970; nothing while none is planned, as at the beginning of a cycle.
start_of() {
    local text
    text=$(field "$1" StartTime)
    [[ $text == Unknown ]] || date -d "$text" +%s
}
# starts_by JOB SECONDS: checks that the job is promised a start not later than that.
starts_by() {
    local start
    start=$(start_of "$1")
    [[ -n $start ]] && ((start <= $2)) && return
    echo "job $1 is to start at ${start:-no time}, and not by $2" >&2
    return 1
}
# refused JOB: waits until backfill has looked at the job, and checks that it waits on.
refused() {
    eventually "backfill has looked at job $1" looked_at "$1" ""
    sleep 3
    waits "$1"
}

@test "short guests do not push a wide job that waits, one after the other" {
    mate -N4
    promised -N4 -t 5
    for _ in 1 2 3; do
        waiting_job GUEST -N4 -t 1
        refused "$GUEST"
        scancel "$GUEST"
    done
    eventually "the wide job is promised the same start" starts_by "$WIDE" "$PROMISE"
    expect "$(field "$MATE" TimeLimit)" 00:10:00
}

@test "a guest comes to a mate whose nodes are promised to no other job" {
    running_job OTHER -N2 -w n3,n4 -t 30 # it would lose less than MATE
    mate -N2 -w n1,n2 -t 10
    promised -N2 -w n3,n4 -t 5
    guest -N2
    expect "$(cores "$MATE") $(cores "$OTHER") $(cores "$GUEST")" "0-3 0-7 4-7"
    eventually "the job is promised the same start" starts_by "$WIDE" "$PROMISE"
}

@test "a promised start moves by no more than the site allows, over all guests" {
    edited "s/sd_max_slowdown=inf/&,sd_delay_max=60/" reconfigure
    mate -N4
    promised -N4 -t 5
    guest -N4
    expect "$(comment "$WIDE")" delayed=60s
    eventually "a start a minute later is promised" starts_by "$WIDE" $((PROMISE + 60))
    scancel "$GUEST"
    waiting_job GUEST -N4 -t 1
    refused "$GUEST"
    eventually "no later one is promised" starts_by "$WIDE" $((PROMISE + 60))
}

# bats test_tags=series
@test "short guests do not push the first task of an array that waits, although its record has the start of the last" {
    mate -N4
    promised -N4 -t 5 -a 1-2
    waiting_job GUEST -N4 -t 1
    refused "$GUEST"
}

@test "a job that backfill promises a start beyond its window is not pushed either" {
    edited "s/sd_max_slowdown=inf/&,bf_window=5/" reconfigure
    mate -N4
    WIDE=$(sbatch --parsable --exclusive -N4 -t 5 -o /dev/null --wrap true)
    waiting_job GUEST -N4 -t 1
    refused "$GUEST"
}

@test "without a bound a guest comes, whatever was promised" {
    edited "s/sd_max_slowdown=inf/&,sd_delay_max=inf/" reconfigure
    mate -N4
    promised -N4 -t 5
    guest -N4
    expect "$(cores "$MATE") $(cores "$GUEST")" "0-3 4-7"
    expect "$(comment "$WIDE")" "(null)"
}

# busy PARTITION MINUTES: starts a job there that is not malleable; its number is in $BUSY.
busy() {
    BUSY=$(sbatch --parsable --exclusive -N2 -p "$1" -t "$2" -o /dev/null --wrap "sleep 300")
    eventually "job $BUSY runs" runs "$BUSY"
}

@test "a job of two partitions waits for the one that is free sooner than sharing in the other would end" {
    busy fast 1
    mate -p slow -N2 -t 30
    for order in slow,fast fast,slow; do
        waiting_job GUEST -p "$order" -N2 -t 5
        refused "$GUEST"
        scancel "$GUEST"
    done
    waiting_job GUEST -p slow,fast -N2 -t 5
    scancel "$BUSY"
    eventually "it runs" runs "$GUEST"
    expect "$(field "$GUEST" Partition)" fast
    expect "$(cores "$MATE")" 0-7
}

@test "the main scheduler knows that the other partition is free sooner, too" {
    edited "s/sd_max_slowdown=inf/&,bf_interval=600/" reconfigure
    busy fast 1
    mate -p slow -N2 -t 30
    for order in slow,fast fast,slow; do
        waiting_job GUEST -p "$order" -N2 -t 5
        refused "$GUEST"
        scancel "$GUEST"
    done
}

@test "a job of two partitions shares in the one that has a mate when the other is taken for long" {
    busy fast 30
    mate -p slow -N2 -t 30
    running_job GUEST -p fast,slow -N2 -t 5
    expect "$(cores "$MATE") $(cores "$GUEST")" "0-3 4-7"
}

@test "a job of two partitions does not wait for one in which it may not run" {
    scontrol update partitionname=fast maxtime=4
    busy fast 1
    mate -p slow -N2 -t 30
    waiting_job GUEST -p fast,slow -N2 -t 5
    eventually "it shares in the other" runs "$GUEST"
    scontrol update partitionname=fast maxtime=infinite
    expect "$(cores "$MATE") $(cores "$GUEST")" "0-3 4-7"
}
