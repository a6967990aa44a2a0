#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# objects.bats - one shared object per intrusion: how each of them changes the program that it is loaded into, and what
# it leaves alone.
#
#   GUEST_BUILD=build/dev bats tests/guest/objects.bats

bats_require_minimum_version 1.5.0

load ../support/written

setup_file() {
    export build=${GUEST_BUILD:?the build folder}
    export PATH=$build/bin:$PATH agent=$build/lib/libdrom-agent.so omp=$build/lib/libdrom-omp.so
    export both one other programs=$BATS_FILE_TMPDIR
    both=$(taskset -cp $$ | sed 's/.*: //' | tr , '\n' | awk -F- '{for (c = $1; c <= ($2 == "" ? $1 : $2); ++c) print c}' | head -n 2 | paste -sd,)
    one=${both%%,*} other=${both##*,}
    unset LD_PRELOAD DROM_SLOT DROM_RESIZE OMP_DYNAMIC OMP_PROC_BIND
    local here=$BATS_TEST_DIRNAME
    gcc -O1 -fopenmp "$here/teams.c" -o "$programs/teams-gcc" -ldl
    clang -O1 -fopenmp "$here/teams.c" -o "$programs/teams-clang" -ldl
    clang -O1 -fopenmp -shared -fPIC "$here/other.c" -o "$programs/libother.so"
    gcc -O1 -fopenmp -DOTHER "$here/teams.c" -o "$programs/two" -L"$programs" -lother -Wl,-rpath,"$programs" -ldl
}

setup() {
    work=$(mktemp -d)
    export DROM_TABLE=$work/table OMP_NUM_THREADS=2
    mkfifo "$work/line"
    exec 5<>"$work/line"
    pid=
}

teardown() {
    [[ -z $pid ]] || { kill -9 "$pid" 2>/dev/null || true; wait "$pid" 2>/dev/null || true; }
    exec 5>&-
    rm -rf "$work"
}

# begin PROGRAM ARGUMENT...: starts a program that reads commands from this test, one per line, and answers each with a
# line.
begin() {
    : >"$work/out" # the output of an earlier program must be gone now
    "$@" <"$work/line" >"$work/out" 2>"$work/err" 3>&- 5>&- &
    pid=$!
}

# ask TEXT: prints the next line that the program writes.
ask() {
    local lines end=$((SECONDS + 20))
    lines=$(wc -l <"$work/out")
    echo "$1" >&5
    until (($(wc -l <"$work/out") > lines)); do
        ((SECONDS < end)) || { written "$work/out" "$work/err"; return 1; }
        sleep 0.01
    done
    sed -n "$((lines + 1))p" "$work/out"
}

# adopts ANSWER: waits until a region has that team. That is not always the next one: while the agent's thread is
# releasing, it is the one after it.
adopts() {
    local end=$((SECONDS + 20))
    until [[ $(ask teams) == "$1" ]]; do
        ((SECONDS < end)) || { echo "never: $1"; written "$work/out" "$work/err"; return 1; }
    done
}

client() { drom list --json | jq -er ".clients[0].$1"; }
eventually() {
    local end=$((SECONDS + 20))
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < end)) || { echo "never: $*"; written "$work/out" "$work/err"; return 1; }
        sleep 0.02
    done
}
is_live() { [[ $(client state) == live ]]; }

# bindings NAME VARIABLE...: lists the symbols of each object and where they are bound, except for drom's libraries.
bindings() {
    local name=$1
    shift
    env LD_BIND_NOW=1 LD_DEBUG=bindings LD_DEBUG_OUTPUT="$work/$name" "$@" "$programs/two" </dev/null >"$work/$name.out"
    cat "$work/$name".[0-9]* | grep 'normal symbol' | grep -v 'file [^ ]*libdrom' |
        sed 's/ \[0\]//g; s/^ *[0-9]*:[ \t]*//' | sort -u >"$work/$name.bound"
}

@test "a program under drom is bound as it is natively, but for affinity calls; with DROM_DISABLE=1 as well" {
    bindings natively X=1
    [[ $(wc -l <"$work/natively.bound") -gt 100 ]]
    bindings loaded LD_PRELOAD="$agent"
    bindings disabled LD_PRELOAD="$agent" DROM_DISABLE=1
    local name
    for name in loaded disabled; do
        run bash -c "diff '$work/natively.bound' '$work/$name.bound' | grep '^[<>]' |
            grep -vE 'symbol .(sched_[gs]etaffinity|pthread_setaffinity_np|pthread_getaffinity_np|pthread_create|thrd_create|syscall). '"
        echo "$name: $output"
        [[ $output == "" ]]
        grep -q 'libdrom-agent.so: normal symbol .syscall' "$work/$name.bound"
    done
}

@test "two OpenMP runtimes in one process: each object keeps its own, undisturbed, under follow and with DROM_DISABLE=1" {
    local expected
    expected=$(printf 'teams\nset 1\nset 2\n' | "$programs/two")
    echo "$expected"
    [[ $expected == *"other 2"* ]]
    for variables in DROM_DISABLE=1 DROM_RESIZE=keep DROM_RESIZE=follow; do
        [[ $(printf 'teams\nset 1\nset 2\n' | env $variables LD_PRELOAD="$omp:$agent" "$programs/two") == "$expected" ]]
    done
}

