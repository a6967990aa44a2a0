# SPDX-License-Identifier: BSD-3-Clause
# run_queue.bats - drom run --queue: programs that wait start in the order of their priorities and of their arrival.

load support

setup_file() { build_guests; }

# queue NAME [OPTION...]: a program that waits, and writes its name into $WORK/started when it runs.
queue() {
    local name=$1
    shift
    "$BIN" run --no-preload --queue --name "$name" "$@" -- sh -c "echo $name >>$WORK/started" 2>"$WORK/said.$name" 3>&- &
    STARTED+=($!)
    QUEUED=$!
    eventually "$name waits" waits "$name"
}
waits() { drom list --json | jq -e --arg name "$1" 'any(.queue[]; .name == $name)' >/dev/null; }
waiting() { drom list --json | jq -r '[.queue[].name] | join(" ")'; }
started() { [[ $(xargs <"$WORK/started") == "$*" ]]; }

@test "programs that queue start in the order of their priorities, then of their arrival" {
    two_cpus
    sleeper stiff "$BOTH" --rigid
    owner=$PID
    # Each takes all CPUs, so that one runs at a time.
    queue first --cpus "$BOTH" --rigid
    queue second --cpus "$BOTH" --rigid
    queue urgent --cpus "$BOTH" --rigid --priority 5
    queue small --ncpus 1 --rigid
    [[ $(waiting) == "urgent first second small" ]]
    drom list --json | fits list
    run drom list
    grep -Eqx "queued: urgent \([0-9]+\), 2 CPUs, priority 5, for [0-9]+ s" <<<"$output"
    grep -Eqx "queued: small \([0-9]+\), 1 CPU, priority 0, for [0-9]+ s" <<<"$output"
    kill -TERM "$owner"
    eventually "all have started, in this order" started urgent first second small
    [[ -z $(waiting) ]]
    nothing_left
}

@test "a program that needs few CPUs does not pass the first of the queue" {
    two_cpus
    sleeper stiff "$A" --rigid
    owner=$PID
    queue first --cpus "$BOTH" --rigid
    queue small --ncpus 1 --rigid
    sleep 0.5
    [[ ! -e $WORK/started && $(waiting) == "first small" ]]
    # Without --queue it is not held up.
    drom run --no-preload --ncpus 1 -- true
    kill -TERM "$owner"
    eventually "both have started" started first small
}

@test "what can never be had is refused at once, behind others too" {
    two_cpus
    sleeper stiff "$BOTH" --rigid
    queue first --ncpus 1
    local most=(timeout 30 "$BIN" run --queue)
    refuses 1 "^drom: run: 4000 CPUs wanted, but only " "${most[@]}" --ncpus 4000 -- touch "$WORK/never"
    refuses 1 "^drom: run: this node has no CPU 4000" "${most[@]}" --cpus 4000 -- touch "$WORK/never"
    refuses 1 "^drom: run: 1 CPU asked, but the client needs at least 2 \\(--min 2\\)" "${most[@]}" --cpus "$A" --min 2 -- touch "$WORK/never"
    [[ $(waiting) == first && ! -e $WORK/never ]]
}

@test "a program that waits inside another one is told that neither may end" {
    two_cpus
    refuses 1 "^drom: run: it runs inside outer \\([0-9]+\\): if outer \\([0-9]+\\) waits for its end, neither ends; let it ask for no CPUs, or start it outside$" \
        drom run --no-preload --rigid --name outer --cpus "$BOTH" -- "$BIN" run --queue --timeout 500 --ncpus 1 -- touch "$WORK/never"
    [[ ! -e $WORK/never ]]
    nothing_left
}

@test "a program that was killed or has given up leaves the queue to the others" {
    two_cpus
    sleeper stiff "$BOTH" --rigid
    owner=$PID
    queue killed --ncpus 1
    kill -KILL "$QUEUED"
    queue ended --ncpus 1
    kill -TERM "$QUEUED"
    eventually "neither waits" eval '[[ -z $(waiting) ]]'
    refuses 1 "there was no room within 300 ms: 1 CPU wanted" drom run --queue --timeout 300 --ncpus 1 -- touch "$WORK/never"
    queue first --ncpus 1
    refuses 1 "there was no room within 300 ms: 1 program before it in the queue" drom run --queue --timeout 300 --ncpus 1 -- touch "$WORK/never"
    [[ $(waiting) == first ]]
    kill -TERM "$owner"
    eventually "it has started" started first
    [[ ! -e $WORK/never ]]
}

@test "a stopped program is passed over, and has its turn when it goes on" {
    two_cpus
    sleeper stiff "$BOTH" --rigid
    owner=$PID
    queue stopped --ncpus 1
    kill -STOP "$QUEUED"
    stopped=$QUEUED
    queue next --ncpus 1
    kill -TERM "$owner"
    eventually "the other has started" started next
    kill -CONT "$stopped"
    eventually "both have" started next stopped
}

@test "a queue that is no file, and a priority without a queue, are refused" {
    refuses 2 "^drom: run: --priority needs --queue, where it counts" drom run --priority 3 -- touch "$WORK/never"
    refuses 2 "^drom: run: --priority 1000001 is out of range; 0 to 1000000 can be meant" drom run --queue --priority 1000001 -- touch "$WORK/never"
    drom run --no-preload -- true
    mkdir "$DROM_TABLE/queue"
    refuses 1 "^drom: run: $DROM_TABLE/queue: " drom run --queue -- touch "$WORK/never"
    [[ ! -e $WORK/never ]]
}
