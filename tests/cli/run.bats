#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# run.bats - drom run: what it starts, what it refuses, and that it leaves nothing behind.

bats_require_minimum_version 1.5.0

load support

setup_file() { build_guests; }

@test "a program that waits for room gets what the dead left, with no other command at work" {
    two_cpus
    drom run --name left --rigid -- sh -c 'sleep 1 & exit 0'
    background "$BIN" run --ncpus 2 --wait --name waits -- true
    ended 0
}

@test "a program that waits for room is told that the table was removed" {
    two_cpus
    sleeper all "$BOTH" --rigid
    background "$BIN" run --ncpus 1 --wait --name waits -- true
    eventually "it waits" grep -q "there is no room yet" "$WORK/err"
    rm -r "$DROM_TABLE"
    ended 1
    grep -q "it was removed while in use" "$WORK/err"
}

@test "a small stack (ulimit -s) crashes neither drom run nor the program that it starts" {
    for kib in 20 32 40 64 104; do
        run bash -c "ulimit -s $kib; exec '$BIN' run -- sh -c 'exit 7'"
        [[ $status == 7 ]]
        run bash -c "ulimit -s $kib; exec '$BIN' run --cpus 0 -- sh -c 'exit 7'"
        [[ $status == 7 ]]
    done
    run bash -c "ulimit -s 20; '$BIN' run -- true"
    [[ $output == *"true has too small a stack (ulimit -s) to preload anything; it is reached from outside only"* ]]
    run bash -c "ulimit -s 64; '$BIN' run --verbose -- true"
    [[ $output == *"preloaded: libdrom-agent.so"* ]]
    nothing_left
}

@test "a small stack (ulimit -s) does not hinder a request that takes CPUs from others" {
    two_cpus
    sleeper one "${BOTH%%[,-]*}"
    sleeper two "${BOTH##*[,-]}"
    run bash -c "ulimit -s 64; '$BIN' expand one 2 --take"
    [[ $status == 1 && $output == *"the others need theirs"* ]]
}

@test "the exit status is the command's" {
    for status_wanted in 0 1 7 126 255; do
        run drom run -- sh -c "exit $status_wanted"
        [[ $status == "$status_wanted" ]]
    done
    nothing_left
}

@test "a signal that kills the command kills drom run too" {
    for signal in TERM SEGV KILL ABRT; do
        status=0
        bash -c "ulimit -c 0; '$BIN' run -- sh -c 'kill -$signal \$\$'" 2>/dev/null || status=$?
        [[ $status == $((128 + $(kill -l $signal))) ]]
    done
    nothing_left
}

@test "a missing command: 127, and nothing is left behind" {
    refuses 127 "^drom: run: $WORK/missing: command not found; give its path, or add its directory to PATH" drom run -- "$WORK/missing"
    refuses 127 "^drom: run: no-such-command: command not found" drom run -- no-such-command
    [[ ! -e $DROM_TABLE ]] || nothing_left
}

@test "a file that cannot be executed: 126, and nothing is left behind" {
    echo text >"$WORK/text"
    refuses 126 "^drom: run: $WORK/text: not executable: Permission denied; chmod \+x it" drom run -- "$WORK/text"
    refuses 126 "^drom: run: $WORK: it is a directory, not a program" drom run -- "$WORK"
    [[ ! -e $DROM_TABLE ]] || nothing_left
}

@test "a file of the present directory that PATH does not find: its path is asked for, not its interpreter" {
    cd "$WORK"
    echo text >text
    refuses 127 "^drom: run: text: command not found in PATH; name ./text for that of this directory" drom run -- text
    refuses 126 "^drom: run: \.: it is a directory, not a program" drom run -- .
    refuses 126 "^drom: run: \.\.: it is a directory, not a program" drom run -- ..
    [[ ! -e $DROM_TABLE ]] || nothing_left
}

@test "a script with a missing interpreter: 127, and its reservation is undone" {
    printf '#!%s/nothing\n' "$WORK" >"$WORK/script"
    chmod +x "$WORK/script"
    refuses 127 "^drom: run: $WORK/script: its interpreter was not found" drom run -- "$WORK/script"
    nothing_left
}

@test "a script without a first line is run by the shell" {
    echo 'exit 9' >"$WORK/script"
    chmod +x "$WORK/script"
    run drom run -- "$WORK/script"
    [[ $status == 9 ]]
}

@test "a static program: says so, runs on its CPUs, is reached from outside" {
    two_cpus
    run drom run -- "$GUESTS/static" 0 5
    [[ $status == 5 && $output == "drom: run: $GUESTS/static is statically linked, so nothing can be preloaded; it is reached from outside only" ]]
    background "$BIN" run --name fixed --cpus "$BOTH" -- "$GUESTS/static" 60
    eventually "it is there" client_is fixed mask "$BOTH"
    drom set fixed "$A"
    [[ $(taskset -cp "$(client fixed pid)" | sed 's/.*: //') == "$A" ]]
}

