#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# verify.bats - drom verify: which modes are right, on what evidence, what is recorded, what cannot be verified.

load support

setup_file() {
    build_guests
    export OMP_WAIT_POLICY=passive # threads that spin beside the suite's other work take seconds instead of milliseconds
}

modes() { cat "$XDG_STATE_HOME/drom/modes"; }
id_of() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
script() { printf '#!/bin/sh\n%s\n' "$2" >"$WORK/$1" && chmod +x "$WORK/$1"; }
# Long enough for requests of every kind, whatever the machine does besides.
long_enough() { echo 'for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.03; done'; }

@test "a program that would notice another team is right with keep and wrong with follow, and drom run uses the record" {
    two_cpus
    for program in partition-gcc counted-gcc; do
        run drom verify --runs 5 -- "$GUESTS/$program"
        echo "$output" # for the reader of a failure
        [[ $status == 0 && $output =~ keep\ +5\ of\ 5 && $output == *"keep is right, follow is not; recorded as keep in $XDG_STATE_HOME/drom/modes" ]]
        [[ $output =~ follow\ .*another\ output ]]
        [[ $(modes | tail -n 1) =~ ^$(id_of "$GUESTS/$program")\ keep\ [0-9]{4}-[0-9]{2}-[0-9]{2}\ $program$ ]]
        [[ $(drom run --json -- "$GUESTS/$program" 2>&1 >/dev/null | jq -r .resize) == keep ]]
        [[ $(DROM_RESIZE=follow drom run --json -- "$GUESTS/$program" 2>&1 >/dev/null | jq -r .resize) == "" ]]
        [[ $(drom run --resize follow --json -- "$GUESTS/$program" 2>&1 >/dev/null | jq -r .resize) == follow ]]
    done
}

@test "a program that only shares out its loops is right in both modes" {
    two_cpus
    run drom verify --runs 5 --no-record --check 'grep -q right' -- "$GUESTS/regions-gcc" 0.5
    echo "$output"
    [[ $status == 0 && $output =~ keep\ +5\ of\ 5 && $output =~ follow\ +5\ of\ 5 && $output == *"keep and follow are right; follow takes "* ]]
}

@test "a program that no request reached is not verified and not recorded" {
    two_cpus
    for command in "date +%Y" "true" "echo hi"; do
        read -ra words <<<"$command"
        run drom verify --runs 2 -- "${words[@]}"
        [[ $status == 1 && $output == *"not verified: too few requests reached it while it ran; give it more work, or more --runs"* ]]
    done
    [[ ! -e $XDG_STATE_HOME/drom/modes ]]
}

@test "a program that fails undisturbed is not verified" {
    two_cpus
    refuses 1 "not verified: the undisturbed run itself fails \(exit status 1\); verify a run that succeeds" drom verify --runs 1 -- false
    script dies 'kill -SEGV $$'
    refuses 1 "not verified: the undisturbed run itself fails \(died of signal 11" drom verify --runs 1 -- "$WORK/dies"
    [[ ! -e $XDG_STATE_HOME/drom/modes ]]
}

@test "a check that does not read its input does not fail at random" {
    two_cpus
    script prints "$(long_enough); seq 100000"
    run drom verify --runs 3 --no-record --check true -- "$WORK/prints"
    echo "$output"
    [[ $output =~ keep\ +3\ of\ 3 && $output =~ follow\ +3\ of\ 3 ]]
}

@test "a program was verified with another number of threads than drom run gives it" {
    two_cpus
    script tells "$(long_enough); echo \"[\${OMP_NUM_THREADS-none}]\""
    OMP_NUM_THREADS=3,1 drom verify --runs 2 --no-record --check 'grep -qxF "[3,1]"' -- "$WORK/tells"
    drom verify --runs 2 --no-record --check 'grep -qxF "[none]"' -- "$WORK/tells"
}

@test "the report as JSON; nothing is recorded with --no-record" {
    two_cpus
    drom verify --runs 5 --no-record --json -- "$GUESTS/counted-gcc" >"$WORK/report"
    cat "$WORK/report"
    jq -e '.schema == "drom.verify/1" and (.modes | map(.mode)) == ["keep", "follow"] and .modes[0].right == 5 and .modes[0].requests > 4
        and .verified and .recorded_in == "" and .chosen == "keep" and .cpus != ""' "$WORK/report"
    [[ ! -e $XDG_STATE_HOME/drom/modes ]]
}

