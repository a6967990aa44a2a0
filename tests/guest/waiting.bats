#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# waiting.bats - how the threads of a program wait for one another while it has fewer CPUs than at its start.
#
#   GUEST_BUILD=build/dev bats tests/guest/waiting.bats

# shellcheck disable=SC2154 # support.bash assigns them
bats_require_minimum_version 1.5.0

load support

setup_file() {
    export build=${GUEST_BUILD:?the build folder}
    export hosts=$build/tests/guest lib=$build/lib/libdrom-agent.so
    export PATH=$build/bin:$PATH OMP_NUM_THREADS=2
    # Two CPUs on any machine, so that one can be taken.
    export both one
    both=$(taskset -cp $$ | sed 's/.*: //' | tr , '\n' | awk -F- '{for (c = $1; c <= ($2 == "" ? $1 : $2); ++c) print c}' | head -n 2 | paste -sd,)
    one=${both%%,*}
    unset LD_PRELOAD OMP_TOOL_LIBRARIES DROM_SLOT OMP_WAIT_POLICY GOMP_SPINCOUNT KMP_BLOCKTIME
}

# start PROGRAM ARGUMENT...: starts it on both CPUs under the preload, and waits until it is a client; with `preload`
# empty, by itself.
start() {
    rm -f "$stop" "$work/out"
    LD_PRELOAD=${preload-$lib} taskset -c "${cpus-$both}" "$@" >"$work/out" 2>"$work/err" 3>&- &
    host=$!
    eventually 30 grep -s -q '^cpu' "$work/out"
    [[ -z ${preload-$lib} ]] || eventually 30 listed "$host"
}

listed() { [[ $(drom list --json 2>/dev/null | jq "[.clients[]? | select(.pid == $1)] | length") == 1 ]]; }
lines() { grep -c '^cpu' "$work/out"; }
has_lines() { (($(lines) >= $1)); }

# more N: waits for that many more lines.
more() { eventually 60 has_lines $(($(lines) + $1)); }

# finish: checks that the host ends by itself, well, and with the right sum. A program that hangs is killed, which
# fails.
finish() {
    touch "$stop"
    local watchdog status=0
    { sleep 60 && kill -9 "$host"; } 3>&- &
    watchdog=$!
    wait "$host" || status=$?
    kill "$watchdog" 2>/dev/null || true
    host=
    tail -n 3 "$work/out" "$work/err"
    [[ $status == 0 ]]
    grep -q '^sum 141$' "$work/out"
}

# waits RUNTIMES: checks the newest line, as "llvm N libgomp N".
waits() { [[ $(grep '^cpu' "$work/out" | tail -n 1) == *" $1 blocktime "* ]]; }

# Prints the microseconds of processor time for a window of rounds: the least of the last five.
cost() { grep '^cpu' "$work/out" | tail -n 5 | awk '{print $2}' | sort -n | head -n 1; }

own_words() { if [[ $1 == gcc ]]; then echo "llvm 0 libgomp $2"; else echo "llvm $2 libgomp 0"; fi; }

# yields_while_away COMPILER MODE POLICY: threads that wait yield while CPUs are away, and wait as before when they are
# back.
yields_while_away() {
    OMP_WAIT_POLICY=$3 start "$hosts/waiting-$1" "$2" "$stop"
    eventually 30 waits "$(own_words "$1" 1)"
    drom set "$host" "$one" --wait released
    eventually 30 waits "$(own_words "$1" 0)"
    drom set "$host" "$both"
    eventually 30 waits "$(own_words "$1" 1)"
    finish
}

@test "CPUs that are taken in the middle of a region: waiting threads yield at once, and wait as before when all are back" {
    local by policy
    for by in gcc clang; do
        for policy in '' active; do
            yields_while_away $by region "$policy"
        done
    done
}

# costs_no_more MODE: the processor spends no more after CPUs were taken than where they never were.
costs_no_more() {
    local by confined taken
    for by in gcc clang; do
        preload='' cpus=$one start "$hosts/waiting-$by" "$1" "$stop"
        more 10
        confined=$(cost)
        finish
        start "$hosts/waiting-$by" "$1" "$stop"
        drom set "$host" "$one" --wait released
        more 10
        taken=$(cost)
        finish
        echo "$by: $confined us of the processor confined from the start, $taken us after CPUs were taken"
        ((taken * 2 <= confined * 3))
    done
}

@test "CPUs that are taken in the middle of a region cost the processor no more than those that were never there" {
    costs_no_more region
}

@test "CPUs that are taken while threads wait for tasks, or in regions inside a region: the same" {
    costs_no_more tasks
    costs_no_more nested
}

@test "CPUs that are taken while threads wait for tasks, or in regions inside a region: all yield, and wait as before later" {
    local by mode
    for by in gcc clang; do
        for mode in tasks nested; do
            yields_while_away $by $mode active
        done
    done
}

@test "a program that counts on active waiting goes on after its CPUs were away and are back" {
    local by mode
    for by in gcc clang; do
        for mode in region regions; do
            OMP_WAIT_POLICY=active start "$hosts/waiting-$by" $mode "$stop"
            for _ in 1 2 3 4; do
                drom set "$host" "$one"
                more 1
                drom set "$host" "$both"
                more 1
            done
            eventually 30 waits "$(own_words $by 1)"
            finish
        done
    done
}

@test "what a program can ask about waiting stays as it was" {
    local mode
    for mode in region regions; do
        start "$hosts/waiting-clang" $mode "$stop"
        drom set "$host" "$one"
        eventually 30 waits "llvm 0 libgomp 0"
        more 2
        finish
        [[ $(grep '^cpu' "$work/out" | sed 's/.*blocktime //' | sort -u) == 200 ]]
    done
}

@test "runtimes that are loaded privately, two in one process, after CPUs were taken: both yield, and wait as before later" {
    start "$hosts/waiting-clang" load "$stop" "$hosts/plugin-gcc.so" "$hosts/plugin-clang.so"
    eventually 30 waits "llvm 1 libgomp 0"
    drom set "$host" "$one"
    eventually 30 waits "llvm 0 libgomp 0"
    touch "$stop.load"
    eventually 30 grep -q libgomp "/proc/$host/maps"
    more 5
    eventually 30 waits "llvm 0 libgomp 0"
    drom set "$host" "$both"
    eventually 30 waits "llvm 1 libgomp 1"
    finish
}

moves_while() {
    local async
    for async in 0 1; do
        DROM_ASYNC=$async start "$@" "$stop"
        for _ in 1 2 3 4 5; do
            drom set "$host" "$one"
            drom set "$host" "$both"
        done
        more 2
        finish
    done
}

@test "children of a program whose CPUs move can look at what is loaded: none inherits a lock" {
    moves_while "$hosts/waiting-gcc" fork
    moves_while "$hosts/waiting-clang" fork
}
