#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# confined.bats - the cpusets of salloc's shell and of the extern step follow what their job has (ConstrainCores=yes).
# No cpuset of a guest is widened over its mate's CPUs.
#
# With CONSTRAIN=no in the environment there are no cpusets, and the affinities alone follow. Slurm's cgroups tell which
# processes came in by ssh.
#
# These tests need root and a v1 cpuset hierarchy that can be written. Elsewhere nothing of that is tested, and the
# output says so.

load support
load tables
load select
load cpusets

setup_file() {
    (($(nproc) >= 2)) || { missing "one CPU only: there is nothing to share"; return 1; }
    has_select || return
    export NODE=dromtest$$y CONFINED=yes
    local why settings
    why=$(why_not)
    if [[ -n $why ]]; then
        export CONFINED=no
        echo "# confined.bats: $why: cpusets of open steps are NOT tested here" >&3
        return 0
    fi
    # Each of two nodes has this machine's first two CPUs.
    export CONSTRAIN=${CONSTRAIN:-yes}
    local task=task/drom,task/affinity
    mapfile -t settings < <(cpuset_settings)
    # The prolog holds a job while there is a file of its number.
    # shellcheck disable=SC2016
    printf '#!/bin/sh\nwhile [ -e "%s/held.$SLURM_JOB_ID" ]; do sleep 0.1; done\n' "$BATS_FILE_TMPDIR" >"$BATS_FILE_TMPDIR/prolog"
    chmod 755 "$BATS_FILE_TMPDIR/prolog"
    [[ $CONSTRAIN == no ]] && settings=("${settings[@]/ConstrainCores=yes/ConstrainCores=no}") || task+=,task/cgroup
    start_cluster nodes=2 node="$NODE" cores=2 proctrack=proctrack/cgroup select=select/malleable extra=JobSubmitPlugins=malleable \
        scheduler=sd_max_slowdown=inf extra=PrologFlags=Contain extra=LaunchParameters=use_interactive_step \
        'extra=InteractiveStepOptions="--interactive --preserve-env /bin/sh"' plugstack="required $SPANK_DROM" \
        drom="table=$BATS_FILE_TMPDIR/%n.table" task="$task" extra=Prolog="$BATS_FILE_TMPDIR/prolog" "${settings[@]}"
    sizes_known
}

setup() {
    [[ $CONFINED == yes ]] || skip "no cpusets here"
    WORK=$BATS_TEST_TMPDIR
    cd "$WORK" || return
    TWO=${NODE}2
}
teardown_file() {
    [[ $CONFINED == yes ]] || return 0
    stop_cluster
    local hierarchy
    for hierarchy in "$CPUSETS" "${CPUSETS%/*}/freezer"; do
        remove_cgroups "$hierarchy" "${NODE}1"
        remove_cgroups "$hierarchy" "${NODE}2"
    done
}

# affinity PID: prints the CPUs on which the process may run.
affinity() { sed -n 's/^Cpus_allowed_list:\t//p' "/proc/$1/status"; }
may_use() { [[ $(affinity "$1") == "$2" ]]; }
# cpuset_is PID CPUS: checks the cpuset of the process.
cpuset_is() { [[ $CONSTRAIN == no ]] || [[ $(<"$(cpuset_of "$1")/cpuset.cpus") == "$2" ]]; }

# outsider: starts a process in slurmd's own cpuset, as sshd would; its pid is in $PID.
outsider() {
    sleep 300 3>&- &
    PID=$!
    taskset -pc 0-1 "$PID" >/dev/null
}
# adopt JOB PID: has Slurm adopt the process on the second node.
adopt() { python3 "$BATS_TEST_DIRNAME/adopt.py" "$(echo /usr/lib/*/slurm-wlm/libslurmfull.so)" "$CLUSTER/spool/$TWO" "$TWO" "$@"; }

