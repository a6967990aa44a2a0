#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# containers.bats - tables and clients seen through namespaces of mounts, pids and users.
# shellcheck disable=SC2154 # bats assigns stderr

bats_require_minimum_version 1.5.0
load support

setup_file() { build_guests; }

# LeakSanitizer cannot look at the first process of a pid namespace, and ends it.
without_leaks() { export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0; }

@test "a container's removed table does not stop one of that name outside, nor does another user's file" {
    unshare --mount true || missing "no mount namespaces"
    mkdir -m 0777 "$WORK/there"
    export DROM_TABLE=$WORK/there/table
    # shellcheck disable=SC2016
    background unshare --mount bash -c '
        mount -t tmpfs none "$1/there"
        exec "$2" run --no-preload -- bash -c "rm -r $DROM_TABLE; touch $1/held; exec sleep 60"' bash "$WORK" "$BIN"
    container=$PID
    eventually "the container holds its table" test -e "$WORK/held"
    drom run --no-preload -- true
    rm -r "$DROM_TABLE"
    if [[ $EUID == 0 ]]; then
        chmod 0755 "$WORK"
        # shellcheck disable=SC2016
        background setpriv --reuid 65534 --clear-groups /usr/bin/python3 -c '
import mmap, os, shutil, sys, time
os.mkdir(sys.argv[1])
with open(sys.argv[1] + "/ledger", "w+b") as file:
    file.truncate(4096)
    held = mmap.mmap(file.fileno(), 4096)
shutil.rmtree(sys.argv[1])
print("held", flush=True)
time.sleep(60)' "$DROM_TABLE"
        eventually "the other user holds a file" grep -q held "$WORK/out"
        drom run --no-preload -- true
        kill "$PID"
    fi
    kill "$container"
    PID=$container
    ended 143
}

@test "a table that is looked at through a user namespace is not called damaged" {
    unshare --user true || missing "no user namespaces"
    drom run --no-preload -- true
    refuses 1 "uid 0 made it and its ledger belongs to uid [0-9]+, so it is of another user namespace or was given away; use it where it was made" \
        unshare --user "$BIN" list
    drom list
}

@test "a table that is looked at where /proc is not mounted is not called one of an earlier boot" {
    [[ $EUID == 0 ]] || missing "not root, so /proc cannot be taken away"
    unshare --mount true || missing "no mount namespaces"
    drom run --no-preload -- true
    # Without /proc the loader does not know the folder of the program.
    refuses 1 "it was made with /proc, so its boot is not known here; mount /proc" \
        env LD_LIBRARY_PATH="$BUILD/lib" unshare --mount sh -c 'umount --lazy /proc && exec "$0" list' "$BIN"
    drom list
}

@test "in a container with pids and a /dev/shm of its own: a table of its own, or by its path the node's" {
    [[ $EUID == 0 ]] || missing "not root, so there are no containers"
    unshare --mount --pid --fork --mount-proc true || missing "no namespaces"
    two_cpus
    cp "$(command -v sleep)" "$WORK/contained"
    unset DROM_TABLE
    sleep 60 3>&- &
    stranger=$!
    STARTED+=("$stranger")
    export WORK BIN STRANGER=$stranger
    # shellcheck disable=SC2016
    background unshare --mount --pid --fork --kill-child --mount-proc bash -c '
        mount -t tmpfs none /dev/shm
        "$BIN" list 2>"$WORK/none"; echo $? >"$WORK/status"
        "$BIN" run --no-preload -- "$WORK/contained" 0.3; ls /dev/shm >"$WORK/own"
        # About the number that another process has outside.
        echo $((STRANGER - 5)) >/proc/sys/kernel/ns_last_pid
        DROM_TABLE=$WORK/shared "$BIN" run --no-preload -- "$WORK/contained" 60 &
        until DROM_TABLE=$WORK/shared "$BIN" list -o pid --raw 2>/dev/null | grep -q .; do sleep 0.02; done
        DROM_TABLE=$WORK/shared "$BIN" list -o pid --raw >"$WORK/numbers"; touch "$WORK/ready"; wait'
    eventually "the program in the container runs" test -e "$WORK/ready"
    [[ $(cat "$WORK/status") == 1 && $(cat "$WORK/none") =~ "there is none; start a program with drom run" ]]
    [[ $(cat "$WORK/own") == drom-0 ]]
    run drom list --table "$WORK/shared" -o pid --raw
    [[ $status == 0 && $output == "$(cat "$WORK/numbers")" ]] # by the number that it has inside
    inside=$output
    run drom explain --table "$WORK/shared" "$inside" --sample 1
    [[ $status == 0 && $output == *"Its process $inside is in another pid namespace"* && $output != *THREAD* && $output != *sleep* ]]
    [[ $(drom explain --table "$WORK/shared" "$inside" --sample 1 --json | jq -c .threads) == "[]" ]]
    output=$inside
    run --separate-stderr drom set --table "$WORK/shared" "$output" "$A"
    # Its threads cannot be moved from here, where that number is another process's.
    [[ $status == 3 && $stderr =~ "posted; client" ]]
}