@test "one line per program: a new verdict replaces the old, others stay" {
    two_cpus
    mkdir -p "$XDG_STATE_HOME/drom"
    printf 'abcdef keep 2026-01-01 other\n%s follow 2026-01-01 counted-gcc\n' "$(id_of "$GUESTS/counted-gcc")" >"$XDG_STATE_HOME/drom/modes"
    drom verify --runs 5 -- "$GUESTS/counted-gcc"
    [[ $(modes | wc -l) == 2 && $(modes | head -n 1) == "abcdef keep 2026-01-01 other" ]]
    [[ $(modes | tail -n 1) =~ ^$(id_of "$GUESTS/counted-gcc")\ keep\ [0-9-]+\ counted-gcc$ && $(modes | tail -n 1) != *2026-01-01* ]]
    [[ $(find "$XDG_STATE_HOME/drom" -name '*.new') == "" ]]
}

@test "a record does not hold for another build of the program's library" {
    mkdir -p "$XDG_STATE_HOME/drom" "$WORK/own"
    library() { gcc -shared -fPIC -o "$WORK/own/libnumber.so" -x c - <<<"int number(void) { return $1; }"; }
    library 1
    gcc -o "$WORK/uses" -x c - -L"$WORK/own" -lnumber -Wl,-rpath,"$WORK/own" <<<'int number(void); int main(void) { return number() == 0; }'
    id=$(id_of "$WORK/uses")
    resize() { drom run --json -- "$WORK/uses" 2>&1 | jq -r .resize; }
    echo "$id follow 2026-01-01 uses" >"$XDG_STATE_HOME/drom/modes"
    [[ $(resize) == "" ]] # without its library
    recorded=$(drom verify --runs 1 --no-record --json --check true -- "$WORK/uses" | jq -r .objects)
    [[ $recorded == "$id"+* ]]
    echo "$recorded follow 2026-01-01 uses" >"$XDG_STATE_HOME/drom/modes"
    [[ $(resize) == follow ]]
    library 2
    [[ $(resize) == "" ]]
}

@test "a recorded rigid program runs rigid" {
    mkdir -p "$XDG_STATE_HOME/drom"
    echo "$(id_of "$GUESTS/plain") rigid 2026-01-01 plain" >"$XDG_STATE_HOME/drom/modes"
    background "$BIN" run --verbose --name stiff --cpus "$A" -- "$GUESTS/plain" 60
    eventually "it is there" client_is stiff mask "$A"
    [[ $(client stiff rigid) == true ]]
    grep -q "recorded by drom verify: right in no mode; it runs rigid" "$WORK/err"
}

@test "a garbled record is ignored" {
    mkdir -p "$XDG_STATE_HOME/drom"
    build_id=$(id_of "$GUESTS/plain")
    printf '%s turbo\n\n%s\n' "$build_id" "$build_id" >"$XDG_STATE_HOME/drom/modes"
    [[ $(drom run --json -- "$GUESTS/plain" 2>&1 | jq -r .resize) == "" ]]
}

@test "outputs that differ by themselves need a check, and a check that refuses them is said to" {
    two_cpus
    refuses 1 "two undisturbed runs differ \(another output\), so runs cannot be compared; give --check" drom verify --runs 1 -- date +%N
    refuses 1 "not verified: the check refuses an undisturbed run; give a --check that accepts it" \
        drom verify --runs 1 --no-record --check false -- date +%N
    script differs "$(long_enough); date +%N"
    drom verify --runs 5 --no-record --check 'grep -Eq "^[0-9]+$"' -- "$WORK/differs"
}

@test "a program that is right in no mode is rigid, with status 1" {
    two_cpus
    # It notices that it is managed at all.
    script shy "$(long_enough)"'; if [ -n "$DROM_SLOT" ]; then echo managed; else echo alone; fi'
    run drom verify --runs 1 -- "$WORK/shy"
    [[ $status == 1 && $output == *"even keep is not right: the program is rigid; recorded as rigid in "* && $output == *"another output"* ]]
    [[ $(modes) =~ ^fnv1a:[0-9a-f]{16}:[0-9]+\ rigid\  ]]
}

@test "a fault of the undisturbed run too is no verdict on drom" {
    two_cpus
    # The fourth and later runs print something else, whether disturbed or not.
    script tired "$(long_enough); echo >>'$WORK/runs'; [ \$(wc -l <'$WORK/runs') -le 3 ] && echo fresh || echo tired"
    refuses 1 "not verified: two undisturbed runs differ" drom verify --runs 1 -- "$WORK/tired"
    [[ ! -e $XDG_STATE_HOME/drom/modes ]]
}

