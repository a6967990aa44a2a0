#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# table.bats - tables that are missing, damaged, foreign or removed, and clients that are none. Nothing is preloaded
# here.

bats_require_minimum_version 1.5.0
load support

setup_file() { build_guests; }

@test "no table: every verb says so, none creates it" {
    for command in "list" "set 1 0" "shrink 1 1" "expand 1 1" "add 1 0" "remove 1 0" "drain 0" "restore 0" "wait 1" "watch" "explain 1" "stats" "top" "metrics" "trace t.json" "advise" "check"; do
        # shellcheck disable=SC2086
        refuses 1 "^drom: open table $DROM_TABLE: there is none; start a program with drom run, or set DROM_TABLE" drom $command
    done
    [[ ! -e $DROM_TABLE ]]
}

@test "a table without a ledger is refused" {
    mkdir -m 700 "$DROM_TABLE"
    refuses 1 "the directory holds no ledger" drom list
}

# on_small SIZE SCRIPT: runs the script where $1/small is a file system of this size with the table; $2 is drom.
on_small() {
    [[ $EUID == 0 ]] || missing "not root, so no small file system can be mounted"
    mkdir "$WORK/small"
    unshare --mount mount -t tmpfs -o "size=$1" none "$WORK/small" || missing "no mount namespaces"
    # shellcheck disable=SC2016
    run --separate-stderr unshare --mount bash -c 'mount -t tmpfs -o "size=$3" none "$1/small" || exit 77
        export DROM_TABLE=$1/small/table'$'\n'"$2" bash "$WORK" "$BIN" "$1"
}

@test "a full file system is said when a table is to be made; nothing is run, nothing is left" {
    # shellcheck disable=SC2016
    on_small 16k '
        "$2" run --no-preload -- touch "$1/ran"; echo "status $?"
        "$2" run --no-preload --json -- touch "$1/ran" >"$1/json" 2>/dev/null; echo "status $?"
        "$2" list; echo "status $?"
        find "$1/small" -mindepth 1; unset DROM_TABLE; export DROM_TABLE=$1/elsewhere; "$2" run --no-preload -- echo runs'
    # shellcheck disable=SC2154
    echo "$output / $stderr"
    [[ $status == 0 && $output == $'status 1\nstatus 1\nstatus 1\nruns' && ! -e $WORK/ran ]]
    [[ $stderr =~ "drom: create table $WORK/small/table: No space left on device ("[0-9]+" KiB needed); remove files there, or set DROM_TABLE to a directory that has room" ]]
    [[ $stderr =~ "there is none; start a program with drom run" ]]
    jq -e '.status == "DROM_E_FULL" and (.error | contains("No space left"))' "$WORK/json"
}

@test "a file system that has become full is said when a program is to join, with what helps" {
    # shellcheck disable=SC2016
    on_small 2m '
        "$2" run --no-preload -- true; echo "status $?"
        cat /dev/zero >"$1/small/full" 2>/dev/null
        "$2" run --no-preload -- touch "$1/ran"; echo "status $?"
        rm "$1/small/full"
        "$2" run --no-preload -- echo runs'
    echo "$output / $stderr"
    [[ $output == $'status 0\nstatus 1\nruns' && ! -e $WORK/ran ]]
    [[ $stderr == *"No space left on device; remove files there, or set DROM_TABLE to a directory that has room" ]]
}

@test "the directory of all users' files is no table, and drom does not tell to close it to them" {
    mkdir -m 1777 "$WORK/shm"
    DROM_TABLE=$WORK/shm refuses 1 "^drom: open table $WORK/shm: the directory is there for the files of all users; name one inside it$" drom list
    DROM_TABLE=$WORK/shm refuses 1 "name one inside it$" drom run -- touch "$WORK/ran"
    [[ ! -e $WORK/ran ]]
}

@test "a table that could not be created leaves no directory behind, and takes none that was there" {
    # shellcheck disable=SC2016
    limited=(bash -c 'ulimit -f 0; exec "$0" run --no-preload -- true' "$BIN")
    refuses 1 "create table .*: File too large" "${limited[@]}"
    [[ ! -e $DROM_TABLE ]]
    mkdir -m 0700 "$DROM_TABLE"
    refuses 1 "create table .*: File too large" "${limited[@]}"
    [[ -d $DROM_TABLE ]]
}

