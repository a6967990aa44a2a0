#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# signals.bats - drom run between a sender of signals and its program: what it passes on, what stops it, what ends it.

bats_require_minimum_version 1.5.0

load support

setup_file() { build_guests; }

@test "no signal that another process sends leaves the program running without drom run" {
    for signal in INT TERM HUP QUIT USR1 USR2 WINCH ALRM VTALRM PROF IO PWR XCPU XFSZ URG ABRT PIPE SYS STKFLT \
        TRAP BUS FPE SEGV ILL RTMIN RTMIN+7 RTMAX; do
        # A shell starts what runs in the background with INT and QUIT ignored.
        background env --default-signal=INT,QUIT,PIPE,XFSZ "$BIN" run --no-preload --name trap -- \
            bash -c "trap 'exit 42' $signal; echo ready; while :; do sleep 0.02 & wait \$!; done"
        eventually "it is ready" grep -q ready "$WORK/out"
        kill "-$signal" "$PID"
        ended 42 || { echo "$signal" >&2; false; }
        nothing_left # its last sleep has the CPUs until it ends
    done
}

@test "a signal that the program does not catch ends it, and drom run as it" {
    for signal in ABRT PIPE SYS SEGV RTMIN+7 RTMAX; do
        background env --default-signal=PIPE "$BIN" run --no-preload --name plain -- "$GUESTS/plain" 60
        eventually "the program runs" client_is plain state reserved
        eventually "the program runs" grep -q plain "/proc/$(client plain pid)/comm"
        kill "-$signal" "$PID"
        ended $((128 + $(kill -l "$signal"))) || { echo "$signal" >&2; false; }
    done
    nothing_left
}

# receives PROGRAM SIGNAL: a program that waits for the signal four times, and prints for each whether it has a value,
# and which.
receives() {
    cat >"$1.c" <<'SOURCE'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
    sigset_t set;
    siginfo_t info;
    sigemptyset(&set);
    sigaddset(&set, atoi(argv[argc - 1]));
    sigprocmask(SIG_BLOCK, &set, NULL);
    for (int i = 0; i < 4 && puts("ready") >= 0 && fflush(stdout) == 0; ++i)
        if (sigwaitinfo(&set, &info) > 0) printf("%d:%d ", info.si_code == SI_QUEUE, info.si_code == SI_QUEUE ? info.si_value.sival_int : 0);
    return 0;
}
SOURCE
    gcc "$1.c" -o "$1"
    background "$BIN" run --no-preload --name receiver -- "$1" "$(kill -l "$2")"
    eventually "it is ready" grep -q ready "$WORK/out"
}

@test "a checkpoint tool's real-time signals come all, in order, with their values" {
    receives "$WORK/receiver" RTMIN+3
    for value in 7 8; do
        kill -RTMIN+3 "$PID"
        env kill --queue "$value" -s RTMIN+3 "$PID"
    done
    ended 0
    [[ $(grep -o '[01]:[0-9]' "$WORK/out" | xargs) == "0:0 1:7 0:0 1:8" ]]
}

@test "a signal that the kernel sends for a child, too, is passed on when a process has sent it" {
    receives "$WORK/receiver" CHLD
    for count in 1 2 3 4; do
        eventually "it has had the one before" bash -c "[[ \$(grep -c ready '$WORK/out') == $count ]]"
        kill -CHLD "$PID"
    done
    ended 0
}