@test "a set-uid program: says so, and runs" {
    [[ $EUID == 0 ]] || missing "not root, so nothing can be made set-uid for another user"
    chmod 755 "$WORK"
    cp "$GUESTS/plain" "$WORK/other"
    chown 65534 "$WORK/other"
    chmod 4755 "$WORK/other"
    run drom run -- "$WORK/other" 0 6
    [[ $status == 6 && $output == "drom: run: $WORK/other is set-uid or set-gid, so nothing can be preloaded; it is reached from outside only" ]]
    nothing_left
}

@test "a file that only pretends to be a program is refused by the system, in words" {
    head -c 64 "$GUESTS/plain" >"$WORK/stump"
    chmod +x "$WORK/stump"
    mkdir "$WORK/here"
    cd "$WORK/here"
    refuses 126 "^drom: run: $WORK/stump: cannot be executed: Exec format error" drom run --no-preload -- "$WORK/stump"
    nothing_left
    [[ -z $(ls -A) ]] # a shell that took its bytes for words had made a file
}

@test "the command finds its mask and its reservation" {
    two_cpus
    run drom run --cpus "$A" -- sh -c 'taskset -cp $$; echo $DROM_SLOT; echo $DROM_TABLE; echo $LD_PRELOAD'
    [[ $status == 0 && ${lines[0]} == *": $A" && ${lines[1]} =~ ^[0-9]+:[0-9]+$ && ${lines[2]} == "$DROM_TABLE" ]]
    [[ ${lines[3]} == *libdrom-agent.so* ]]
}

@test "OMP_NUM_THREADS: the user's, else that of --max, else none" {
    two_cpus
    show='echo $OMP_NUM_THREADS'
    [[ $(env -u OMP_NUM_THREADS "$BIN" run --cpus "$BOTH" -- sh -c 'echo ${OMP_NUM_THREADS-unset}') == unset ]]
    [[ $(OMP_NUM_THREADS=5 drom run --cpus "$BOTH" -- sh -c "$show") == 5 ]]
    [[ $(OMP_NUM_THREADS=4,2 drom run --cpus "$BOTH" -- sh -c "$show") == 4,2 ]]
    [[ $(OMP_NUM_THREADS=" 5" drom run --cpus "$BOTH" -- printenv OMP_NUM_THREADS) == " 5" ]]
    [[ $(OMP_NUM_THREADS=-1 drom run --cpus "$BOTH" -- sh -c "$show") == -1 ]]
    [[ $(drom run --ncpus 1 --max 2 -- sh -c "$show") == 2 ]]
    [[ $(drom run --max 1 -- sh -c 'taskset -cp $$' | sed 's/.*: //') != *[-,]* ]]
}

@test "OMP_NUM_THREADS stays what the user has set, and --max that contradicts it is told" {
    show='echo $OMP_NUM_THREADS'
    for value in 5 5,2 1; do
        OMP_NUM_THREADS=$value "$BIN" run --ncpus 1 --max 2 -- sh -c "$show" >"$WORK/out" 2>"$WORK/err"
        [[ $(<"$WORK/out") == "$value" ]]
        grep -Eq "^drom: run: OMP_NUM_THREADS=$value is kept, so its team begins with ${value%,*} threads? and not with --max 2; unset it" "$WORK/err"
    done
    for value in 2 2,3; do
        OMP_NUM_THREADS=$value "$BIN" run --ncpus 1 --max 2 -- sh -c "$show" >"$WORK/out" 2>"$WORK/err"
        [[ $(<"$WORK/out") == "$value" && ! -s $WORK/err ]]
    done
}

@test "an OMP_NUM_THREADS that is no number is told, and what --max gives the program instead" {
    for value in abc 0 -1; do
        OMP_NUM_THREADS=$value "$BIN" run --ncpus 1 --max 1 -- printenv OMP_NUM_THREADS >"$WORK/out" 2>"$WORK/err"
        [[ $(<"$WORK/out") == 1 ]]
        [[ $(<"$WORK/err") == "drom: run: OMP_NUM_THREADS=$value is no number of threads; the program gets OMP_NUM_THREADS=1" ]]
    done
    OMP_NUM_THREADS='' "$BIN" run --ncpus 1 --max 1 -- printenv OMP_NUM_THREADS 2>"$WORK/err"
    [[ ! -s $WORK/err ]]
}

