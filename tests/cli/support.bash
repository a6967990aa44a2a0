# SPDX-License-Identifier: BSD-3-Clause
# support.bash - what the tests of the command line share: a table of their own, guests, refusals with their text.
# shellcheck shell=bash

load ../support/missing
load ../support/written

# Variables that were set for drom outside are not for these tests, and DROM_BUILD and DROM_TEST_CASES would be reported
# as unknown.
export BUILD=${DROM_BUILD:-${BUILD:?DROM_BUILD: the build folder}}
unset "${!DROM_@}"
BIN=$BUILD/bin/drom
readonly BIN

# A hanging command fails its test instead of the suite. A busy machine may take its time: what waits has 30 seconds,
# unless the test says how long.
drom() {
    case ${1-} in
        set | shrink | expand | add | remove | drain | wait) timeout --foreground 150 env "DROM_TIMEOUT_MS=${DROM_TIMEOUT_MS-30000}" "$BIN" "$@" ;;
        *) timeout --foreground 150 "$BIN" "$@" ;;
    esac
}

# Two CPUs that this machine lets us use, and whether there are that many.
mapfile -t CPUS < <(taskset -cp $$ | sed 's/.*: //' | tr , '\n' | awk -F- '{for (c = $1; c <= ($2 == "" ? $1 : $2); ++c) print c}' | head -n 2)
A=${CPUS[0]} B=${CPUS[1]:-} BOTH=${CPUS[0]}${CPUS[1]:+,${CPUS[1]}}
((B != A + 1)) || BOTH=$A-$B
readonly A B BOTH

# fits NAME: stdin, one document or one per line, is what docs/reference/schemas/NAME.schema.json says.
fits() {
    local status=0
    python3 "$BATS_TEST_DIRNAME/../support/schemas.py" "$1" || status=$?
    if [[ $status == 77 ]]; then missing "no Python module jsonschema"; fi
    return $status
}
two_cpus() { [[ -n $B ]] || missing "one CPU only"; }

# build_guests: every guest that this machine can build, in $GUESTS. For setup_file.
build_guests() {
    export GUESTS=$BATS_FILE_TMPDIR/guests
    mkdir -p "$GUESTS"
    local source=$BATS_TEST_DIRNAME/guests name
    for name in regions held partition counted sized; do
        if command -v clang >/dev/null; then clang -O2 -fopenmp "$source/$name.c" -o "$GUESTS/$name-clang"; fi
        gcc -O2 -fopenmp "$source/$name.c" -o "$GUESTS/$name-gcc"
    done
    gcc -O2 "$source/plain.c" -o "$GUESTS/plain"
    gcc -O2 "$source/named.c" -o "$GUESTS/named"
    gcc -O2 -pthread "$source/pool.c" -o "$GUESTS/pool"
    gcc -O2 -pthread "$source/leaves.c" -o "$GUESTS/leaves"
    gcc -O2 -pthread "$source/c11.c" -o "$GUESTS/c11"
    gcc -O2 -I"$BATS_TEST_DIRNAME/../support" "$source/refused.c" -o "$GUESTS/refused"
    gcc -O2 -fopenmp "$source/nested.c" -o "$GUESTS/nested-gcc"
    # Left out where the library is missing; the tests that need them say so.
    g++ -O2 "$source/tbb.cpp" -o "$GUESTS/tbb" -ltbb 2>/dev/null || true
    local blas
    blas=/usr/lib/$(gcc -print-multiarch)/openblas-pthread
    gcc -O2 -I"/usr/include/${blas#/usr/lib/}" "$source/blas.c" -o "$GUESTS/blas" "$blas/libopenblas.so" -Wl,-rpath,"$blas" 2>/dev/null || true
    gcc -O2 -static "$source/plain.c" -o "$GUESTS/static"
}
has_guest() { [[ -x $GUESTS/$1 ]] || missing "no clang to build $1"; }

setup() {
    WORK=$(mktemp -d)
    export DROM_TABLE=$WORK/table XDG_STATE_HOME=$WORK/state
    unset LD_PRELOAD OMP_NUM_THREADS DROM_RESIZE
    STARTED=()
    [[ -z ${NEEDS_TWO_CPUS:-} ]] || two_cpus
}