@test "a program gets a signal to its own process group once, and none that it sends to its parent" {
    cat >"$WORK/sender.c" <<'SOURCE'
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
    sigset_t all;
    int seen[65] = {0}, number, ready[2];
    char byte;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    if (pipe(ready) != 0) return 1;
    const pid_t child = fork();
    if (child == 0) {
        kill(0, SIGRTMIN + 5);
        if (write(ready[1], "", 1) == 1) pause();
    }
    kill(0, SIGUSR1);
    kill(0, SIGRTMIN + 3);
    kill(getppid(), SIGTERM);
    kill(getppid(), SIGRTMIN + 4);
    if (read(ready[0], &byte, 1) != 1 || puts("ready") < 0 || fflush(stdout) != 0) return 1;
    while (sigwait(&all, &number) == 0 && number != SIGRTMAX) ++seen[number];
    for (number = 1; number < 65; ++number)
        if (seen[number] > 0) printf("%d:%d ", number, seen[number]);
    kill(child, SIGKILL);
    return 0;
}
SOURCE
    gcc "$WORK/sender.c" -o "$WORK/sender"
    background setsid "$BIN" run --no-preload --name sender -- "$WORK/sender" # a group without this shell
    eventually "it has sent all" grep -q ready "$WORK/out"
    kill -RTMAX "$PID" # the largest number: drom run reads it after the others
    ended 0
    cat "$WORK/out"
    [[ $(tail -n 1 "$WORK/out") == "$(kill -l USR1):1 $(kill -l RTMIN+3):1 $(kill -l RTMIN+5):1 " ]]
    nothing_left
}

@test "a signal to its own process group, and the end at once, end neither drom verify nor drom run" {
    echo "trap '' TERM; kill -TERM 0; exit \$1" >"$WORK/quick"
    background setsid "$BIN" verify --runs 1 --no-record -- sh "$WORK/quick" 0
    ended 1
    grep -q "^not verified: " "$WORK/out" "$WORK/err"
    background setsid "$BIN" run --no-preload -- sh "$WORK/quick" 7
    ended 7
}

@test "what a program can tell of drom run is what docs/user/troubleshooting.md says" {
    cat >"$WORK/tell.py" <<'SOURCE'
import os, signal, subprocess, sys
def stat(pid):
    return open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()
launcher, starter = os.getppid(), int(sys.argv[1])
print("parent", open(f"/proc/{launcher}/comm").read().strip())
print("its parent", int(stat(launcher)[1]) == starter)
print("same group and session", stat(launcher)[2:4] == stat("self")[2:4])
orphan = subprocess.run(["sh", "-c", "sleep 60 >/dev/null & echo $!"], stdout=subprocess.PIPE, text=True).stdout.strip()
print("orphan's parent", int(stat(orphan)[1]) == launcher)
os.kill(int(orphan), signal.SIGKILL)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGRTMIN})
os.kill(launcher, signal.SIGTERM)
print("ready", flush=True)
print("from outside", [signal.sigwait({signal.SIGRTMIN}) == signal.SIGRTMIN for _ in range(2)])
SOURCE
    background setsid bash -c "trap 'echo a signal to its parent came on' TERM; trap : RTMIN; $BIN run --no-preload -- python3 $WORK/tell.py \$\$; echo ended \$?"
    eventually "it is ready" grep -q ready "$WORK/out"
    kill -RTMIN -- "-$PID"
    ended 0
    diff "$WORK/out" - <<'TOLD'
parent drom
its parent True
same group and session True
orphan's parent True
ready
from outside [True, True]
ended 0
TOLD
}

@test "a hangup does not end the wait for room of a drom run that nohup has started" {
    two_cpus
    sleeper stiff "$BOTH" --rigid
    background nohup "$BIN" run --no-preload --wait --ncpus 1 -- touch "$WORK/ran"
    eventually "it waits" grep -q waiting "$WORK/err"
    kill -HUP "$PID"
    sleep 0.5
    kill -KILL "$(client stiff pid)"
    ended 0
    [[ -e $WORK/ran ]]
}

@test "the alarm that a script set before it became drom run ends the program" {
    command -v perl >/dev/null || missing "no perl"
    background perl -e 'alarm 1; exec @ARGV' "$BIN" run --no-preload -- "$GUESTS/plain" 60
    ended 142
    nothing_left
}

@test "a stop from outside stops both, and CONT continues both" {
    # In a process group of its own, below this shell. The kernel drops TSTP in a group of which no parent is left in
    # the session. That is so when the shell of a terminal or of a build machine has gone.
    set -m
    background "$BIN" run --name nap -- "$GUESTS/plain" 60
    set +m
    eventually "it is there" client nap pid
    child=$(client nap pid)
    kill -TSTP "$PID"
    eventually "the program stops" state_is "$child" T
    eventually "drom run stops" state_is "$PID" T
    kill -CONT "$PID"
    eventually "the program goes on" state_is "$child" S
    eventually "drom run goes on" state_is "$PID" S
    kill -TERM "$PID"
    ended 143
}

