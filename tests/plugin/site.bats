#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# site.bats - what an administrator can switch, look at and rotate in select/malleable, and what users are told.

load support
load tables
load select

LOG=$BATS_FILE_TMPDIR/sd.log

# Two nodes of 2 x 4 CPUs exist in tables only.
setup_file() {
    has_select || return
    local settings
    mapfile -t settings < <(select_settings "sd_max_slowdown=inf,sd_log=$BATS_FILE_TMPDIR/sd.log")
    start_cluster nodes=2 "${settings[@]}"
    sizes_known
}

teardown() {
    [[ -n ${BATS_TEST_COMPLETED:-} ]] || "$CLUSTER_SH" logs "$CLUSTER"
    scancel -u "$(id -un)" 2>/dev/null
    eventually "the jobs have ended" no_jobs
    scontrol reconfigure # a test may have changed options
}

# with OPTIONS: slurmctld goes on with these options besides; until the end of the test.
with() {
    from_here
    edited "s|sd_max_slowdown=inf|&,$1|" scontrol reconfigure
    eventually "slurmctld has read its options" has_read_options
    ! log_since | grep -F "the options that were in force stay so"
}
has_read_options() { log_since | grep -q "jobs have whole nodes"; }
# replayed: checks that the policy decides all of the journal again; what is said about it is in $output.
replayed() { run -0 "$BUILD/bin/drom-sim" replay "$LOG"; }

# --- the dry run ---

@test "a dry run tells the journal what would be shared, and jobs wait and start as without the plugin" {
    with sd_dry_run=yes
    mate -N2
    waiting_job GUEST -N2 -t 1
    eventually "backfill has decided that it would share" looked_at "$GUEST" share
    sleep 3
    waits "$GUEST"
    expect "$(cores "$MATE") $(field "$MATE" TimeLimit) $(comment "$MATE")" "0-7 00:10:00 malleable=1"
    expect "$(comment "$GUEST")" malleable=1
    replayed
    [[ $output == *"the controller only decided (sd_dry_run), and no job shared."*"Every decision is what the policy decides now."* ]]
    scancel "$MATE"
    eventually "it runs when the nodes are free" runs "$GUEST"
    expect "$(cores "$GUEST") $(field "$GUEST" TimeLimit)" "0-7 00:01:00"
    no_errors
}

@test "in a dry run the main scheduler shares nothing either" {
    with sd_dry_run=yes,bf_interval=600
    mate -N2
    waiting_job GUEST -N2 -t 1
    eventually "the main scheduler has decided that it would share" looked_at "$GUEST" share
    sleep 2
    waits "$GUEST"
    expect "$(cores "$MATE")" 0-7
    scancel "$MATE"
    eventually "it runs when the nodes are free" runs "$GUEST"
    expect "$(cores "$GUEST")" 0-7
    replayed
    no_errors
}

@test "jobs that share when a dry run begins go on, and no other job comes" {
    mate -N2
    guest -N2
    with sd_dry_run=yes
    expect "$(cores "$MATE") $(cores "$GUEST")" "0-3 4-7"
    scancel "$GUEST"
    eventually "the mate has its cores again" has_cores "$MATE" 0-7
    waiting_job GUEST -N2 -t 1
    eventually "backfill has decided that it would share" looked_at "$GUEST" share
    waits "$GUEST"
    no_errors
}