@test "programs that came in by ssh keep to their job's CPUs while it has a guest, and have all again afterwards" {
    script "sleep 300"
    MATE=$(sbatch --parsable --malleable --exclusive -N2 -t 10 -o /dev/null "$SCRIPT")
    gets "$TWO" "$MATE.extern" 0-1
    outsider
    local early=$PID
    adopt "$MATE" "$early"
    grep -q "/job_$MATE/step_extern\$" "/proc/$early/cgroup"
    expect "$(affinity "$early")" 0-1
    guest -N2
    gets "$TWO" "$GUEST.0" 1
    gets "$TWO" "$MATE.extern" 0
    eventually "the program has left the guest's CPU" may_use "$early" 0
    cpuset_is "$early" 0
    cpuset_is "$(pid_of "$TWO" "$GUEST.0")" 1
    outsider
    local late=$PID
    adopt "$MATE" "$late"
    expect "$(affinity "$late")" 0
    scancel "$GUEST"
    gets "$TWO" "$MATE.extern" 0-1
    eventually "it has both CPUs again" may_use "$early" 0-1
    eventually "so has the one that came later" may_use "$late" 0-1
    cpuset_is "$early" 0-1
    run ! grep -E 'cpuset' "$CLUSTER/log/$TWO.log"
}

@test "programs that came in by ssh run where their job's steps run, and keep these CPUs" {
    script "until [[ -e $WORK/step ]]; do sleep 0.1; done" "srun sleep 300" "sleep 300"
    MATE=$(sbatch --parsable --malleable --exclusive -N2 -t 10 -o /dev/null "$SCRIPT")
    gets "$TWO" "$MATE.extern" 0-1
    outsider
    adopt "$MATE" "$PID"
    touch "$WORK/step"
    gets "$TWO" "$MATE.0" 0-1
    guest -N2
    gets "$TWO" "$MATE.0" 0
    eventually "the program is on the step's CPU" may_use "$PID" 0
    cpuset_is "$PID" 0
    scancel "$MATE.0"
    gets "$TWO" "$MATE.extern" 0
    may_use "$PID" 0
    scancel "$GUEST"
    gets "$TWO" "$MATE.extern" 0-1
    eventually "it has both" may_use "$PID" 0-1
}

@test "the cpuset of salloc's shell is what it has, and its guest's is never widened over it" {
    mkfifo typed
    command salloc --malleable --exclusive -N2 -t 10 <typed >shell 2>&1 3>&- &
    exec 7>typed
    eventually "the shell runs" shell_runs
    gets "${NODE}1" "$MATE.interactive" 0-1
    echo 'sleep 300 &' >&7
    local shell
    shell=$(pid_of "${NODE}1" "$MATE.interactive")
    eventually "the shell has started a program" pgrep -P "$shell" sleep
    local program
    program=$(pgrep -P "$shell" sleep)
    guest -N2
    gets "${NODE}1" "$GUEST.0" 1
    gets "${NODE}1" "$MATE.interactive" 0
    eventually "the program has left the guest's CPU" may_use "$program" 0
    cpuset_is "$shell" 0
    cpuset_is "$(pid_of "${NODE}1" "$GUEST.0")" 1
    echo 'srun --overlap -N2 true </dev/null && echo ran' >&7
    eventually "the shell's steps run" grep -qx ran shell
    gets "${NODE}1" "$MATE.interactive" 0
    cpuset_is "$shell" 0
    scancel "$GUEST"
    gets "${NODE}1" "$MATE.interactive" 0-1
    eventually "the program has both again" may_use "$program" 0-1
    cpuset_is "$shell" 0-1
    if [[ $CONSTRAIN != no ]]; then
        echo 0 >"$(cpuset_of "$shell")/cpuset.cpus" # as when the cpuset is fitted only after the table's CPUs
        may_use "$program" 0
        echo 'srun --overlap -N2 true </dev/null && echo again' >&7
        eventually "the shell's next steps run" grep -qx again shell
        eventually "the shell has both again" may_use "$shell" 0-1
        eventually "so has its program" may_use "$program" 0-1
    fi
    exec 7>&-
    scancel "$MATE"
    eventually "the shell has ended" has_ended "$MATE"
}
shell_runs() { MATE=$(squeue -h -t running -n interactive -o %i); [[ -n $MATE ]]; }

# shrunk_mate LINE...: starts a mate that runs these lines once a guest has the second CPU of each node.
shrunk_mate() {
    rm -f shrunk
    script "until [[ -e $WORK/shrunk ]]; do sleep 0.1; done" "$@" "echo all" "sleep 300"
    MATE=$(sbatch --parsable --malleable --exclusive -N2 -t 10 -o out "$SCRIPT")
    gets "$TWO" "$MATE.extern" 0-1
    guest -N2
    gets "$TWO" "$GUEST.0" 1
    touch shrunk
    eventually "the mate's steps have run" grep -qx all out
}

