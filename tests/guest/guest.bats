#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# guest.bats - the duties of a library to the process that it lives in; one test per row.
#
#   GUEST_BUILD=build/dev bats tests/guest/guest.bats

# shellcheck disable=SC2154 # support.bash assigns them
bats_require_minimum_version 1.5.0

load support

clients() { drom list --json | jq '.clients | length'; }
mask_of() { drom list --json | jq -r ".clients[] | select(.pid == $1) | .mask"; }
listed() { [[ $(drom list --json 2>/dev/null | jq "[.clients[]? | select(.pid == $1)] | length") == 1 ]]; }
empty() { [[ $(clients) == 0 ]]; }
threads_are() { [[ $(find /proc/"$host"/task -mindepth 1 -maxdepth 1 | wc -l) == "$1" ]]; }
allowed() { cat /proc/"$1"/task/*/status | sed -n 's/^Cpus_allowed_list:\t//p' | sort -u | paste -sd' '; }

first_thread_has_ended() { grep -q '^State:.Z' /proc/"$1"/task/"$1"/status; }
ended() { [[ ! -e /proc/$1 || $(find /proc/"$1"/task -mindepth 1 -maxdepth 1 | wc -l) -le 1 ]]; }
ended_under_requests() {
    drom set "$1" "$one" >/dev/null 2>&1 || true
    drom set "$1" "$both" >/dev/null 2>&1 || true
    ended "$1"
}

# follows PID: checks that the client follows both ways.
follows() {
    eventually 90 listed "$1"
    drom set "$1" "$one"
    [[ $(allowed "$1") == "$one" ]]
    drom set "$1" "$both"
    [[ $(mask_of "$1") == "$(echo "$both" | sed 's/^\([0-9]*\),\([0-9]*\)$/\1-\2/')" || $(mask_of "$1") == "$both" ]]
}

@test "libdrom needs libc only" {
    for library in "$lib" "${lib%.so}-agent.so" "${lib%.so}-omp.so" "${lib%.so}-mpi.so"; do
        run bash -c "readelf -d '$library' | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -v -x -E 'libc\.so\.6|ld-linux-x86-64\.so\.2|libdrom\.so\.0'"
        echo "$library: $output"
        [ "$output" = "" ]
    done
}

@test "nothing in libdrom can end its host, sleep, or write to stdout" {
    for library in "$lib" "${lib%.so}-agent.so" "${lib%.so}-omp.so" "${lib%.so}-mpi.so"; do
        run bash -c "nm -D --undefined-only '$library' | awk '{print \$2}' | sed 's/@.*//' |
            grep -x -E 'abort|exit|_exit|quick_exit|__assert_fail|__stack_chk_fail_local|usleep|sleep|printf|puts|putchar|fputs|stdout|__printf_chk|system|signal|sigaction|umask'"
        echo "$library: $output"
        [ "$output" = "" ]
    done
}

@test "libdrom.so exports its own names only; one object an intrusion exports what it stands in front of" {
    names() { nm -D --defined-only "$1" | awk '{print $3}' | sed 's/@.*//'; }
    run bash -c "nm -D --defined-only '$lib' | awk '{print \$3}' | sed 's/@.*//' | grep -v -x -E 'drom_[a-z_]*|DROM_[A-Z0-9._]*|_ZNK?4drom.*'"
    echo "$output"
    [ "$output" = "" ]
    [[ $(names "${lib%.so}-agent.so" | sort | paste -sd' ') == "pthread_create pthread_getaffinity_np pthread_setaffinity_np sched_getaffinity sched_setaffinity syscall thrd_create" ]]
    run bash -c "nm -D --defined-only '${lib%.so}-omp.so' | awk '{print \$3}' | grep -v -x -E 'drom_omp_loaded|omp_set_num_threads(_|_8_)?|__kmpc_[a-z_0-9]*|GOMP_[a-zA-Z_0-9.]*'"
    echo "$output"
    [ "$output" = "" ]
}

@test "libdrom stays when it is closed: 1000 times opened and closed, mapped once" {
    run "$hosts/loader" churn "$lib" 1000
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$output" = "mapped 1 times" ]
}

