#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# select_idle.bats - select/malleable in a real slurmctld: idle nodes complete those of mates, unless a plan of
# slurmctld wants them; partitions have limits of their own.

load support
load tables
load select

# Four nodes of 2 x 4 CPUs exist in tables only.
setup_file() {
    has_select || return
    local settings
    mapfile -t settings < <(select_settings "sd_max_slowdown=inf,sd_gain=0,sd_add_free_nodes=yes,sd_max_slowdown_partition=debug:1.01/main:inf,sd_log=$BATS_FILE_TMPDIR/sd.log")
    printf '%s\n' '#!/bin/bash' "[[ ! -e $BATS_FILE_TMPDIR/slow ]] || sleep 6" >"$BATS_FILE_TMPDIR/epilog"
    chmod 755 "$BATS_FILE_TMPDIR/epilog"
    start_cluster nodes=4 "${settings[@]}" extra="Epilog=$BATS_FILE_TMPDIR/epilog" extra="PartitionName=debug Nodes=n[1-4] State=UP"
    sizes_known
}

teardown() {
    [[ -n ${BATS_TEST_COMPLETED:-} ]] || "$CLUSTER_SH" logs "$CLUSTER"
    scancel -u "$(id -un)" 2>/dev/null
    eventually "the jobs have ended" no_jobs
    reconfigure # a test may have changed options
}

# decided JOB TEXT: checks that a decision about the job has this text.
decided() { grep -q "consider .*job=$1 .*$2" "$BATS_FILE_TMPDIR/sd.log"; }
idle_nodes() { sinfo -h -N -t idle -o %N | sort -u | paste -sd ,; }
is_idle() { [[ $(idle_nodes) == "$1" ]]; }
# cores_on JOB NODES: prints the job's cores on these nodes, as slurmctld says.
cores_on() { scontrol show job -d "$1" | sed -n "s/^ *Nodes=$2 CPU_IDs=\([^ ]*\) .*/\1/p"; }
has_cores_on() { [[ $(cores_on "$1" "$2") == "$3" ]]; }

