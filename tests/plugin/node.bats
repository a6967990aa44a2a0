#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# node.bats - the node agent in a real Slurm: jobs share a node of this machine's CPUs, and hand them back. DOOR says which plugin calls
# it: spank (the default), task, or both.

load support

# Two nodes that both are this machine's first two CPUs. Jobs may be put on the same cores twice; who has which is the agent's matter.
setup_file() {
    (($(nproc) >= 2)) || { missing "one CPU only: there is nothing to share"; return 1; }
    local table="table=$BATS_FILE_TMPDIR/%n.table"
    case ${DOOR:=spank} in
        spank) set -- plugstack="required $SPANK_DROM $table" ;;
        task) set -- plugstack="required $SPANK_DROM" task=task/drom drom="$table" ;;
        both) set -- plugstack="required $SPANK_DROM $table" task=task/drom,task/affinity drom="$table" ;;
    esac
    export DOOR
    start_cluster cores=2 partition=OverSubscribe=FORCE:4 "$@"
    chmod 755 "$BATS_FILE_TMPDIR"
}

drom_of() { local node=$1; shift; "$BUILD/bin/drom" "$@" --table "$BATS_FILE_TMPDIR/$node.table"; }
# has STEP CPUS NODE: what the table of the node gives a step.
has() { [[ $(drom_of "${3:-n1}" list --json | jq -r --arg step "$1" '[.clients[] | select(.job == $step) | .want] | join(" ")') == "$2" ]]; }
nobody_on() { [[ $(drom_of "$1" list --json | jq '.clients | length') == 0 ]]; }
# started OPTIONS...: submits $SCRIPT, does not wait; its number in $JOB.
started() { JOB=$(sbatch --parsable -o "$WORK/%j.out" "$@" "$SCRIPT"); }

@test "a job that arrives shrinks the one that runs, and the CPUs go back when it ends" {
    script "srun '$BUILD/bin/heat-gcc' --size 600 --steps 10000000"
    started --malleable -w n1 -c2
    local owner=$JOB
    eventually "the owner has both CPUs" has "$owner.0" 0-1
    script "srun sleep 300"
    started --malleable -w n1 -c2
    local guest=$JOB
    eventually "they share" has "$guest.0" 1
    eventually "they share" has "$owner.0" 0
    local pid
    pid=$(drom_of n1 list --json | jq --arg step "$owner.0" '.clients[] | select(.job == $step) | .pid')
    eventually "every thread of the owner is on CPU 0" on_cpus "$pid" 0
    scancel "$guest"
    eventually "the owner has both again" has "$owner.0" 0-1
    eventually "its threads, too" on_cpus "$pid" 0-1
    scancel "$owner"
    eventually "nobody is left" nobody_on n1
}
on_cpus() { ! grep -h Cpus_allowed_list "/proc/$1/task/"*/status | grep -qv "$(printf '\t')$2\$"; }

@test "the guest inherits when the owner ends first" {
    script "srun sleep 300"
    started --malleable -w n1 -c2
    local owner=$JOB
    eventually "the owner runs" has "$owner.0" 0-1
    started --malleable -w n1 -c2
    local guest=$JOB
    eventually "they share" has "$guest.0" 1
    scancel "$owner"
    eventually "the guest has all" has "$guest.0" 0-1
    scancel "$guest"
    eventually "nobody is left" nobody_on n1
}

