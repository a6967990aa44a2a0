#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# advise.bats - drom advise as an administrator types it: it says why, and moves CPUs only when it is told to.

bats_require_minimum_version 1.5.0

load ../cli/support

setup_file() {
    export GUESTS=$BATS_FILE_TMPDIR
    gcc -O2 "$BATS_TEST_DIRNAME/../cli/guests/plain.c" -o "$GUESTS/plain"
    gcc -O2 -fopenmp "$BATS_TEST_DIRNAME/loads/threads.c" -o "$GUESTS/threads"
}

# A program is seen only while it has its CPUs. Where other programs keep this machine busy, it is put before
# them, and so is the command that looks. Without that right they run as all others do.
FIRST=(nice -n -20)

# words FILE: the lines behind the heading.
words() { tail -n +2 "$1"; }

@test "words that cannot be meant are refused" {
    refuses 2 "^drom: advise: --policy fair: there is no policy 'fair'; there are equipartition, efficiency, balance, reshape, share" drom advise --policy fair
    refuses 2 "^drom: advise: --policy balance:gain=1: balance has no option 'gain'; it has min_gain, max_moves, memory" drom advise --policy balance:gain=1
    refuses 2 "^drom: advise: --policy efficiency:upper=x: upper 'x' is not a number" drom advise --policy efficiency:upper=x
    refuses 2 "^drom: advise: --policy reshape:scenario=fair: scenario 'fair' is no scenario; there are pba-q, fair-q, fcfs-li-q" drom advise --policy reshape:scenario=fair
    refuses 2 "^drom: advise: --interval 0 is out of range; 1 to 86400 seconds" drom advise --interval 0
    refuses 2 "^drom: advise: 'a' is one argument too many" drom advise a
    [[ ! -e $DROM_TABLE ]]
}

@test "without --apply nothing changes, with it a program that sleeps gives a CPU" {
    two_cpus
    sleeper one "$BOTH"
    drom advise --window 1 --policy efficiency:min_gap=0 >"$WORK/advice"
    cat "$WORK/advice"
    words "$WORK/advice" | grep -Eq "^one \([0-9]+\): 2 -> 1: 0 % of its CPU time is useful, less than 67 %$"
    client_is one mask "$BOTH"
    drom advise --window 1 --policy efficiency:min_gap=0 --apply
    drom list --json | jq -re '.clients[0].mask' | grep -Ex '[0-9]+'
    drom advise --window 1 --policy efficiency:min_gap=0 | grep -q "^one ([0-9]*): 1: 0 % of its CPU time is useful, and it has its minimum$"
}

@test "a program whose two threads have work for a second CPU gets it" {
    two_cpus
    background "${FIRST[@]}" "$BIN" run --name busy --cpus "$A" --max 2 -- "$GUESTS/threads" 1 "$WORK"
    eventually "it is there" client_is busy mask "$A"
    # Another program may have the CPU for a while, so that too little is seen of this one.
    eventually "it grows" bash -c "${FIRST[*]} '$BIN' advise --window 2 --policy efficiency:lower=0.5,min_gap=0 --apply | tee -a '$WORK/advice' | grep -q '1 -> 2: .* % of its CPU time is useful, more than 67 %'"
    client_is busy mask "$BOTH"
    touch "$WORK/stop"
    ended 0
}

@test "reshape grows a program, puts it back where that was of no use, and leaves it there" {
    two_cpus
    # Its second thread works for a tenth of the time: with a second CPU it is a tenth faster.
    background "${FIRST[@]}" "$BIN" run --name uneven --cpus "$A" --max 2 -- "$GUESTS/threads" 10 "$WORK"
    eventually "it is there" client_is uneven mask "$A"
    background "${FIRST[@]}" "$BIN" advise --window 1 --interval 1 --policy reshape:min_gap=0 --apply --journal "$WORK/journal"
    eventually "it is back" grep -q '"why":"more CPUs were of no use".*"cpus":1,"advised":1,' "$WORK/journal"
    grep '"program"' "$WORK/journal" | jq -r '"\(.clients[0] | .cpus) \(.clients[0] | .advised) \(.why)"' >"$WORK/story"
    cat "$WORK/story"
    # The rounds in which the machine did something else are left out.
    awk '$1 != $2 || /of no use/ { print $1, $2 }' "$WORK/story" | uniq | diff - <(printf '1 2\n2 1\n1 1\n')
    grep -Eq '^2 1 its last CPU brought -?0\.[0-9]+ CPUs of work$' "$WORK/story"
}

