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
    start_cluster nodes=4 "${settings[@]}"
    sizes_known
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
    edited "s/sd_max_slowdown=inf/&,sd_delay_max=60/" scontrol reconfigure
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

@test "a job that backfill promises a start beyond its window is not pushed either" {
    edited "s/sd_max_slowdown=inf/&,bf_window=5/" scontrol reconfigure
    mate -N4
    WIDE=$(sbatch --parsable --exclusive -N4 -t 5 -o /dev/null --wrap true)
    waiting_job GUEST -N4 -t 1
    refused "$GUEST"
}

@test "without a bound a guest comes, whatever was promised" {
    edited "s/sd_max_slowdown=inf/&,sd_delay_max=inf/" scontrol reconfigure
    mate -N4
    promised -N4 -t 5
    guest -N4
    expect "$(cores "$MATE") $(cores "$GUEST")" "0-3 4-7"
    expect "$(comment "$WIDE")" "(null)"
}
