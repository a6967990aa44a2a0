#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# mpi.bats - ranks of one MPI library ($MPI, built into $RANKS) and the entry points for MPI calls.

load ../cli/support

setup_file() {
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader
    export LIBRARIES=$BUILD/lib/libdrom-mpi.so:$BUILD/lib/libdrom-agent.so
}

setup() {
    two_cpus
    export DROM_TABLE=$BATS_TEST_TMPDIR/table STOP=$BATS_TEST_TMPDIR/stop
    LAUNCHED=()
}

teardown() {
    touch "$STOP"
    local pid
    for pid in "${LAUNCHED[@]}"; do wait "$pid" || true; done
}

# ranks N COMMAND...: starts N ranks as the site's users do, bound to no CPU, and kills them after LIMIT seconds.
ranks() {
    local n=$1
    shift
    local unbound=()
    [[ $MPI != openmpi ]] || unbound=(--oversubscribe --bind-to none)
    timeout --foreground "${LIMIT:-60}" "mpirun.$MPI" "${unbound[@]}" -np "$n" "$@"
}

# launch N COMMAND...: starts the ranks in the background; their output is in $OUT.
launch() {
    OUT=$BATS_TEST_TMPDIR/out
    ranks "$@" > "$OUT" 2>&1 3>&- &
    LAUNCHED+=("$!")
}

# clients COUNT [CONDITION]: waits until COUNT ranks are clients through the entry points for MPI calls.
clients() {
    local tries
    for ((tries = 0; tries < 200; ++tries)); do
        [[ $(drom list --json 2>/dev/null | jq "[.clients[] | select(.entry_points | index(\"mpi\")) | select(${2:-true})] | length" 2>/dev/null) == "$1" ]] && return
        sleep 0.05
    done
    drom list >&2
    said
    return 1
}
said() { written "$OUT"; }

# of RANK FIELD: prints a field of a rank of the only job.
of() { drom list --json | jq -r ".clients[] | select(.rank == $1) | .$2"; }

# asked RANK [OPTION...] MASK...: asks for one of the masks, chosen at random, for 4 seconds and until 21 requests
# changed what the rank has. A busy machine takes longer for them.
asked() {
    local rank=$1 options=()
    shift
    while [[ $1 == --* ]]; do
        options+=("$1" "$2")
        shift 2
    done
    local masks=("$@") end=$((SECONDS + 4)) pid
    pid=$(of "$rank" pid)
    while ((SECONDS < end)) || (($(of "$rank" seq) <= 20)); do
        drom set "${options[@]}" --timeout 60000 "$pid" "${masks[RANDOM % ${#masks[@]}]}"
    done
}

finish() {
    touch "$STOP"
    wait "${LAUNCHED[0]}"
    LAUNCHED=()
}

@test "administrators see the job and the rank, and unbound ranks share the node in equal parts" {
    launch 2 "$BIN" run -- "$RANKS/rank" hold "$STOP"
    clients 2
    [[ $(of 0 ranks) == 2 && $(of 1 local_rank) == 1 ]]
    [[ $(of 0 job) == "$(of 1 job)" && -n $(of 0 job) ]]
    [[ $(of 0 mask) == "$A" && $(of 1 mask) == "$B" ]]
    drom list | grep -E 'RANK' && drom list | grep -E ' 1/2 '
    run drom explain "$(of 1 pid)"
    [[ $output == *"rank 1 of 2"* ]]
    [[ $(head -n 1 <<<"$output" | grep -o "job $(of 1 job)" | wc -l) == 1 ]] # the job is named once
    finish
    [[ $(drom list --json | jq '.clients | length') == 0 ]]
}