@test "no change of the team was allowed: it is known before any request, and the team keeps its size" {
    local by
    for by in gcc clang; do
        begin "$build/bin/drom" run --cpus "$both" -- "$programs/teams-$by"
        ask teams
        [[ $(client resize) == keeps && $(client team) == 2 && $(client seq) == 1 ]]
        [[ $(client why) == "a change of its team was not allowed; --resize=follow allows it" ]]
        drom set "#$(client slot)" "$one" --wait resized --timeout 20000
        [[ $(ask teams) == "teams 2 max 2" ]]
        drom set "#$(client slot)" "$both"
        [[ $(ask teams) == "teams 2 max 2" ]]
        echo end >&5
        wait "$pid"
    done
}

@test "a team that follows has a thread a CPU, and what the program is told stays" {
    local by
    for by in gcc clang; do
        begin "$build/bin/drom" run --resize=follow --cpus "$both" -- "$programs/teams-$by"
        [[ $(ask teams) == "teams 2 max 2" && $(client resize) == follows ]]
        drom set "#$(client slot)" "$one"
        adopts "teams 1 max 2"
        [[ $(ask clause) == "clause 2" ]]
        drom set "#$(client slot)" "$both"
        [[ $(ask teams) == "teams 2 max 2" ]]
        echo end >&5
        wait "$pid"
    done
}

@test "a program's own omp_set_num_threads is obeyed for good, also by the runtime's own address" {
    local by way
    for by in gcc clang; do
        for way in set behind; do
            begin "$build/bin/drom" run --resize=follow --cpus "$both" -- "$programs/teams-$by"
            [[ $(ask teams) == "teams 2 max 2" ]]
            [[ $(ask "$way 3") == "$way 3" ]]
            [[ $(ask teams) == "teams 3 max 3" ]]
            drom set "#$(client slot)" "$one"
            [[ $(ask teams) == "teams 3 max 3" ]]
            [[ $(client resize) == held ]]
            echo end >&5
            wait "$pid"
        done
    done
}

@test "omp_set_dynamic(1) says that the team may change" {
    local by
    for by in gcc clang; do
        begin "$build/bin/drom" run --cpus "$both" -- "$programs/teams-$by"
        ask teams
        [[ $(client resize) == keeps ]]
        ask dynamic
        ask teams
        drom set "#$(client slot)" "$one"
        adopts "teams 1 max 2"
        [[ $(client resize) == follows ]]
        echo end >&5
        wait "$pid"
    done
}

@test "a bound team that is created while a CPU is gone does not run there" {
    local by
    for by in gcc clang; do
        OMP_PROC_BIND=close begin "$build/bin/drom" run --cpus "$both" -- "$programs/teams-$by"
        eventually client pid
        drom set "#$(client slot)" "$one" --timeout 20000
        ask teams
        [[ $(cat /proc/"$(client pid)"/task/*/status | sed -n 's/^Cpus_allowed_list:\t//p' | sort -u) == "$one" ]]
        drom set "#$(client slot)" "$other"
        [[ $(ask teams) == "teams 2 max 2" ]]
        [[ $(cat /proc/"$(client pid)"/task/*/status | sed -n 's/^Cpus_allowed_list:\t//p' | sort -u) == "$other" ]]
        echo end >&5
        wait "$pid"
    done
}

@test "a list in OMP_NUM_THREADS stays one, also with --max" {
    [[ $(OMP_NUM_THREADS=2,3 drom run --max 2 --cpus "$both" -- sh -c 'echo $OMP_NUM_THREADS') == 2,3 ]]
    [[ $(OMP_NUM_THREADS=4,3 drom run --max 2 --cpus "$both" -- sh -c 'echo $OMP_NUM_THREADS') == 4,3 ]]
}

@test "the agent's thread starts where a library has a megabyte of thread-local data" {
    echo '__thread char big[1 << 20]; char* room(void) { return big; }' >"$work/big.c"
    gcc -O1 -shared -fPIC "$work/big.c" -o "$work/libbig.so"
    LD_PRELOAD=$work/libbig.so begin "$build/bin/drom" run --cpus "$both" -- "$programs/teams-gcc"
    [[ $(ask teams) == "teams 2 max 2" ]]
    eventually grep -qx drom /proc/"$(client pid)"/task/*/comm
    drom set "#$(client slot)" "$one" --grace never --timeout 20000
    [[ $(client entry_points) == *async* ]]
}

@test "a runtime that is loaded privately is looked up once, not at each region" {
    local few many
    count() {
        env LD_DEBUG=symbols LD_DEBUG_OUTPUT="$work/$1" DROM_RESIZE=follow LD_PRELOAD="$omp:$agent" "$programs/teams-gcc" private "$programs/libother.so" "$1" >"$work/out"
        cat "$work/$1".[0-9]* | grep -c 'symbol=__kmpc_fork_call;'
    }
    few=$(count 10) many=$(count 1000)
    echo "$few $many"
    [[ $few -gt 0 && $few == "$many" ]]
}
