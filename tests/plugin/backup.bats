#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# backup.bats - select/malleable in two controllers: the second one takes over while jobs share, gives control back, and
# takes over again.

load support
load tables
load select

setup_file() {
    has_select || return
    ((EUID == 0)) || { missing "two controllers on one machine need root"; return 1; }
    local settings
    mapfile -t settings < <(select_settings)
    start_cluster nodes=2 "${settings[@]}" backup=yes
    sizes_known
}

# Slurm 22.05's main_sched_fini() joins the thread of the first time whenever control is given back: most times it hangs
# the second time. So each test has a second controller that has never had control.
teardown() {
    [[ -n ${BATS_TEST_COMPLETED:-} ]] || "$CLUSTER_SH" logs "$CLUSTER"
    end_daemon backup KILL
    rm -f "$CLUSTER/log/backup.log"
    alive slurmctld || start_controller
    scancel -u "$(id -un)" 2>/dev/null
    eventually "the jobs have ended" no_jobs
    "$CLUSTER_SH" again "$CLUSTER" backup
}
alive() { ! has_gone "$(daemon "$1")"; }

# times NAME: prints how often slurmctld, or backup, has taken control.
times() { grep -c "Running as primary controller" "$CLUSTER/log/$1.log" || true; }
has_taken() { (($(times "$1") > $2)) && squeue >/dev/null; }
stands_by() { grep -oE "running in background mode|Running as primary controller" "$CLUSTER/log/backup.log" | tail -n 1 | grep -q background; }
# backup_takes_over: kills the first controller, and has the second one take over without its waiting time.
backup_takes_over() {
    eventually "the second one stands by" stands_by
    kill_controller KILL
    it_takes_over
}
it_takes_over() {
    local before
    before=$(times backup)
    eventually "it was told to take over" scontrol takeover
    eventually "the backup has control" has_taken backup "$before"
}
primary_comes_back() {
    local before
    before=$(times slurmctld)
    "$CLUSTER_SH" again "$CLUSTER" slurmctld
    eventually "the first one has control again" has_taken slurmctld "$before"
}
pair() { mate -N2; share; }
share() { guest -N2; eventually "the guest's limit is extended" has_limit "$GUEST" 00:02:00; saved; }
# saved: waits until slurmctld has saved that the mate lends to this guest.
saved() { eventually "slurmctld has saved the guest" grep -qa "sharing=$GUEST" "$CLUSTER/state/job_state"; }
as_before() { expect "$(cores "$MATE") $(cores "$GUEST")" "0-3 4-7"; }
and_back() {
    scancel "$GUEST"
    eventually "the mate has its cores again" has_cores "$MATE" 0-7
}
# none_inferred: checks that each controller found its list of loans to be right.
none_inferred() { ! grep -hE "inferred|is not used|counted anew" "$CLUSTER"/log/{slurmctld,backup}.log; }

@test "a backup controller that takes over knows who shares with whom, and lets others share" {
    pair
    backup_takes_over
    as_before
    expect "$(field "$MATE" TimeLimit) $(field "$GUEST" TimeLimit)" "00:11:00 00:02:00"
    and_back
    [[ $(comment "$MATE") =~ shared=[0-9]+s$ ]]
    share
    as_before
    split n1 "$MATE.0" "$GUEST.0"
    primary_comes_back
    as_before
    and_back
    gets n1 "$MATE.0" 0-7
    none_inferred
}

# bats test_tags=series
@test "a backup controller that takes over once more knows what happened while it had no control" {
    pair
    backup_takes_over
    as_before
    primary_comes_back
    and_back
    share
    as_before
    backup_takes_over
    as_before
    none_inferred
    and_back
    scancel "$MATE"
    eventually "the mate has ended" has_ended "$MATE"
    expect "$(field "$MATE" TimeLimit)" 00:10:00
}

@test "a backup controller without control leaves the list of loans alone" {
    pair
    backup_takes_over
    primary_comes_back
    and_back
    share
    eventually "the second one stands by" stands_by
    kill_controller KILL
    cp "$CLUSTER/state/malleable.loans" before
    local times_before
    times_before=$(times backup)
    sleep 66 # a controller charges jobs, and writes that down, each minute
    diff before "$CLUSTER/state/malleable.loans"
    expect "$(times backup)" "$times_before" # it had no control meanwhile
    it_takes_over
    as_before
    none_inferred
}