@test "more ranks than CPUs: the one that has none is told how many may start, and nothing stays in the table" {
    run ranks 3 "$BIN" run -- "$RANKS/rank" hold "$STOP"
    ((status != 0))
    [[ $output == *"drom: run: 3 ranks divide CPUs $BOTH of this node, and none is left for rank 2; start at most 2 here"* ]]
    [[ $(drom list --json | jq '.clients | length') == 0 ]]
    # With the library preloaded no rank is refused: rank 2 shares the CPUs of the others, and is listed with none.
    LD_PRELOAD=
    launch 3 env LD_PRELOAD="$LIBRARIES" "$RANKS/rank" hold "$STOP"
    clients 3
    [[ $(of 2 mask) == "" ]]
    finish
}

@test "plain mpirun with the variables exported" {
    LD_PRELOAD=  # set for the ranks only
    launch 2 env LD_PRELOAD="$LIBRARIES" "$RANKS/rank" hold "$STOP"
    clients 2
    [[ $(of 0 ranks) == 2 && $(of 0 job) == "$(of 1 job)" ]]
    [[ $(of 0 mask) == "$A" && $(of 1 mask) == "$B" ]]
    # Each rank has a name of its own, by which a verb finds it.
    [[ $(of 0 name) == rank.0 && $(of 1 name) == rank.1 ]]
    drom explain rank.1 --sample 1
    finish
}

@test "two jobs at the same time have two names" {
    launch 1 "$BIN" run --ncpus 1 -- "$RANKS/rank" hold "$STOP"
    launch 1 "$BIN" run --ncpus 1 -- "$RANKS/rank" hold "$STOP"
    clients 2
    [[ $(drom list --json | jq '[.clients[].job] | unique | length') == 2 ]]
}

@test "a rank that its launcher bound starts from there, and that is said" {
    OUT=$BATS_TEST_TMPDIR/out
    timeout --foreground "${LIMIT:-60}" "mpirun.$MPI" --bind-to core -np 2 "$BIN" run --verbose -- "$RANKS/rank" hold "$STOP" > "$OUT" 2>&1 3>&- &
    LAUNCHED+=("$!")
    clients 2
    [[ $(of 0 mask) == "$A" && $(of 1 mask) == "$B" ]]
    finish
    grep -F "its launcher has bound rank 1 to CPU $B" "$OUT"
}

@test "a rank that waits in MPI_Recv leaves its CPU at once" {
    launch 1 "$RANKS/rank" receive "$STOP" : -np 1 "$BIN" run --ncpus 2 -- "$RANKS/rank" receive "$STOP"
    clients 1
    sleep 0.2
    drom set --wait released --timeout 60000 "$(of 1 pid)" "$B"
    [[ $(of 1 released) == "$(of 1 seq)" ]]
    local task
    for task in /proc/"$(of 1 pid)"/task/*; do
        [[ $(taskset -cp "${task##*/}" | sed 's/.*: //') == "$B" ]]
    done
    finish
    grep -F "rank 1 received 42" "$OUT"
}

@test "an MPI call is a safe point: no thread of the agent's, no confinement" {
    DROM_ASYNC=0 launch 1 "$BIN" run -- "$RANKS/rank" talk "$STOP"
    clients 1 '.mask != ""'
    local pid
    pid=$(of 0 pid)
    drom set --wait released --grace never --timeout 60000 "$pid" "$A"
    [[ $(of 0 released) == "$(of 0 seq)" && $(of 0 confined) -lt $(of 0 seq) ]]
    drom set --wait released --grace never --timeout 60000 "$pid" "$BOTH"
    finish
    grep -F "ranks 1 wrong 0 rounds many" "$OUT"
}

@test "so are Fortran's, by use mpi, by use mpi_f08 and by mpif.h" {
    local program
    for program in ring ring_f08 ring_mpif; do
        rm -f "$STOP"
        DROM_ASYNC=0 launch 1 "$BIN" run -- "$RANKS/$program" "$STOP"
        clients 1
        drom set --wait resized --grace never --timeout 60000 "$(of 0 pid)" "$A"
        [[ $(of 0 confined) -lt $(of 0 seq) ]]
        finish
        grep -F "wrong 0" "$OUT"
    done
}

