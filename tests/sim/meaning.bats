#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154 # bats assigns stderr
# meaning.bats - printed numbers are what their documents say. SIM_BUILD: build folder.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    sim=$SIM_BUILD/bin/drom-sim
    log=$BATS_TEST_TMPDIR/log.swf
    printf '; MaxNodes: 4\n; MaxProcs: 16\n' >"$log"
}

@test "the slowdown of a killed job was not what its columns came to" {
    printf '%s\n' '1 20 -1 300 16 -1 -1 16 100 -1 1 1 1 1 1 -1 -1 -1' >>"$log"
    slowdowns() { python3 -c 'import csv, sys
for job in csv.DictReader(open(sys.argv[1])):
    run = int(job["run"])
    ran = min(run, int(job["request"])) if job["killed"] == "1" else run
    assert abs((int(job["end"]) - int(job["submit"])) / ran - float(job["slowdown"])) < 1e-4, job
print(job["run"], job["stretched"], job["killed"])' "$1/jobs.csv"; }
    "$sim" --swf "$log" --policy easy --out cut -q >/dev/null
    [[ $(slowdowns cut) == "100 100 0" ]]
    # A run time that is kept is not kept from its limit.
    "$sim" --swf "$log" --policy easy --keep-overrun --out kept -q >/dev/null
    [[ $(slowdowns kept) == "300 100 1" ]]
    "$sim" --swf "$log" --policy easy --keep-overrun --kill no --out on -q >/dev/null
    [[ $(slowdowns on) == "300 300 0" ]]
}

@test "the numbers of one seed were taken for those of all" {
    run -0 --separate-stderr "$sim" compare --generate w5 --jobs 50 --workload-seed 4 --seeds 3 --out out easy sd
    [[ ${lines[0]} == "workload seed 4 of 4 to 6; means over all of them are below" && ${lines[1]} == policy* ]]
    [[ $output == *"over 3 workloads"* ]]
    [[ $(jq -c '[.[].setting.workload_seed]' out/summary.json) == "[4,4]" ]]
    [[ $(jq .setting.workload_seed out/sd/summary.json) == 4 ]]
    run -0 --separate-stderr "$sim" compare --generate w5 --jobs 50 --workload-seed 4 --seeds 3 --json easy sd
    [[ $(jq -c '[.[].setting.workload_seed]' <<<"$output") == "[4,4]" ]]
    [[ $stderr == *"JSON is of workload seed 4 of 4 to 6; summary.csv of --out has all of them"* ]]
    # One workload, and a log, are what they are.
    run -0 --separate-stderr "$sim" compare --generate w5 --jobs 50 -q easy sd
    [[ ${lines[0]} == policy* ]]
    printf '%s\n' '1 20 -1 300 16 -1 -1 16 400 -1 1 1 1 1 1 -1 -1 -1' >>"$log"
    [[ $("$sim" --swf "$log" --json -q | jq .setting.workload_seed) == null ]]
}
