#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# run_cpus.bats - drom run: the CPUs that it chooses, also while others change the table, and what it refuses.

bats_require_minimum_version 1.5.0

load support

setup_file() { build_guests; }

@test "inside another program of drom's a CPU that is free elsewhere is said to be out of reach, not to be in use" {
    two_cpus
    refuses 1 "1 CPU wanted; 0 free and 0 more can be taken .*; free outside this process's affinity \($A\): CPU $B" \
        drom run --no-preload --cpus "$A" -- "$BIN" run --no-preload --ncpus 1 -- true
}

@test "a script with one CPU is told to be expanded before it starts a client inside" {
    two_cpus
    sleeper other "$B"
    script=$(drom run --no-preload --name script --cpus "$A" -- sh -c "'$BIN' run --no-preload --ncpus 1 -- true 2>&1; '$BIN' list --raw -o name,pid") || true
    pid=$(sed -n 's/^script.//p' <<<"$script")
    [[ $(head -n 1 <<<"$script") == *"; expand script ($pid), on whose CPUs this process runs, or start this command outside it" ]]
}

@test "a newcomer that names no number gets an equal share when nothing is free" {
    two_cpus
    background "$BIN" run --no-preload --name owner --cpus "$BOTH" -- "$GUESTS/plain" 60
    eventually "it is there" client_is owner mask "$BOTH"
    [[ $(drom run -- sh -c 'taskset -cp $$' | sed 's/.*: //') =~ ^($A|$B)$ ]]
    client_is owner want "$BOTH"
}

@test "more than can be given is refused, and nothing is left behind" {
    refuses 1 "^drom: run: 4000 CPUs wanted, but only [0-9]+ may be used here \(" drom run --ncpus 4000 -- true
    refuses 1 "CPU 4000 is beyond this table's [0-9]+ CPUs" drom run --cpus "$A,4000" -- true
    refuses 2 "^drom: run: --cpus '7-3': the range runs backwards" drom run --cpus 7-3 -- true
    nothing_left
    two_cpus
    background "$BIN" run --no-preload --name owner --cpus "$BOTH" --min 2 -- "$GUESTS/plain" 60
    eventually "it is there" client_is owner mask "$BOTH"
    refuses 1 "1 CPU wanted; 0 free and 0 more can be taken \(clients keep their minimum\); ask for fewer, or wait until one ends" \
        drom run --ncpus 1 -- true
    [[ $(drom list --json | jq '.clients | length') == 1 ]]
}

@test "drained CPUs are named when there are too few" {
    two_cpus
    drom run --no-preload -- true
    drom drain "$BOTH"
    refuses 1 "^drom: run: 1 CPU wanted, but none may be used here; drom restore gives back CPUs $BOTH, drained now" drom run -- true
    drom restore "$A"
    [[ $(drom run -- sh -c 'taskset -cp $$' | sed 's/.*: //') == "$A" ]]
    drom restore "$B"
}

@test "a CPU that is drained between the choice and the reservation leads to another choice, or to waiting" {
    two_cpus
    gcc -shared -fPIC -DCALL=sched_getaffinity "$BATS_TEST_DIRNAME/guests/step.c" -o "$WORK/step.so" # it asks for its own, and chooses
    drom run --no-preload -- true
    meanwhile() { local step=$1; shift; env STEP="'$BIN' drain $step >>'$WORK/drains'" LD_PRELOAD="$WORK/step.so" "$BIN" run --no-preload "$@"; }
    [[ $(meanwhile "$A" --ncpus 1 -- sh -c 'taskset -cp $$' | sed 's/.*: //') == "$B" ]]
    drom restore "$A"
    refuses 1 "^drom: run: 2 CPUs wanted, but only 1 may be used here \($B\); drom restore gives back CPU $A, drained now" meanwhile "$A" --ncpus 2 -- true
    drom restore "$A"
    refuses 1 "CPU $A is drained; drom restore gives it back" meanwhile "$A" --cpus "$A" -- true
    for cpus in "--ncpus 2" "--cpus $BOTH"; do
        drom restore "$A"
        # shellcheck disable=SC2086
        background meanwhile "$A" --wait $cpus -- touch "$WORK/started"
        eventually "it waits" grep -q "there is no room yet" "$WORK/err"
        [[ ! -e $WORK/started ]]
        drom restore "$A"
        ended 0
        rm "$WORK/started"
    done
    drom drain "$A"
    refuses 1 "there was no room within 200 ms: drom restore gives back CPU $A, drained now" drom run --wait --timeout 200 --cpus "$A" -- true
    refuses 1 "CPU 4000 is beyond this table's [0-9]+ CPUs" drom run --wait --cpus "$A,4000" -- true
}

@test "a request between the reservation and the start is not undone" {
    two_cpus
    gcc -shared -fPIC -DCALL=sched_setaffinity "$BATS_TEST_DIRNAME/guests/step.c" -o "$WORK/step.so" # it moves the waiting program
    run env STEP="'$BIN' drain $B >'$WORK/drained'" LD_PRELOAD="$WORK/step.so" "$BIN" run --no-preload --ncpus 2 -- sh -c 'taskset -cp $$'
    [[ $status == 0 && $output == *": $A" ]]
    grep -q drained "$WORK/drained"
}

@test "an affinity is respected" {
    two_cpus
    [[ $(taskset -c "$B" "$BIN" run -- sh -c 'taskset -cp $$' | sed 's/.*: //') == "$B" ]]
    refuses 1 "2 CPUs wanted, but only 1 may be used here \($B\)" taskset -c "$B" "$BIN" run --ncpus 2 -- true
}

@test "a rank whose part of the node was given away starts on other free CPUs, and takes from no client" {
    two_cpus
    local ranks=(OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=2)
    late() { env "${ranks[@]}" OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_LOCAL_RANK=1 taskset -c "$BOTH" "$BIN" run --no-preload -- sh -c 'taskset -cp $$' | sed 's/.*: //'; }
    background env "${ranks[@]}" OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_LOCAL_RANK=0 taskset -c "$BOTH" "$BIN" run --no-preload --name early -- "$GUESTS/plain" 60
    eventually "rank 0 has its part" client_is early.0 mask "$A"
    drom set early.0 "$B"
    [[ $(late) == "$A" ]]
    client_is early.0 want "$B"
    # Its own part, when that is free.
    drom set early.0 "$A"
    [[ $(late) == "$B" ]]
    # From others where nothing is free, as any program.
    drom set early.0 "$BOTH"
    [[ $(late) == "$B" ]]
}