# drom run set the number of threads. BLIS uses threads only then, and took 13 times as long; nproc repeats the number;
# a program that binds itself to one CPU had a team of two.
@test "a program that is bound, by itself or by its script, counts what it counts without drom" {
    two_cpus
    unset OMP_NUM_THREADS
    [[ $(drom run --cpus "$BOTH" -- sh -c 'nproc; taskset -c '"$A"' nproc' | xargs) == "2 1" ]]
    printf '%s\n' '#define _GNU_SOURCE' '#include <omp.h>' '#include <sched.h>' '#include <stdio.h>' 'int main(void) {' \
        "cpu_set_t one; CPU_ZERO(&one); CPU_SET($A, &one); sched_setaffinity(0, sizeof one, &one);" \
        'printf("%d %d\n", omp_get_max_threads(), omp_get_num_procs()); }' >"$WORK/self.c"
    local compiler
    for compiler in gcc clang-14; do
        command -v "$compiler" >/dev/null || skip "no $compiler"
        "$compiler" -fopenmp "$WORK/self.c" -o "$WORK/self"
        diff <(taskset -c "$BOTH" "$WORK/self") <(drom run --cpus "$BOTH" -- "$WORK/self")
    done
}

@test "what is preloaded follows from what the program needs" {
    preloaded() { drom run --json "$@" 2>&1 >/dev/null | jq -c .preloaded; }
    if [[ -x $GUESTS/regions-clang ]]; then [[ $(preloaded "$GUESTS/regions-clang" 0) == '["libdrom-agent.so"]' ]]; fi
    [[ $(preloaded "$GUESTS/regions-gcc" 0) == '["libdrom-agent.so"]' ]]
    [[ $(preloaded "$GUESTS/plain") == '["libdrom-agent.so"]' ]]
    [[ $(preloaded sh -c :) == '["libdrom-agent.so"]' ]]
    [[ $(preloaded --resize follow -- "$GUESTS/regions-gcc" 0) == '["libdrom-omp.so","libdrom-agent.so"]' ]]
    [[ $(OMP_DYNAMIC=true preloaded "$GUESTS/regions-gcc" 0) == '["libdrom-omp.so","libdrom-agent.so"]' ]]
    [[ $(OMP_DYNAMIC=true preloaded --resize keep -- "$GUESTS/regions-gcc" 0) == '["libdrom-agent.so"]' ]]
    [[ $(drom run --no-preload --json -- "$GUESTS/plain" 2>&1 | jq -c .preloaded) == '[]' ]]
}

@test "drom run --verbose says before any request whether the team may follow, and what would help" {
    run drom run --verbose -- "$GUESTS/plain"
    [[ $output == *"drom: run: its team keeps its size; --resize=follow lets it follow"* ]]
    run drom run --resize follow --verbose -- "$GUESTS/plain"
    [[ $output == *"drom: run: its team may follow the CPUs"* ]]
    run drom run --no-preload --verbose -- "$GUESTS/plain"
    [[ $output != *"its team"* ]]
}

@test "where there is no library for MPI none is named to the loader" {
    mkdir "$WORK/bin" "$WORK/lib"
    cp "$BIN" "$WORK/bin/"
    cp -a "$BUILD"/lib/libdrom.so* "$BUILD"/lib/libdrom-agent.so "$WORK/lib/"
    run env OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1 "$WORK/bin/drom" run --verbose --json -- "$GUESTS/plain"
    [[ $status == 0 && $output == *"libdrom-mpi.so is not there"* && $output != *"cannot be preloaded"* ]]
    [[ $(tail -n 1 <<<"$output" | jq -c .preloaded) == '["libdrom-agent.so"]' ]]
}

@test "a runtime behind a library with a run path of its own is found" {
    command -v clang >/dev/null || missing "no clang"
    mkdir "$WORK/libs"
    echo 'int work(void) { int n = 0;
#pragma omp parallel reduction(+ : n)
        n += 1; return n; }' >"$WORK/work.c"
    clang -O1 -fopenmp -shared -fPIC "$WORK/work.c" -o "$WORK/libs/libwork.so"
    echo 'int work(void); int main(void) { return work() > 0 ? 0 : 1; }' >"$WORK/main.c"
    # shellcheck disable=SC2016
    gcc "$WORK/main.c" -o "$WORK/main" -L"$WORK/libs" -lwork -Wl,-rpath,'$ORIGIN/libs'
    run drom run --json -- "$WORK/main"
    [[ $status == 0 && $(jq -c .preloaded <<<"$output") == '["libdrom-agent.so"]' ]]
    # and by LD_LIBRARY_PATH
    gcc "$WORK/main.c" -o "$WORK/main" -L"$WORK/libs" -lwork
    LD_LIBRARY_PATH=$WORK/libs run drom run --json -- "$WORK/main"
    [[ $status == 0 && $(jq -c .preloaded <<<"$output") == '["libdrom-agent.so"]' ]]
}