@test "a preloaded true makes no table, no thread, and asks the system for nothing but the library itself" {
    command -v strace >/dev/null || missing "strace is not installed"
    strace -f -o "$work/bare" /bin/true || missing "strace may not trace here"
    LD_PRELOAD=$lib strace -f -E LD_PRELOAD="${agent#*:}:$lib" -o "$work/loaded" /bin/true
    [ ! -e "$DROM_TABLE" ]
    run grep -E '^[0-9]+ +(clone3?|v?fork|mkdir(at)?|sched_setaffinity|futex)\(' "$work/loaded"
    echo "$output"
    [ "$status" -ne 0 ]
    # openat, read, fstat, mmap x 4-5, mprotect, close of one library, and relocation's mprotect
    local more=$(($(wc -l <"$work/loaded") - $(wc -l <"$work/bare")))
    echo "$more system calls more"
    [ "$more" -le 40 ]
}

@test "a set-uid program is left alone" {
    [ "$(id -u)" -eq 0 ] || missing "needs root to make a set-uid file of another user"
    local folder
    folder=$(mktemp -d -p "$build")
    cp "$hosts/host-clang" "$folder/host"
    chown nobody "$folder/host"
    chmod 4755 "$folder/host"
    touch "$stop"
    # LLVM's runtime registers under its pid in shared memory. A killed program of root's with the same pid may have
    # left a file there that this user cannot open: then once more, with another pid.
    local tries
    for tries in 1 2 3; do
        run env LD_PRELOAD="$agent" "$folder/host" secure "$stop"
        [[ $output == *"Can't open SHM"* ]] || break
    done
    rm -rf "$folder"
    echo "$output"
    [[ $output == *"secure 1"* ]] || missing "the file system ignores set-uid bits"
    [[ $output == *"sum 200987376"* ]]
    [ ! -e "$DROM_TABLE" ]
}

@test "a set-uid program becomes no client, also where PATH is not set" {
    [ "$(id -u)" -eq 0 ] || missing "needs root to make a set-uid file of another user"
    local folder
    folder=$(mktemp -d -p "$build")
    [[ $(findmnt -n -o OPTIONS -T "$folder") != *nosuid* ]] || { rm -rf "$folder"; missing "the file system ignores set-uid bits"; }
    cp "$hosts/loader" "$folder/loader"
    chown nobody "$folder/loader"
    chmod 4755 "$folder/loader"
    run env -u PATH "$folder/loader" idle "$lib" 1
    rm -rf "$folder"
    echo "$output"
    [[ $output == *"init -12"* ]]
}

@test "an idle safe point allocates nothing and takes no lock: 100000 polls" {
    run env LD_PRELOAD="$hosts/counter.so" "$hosts/loader" idle "$lib" 100000
    echo "$output"
    [[ $output == *"init 0"* ]]
    [[ $output == *"allocations 0, locks 0"* ]]
    [[ $output == *"unchanged 100000"* ]]
}

@test "an idle safe point allocates nothing and takes no lock: 100000 regions and queries" {
    for by in gcc clang; do
        # libgomp allocates for each region by itself: as often with the agent.
        local bare loaded
        bare=$(OMP_NUM_THREADS=1 LD_PRELOAD=$hosts/counter.so "$hosts/idle-$by" 100000)
        loaded=$(OMP_NUM_THREADS=1 LD_PRELOAD=$hosts/counter.so:$agent "$hosts/idle-$by" 100000)
        echo "$by: bare $bare; with the agent $loaded"
        [[ $bare == *allocations* ]]
        [ "$bare" = "$loaded" ]
    done
}

# Lists the calls between the marks, of the working thread only: the agent's thread sleeps in a futex of its own.
calls_between_marks() {
    strace "$@" -o "$work/calls" "${program[@]}" >/dev/null
    grep -q drom-test-end "$work/calls"
    sed -n '/drom-test-begin/,/drom-test-end/p' "$work/calls" | sed 's/(.*//' | sort | uniq -c
}

