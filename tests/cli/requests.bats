#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# requests.bats - CPUs of real OpenMP programs change hands: set, shrink, expand, add, remove, and what explain says of
# them.

load support

setup_file() { build_guests; }

# threads_on NAME: where the client's threads may run, each set once.
threads_on() {
    local pid
    pid=$(client "$1" pid)
    grep -h Cpus_allowed_list "/proc/$pid/task/"*/status | awk '{print $2}' | sort -u | paste -sd' '
}

follows() { # RUNTIME
    has_guest "regions-$1"
    two_cpus
    DROM_RESIZE=follow guest sim "$BOTH" "$GUESTS/regions-$1"
    run drom set sim "$A" --wait resized --timeout 60000
    [[ $status == 0 && $output =~ ^sim\ \([0-9]+\):\ $BOTH\ -\>\ $A,\ released.*\ after\ .*resized\ after ]]
    [[ $(threads_on sim) == "$A" ]]
    client_is sim team 1
    drom explain sim --sample 20 | grep -q "The number of threads follows the CPUs: 1 thread now, 2 at its start"
    drom expand sim 2 --wait resized --timeout 60000
    client_is sim mask "$BOTH"
    client_is sim team 2
    kill -TERM "$PID"
    ended 0
    grep -q ' regions, right$' "$WORK/out"
}

@test "a clang program shrinks, its threads leave the CPU, and it expands again" { follows clang; }
@test "a gcc program shrinks, its threads leave the CPU, and it expands again" { follows gcc; }

keeps() { # RUNTIME
    has_guest "held-$1"
    two_cpus
    guest keeper "$BOTH" "$GUESTS/held-$1"
    run drom shrink keeper 1 --wait resized --timeout 60000
    echo "$output"
    [[ $status == 0 && $output == *", threads kept: a change of its team was not allowed; --resize=follow allows it" ]]
    [[ $(client keeper mask) != "$BOTH" && $(threads_on keeper) == "$(client keeper mask)" ]]
    client_is keeper team 2
    client_is keeper resize keeps
    told=$(drom watch --all --for 1 --json | jq -r 'select(.event == "kept" or .event == "resized") | "\(.event) \(.value)"' | sort -u)
    [[ $told == "kept 2" ]]
    drom explain keeper --sample 20 | grep -q "The number of threads stays 2: a change of its team was not allowed"
    drom explain keeper --sample 20 | grep -q "2 threads share 1 CPU\."
    kill -TERM "$PID"
    ended 0
}

@test "a clang program whose team may not change is released, not resized" { keeps clang; }
@test "a gcc program whose team may not change is released, not resized" { keeps gcc; }

# not_resized NAME PROGRAM TEXT: its threads leave the CPU, as many as they are. The list and explain
# say so.
not_resized() {
    two_cpus
    [[ -x $2 ]] || missing "$2 is not built; scripts/packages.sh test installs what it needs"
    guest_of_other_user "$1" "$BOTH" "$2"
    drom set "$1" "$A"
    [[ $(threads_on "$1") == "$A" ]]
    drom list | grep -E "^[0-9]+ .* $1 .* not resized "
    client_is "$1" not_resized "no entry point has answered"
    drom explain "$1" --sample 20 | grep -F "Not resized: $3"
    refuses 3 "^drom: set [0-9]+: released, but not resized: no entry point has answered in it, so its threads stay" drom set "$1" "$B" --wait resized --timeout 100
    drom explain "$1" --sample 300 --json | jq -e '.client.resize == "none" and ([.threads[] | select(.busy > 0)] | length) > 1'
}

# guest_of_other_user NAME CPUS PROGRAM: under drom run, with two threads at work.
guest_of_other_user() {
    background "$BIN" run --name "$1" --cpus "$2" -- "$3"
    eventually "$1 has two threads at work" \
        bash -c "[[ \$('$BIN' explain '$1' --sample 50 --json | jq '[.threads[] | select(.busy > 0.05)] | length') == 2 ]]"
}

@test "a pool of threads that no library hooks is confined, and said to be not resized" {
    not_resized pool "$GUESTS/pool" "it has no OpenMP runtime that an entry point reaches"
}

@test "so is a program of oneTBB, by name" { not_resized tbb "$GUESTS/tbb" "the threads of oneTBB;"; }
@test "so is one over an OpenBLAS with threads of its own" { not_resized blas "$GUESTS/blas" "the threads of OpenBLAS;"; }

@test "teams inside a team are not resized with it, and that is said" {
    two_cpus
    DROM_RESIZE=follow guest nested "$BOTH" "$GUESTS/nested-gcc"
    drom set nested "$A" --wait resized --timeout 60000
    client_is nested team 1
    client_is nested not_resized ""
    # They come and go: one look may miss them.
    eventually "they are seen" bash -c "'$BIN' explain nested --sample 10 | grep -F 'Not resized: ' | grep -F 'besides its team'"
}