@test "a program under drom run does not search for libdrom.so" {
    run drom run -- env LD_DEBUG=libs true
    [[ $status == 0 && $output == *'find library=libc.so.6'* ]]
    [[ $output != *'find library=libdrom.so'* ]]
}

@test "the user's LD_PRELOAD is kept, behind ours, and ours is not repeated" {
    echo 'int drom_test_nothing;' >"$WORK/own.c"
    gcc -shared -fPIC "$WORK/own.c" -o "$WORK/own.so"
    LD_PRELOAD=$WORK/own.so run drom run -- sh -c 'echo $LD_PRELOAD'
    [[ $output == */libdrom-agent.so:*/libdrom.so.0:$WORK/own.so ]]
    run drom run --name outer -- "$BIN" run --ncpus 1 --name inner -- sh -c 'echo $LD_PRELOAD'
    [[ $(grep -o 'libdrom-agent.so' <<<"$output" | wc -l) == 1 ]]
}

@test "a program with AddressSanitizer, which ends itself where anything is loaded before it, runs and is a client" {
    gcc -O1 -fsanitize=address -fopenmp "$BATS_TEST_DIRNAME/guests/regions.c" -o "$WORK/regions"
    guest careful "$A" "$WORK/regions" 60
    client_is careful state live
    # clang's library has another name, and is in no folder of the loader.
    library=$(clang-14 -print-file-name="libclang_rt.asan-$(uname -m).so")
    clang-14 -O1 -fsanitize=address -shared-libasan -Wl,-rpath,"${library%/*}" -fopenmp "$BATS_TEST_DIRNAME/guests/regions.c" -o "$WORK/clangs"
    guest clangs "$B" "$WORK/clangs" 60
    client_is clangs state live
}

@test "a script, and a make, that start programs with AddressSanitizer run; what the user says of its options stays" {
    gcc -O1 -fsanitize=address "$BATS_TEST_DIRNAME/guests/regions.c" -fopenmp -o "$WORK/regions"
    drom run -- sh -c "OMP_NUM_THREADS=1 $WORK/regions 0"
    ASAN_OPTIONS=detect_leaks=0 run drom run -- sh -c 'echo $ASAN_OPTIONS'
    [[ $output == detect_leaks=0:verify_asan_link_order=0 ]]
    ASAN_OPTIONS=verify_asan_link_order=1 run drom run -- sh -c 'echo $ASAN_OPTIONS'
    [[ $output == verify_asan_link_order=1 ]]
}

@test "with DROM_DISABLE=1 a program gets no preload and no number of threads, and its CPUs all the same" {
    unset ASAN_OPTIONS OMP_NUM_THREADS
    DROM_DISABLE=1 run drom run --cpus "$A" --max 1 -- sh -c 'echo "[$LD_PRELOAD$OMP_NUM_THREADS$ASAN_OPTIONS]"; taskset -cp $$'
    [[ ${lines[0]} == "[]" && ${lines[1]} == *": $A" ]]
}

@test "a program that joins by itself says once which values its variables cannot have; drom run says it for its own" {
    has_guest regions-gcc
    background env LD_PRELOAD="$BUILD/lib/libdrom-agent.so" DROM_PIN=core DROM_NAME=alone "$GUESTS/regions-gcc" 60
    eventually "it is live" client_is alone state live
    eventually "it says so" grep -qx 'drom: DROM_PIN=core is none of place, bind, none; the default holds (place)' "$WORK/err"
    kill -KILL "$PID"
    ended 137
    DROM_PIN=core background "$BIN" run --name launched --cpus "$A" -- "$GUESTS/regions-gcc" 60
    eventually "it is live" client_is launched state live
    [[ $(<"$WORK/err") == "drom: run: DROM_PIN=core is none of place, bind, none; the default holds (place)" ]]
}

@test "drom run is killed: the program goes on as a client, and its CPUs come back when it ends" {
    has_guest regions-gcc
    guest orphan "$A" "$GUESTS/regions-gcc" 60
    child=$(client orphan pid)
    kill -KILL "$PID"
    ended 137
    kill -0 "$child"
    client_is orphan mask "$A"
    drom wait orphan
    kill -KILL "$child"
    nothing_left
}

@test "the program is killed: its CPUs come back at once" {
    background "$BIN" run --name victim --cpus "$A" -- "$GUESTS/plain" 60
    eventually "it is there" client_is victim mask "$A"
    kill -KILL "$(client victim pid)"
    ended 137
    [[ $(drom list --json | jq -c '.clients') == '[]' ]]
    nothing_left
}

