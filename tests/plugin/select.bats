#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# select.bats - select/malleable in a real slurmctld: jobs that would wait start on cores of running ones, and the cores
# go back.

load support
load tables
load select

# Four nodes of 2 x 4 CPUs exist in tables only.
setup_file() {
    has_select || return
    local settings
    mapfile -t settings < <(select_settings "sd_max_slowdown=inf,sd_log=$BATS_FILE_TMPDIR/sd.log")
    start_cluster nodes=4 "${settings[@]}" extra="PartitionName=short Nodes=n[1-4] MaxTime=12 State=UP" \
        extra=LaunchParameters=use_interactive_step 'extra=InteractiveStepOptions="--interactive --preserve-env /bin/sh"'
    sizes_known
}

@test "a job that would wait starts on half of the cores of a running one, and these go back when it ends" {
    mate -N2
    running_job OTHER -N2 -t 8 # OTHER would lose more than MATE, at any time
    guest -N2
    expect "$(cores "$MATE")" 0-3
    expect "$(cores "$OTHER")" 0-7
    expect "$(cores "$GUEST")" 4-7
    expect "$(field "$GUEST" NodeList)" "$(field "$MATE" NodeList)"
    split n1 "$MATE.0" "$GUEST.0"
    expect "$(sinfo -h -o %C)" 32/0/0/32
    # Each job loses half of the guest's time on half of its cores: a minute.
    eventually "the guest's limit is extended" has_limit "$GUEST" 00:02:00
    expect "$(field "$MATE" TimeLimit)" 00:11:00
    [[ $(comment "$MATE") =~ ^malleable=1\ timelimit=10\+1\ since=20[^\ ]+\ sharing=$GUEST\ slowdown=1.[01][0-9]$ ]]
    [[ $(comment "$GUEST") =~ ^malleable=1\ .*sharing=$MATE\ slowdown=2.[0-9]+ ]]
    log_says "job $GUEST shares 2 nodes of job $MATE, 4 cores of each: it ends by "
    scancel "$GUEST"
    eventually "the mate has its cores again" has_cores "$MATE" 0-7
    gets n1 "$MATE.0" 0-7
    [[ $(field "$MATE" TimeLimit) =~ 00:1[01]:00 ]] # the loss of these seconds stays
    [[ $(comment "$MATE") =~ ^malleable=1\ .*shared=[0-9]+s$ ]]
    log_says "job $GUEST has ended; its cores go to job $MATE"
    no_errors
}

@test "a guest has the whole of a node on which its mate never had a step, when the mate has ended" {
    script "srun -N1 -n1 sleep 300" # on the first node
    MATE=$(sbatch --parsable --malleable --exclusive -N4 -t 10 -o /dev/null "$SCRIPT")
    gets n1 "$MATE.0" 0-7
    sleep 2 # a job that ended just now could be the mate
    guest -N4
    gets n4 "$GUEST.0" 4-7
    scancel "$MATE"
    gets n4 "$GUEST.0" 0-7
    gets n1 "$GUEST.0" 0-7
    no_errors
}

# In 24.11 Slurm's own cred/none needs a name that such a program has not.
# script_with_late_step: has srun wait between the step's start in slurmctld, which signs its credential, and that on
# the nodes.
script_with_late_step() {
    rm -f begin late
    printf '#!/bin/sh\nuntil [ -e "%s/late" ]; do sleep 0.1; done\n' "$WORK" >prolog
    chmod 755 prolog
    script "until [[ -e $WORK/begin ]]; do sleep 0.1; done" "srun --prolog=$WORK/prolog sleep 300"
}
# step_begins JOB: has the script start its step, and waits until slurmctld has.
step_begins() { touch begin; eventually "slurmctld has started step $1.0" has_begun "$1.0"; }
has_begun() { squeue -h -s -o %i | grep -qx "$1"; }

@test "a guest's step that was on its way when the mate ended has the whole nodes" {
    mate -N4
    script_with_late_step
    GUEST=$(sbatch --parsable --malleable --exclusive -N4 -t 1 -o /dev/null "$SCRIPT")
    eventually "job $GUEST runs" runs "$GUEST"
    step_begins "$GUEST"
    scancel "$MATE"
    ended_for_long "$MATE"
    touch late
    gets n1 "$GUEST.0" 0-7
    gets n4 "$GUEST.0" 0-7
}

