#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# task.bats - what only task_drom.so can do: refuse a launch, follow suspension, live through slurmd's death.

load support

setup_file() {
    (($(nproc) >= 2)) || { missing "one CPU only: there is nothing to share"; return 1; }
    [[ -e $PLUGINS/task_drom.so ]] || { missing "no task_drom.so; scripts/slurm-headers.sh"; return 1; }
    start_cluster cores=2 partition=OverSubscribe=FORCE:4 plugstack="required $SPANK_DROM" task=task/drom drom="# of this test" \
        drom="table=$BATS_FILE_TMPDIR/%n.table # one a node"
    chmod 755 "$BATS_FILE_TMPDIR"
}

drom_of() { local node=$1; shift; "$BUILD/bin/drom" "$@" --table "$BATS_FILE_TMPDIR/$node.table"; }
has() { [[ $(drom_of "${3:-n1}" list --json | jq -r --arg step "$1" '[.clients[] | select(.job == $step) | .want] | join(" ")') == "$2" ]]; }
nobody_on() { [[ $(drom_of "$1" list --json | jq '.clients | length') == 0 ]]; }
started() { JOB=$(sbatch --parsable -o "$WORK/%j.out" "$@" "$SCRIPT"); }
pid_of() { drom_of n1 list --json | jq --arg step "$1" '.clients[] | select(.job == $step) | .pid'; }
affinity() { sed -n 's/^Cpus_allowed_list:\t//p' "/proc/$1/status"; }

@test "a step that finds no room does not start, and its user reads why" {
    script "srun sleep 300"
    started --malleable=2 -w n1 -c2
    local owner=$JOB
    eventually "the owner runs" has "$owner.0" 0-1
    run srun --malleable -w n1 -c2 true
    ((status != 0))
    [[ $output == *"drom: no room: its CPUs 0-1 are what running steps keep at least"* ]]
    has "$owner.0" 0-1
    # Nobody else is refused.
    srun -w n1 -c2 true
    scancel "$owner"
    eventually "nobody is left" nobody_on n1
}

@test "a script that found no room has steps that follow once there is room" {
    script "srun sleep 300"
    started -w n1 -c2
    local rigid=$JOB
    eventually "it runs" has "$rigid.0" 0-1
    script "until [[ -e '$WORK/room' ]]; do sleep 0.1; done" "srun env"
    started --malleable -w n1 -c2
    eventually "it finds no room" grep -q "step $JOB.batch: drom: no room: .*; it runs as without drom" "$CLUSTER/log/n1.log"
    scancel "$rigid"
    eventually "nobody is left" nobody_on n1
    touch "$WORK/room"
    eventually "job $JOB has ended" has_ended "$JOB"
    grep -q '^DROM_SLOT=' "$WORK/$JOB.out"
    grep -q '^LD_PRELOAD=.*/libdrom.so' "$WORK/$JOB.out"
    run ! grep -q '^DROM_OFF=' "$WORK/$JOB.out"
}

@test "the CPUs of a suspended job are for others, and it gets them back" {
    script "srun sleep 300"
    started -w n1 -c2
    local rigid=$JOB
    eventually "it runs" has "$rigid.0" 0-1
    scontrol suspend "$rigid"
    eventually "it has nothing" has "$rigid.0" ""
    started --malleable -w n1 -c2
    local other=$JOB
    eventually "the other one has both" has "$other.0" 0-1
    scontrol suspend "$other"
    scontrol resume "$rigid"
    eventually "it has both again" has "$rigid.0" 0-1
    scontrol resume "$other"
    eventually "there is no room for the other" grep -q "job $other goes on: .*no room" "$CLUSTER/log/n1.log"
    has "$rigid.0" 0-1
    scancel "$rigid" "$other"
    eventually "nobody is left" nobody_on n1
}

@test "a program that follows requests lends its CPUs while it is suspended" {
    script "srun '$BUILD/bin/heat-gcc' --size 600 --steps 10000000"
    started --malleable -w n1 -c2
    local owner=$JOB
    eventually "the owner has both CPUs" has "$owner.0" 0-1
    eventually "it has joined" joined "$owner.0"
    scontrol suspend "$owner"
    script "srun sleep 300"
    started --malleable -w n1 -c2
    local guest=$JOB
    eventually "the guest has one" has "$guest.0" 1
    local pid
    pid=$(pid_of "$owner.0")
    expect "$(affinity "$pid")" 0
    scontrol resume "$owner"
    scancel "$guest"
    eventually "the owner has both again" has "$owner.0" 0-1
    scancel "$owner"
    eventually "nobody is left" nobody_on n1
}
joined() { [[ $(drom_of n1 list --json | jq -r --arg step "$1" '.clients[] | select(.job == $step) | .state') == live ]]; }

@test "slurmd can be killed and started again while jobs share a node" {
    script "srun sleep 300"
    started --malleable -w n1 -c2
    local owner=$JOB
    eventually "the owner runs" has "$owner.0" 0-1
    started --malleable -w n1 -c2
    local guest=$JOB
    eventually "they share" has "$guest.0" 1
    kill -KILL "$(awk '$1 == "n1" {print $2}' "$CLUSTER/run/daemons")"
    scancel "$guest"
    env CLUSTER_MARK="$CLUSTER" setsid slurmd -D -N n1 >>"$CLUSTER/log/n1.out" 2>&1 3>&- &
    echo "n1 $!" >>"$CLUSTER/run/daemons"
    eventually "the owner has both again" has "$owner.0" 0-1
    started --malleable -w n1 -c2
    eventually "the next guest is let in" has "$JOB.0" 1
    scancel "$owner" "$JOB"
    eventually "nobody is left" nobody_on n1
}

@test "an unknown line of drom.conf is named in slurmd's log, and the others count" {
    cp "$CLUSTER/etc/drom.conf" "$WORK/drom.conf"
    echo "tabel=/tmp/x" >>"$CLUSTER/etc/drom.conf"
    script "srun sleep 300"
    started --malleable -w n1 -c2
    eventually "it runs" has "$JOB.0" 0-1
    cp "$WORK/drom.conf" "$CLUSTER/etc/drom.conf"
    grep -q "task/drom: drom.conf:3: tabel=/tmp/x: there is no such setting; lib, table, topology and sharing_factor are" "$CLUSTER/log/n1.log"
}