@test "a newcomer takes from the owner and gives back" {
    has_guest regions-gcc
    two_cpus
    guest sim "$BOTH" "$GUESTS/regions-gcc"
    run drom run --ncpus 1 --name guest -- sh -c 'taskset -cp $$'
    [[ $status == 0 && $output =~ :\ ($A|$B)$ ]]
    eventually "the owner has both again" client_is sim mask "$BOTH"
    kill -TERM "$PID"
    ended 0
    grep -q ' regions, right$' "$WORK/out"
}

@test "--wait queues when there is no room, and starts when there is" {
    two_cpus
    sleeper stiff "$BOTH" --rigid
    owner=$PID
    for cpus in "--ncpus 1" "--cpus $A"; do
        # shellcheck disable=SC2086
        "$BIN" run --no-preload --wait $cpus -- echo started >"$WORK/waiter${cpus%% *}" 2>"$WORK/said${cpus%% *}" 3>&- &
        STARTED+=($!)
        eventually "it says that it waits" grep -qx 'drom: run: there is no room yet; waiting (drom list shows which clients have the CPUs)' "$WORK/said${cpus%% *}"
    done
    sleep 0.3
    [[ ! -s $WORK/waiter--ncpus && ! -s $WORK/waiter--cpus ]]
    kill -TERM "$owner"
    eventually "both start" grep -q started "$WORK/waiter--ncpus" "$WORK/waiter--cpus"
    eventually "the second, too" grep -q started "$WORK/waiter--cpus"
    nothing_left
}

@test "--wait --timeout does not wait without end behind a client that keeps its CPUs" {
    two_cpus
    sleeper stiff "$BOTH" --rigid
    before=$(drom list --json | jq -S 'del(.. | .released_ns?, .polls?, .adoptions?)')
    none="^drom: run: there was no room within 300 ms: "
    refuses 1 "${none}1 CPU wanted; 0 free and 0 more can be taken .*; ask for fewer, or wait until one ends$" drom run --wait --timeout 300 --ncpus 1 -- touch "$WORK/started"
    refuses 1 "${none}stiff \($(client stiff pid)\) keeps CPU $A; choose others, or wait until it ends$" drom run --wait --timeout 300 --cpus "$A" -- touch "$WORK/started"
    drom run --wait --timeout 50 --ncpus 1 --json -- true 2>/dev/null | jq -e '.status == "DROM_E_BUSY"'
    [[ ! -e $WORK/started && $(drom list --json | jq -S 'del(.. | .released_ns?, .polls?, .adoptions?)') == "$before" ]]
    background "$BIN" run --wait --timeout 60000 --ncpus 1 --no-preload -- touch "$WORK/started"
    eventually "it waits" grep -q waiting "$WORK/err"
    kill -KILL "$(client stiff pid)"
    ended 0
    [[ -e $WORK/started ]]
    # The time of both waits together: that for room, and that for owners who do not leave.
    background "$BIN" run --no-preload --name owner --cpus "$BOTH" -- "$GUESTS/plain" 60
    eventually "it is there" client_is owner mask "$BOTH"
    kill -STOP "$(client owner pid)"
    refuses 3 "posted; .*owner.* has not released its CPUs yet" drom run --wait --ncpus 1 --grace never --timeout 300 -- touch "$WORK/never"
    [[ ! -e $WORK/never ]]
    client_is owner want "$BOTH"
}

@test "a drom run that waits ends at once when the process that was to become its command is killed" {
    two_cpus
    sleeper stiff "$BOTH" --rigid
    background "$BIN" run --wait --ncpus 1 -- touch "$WORK/started"
    eventually "it waits" grep -q waiting "$WORK/err"
    kill -KILL "$(xargs <"/proc/$PID/task/$PID/children")"
    ended 1
    grep -q 'the process that waited to become the command was killed; start it again$' "$WORK/err"
    [[ ! -e $WORK/started && $(drom list --json | jq '.clients | length') == 1 ]]
}

@test "what waits can be ended, and what there can never be is refused at once" {
    two_cpus
    sleeper stiff "$BOTH" --rigid
    background env --default-signal=INT "$BIN" run --wait --ncpus 1 -- touch "$WORK/started"
    eventually "it waits" grep -q waiting "$WORK/err"
    kill -INT "$PID"
    ended 130
    [[ ! -e $WORK/started && $(drom list --json | jq '.clients | length') == 1 ]]
    refuses 1 "4000 CPUs wanted, but only [0-9]+ may be used here" drom run --wait --ncpus 4000 -- true
}