@test "a mate's step that was on its way when the guest ended has the whole nodes" {
    script_with_late_step
    MATE=$(sbatch --parsable --malleable --exclusive -N4 -t 10 -o /dev/null "$SCRIPT")
    eventually "job $MATE runs" runs "$MATE"
    guest -N4
    step_begins "$MATE"
    scancel "$GUEST"
    ended_for_long "$GUEST"
    touch late
    gets n1 "$MATE.0" 0-7
    gets n4 "$MATE.0" 0-7
}

# bats test_tags=libslurm
@test "a program that is linked with libslurm, as those of other projects are, asks about the nodes" {
    local library
    library=$(echo /usr/lib/*/libslurm.so.*.*.*)
    python3 - "$library" <<<'import ctypes, sys
nodes = ctypes.c_void_p()
sys.exit(ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL).slurm_load_node(ctypes.c_long(0), ctypes.byref(nodes), 0))'
}

@test "a job that says how many tasks it has has whole nodes, and lends half of them" {
    mate -N2 -n6
    expect "$(squeue -h -j "$MATE" -o %C)" 16
    running_job OTHER -N2 --ntasks-per-node=2 -t 10
    expect "$(squeue -h -j "$OTHER" -o %C)" 16
    guest -N4 -n9
    expect "$(cores "$MATE") $(cores "$OTHER") $(cores "$GUEST")" "0-3 0-3 4-7"
    scancel "$GUEST"
    eventually "the mate has its cores again" has_cores "$MATE" 0-7
    no_errors
}

@test "a guest whose mate ends first has the whole nodes" {
    mate -N4
    guest -N4
    gets n3 "$GUEST.0" 4-7 # a step that starts after its mate has ended keeps to the cores that it was sent with
    scancel "$MATE"
    eventually "the guest has all cores" has_cores "$GUEST" 0-7
    gets n3 "$GUEST.0" 0-7
    [[ $(comment "$GUEST") =~ shared= ]]
    no_errors
}

@test "a job that is not malleable waits, and is no mate" {
    mate -N4
    sbatch --parsable -N1 --exclusive -t 1 -o /dev/null --wrap "sleep 300" >rigid
    waiting_job WIDE -N3 -t 1 # there are no three nodes of mates
    eventually "the malleable one was refused" looked_at "$WIDE" no-mates
    waits "$(<rigid)"
    scancel "$MATE" "$WIDE"
    eventually "the rigid one runs" runs "$(<rigid)"
    running_job FIRST -N3 -t 10
    waiting_job SECOND -N1 -t 1
    sleep 3
    waits "$SECOND"
}

@test "a job for which waiting is better waits" {
    mate -N4 -t 1
    waiting_job LONG -N4 -t 5
    eventually "it was refused" looked_at "$LONG" waiting-is-sooner
    waits "$LONG"
    expect "$(cores "$MATE")" 0-7
}

@test "two mates lend to one guest, whose nodes are theirs" {
    running_job ONE -N1 -t 10
    running_job TWO -N3 -t 10
    guest -N4
    [[ $(comment "$GUEST") == *sharing=$ONE,$TWO* ]]
    expect "$(cores "$ONE") $(cores "$TWO") $(cores "$GUEST")" "0-3 0-3 4-7"
    scancel "$TWO"
    eventually "the guest inherits the cores of the one that ended" has_cores "$GUEST" "$(printf '4-7\n0-7')"
    scancel "$GUEST"
    eventually "the other mate has its own" has_cores "$ONE" 0-7
    no_errors
}

@test "a job shares nodes, whichever of Slurm's two schedulers looks at it first" {
    mate -N4
    # The main scheduler mostly does, because it looks at a job as soon as that is submitted.
    guest -N4
    log_says "job $GUEST shares"
    grep -q "sched: Allocate JobId=$GUEST\|_start_job: Started JobId=$GUEST" "$CLUSTER/log/slurmctld.log"
}

@test "elements of an array share, each with its own mate" {
    running_job ONE -N2 -t 10
    running_job TWO -N2 -t 10
    script "srun sleep 300"
    ARRAY=$(sbatch --parsable --malleable --exclusive -N2 -t 1 -a 1-2 -o /dev/null "$SCRIPT")
    eventually "both elements run" runs_twice "$ARRAY"
    expect "$(cores "$ONE") $(cores "$TWO")" "0-3 0-3"
    scancel "$ARRAY"
    eventually "one has its cores again" has_cores "$ONE" 0-7
    eventually "and the other" has_cores "$TWO" 0-7
    no_errors
}
runs_twice() { [[ $(squeue -h -t running -j "$1" | wc -l) == 2 ]]; }

@test "no job's limit is extended beyond the partition's" {
    running_job ONE -p short -N4 -t 12
    waiting_job TWO -N4 -t 1
    sleep 3
    waits "$TWO"
    scancel "$TWO"
    waiting_job GUEST -p short -N4 -t 7
    sleep 2
    waits "$GUEST"
}

@test "no job's limit is extended into a reservation" {
    mate -N4 -t 5
    scontrol create reservation reservationname=soon starttime=now+6minutes duration=10 users="$(id -un)" nodes=n2 flags=ignore_jobs
    waiting_job GUEST -N4 -t 3
    sleep 3
    waits "$GUEST"
    scontrol delete reservationname=soon
    eventually "without the reservation it shares" runs "$GUEST"
}

# reserved FLAGS: makes a reservation of all nodes for three minutes.
reserved() {
    scontrol create reservation reservationname=ours starttime=now duration=3 users="$(id -un)" nodes=ALL flags="$1"
}
# not_reserved: takes it back; its jobs have to end first.
not_reserved() {
    scancel -u "$(id -un)"
    eventually "the jobs have ended" no_jobs
    scontrol delete reservationname=ours
}

@test "a job is not extended beyond the end of its own reservation, where it would be killed" {
    reserved ignore_jobs
    running_job MATE --reservation=ours -N4 -t 3
    waiting_job GUEST --reservation=ours -N4 -t 1
    eventually "the guest was looked at" grep -q "beyond-limit at=.* job=$GUEST " "$BATS_FILE_TMPDIR/sd.log"
    sleep 3
    waits "$GUEST"
    expect "$(field "$MATE" TimeLimit)" 00:03:00
    scontrol update reservationname=ours duration=30
    eventually "in a longer reservation it shares" runs "$GUEST"
    not_reserved
}

@test "a job may be extended beyond the end of its own reservation if that is flexible" {
    reserved flex,ignore_jobs
    running_job MATE --reservation=ours -N4 -t 3
    running_job GUEST --reservation=ours -N4 -t 1
    expect "$(cores "$MATE") $(cores "$GUEST")" "0-3 4-7"
    not_reserved
}

@test "a step of a shrunk job that asks for all its CPUs runs on those that are left" {
    mate -N1 -w n1
    running_job OTHER -N3 -t 10
    script "srun -n2 -c4 grep Cpus_allowed_list /proc/self/status; echo all; srun --exact -n1 -c2 true && echo exact; sleep 300"
    GUEST=$(sbatch --parsable --malleable -N1 -n2 -c4 -t 1 -o "$WORK/out" "$SCRIPT")
    eventually "the steps have run" grep -q exact "$WORK/out"
    grep -q all "$WORK/out"
    expect "$(cores "$GUEST")" 4-7
}

@test "the steps of a shrunk job run with more tasks than it has cores left, as they would have alone" {
    script "srun sleep 300 &" "until [[ -e $WORK/shrunk ]]; do sleep 0.1; done; scancel --signal=KILL \$SLURM_JOB_ID.0; wait" \
        "for way in --label --exact --overlap --cpu-bind=cores; do srun -N4 -n32 \$way true && echo ran \$way; done" "echo all; sleep 300"
    MATE=$(sbatch --parsable --malleable --exclusive -N4 -t 10 -o "$WORK/out" "$SCRIPT")
    gets n4 "$MATE.0" 0-7
    guest -N4
    split n4 "$GUEST.0" "$MATE.0"
    touch "$WORK/shrunk"
    eventually "the steps have run" grep -q all "$WORK/out"
    expect "$(grep ran "$WORK/out" | paste -sd ' ')" "ran --label ran --exact ran --overlap ran --cpu-bind=cores"
    expect "$(cores "$GUEST")" 4-7
    [[ -n $(masks n4 "$GUEST.0") ]]
}

# Each wave of them waited two minutes: slurmctld counted the lent CPUs as free, and found no cores for the next step.
@test "steps of a shrunk job that ask for some of its CPUs wait until others have ended, and no longer" {
    script "until [[ -e $WORK/go ]]; do sleep 0.1; done" \
        "for i in {1..6}; do srun --exact -N1 -n1 -c4 sleep 0.5 & done; wait; echo done" \
        "srun -N4 -n4 true && echo whole; sleep 300"
    MATE=$(sbatch --parsable --malleable --exclusive -N4 -t 10 -o "$WORK/out" "$SCRIPT")
    eventually "job $MATE runs" runs "$MATE"
    guest -N4
    touch "$WORK/go"
    eventually "all steps have run" grep -qx whole "$WORK/out"
    expect "$(grep -v ^srun: "$WORK/out" | paste -sd ' ')" "done whole"
}

@test "a guest and the shell of salloc do not run on the same CPUs" {
    mkfifo typed
    command salloc --malleable --exclusive -N4 -t 10 <typed >shell 2>&1 3>&- &
    exec 7>typed
    eventually "the shell runs" shell_runs
    gets n1 "$MATE.interactive" 0-7
    guest -N4
    split n1 "$MATE.interactive" "$GUEST.0"
    echo 'srun -n4 sleep 300' >&7
    split n1 "$MATE.0" "$GUEST.0"
    scancel "$MATE.0"
    split n1 "$MATE.interactive" "$GUEST.0"
    scancel "$GUEST"
    gets n1 "$MATE.interactive" 0-7
    exec 7>&-
    eventually "the shell has ended" has_ended "$MATE"
}
shell_runs() { MATE=$(squeue -h -t running -n interactive -o %i); [[ -n $MATE ]]; }

@test "a guest keeps to its grant where its mate has no step, and the log says so" {
    script "sleep 300"
    MATE=$(sbatch --parsable --malleable --exclusive -N4 -t 10 -o /dev/null "$SCRIPT")
    gets n1 "$MATE.batch" 0-7
    sleep 2 # a job that ended just now could be the mate
    guest -N4
    gets n4 "$GUEST.0" 4-7
    gets n1 "$GUEST.0" 4-7
    # The line is written after the step has its CPUs.
    eventually "the log says so" grep -q "step $GUEST.0: the job with which it shares this node has no step here; it keeps to CPUs 4-7\$" "$CLUSTER/log/n4.log"
    scancel "$MATE"
    gets n1 "$GUEST.0" 0-7
}

# on_node NODE STEP COUNT: checks that the step has so many CPUs there.
on_node() { [[ $(masks "$1" "$2" | tr ' ' '\n' | awk -F- '{n += $NF - $1 + 1} END {print n}') == "$3" ]]; }

@test "a guest whose mate begins to run more ranks than it said runs on the cores that it was granted, and fails nowhere" {
    script "until [[ -e $WORK/shrunk ]]; do sleep 0.1; done" "srun -n32 sleep 300"
    MATE=$(sbatch --parsable --malleable --exclusive -N4 -t 10 -o /dev/null "$SCRIPT")
    eventually "job $MATE runs" runs "$MATE"
    script "until [[ -e $WORK/crowded ]]; do sleep 0.1; done" "srun --overlap -n4 true && echo ran" "srun -n4 sleep 300"
    GUEST=$(sbatch --parsable --malleable --exclusive -N4 -t 1 -o "$WORK/out" "$SCRIPT")
    eventually "job $GUEST runs" runs "$GUEST"
    sleep 2 # a job that ended just now could be the other one
    touch "$WORK/shrunk"
    eventually "the log says what they run on" grep -q "step $MATE.0: drom: no room: its tasks need 8 CPUs at least, .*; its tasks share CPUs 0-3\$" "$CLUSTER/log/n4.log"
    touch "$WORK/crowded"
    eventually "the guest's step has ended" grep -q ran "$WORK/out"
    # Between the guest's steps the mate was alone on n4, and now each of its ranks keeps a core.
    eventually "the log says what the guest runs on" grep -q "step $GUEST.1: drom: no room: .*; its tasks share CPUs 4-7\$" "$CLUSTER/log/n4.log"
    expect "$(field "$GUEST" JobState)" RUNNING
    expect "$(on_node n4 "$MATE.0" 8 && masks n4 "$GUEST.1")" ""
    scancel "$MATE"
    gets n4 "$GUEST.1" 0-7
}

# lends_after STEP: checks that a job with this step is a mate only when the step has ended.
lends_after() {
    script "$1" "sleep 300"
    MATE=$(sbatch --parsable --malleable --exclusive -N4 -t 10 -o /dev/null "$SCRIPT")
    eventually "the step runs on all nodes" step_runs "$MATE.0"
    waiting_job GUEST -N4 -t 1
    eventually "backfill has looked at it" looked_at "$GUEST" ""
    sleep 3
    waits "$GUEST"
    scancel "$MATE.0"
    eventually "it shares" runs "$GUEST"
    expect "$(cores "$MATE") $(cores "$GUEST")" "0-3 4-7"
}
step_runs() { [[ -n $(squeue -h -s "$1") ]]; }

@test "a job waits rather than share with a mate whose steps have a task on each core, whatever its request said" {
    lends_after "srun -n32 sleep 300"
}

@test "a job waits rather than share with a mate that runs a step without drom" {
    lends_after "srun --no-drom sleep 300"
}

@test "a step that starts while its job is shrunk has the whole node when the guest has gone" {
    script "srun sleep 2" "srun sleep 300"
    MATE=$(sbatch --parsable --malleable --exclusive -N2 -w n1,n2 -t 10 -o /dev/null "$SCRIPT")
    gets n2 "$MATE.0" 0-7
    running_job OTHER -N2 -t 8 # OTHER would lose more than MATE
    guest -N2
    split n2 "$GUEST.0" "$MATE.1"
    scancel "$GUEST"
    gets n2 "$MATE.1" 0-7
    gets n1 "$MATE.1" 0-7
}

@test "a suspended job lends nothing, and gets back what it lent" {
    mate -N4
    local node pids=()
    # The step runs everywhere: an srun that is suspended during its launch would wait for ever.
    for node in n1 n2 n3 n4; do
        gets "$node" "$MATE.0" 0-7
        pids+=("$(pid_of "$node" "$MATE.0")")
    done
    suspended "$MATE" "${pids[@]}"
    waiting_job GUEST -N4 -t 1
    eventually "the guest has the free cores" runs "$GUEST"
    expect "$(cores "$GUEST")" 0-7
    scancel "$GUEST"
    eventually "it has ended" has_ended "$GUEST"
    resumed "$MATE" "${pids[@]}"
    guest -N4
    expect "$(cores "$MATE")" 0-3
    split n4 "$GUEST.0" "$MATE.0"
    suspended "$MATE" "${pids[@]}"
    scancel "$GUEST"
    eventually "the suspended one's cores are its own again" has_cores "$MATE" 0-7
    resumed "$MATE" "${pids[@]}"
    eventually "it runs" runs "$MATE"
    no_errors
}

@test "a job that starts on the cores of a suspended guest has them alone when the guest has ended" {
    mate -N1 -w n1
    running_job OTHER -N3 -t 10
    script "srun '$BUILD/bin/heat-gcc' --size 600 --steps 10000000"
    GUEST=$(sbatch --parsable --malleable --exclusive -N1 -w n1 -t 1 -o /dev/null "$SCRIPT")
    split n1 "$GUEST.0" "$MATE.0"
    eventually "its program follows requests" follows n1 "$GUEST.0"
    scontrol suspend "$GUEST"
    script "srun sleep 300"
    RIGID=$(sbatch --parsable -N1 -n1 -c4 -t 5 -o /dev/null "$SCRIPT")
    eventually "it runs on its cores" runs "$RIGID"
    expect "$(cores "$RIGID")" 4-7
    eventually "the log says that there is no room" grep -q "step $RIGID.0: drom: no room: .*; it runs as without drom" "$CLUSTER/log/n1.log"
    scancel "$GUEST"
    gets n1 "$RIGID.0" 4-7
    gets n1 "$MATE.0" 0-3
    scancel "$RIGID"
    gets n1 "$MATE.0" 0-7
}
follows() { [[ $(drom_of "$1" list --json | jq -r --arg step "$2" '.clients[] | select(.job == $step) | .state') == live ]]; }

@test "a guest that is requeued gives back what it had, and comes again" {
    mate -N4
    guest -N4
    scontrol requeue "$GUEST"
    eventually "the mate has its cores" has_cores "$MATE" 0-7
    scancel "$GUEST"
    guest -N4
    scontrol requeue "$MATE"
    eventually "the guest has all cores" has_cores "$GUEST" 0-7
    no_errors
}

@test "a node that fails takes its jobs with it, and no other job's cores" {
    mate -N2 -w n1,n2
    running_job OTHER -N2 -t 10
    guest -N4
    scontrol update nodename=n1 state=down reason=test
    eventually "the guest has ended" has_ended_or_waits "$GUEST"
    eventually "the other mate has its cores" has_cores "$OTHER" 0-7
    scancel -u "$(id -un)"
    scontrol update nodename=n1 state=resume || true # the node may have come back by itself
    eventually "the node is back" all_idle
    no_errors
}
has_ended_or_waits() { has_ended "$1" || waits "$1"; }
all_idle() { [[ $(sinfo -h -t idle -o %D) == 4 ]]; }

@test "a limit that an administrator changes while jobs share stays changed" {
    mate -N4
    guest -N4
    eventually "limits are extended" has_limit "$GUEST" 00:02:00
    scontrol update jobid="$MATE" timelimit=30
    scancel "$GUEST"
    eventually "the mate has its cores" has_cores "$MATE" 0-7
    [[ $(field "$MATE" TimeLimit) =~ 00:3[01]:00 ]]
}

@test "a job that asked for a signal before its end gets it as long before, also when its guest ends early" {
    script "trap '' USR1" "sleep 300"
    nodes_registered
    MATE=$(sbatch --parsable --malleable --exclusive -N4 -t 3 --signal=B:USR1@170 -o /dev/null "$SCRIPT")
    eventually "job $MATE runs" runs "$MATE"
    running_job GUEST -N4 -t 2
    expect "$(field "$MATE" TimeLimit)" 00:05:00
    sleep 12 # less than the five minutes are left then, and a minute
    scancel "$GUEST"
    eventually "the mate has its cores again" has_cores "$MATE" 0-7
    expect "$(field "$MATE" TimeLimit)" 00:05:00
}

@test "a test of whether a job could run changes nothing" {
    mate -N4
    sbatch --test-only --malleable --exclusive -N4 -t 1 --wrap true 2>&1 | grep -q "to start at"
    expect "$(cores "$MATE")" 0-7
    srun --test-only -N1 -t 1 true
    expect "$(cores "$MATE")" 0-7
    no_errors
}

@test "jobs whose allocation cannot change, or is not settled, share nothing" {
    mate -N4
    script "#SBATCH hetjob" "srun sleep 300"
    HET=$(sbatch --parsable --malleable -N1 -c8 -t 1 -o /dev/null : --malleable -N1 -c8 -t 1 "$SCRIPT")
    sleep 3
    waits "$HET"
    expect "$(cores "$MATE")" 0-7
    scancel "$HET"
    waiting_job FLEXIBLE -N4 -t 2 --time-min=1
    waiting_job SWITCHES -N4 -t 1 --switches=1
    sleep 3
    waits "$FLEXIBLE"
    waits "$SWITCHES"
    no_errors
}

@test "the log tells all decisions, and drom-sim decides the same" {
    run "$BUILD/bin/drom-sim" replay "$BATS_FILE_TMPDIR/sd.log"
    expect "$status" 0
    [[ $output == *"share"* ]]
}