@test "the team of a hybrid rank follows" {
    launch 1 "$BIN" run --resize follow -- "$RANKS/rank" teams "$STOP"
    clients 1 '.team == 2'
    drom set --wait resized --timeout 60000 "$(of 0 pid)" "$A"
    [[ $(of 0 team) == 1 ]]
    finish
    grep -F "rank 0 team 1" "$OUT"
}

@test "results are right whatever is asked for meanwhile" {
    launch 1 "$RANKS/rank" talk "$STOP" : -np 1 "$BIN" run --ncpus 2 -- "$RANKS/rank" talk "$STOP"
    clients 1
    asked 1 "$B" "$BOTH"
    finish
    grep -F "ranks 2 wrong 0 rounds many" "$OUT"
}

@test "a rank that is killed leaves the table as before" {
    launch 2 "$BIN" run -- "$RANKS/rank" hold "$STOP"
    clients 2
    kill -9 "$(of 1 pid)"
    # The launcher ends the other rank, too, with an exit status of its own choice.
    wait "${LAUNCHED[0]}" || true
    LAUNCHED=()
    drom check
    [[ $(drom list --json | jq -c '[(.clients | length), .free]') == "[0,\"$BOTH\"]" ]]
}

@test "threads that all call MPI: the first of them releases, and nothing is lost" {
    DROM_ASYNC=0 launch 1 "$BIN" run -- "$RANKS/rank" threads "$STOP"
    clients 1
    asked 0 --wait released --grace never "$A" "$BOTH"
    [[ $(of 0 confined) -lt $(of 0 seq) ]]
    finish
    grep -Fx "threads wrong 0" "$OUT"
}