@test "a minimum that cannot be had is refused in words of drom run" {
    refuses 2 "^drom: run: --min 3 is more than --ncpus 1" drom run --min 3 --ncpus 1 -- true
    refuses 1 "^drom: run: 4000 CPUs wanted, but only" drom run --min 4000 -- true
    refuses 1 "^drom: run: 1 CPU asked, but the client needs at least 2" drom run --min 2 --cpus "$A" -- true
}

@test "DROM_MIN_CPUS and DROM_MAX_CPUS are not ignored: they are the defaults of --min and --max" {
    two_cpus
    DROM_MIN_CPUS=2 background "$BIN" run --no-preload --name owner --cpus "$BOTH" -- "$GUESTS/plain" 60
    eventually "it is there" client_is owner min 2
    refuses 1 "1 CPU wanted; 0 free and 0 more can be taken" drom run --ncpus 1 -- true
    DROM_MIN_CPUS=2 refuses 1 "^drom: run: 2 CPUs wanted \(DROM_MIN_CPUS=2\); 0 free and 0 more can be taken" drom run -- true
    kill -KILL "$(client owner pid)"
    ended 137
    [[ $(DROM_MAX_CPUS=1 drom run -- sh -c 'echo $OMP_NUM_THREADS; taskset -cp $$' | sed 's/.*: //' | xargs) =~ ^1\ ($A|$B)$ ]]
    [[ $(DROM_MAX_CPUS=1 drom run --max 2 -- sh -c 'echo $OMP_NUM_THREADS') == 2 ]]
    [[ $(DROM_MIN_CPUS=0 DROM_MAX_CPUS=0 drom run -- nproc) == 2 ]]
    DROM_MIN_CPUS=2 refuses 1 "^drom: run: 1 CPU asked, but the client needs at least 2 \(DROM_MIN_CPUS=2\); name more" drom run --cpus "$A" -- true
    DROM_MIN_CPUS=2 drom run --min 1 --cpus "$A" -- true
    DROM_MAX_CPUS=1 refuses 1 "^drom: run: 2 CPUs asked, but the client uses at most 1 \(DROM_MAX_CPUS=1\); name fewer" drom run --cpus "$BOTH" -- true
    DROM_MIN_CPUS=4000 refuses 1 "^drom: run: 4000 CPUs wanted \(DROM_MIN_CPUS=4000\), but only" drom run -- true
    OMP_NUM_THREADS=2 DROM_MAX_CPUS=1 run drom run -- true
    [[ $status == 0 && $output == *"begins with 2 threads and not with DROM_MAX_CPUS=1; unset it"* ]]
}

@test "owners that do not release in time: status 3, and nothing is started" {
    two_cpus
    background "$BIN" run --no-preload --name owner --cpus "$BOTH" -- "$GUESTS/plain" 60
    eventually "it is there" client_is owner mask "$BOTH"
    kill -STOP "$(client owner pid)"
    refuses 3 "posted; .*owner.* has not released its CPUs yet" drom run --ncpus 1 --grace never --timeout 50 -- touch "$WORK/started"
    [[ ! -e $WORK/started && $(drom list --json | jq '.clients | length') == 1 ]]
    kill -CONT "$(client owner pid)"
    drom wait owner
    client_is owner want "$BOTH"
}

@test "a signal ends the wait for CPUs at once, and nothing stays reserved" {
    two_cpus
    background "$BIN" run --no-preload --name owner --cpus "$BOTH" -- "$GUESTS/plain" 60
    eventually "it is there" client_is owner mask "$BOTH"
    kill -STOP "$(client owner pid)"
    for signal in INT TERM; do
        background env --default-signal=INT,TERM "$BIN" run --ncpus 1 --name newcomer --grace never --timeout 3000000 -- touch "$WORK/started"
        eventually "it waits" client newcomer pid
        kill -"$signal" "$PID"
        ended $((128 + $(kill -l "$signal"))) # within 90 seconds, not 50 minutes
        [[ ! -e $WORK/started && $(drom list --json | jq '.clients | length') == 1 ]]
        client_is owner want "$BOTH"
    done
    kill -CONT "$(client owner pid)"
}

@test "with --grace never, which is for others, a program on free CPUs starts" {
    drom run --no-preload --cpus "$A" --grace never --timeout 30000 -- touch "$WORK/started"
    DROM_GRACE_MS=never drom run --cpus "$A" -- rm "$WORK/started"
    [[ ! -e $WORK/started ]]
}