@test "an idle safe point makes no system call: polls, regions, queries" {
    command -v strace >/dev/null || missing "strace is not installed"
    strace -o "$work/try" /bin/true || missing "strace may not trace here"
    export OMP_NUM_THREADS=1
    program=("$hosts/loader" idle "$lib" 1000)
    [ "$(calls_between_marks | awk '{print $2, $1}')" = "access 2" ]
    for by in gcc clang; do
        # libgomp makes calls of its own here: the same ones, as many, with the agent.
        program=("$hosts/idle-$by" 1000)
        local bare loaded
        bare=$(calls_between_marks)
        loaded=$(calls_between_marks -E LD_PRELOAD="$agent")
        echo "$by: bare $bare; with the agent $loaded"
        [ "$bare" = "$loaded" ]
    done
}

resident_kb() { awk '/^VmRSS:/ {print $2}' "/proc/$1/status"; }

@test "the agent costs a process at most 1 MiB" {
    for by in gcc clang; do
        local bare=() loaded=() i
        for i in 1 2 3 4 5; do
            stop=$work/stop-$by-$i-bare
            preload='' start "$hosts/host-$by" regions "$stop"
            bare+=("$(resident_kb "$host")")
            finish >/dev/null
            stop=$work/stop-$by-$i-loaded
            start "$hosts/host-$by" regions "$stop"
            eventually 90 listed "$host"
            loaded+=("$(resident_kb "$host")")
            finish >/dev/null
        done
        local a b
        a=$(printf '%s\n' "${bare[@]}" | sort -n | sed -n 3p)
        b=$(printf '%s\n' "${loaded[@]}" | sort -n | sed -n 3p)
        echo "$by: $a kB bare, $b kB with the agent"
        [ $((b - a)) -le 1024 ]
    done
}

address_space_kb() { awk '/^VmSize:/ {print $2}' "/proc/$1/status"; }
has_agent() { grep -qx drom "/proc/$1/task/"*/comm; }

@test "a program under ulimit -v keeps its address space but for 4 MiB" {
    for by in gcc clang; do
        local bare loaded
        preload='' start "$hosts/host-$by" regions "$stop"
        bare=$(address_space_kb "$host")
        finish >/dev/null
        rm -f "$stop"
        start "$hosts/host-$by" regions "$stop"
        eventually 90 has_agent "$host"
        follows "$host"
        loaded=$(address_space_kb "$host")
        finish >/dev/null
        rm -f "$stop"
        echo "$by: $bare kB bare, $loaded kB with the agent"
        [ $((loaded - bare)) -le 4096 ]
    done
}

@test "a program that forbids the start of further threads is not ended by one of the agent's" {
    [[ $(drom run -- "$hosts/filtered") == 202 ]]
    [[ $(LD_PRELOAD=$hosts/slow_start.so drom run -- "$hosts/filtered") == 202 ]]
}

@test "umask and signal handlers stay as they are" {
    for by in gcc clang; do
        start "$hosts/host-$by" manners "$stop"
        follows "$host"
        finish
        run ! grep changed "$work/out"
        rm -f "$stop"
    done
}

@test "a forked child has regions of its own and takes nothing from its parent" {
    start "$hosts/host-clang" fork "$stop"
    [ "$(grep -c '^child 200987376' "$work/out")" -eq 1 ]
    grep -q '^child ended 0' "$work/out"
    [ "$(clients)" -eq 1 ]
    follows "$host"
    finish
    SERIAL_CHILD=1
    export SERIAL_CHILD
    rm "$stop"
    start "$hosts/host-gcc" fork "$stop"
    grep -q '^child ended 0' "$work/out"
    follows "$host"
    finish
}

@test "a child by the raw system call ends well and takes nothing" {
    for by in gcc clang; do
        start "$hosts/host-$by" clone "$stop"
        grep -q '^child ended 0' "$work/out"
        follows "$host"
        finish
        rm -f "$stop"
    done
}

@test "vfork and posix_spawn, again and again, while CPUs move" {
    for mode in vfork spawn; do
        start "$hosts/host-clang" $mode "$stop"
        for _ in 1 2 3 4 5; do follows "$host"; done
        finish
        run ! grep 'child ended' "$work/out"
        rm -f "$stop"
    done
}

@test "after exec into a program without OpenMP its CPUs are still counted, and free when it ends" {
    LD_PRELOAD=$agent "$hosts/host-clang" exec "$stop" /bin/sleep 2 3>&- &
    host=$!
    eventually 90 grep -q sleep "/proc/$host/comm"
    drom list
    wait "$host"
    host=
    drom check
    empty
}