@test "a limit of a file's size is named, and kills nothing" {
    # shellcheck disable=SC2016
    refuses 1 "create table .*: File too large \([0-9]+ KiB needed\); raise the limit of a file's size \(ulimit -f\)" \
        bash -c 'ulimit -f 0; exec "$0" run --no-preload -- touch "$1/ran"' "$BIN" "$WORK"
    drom run --no-preload -- true
    # shellcheck disable=SC2016
    refuses 1 "File too large; raise the limit of a file's size \(ulimit -f\)" \
        bash -c 'ulimit -f 0; exec "$0" run --no-preload -- touch "$1/ran"' "$BIN" "$WORK"
    [[ ! -e $WORK/ran ]]
    free_is "$BOTH"
}

@test "a table that others may write to is refused" {
    drom run --no-preload -- true
    chmod 0777 "$DROM_TABLE"
    refuses 1 "others may write to the directory \(mode 0777\); chmod 0700 it" drom list
}

@test "a symbolic link in place of the table is not followed, and that is said" {
    mkdir -m 700 "$WORK/real"
    ln -s "$WORK/real" "$DROM_TABLE"
    link="^drom: open table $DROM_TABLE: it is not a directory, or a symbolic link, which is not followed; name the directory itself$"
    refuses 4 "$link" drom run --no-preload -- touch "$WORK/ran"
    refuses 4 "$link" drom list
    [[ ! -e $WORK/ran && -z $(ls "$WORK/real") ]]
    # On the way to the table a link is followed.
    ln -s "$WORK" "$WORK/way"
    DROM_TABLE=$WORK/way/real drom run --no-preload -- "$BIN" check
    [[ -f $WORK/real/ledger ]]
}

@test "a damaged table is refused with status 4 and not repaired" {
    drom run --no-preload -- true
    printf 'garbage!' | dd of="$DROM_TABLE/ledger" conv=notrunc status=none
    before=$(md5sum <"$DROM_TABLE/ledger")
    refuses 4 "its ledger does not begin like one; stop its clients and remove the directory" drom list
    refuses 4 "its ledger does not begin like one" drom check
    refuses 4 "its ledger does not begin like one" drom run --no-preload -- true
    [[ $(md5sum <"$DROM_TABLE/ledger") == "$before" ]]
}

@test "a table that was cut off is refused with status 4" {
    drom run --no-preload -- true
    truncate -s 4096 "$DROM_TABLE/ledger"
    refuses 4 "its ledger (has been cut or has grown|is too short)" drom list
}

@test "a table with a wrong checksum is refused with status 4" {
    drom run --no-preload -- true
    # The checksum's place in the header: libdrom/shmem/layout.hpp.
    printf '\xff' | dd of="$DROM_TABLE/ledger" bs=1 seek=104 conv=notrunc status=none
    refuses 4 "its header's checksum is wrong" drom list
    [[ $(drom list --json 2>/dev/null | jq -r .status) == DROM_E_CORRUPT ]]
}

@test "a table of another layout version is refused" {
    drom run --no-preload -- true
    printf '\x63' | dd of="$DROM_TABLE/ledger" bs=1 seek=8 conv=notrunc status=none
    refuses 1 "it has layout version 99 and this is [0-9]+; use the drom that made it" drom list
}

@test "a table of another build, with other structs, is refused" {
    drom run --no-preload -- true
    printf '\x63' | dd of="$DROM_TABLE/ledger" bs=1 seek=16 conv=notrunc status=none
    refuses 1 "another version of drom made it, with another layout \([0-9a-f]+, this is [0-9a-f]+\); use that one, or" drom list
    refuses 1 "another version of drom made it" drom run --no-preload -- true
    [[ $(drom list --json 2>/dev/null | jq -r .status) == DROM_E_VERSION ]]
}