@test "CPUs outside the cgroup are refused, and nothing is left behind" {
    two_cpus
    [[ $EUID == 0 ]] || missing "not root, so no cgroup can be made"
    group=
    for root in /sys/fs/cgroup/cpuset /sys/fs/cgroup; do
        [[ -w $root/cgroup.procs && -e $root/cpuset.cpus || -w $root/cgroup.procs && -e $root/cgroup.controllers ]] || continue
        mkdir "$root/drom-test-$$" 2>/dev/null || continue
        group=$root/drom-test-$$
        { echo "$A" >"$group/cpuset.cpus" && { [[ ! -e $group/cpuset.mems ]] || cat "$root/cpuset.mems" >"$group/cpuset.mems"; }; } 2>/dev/null && break
        rmdir "$group"
        group=
    done
    [[ -n $group ]] || { mkdir "$WORK/cg" && mount -t cgroup -o cpuset none "$WORK/cg" 2>/dev/null && mkdir "$WORK/cg/drom-test-$$" &&
        group=$WORK/cg/drom-test-$$ && echo "$A" >"$group/cpuset.cpus" && cat "$WORK/cg/cpuset.mems" >"$group/cpuset.mems"; } ||
        missing "no cpuset cgroup can be made here"
    status=0
    out=$(bash -c "echo \$\$ >'$group/cgroup.procs' && exec '$BIN' run --cpus '$BOTH' -- true" 2>&1) || status=$?
    left=$(drom list --json | jq -c .clients)
    eventually "the group is empty" rmdir "$group"
    if mountpoint -q "$WORK/cg"; then umount "$WORK/cg"; fi
    [[ $status == 1 && $left == '[]' ]]
    [[ $out =~ "drom: run: CPU $B is outside this process's cgroup, which allows $A; choose among those" ]]
}

@test "names carry the rank, and that of a program is cut so that it is still there" {
    name_of() { drom run --json -- true 2>&1 | jq -r .name; }
    [[ $(name_of) == true ]]
    [[ $(OMPI_COMM_WORLD_RANK=3 name_of) == true.3 ]]
    [[ $(PMI_RANK=4 name_of) == true.4 ]]
    [[ $(SLURM_PROCID=5 SLURM_JOB_ID=88 SLURM_STEP_ID=0 name_of) == true.5 ]]
    [[ $(SLURM_JOB_ID=88 SLURM_STEP_ID=0 drom run --json -- true 2>&1 | jq -r .job) == 88.0 ]]
    ln -s "$(type -P true)" "$WORK/$(printf 'x%.0s' {1..31})"
    [[ $(PMI_RANK=17 drom run --json -- "$WORK"/xxx* 2>&1 | jq -r .name) == xxxxxxxxxxxxxxxxxxxxxxxxxxxx.17 ]]
}

@test "a job that is longer than the table has room for is refused, not cut" {
    run -2 drom run --job "$(printf 'j%.0s' $(seq 32))" -- true
    [[ $output == *"--job has 32 characters, and 31 are the most"* ]]
    run -0 drom run --job "$(printf 'j%.0s' $(seq 31))" -- true
}

@test "a name that was given is not cut behind its user's back to make room for the rank" {
    name=$(printf 'x%.0s' {1..29})
    PMI_RANK=17 refuses 2 "^drom: run: --name $name has 29 characters, and 28 are left beside the rank \(\.17\); shorten it" drom run --name "$name" -- true
    # All ranks of a job or none.
    PMI_RANK=3 PMI_SIZE=100 refuses 2 "28 are left beside the rank \(\.3\)" drom run --name "$name" -- true
    DROM_NAME=$name PMI_RANK=17 refuses 2 "^drom: run: DROM_NAME=$name has 29 characters, and 28 are left" drom run -- true
    [[ $(PMI_RANK=7 drom run --name "$name" --json -- true 2>&1 | jq -r .name) == "$name.7" ]]
    [[ $(drom run --name "$name" --json -- true 2>&1 | jq -r .name) == "$name" ]]
}

@test "under mpirun each rank is a client of its own" {
    two_cpus
    command -v mpirun >/dev/null || missing "no mpirun"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    background timeout 60 mpirun --bind-to none -np 2 "$BIN" run --ncpus 1 --name rank -- "$GUESTS/plain" 3
    eventually "both ranks are there" bash -c "[[ \$('$BIN' list --json | jq -c '[.clients[].name] | sort') == '[\"rank.0\",\"rank.1\"]' ]]"
    [[ $("$BIN" list --json | jq -c '[.clients[].mask] | sort') == "[\"$A\",\"$B\"]" ]]
    ended 0
    nothing_left
}