# task/affinity refuses CPUs that the job does not have now, whole nodes where it has none, and more tasks than cores.
@test "the steps of a shrunk job run with every --cpu-bind that they have alone" {
    local ways="map_cpu:0,1 mask_cpu:0x1,0x2 map_ldom:0 mask_ldom:0x1 rank_ldom cores threads sockets ldoms none"
    [[ -n ${SLURM_SERIES:-} ]] || ways+=" rank" # later series have none
    shrunk_mate "for way in $ways; do for also in --malleable --no-drom; do" \
        "srun --overlap -N2 -n4 \$also --cpu-bind=\$way true || echo \$also \$way failed; done; done" \
        "srun --overlap -N2 -n4 --cpu-bind=map_cpu:1 grep Cpus_allowed_list /proc/self/status"
    expect "$(sort -u out | paste -sd ' ')" "$(printf 'Cpus_allowed_list:\t0 all')"
}

@test "processes that have lost their parent leave their job's CPU with it, and come back" {
    script "srun -N2 sh -c '(sleep 301 & echo \$! >$WORK/lost.\$SLURMD_NODENAME); exec sleep 300'"
    MATE=$(sbatch --parsable --malleable --exclusive -N2 -t 10 -o /dev/null "$SCRIPT")
    gets "$TWO" "$MATE.0" 0-1
    eventually "the process runs" grep -q . "lost.$TWO"
    local lost
    lost=$(<"lost.$TWO")
    eventually "it has lost its parent" has_other_parent "$lost" "$(pid_of "$TWO" "$MATE.0")"
    guest -N2
    gets "$TWO" "$GUEST.0" 1
    eventually "it has left the guest's CPU" may_use "$lost" 0
    scancel "$GUEST"
    eventually "it has both CPUs again" may_use "$lost" 0-1
}
# has_other_parent PID PARENT: checks that this is not its parent, nor a child of that.
has_other_parent() {
    local parent
    parent=$(ps -o ppid= -p "$1" | tr -d ' ')
    [[ $parent != "$2" && $(ps -o ppid= -p "$parent" | tr -d ' ') != "$2" ]]
}

@test "a guest's cpuset gets the whole node when it is the last job there" {
    mate -N2
    guest -N2
    gets "$TWO" "$GUEST.0" 1
    local task
    task=$(pid_of "$TWO" "$GUEST.0")
    cpuset_is "$task" 1
    scancel "$MATE"
    gets "$TWO" "$GUEST.0" 0-1
    eventually "its program may use both" may_use "$task" 0-1
    cpuset_is "$task" 0-1
}

# The guest has the whole node until its mate arrives: a mate of before is said to have ended since its steps began.
# Then it has the CPU that its credential does not name.
@test "the steps of a guest start that arrived before its mate, right after the end of another job" {
    mate -N2
    scancel "$MATE"
    eventually "the first job has ended" has_ended "$MATE"
    local held=$BATS_FILE_TMPDIR/held.$((MATE + 1)) node
    touch "$held"
    for node in "${NODE}"{1,2}; do
        echo -n "$((MATE + 2))/0/4294967291/4294967292" >"$BATS_FILE_TMPDIR/$node.table/agent.earlier" # script, extern step
    done
    script "sleep 300" # and no step: with that the mate would get the core that its credential names
    MATE=$(sbatch --parsable --malleable --exclusive -N2 -t 10 -o /dev/null "$SCRIPT")
    [[ -e $BATS_FILE_TMPDIR/held.$MATE ]]
    script "until [[ -e $WORK/step ]]; do sleep 0.1; done" "srun --overlap -N2 -n2 grep Cpus_allowed_list /proc/self/status"
    GUEST=$(sbatch --parsable --malleable --exclusive -N2 -t 4 -o out "$SCRIPT")
    gets "$TWO" "$GUEST.extern" 0-1
    rm "$held"
    gets "$TWO" "$MATE.extern" 1
    gets "$TWO" "$GUEST.extern" 0
    gets "${NODE}1" "$GUEST.batch" 0
    touch step
    eventually "the guest has ended" has_ended "$GUEST"
    expect "$(uniq -c out | tr -s ' \t' ' ')" " 2 Cpus_allowed_list: 0"
}
