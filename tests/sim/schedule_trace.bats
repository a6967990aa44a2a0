#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# schedule_trace.bats - drom-sim --trace: what viewers of timelines read of a schedule. SIM_BUILD: build folder.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    sim=$SIM_BUILD/bin/drom-sim
}

@test "a trace has each job on its nodes, and Paraver can read it" {
    for policy in slurm sd urgent; do
        for end in prv json csv; do
            "$sim" --generate w5 --jobs 150 --policy $policy --gantt 0-10d --trace $policy.$end -q >/dev/null
        done
        python3 "$BATS_TEST_DIRNAME/../metrics/paraver_reader.py" $policy.prv >/dev/null
        # Each job is there, and on as many nodes as it started on.
        "$sim" --generate w5 --jobs 150 --policy $policy --out $policy -q >/dev/null
        [[ $(awk -F, '$3 == "client"' $policy.csv | wc -l) == 150 ]]
        jq -e '[.traceEvents[] | select(.name == "process_name")] | length == 150' $policy.json
        [[ $(grep -c . $policy.pcf) -gt 5 ]]
    done
    [[ $(awk -F, '$3 == "owned"' slurm.csv | wc -l) == $(awk -F, 'NR > 1 { sum += $9 } END { print sum }' slurm/jobs.csv) ]]
    grep -q "(2)" sd.row
    run grep -q "(2)" slurm.row
    [[ $status == 1 ]]
}

@test "a trace that cannot be what is asked for is refused before the simulation, with one sentence" {
    refused() {
        local status_wanted=$1 sentence=$2
        shift 2
        run -"$status_wanted" --separate-stderr "$sim" --generate w5 --jobs 9 -q "$@"
        # shellcheck disable=SC2154
        [[ -z $output && $stderr == "drom-sim: run: $sentence" ]] || { echo "$stderr"; return 1; }
    }
    refused 2 "--trace x.txt ends neither with .json nor with .prv nor with .csv" --trace x.txt
    refused 2 "--gantt none leaves nothing for --trace to show" --trace x.csv --gantt none
    touch sd.pcf
    refused 1 "sd.pcf is there already; name another file with --trace, or write over it with --force" --trace sd.prv
    "$sim" --generate w5 --jobs 9 -q --trace sd.prv --force >/dev/null
    "$sim" generate w5 --jobs 9 --out log.csv
    run -1 --separate-stderr "$sim" --swf log.csv --trace log.csv --force -q
    [[ $stderr == "drom-sim: run: log.csv is the file that is read as log.csv; name another file with --trace" ]]
    run -1 --separate-stderr "$sim" --generate w5 --jobs 9 -q --trace none/x.csv
    [[ $stderr == "drom-sim: write none/x.csv: No such file or directory; make the folder first, or write somewhere else with --trace" ]]
}