@test "after exec into another OpenMP program there is one client, and it follows" {
    local exec_stop=$work/unused
    LD_PRELOAD=$agent "$hosts/host-clang" exec "$exec_stop" "$hosts/host-clang" regions "$stop" >"$work/out" 2>"$work/err" 3>&- &
    host=$!
    eventually 90 grep -s -q '^ready' "$work/out"
    follows "$host"
    [ "$(clients)" -eq 1 ]
    finish
}

@test "a program that closes every descriptor is still served" {
    for by in gcc clang; do
        start "$hosts/host-$by" close "$stop"
        follows "$host"
        finish
        rm -f "$stop"
    done
}

@test "queries from a signal handler, a thousand a second, while CPUs move" {
    for by in gcc clang; do
        start "$hosts/host-$by" alarm "$stop"
        for _ in 1 2 3 4 5 6 7 8 9 10; do follows "$host"; done
        finish
        grep -q '^alarms came, answer given' "$work/out"
        rm -f "$stop"
    done
}

@test "a stack can be walked through the agent's entry points" {
    for by in gcc clang; do
        start "$hosts/host-$by" trace "$stop"
        finish
        grep -q '^frames seen' "$work/out"
        rm -f "$stop"
    done
}

@test "two agents in one process are one client" {
    mkdir "$work/other"
    cp -a "$build"/lib/libdrom{.so*,-agent.so,-omp.so} "$work/other"
    preload="$agent:$work/other/libdrom-omp.so:$work/other/libdrom-agent.so" start "$hosts/host-clang" regions "$stop"
    follows "$host"
    [ "$(clients)" -eq 1 ]
    finish
}

@test "an OpenMP library that is loaded privately at run time works under preload, and is served" {
    for by in gcc clang; do
        local sum
        rm -f "$stop"
        touch "$work/now"
        sum=$("$hosts/loader" plugin "$hosts/plugin-$by.so" "$work/now" | sed -n 's/^sum //p')
        [ "$sum" = "" ] && sum=missing
        preload=$agent start "$hosts/loader" plugin "$hosts/plugin-$by.so" "$stop"
        follows "$host"
        touch "$stop"
        wait "$host"
        host=
        cat "$work/out" "$work/err"
        [[ $sum == missing ]] || grep -q "^sum $sum\$" "$work/out"
    done
}

@test "C++ exceptions and Fortran under both runtimes while CPUs move" {
    local guests=$build/tests/answers/guests program expected
    for program in "objects-gcc exceptions" "objects-clang exceptions" "fields-gcc next" "fields-gcc common"; do
        read -r name mode <<<"$program"
        expected=$("$guests/$name" "$mode" 50)
        LD_PRELOAD=$agent "$guests/$name" "$mode" 50 >"$work/out" 2>"$work/err" 3>&- &
        host=$!
        eventually 90 listed "$host"
        while kill -0 "$host" 2>/dev/null && [ -e "/proc/$host/task" ]; do
            drom set "$host" "$one" 2>/dev/null || break
            drom set "$host" "$both" 2>/dev/null || break
        done
        wait "$host"
        host=
        cat "$work/out" "$work/err"
        [ "$(cat "$work/out")" = "$expected" ]
    done
}

