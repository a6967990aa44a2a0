#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# stats.bats - drom stats as a person types it: words, refusals, files of other nodes.

bats_require_minimum_version 1.5.0

load ../cli/support

setup_file() {
    export GUESTS=$BATS_FILE_TMPDIR
    gcc -O2 "$BATS_TEST_DIRNAME/../cli/guests/plain.c" -o "$GUESTS/plain"
}

@test "words that cannot be meant are refused" {
    refuses 2 "^drom: stats: CLIENT is empty; name a client, or leave it out" drom stats ''
    refuses 2 "^drom: stats: 'b' is one argument too many; files follow merge" drom stats a b
    refuses 2 "^drom: stats: CLIENT and --job exclude each other" drom stats a --job 7
    refuses 2 "^drom: stats: --csv, --talp and --json exclude each other" drom stats --talp --json
    refuses 2 "^drom: stats: --csv, --talp and --json exclude each other" drom stats --csv --json
    refuses 2 "^drom: stats: --window 0 is out of range; 1 to 86400 seconds" drom stats --window 0
    refuses 2 "^drom: stats: --window '1.5' is not a whole number of seconds" drom stats --window 1.5
    refuses 2 "^drom: stats: FILE is missing; usage: drom stats merge FILE" drom stats merge
    refuses 2 "^drom: stats: merge and --window exclude each other" drom stats merge a --window 3
    [[ ! -e $DROM_TABLE ]]
}

@test "a program or job that is not there is refused, and a table without clients says so" {
    drom run --no-preload -- true
    [[ $(drom stats --window 1) == "no clients" ]]
    refuses 1 "^drom: stats: no client is called 'nothing'" drom stats nothing
    refuses 1 "^drom: stats: no client belongs to job '7'; drom list -o pid,job" drom stats --job 7
    refuses 1 "^drom: stats: process $$ is not a client of " drom stats $$
}

@test "a program that sleeps has no efficiency, and a report of 80 columns" {
    sleeper one "$A" --job 7.0
    COLUMNS=80 drom stats --job 7.0 --window 1 >"$WORK/text"
    cat "$WORK/text"
    grep -Eq "^one \(job 7.0\): 1 process with 1.0 CPUs on .*, seen for 1.0 s$" "$WORK/text"
    grep -Eq "^  Parallel efficiency +0.0 %$" "$WORK/text"
    grep -Eq "^  Waited for a CPU +[0-9.]+ %$" "$WORK/text"
    grep -q "^The largest loss: 100 % of the CPU time, as no thread of a process has work" "$WORK/text"
    awk 'length($0) > 80 { exit 1 }' "$WORK/text"
    [[ $(drom stats one --window 1 --csv | wc -l) == 2 ]]
}

@test "top: one line per client, of 80 columns, once or until no reader is left" {
    sleeper a-name-of-thirty-one-characters "$A"
    drom top --once --window 1 >"$WORK/text"
    cat "$WORK/text"
    grep -Eq "^ +0 +[0-9]+  a-name-of-thirty-on\+  $A +0\.[0-9]%  +0\.[0-9]%  +[0-9.]+%$" "$WORK/text"
    awk 'length($0) > 80 { exit 1 }' "$WORK/text"
    [[ $(wc -l <"$WORK/text") == 3 ]]
    drom top --window 1 | head -n 4 >"$WORK/text"
    [[ $(grep -c "^SLOT" "$WORK/text") == 1 && $(grep -c "1 client, seen for" "$WORK/text") == 2 ]]
}

@test "reports of two nodes are one, also once more" {
    sleeper one "$A" --job 7.0
    drom stats one --window 1 --json >"$WORK/a.json"
    sed 's/"node":"[^"]*"/"node":"other"/; s/"nodes":\["[^"]*"\]/"nodes":["other"]/' "$WORK/a.json" >"$WORK/b.json"
    rm "$WORK/table" -r
    drom stats merge "$WORK/a.json" "$WORK/b.json" --json >"$WORK/both.json"
    fits stats <"$WORK/both.json"
    jq -e '(.nodes | length) == 2 and (.applications | length) == 1 and (.applications[0].processes | length) == 2' "$WORK/both.json"
    drom stats merge "$WORK/both.json" | grep -q "between nodes"
    drom stats merge --csv "$WORK/both.json" | grep -q "^7.0,one,2,2,"
}

@test "one program is written as TALP does, and several are refused" {
    sleeper one "$A" --job 7.0
    drom stats --talp --window 1 >"$WORK/talp.json"
    jq -e '.resources.numCpus == 1 and .Application.Global.parallelEfficiency == 0 and .Application.Global.mpiParallelEfficiency == 1' "$WORK/talp.json"
    jq -re .timestamp "$WORK/talp.json" | grep -Ex '[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[+-][0-9]{4}'
    sleeper two "$B" --job 8.0
    refuses 1 "^drom: stats: --talp is about one program, and there are 2; name one with CLIENT or --job" drom stats --talp --window 1
    drom stats --talp --job 8.0 --window 1 | jq -e .Application.Global.elapsedTime
    drom stats --json --job 8.0 --window 1 >"$WORK/report.json"
    drom stats merge --talp "$WORK/report.json" | jq -e '.resources.numNodes == 1'
}

@test "a file that is no report is named with the place" {
    printf '{\n "schema": nothing}' >"$WORK/bad.json"
    printf '{"schema":"drom.list/1"}' >"$WORK/list.json"
    refuses 2 "^drom: stats: $WORK/bad.json:2:13: it is no JSON" drom stats merge "$WORK/bad.json"
    refuses 2 "^drom: stats: $WORK/list.json:/schema: it is not drom.stats/1" drom stats merge "$WORK/list.json"
    refuses 2 "^drom: stats: $WORK/none.json: it cannot be read: No such file or directory" drom stats merge "$WORK/none.json"
    refuses 2 "^drom: stats: $WORK: it cannot be read: Is a directory" drom stats merge "$WORK"
    head -c 3000000 /dev/zero | tr '\0' '[' >"$WORK/deep.json"
    refuses 2 "^drom: stats: $WORK/deep.json:1:1: it is nested deeper than 16 levels" drom stats merge "$WORK/deep.json"
    [[ ! -e $DROM_TABLE ]]
}