@test "a table that is removed while in use: its client runs on, every command is told, none is formed anew" {
    sleeper idle "$A"
    run_pid=$PID
    child=$(client idle pid)
    background "$BIN" watch
    watch_pid=$PID
    sleep 0.2
    rm -r "$DROM_TABLE"
    for command in list "set idle $A" "shrink idle 1" "expand idle 1" "add idle $A" "remove idle $A" "drain $A" "restore $A" "wait idle" watch "explain idle" "stats idle --window 1" check; do
        # shellcheck disable=SC2086
        refuses 1 "^drom: open table $DROM_TABLE: it was removed while in use, and process [0-9]+ still has its CPUs by it; end" drom $command
    done
    PID=$watch_pid
    ended 1
    grep -q "it was removed while in use" "$WORK/err"
    kill -0 "$child"
    [[ ! -e $DROM_TABLE ]]
    # CPUs would have two owners.
    refuses 1 "it was removed while in use, and process [0-9]+ still has its CPUs by it; end that process, or name another table" \
        drom run --no-preload --name second -- true
    [[ ! -e $DROM_TABLE ]]
    kill "$child"
    PID=$run_pid
    ended 143
    drom run --no-preload --name second -- true
}

@test "a message does not overwrite the table of one who has closed the streams" {
    sleeper live "$A"
    "$BIN" shrink nobody 1 >&- 2>&- || [[ $? == 1 ]]
    "$BIN" run --cpus 4095 -- true <&- >&- 2>&- || [[ $? == 1 ]]
    "$BIN" run --no-preload -- sh -c ': >&2' 2>&- && false # closed for the program, too
    [[ $(drom list live --raw -o name) == live ]]
    drom check
}

