#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# claims.bats - select/malleable beside other parts of Slurm that take cores: preemption, reservations of cores, generic
# resources, jobs that change their size.

load support
load tables
load select

setup_file() {
    has_select || return
    local settings
    mapfile -t settings < <(select_settings "sd_max_slowdown=inf,sd_log=$BATS_FILE_TMPDIR/sd.log")
    start_cluster nodes=2 "${settings[@]}" gres=tool:2 extra=GresTypes=tool attributes=Feature=left,right extra=Licenses=seat:1 extra=AllowSpecResourcesUsage=YES \
        extra="PartitionName=own Nodes=n[1-2] ExclusiveUser=YES MaxTime=INFINITE State=UP" \
        extra=PreemptType=preempt/partition_prio extra=PreemptMode=REQUEUE \
        extra="PartitionName=urgent Nodes=n[1-2] PriorityTier=10 MaxTime=INFINITE State=UP" \
        extra="PartitionName=kept Nodes=n[1-2] PriorityTier=1 PreemptMode=OFF MaxTime=INFINITE State=UP" \
        extra="PartitionName=lost Nodes=n[1-2] PriorityTier=1 PreemptMode=CANCEL MaxTime=INFINITE State=UP"
    sizes_known
}

# urgent OPTIONS...: submits a rigid job that may end others; its number is in $URGENT.
urgent() {
    URGENT=$(sbatch --parsable -p urgent -t 1 -o /dev/null "$@" --wrap "sleep 300")
}

@test "an urgent job ends a guest together with its mate, not one after the other in vain" {
    mate -N2
    guest -N2
    eventually "the guest's limit is extended" has_limit "$GUEST" 00:02:00
    from_here
    urgent -N2 -c3
    eventually "the urgent job runs" runs "$URGENT"
    eventually "the guest waits" waits "$GUEST"
    eventually "the mate waits" waits "$MATE"
    expect "$(field "$GUEST" TimeLimit)" 00:01:00
    [[ $(comment "$GUEST") != *sharing=* ]]
    [[ $(comment "$MATE") != *sharing=* ]]
    run ! log_says_since "job $GUEST has ended; its cores go to job $MATE"
    no_errors
}
log_says_since() { log_since | grep -qF "$1"; }

@test "where one of those that share may not be preempted, none of them is" {
    mate -N2 -p kept
    guest -N2
    urgent -N2 -c3
    sleep 4
    waits "$URGENT"
    expect "$(cores "$MATE") $(cores "$GUEST")" "0-3 4-7"
    scancel "$GUEST"
    eventually "the mate has its cores again" has_cores "$MATE" 0-7
    no_errors
}

@test "who shares and is cancelled for an urgent job leaves nothing behind" {
    mate -N2 -p lost
    guest -N2 -p lost
    urgent -N2 --exclusive
    eventually "the urgent job runs" runs "$URGENT"
    expect "$(cores "$URGENT")" 0-7
    has_ended "$MATE" && has_ended "$GUEST"
    no_errors
}

@test "a guest is ended for an urgent job where that is enough, and no job that does not share" {
    mate -N1 -w n1
    guest -N1 -w n1
    running_job OTHER -N1 -w n2 -t 10
    urgent -N1 -w n1 -c3
    eventually "the urgent job runs" runs "$URGENT"
    expect "$(field "$OTHER" JobState) $(cores "$OTHER")" "RUNNING 0-7"
    no_errors
}

# scontrol reserves cores only if its slurm.conf names Slurm's own select plugin.
@test "cores that are reserved are not shared" {
    sed 's,^SelectType=.*,SelectType=select/cons_tres,' "$SLURM_CONF" >named.conf
    SLURM_CONF=$PWD/named.conf scontrol create reservation reservationname=cores starttime=now duration=10 users=root,"$(id -un)" nodes=n1 corecnt=4 >/dev/null
    mate -N1 -w n2
    waiting_job GUEST -N1 -t 1
    sleep 4
    waits "$GUEST"
    INSIDE=$(sbatch --parsable --reservation=cores -n4 -t 1 -o /dev/null --wrap "sleep 300")
    eventually "the reservation's job runs" runs "$INSIDE"
    expect "$(cores "$MATE")" 0-7
    scancel "$INSIDE"
    scontrol delete reservationname=cores
    eventually "without the reservation the other runs on the whole node" runs "$GUEST"
    expect "$(cores "$GUEST")" 0-7
    no_errors
}

@test "a job with generic resources neither lends nor is lent cores" {
    running_job TOOL -N1 -w n1 -t 10 --gres=tool:1
    mate -N1 -w n2
    waiting_job GUEST -N1 -t 1 --gres=tool:1
    waiting_job BESIDE -N1 -w n1 -t 1
    sleep 4
    waits "$GUEST"
    waits "$BESIDE"
    expect "$(cores "$TOOL") $(cores "$MATE")" "0-7 0-7"
    no_errors
}

