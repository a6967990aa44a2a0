#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# counting.bats - how many CPUs runtimes and libraries count that come after a request; one test per row.
#
#   GUEST_BUILD=build/dev bats tests/guest/counting.bats

# shellcheck disable=SC2154 # support.bash assigns them
bats_require_minimum_version 1.5.0

load support

# while_small SCRIPT: runs it under drom run, while the client, which began on two CPUs, has one.
while_small() {
    taskset -c "$both" drom run --name x -- sh -c "touch $work/runs; until [ -e $stop ]; do sleep 0.02; done; $1" >"$work/out" 3>&- &
    host=$!
    eventually 60 test -e "$work/runs"
    drom set x "$one" >&2
    touch "$stop"
    wait "$host"
    host=
    cat "$work/out"
}

@test "a program that starts after a request counts the CPUs of its reservation's start, as without the request" {
    local program want
    for program in "$hosts"/counts-{gcc,clang}; do
        [[ -x $program ]] || missing "$program"
        want=$(taskset -c "$both" "$program")
        [[ $want == "2 processors, "*" places, a team of 2, 0 beyond" ]]
        rm -f "$stop" "$work/runs"
        [[ $(while_small "$program; exec $program") == "$want"$'\n'"$want" ]]
    done
}

@test "a program that starts after a request has the places that the user named" {
    local program want setting
    for program in "$hosts"/counts-{gcc,clang}; do
        [[ -x $program ]] || missing "$program"
        for setting in "OMP_PLACES={${both%,*}},{${both#*,}}" OMP_PROC_BIND=true OMP_PLACES=threads; do
            want=$(taskset -c "$both" env "$setting" "$program" 2>&1)
            [[ $want == "2 processors, 2 places, "* ]]
            rm -f "$stop" "$work/runs"
            [[ $(while_small "exec env '$setting' $program 2>&1") == "$want" ]]
        done
    done
}

@test "a program that a script binds counts the CPUs that it is bound to, as natively" {
    local program
    for program in "$hosts"/counts-{gcc,clang}; do
        [[ -x $program ]] || missing "$program"
        run taskset -c "$both" drom run -- sh -c "taskset -c $one $program; taskset -cp $one \$\$ >&2; exec $program" 3>&-
        [[ $(grep -c '^1 processors' <<<"$output") == 2 ]]
    done
}

# counts_libraries CPU FILE...: runs a program under drom run that loads these libraries once its client has one CPU
# instead of two. It binds itself to CPU first, unless that is -1. Prints how many CPUs it counts, and each library.
counts_libraries() {
    rm -f "$stop" "$work/out"
    taskset -c "$both" drom run --name x -- "$hosts/loader" counts "$stop" "$@" >"$work/out" 3>&- &
    host=$!
    eventually 60 grep -s -q '^ready' "$work/out"
    drom set x "$one" >&2
    touch "$stop"
    wait "$host"
    host=
    sed 1d "$work/out"
}

@test "a library with a pool of threads that is loaded after a request counts the CPUs of the start, all others those there are" {
    local name pools=(libopenblas.so.0 libopenblasp-r0.3.21.so libopenblas64_p-r0-0cf96a72.3.23.dev.so libscipy_openblas64_-ff651d7f.so
        libtbb.so.12 libtbb-1234abcd.so.12.8 libblis.so.4)
    for name in "${pools[@]}" libtbbmalloc.so.2 libother.so; do cp "$hosts/counting.so" "$work/$name"; done
    # As conda has it: another name of the file, with OpenBLAS's own inside.
    cp "$hosts/counting-named.so" "$work/libcblas.so.3"
    [[ $(counts_libraries -1 "$work"/lib{other,tbbmalloc.so.2}* "${pools[@]/#/$work/}" "$work/libcblas.so.3") == \
        "program 1"$'\n'"libother.so 1"$'\n'"libtbbmalloc.so.2 1"$'\n'"$(printf '%s 2\n' "${pools[@]}" libcblas.so.3)" ]]
}

@test "a library with a pool of threads counts the CPUs to which its program has bound itself, as natively" {
    cp "$hosts/counting.so" "$work/libopenblas.so.0"
    [[ $(counts_libraries "$one" "$work/libopenblas.so.0") == "program 1"$'\n'"libopenblas.so.0 1" ]]
}

@test "a Python program that imports numpy after a request has OpenBLAS's pool of the start, and the same bits in its sums" {
    local python=/usr/bin/python3 # the interpreter of Debian's packages
    cat >"$work/sums.py" <<'SOURCE'
import ctypes, os, sys, time
print("ready", flush=True)
while not os.path.exists(sys.argv[1]):
    time.sleep(0.02)
import numpy
x = numpy.random.default_rng(1).random(1_000_003)
print(numpy.dot(x, x).hex(), ctypes.CDLL("libopenblas.so.0").openblas_get_num_threads())
SOURCE
    touch "$stop"
    unset OMP_NUM_THREADS
    taskset -c "$both" "$python" "$work/sums.py" "$stop" >"$work/native" || missing "no numpy with OpenBLAS (python3-numpy, libopenblas0-pthread)"
    [[ $(<"$work/native") == *" 2" ]]
    rm "$stop"
    taskset -c "$both" drom run --name x -- "$python" "$work/sums.py" "$stop" >"$work/out" 3>&- &
    host=$!
    eventually 60 grep -s -q '^ready' "$work/out"
    drom set x "$one"
    touch "$stop"
    wait "$host"
    host=
    cat "$work/native" "$work/out"
    diff "$work/native" "$work/out"
}