@test "a change that was made a moment ago is left alone" {
    two_cpus
    sleeper one "$BOTH"
    drom advise --window 1 --policy efficiency:min_gap=600 --apply | grep -q "^one ([0-9]*): 2: its CPUs were changed a moment ago$"
    client_is one mask "$BOTH"
}

@test "a rigid program keeps its CPUs" {
    two_cpus
    sleeper one "$BOTH" --rigid
    drom advise --window 1 --policy efficiency:min_gap=0 --apply | grep -q "^one ([0-9]*): 2: it is rigid$"
    client_is one mask "$BOTH"
}

@test "one object per round, for one job or for all, and an interrupt ends the rounds with status 0" {
    sleeper one "$A" --job 7.0
    sleeper two "$B" --job 8.0
    drom advise --window 1 --job 8.0 --json >"$WORK/json"
    fits advise <"$WORK/json"
    jq -e '.programs | length == 1 and .[0].name == "two" and .[0].clients[0].advised == 1' "$WORK/json"
    refuses 1 "^drom: advise: no client belongs to job '9'; drom list -o pid,job" drom advise --window 1 --job 9
    background env --default-signal=INT "$BIN" advise --window 1 --interval 1 --json
    eventually "two rounds" bash -c "[[ \$(wc -l <'$WORK/out') -ge 2 ]]"
    kill -INT "$PID"
    ended 0
    fits advise <"$WORK/out"
}

@test "two advisers do not move the same CPUs, and one that is killed leaves the table to the next" {
    sleeper one "$A"
    background "$BIN" advise --window 1 --interval 1 --apply
    eventually "its first round" test -s "$WORK/out"
    refuses 1 "^drom: advise: another drom advise --apply moves the CPUs of $DROM_TABLE; end it first" drom advise --window 1 --apply
    drom advise --window 1 >"$WORK/looks"
    kill -KILL "$PID"
    eventually "the next one" drom advise --window 1 --apply
    drom check
}

@test "a journal has every round as it was decided, and the change that was made" {
    two_cpus
    sleeper one "$BOTH"
    drom advise --window 1 --policy efficiency:min_gap=0 --apply --journal "$WORK/journal"
    fits advise-journal <"$WORK/journal"
    [[ $(wc -l <"$WORK/journal") == 3 ]]
    jq -se '.[0].policy == "efficiency:upper=0.5,lower=0.1,min_gap=0,memory=600"' "$WORK/journal"
    jq -se '.[1] | .round == 1 and .apply and .programs == 1' "$WORK/journal"
    jq -se --argjson pid "$(client one pid)" '.[2] | .program == "one" and (.clients[0] | .pid == $pid and .cpus == 2 and .advised == 1 and (.useful | length) == 4)' "$WORK/journal"
    [[ $(client one mask) != "$BOTH" ]]
    drom advise --window 1 --journal "$WORK/journal"
    fits advise-journal <"$WORK/journal"
    [[ $(wc -l <"$WORK/journal") == 6 ]]
    jq -se '.[4] | .round == 1 and (.apply | not)' "$WORK/journal"
}

@test "drom-sim decides the rounds of a real program again, and finds the one that was changed" {
    two_cpus
    [[ -x $BUILD/bin/drom-sim ]] || missing "no drom-sim"
    sleeper one "$BOTH"
    for policy in equipartition efficiency:min_gap=0 balance; do
        drom advise --window 1 --policy "$policy" --apply --journal "$WORK/journal"
    done
    "$BUILD/bin/drom-sim" replay "$WORK/journal" >"$WORK/told"
    cat "$WORK/told"
    grep -q "^9 lines of 3 commands: 3 rounds, 3 advices, 1 of them for a change$" "$WORK/told"
    grep -q "^Every advice is what its policy gives now\.$" "$WORK/told"
    sed 's/"cpus":2,"advised":1,/"cpus":2,"advised":2,/' "$WORK/journal" >"$WORK/changed"
    run -1 "$BUILD/bin/drom-sim" replay "$WORK/changed"
    [[ $output == *"  line 6, round 1: one ("*"), 2 CPUs: the journal has 2: 0 % of its CPU time is useful, less than 67 %; the policy advises now 1: "* ]]
}