teardown() {
    local pid
    for pid in "${STARTED[@]}"; do
        kill -CONT "$pid" 2>/dev/null
        kill -KILL "$pid" 2>/dev/null
    done
    # Programs outlive a killed drom run; the table knows them.
    for pid in $("$BIN" list -o pid --raw 2>/dev/null); do kill -CONT "$pid" && kill -KILL "$pid"; done 2>/dev/null
    wait 2>/dev/null
    rm -rf "$WORK"
    return 0
}

# background COMMAND...: starts it; $! goes to $PID. Its output is in $WORK/out.
background() {
    : >"$WORK/out" # not by the program itself: what an earlier one wrote must be gone now
    "$@" >"$WORK/out" 2>"$WORK/err" 3>&- &
    PID=$!
    STARTED+=("$PID")
}

# ended STATUS: the program in the background ends in the end, with this status.
ended() {
    local status=0
    eventually "it ends" bash -c "! kill -0 $PID"
    wait "$PID" || status=$?
    [[ $status == "$1" ]] && return
    echo "status $status instead of $1" >&2
    said
    return 1
}

# said: prints what the program in the background has written, also into a terminal of its own.
said() {
    written "$WORK/out" "$WORK/err"
    [[ ! -e $WORK/screen ]] || written "$WORK/screen"
}

# eventually TEXT COMMAND...: the command succeeds in the end, or the test fails, says TEXT, and prints what the program
# in the background has written. The end is 90 seconds away, of a machine that does much else, or WAIT_S. The longer it
# takes, the rarer it looks: asking Slurm without a pause took half of the machine.
eventually() {
    local what=$1 end=$((SECONDS + ${WAIT_S:-90})) pause_ms=20
    shift
    until "$@" >/dev/null 2>&1; do
        if ((SECONDS > end)); then
            echo "never: $what" >&2
            "$BIN" list >&2
            said
            return 1
        fi
        sleep "0.$(printf %03d "$pause_ms")"
        pause_ms=$((pause_ms < 200 ? pause_ms * 5 / 4 : pause_ms))
    done
}

# client NAME FIELD: a field of the client's JSON.
client() { "$BIN" list --json | jq -er ".clients[] | select(.name == \"$1\") | .$2"; }
client_is() { [[ $(client "$1" "$2") == "$3" ]]; }
free_is() { [[ $("$BIN" list --json | jq -r .free) == "$1" ]]; }

nothing_left() {
    eventually "all CPUs are free" bash -c "'$BIN' check >/dev/null; [[ \$('$BIN' list --json | jq -r '.free == .present and .clients == []') == true ]]"
}

# guest NAME CPUS PROGRAM [ARGUMENT]...: a live client under drom run.
guest() {
    local name=$1 cpus=$2
    shift 2
    background "$BIN" run --name "$name" --cpus "$cpus" -- "$@"
    eventually "$name is live" client_is "$name" state live
}

# refuses STATUS PATTERN COMMAND...: exit status and text; a refusal without its text is no test.
refuses() {
    local status_wanted=$1 pattern=$2
    shift 2
    [[ -n $pattern ]] || { echo "refuses needs a pattern" >&2; return 1; }
    local out status=0
    out=$("$@" 2>&1 >/dev/null) || status=$?
    if [[ $status != "$status_wanted" ]] || ! grep -Eq -- "$pattern" <<<"$out"; then
        printf 'refuses %s: got status %s\nwanted: %s\ngot:    %s\n' "$status_wanted" "$status" "$pattern" "$out" >&2
        return 1
    fi
}

# sleeper NAME CPUS [OPTION]...: a client that does nothing, with these CPUs; options are those of drom run.
sleeper() {
    local name=$1 cpus=$2
    shift 2
    background "$BIN" run --no-preload --name "$name" --cpus "$cpus" "$@" -- "$GUESTS/plain" 60
    eventually "$name is there" client_is "$name" mask "$cpus"
}