# disturbed WORD: two ranks do that, and one of them gets random masks all the time. Nothing is wrong afterwards.
disturbed() {
    rm -f "$STOP"
    launch 1 "$RANKS/rank" "$1" "$STOP" : -np 1 "$BIN" run --ncpus 2 -- "$RANKS/rank" "$1" "$STOP"
    clients 1
    local masks=("$A" "$B" "$BOTH") seed=${EPOCHREALTIME#*.}
    echo "seed $seed"
    RANDOM=$((10#$seed % 32768))
    asked 1 "${masks[@]}"
    THREADS=$(find "/proc/$(of 1 pid)/task" -mindepth 1 -maxdepth 1 | wc -l)
    finish
    cat "$OUT"
    grep -F "ranks 2 wrong 0 rounds many" "$OUT"
}

@test "threads of a team that call MPI in turn lose nothing, whatever is asked for meanwhile" {
    OMP_NUM_THREADS=2 disturbed turns
}

@test "nor do ranks with a progress thread of their own" {
    disturbed progress
    grep -Fx "progress made" "$OUT"
}

# bats test_tags=mpich
@test "nor do ranks with MPICH's progress thread" {
    disturbed talk
    local bare=$THREADS
    MPICH_ASYNC_PROGRESS=1 MPIR_CVAR_ASYNC_PROGRESS=1 disturbed talk
    ((THREADS > bare))
}

# sequences RANKS N: sends N random sequences of requests to all ranks of a job, which meet in collectives meanwhile.
sequences() {
    local progress=$BATS_TEST_TMPDIR/progress.$1 seed=${EPOCHREALTIME#*.}
    rm -f "$STOP"
    LIMIT=250 OMP_NUM_THREADS=2 launch "$1" "$BIN" run -- "$RANKS/collectives" "$progress" "$STOP"
    clients "$1"
    eventually "the ranks compute" test -s "$progress"
    "$BUILD/bin/job_sequences" "$progress" "$2" "$((10#$seed))"
    finish
    cat "$OUT"
    grep -E "^[0-9]+ rounds, wrong 0$" "$OUT"
    drom check
}

@test "1,000 random sequences of requests for all ranks of a job that meet in collectives: no rank waits for ever" {
    sequences 2 700
    sequences 1 300
}

@test "a request for the whole job is granted to all ranks or to none" {
    launch 2 "$BIN" run -- "$RANKS/rank" hold "$STOP"
    clients 2
    local job
    job=$(of 0 job)
    run drom shrink --job "$job" 1
    [[ $status == 1 && $output == "drom: shrink: 1 CPU for 2 ranks, which need 2 at least; give more" ]]
    run drom set --job "$job" "$BOTH"
    [[ $status == 0 && $output == *"rank 0 of 2): has $A already"*"rank 1 of 2): has $B already"* ]]
    finish
}

# bats test_tags=openmpi
@test "a process that a rank spawns is a client of its own, in a job of its own" {
    export OMPI_MCA_btl=self,tcp  # shared memory does not reach across jobs
    launch 1 -x LD_PRELOAD="$LIBRARIES" -x DROM_TABLE "$RANKS/rank" spawn "$STOP"
    clients 2
    [[ $(drom list --json | jq '[.clients[].job] | unique | length') == 2 ]]
    finish
    grep -F "spawned one, which has ended" "$OUT"
    [[ $(drom list --json | jq '.clients | length') == 0 ]]
}

@test "a program that uses MPI sessions only is a rank" {
    launch 1 "$BIN" run -- "$RANKS/rank" session "$STOP"
    local said="no sessions in this MPI"
    if [[ $MPI == mpich ]]; then
        clients 1
        said="a session was held"
    fi
    finish
    grep -F "$said" "$OUT"
}

@test "hybrid programs compute what they compute undisturbed" {
    local program bare pid
    for program in "heat_mpi-$MPI-gcc --size 256 --steps 8000" "heat_mpi-$MPI-clang --size 256 --steps 8000" \
        "particles_mpi-$MPI-gcc --steps 100" "particles_mpi-$MPI-clang --steps 100"; do
        [[ -x $BUILD/bin/${program%% *} ]] || missing "${program%% *} is not built"
        # shellcheck disable=SC2086
        bare=$(ranks 1 "$BUILD/bin/"$program 2>/dev/null)
        # shellcheck disable=SC2086
        launch 1 "$BIN" run -- "$BUILD/bin/"$program
        clients 1
        pid=$(of 0 pid)
        drom set --wait resized --timeout 60000 "$pid" "$A"
        # The loop ends with the program: then `drom set` finds no client.
        while drom set --no-wait "$pid" "$BOTH" && sleep 0.02 && drom set --no-wait "$pid" "$A"; do sleep 0.02; done 2>/dev/null >&2
        wait "${LAUNCHED[-1]}"
        grep -Fx "$bare" "$OUT"
    done
    LAUNCHED=()
}

@test "drom run in front of the launcher is told from drom run behind it" {
    run ranks 1 true
    run drom run -- "mpirun.$MPI" -np 1 true
    [[ $output == *"put drom run behind it"* && $status == 0 ]]
}

@test "a program that no launcher started is rank 0 of 1" {
    "$BIN" run -- "$RANKS/rank" hold "$STOP" 3>&- &
    LAUNCHED+=("$!")
    OUT=/dev/null
    clients 1
    [[ $(of 0 ranks) == 1 ]]
    finish
}

@test "MPI that came in with a module is found behind it" {
    [[ $MPI == mpich ]] || export OMPI_MCA_mca_base_component_show_load_errors=0
    local bare
    bare=$(ranks 2 "$RANKS/loads_mpi" "$RANKS/module.so" 2>&1 | sort) || missing "this MPI cannot be loaded by a module at all"
    run ranks 2 "$BIN" run -- "$RANKS/loads_mpi" "$RANKS/module.so"
    [[ $status == 0 && $(sort <<< "$output") == "$bare" ]]
}

@test "a procedure that the MPI library does not have fails, and the program goes on" {
    run ranks 1 "$BIN" run -- "$RANKS/rank" probe
    [[ $status == 0 ]]
    [[ $output == *"sent"* || $output == *"no MPI library of this program has it"*"failed"* || $output == *"failed"*"no MPI library"* ]]
}
