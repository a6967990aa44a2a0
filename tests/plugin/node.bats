#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# node.bats - the node agent in a real Slurm: jobs share a node of this machine's CPUs, and hand them back.
#
# CALLER says which plugin calls the node agent: spank (the default), task, or both.

load support
load tables

# Each of two nodes has this machine's first two CPUs. Slurm may put several jobs on the same cores, and the node agent
# decides which job has which.
setup_file() {
    (($(nproc) >= 2)) || { missing "one CPU only: there is nothing to share"; return 1; }
    # The tables are in a folder that jobs of any user can reach.
    export TABLES
    TABLES=$(mktemp -d)
    chmod 755 "$TABLES"
    local table="table=$TABLES/%n.table"
    case ${CALLER:=spank} in
        spank) set -- plugstack="required $SPANK_DROM $table" ;;
        task) set -- plugstack="required $SPANK_DROM" task=task/drom drom="$table" ;;
        both) set -- plugstack="required $SPANK_DROM $table" task=task/drom,task/affinity drom="$table" ;;
    esac
    export CALLER
    start_cluster cores=2 partition=OverSubscribe=FORCE:4 "$@"
    chmod 755 "$CLUSTER" "$CLUSTER/etc"
}
teardown_file() {
    stop_cluster
    rm -rf "$TABLES"
}
table_of() { echo "$TABLES/$1.table"; }

@test "a job that arrives shrinks the one that runs, and the CPUs go back when it ends" {
    script "srun '$BUILD/bin/heat-gcc' --size 600 --steps 10000000"
    owner_of_both
    script "srun sleep 300"
    guest_on_one
    local pid
    pid=$(pid_of n1 "$FIRST.0")
    eventually "every thread of the owner is on CPU 0" on_cpus "$pid" 0
    scancel "$GUEST"
    gets n1 "$FIRST.0" 0-1
    eventually "its threads, too" on_cpus "$pid" 0-1
    scancel "$FIRST"
    empty_again
}
on_cpus() { ! grep -h Cpus_allowed_list "/proc/$1/task/"*/status | grep -qv "$(printf '\t')$2\$"; }

@test "the guest inherits when the owner ends first" {
    script "srun sleep 300"
    owner_of_both
    guest_on_one
    scancel "$FIRST"
    gets n1 "$GUEST.0" 0-1
    scancel "$GUEST"
    empty_again
}

# As on a site, the daemons are root's, and the jobs are those of other users: 65534 and 1, since users need names.
@test "jobs of two users share a node, and neither can change a mask" {
    if ((EUID != 0)) || ! as_user 65534 test -x "$BUILD/bin/heat-gcc"; then
        echo "# node.bats: not root, or others cannot read $BUILD: jobs of other users are NOT tested here" >&3
        return 0
    fi
    cd /
    local one two
    as_user 65534 srun -w n1 -c2 --malleable "$BUILD/bin/heat-gcc" --size 600 --steps 10000000 >/dev/null 2>&1 3>&- &
    eventually "the first one's job runs" job_of 65534
    one=$JOB
    gets n1 "$one.0" 0-1
    as_user 1 srun -w n1 -c2 --malleable sleep 300 >/dev/null 2>&1 3>&- &
    eventually "the second one's job runs" job_of 1
    two=$JOB
    gets n1 "$two.0" 1
    gets n1 "$one.0" 0
    eventually "the first one's program follows" on_cpus "$(pid_of n1 "$one.0")" 0
    run as_user 1 "$BUILD/bin/drom" set "$(pid_of n1 "$one.0")" 0-1 --table "$(table_of n1)"
    ((status != 0))
    [[ $output == *"it belongs to uid 0, not to you"* ]]
    scancel "$two"
    gets n1 "$one.0" 0-1
    scancel "$one"
    empty_again
}
as_user() { local uid=$1; shift; timeout 60 setpriv --reuid="$uid" --regid=65534 --clear-groups env HOME=/ "$@"; }
# job_of UID: finds the user's running job; its number is in $JOB.
job_of() { JOB=$(squeue -h -t running -u "$1" -o %i); [[ -n $JOB ]]; }

@test "a job that is not malleable is written down, and not touched" {
    script "srun grep Cpus_allowed_list /proc/self/status" "srun sleep 300"
    started -w n2 -c2
    local rigid=$JOB
    gets n2 "$rigid.1" 0-1
    # Between the two steps srun may have printed that it waits.
    expect "$(grep Cpus_allowed_list "$WORK/$rigid.out")" "$(grep Cpus_allowed_list /proc/self/status)"
    script "srun env"
    started --malleable -w n2 -c2
    eventually "job $JOB has ended" has_ended "$JOB"
    has_step n2 "$rigid.1" 0-1
    expect "$(field "$JOB" JobState)" COMPLETED
    grep -q ": step $JOB.0: drom: no room: of its CPUs 0-1, 0-1 are step $rigid.1's, which is not malleable; its tasks share CPUs 0-1" "$CLUSTER/log/n2.log"
    scancel "$rigid"
    empty_again n2
}

@test "what a batch script starts without srun stays inside the script's CPUs" {
    script "sleep 300 & sleep 300"
    owner_of_both .batch
    guest_on_one .batch
    local pid
    pid=$(pid_of n1 "$FIRST.batch")
    eventually "its two programs are on CPU 0" children_on_cpus "$pid" 0
    scancel "$GUEST"
    eventually "they are on both again" children_on_cpus "$pid" 0-1
    scancel "$FIRST"
    empty_again
}
children_on_cpus() {
    local child
    [[ $(pgrep -c -P "$1") == 2 ]] || return
    for child in $(pgrep -P "$1"); do on_cpus "$child" "$2" || return; done
}

# A shell has the step's slot in the table, and keeps it, under root as under any other user.
@test "what a step starts through a shell stays inside its CPUs" {
    script "srun sh -c '\"$BUILD/bin/heat-gcc\" --size 600 --steps 10000000; true'"
    owner_of_both
    guest_on_one
    local program
    program=$(pgrep -P "$(pid_of n1 "$FIRST.0")")
    eventually "the program is on CPU 0" on_cpus "$program" 0
    scancel "$GUEST"
    eventually "it is on both again" on_cpus "$program" 0-1
    scancel "$FIRST"
    empty_again
}

@test "a step daemon that is killed leaves nothing behind" {
    script "srun sleep 300"
    owner_of_both
    local task daemon
    task=$(pid_of n1 "$FIRST.0")
    daemon=$(awk '/^PPid/ {print $2}' "/proc/$task/status")
    kill -KILL "$daemon" "$task"
    scancel "$FIRST"
    owner_of_both
    scancel "$FIRST"
    empty_again
}

@test "with a damaged table a job runs as under stock Slurm, and the log says why" {
    script "srun sh -c 'echo ran; env | grep -c -e ^DROM_SLOT= -e ^LD_PRELOAD=.*libdrom || true'"
    batch --malleable -w n2 -c2
    empty_again n2
    local table
    table=$(table_of n2)
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
    [[ $CALLER == task ]] || echo "required $SPANK_DROM table=/proc/nothing" >"$CLUSTER/etc/plugstack.conf"
    [[ $CALLER == spank ]] || echo "table=/proc/nothing" >"$CLUSTER/etc/drom.conf"
    script "srun echo ran"
    batch --malleable -w n1 -c2
    grep -qx ran "$WORK/out"
    grep -h "step $JOB.0: drom: create table /proc/nothing: .*; it runs as without drom" "$CLUSTER"/log/n1.log
}
