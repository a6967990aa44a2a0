#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# map.bats - drom-sim map: on which partition each application should run, and what it says to bad input. SIM_BUILD:
# build folder.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    sim=$SIM_BUILD/bin/drom-sim
    examples=$BATS_TEST_DIRNAME/../../examples
    machine=$examples/platforms/three.machine
    apps=$examples/platforms/kinds.apps
}

# refused TEXT ARGUMENT...: the map is refused with status 2, no output and a sentence that has TEXT.
refused() {
    local text=$1
    shift
    run -2 --separate-stderr "$sim" map "$@"
    echo "$stderr"
    [[ -z $output && $stderr == "drom-sim: map: "*"$text"* ]]
}

@test "each application has its partitions, the best one first, and the last line is the map" {
    run -0 --separate-stderr "$sim" map --machine "$machine" --apps "$apps"
    [[ -z $stderr && ${lines[1]} == "compute-bound "*" supercomputer "* && ${lines[2]} == " "*" cluster "* ]]
    [[ ${lines[-1]} == app:map=0/0/0/0/0 ]]
    run -0 --separate-stderr "$sim" map --machine "$examples/energy/p1-p2.machine" --apps "$examples/energy/thesis.apps" --weights energy=1
    [[ ${lines[-1]} == app:map=0/0/0/0/0/0/0/1 && $stderr == "drom-sim: map: "*p3*"left out" ]]
}

@test "a large partition wins where room counts, and the policy app takes the map" {
    awk '/^partition/ {name = $2} $1 == "nodes" && name == "cloud" {$2 = 1024} {print}' "$machine" >large-cloud.machine
    run -0 "$sim" map --machine large-cloud.machine --apps "$apps" --weights time=1,room=0.1
    echo "$output"
    [[ ${lines[-1]} == app:map=2/2/0/2/0 ]]
    run -0 "$sim" --generate platforms-x1 --jobs 50 --machine large-cloud.machine --apps "$apps" --policy "${lines[-1]}" -q
}

@test "what a map gains in time is in a run with it" {
    awk '/^partition/ {name = $2} name != "cloud"' "$machine" >two.machine
    printf 'app 1 solver\non supercomputer seconds 100 watts 1 slope 0\non cluster seconds 25 watts 1 slope 0\n' >two.apps
    "$sim" generate platforms-x1 --jobs 30 | awk '!/^;/ { $14 = 1 } 1' >solver.swf
    files=(--swf solver.swf --machine two.machine --apps two.apps)
    run -0 "$sim" map --machine two.machine --apps two.apps
    [[ ${lines[-1]} == app:map=1 ]]
    "$sim" "${files[@]}" --policy first-partition --json -q >first.json
    "$sim" "${files[@]}" --policy "${lines[-1]}" --json -q --record mapped.record >mapped.json
    jq -se '.[1].run_sum_s < 0.3 * .[0].run_sum_s' first.json mapped.json
    # The record has the run times, as the policy decides by them.
    "$sim" replay mapped.record
}

@test "programs read the map as JSON" {
    run -0 "$sim" map --machine "$machine" --apps "$apps" --weights room=1 --json
    python3 "$BATS_TEST_DIRNAME/../support/schemas.py" sim-map <<<"$output"
    [[ $(jq -c '[.map, .weights.time, .applications[2].name]' <<<"$output") == '[[0,0,0,0,0],0,"transposition"]' ]]
}

@test "a map that cannot be made is refused with a sentence" {
    refused "give --machine FILE and --apps FILE" --machine "$machine"
    refused "no weight is above 0" --machine "$machine" --apps "$apps" --weights time=0
    for weights in speed=1 time time=-1 time=nan time=1e9 time=1,,room=1 time=1x; do
        refused "is not time=W, energy=W or room=W" --machine "$machine" --apps "$apps" --weights "$weights"
    done
    refused "time is given twice" --machine "$machine" --apps "$apps" --weights time=1,room=1,time=1
    refused "--out is not for a map" --machine "$machine" --apps "$apps" --out map.txt
    refused "--force is not for a map, which is printed and writes over nothing" --machine "$machine" --apps "$apps" --force
    refused "there is no option --weight" --machine "$machine" --apps "$apps" --weight time=1
}