@test "a journal of rounds that are killed is readable, and the next command goes on behind a line that was cut" {
    sleeper one "$A"
    for _ in 1 2 3; do
        rounds=$(grep -c '"round"' "$WORK/journal" || true)
        background "$BIN" advise --window 1 --interval 1 --apply --journal "$WORK/journal"
        eventually "two more rounds" bash -c "((\$(grep -c '\"round\"' '$WORK/journal') >= ${rounds:-0} + 2))"
        kill -KILL "$PID"
        ended 137
        fits advise-journal <"$WORK/journal"
        [[ $(tail -n 1 "$WORK/journal" | jq -r .program) == one ]]
    done
    truncate -s -9 "$WORK/journal"
    whole=$(wc -l <"$WORK/journal")
    drom advise --window 1 --journal "$WORK/journal"
    sed "$((whole + 1))d" "$WORK/journal" | fits advise-journal
    [[ $(wc -l <"$WORK/journal") == $((whole + 4)) ]]
}

@test "a journal that cannot be written is refused, and nothing is moved" {
    two_cpus
    sleeper one "$BOTH"
    advise() { drom advise --window 1 --policy efficiency:min_gap=0 --apply --journal "$1"; }
    echo precious >"$WORK/file"
    refuses 1 "^drom: advise: $WORK/file: it is no journal of drom advise; name another file with --journal$" advise "$WORK/file"
    [[ $(<"$WORK/file") == precious ]]
    refuses 1 "^drom: advise: $WORK: it cannot be written: Is a directory; name another file with --journal$" advise "$WORK"
    refuses 1 "^drom: advise: $WORK/none/journal: it cannot be written: No such file or directory; " advise "$WORK/none/journal"
    refuses 1 "^drom: advise: /dev/null: it is no regular file; name another file with --journal$" advise /dev/null
    drom advise --window 1 --journal "$WORK/journal"
    cp "$WORK/journal" "$WORK/before"
    truncate -s 1M "$WORK/journal" # a hole, so that the limit of 1 MiB is reached by the next round
    cp "$WORK/journal" "$WORK/full"
    limited() { (ulimit -f 1024; advise "$WORK/journal"); }
    refuses 1 "^drom: advise: $WORK/journal: it cannot be written: File too large; name another file with --journal$" limited
    cmp "$WORK/journal" "$WORK/full"
    client_is one mask "$BOTH"
    background "$BIN" advise --window 1 --interval 1 --journal "$WORK/other"
    eventually "its first round" test -s "$WORK/other"
    refuses 1 "^drom: advise: $WORK/other: another drom advise writes it; end that, or name another file with --journal$" advise "$WORK/other"
    client_is one mask "$BOTH"
}

@test "rounds end when their table is removed or replaced" {
    sleeper one "$A"
    background "$BIN" advise --window 1 --interval 1
    eventually "its first round" test -s "$WORK/out"
    mv "$DROM_TABLE" "$WORK/moved"
    ended 1
    grep -q "^drom: advise: the table $DROM_TABLE was removed or replaced; start again" "$WORK/err"
    DROM_TABLE=$WORK/moved refuses 1 "^drom: top: the table $WORK/moved was removed or replaced" gone_while_top
}
gone_while_top() { { sleep 2; mv "$WORK/moved" "$WORK/again"; } >/dev/null 2>&1 3>&- & drom top --window 1; }

@test "a script of many short programs is no program that does nothing" {
    two_cpus
    gcc -O1 "$BATS_TEST_DIRNAME/loads/short.c" -o "$GUESTS/short"
    background "${FIRST[@]}" "$BIN" run --name script --cpus "$A" -- sh -c "while [ ! -e '$WORK/stop' ]; do '$GUESTS/short'; done"
    eventually "it is there" client_is script mask "$A"
    # A program takes 20 ms of CPU time. Other load of the machine makes them fewer.
    eventually "most of its CPU time is seen" bash -c "${FIRST[*]} '$BIN' stats script --window 3 --json | jq -e '.applications[0].processes[0] | .cpu_ns > 0.6 * (.owned_ns - .waited_ns) and .cpu_ns > 300000000'"
    touch "$WORK/stop"
    ended 0
}

@test "a table without clients says so" {
    drom run --no-preload -- true
    drom advise --window 1 | grep -Eq ": 0 programs, [0-9]+ CPUs? free, seen for [0-9.]+ s; efficiency$"
}