@test "a program that is wrong by itself now and then is not verified, though its first undisturbed runs agree" {
    two_cpus
    # Wrong in every fifth run: the first of them is disturbed, the second is not.
    script moody "$(long_enough); echo >>'$WORK/runs'; [ \$((\$(wc -l <'$WORK/runs') % 5)) -ne 0 ] && echo right || echo wrong"
    refuses 1 "not verified: two undisturbed runs differ \(another output\), so runs cannot be compared; give --check" drom verify --runs 5 -- "$WORK/moody"
    [[ ! -e $XDG_STATE_HOME/drom/modes ]]
    # Wrong in one disturbed run only, which is no evidence of anything.
    rm "$WORK/runs"
    script once "echo >>'$WORK/runs'; [ \$(wc -l <'$WORK/runs') -ne 4 ] && echo right || echo wrong"
    run drom verify --runs 5 -- "$WORK/once"
    [[ $status == 1 && $output == *"not verified: keep was wrong in 1 of 28 runs, and none of 30 undisturbed ones was, which may be chance; find its cause, or give --check" ]]
    [[ ! -e $XDG_STATE_HOME/drom/modes ]]
}

@test "another exit status and a run that hangs are wrong" {
    two_cpus
    script status '[ -z "$DROM_SLOT" ] || exit 3'
    script hangs '[ -z "$DROM_SLOT" ] || exec sleep 60'
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
        env XDG_STATE_HOME="$GUESTS/plain/x" "$BIN" verify --runs 5 -- "$GUESTS/counted-gcc"
    refuses 1 "no temporary folder: No such file or directory; set TMPDIR" env TMPDIR="$WORK/none" "$BIN" verify --runs 1 -- true
}

@test "CPUs that clients own are said to be used by both, and the help says when" {
    COLUMNS=1000 drom verify --help | grep -q "Where fewer than two are left, they use those of clients too, and a remark says so"
    two_cpus
    sleeper other "$A"
    run taskset -c "$BOTH" "$BIN" verify --runs 1 --no-record -- true
    [[ $output == *"drom: verify: CPUs $BOTH are used, and clients own $A of them: both will be slower"* ]]
}

@test "a terminal shows which run it is, and the report is clean" {
    two_cpus
    # Not script(1): it may end before its command where its input is at an end.
    python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$BIN" verify --runs 2 --no-record -- "$GUESTS/counted-gcc" 20 >"$WORK/screen"
    cat -v "$WORK/screen"
    grep -q "counted-gcc: undisturbed, run 2 of 3" "$WORK/screen"
    grep -q "counted-gcc: keep, run 1 of 2" "$WORK/screen"
    drom verify --runs 1 --no-record -- "$GUESTS/counted-gcc" 20 >"$WORK/out" 2>"$WORK/err" || true
    [[ ! -s $WORK/err ]]
}

@test "the user's own table is not touched and no folder is left" {
    two_cpus
    export TMPDIR=$WORK/tmp
    mkdir "$TMPDIR"
    drom verify --runs 1 --no-record -- "$GUESTS/plain" 0.3 || [[ $? == 1 ]]
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

@test "each run of verify reads the same input: a file, or none where a terminal or a pipe is" {
    two_cpus
    command -v script >/dev/null || missing "no script(1) to make a terminal"
    # Each run writes its input to a file: its output is judged.
    cat >"$WORK/reader" <<'READER'
#!/bin/sh
wc -c >>"$1"
sleep 0.05
READER
    chmod +x "$WORK/reader"
    verified() { timeout 200 "$BIN" verify --runs 1 --no-record -- "$WORK/reader" "$1" >/dev/null 2>"$WORK/err" || [[ $? == 1 ]]; }
    echo "four words of input" >"$WORK/input"
    verified "$WORK/of-file" <"$WORK/input"
    [[ $(sort -u "$WORK/of-file" | xargs) == 20 && $(wc -l <"$WORK/of-file") -ge 4 ]]
    mkfifo "$WORK/pipe"
    # Open for writing, too: it never ends.
    verified "$WORK/of-pipe" <>"$WORK/pipe"
    [[ $(sort -u "$WORK/of-pipe" | xargs) == 0 && $(wc -l <"$WORK/of-pipe") -ge 4 ]]
    grep -q "^drom: verify: its input is a pipe, which can be read only once: the runs have an empty one; give a file" "$WORK/err"
    timeout 200 script -qec "'$BIN' verify --runs 1 --no-record -- '$WORK/reader' '$WORK/of-terminal'" /dev/null </dev/null >/dev/null 3>&- || true
    [[ $(sort -u "$WORK/of-terminal" | xargs) == 0 && $(wc -l <"$WORK/of-terminal") -ge 4 ]]
}