# restart_controller: kills slurmctld, and starts another.
restart_controller() {
    local pid
    pid=$(sed -n "s/^slurmctld //p" "$CLUSTER/run/daemons" | tail -n 1)
    kill -KILL "$pid"
    eventually "slurmctld has ended" has_gone "$pid"
    "$CLUSTER_SH" again "$CLUSTER" slurmctld
    eventually "slurmctld answers" answers
}
has_gone() { [[ ! -e /proc/$1 || $(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status") == Z ]]; }
answers() { timeout 5 scontrol ping 2>/dev/null | grep -q "is UP"; }

@test "a guest has half of its mate's nodes and whole idle ones, and all go back when it ends" {
    mate -N2 -w n1,n2
    guest -N3
    expect "$(cores_on "$GUEST" 'n\[1-2\]') $(cores_on "$GUEST" n3)" "4-7 0-7"
    expect "$(cores "$MATE")" 0-3
    split n1 "$MATE.0" "$GUEST.0"
    gets n3 "$GUEST.0" 0-7
    expect "$(idle_nodes)" n4
    log_says "job $GUEST shares 2 nodes of job $MATE, 4 cores of each, and has 1 idle node: it ends by "
    eventually "the guest's limit is extended" has_limit "$GUEST" 00:02:00
    scancel "$GUEST"
    eventually "the mate has its cores again" has_cores "$MATE" 0-7
    eventually "the idle node is idle again" is_idle n3,n4
    no_errors
}

@test "a guest whose mate ends first has all of its nodes" {
    mate -N2 -w n1,n2
    guest -N3
    scancel "$MATE"
    eventually "the guest has all cores" has_cores "$GUEST" 0-7
    gets n1 "$GUEST.0" 0-7
    gets n3 "$GUEST.0" 0-7
    no_errors
}

@test "a node that is busy with the end of a job is a guest's when that is over" {
    mate -N2 -w n1,n2
    running_job ENDS -N1 -w n3 -t 10
    running_job STAYS -N1 -w n4 -t 10 --no-drom
    touch "$BATS_FILE_TMPDIR/slow"
    scancel "$ENDS"
    eventually "n3 is busy with it" is_completing n3
    waiting_job GUEST -N3 -t 1
    eventually "backfill has looked at it" looked_at "$GUEST"
    eventually "job $GUEST runs" runs "$GUEST"
    rm "$BATS_FILE_TMPDIR/slow"
    expect "$(cores_on "$GUEST" n3)" 0-7
    no_errors
}
is_completing() { [[ $(sinfo -h -n "$1" -o %t) == comp* ]]; }

@test "an idle node that a reservation wants before the guest's predicted end is left alone" {
    mate -N2 -w n1,n2 -t 60
    # Alone the guest would need five minutes, and ten beside its mate.
    scontrol create reservation reservationname=soon starttime=now+9minutes duration=10 users="$(id -un)" nodes=n3,n4
    waiting_job GUEST -N3 -t 5
    eventually "backfill, which knows of both, has looked at it" has_start "$GUEST"
    sleep 3
    waits "$GUEST"
    ! decided "$GUEST" outcome=share || return 1 # else other checks refused it
    expect "$(idle_nodes)" n3,n4
    scontrol update reservationname=soon nodes=n3
    eventually "it shares when one node is free for long" runs "$GUEST"
    expect "$(cores_on "$GUEST" n4)" 0-7
    scontrol delete reservationname=soon
}

@test "an idle node that a job with a higher priority is about to get is left alone" {
    mate -N2 -w n1,n2 -t 60
    running_job SHORT -N1 -w n3 -t 10 --no-drom # no mate
    sbatch --parsable -N2 -w n3,n4 --exclusive -t 5 -o /dev/null --wrap "sleep 300" >wide
    eventually "backfill has planned it" is_planned "$(<wide)"
    waiting_job GUEST -N3 -t 6 # twice as long beside its mate
    eventually "backfill has looked at it, too" has_start "$GUEST"
    sleep 3
    waits "$GUEST"
    ! decided "$GUEST" outcome=share || return 1
    waits "$(<wide)"
    expect "$(idle_nodes)" n4
    scancel "$(<wide)"
    eventually "without it the guest has the idle node" runs "$GUEST"
    expect "$(cores_on "$GUEST" n4)" 0-7
}
# The main scheduler plans no start. If it was the first to look, the journal has its refusal, without idle nodes, and
# not that of backfill.
has_start() { [[ $(field "$1" StartTime) != Unknown ]]; }
is_planned() { [[ $(field "$1" SchedNodeList) == "n[3-4]" ]]; }

@test "an idle node delays no job, also where sharing may delay jobs" {
    edited "s/sd_max_slowdown=inf/&,sd_delay_max=inf/" reconfigure
    mate -N2 -w n1,n2 -t 60
    sbatch --parsable -N1 -w n3 --exclusive -t 10 -o /dev/null --wrap "sleep 300" >short
    eventually "a job runs" runs "$(<short)"
    sbatch --parsable -N2 -w n3,n4 --exclusive -t 5 -o /dev/null --wrap "sleep 300" >wide
    eventually "backfill has planned it" is_planned "$(<wide)"
    waiting_job GUEST -N3 -t 6 # twice as long beside its mate
    eventually "backfill, which knows of n4, has looked at it" has_start "$GUEST"
    sleep 3
    waits "$GUEST"
    ! decided "$GUEST" outcome=share || return 1
    scancel "$(<wide)"
    eventually "without the other job the guest has the idle node" runs "$GUEST"
    expect "$(cores_on "$GUEST" n4)" 0-7
}

@test "a controller that was killed knows a guest's idle nodes, also without its list of loans" {
    mate -N2 -w n1,n2
    guest -N3
    eventually "slurmctld has saved the guest" grep -qa "sharing=$MATE" "$CLUSTER/state/job_state"
    for damage in none list; do
        [[ $damage == none ]] || printf x >>"$CLUSTER/state/malleable.loans"
        restart_controller
        expect "$(cores "$MATE") $(cores_on "$GUEST" 'n\[1-2\]') $(cores_on "$GUEST" n3)" "0-3 4-7 0-7"
    done
    scancel "$GUEST"
    eventually "the mate has its cores again" has_cores "$MATE" 0-7
    eventually "the idle node is idle again" is_idle n3,n4
}

@test "a job of a partition with a low limit is no mate, one of another partition is" {
    mate -p debug -N4
    waiting_job GUEST -N4 -t 1
    eventually "it was refused" decided "$GUEST" no-mates
    sleep 3
    waits "$GUEST"
    scancel "$GUEST" "$MATE"
    eventually "they have ended" no_jobs
    mate -N4
    guest -p debug -N4
    expect "$(cores "$MATE") $(cores "$GUEST")" "0-3 4-7"
    grep -q "start .*job=$MATE .* partition=main " "$BATS_FILE_TMPDIR/sd.log"
    grep -q "share .*job=$GUEST .* partition=debug " "$BATS_FILE_TMPDIR/sd.log"
}

@test "the log tells idle nodes, and drom-sim decides the same" {
    grep -q " idle=.* free=" "$BATS_FILE_TMPDIR/sd.log"
    run "$BUILD/bin/drom-sim" replay "$BATS_FILE_TMPDIR/sd.log"
    echo "$output"
    expect "$status" 0
    run "$BUILD/bin/drom-sim" replay "$BATS_FILE_TMPDIR/sd.log" --add-free-nodes no
    [[ $output == *"would have been others with add_free_nodes=no"* ]]
}