state_is() { [[ $(sed -n 's/^State:\t\(.\).*/\1/p' "/proc/$1/status") == "$2" ]]; }

# terminal SCRIPT: a shell with job control carries the script out in a terminal of its own. Text written to descriptor
# 9 is typed there; what appears is in $WORK/screen.
terminal() {
    mkfifo "$WORK/keys"
    echo "set -m; $1" >"$WORK/typed"
    exec 9<>"$WORK/keys"
    script -qefc "env --default-signal=INT,QUIT,TSTP bash $WORK/typed" "$WORK/screen" <&9 >"$WORK/out" 2>&1 3>&- &
    PID=$!
    STARTED+=("$PID")
}

@test "drom run that waits for room is stopped by ^Z, continued by fg and ended by ^C, and the terminal is free" {
    two_cpus
    sleeper stiff "$BOTH" --rigid
    terminal "$BIN run --wait --ncpus 1 -- touch $WORK/started; echo stopped: \$?; fg"
    eventually "it waits" grep -q waiting "$WORK/screen"
    printf '\032' >&9
    eventually "^Z stops it" grep -q "stopped: 148" "$WORK/screen"
    eventually "fg continues it" grep -qx "$BIN run --wait.*" "$WORK/screen"
    printf '\003' >&9
    ended 130
    [[ ! -e $WORK/started && $(drom list --json | jq '.clients | length') == 1 ]]
}

@test "a ^Z while drom run waits does not stop the program that it starts later" {
    two_cpus
    sleeper stiff "$BOTH" --rigid
    owner=$PID
    terminal "$BIN run --wait --ncpus 1 -- touch $WORK/ran; echo stopped: \$?; kill $owner; kill -CONT \$(jobs -p); until [[ -e $WORK/ran ]]; do sleep 0.1; done"
    eventually "it waits" grep -q waiting "$WORK/screen"
    printf '\032' >&9
    eventually "^Z stops it" grep -q "stopped: 148" "$WORK/screen"
    eventually "the program runs" test -e "$WORK/ran"
    nothing_left
}

@test "a program that stops itself gives the terminal back, and fg continues it" {
    terminal "$BIN run -- sh -c 'kill -STOP \$\$; echo goes on'; echo stopped: \$?; fg; echo ended: \$?"
    eventually "the terminal is free and the program goes on" grep -q "ended: 0" "$WORK/screen"
    grep -q "stopped: 147" "$WORK/screen"
    grep -q "goes on" "$WORK/screen"
    nothing_left
}

@test "a stopped program does not seem to have started another process" {
    set -m
    background "$BIN" run --no-preload --name nap --cpus "$A" -- "$GUESTS/plain" 60
    set +m
    eventually "it is there" client nap pid
    kill -TSTP "$PID"
    eventually "drom run stops" state_is "$PID" T
    eventually "its helper is there" bash -c "[[ \$(cat /proc/$PID/task/$PID/children | wc -w) == 2 ]]"
    for look in {1..5}; do
        [[ $(client nap descendants) == '[]' && $(drom list --raw -o name,processes) == $'nap\t1' ]]
    done
    [[ $(drom list) != *PROCESSES* ]]
    kill -KILL "$(client nap pid)"
    ended 137
    nothing_left
}

@test "drom run goes on with a program that another process has stopped and continued" {
    for signal in STOP TTIN TTOU; do
        set -m
        background "$BIN" run --name nap -- "$GUESTS/plain" 60
        set +m
        eventually "it is there" client_is nap state reserved
        child=$(client nap pid)
        eventually "the program runs" grep -q plain "/proc/$child/comm"
        kill "-$signal" "$child"
        eventually "drom run stops" state_is "$PID" T
        kill -CONT "$child"
        eventually "drom run goes on" state_is "$PID" S
        kill -TERM "$child"
        ended 143
    done
    nothing_left
}