@test "a job that is not malleable is written down, and not touched" {
    script "srun grep Cpus_allowed_list /proc/self/status" "srun sleep 300"
    started -w n2 -c2
    local rigid=$JOB
    eventually "its second step runs" has "$rigid.1" 0-1 n2
    # srun may have said between the two steps that it waits.
    expect "$(grep Cpus_allowed_list "$WORK/$rigid.out")" "$(grep Cpus_allowed_list /proc/self/status)"
    script "srun env"
    started --malleable -w n2 -c2
    eventually "job $JOB has ended" has_ended "$JOB"
    has "$rigid.1" 0-1 n2
    local sentence="step $JOB.0: drom: no room: of its CPUs 0-1, 0-1 are step $rigid.1's, which is not malleable; it has to end first"
    if [[ $DOOR == spank ]]; then
        expect "$(field "$JOB" JobState)" COMPLETED
        grep -q "spank_drom: $sentence; it runs as without drom" "$CLUSTER/log/n2.log"
    else
        # Only a task plugin can refuse a launch, and then the user has to read why.
        expect "$(field "$JOB" JobState)" FAILED
        grep -q "task/drom: $sentence; it does not start" "$CLUSTER/log/n2.log"
    fi
    scancel "$rigid"
    eventually "nobody is left" nobody_on n2
}

@test "what a batch script starts without srun stays inside the script's CPUs" {
    script "sleep 300 & sleep 300"
    started --malleable -w n1 -c2
    local owner=$JOB
    eventually "the script has both CPUs" has "$owner.batch" 0-1
    started --malleable -w n1 -c2
    local guest=$JOB
    eventually "they share" has "$guest.batch" 1
    local pid
    pid=$(drom_of n1 list --json | jq --arg step "$owner.batch" '.clients[] | select(.job == $step) | .pid')
    eventually "its two programs are on CPU 0" children_on_cpus "$pid" 0
    scancel "$guest"
    eventually "they are on both again" children_on_cpus "$pid" 0-1
    scancel "$owner"
    eventually "nobody is left" nobody_on n1
}
children_on_cpus() {
    local child
    [[ $(pgrep -c -P "$1") == 2 ]] || return
    for child in $(pgrep -P "$1"); do on_cpus "$child" "$2" || return; done
}

@test "a step daemon that is killed leaves nothing behind" {
    script "srun sleep 300"
    started --malleable -w n1 -c2
    local owner=$JOB
    eventually "the owner runs" has "$owner.0" 0-1
    local task daemon
    task=$(drom_of n1 list --json | jq --arg step "$owner.0" '.clients[] | select(.job == $step) | .pid')
    daemon=$(awk '/^PPid/ {print $2}' "/proc/$task/status")
    kill -KILL "$daemon" "$task"
    scancel "$owner"
    script "srun sleep 300"
    started --malleable -w n1 -c2
    eventually "the next one has everything" has "$JOB.0" 0-1
    scancel "$JOB"
    eventually "nobody is left" nobody_on n1
}

@test "with a damaged table a job runs as under stock Slurm, and the log says why" {
    script "srun sh -c 'echo ran; env | grep -c -e ^DROM_SLOT= -e ^LD_PRELOAD=.*libdrom || true'"
    batch --malleable -w n2 -c2
    eventually "nobody is left" nobody_on n2
    local table=$BATS_FILE_TMPDIR/n2.table
    cp -a "$table" "$WORK/table"
    head -c 4096 /dev/urandom | dd of="$table/ledger" conv=notrunc status=none
    batch --malleable -w n2 -c2
    expect "$(cat "$WORK/out")" "ran
0"
    grep -q "step $JOB.0: drom: open table $table: .*; it runs as without drom" "$CLUSTER/log/n2.log"
    rm -r "$table"
    cp -a "$WORK/table" "$table"
    batch --malleable -w n2 -c2
    expect "$(cat "$WORK/out")" "ran
2"
}

@test "where there can be no table a job runs as under stock Slurm, and the log says why" {
    [[ $DOOR == task ]] || echo "required $SPANK_DROM table=/proc/nothing" >"$CLUSTER/etc/plugstack.conf"
    [[ $DOOR == spank ]] || echo "table=/proc/nothing" >"$CLUSTER/etc/drom.conf"
    script "srun echo ran"
    batch --malleable -w n1 -c2
    grep -qx ran "$WORK/out"
    grep -h "step $JOB.0: drom: create table /proc/nothing: .*; it runs as without drom" "$CLUSTER"/log/n1.log
}
