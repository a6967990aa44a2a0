#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# meant.bats - what drom-sim was told and could not have been meant is refused, and never taken as something else.
# SIM_BUILD: build folder.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    sim=$SIM_BUILD/bin/drom-sim
    log=log.swf
    printf '; MaxNodes: 4\n; MaxProcs: 16\n' >"$log"
    printf '%s\n' '1 0 -1 1000 16 -1 -1 16 1000 -1 1 1 1 1 1 -1 -1 -1' '2 10 -1 50 16 -1 -1 16 100 -1 1 1 1 1 1 -1 -1 -1' >>"$log"
}

# said STATUS SENTENCE WORD...: drom-sim says the sentence alone, with that status, and makes no folder `out`.
said_alone() {
    local status_wanted=$1 sentence=$2
    shift 2
    run --separate-stderr "$sim" "$@" --out out
    # shellcheck disable=SC2154 # run sets it
    echo "$* -> $status: $stderr"
    [[ $status == "$status_wanted" && -z $output && $stderr == "drom-sim: $sentence" && ! -e out ]]
}

@test "a setting that says two things or nothing is refused, not run by the last of them" {
    local why="is no NAME=VALUE; settings look like sd:max_slowdown=10,max_mates=2"
    said_alone 2 "run: 'sd:max_mates=1,gain=0,max_mates=2' gives max_mates twice; leave one of them out" --swf "$log" --policy sd:max_mates=1,gain=0,max_mates=2
    said_alone 2 "run: '' in 'sd:' $why" --swf "$log" --policy sd:
    said_alone 2 "compare: '' in 'sd:max_mates=1,' $why" compare --swf "$log" easy sd:max_mates=1,
    said_alone 2 "compare: --vary max_mates: 'sd:max_mates=1' has a value of it already; leave one of them out" compare --swf "$log" easy sd:max_mates=1 --vary max_mates=1,2
    local both="lower 0.5 is above upper 0.1; a job between them would have to shrink and to grow"
    said_alone 2 "run: $both" --swf "$log" --policy efficiency:lower=0.5
    said_alone 2 "run: $both" --swf "$log" --policy efficiency --lower 0.5
    said_alone 2 "compare: $both" compare --swf "$log" easy efficiency --vary lower=0.05,0.5
    "$sim" --swf "$log" --policy efficiency:lower=0.5,upper=0.5 -q
}

@test "an option whose value is empty is refused, not taken as not given" {
    for option in --policy --max-slowdown --nodes --record --gantt; do
        said_alone 2 "run: $option: the value is empty; drom-sim run -h lists the options" --swf "$log" $option ""
    done
    said_alone 2 "import: --salt: the value is empty; drom-sim import -h lists the options" import --slurm "$log" --salt ""
    said_alone 2 "compare: there is no policy '' (drom-sim policies lists them)" compare --swf "$log" easy ""
}