@test "a program of one thread keeps one thread, and is moved all the same" {
    for by in gcc clang; do
        OMP_NUM_THREADS=1 start "$hosts/host-$by" regions "$stop"
        eventually 90 listed "$host"
        threads_are 1
        local last=${both##*,}
        drom set "$host" "$last"
        [[ $(allowed "$host") == "$last" ]]
        finish
        rm "$stop"
        OMP_NUM_THREADS=1 DROM_ASYNC=1 start "$hosts/host-$by" regions "$stop"
        eventually 90 listed "$host"
        eventually 90 threads_are 3
        finish
        rm "$stop"
    done
}

@test "a request before the first region does not make the team smaller than it would have been" {
    for by in gcc clang; do
        rm -f "$stop"
        unset OMP_NUM_THREADS
        start taskset -c "$both" "$hosts/late-$by" "$stop"
        eventually 90 listed "$host"
        drom set "$host" "$one"
        [[ $(allowed "$host") == "$one" ]]
        touch "$stop"
        wait "$host"
        host=
        [[ $(tail -n 1 "$work/out") == "team 2 of 2 on 2" ]]
    done
}

# last_line_of MASK PROGRAM ARGUMENT...: the last line of the program, whose client gets MASK as it is ready; without
# MASK it has no agent.
last_line_of() {
    local mask=$1
    shift
    rm -f "$stop"
    preload=${mask:+$agent} start taskset -c "$both" "$@"
    [[ -z $mask ]] || { eventually 90 listed "$host"; drom set "$host" "$mask" >&2; }
    touch "$stop"
    wait "$host"
    host=
    tail -n 1 "$work/out"
}

@test "a program that binds itself before its first region has the team that it has natively, whatever a request says" {
    unset OMP_NUM_THREADS
    local two=${both##*,}
    for by in gcc clang; do
        for binding in "before $one" "before $two" "before $one $two" "after $one" "after $two" "after $one $two"; do
            local natively
            # shellcheck disable=SC2086 # words
            natively=$(last_line_of '' "$hosts/late-$by" "$stop" $binding)
            for mask in "$both" "$one"; do
                # It may as well restore what it has read: docs/developer/openmp.md.
                [[ $binding/$mask != "after $one/$one" ]] || continue
                # shellcheck disable=SC2086 # words
                [[ $(last_line_of "$mask" "$hosts/late-$by" "$stop" $binding) == "$natively" ]] || { echo "$by, $binding, $mask: not $natively"; return 1; }
            done
        done
    done
}

@test "a thread that is bound as it is created runs once, with its creator's signals, while requests come" {
    start "$hosts/bound" "$stop"
    eventually 90 listed "$host"
    for _ in $(seq 100); do
        drom set "$host" "$one"
        drom set "$host" "${both##*,}"
        drom set "$host" "$both"
    done
    touch "$stop"
    wait "$host"
    host=
    tail -n 1 "$work/out"
    [[ $(tail -n 1 "$work/out") == "ran 0 too many, 0 with a signal blocked, some" ]]
}

@test "a program may bind its threads inside its cpuset while a request is outside of it" {
    group=/sys/fs/cgroup/cpuset/drom-guest-$$
    mkdir "$group" 2>/dev/null || group=
    [[ -n $group ]] || missing "no cpuset cgroup can be made here (version 1, root)"
    echo 0 >"$group/cpuset.mems"
    echo "$one" >"$group/cpuset.cpus"
    for by in gcc clang; do
        rm -f "$stop"
        start "$hosts/host-$by" pin "$stop" "$one"
        eventually 90 listed "$host"
        echo "$host" >"$group/cgroup.procs"
        run -3 drom set "$host" "${both##*,}" --timeout 200
        echo "$output"
        sleep 0.3
        finish
        run ! grep "bind to" "$work/out"
    done
}

@test "a program whose first thread has ended ends with its last one, and with its exit handlers" {
    for by in gcc clang; do
        start "$hosts/last-$by" "$stop"
        eventually 90 listed "$host"
        eventually 90 first_thread_has_ended "$host"
        drom set "$host" "$one"
        [[ $(for status in /proc/"$host"/task/*/status; do grep -q '^State:.Z' "$status" || sed -n 's/^Cpus_allowed_list:\t//p' "$status"; done | sort -u) == "$one" ]]
        touch "$stop"
        eventually 60 ended_under_requests "$host"
        finish 42
        grep -q '^exit handler, SIGTERM free$' "$work/out"
        empty
        rm -f "$stop"
    done
}

@test "a file gets the number that a program has closed before, while requests come and while none does" {
    for by in gcc clang; do
        start "$hosts/descriptors-$by" "$stop"
        eventually 90 threads_are 4 # two of the program, two of the agent
        for _ in {1..100}; do
            drom set "$host" "$one"
            drom set "$host" "$both"
        done
        sleep 3
        finish 0
        rm "$stop"
    done
}

@test "a program with a pthread_create of its own, as sanitizers have, is never called back into it" {
    for by in gcc clang; do
        start "$hosts/outer-$by" "$stop"
        eventually 90 listed "$host"
        drom set "$host" "$one"
        [[ $(allowed "$host") == "$one" ]]
        finish 0
        rm "$stop"
    done
}

@test "a program counts the CPUs by binding to each, and passes wrong pointers, as it does natively" {
    for program in bind bind-openmp; do
        native=$("$hosts/$program")
        cat <<<"$native"
        [[ $(drom run -- "$hosts/$program") == "$native" ]]
        [[ $(DROM_DISABLE=1 LD_PRELOAD=$agent "$hosts/$program") == "$native" ]]
        [[ $(LD_PRELOAD=$agent "$hosts/$program") == "$native" ]]
    done
}

@test "a thread with the smallest stack opens regions without the agent's thread, and is moved from outside" {
    for bytes in 16384 20480; do
        DROM_ASYNC=0 drom run --name small --cpus "$both" --resize=follow -- "$hosts/small_stack" "$bytes" "$stop" >"$work/out" 3>&- &
        host=$!
        eventually 90 eval 'drom list | grep -q small'
        for cpus in "$one" "$both" "$one"; do
            drom set small "$cpus" --grace 500 --timeout 20000
        done
        touch "$stop"
        wait "$host"
        host=
        [[ $(<"$work/out") == ok ]]
        rm "$stop"
    done
}

@test "threads with the smallest stack bind themselves, as natively" {
    [[ $("$hosts/pins" stack) == ok ]]
    [[ $(LD_BIND_NOW=1 drom run -- "$hosts/pins" stack) == ok ]]
    [[ $(drom run -- "$hosts/pins" stack) == ok ]]
}

@test "children of vfork that bind themselves do not change how many CPUs their parent counts" {
    drom run --name pins --cpus "$both" -- "$hosts/pins" vfork "$stop" >"$work/out" 3>&- &
    host=$!
    eventually 90 eval 'drom list | grep -q async'
    drom set pins "$one" --timeout 20000
    touch "$stop"
    wait "$host"
    host=
    [[ $(<"$work/out") == "2 CPUs"$'\n'ok ]]
}

# ticks_of_agent PID: prints the hundredths of a second for which the agent's threads have run.
ticks_of_agent() { cat /proc/"$1"/task/*/stat | sed -n 's/^[0-9]* (drom) //p' | awk '{sum += $12 + $13} END {print sum + 0}'; }

@test "a program whose clock is set back, as by faketime, has no busy thread of the agent's" {
    for by in gcc clang; do
        CLOCK_SHIFT=-100 preload=$hosts/clock.so:$agent start "$hosts/host-$by" regions "$stop"
        eventually 90 listed "$host"
        follows "$host"
        local before after
        before=$(ticks_of_agent "$host")
        sleep 1
        after=$(ticks_of_agent "$host")
        echo "$by: $((after - before)) ticks in a second"
        [ $((after - before)) -le 10 ]
        finish
        rm -f "$stop"
    done
}

# is_stopped PID: returns whether each thread of the process is. Signals take until the thread runs again.
is_stopped() { ! grep -qvE '\) [Tt] ' "/proc/$1/task/"*/stat; }

@test "a command whose clock is years ahead, as by faketime, still ends its wait in time" {
    start "$hosts/host-gcc" regions "$stop"
    eventually 90 listed "$host"
    kill -STOP "$host"
    eventually 10 is_stopped "$host"
    run -3 env CLOCK_SHIFT=315360000 LD_PRELOAD="$hosts/clock.so" timeout 60 drom set "$host" "$one" --grace never --timeout 200
    kill -CONT "$host"
    finish
}

@test "a program that was killed leaves nothing behind" {
    start "$hosts/host-clang" regions "$stop"
    eventually 90 listed "$host"
    kill -9 "$host"
    wait "$host" || true
    host=
    drom check
    empty
    [ "$(drom list --json | jq -r .free)" != "" ]
}

@test "a program that may write no file is not killed for the table's" {
    for file in none ledger; do
        [[ $file == none ]] || drom run --no-preload -- true
        (ulimit -f 0; LD_PRELOAD=$agent "$hosts/host-gcc" regions "$stop") >/dev/null 2>&1 3>&- &
        host=$!
        sleep 0.5
        touch "$stop"
        wait "$host"
        rm -f "$stop"
        host=
    done
}

@test "DROM_DISABLE=1 leaves a program alone" {
    DROM_DISABLE=1 start "$hosts/host-clang" regions "$stop"
    finish
    [ ! -e "$DROM_TABLE" ]
}
