#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# follow.bats - drom run --follow, and DROM_FOLLOW=1: programs in containers, in a tree of plain files and in a real
# cgroup.

bats_require_minimum_version 1.5.0

load support

setup_file() { build_guests; }
teardown_file() { find /sys/fs/cgroup -maxdepth 4 -depth -type d -name "drom-follow-$BATS_ROOT_PID" -exec rmdir {} +; }

# contained QUOTA [PERIOD]: a tree of files in which this process is in a group with this quota.
contained() {
    export DROM_CGROUP_ROOT=$WORK/fake
    mkdir -p "$DROM_CGROUP_ROOT/proc/self" "$DROM_CGROUP_ROOT/sys/fs/cgroup/pod/app"
    echo "0::/pod/app" >"$DROM_CGROUP_ROOT/proc/self/cgroup"
    echo "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw" >"$DROM_CGROUP_ROOT/proc/self/mountinfo"
    quota "$@"
}
quota() { echo "$1 ${2-100000}" >"$DROM_CGROUP_ROOT/sys/fs/cgroup/pod/app/cpu.max"; }

# python_with_threads PROGRAM: starts it in the background, with its output in the pipe $WORK/printed.
python_with_threads() {
    LD_PRELOAD=$BUILD/lib/libdrom-agent.so DROM_FOLLOW=1 python3 -c "$1" >"$WORK/printed" 2>/dev/null 3>&- &
    PID=$!
    STARTED+=("$PID")
}

agent_alone() { LD_PRELOAD=$BUILD/lib/libdrom-agent.so DROM_FOLLOW=1 timeout --foreground 150 "$@"; }