@test "a table that is named from where one stands is the same one from elsewhere" {
    mkdir -p "$WORK/here/there"
    cd "$WORK/here"
    DROM_TABLE=mine background "$BIN" run --no-preload --name rover --cpus "$A" -- sh -c 'cd there; "$1" list --raw -o name; echo "$DROM_TABLE"; exec sleep 60' sh "$BIN"
    eventually "it has listed" grep -q mine "$WORK/out"
    [[ $(<"$WORK/out") == "rover
$WORK/here/mine" ]]
    [[ ! -e there/mine ]]
}

@test "dead pids, strangers, unknown slots and names" {
    sleeper one "$A"
    sh -c 'exit 0' & gone=$!
    wait "$gone"
    refuses 1 "there is no such process" drom set "$gone" "$A"
    refuses 1 "the process is no client; start it with drom run" drom set $$ "$A"
    refuses 1 "the process is no client; start it with drom run" drom explain $$
    refuses 1 "slot 77 holds no client; drom list shows those that do" drom set '#77' "$A"
    refuses 1 "'#x' is not a slot; a slot is written '#3'" drom set '#x' "$A"
    refuses 1 "no client is called 'nobody'; drom list shows those there are" drom wait nobody
    refuses 1 "'0' is not a pid" drom set 0 "$A"
    refuses 1 "'99999999999' is not a pid" drom set 99999999999 "$A"
    refuses 1 "process $$ is not a client of" drom list $$
}

@test "a client is named by pid, by the pid of its drom run, by slot and by name" {
    sleeper one "$A"
    launcher=$PID
    pid=$(client one pid)
    for name in "$pid" "$launcher" "#$(client one slot)" one; do
        [[ $(drom list "$name" -o pid --raw) == "$pid" ]]
    done
}

@test "a name that two clients have is ambiguous" {
    two_cpus
    sleeper twin "$A"
    background "$BIN" run --no-preload --name twin --cpus "$B" -- "$GUESTS/plain" 60
    eventually "both" free_is ""
    refuses 1 "2 clients are called 'twin': [0-9]+, [0-9]+; name one by its pid" drom set twin "$A"
}

@test "CPUs that do not exist are refused, in words" {
    sleeper one "$A"
    refuses 1 "CPU 4000 is beyond this table's [0-9]+ CPUs" drom set one "$A,4000"
    refuses 1 "CPU 4000 is beyond this table's" drom drain 4000
    refuses 1 "MASK 'core:4000': there is no core 4000, only [0-9]+ of them" drom set one core:4000
    refuses 1 "cpus 'core:4000': there is no core 4000, only [0-9]+ of them" drom run --cpus core:4000 -- true
    refuses 1 "to 4000 CPUs: it has 1; the node has fewer too" drom shrink one 4000
    refuses 1 "to 4000 CPUs: it has 1 and only [0-9]+ more can be given" drom expand one 4000
    [[ $(client one mask) == "$A" ]]
}

@test "the last CPU cannot be taken, nor one that is not there" {
    two_cpus
    sleeper one "$A"
    refuses 1 "nothing would be left of CPU $A of client [0-9]+ \(one\); a client keeps at least one" drom remove one "$A"
    refuses 1 "CPU $B is not one of client [0-9]+ \(one\), which has $A" drom remove one "$B"
    refuses 1 "to 2 CPUs: it has 1; use expand to give more" drom shrink one 2
}

@test "a CPU of another client is refused and that client named; --take moves it, never below a minimum" {
    two_cpus
    sleeper one "$A"
    sleeper two "$B"
    refuses 1 "CPU $B belongs to .*two.*; use --take" drom set one "$BOTH"
    refuses 1 "CPU $B belongs to .*two.*, which would be left with 0 CPUs and needs 1" drom set one "$BOTH" --take
    refuses 1 "CPU $B belongs to" drom add one "$B"
}

@test "one of anything is not said to be several" {
    two_cpus
    sleeper one "$BOTH" --min 2
    refuses 1 "1 CPU asked, but the client needs at least 2" drom set one "$A"
    refuses 1 "to 1 CPU: " drom expand one 1
    drom check | grep -Eq "sound, 1 client, [0-9]+ of [0-9]+ CPUs free"
    [[ $(drom check; drom list; drom explain one --sample 1) != *" 1 "@(CPUs|clients|threads|polls)* ]]
}

@test "a client that cannot grow says how it could have been started" {
    two_cpus
    background "$BIN" run --name small --ncpus 1 --max 1 --no-preload -- "$GUESTS/plain" 60
    eventually "it is there" client small pid
    refuses 1 "2 CPUs asked, but the client uses at most 1; drom run --max 2 starts it so that it can grow" drom expand small 2
}

@test "expand proposes what would help" {
    two_cpus
    sleeper one "$A"
    others=$(($(drom list --json | jq .cpus) + 1))
    refuses 1 "to $others CPUs: it has 1 and only [0-9]+ more can be given; the node has no more" drom expand one "$others"
    drom drain "$B"
    refuses 1 "more can be given; drom restore gives back CPU $B, drained now" drom expand one "$others"
    drom restore "$B"
    PID_OF_ONE=$PID
    sleeper two "$B"
    refuses 1 "more can be given; the others need theirs" drom expand one "$others"
    refuses 1 "CPU $B belongs to .*two.*, which would be left with 0 CPUs and needs 1; drain fewer CPUs, or end it first" drom drain "$B"
    kill "$PID_OF_ONE"
}

@test "with --quiet a request that is done says nothing" {
    two_cpus
    sleeper one "$BOTH"
    for command in "set one $A" "set one $A" "expand one 2" "shrink one 1" "drain $B" "restore $B" "wait one"; do
        # shellcheck disable=SC2086
        run drom -q $command
        [[ $status == 0 && -z $output ]] || { echo "$command: $output" >&2; false; }
    done
}

@test "with --quiet a request that is pending is told by the exit status alone" {
    two_cpus
    sleeper one "$BOTH"
    kill -STOP "$(client one pid)"
    for command in "set one $A --grace never --timeout 50" "wait one --grace never --timeout 50"; do
        # shellcheck disable=SC2086
        run drom -q $command
        [[ $status == 3 && -z $output ]] || { echo "$command: $status: $output" >&2; false; }
    done
    kill -CONT "$(client one pid)"
}

@test "messages name the verb that was typed" {
    drom run --no-preload -- true
    refuses 1 "^drom: shrink: there is no such process" drom shrink 999999 1
    refuses 1 "^drom: set: there is no such process" drom set 999999 "$A"
}

@test "a rigid client's CPUs are not taken" {
    two_cpus
    sleeper stiff "$BOTH" --rigid
    for command in "remove stiff $A" "set stiff $A" "shrink stiff 1" "drain $A"; do
        # shellcheck disable=SC2086
        refuses 1 "rigid" drom $command
    done
    refuses 1 "^drom: shrink [0-9]+: the client is rigid: it keeps its CPUs until it ends" drom shrink stiff 1
    client_is stiff want "$BOTH"
    refuses 1 "1 CPU wanted; 0 free and 0 more can be taken" drom run --no-preload --ncpus 1 -- true
    refuses 1 "CPU $B belongs to .*stiff.*, which is rigid" drom run --no-preload --cpus "$B" -- true
    [[ $(client stiff rigid) == true ]]
}

@test "drain empties a CPU, no client is given it, restore hands it back" {
    two_cpus
    sleeper one "$BOTH"
    drom drain "$B"
    client_is one mask "$A"
    [[ $(drom list --json | jq -r .drained) == "$B" ]]
    drom list | grep -q "drained: $B"
    refuses 1 "CPU $B is drained; drom restore gives it back" drom set one "$BOTH"
    drom restore "$B"
    eventually "it has both again" client_is one mask "$BOTH"
}

@test "what is done already is done twice without a complaint, and that is said" {
    two_cpus
    sleeper one "$A"
    for verb in shrink expand; do
        run drom $verb one 1
        [[ $status == 0 && $output == "one ("*"): has $A already" ]]
        [[ $(drom $verb one 1 --json | jq -r .status) == DROM_UNCHANGED ]]
    done
    run drom restore "$BOTH"
    [[ $status == 0 && $output == "$BOTH: not drained, so there is nothing to restore" ]]
    drom drain "$B"
    run drom drain "$B"
    [[ $status == 0 && $output == "$B: drained already" ]]
    run drom restore "$B"
    [[ $status == 0 && $output == "$B: restored" ]]
}

@test "a second drain waits for a client that the first has not got rid of yet" {
    two_cpus
    sleeper one "$BOTH"
    kill -STOP "$(client one pid)"
    drom drain "$B" --no-wait --quiet
    refuses 3 "posted; .*one.* has not released its CPUs yet" drom drain "$B" --grace never --timeout 50
    drom drain "$B" --grace now
    client_is one mask "$A"
}

@test "waiting for a request that was never posted is refused" {
    sleeper one "$A"
    refuses 1 "^drom: wait [0-9]+: request 99999 has not been posted; the newest is 1$" drom wait one --seq 99999
    drom wait one --seq 1
}

@test "a table is not made among other files" {
    mkdir -m 700 "$DROM_TABLE"
    echo dear >"$DROM_TABLE/precious"
    refuses 1 "^drom: create table $DROM_TABLE: the directory holds other things \(precious\); name one that is new or empty" drom run --no-preload -- true
    [[ $(ls "$DROM_TABLE") == precious && $(<"$DROM_TABLE/precious") == dear ]]
    rm "$DROM_TABLE/precious"
    drom run --no-preload -- true
    [[ -f $DROM_TABLE/ledger ]]
}

@test "wait: a request that exists is released" {
    sleeper one "$A"
    run drom wait one
    [[ $status == 0 && $output == "one ("*"): request 1 is "* ]]
    [[ $(drom wait one --json | jq -r .schema) == drom.wait/1 ]]
}

@test "a stopped client with grace never: posted, status 3, and explained; grace now frees the CPU" {
    two_cpus
    sleeper one "$BOTH"
    kill -STOP "$(client one pid)"
    refuses 3 "posted; .*one.* has not released its CPUs yet; it has not joined, so it is only moved from outside, and --grace never .* forbids that; drom wait [0-9]+ --grace now does it$" drom set one "$A" --grace never --timeout 50
    [[ $(drom set one "$A" --grace never --timeout 50 --json 2>/dev/null | jq -r .status) == DROM_PENDING ]]
    drom explain one --sample 1 | grep -q "is posted, .* ago, and not released: the process is stopped"
    refuses 3 "has not released its CPUs yet" drom wait one --grace never --timeout 50
    drom wait one --grace now
    client_is one mask "$A"
}

@test "--fast with --grace never: the client that cannot move by itself is named with the reason" {
    two_cpus
    sleeper one "$BOTH"
    kill -STOP "$(client one pid)"
    background "$BIN" run --no-preload --name newcomer --cpus "$B" --fast --grace never --timeout 30000 -- "$GUESTS/plain" 60
    eventually "it runs" client_is newcomer request confined
    kill -CONT "$(client one pid)"
    drom wait one --grace now
    kill -KILL "$(client one pid)"
    eventually "it may have both" drom set newcomer "$BOTH"
    refuses 3 "client $(client newcomer pid) \(newcomer\) has not released .*; it has not joined, so it is only moved from outside, and --grace never" \
        drom set newcomer "$A" --fast --grace never --timeout 50
}

@test "a release from outside has its time, as set, list and explain say it" {
    two_cpus
    sleeper one "$BOTH"
    run drom set one "$A" --grace now
    [[ $status == 0 && $output =~ released\ by\ confinement\ after\ [0-9.]+\ [um]s$ ]]
    drom list --json | jq -e '.clients[0] | .confined == .seq and .released_ns > .posted_ns'
    drom explain one --sample 1 | grep -Eq "Request 2 \(CPU $A\) is released after [0-9.]+ [um]s, by confinement from outside"
}

@test "--no-wait posts, says so once, and returns 0" {
    two_cpus
    sleeper one "$BOTH" --job j1
    kill -STOP "$(client one pid)"
    run --separate-stderr drom set one "$A" --no-wait
    [[ $status == 0 && $output == "one ("*"): $BOTH -> $A, posted" && -z $stderr ]]
    client_is one want "$A"
    [[ $(client one released) -lt $(client one seq) ]]
    [[ $(drom set one "$A" --no-wait --json | jq -r .missing) == *"has not released its CPUs yet"* ]]
    run --separate-stderr drom shrink --job j1 1 --no-wait
    [[ $status == 0 && $output == "one ("*"): $A -> $A, posted" && -z $stderr ]]
    run --separate-stderr drom drain "$B" --no-wait
    [[ $status == 0 && $output == "$B: drained, but not every client has released yet" && -z $stderr ]]
}

@test "CPUs of a client whose launcher and program were killed are shown, and freed by check" {
    sleeper one "$A"
    child=$(client one pid)
    kill -KILL "$PID" "$child"
    eventually "it is gone" bash -c "! '$BIN' list --json | jq -e '.clients[]'"
    [[ $(drom list --json | jq -r .orphaned) == "$A" || $(drom list --json | jq -r .free) == *"$A"* ]]
    drom check | grep -q "sound, 0 clients"
    [[ $(drom list --json | jq -r .orphaned) == "" ]]
}

@test "check has nothing to do twice" {
    drom run --no-preload -- true
    drom check
    run drom check
    [[ $status == 0 && $output == *"sound, 0 clients"*"nothing to do" ]]
    [[ $(drom check --json | jq -r .status) == DROM_UNCHANGED ]]
}

@test "list: columns, raw, one client" {
    sleeper one "$A"
    [[ $(drom list -o name,cpus,state --raw) == $'one\t'"$A"$'\treserved' ]]
    [[ $(drom list -o name,cpus | head -n 1) == "NAME  CPUS" ]]
    [[ $(drom list one --raw -o name) == one ]]
    drom list --json | jq -e '.schema == "drom.list/1" and (.clients[0] | has("pid") and has("slot") and has("job") and has("mask")
        and has("want") and has("seq") and has("released") and has("resized") and has("state") and has("entry_points") and has("team")
        and has("resize") and has("why") and has("safe_points"))'
}

@test "the name of a job, of its threads and of its processes does not reach the terminal as commands" {
    local evil=$'\033[3\302\2331m\342\200\256\374\007'
    background "$BIN" run --no-preload --name $'n\302\2331m\342\200\256\374' --job $'j\302\2331m' --cpus "$A" -- "$GUESTS/named" "$evil" 60
    eventually "its child is there" bash -c "'$BIN' list --json | jq -e '.clients[0].descendants[0]'"
    local verb
    for verb in "list" "list -o name,job,why --raw" "explain #0 --sample 1" "stats #0 --window 1" "stats #0 --window 1 --csv" "top --once --window 1" "metrics --window 1" "advise --window 1" "watch --all --count 1" "set #0 $A" "wait #0"; do
        # shellcheck disable=SC2086
        drom $verb >"$WORK/shown" 2>&1
        echo "$verb" && cat -v "$WORK/shown"
        iconv -f UTF-8 -t UTF-8 "$WORK/shown" >/dev/null
        LC_ALL=C.UTF-8 run ! grep -Pq '[^\P{C}\n\t]' "$WORK/shown"
        grep -q 'n?1m' "$WORK/shown"
    done
    drom explain '#0' --sample 1 >"$WORK/shown"
    grep -Fq '(?[3?1m???)' "$WORK/shown"
    grep -Eq '^ +[0-9]+  \?\[3\?1m\?\?\? ' "$WORK/shown"
    drom explain '#0' --sample 1 --json | jq -e '.threads[0].name | startswith("\u001b[3")'
}

@test "a name in any language is shown as it is" {
    sleeper "Müller-日本" "$A"
    drom list | grep -q " Müller-日本 "
    drom explain "Müller-日本" --sample 1 | grep -q "^Müller-日本 ("
}

@test "explain: a set-uid descendant that cannot be moved is the reason, and is not said to be moved" {
    ((EUID == 0)) || missing "not root, so nothing can be made set-uid for another user"
    two_cpus
    local uid=64321
    install -m 755 -d "$WORK/bin" "$WORK/lib"
    install -m 700 -o $uid -g $uid -d "$WORK/theirs"
    chmod 755 "$WORK"
    cp "$BIN" "$WORK/bin/"
    cp -P "$BUILD"/lib/libdrom.so* "$WORK/lib/"
    install -m 4755 "$GUESTS/plain" "$WORK/other"
    as_user() { setpriv --reuid $uid --regid $uid --clear-groups env DROM_TABLE="$WORK/theirs/table" "$@"; }
    background setpriv --reuid $uid --regid $uid --clear-groups env DROM_TABLE="$WORK/theirs/table" \
        "$WORK/bin/drom" run --no-preload --name tree --cpus "$BOTH" -- sh -c "$WORK/other 60 & sleep 60 & wait"
    eventually "both are there" bash -c "pgrep -P \$(pgrep -P $PID) -x sleep && pgrep -P \$(pgrep -P $PID) -x other"
    refuses 3 "has not released" as_user "$WORK/bin/drom" set tree "$A" --timeout 300
    as_user "$WORK/bin/drom" explain tree --sample 1 >"$WORK/told"
    kill -KILL "$(pgrep -P "$PID")" $(pgrep -P "$(pgrep -P "$PID")")
    cat "$WORK/told"
    grep -Eq "is posted, .* ago, and not released: its descendant [0-9]+ \(other\) cannot be moved: it runs with another user's rights" "$WORK/told"
    grep -Eq "It is 1 process and 1 descendant, which are moved with it: [0-9]+ \(sleep\)" "$WORK/told"
    grep -Eq "Not moved, because it runs with another user's rights: 1 descendant \([0-9]+ \(other\)\)" "$WORK/told"
}

@test "a table of another user is not listed" {
    [[ $EUID == 0 ]] || missing "not root, so there is no other user to be"
    command -v setpriv >/dev/null || missing "no setpriv"
    chmod 755 "$WORK"
    drom run --no-preload -- true
    refuses 1 "drom: open table $DROM_TABLE: (it belongs to uid 0, not to you|Permission denied)" \
        setpriv --reuid=65534 --clear-groups "$BIN" list
}

@test "watch shows what happens and ends after a count, a time, or at SIGINT" {
    drom run --no-preload -- true
    background "$BIN" watch --json --count 2
    sleep 0.2
    watch_pid=$PID
    "$BIN" run --no-preload --name seen -- true
    PID=$watch_pid
    ended 0
    [[ $(jq -s 'length' "$WORK/out") == 2 && $(jq -rs '.[0].schema' "$WORK/out") == drom.watch/1 ]]
    run drom watch --all --count 3
    [[ $status == 0 && ${#lines[@]} == 3 && $output == *claim* ]]
    run drom watch --for 1
    [[ $status == 0 ]]
    background env --default-signal=INT "$BIN" watch
    sleep 0.3
    kill -INT "$PID"
    ended 0
}

@test "watch: events of a client that has ended do not have the name of the next client in its slot" {
    drom run --no-preload --name first -- true
    sleeper second "$A"
    drom watch --all --for 1 --json >"$WORK/json"
    [[ $(jq -r 'select(.event == "leave") | .name' "$WORK/json") != second ]]
    [[ $(jq -rs '[.[] | select(.event == "join")][-1].name' "$WORK/json") == second ]]
}

@test "an interrupt ends top with status 0" {
    sleeper one "$A"
    background env --default-signal=INT "$BIN" top --window 1
    eventually "a table was printed" grep -q NAME "$WORK/out"
    kill -INT "$PID"
    ended 0
}