@test "teams inside a team that has shrunk do not burn its CPU waiting for one another" {
    two_cpus
    mkfifo "$WORK/line"
    exec 4<>"$WORK/line"
    background "$BIN" run --resize=follow --name nested --cpus "$BOTH" -- "$GUESTS/nested-gcc" 1000 <"$WORK/line"
    eventually "it is ready" grep -q ready "$WORK/out"
    drom set nested "$A"
    echo >&4
    ended 0
    exec 4>&-
    cat "$WORK/out"
    # Processor time, not the clock's: spinning takes six times as much and more.
    awk '/^outer 1 ratio/ { exit !($4 < 3.5) } END { if (!/^outer 1 ratio/) exit 1 }' "$WORK/out"
}

@test "add adds free CPUs, remove removes some, shrink and expand choose" {
    has_guest regions-gcc
    two_cpus
    guest sim "$BOTH" "$GUESTS/regions-gcc"
    drom remove sim "$B"
    client_is sim want "$A"
    free_is "$B"
    drom add sim "$B"
    client_is sim want "$BOTH"
    drom shrink sim 1
    [[ $(client sim want) =~ ^[0-9]+$ ]]
    drom expand sim 2
    client_is sim want "$BOTH"
}

@test "what is there already is said so" {
    background "$BIN" run --name idle --cpus "$A" -- "$GUESTS/plain" 600
    eventually "idle is there" client_is idle want "$A"
    run drom set idle "$A"
    [[ $status == 0 && $output == *" has $A already" ]]
    [[ $(drom set idle "$A" --json | jq -r '.schema + " " + .status') == "drom.set/1 DROM_UNCHANGED" ]]
}

@test "--take takes, --return brings back" {
    has_guest regions-gcc
    two_cpus
    guest one "$BOTH" "$GUESTS/regions-gcc"
    drom set one "$A"
    background "$BIN" run --name two --cpus "$B" -- "$GUESTS/regions-gcc"
    eventually "two is live" client_is two state live
    drom expand one 2 --take && false # the minimum of two is one
    drom drain "$B" --timeout 2000 && false
    kill -TERM "$PID"
    ended 0
    drom expand one 2
    client_is one want "$BOTH"
}

@test "explain shows entry points, threads, the launcher; as JSON too" {
    has_guest regions-gcc
    DROM_RESIZE=follow guest sim "$A" "$GUESTS/regions-gcc"
    eventually "a region has begun" bash -c "'$BIN' list --json | jq -e '.clients[0].entry_points | index(\"gomp\")'"
    run drom explain sim --sample 50
    [[ $status == 0 && $output == *"Entry points: "*gomp* && $output == *"launched by process $PID"* && $output == *"MAY RUN ON"* ]]
    drom explain sim --sample 50 --json | jq -e '.schema == "drom.explain/1" and (.threads | length) >= 1
        and (.client.entry_points | index("gomp")) and (.sentences | length) >= 2 and .spins == false'
}

@test "a program without entry points is said to be reached from outside" {
    background "$BIN" run --no-preload --name plain --cpus "$A" -- "$GUESTS/plain" 60
    eventually "it is there" client_is plain mask "$A"
    drom explain plain --sample 1 | grep -q "No entry point has answered: the process has not joined. It is reached from outside only"
}

@test "a thread that strayed is named" {
    two_cpus
    background "$BIN" run --no-preload --name plain --cpus "$A" -- "$GUESTS/plain" 60
    eventually "it is there" client_is plain mask "$A"
    taskset -p -c "$B" "$(client plain pid)"
    drom explain plain --sample 1 | grep -Eq "Thread [0-9]+ \(plain\) may run on CPU $B, which the client does not have"
}

@test "CPUs are moved with a stack of 44 KiB" {
    two_cpus
    sleeper plain "$BOTH"
    for request in "set plain $A" "add plain $B" "shrink plain 1" "expand plain 2" "drain $B" "restore $B"; do
        # shellcheck disable=SC2086,SC2016 # a request is several words; the other shell expands
        env -i DROM_TABLE="$DROM_TABLE" DROM_TIMEOUT_MS=30000 bash -c 'ulimit -c 0 -s 44; exec "$@"' bash "$BIN" $request
    done
    client_is plain mask "$BOTH"
}

@test "a thread of SCHED_DEADLINE that holds a request is named, and the advice helps" {
    two_cpus
    drom run --no-preload -- true
    sleeper plain "$(drom list --json | jq -r .present)" # the kernel gives the policy to no thread with fewer
    pid=$(client plain pid)
    chrt --deadline --sched-runtime 1000000 --sched-deadline 10000000 --sched-period 10000000 --pid 0 "$pid" 2>/dev/null || missing "no right to set SCHED_DEADLINE"
    status=0
    drom set plain "$A" --timeout 500 || status=$?
    [[ $status == 3 ]]
    run drom explain plain --sample 1
    [[ $output == *"not released: the kernel moves no thread of SCHED_DEADLINE, as its thread $pid (plain) is; give that another policy (chrt --other --pid 0 $pid), then use drom wait."* ]]
    chrt --other --pid 0 "$pid"
    drom wait plain
    client_is plain mask "$A"
}
