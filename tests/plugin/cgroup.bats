#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# cgroup.bats - ConstrainCores=yes in a real Slurm: a step gets CPUs beyond the cores of its start, or the log says why
# not.
#
# CALLER says which plugin calls the node agent: spank (the default) or task.
#
# These tests need root and a v1 cpuset hierarchy that can be written, or v2 on a virtual node (tests/vm). Elsewhere the
# same jobs run without cgroups, and the output says so.

load support
load cpusets

setup_file() {
    (($(nproc) >= 2)) || { missing "one CPU only: there is nothing to share"; return 1; }
    export NODE=dromtest$$x CONFINED=yes
    local why first='' settings=(nodes=1 node="$NODE" cores=2 partition=OverSubscribe=FORCE:4)
    local table="table=$BATS_FILE_TMPDIR/table"
    if [[ ${CALLER:-spank} == task ]]; then
        # task/drom stands before task/cgroup, so that it is called before a step's cgroups are made.
        first=task/drom,
        settings+=(plugstack="required $SPANK_DROM" drom="$table" task=task/drom)
    else
        settings+=(plugstack="required $SPANK_DROM $table")
    fi
    why=$(why_not)
    if is_v2 && [[ -n $why ]]; then
        missing "$why"
        return 1
    fi
    if [[ -z $why ]]; then
        mapfile -t -O "${#settings[@]}" settings < <(cpuset_settings)
        settings+=("task=${first}task/affinity,task/cgroup")
    else
        CONFINED=no
        echo "# cgroup.bats: $why: steps are NOT confined to cpusets here, and nothing about widening them is tested" >&3
    fi
    start_cluster "${settings[@]}"
    chmod 755 "$BATS_FILE_TMPDIR"
}

teardown_file() {
    stop_cluster
    [[ $CONFINED == no ]] || remove_cgroups "$CPUSETS" "${NODE}1"
}

confined() { [[ $CONFINED == yes ]]; }
clients() { "$BIN" list --table "$BATS_FILE_TMPDIR/table" --json; }
has() { [[ $(clients | jq -r --arg step "$1" '[.clients[] | select(.job == $step) | .want] | join(" ")') == "$2" ]]; }
no_client() { [[ $(clients | jq '.clients | length') == 0 ]]; }
task_of() { clients | jq --arg step "$1" '.clients[] | select(.job == $step) | .pid'; }
cpuset_has() { ! confined || [[ $(cpus_of_cpuset "$1") == "$2" ]]; }
# started NAME OPTION... COMMAND...: starts a job of one step; its number is in $JOB.
started() {
    local name=$1
    shift
    srun -J "$name" "$@" >"$WORK/$name.out" 2>&1 &
    eventually "$name has started" runs "$name"
    JOB=$(squeue -h -n "$name" -o %A)
}
runs() { [[ $(squeue -h -n "$1" -t R -o %A) ]]; }
allowed() { ! grep -h Cpus_allowed_list "/proc/$1/task/"*/status | grep -qv "$(printf '\t')$2\$"; }
# may_use PID CPUS: checks the first thread. drom's own thread may have stayed where the narrow cpuset put it.
may_use() { grep -q "^Cpus_allowed_list:.$2\$" "/proc/$1/status"; }
# runs_on PID CPU: sends the first thread to the CPU, and waits until it runs there. By itself it may run on either.
runs_on() {
    taskset -pc "$2" "$1" >/dev/null
    eventually "$1 runs on CPU $2" is_on "$1" "$2"
}
is_on() { [[ $(sed 's/.*) //' "/proc/$1/stat" | cut -d ' ' -f 37) == "$2" ]]; }

# srun in the background must not outlive its job, and has no time limit of a minute.
srun() { command srun "$@" 3>&-; }

# Starts a guest of one core beside an owner of both: $OWNER, $GUEST, and the guest's task in $TASK.
guest_beside_owner() {
    started owner --malleable -c2 sleep 300
    OWNER=$JOB
    eventually "the owner has both CPUs" has "$OWNER.0" 0-1
    # A team never grows above the size it started with.
    OMP_NUM_THREADS=2 started guest --malleable -c1 "$BUILD/bin/heat-gcc" --size 600 --steps 10000000
    GUEST=$JOB
    eventually "the guest has its core" has "$GUEST.0" 0
    TASK=$(task_of "$GUEST.0")
    eventually "the guest is on it" allowed "$TASK" 0
    cpuset_has "$TASK" 0
}

@test "a guest that was born on one core inherits the other one, in its cpuset too, and runs on both" {
    guest_beside_owner
    scancel "$OWNER"
    eventually "the guest has both CPUs" has "$GUEST.0" 0-1
    eventually "its threads may use both" allowed "$TASK" 0-1
    cpuset_has "$TASK" 0-1
    runs_on "$TASK" 1
    runs_on "$TASK" 0
    ! confined || ! grep 'widen the cpuset' "$CLUSTER/log/${NODE}1.log"
    scancel "$GUEST"
    eventually "no client is left" no_client
}

@test "a job whose step was widened starts its next step, and the widened one has its CPUs again" {
    guest_beside_owner
    scancel "$OWNER"
    eventually "the guest has both CPUs" allowed "$TASK" 0-1
    local round
    for round in 1 2 3; do expect "$(srun --jobid "$GUEST" --overlap echo ran)" ran; done
    for round in 1 2 3 4; do srun --jobid "$GUEST" --overlap echo ran >"$WORK/step.$round" & done
    for round in 1 2 3 4; do eventually "the step runs" grep -qx ran "$WORK/step.$round"; done
    eventually "the table gives it both again" has "$GUEST.0" 0-1
    eventually "it has both again" may_use "$TASK" 0-1
    cpuset_has "$TASK" 0-1
    scancel "$GUEST"
    eventually "no client is left" no_client
}

@test "a limit that is not Slurm's stays; the guest keeps what is inside, and the log says what is in the way" {
    guest_beside_owner
    LIMIT=
    ! confined || limited "$TASK" 0
    scancel "$OWNER"
    if confined; then
        eventually "the log says so" grep "step $GUEST.0: drom: widen the cpuset of process $TASK to CPUs 0-1: $LIMIT/cpuset.cpus has CPUs 0 only and is not Slurm's; widen it where it was set; it keeps CPUs 0" "$CLUSTER/log/${NODE}1.log"
        expect "$(<"$LIMIT/cpuset.cpus")" 0
        has "$GUEST.0" 0
        allowed "$TASK" 0
    else
        eventually "nothing stands in its way" allowed "$TASK" 0-1
    fi
    scancel "$GUEST"
    eventually "no client is left" no_client
    [[ -z $LIMIT ]] || eventually "the limit is gone" rmdir "$LIMIT"
}
