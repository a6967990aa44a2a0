#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# verify.bats - drom verify: which modes are right, what is recorded, what cannot be verified.

load support

setup_file() { build_guests; }

modes() { cat "$XDG_STATE_HOME/drom/modes"; }

@test "a program that would notice a change is found right in keep, and drom run uses the record" {
    two_cpus
    run drom verify --runs 3 -- "$GUESTS/partition-gcc"
    [[ $status == 0 && $output == *"  keep      3 of 3 "* && $output == *"recorded in $XDG_STATE_HOME/drom/modes" ]]
    build_id=$(readelf -n "$GUESTS/partition-gcc" | sed -n 's/.*Build ID: //p')
    [[ $output =~ the\ fastest\ mode\ that\ is\ right:\ (keep|follow)\; ]]
    mode=${BASH_REMATCH[1]}
    # Follow is wrong where a request comes before its first region; if none has, it may be the fastest.
    [[ $mode != follow || $output == *"  follow    3 of 3 "* ]]
    [[ $(modes) =~ ^$build_id\ $mode\ [0-9]{4}-[0-9]{2}-[0-9]{2}\ partition-gcc$ ]]
    [[ $(drom run --json -- "$GUESTS/partition-gcc" 2>&1 >/dev/null | jq -r .resize) == "$mode" ]]
    [[ $(DROM_RESIZE=keep drom run --json -- "$GUESTS/partition-gcc" 2>&1 >/dev/null | jq -r .resize) == "" ]]
    [[ $(drom run --resize follow --json -- "$GUESTS/partition-gcc" 2>&1 >/dev/null | jq -r .resize) == follow ]]
}

@test "the report as JSON; nothing is recorded with --no-record" {
    two_cpus
    drom verify --runs 1 --no-record --json -- "$GUESTS/partition-gcc" >"$WORK/report"
    jq -e '.schema == "drom.verify/1" and (.modes | map(.mode)) == ["keep", "follow"] and .modes[0].right == 1
        and .recorded_in == "" and (.chosen | IN("keep", "follow"))' "$WORK/report"
    [[ ! -e $XDG_STATE_HOME/drom/modes ]]
}

@test "one line a program: a new verdict replaces the old, others stay" {
    two_cpus
    mkdir -p "$XDG_STATE_HOME/drom"
    build_id=$(readelf -n "$GUESTS/plain" | sed -n 's/.*Build ID: //p')
    printf 'abcdef keep 2026-01-01 other\n%s follow 2026-01-01 plain\n' "$build_id" >"$XDG_STATE_HOME/drom/modes"
    drom verify --runs 1 -- "$GUESTS/plain" 0.05
    # Which mode is the fastest is the clock's to say.
    [[ $(modes | wc -l) == 2 && $(modes | head -n 1) == "abcdef keep 2026-01-01 other" ]]
    [[ $(modes | tail -n 1) =~ ^$build_id\ (keep|follow)\ [0-9-]+\ plain$ && $(modes | tail -n 1) != *2026-01-01* ]]
    [[ $(find "$XDG_STATE_HOME/drom" -name '*.new') == "" ]]
}

@test "a recorded rigid program runs rigid" {
    mkdir -p "$XDG_STATE_HOME/drom"
    build_id=$(readelf -n "$GUESTS/plain" | sed -n 's/.*Build ID: //p')
    echo "$build_id rigid 2026-01-01 plain" >"$XDG_STATE_HOME/drom/modes"
    background "$BIN" run --verbose --name stiff --cpus "$A" -- "$GUESTS/plain" 60
    eventually "it is there" client_is stiff mask "$A"
    [[ $(client stiff rigid) == true ]]
    grep -q "recorded by drom verify: right in no mode; it runs rigid" "$WORK/err"
}

@test "a garbled record is ignored" {
    mkdir -p "$XDG_STATE_HOME/drom"
    build_id=$(readelf -n "$GUESTS/plain" | sed -n 's/.*Build ID: //p')
    printf '%s turbo\n\n%s\n' "$build_id" "$build_id" >"$XDG_STATE_HOME/drom/modes"
    [[ $(drom run --json -- "$GUESTS/plain" 2>&1 | jq -r .resize) == "" ]]
}

@test "outputs that differ by themselves need a check" {
    two_cpus
    refuses 1 "two undisturbed runs differ \(another output\), so runs cannot be compared; give --check" drom verify --runs 1 -- date +%N
    drom verify --runs 1 --no-record --check 'grep -Eq "^[0-9]+$"' -- date +%N
    refuses 1 "two undisturbed runs differ \(the check failed\)" drom verify --runs 1 --no-record --check false -- date +%N
}

@test "a program that is right in no mode is rigid, with status 1" {
    two_cpus
    # It notices that it is managed at all.
    printf '#!/bin/sh\nif [ -n "$DROM_SLOT" ]; then echo managed; else echo alone; fi\n' >"$WORK/shy"
    chmod +x "$WORK/shy"
    run drom verify --runs 1 -- "$WORK/shy"
    [[ $status == 1 && $output == *"no mode is right: the program is rigid; recorded in "* && $output == *"another output"* ]]
    [[ $(modes) =~ ^fnv1a:[0-9a-f]{16}:[0-9]+\ rigid\  ]]
}

@test "another exit status and a run that hangs are wrong" {
    two_cpus
    printf '#!/bin/sh\n[ -z "$DROM_SLOT" ] || exit 3\n' >"$WORK/status"
    printf '#!/bin/sh\n[ -z "$DROM_SLOT" ] || exec sleep 60\n' >"$WORK/hangs"
    chmod +x "$WORK/status" "$WORK/hangs"
    run drom verify --runs 1 --no-record -- "$WORK/status"
    [[ $status == 1 && $output == *"exit status 3 instead of exit status 0"* ]]
    run drom verify --runs 1 --no-record --limit 1 -- "$WORK/hangs"
    [[ $status == 1 && $output == *"did not finish in 1 s"* ]]
}

@test "what cannot be verified is refused" {
    two_cpus
    refuses 127 "missing: command not found" drom verify -- "$WORK/missing"
    refuses 1 "is statically linked, so nothing can be preloaded; it is reached from outside only; there are no modes to choose between" \
        drom verify -- "$GUESTS/static"
    refuses 1 "two CPUs at least are needed to change anything; this process has one" taskset -c "$A" "$BIN" verify -- true
    refuses 1 "the result cannot be recorded in $GUESTS/plain/x/drom/modes: Not a directory; set XDG_STATE_HOME" \
        env XDG_STATE_HOME="$GUESTS/plain/x" "$BIN" verify --runs 1 -- true
    refuses 1 "no temporary folder: No such file or directory; set TMPDIR" env TMPDIR="$WORK/none" "$BIN" verify --runs 1 -- true
}

@test "the user's own table is not touched and no folder is left" {
    two_cpus
    export TMPDIR=$WORK/tmp
    mkdir "$TMPDIR"
    drom verify --runs 1 --no-record -- "$GUESTS/plain" 0.05
    [[ ! -e $DROM_TABLE && -z $(ls "$TMPDIR") ]]
}

@test "an interrupt ends it, and no folder is left" {
    two_cpus
    export TMPDIR=$WORK/tmp
    mkdir "$TMPDIR"
    background "$BIN" verify --runs 1 --no-record -- "$GUESTS/plain" 30
    eventually "it has begun" bash -c "ls '$TMPDIR' | grep -q drom-verify"
    sleep 0.2
    kill -TERM "$PID"
    ended 143
    [[ -z $(ls "$TMPDIR") ]]
}