@test "a mate that gives a node back gets all cores of the other when its guest ends" {
    mate -N2
    guest -N2
    scontrol update jobid="$MATE" numnodes=1
    expect "$(field "$MATE" NumNodes)" 1
    expect "$(cores "$MATE") $(cores "$GUEST")" "0-3 4-7"
    scancel "$GUEST"
    eventually "the mate has its cores again" has_cores "$MATE" 0-7
    running_job NEXT -N1 -t 10
    expect "$(cores "$NEXT")" 0-7
    expect "$(cores "$MATE")" 0-7
}

@test "a guest whose mate gave a node back has whole nodes when the mate has ended" {
    mate -N2
    guest -N2
    scontrol update jobid="$MATE" numnodes=1
    expect "$(field "$MATE" NumNodes)" 1
    scancel "$MATE"
    eventually "the guest has all cores of both nodes" has_cores "$GUEST" 0-7
    script "sleep 300"
    SMALL=$(sbatch --parsable -N1 -n4 -t 1 -o /dev/null "$SCRIPT")
    sleep 3
    waits "$SMALL"
}

@test "a guest that gives a node back leaves it to its mate" {
    mate -N2
    guest -N2
    scontrol update jobid="$GUEST" numnodes=1
    expect "$(cores "$MATE" | paste -sd ' ') $(cores "$GUEST")" "0-3 0-7 4-7"
    scancel "$GUEST"
    eventually "the mate has its cores again" has_cores "$MATE" 0-7
}

@test "how many CPUs a waiting job asks for may change" {
    from_here
    mate -N2
    waiting_job GUEST -N2 -t 1 --hold
    scontrol update jobid="$GUEST" numnodes=1
    scontrol update jobid="$GUEST" numcpus=8
    scontrol release "$GUEST"
    sleep 4
    waits "$GUEST" # the guest wants one node, and no mate has only one
    scancel "$MATE"
    eventually "it runs" runs "$GUEST"
    expect "$(field "$GUEST" NumNodes) $(cores "$GUEST")" "1 0-7"
    no_errors
}

# alone_with OPTIONS...: checks that a job with these options neither borrows nor lends.
alone_with() {
    from_here
    mate -N2
    waiting_job GUEST -N2 -t 1 "$@"
    sleep 3
    waits "$GUEST"
    scancel "$MATE" "$GUEST"
    eventually "the jobs have ended" no_jobs
    mate -N2 "$@"
    waiting_job GUEST -N2 -t 1
    sleep 3
    waits "$GUEST"
    scancel "$MATE" "$GUEST"
    eventually "the jobs have ended" no_jobs
    no_errors
}

@test "a job with a deadline neither borrows nor lends" {
    alone_with "--deadline=now+1hour"
}

@test "a job with alternatives of features neither borrows nor lends" {
    alone_with "--constraint=[left|right]"
}

@test "a job with a number of nodes of a feature neither borrows nor lends" {
    alone_with "--constraint=[left*2]"
}

@test "a job that leaves cores to the system neither borrows nor lends" {
    alone_with --core-spec=1
}

@test "a job with a simple feature shares" {
    from_here
    mate -N2 --constraint=left
    guest -N2 --constraint="left&right"
    expect "$(cores "$MATE") $(cores "$GUEST")" "0-3 4-7"
    no_errors
}

@test "a job waits for its licence, and shares when that is free" {
    from_here
    running_job HOLDER -N1 -w n1 -L seat:1 -t 10
    mate -N1 -w n2
    waiting_job GUEST -N1 -w n2 -t 1 -L seat:1
    sleep 3
    waits "$GUEST"
    expect "$(cores "$MATE")" 0-7
    scancel "$HOLDER"
    eventually "the guest runs" runs "$GUEST"
    expect "$(cores "$MATE") $(cores "$GUEST")" "0-3 4-7"
    no_errors
}

@test "on nodes of one user at a time no job of another user shares" {
    ((EUID == 0)) || missing "root, who can submit as two users"
    from_here
    mate -N2 -p own
    chmod 755 "$CLUSTER" "$CLUSTER/etc"
    OTHERS=$(cd / && setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/ SLURM_CONF="$SLURM_CONF" PATH="$PATH" \
        sbatch --parsable --malleable --exclusive -p own -N2 -t 1 -o /dev/null --wrap "srun sleep 300")
    sleep 3
    waits "$OTHERS"
    expect "$(cores "$MATE")" 0-7
    # Backfill of 24.11 promises this job the end of the mate, which no guest may move.
    scancel "$OTHERS"
    guest -N2 -p own
    expect "$(cores "$MATE") $(cores "$GUEST")" "0-3 4-7"
    no_errors
}