# masks PID: prints the CPUs of the program's threads, each set once, and not that of the agent's.
masks() {
    local task
    for task in /proc/"$1"/task/*; do
        [[ $(cat "$task/comm") == drom ]] || sed -n 's/^Cpus_allowed_list:\t//p' "$task/status"
    done 2>/dev/null | sort -u | paste -sd' '
}
masks_are() { [[ $(masks "$1") == "$2" ]]; }
is_one_cpu() { [[ $(masks "$1") =~ ^[0-9]+$ ]]; }
threads_are() { (($(find "/proc/$1/task" -mindepth 1 -maxdepth 1 | wc -l) == $2)); }

@test "all that count CPUs by the affinity are right at the start" {
    two_cpus
    contained 100000
    for start in "drom run --follow --" agent_alone; do
        [[ $($start nproc) == 1 ]]
        [[ $($start python3 -c 'import os; print(len(os.sched_getaffinity(0)))') == 1 ]]
        for by in gcc clang; do
            [[ -x $GUESTS/sized-$by ]] || continue
            [[ $($start "$GUESTS/sized-$by") == "affinity=1 runtime=1 team=1" ]]
        done
    done
    quota 150000
    for start in "drom run --follow --" agent_alone; do
        [[ $($start nproc) == $(($(nproc) < 2 ? $(nproc) : 2)) ]]
    done
    [[ ! -e $DROM_TABLE ]]
}

@test "an OpenBLAS that counts before any code of ours has as many threads" {
    two_cpus
    [[ -x $GUESTS/blas ]] || missing "no OpenBLAS to build a program with"
    contained 50000
    for start in "$BIN run --follow --" "env LD_PRELOAD=$BUILD/lib/libdrom-agent.so DROM_FOLLOW=1"; do
        # shellcheck disable=SC2086
        background $start "$GUESTS/blas"
        eventually "it runs" grep -q blas "/proc/$PID/comm"
        sleep 0.5
        threads_are "$PID" 1
        kill "$PID"
        wait "$PID" || true
    done
}

@test "without a quota nothing changes" {
    contained max
    [[ $(drom run --follow -- taskset -cp 0 | sed 's/.*: //') == "$(taskset -cp 0 | sed 's/.*: //')" ]] || [[ $(drom run --follow -- nproc) == "$(nproc)" ]]
    [[ $(agent_alone nproc) == "$(nproc)" ]]
    two_cpus
    [[ $(taskset -c "$B" "$BIN" run --follow -- nproc) == 1 ]]
    [[ $(taskset -c "$B" "$BIN" run --follow -- sh -c 'taskset -cp $$' | sed 's/.*: //') == "$B" ]]
}

@test "the command takes the process over: its pid, its signals, its status" {
    contained 100000
    background "$BIN" run --follow -- sh -c 'echo $$; sleep 60'
    eventually "it has said its pid" grep -q . "$WORK/out"
    [[ $(cat "$WORK/out") == "$PID" ]]
    kill -TERM "$PID"
    ended 143
    run drom run --follow -- sh -c 'exit 7'
    [[ $status == 7 && -z $output ]]
    refuses 127 "drom: run: nowhere-at-all" "$BIN" run --follow -- nowhere-at-all
    run drom run --follow --verbose -- true
    [[ $output == "drom: run: true on CPU"*" of $(nproc), a quota for 1 CPU; preloaded: libdrom-agent.so"* ]]
}

@test "a quota that falls and rises moves the threads of a team, which keeps its size" {
    two_cpus
    for by in gcc clang; do
        [[ -x $GUESTS/held-$by ]] || continue
        contained 200000
        background taskset -c "$BOTH" "$BIN" run --follow -- "$GUESTS/held-$by" 120
        eventually "it has a team and the agent's threads" threads_are "$PID" 4
        masks_are "$PID" "$BOTH" || masks_are "$PID" "$A,$B"
        quota 100000
        eventually "all its threads are on one CPU" is_one_cpu "$PID"
        threads_are "$PID" 4
        quota 200000
        eventually "all its threads are on both" masks_are "$PID" "$BOTH"
        threads_are "$PID" 4
        quota 30000 # less than one CPU is one
        eventually "all its threads are on one CPU" is_one_cpu "$PID"
        kill -TERM "$PID"
        ended 0 # with a team of the same size in each region
    done
}

@test "the same with the agent alone, and with OMP_PROC_BIND=true" {
    two_cpus
    export OMP_PROC_BIND=true
    for by in gcc clang; do
        [[ -x $GUESTS/held-$by ]] || continue
        contained 200000
        background taskset -c "$BOTH" env "LD_PRELOAD=$BUILD/lib/libdrom-agent.so" DROM_FOLLOW=1 "$GUESTS/held-$by" 120
        eventually "it has a team and the agent's threads" threads_are "$PID" 4
        quota 100000
        eventually "all its threads are on one CPU" is_one_cpu "$PID"
        kill -TERM "$PID"
        ended 0
    done
}

@test "threads of C11 are moved, too" {
    two_cpus
    contained 200000
    background taskset -c "$BOTH" "$BIN" run --follow -- "$GUESTS/c11"
    eventually "it has its threads and the agent's" threads_are "$PID" 5
    quota 100000
    eventually "all its threads are on one CPU" is_one_cpu "$PID"
    kill -TERM "$PID"
    ended 0
}

@test "a program that starts later in a script has the CPUs of that time, but none beyond its taskset" {
    two_cpus
    contained 100000
    quoted=$WORK/fake/sys/fs/cgroup/pod/app/cpu.max
    run taskset -c "$BOTH" "$BIN" run --follow -- sh -c "nproc; echo 200000 100000 >$quoted; nproc; taskset -c $B nproc; taskset -c $A sh -c nproc"
    [[ $status == 0 && $output == $'1\n2\n1\n1' ]]
    quota 100000
    for cpu in "$A" "$B"; do
        run taskset -c "$BOTH" "$BIN" run --follow -- taskset -c "$cpu" python3 -c 'import os; print(*os.sched_getaffinity(0))'
        [[ $status == 0 && $output == "$cpu" ]]
    done
}

@test "the process moves to another group" {
    two_cpus
    contained 200000
    mkdir "$DROM_CGROUP_ROOT/sys/fs/cgroup/other"
    echo "100000 100000" >"$DROM_CGROUP_ROOT/sys/fs/cgroup/other/cpu.max"
    background taskset -c "$BOTH" "$BIN" run --follow -- "$GUESTS/held-gcc" 120
    eventually "it has a team and the agent's threads" threads_are "$PID" 4
    echo "0::/other" >"$DROM_CGROUP_ROOT/proc/self/cgroup"
    eventually "all its threads are on one CPU" is_one_cpu "$PID"
    kill -TERM "$PID"
    ended 0
}

@test "the agent's thread leaves the program's descriptors alone" {
    contained 100000
    background "$BIN" run --follow -- "$GUESTS/held-gcc" 120
    eventually "it runs" grep -q held "/proc/$PID/comm"
    sleep 1.5
    readlink "/proc/$PID"/fd/* >"$WORK/files"
    run ! grep -E 'cgroup|cpu.max|mountinfo' "$WORK/files"
    kill -TERM "$PID"
    ended 0
}

@test "with DROM_VERBOSE=1 a reader still sees the end of the output that a program closes" {
    contained 100000
    local program='import os, threading, time; threading.Thread(target=time.sleep, args=(20,)).start(); time.sleep(0.2); os.close(1)'
    mkfifo "$WORK/printed"
    for verbose in 0 1; do
        timeout 15 cat "$WORK/printed" >/dev/null &
        reader=$!
        DROM_VERBOSE=$verbose python_with_threads "$program"
        wait "$reader"
        kill "$PID"
    done
}

@test "a program whose first thread ends by pthread_exit writes all its output" {
    contained 100000
    for start in "drom run --follow --" agent_alone; do
        $start "$GUESTS/leaves" >"$WORK/printed"
        [[ $(cat "$WORK/printed") == $'first\nworker\nhandler' ]]
    done
}

@test "a program that sets its affinity before its first team has the team that it has natively" {
    two_cpus
    contained max
    for by in gcc clang; do
        [[ -x $GUESTS/sized-$by ]] || continue
        natively=$(taskset -c "$BOTH" "$GUESTS/sized-$by" "$A")
        [[ $(agent_alone taskset -c "$BOTH" "$GUESTS/sized-$by" "$A") == "$natively" ]]
        [[ $(agent_alone "$GUESTS/sized-$by" "$A") == "$natively" ]]
    done
}

@test "a DROM_FOLLOW_CPUS that drom did not write is as good as none" {
    two_cpus
    contained max
    for said in "$A/$B" "$A/4095" "$A" / "$A/" x/y; do
        run env DROM_FOLLOW_CPUS="$said" taskset -c "$A" "$BIN" run --follow -- nproc
        [[ $status == 0 && $output == 1 ]]
        [[ $(DROM_FOLLOW_CPUS=$said agent_alone taskset -c "$A" sh -c 'taskset -cp $$' | sed 's/.*: //') == "$A" ]]
    done
}

@test "a container that may not set affinities has its program all the same, and drom run says so" {
    two_cpus
    contained 100000
    run taskset -c "$BOTH" "$GUESTS/refused" "$BIN" run --follow -- sh -c 'nproc; exit 7'
    echo "$output"
    [[ $status == 7 && ${lines[-1]} == 2 ]]
    [[ ${lines[0]} == "drom: run: "*"sh keeps the CPUs that it has, and does not follow its container: Operation not permitted" ]]
    run "$GUESTS/refused" env "LD_PRELOAD=$BUILD/lib/libdrom-agent.so" DROM_FOLLOW=1 sh -c 'exit 7'
    [[ $status == 7 && -z $output ]]
}

@test "what the agent cannot reach keeps the CPUs of its start, and drom run says so" {
    two_cpus
    contained 100000
    run drom run --follow -- "$GUESTS/static" 0
    [[ $output == *"static keeps the CPUs of its start, and does not follow later changes: nothing can be preloaded into it"* ]]
    run drom run --follow --no-preload -- sh -c 'nproc; echo $LD_PRELOAD'
    [[ $output == 1 ]]
}

@test "a small stack (ulimit -s) crashes neither drom run --follow nor the program" {
    contained 100000
    for kib in 20 32 36 64 104; do
        run bash -c "ulimit -s $kib; exec '$BIN' run --follow -- sh -c 'exit 7'"
        [[ $status == 7 ]]
        run bash -c "ulimit -s $kib; LD_PRELOAD=$BUILD/lib/libdrom-agent.so DROM_FOLLOW=1 DROM_FOLLOW_CPUS=0/0-4095 exec sh -c 'exit 7'"
        [[ $status == 7 ]]
    done
}

@test "--follow refuses what is about a table" {
    for option in --table=/tmp/t --json --cpus=0 --ncpus=1 --max=2 --min=1 --rigid --resize=keep --name=a --job=1 --wait --fast --timeout=1 --grace=1 --grace=never; do
        refuses 2 "drom: run: --follow is without a table, and ${option%%=*} is about one; leave one of them out" "$BIN" run --follow "$option" -- true
    done
    refuses 2 "DROM_FOLLOW=1 is without a table, and --ncpus is about one" env DROM_FOLLOW=1 "$BIN" run --ncpus 1 -- true
    refuses 2 "--follow is without a table, and this process runs on CPUs of one \(DROM_SLOT\); leave it out" "$BIN" run -- "$BIN" run --follow -- true
    refuses 2 "DROM_CGROUP_ROOT=nowhere is not the path of a folder" env DROM_CGROUP_ROOT=nowhere "$BIN" run --follow -- true
    refuses 0 "DROM_FOLLOW=maybe is neither 0 nor 1; the default holds" env DROM_FOLLOW=maybe "$BIN" run -- true
}

@test "a table goes before DROM_FOLLOW, and DROM_DISABLE before both" {
    two_cpus
    contained 100000
    [[ $(drom run --cpus "$BOTH" -- env DROM_FOLLOW=1 nproc) == 2 ]]
    [[ $(DROM_DISABLE=1 agent_alone taskset -c "$BOTH" nproc) == 2 ]]
    [[ $(DROM_DISABLE=1 drom run --follow -- taskset -c "$BOTH" nproc) == 2 ]]
}

# real_group: makes a cgroup that can have a quota, in $GROUP; says why there can be none.
real_group() {
    GROUP=
    [[ $EUID == 0 ]] || { echo "not root, so no cgroup can be made"; return; }
    local v1=/sys/fs/cgroup/cpu v2=/sys/fs/cgroup
    if [[ -e $v1/cpu.cfs_quota_us || -d $v1/docker ]]; then
        GROUP=$v1$(sed -n 's/^[0-9]*:[^:]*\bcpu\b[^:]*://p' /proc/self/cgroup)/drom-follow-$BATS_ROOT_PID
    elif grep -qsw cpu "$v2/cgroup.controllers"; then
        echo +cpu >"$v2/cgroup.subtree_control" 2>/dev/null
        GROUP=$v2/drom-follow-$BATS_ROOT_PID
    fi
    mkdir "${GROUP:-/proc/none}" 2>/dev/null || { echo "no cgroup for CPU time can be made here"; GROUP=; return; }
    real_quota -1 && [[ -e $GROUP/cpu.max || -e $GROUP/cpu.cfs_quota_us ]] || echo "$GROUP has no quotas"
}
real_quota() {
    if [[ -e $GROUP/cpu.max ]]; then echo "${1/#-1/max} 100000" >"$GROUP/cpu.max"; else echo "$1" >"$GROUP/cpu.cfs_quota_us"; fi
}
teardown_group() { [[ -z ${GROUP-} ]] || { eventually "the group is empty" rmdir "$GROUP"; GROUP=; }; }

@test "in a real cgroup, v1 or v2: quota 2, 1, 2, and hardly any throttling at one CPU" {
    two_cpus
    real_group >"$WORK/why"
    [[ ! -s $WORK/why ]] || missing "$(cat "$WORK/why")"
    real_quota 200000
    background taskset -c "$BOTH" sh -c "echo \$\$ >$GROUP/cgroup.procs; exec $BIN run --follow -- $GUESTS/held-gcc 120"
    eventually "it has a team and the agent's threads" threads_are "$PID" 4
    real_quota 100000
    eventually "all its threads are on one CPU" is_one_cpu "$PID"
    real_quota 200000
    eventually "all its threads are on both" masks_are "$PID" "$BOTH"
    real_quota 100000
    eventually "all its threads are on one CPU" is_one_cpu "$PID"
    sleep 0.2
    throttled() { sed -n 's/^nr_throttled //p' "$GROUP/cpu.stat"; }
    before=$(throttled)
    sleep 3
    echo "throttled periods of 30: $(($(throttled) - before))"
    (($(throttled) - before <= 3))
    kill -TERM "$PID"
    ended 0
    teardown_group
}
