# SPDX-License-Identifier: BSD-3-Clause
# support.bash - what the tests of the agent share: a table of their own, two CPUs, and a program as its host.
# shellcheck shell=bash

load ../support/missing
load ../support/written

setup_file() {
    export build=${GUEST_BUILD:?the build folder}
    export hosts=$build/tests/guest lib=$build/lib/libdrom.so agent=$build/lib/libdrom-omp.so:$build/lib/libdrom-agent.so
    export PATH=$build/bin:$PATH OMP_NUM_THREADS=2
    # Two CPUs on any machine, so that one can be taken.
    export both one
    both=$(taskset -cp $$ | sed 's/.*: //' | tr , '\n' | awk -F- '{for (c = $1; c <= ($2 == "" ? $1 : $2); ++c) print c}' | head -n 2 | paste -sd,)
    one=${both%%,*}
    unset LD_PRELOAD DROM_SLOT
}

setup() {
    work=$(mktemp -d)
    export DROM_TABLE=$work/table
    stop=$work/stop
    host=
    group=
}

teardown() {
    touch "$stop"
    [[ -z $host ]] || { kill -9 "$host" 2>/dev/null || true; wait "$host" 2>/dev/null || true; }
    [[ -z $group ]] || rmdir "$group"
    rm -rf "$work"
}

# eventually SECONDS COMMAND...: waits until the command succeeds; fails at the deadline.
eventually() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        ((SECONDS < end)) || { echo "not within the deadline: $*"; written "$work/out" "$work/err"; return 1; }
        sleep 0.02
    done
}

# start PROGRAM ARGUMENT...: starts it in the background under the preload that fits it, and waits until it says
# "ready".
start() {
    rm -f "$work/out"
    LD_PRELOAD=${preload-$agent} "$@" >"$work/out" 2>"$work/err" 3>&- &
    host=$!
    eventually 90 grep -s -q '^ready' "$work/out"
}

# finish: checks that the host ends by itself, well, and with the right sum.
finish() {
    touch "$stop"
    local status=0
    wait "$host" || status=$?
    host=
    cat "$work/out" "$work/err"
    [[ $status == 0 ]]
    grep -q "^sum ${1:-200987376}\$" "$work/out"
}
