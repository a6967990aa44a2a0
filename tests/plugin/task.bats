#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# task.bats - abilities of task_drom.so only: it follows suspension, and lives through slurmd's death.

load support
load tables

setup_file() {
    (($(nproc) >= 2)) || { missing "one CPU only: there is nothing to share"; return 1; }
    [[ -e $PLUGINS/task_drom.so ]] || { missing "no task_drom.so; scripts/slurm-headers.sh"; return 1; }
    start_cluster cores=2 partition=OverSubscribe=FORCE:4 plugstack="required $SPANK_DROM" task=task/drom drom="# of this test" \
        drom="table=$BATS_FILE_TMPDIR/%n.table # one per node"
    chmod 755 "$BATS_FILE_TMPDIR"
}

affinity() { sed -n 's/^Cpus_allowed_list:\t//p' "/proc/$1/status"; }

@test "a step that finds no room runs on the CPUs that it was granted, and has them when they are free" {
    script "srun sleep 300"
    started --malleable=2 -w n1 -c2
    local owner=$JOB
    gets n1 "$owner.0" 0-1
    script "srun sh -c 'echo ran; exec sleep 300'"
    started --malleable -w n1 -c2
    eventually "it runs" grep -q ran "$WORK/$JOB.out"
    grep -q "step $JOB.0: drom: no room: its CPUs 0-1 are what running steps keep at least, .*; its tasks share CPUs 0-1$" "$CLUSTER/log/n1.log"
    has_step n1 "$owner.0" 0-1
    scancel "$owner"
    gets n1 "$JOB.0" 0-1
    scancel "$JOB"
    empty_again
}

@test "a script that found no room has steps that follow once there is room" {
    script "srun sleep 300"
    started -w n1 -c2
    local rigid=$JOB
    gets n1 "$rigid.0" 0-1
    script "until [[ -e '$WORK/room' ]]; do sleep 0.1; done" "srun env"
    started --malleable -w n1 -c2
    eventually "it finds no room" grep -q "step $JOB.batch: drom: no room: .*; its tasks share CPUs 0-1" "$CLUSTER/log/n1.log"
    scancel "$rigid"
    gets n1 "$JOB.batch" 0-1
    touch "$WORK/room"
    eventually "job $JOB has ended" has_ended "$JOB"
    grep -q '^DROM_SLOT=' "$WORK/$JOB.out"
    grep -q '^LD_PRELOAD=.*/libdrom-agent.so' "$WORK/$JOB.out"
    run ! grep -q '^DROM_OFF=' "$WORK/$JOB.out"
}

# bats test_tags=suspension
@test "the CPUs of a suspended job are for others, and it gets them back" {
    script "srun sleep 300"
    started -w n1 -c2
    local rigid=$JOB
    gets n1 "$rigid.0" 0-1
    scontrol suspend "$rigid"
    gets n1 "$rigid.0" ""
    started --malleable -w n1 -c2
    local other=$JOB
    gets n1 "$other.0" 0-1
    scontrol suspend "$other"
    scontrol resume "$rigid"
    gets n1 "$rigid.0" 0-1
    scontrol resume "$other"
    eventually "there is no room for the other" grep -q "job $other goes on: .*no room" "$CLUSTER/log/n1.log"
    has_step n1 "$rigid.0" 0-1
    scancel "$rigid" "$other"
    empty_again
}

# bats test_tags=untold
@test "a suspended job keeps its CPUs where Slurm tells of no suspension, and the next job shares them" {
    script "srun sleep 300"
    started -w n1 -c2
    local rigid=$JOB pid
    gets n1 "$rigid.0" 0-1
    pid=$(pid_of n1 "$rigid.0")
    suspended "$rigid" "$pid"
    started --malleable -w n1 -c2
    eventually "there is no room for the other" grep -q "step $JOB.0: drom: no room: .*; its tasks share CPUs 0-1" "$CLUSTER/log/n1.log"
    has_step n1 "$rigid.0" 0-1
    scancel "$JOB"
    resumed "$rigid" "$pid"
    has_step n1 "$rigid.0" 0-1
    scancel "$rigid"
    empty_again
}

@test "a program that follows requests lends its CPUs while it is suspended" {
    script "srun '$BUILD/bin/heat-gcc' --size 600 --steps 10000000"
    owner_of_both
    eventually "it has joined" joined "$FIRST.0"
    scontrol suspend "$FIRST"
    script "srun sleep 300"
    guest_on_one
    expect "$(affinity "$(pid_of n1 "$FIRST.0")")" 0
    scontrol resume "$FIRST"
    scancel "$GUEST"
    gets n1 "$FIRST.0" 0-1
    scancel "$FIRST"
    empty_again
}
joined() { [[ $(drom_of n1 list --json | jq -r --arg step "$1" '.clients[] | select(.job == $step) | .state') == live ]]; }

@test "a step gives a CPU away while an administrator wants it, and ends well" {
    script "srun sh -c 'until test -e $WORK/done; do sleep 0.1; done; grep Cpus_allowed_list /proc/self/status'"
    owner_of_both
    drom_of n1 set "$(pid_of n1 "$FIRST.0")" 1
    gets n1 "$FIRST.0" 1
    expect "$(affinity "$(pid_of n1 "$FIRST.0")")" 1
    touch "$WORK/done"
    eventually "job $FIRST has ended" has_ended "$FIRST"
    expect "$(field "$FIRST" JobState)" COMPLETED
    expect "$(cut -f 2 "$WORK/$FIRST.out")" 1
    empty_again
}

@test "slurmd can be killed and started again while jobs share a node" {
    script "srun sleep 300"
    owner_of_both
    guest_on_one
    local slurmd
    slurmd=$(awk '$1 == "n1" {pid = $2} END {print pid}' "$CLUSTER/run/daemons")
    kill -KILL "$slurmd"
    scancel "$GUEST"
    eventually "slurmd has ended" gone "$slurmd"
    "$CLUSTER_SH" again "$CLUSTER" n1
    gets n1 "$FIRST.0" 0-1
    guest_on_one
    scancel "$FIRST" "$GUEST"
    empty_again
}
gone() { ! grep -qs '^State:[[:space:]]*[^ZX]' "/proc/$1/status"; }

@test "an unknown line of drom.conf is named in slurmd's log, and the others count" {
    cp "$CLUSTER/etc/drom.conf" "$WORK/drom.conf"
    echo "tabel=/tmp/x" >>"$CLUSTER/etc/drom.conf"
    script "srun sleep 300"
    started --malleable -w n1 -c2
    gets n1 "$JOB.0" 0-1
    cp "$WORK/drom.conf" "$CLUSTER/etc/drom.conf"
    grep -q "task/drom: drom.conf:3: tabel=/tmp/x: there is no such setting; lib, table, topology and sharing_factor are" "$CLUSTER/log/n1.log"
}
