#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# trace.bats - drom trace as a person types it, and its files as other programs read them.

bats_require_minimum_version 1.5.0

load ../cli/support

setup_file() {
    export GUESTS=$BATS_FILE_TMPDIR
    gcc -O2 "$BATS_TEST_DIRNAME/../cli/guests/plain.c" -o "$GUESTS/plain"
    gcc -x c - -o "$GUESTS/busy" <<'C'
#include <time.h>
int main(void) {
    while (clock() < 1.2 * CLOCKS_PER_SEC) {}
    return 0;
}
C
}

# owners FILE CPU: the clients that the CPU had, one after the other, as a trace in CSV says.
owners() { awk -F, -v cpu="$2" '$3 == "owned" && $8 == cpu { print $1, $4 }' "$1" | sort -n | awk '{print $2}' | uniq | tr '\n' ' '; }

@test "words that cannot be meant are refused" {
    refuses 2 "^drom: trace: FILE is missing; usage: drom trace FILE \[options\] \[-- COMMAND" drom trace
    refuses 2 "^drom: trace: FILE ends neither with .json nor with .prv nor with .csv; say its --format" drom trace t.txt
    refuses 2 "^drom: trace: --format 'xml' is neither perfetto nor paraver nor csv" drom trace t.json --format xml
    refuses 2 "^drom: trace: 'b' is one argument too many; usage: drom trace FILE" drom trace t.csv b
    refuses 2 "^drom: trace: --json is not for traces; --format perfetto is a JSON object" drom trace t.csv --json
    refuses 2 "^drom: trace: --for and COMMAND exclude each other" drom trace t.csv --for 3 -- true
    refuses 127 "^drom: trace: there-is-no-such-program" drom trace "$WORK/t.csv" -- there-is-no-such-program
    refuses 1 "^drom: trace: $WORK/none/t.csv: it cannot be written: No such file or directory" drom trace "$WORK/none/t.csv" -- true
    refuses 1 "^drom: trace: $WORK: it is no regular file" drom trace "$WORK" --format csv -- true
    [[ ! -e $WORK/t.csv ]]
}

@test "a command runs as without drom trace, and its trace says which CPU it had" {
    drom trace "$WORK/t.csv" -- "$BIN" run --no-preload --name one --cpus "$A" -- "$GUESTS/busy"
    cat "$WORK/t.csv"
    [[ $(owners "$WORK/t.csv" "$A") == "one " ]]
    # It takes 1.2 seconds of a CPU.
    awk -F, '$3 == "useful" && $4 == "one" && $9 > 0.05 { found = 1 } END { exit !found }' "$WORK/t.csv"
    run drom trace "$WORK/t.json" -- bash -c 'echo out; exit 7'
    [[ $status == 7 && $output == out ]]
    jq -e '.traceEvents | length == 0' "$WORK/t.json"
}

@test "a CPU that is taken has two owners, one after the other, in the files of all formats" {
    two_cpus
    background "$BIN" run --no-preload --name giver --job 7 --cpus "$BOTH" -- "$GUESTS/plain" 60
    eventually "it is there" client_is giver mask "$BOTH"
    local format
    for format in csv json prv; do
        drom trace "$WORK/t.$format" -- bash -c "'$BIN' run --no-preload --name taker --cpus $B -- '$GUESTS/plain' 0.2 && '$BIN' set giver $BOTH --timeout 30000"
    done
    [[ $(owners "$WORK/t.csv" "$B") == "giver taker giver " ]]
    [[ $(owners "$WORK/t.csv" "$A") == "giver " ]]
    jq -e '[.traceEvents[] | select(.ph == "X" and .name == "owned")] | length == 4 and all(.dur > 0)' "$WORK/t.json"
    jq -e '[.traceEvents[] | select(.ph == "M" and .name == "process_name").args.name] | any(startswith("taker ("))' "$WORK/t.json"
    python3 "$BATS_TEST_DIRNAME/paraver_reader.py" "$WORK/t.prv" | tee "$WORK/read"
    grep -q "^1 node of [12] CPUs, 2 applications, 2 tasks, 3 threads" "$WORK/read"
    grep -q "^job 7$" "$WORK/read"
}

@test "a trace ends at SIGINT, at SIGTERM and after its time, and is whole" {
    sleeper one "$A"
    drom trace "$WORK/timed.csv" --for 1
    [[ $(owners "$WORK/timed.csv" "$A") == "one " ]]
    local signal
    for signal in INT TERM; do
        "$BIN" trace -v "$WORK/$signal.csv" 2>"$WORK/$signal.log" 3>&- &
        local tracer=$!
        STARTED+=("$tracer")
        eventually "it records" grep -q "^drom: trace: records until SIGINT" "$WORK/$signal.log"
        kill -"$signal" "$tracer"
        wait "$tracer"
        [[ $(owners "$WORK/$signal.csv" "$A") == "one " ]]
    done
}

@test "a trace ends when its table is removed, and has what was there" {
    sleeper one "$A"
    "$BIN" trace -v "$WORK/t.csv" 2>"$WORK/log" 3>&- &
    local tracer=$!
    STARTED+=("$tracer")
    eventually "it records" grep -q "^drom: trace: records until SIGINT" "$WORK/log"
    kill -KILL "$(client one pid)"
    rm -rf "$DROM_TABLE"
    wait "$tracer" && false
    grep "^drom: trace: .*$DROM_TABLE" "$WORK/log"
    [[ $(owners "$WORK/t.csv" "$A") == "one " ]]
}

@test "a file that is there stays as it was until the trace is whole" {
    sleeper one "$A"
    echo before >"$WORK/t.csv"
    "$BIN" trace "$WORK/t.csv" --for 60 3>&- &
    STARTED+=($!)
    sleep 0.5
    [[ $(<"$WORK/t.csv") == before ]]
    kill -KILL "${STARTED[-1]}"
    wait "${STARTED[-1]}" || true
    [[ $(<"$WORK/t.csv") == before && $(find "$WORK" -name '.drom.*' | wc -l) == 0 ]]
    drom trace "$WORK/t.csv" --for 1
    [[ $(owners "$WORK/t.csv" "$A") == "one " ]]
}

@test "a private file stays private, and a new one is what the umask says" {
    : >"$WORK/private.csv"
    chmod 600 "$WORK/private.csv"
    drom trace "$WORK/private.csv" -- true
    [[ $(stat -c %a "$WORK/private.csv") == 600 ]]
    (umask 027 && drom trace "$WORK/new.csv" -- true)
    [[ $(stat -c %a "$WORK/new.csv") == 640 ]]
}