@test "a script's programs take the reservation over, one after the other" {
    has_guest regions-gcc
    cat >"$WORK/script" <<SCRIPT
#!/bin/sh
"$GUESTS/regions-gcc" 60 & first=\$!; echo \$first >"$WORK/first"; wait \$first
"$GUESTS/regions-gcc" 60 & second=\$!; echo \$second >"$WORK/second"; wait \$second
exit 5
SCRIPT
    chmod +x "$WORK/script"
    background "$BIN" run --name script --cpus "$A" -- "$WORK/script"
    takes_over() { [[ -s $1 && $(client script pid) == "$(<"$1")" && $(client script state) == live ]]; }
    eventually "the first has it" takes_over "$WORK/first"
    kill -KILL "$(<"$WORK/first")"
    eventually "the second has it" takes_over "$WORK/second"
    client_is script mask "$A"
    kill -KILL "$(<"$WORK/second")"
    ended 5
    nothing_left
}

@test "a program left in the background keeps its CPUs until it ends" {
    has_guest regions-gcc
    run drom run --verbose --name left --cpus "$A" -- sh -c "'$GUESTS/regions-gcc' 60 >/dev/null 2>&1 & echo \$! >'$WORK/pid'; while [ \"\$('$BIN' list --raw -o state 2>/dev/null)\" != live ]; do sleep 0.02; done"
    [[ $status == 0 && $output == *"goes on in the background and keeps its CPUs"* ]]
    client_is left mask "$A"
    kill -KILL "$(<"$WORK/pid")"
    nothing_left
}

@test "drom run inside drom run that asks for nothing has all CPUs of the outer one" {
    two_cpus
    drom run --cpus "$BOTH" --name outer -- "$BIN" run -- "$BIN" list --raw -o name,want >"$WORK/list"
    [[ $(<"$WORK/list") == "outer"$'\t'"$BOTH" ]]
    run drom run --cpus "$BOTH" -- "$BIN" run -- sh -c 'nproc; exit 7'
    [[ $status == 7 && $output == 2 ]]
    run drom run --cpus "$A" --name outer -- sh -c "'$BIN' run --verbose -- true; exit 3"
    [[ $status == 3 && $output == *"it runs inside outer ("*"), on its CPU $A; --ncpus gives it CPUs of its own"* ]]
    refuses 127 "^drom: run: no-such-command: command not found" drom run -- "$BIN" run -- no-such-command
    nothing_left
}

@test "drom run inside drom run follows a request to the outer one" {
    two_cpus
    background "$BIN" run --name outer --cpus "$BOTH" -- "$BIN" run -- sh -c 'echo inside; exec sleep 60'
    eventually "it runs" grep -q inside "$WORK/out"
    drom set outer "$A"
    [[ $(taskset -cp "$(client outer pid)") == *"list: $A" ]]
}

@test "drom run inside drom run takes from the outer one and gives back" {
    two_cpus
    run drom run --cpus "$BOTH" --name outer -- sh -c "'$BIN' run --ncpus 1 --name inner -- '$BIN' list --raw -o name,want"
    [[ $status == 0 && ${#lines[@]} == 2 && ${lines[0]} =~ ^outer.($A|$B)$ && ${lines[1]} =~ ^inner.($A|$B)$ && ${lines[0]##*$'\t'} != "${lines[1]##*$'\t'}" ]]
    nothing_left
}

@test "pipes end when the program closes them, not when drom run ends" {
    mkfifo "$WORK/pipe"
    "$BIN" run --name quiet -- sh -c 'echo text; exec >&- 2>&-; sleep 60' >"$WORK/pipe" 2>/dev/null 3>&- &
    STARTED+=($!)
    [[ $(timeout 10 cat "$WORK/pipe") == text ]]
    client quiet pid
}

@test "standard input reaches the program" {
    [[ $(echo words | "$BIN" run -- cat) == words ]]
}

@test "--json reports on stderr what was done" {
    report=$(drom run --json --cpus "$A" --name told --job 9.1 -- sh -c 'exit 3' 2>&1 >/dev/null) || true
    jq -e --arg a "$A" '.schema == "drom.run/1" and .name == "told" and .job == "9.1" and .mask == $a and .exit == 3 and .signal == null
        and .run_ns > 0 and .reserve_ns > 0 and .threads == 1' <<<"$report"
}

@test "twenty at once on two CPUs: each runs, or is refused; nothing is left behind" {
    pids=()
    for i in {1..20}; do
        "$BIN" run --ncpus 1 -- "$GUESTS/plain" 0.05 >/dev/null 2>>"$WORK/err" 3>&- &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do
        status=0
        wait "$pid" || status=$?
        [[ $status == 0 || $status == 1 ]] || { echo "status $status"; cat "$WORK/err"; false; } >&2
    done
    run ! grep -Ev '^drom: run: 1 CPU wanted; 0 free and 0 more can be taken|^drom: run: CPU ' "$WORK/err"
    nothing_left
}