@test "what is killed in a container that goes on gives its CPUs back, and what lives there keeps them" {
    [[ $EUID == 0 ]] || missing "not root, so there are no containers"
    unshare --mount --pid --fork --mount-proc true || missing "no namespaces"
    [[ $(stat -Lc %i /proc/self/ns/pid) == 4026531836 ]] || missing "this is a container: processes of another one cannot be seen"
    ! grep -E ' proc .*(hidepid|subset)=' /proc/self/mounts || missing "/proc hides processes here"
    two_cpus
    cp "$(command -v sleep)" "$WORK/contained"
    export WORK BIN DROM_TABLE
    # Of the first a process is left behind that has left its session.
    # shellcheck disable=SC2016
    background unshare --mount --pid --fork --kill-child --mount-proc bash -c '
        listed() { "$BIN" list -o name --raw 2>/dev/null | grep -q "$1"; }
        until_done() { until "$@"; do sleep 0.02; done; }
        "$BIN" run --no-preload --ncpus 1 --name dies -- bash -c "setsid $WORK/contained 60 & echo \$! >$WORK/left; wait" & dies=$!
        until_done listed dies; until_done test -s "$WORK/left"
        "$BIN" run --no-preload --ncpus 1 --name lives -- "$WORK/contained" 60 &
        until_done listed lives
        touch "$WORK/ready"; until_done test -e "$WORK/kill"
        shell=$(cat /proc/$dies/task/*/children); kill -9 $dies $shell; wait $dies; touch "$WORK/killed"
        until_done test -e "$WORK/kill-left"; kill -9 "$(cat "$WORK/left")"; touch "$WORK/left-killed"; wait'
    eventually "the program in the container runs" test -e "$WORK/ready"
    # The same slot and generation in another table, of this namespace and of another one.
    DROM_TABLE=$WORK/other drom run --no-preload -- unshare --mount --pid --fork --kill-child --mount-proc sleep 60 3>&- &
    STARTED+=($!)
    names() { drom list -o name --raw | sort | xargs; }
    run drom check
    [[ $(names) == "dies lives" ]]
    touch "$WORK/kill"
    eventually "it is killed" test -e "$WORK/killed"
    run drom check
    [[ $(names) == "dies lives" ]] # its descendant runs there
    touch "$WORK/kill-left"
    eventually "the one that was left is killed" test -e "$WORK/left-killed"
    # Where a mount may hide processes, none is taken for dead. Not /proc itself: old kernels would hide them from the
    # whole machine.
    mkdir "$WORK/hidden"
    # shellcheck disable=SC2016
    run unshare --mount bash -c 'mount -t tmpfs hidepid=2 "$WORK/hidden" && "$BIN" check'
    [[ $status == 0 && $(names) == "dies lives" ]]
    # shellcheck disable=SC2016
    eventually "only one is left" bash -c '"$BIN" check >/dev/null; [[ $("$BIN" list -o name --raw | xargs) == lives ]]'
    run drom run --no-preload --ncpus 1 -- true # on what the dead one had
    [[ $status == 0 ]]
}

@test "the end of a program in one container takes no CPU from a program in another, with the same numbers" {
    without_leaks
    [[ $EUID == 0 ]] || missing "not root, so there are no containers"
    unshare --pid --fork --mount-proc true || missing "no namespaces"
    two_cpus
    background unshare --pid --fork --kill-child --mount-proc "$BIN" run --name lives --cpus "$A" -- "$GUESTS/held-gcc"
    eventually "it is live" client_is lives state live
    unshare --pid --fork --mount-proc "$BIN" run --no-preload --name ends --cpus "$B" -- true
    client_is lives mask "$A"
    # A process of a third one, which knows the number only.
    export PYTHONPATH=${BATS_TEST_DIRNAME%/tests/cli}/libdrom/bindings/python LD_LIBRARY_PATH=$BUILD/lib
    local asan # of a build with it, which Python has not
    asan=$(ldd "$BUILD/lib/libdrom.so" | awk '/libasan|libclang_rt.asan/ {print $3}')
    refuses 1 "the process still runs" env LD_PRELOAD="$asan" unshare --pid --fork --mount-proc python3 -c "import drom; drom.Table().release($(client lives pid))"
    client_is lives mask "$A"
}

@test "a program that was the first process of a pid namespace leaves no client behind, unless it runs on" {
    without_leaks
    unshare --pid --fork --mount-proc true || missing "no namespaces"
    drom run --name boxed -- unshare --pid --fork --mount-proc "$GUESTS/regions-gcc" 0.1
    [[ $(drom list --json | jq -c .clients) == '[]' ]]
    export WORK BIN
    # shellcheck disable=SC2016
    run drom run --verbose --name left -- bash -c 'unshare --pid --fork --kill-child --mount-proc "$1" 60 >/dev/null 2>&1 & echo $! >"$WORK/outside"
        until [[ $("$BIN" list -o state --raw) == live ]]; do sleep 0.02; done' - "$GUESTS/regions-gcc"
    [[ $status == 0 && $output == *"left (1) goes on in the background and keeps its CPUs"* ]]
    client_is left state live
    kill -KILL "$(<"$WORK/outside")"
}
