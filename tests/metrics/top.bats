#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# top.bats - drom top on a terminal: the screen, its keys, and what it leaves behind. tmux is the terminal.

bats_require_minimum_version 1.5.0

load ../cli/support

setup_file() {
    command -v tmux >/dev/null || missing "no tmux: scripts/packages.sh test installs it"
    export GUESTS=$BATS_FILE_TMPDIR
    gcc -O2 "$BATS_TEST_DIRNAME/../cli/guests/plain.c" -o "$GUESTS/plain"
}

# Each terminal has a socket of its own: one that has just ended may still have the last one's.
TERMINALS=0
terminal() { TMUX='' tmux -S "$WORK/tmux.$TERMINALS" -f /dev/null "$@"; }
end_terminal() { terminal kill-server 2>/dev/null || true; }

# start_top [VARIABLE=VALUE...]: on a terminal of 80 columns and 24 lines, which stays when it has ended.
start_top() {
    ((++TERMINALS))
    terminal new-session -d -x 80 -y 24 "env DROM_TABLE=$DROM_TABLE LC_ALL=C.UTF-8 $* $BIN top --window 1; echo \"ended with \$?\"; sleep 120" 3>&-
}

screen() { terminal capture-pane -p; }
shows() { screen | grep -Eq -- "$1"; }
press() { terminal send-keys -l -- "$1"; }

# showing WHAT REGULAR-EXPRESSION: waits until a line of the screen is that.
showing() { eventually "$1" shows "$2" || { screen >&2; end_terminal; return 1; }; }

@test "the screen shows the node and its clients, and keys change what they say" {
    two_cpus
    sleeper first "$A"
    sleeper second "$B"
    start_top
    showing "both clients are there" "^B +[0-9]+ second +1 "
    showing "the node's CPUs have letters" "^(package [0-9]+( numa [0-9]+)?|CPUs) +(A ?B|B ?A)"
    screen | awk 'length($0) > 80 { exit 1 }'
    press -
    showing "no client is selected yet" "^j or k selects a client first"
    press j
    press -
    showing "a refusal is told" "a client keeps at least one CPU"
    press s
    showing "the table is sorted by CPUs" "CPUS\*"
    press j
    press e
    showing "the selected client is explained" "^second \([0-9]+\), slot 1: CPU $B"
    press x
    showing "the screen is back" "^A +[0-9]+ first"
    press q
    showing "it has ended" "^ended with 0"
    end_terminal
}

is_gone() { ! kill -0 "$1" 2>/dev/null; }
owns_one() { [[ $(client one mask) =~ ^[0-9]+$ ]]; }

@test "+ and - move a CPU, and the screen says what became of it" {
    two_cpus
    background "$BIN" run --no-preload --name one --cpus "$BOTH" -- sleep 60
    eventually "it is there" client_is one mask "$BOTH"
    start_top
    showing "the client is there" "^A +[0-9]+ one +2 "
    press j
    press -
    showing "it has one CPU" "^A +[0-9]+ one +1 "
    eventually "the table says so" owns_one
    press +
    showing "it has two again" "^A +[0-9]+ one +2 "
    end_terminal
}

@test "a terminal gets its screen back after a signal, and when the table is removed" {
    sleeper one "$A"
    start_top
    showing "the client is there" "^A +[0-9]+ one"
    terminal send-keys C-c
    showing "it has ended" "^ended with 0"
    end_terminal
    start_top
    showing "the client is there" "^A +[0-9]+ one"
    kill -KILL "$(client one pid)"
    rm -rf "$DROM_TABLE"
    showing "why it has ended" "^drom: top: "
    showing "it has ended" "^ended with 1"
    end_terminal
}

@test "a key after the selected client has ended changes no other one" {
    two_cpus
    sleeper first "$A"
    sleeper second "$B"
    start_top
    showing "both clients are there" "^B +[0-9]+ second +1 "
    press j
    kill -KILL "$(client first pid)"
    showing "it has ended" "^process [0-9]+ has ended; j or k selects another client"
    press +
    showing "nothing is asked for" "^j or k selects a client first"
    client_is second mask "$B"
    end_terminal
}

@test "a screen that is stopped, or in the background, ends at SIGTERM" {
    sleeper one "$A"
    ((++TERMINALS))
    terminal new-session -d -x 80 -y 24 "env DROM_TABLE=$DROM_TABLE PS1=ready: bash --norc -i" 3>&-
    showing "the shell is there" "^ready:"
    terminal send-keys "$BIN top" Enter
    showing "the client is there" "^A +[0-9]+ one"
    local top
    top=$(pgrep -P "$(terminal display-message -p '#{pane_pid}')")
    terminal send-keys C-z
    showing "it is stopped" "Stopped"
    terminal send-keys "kill %1" Enter
    eventually "it has ended" is_gone "$top"
    terminal send-keys "clear; $BIN top & echo pid \$! here" Enter
    showing "it is in the background" "^pid [0-9]+ here"
    top=$(screen | sed -n 's/^pid \([0-9]*\) here.*/\1/p')
    terminal send-keys "kill $top; kill -CONT $top" Enter
    eventually "that in the background has ended" is_gone "$top"
    end_terminal
}

@test "a terminal that changes its size, or that is small, is no failure" {
    sleeper one "$A"
    start_top
    showing "the client is there" "^A +[0-9]+ one"
    terminal resize-window -x 30 -y 5
    showing "a part of it" "^A +[0-9]+ one"
    showing "the keys that fit" "^q quit  \\? help$"
    press '?'
    showing "the keys" "^j  select the next client"
    press x
    showing "the screen is back" "^A +[0-9]+ one"
    terminal resize-window -x 120 -y 40
    showing "all of it" "REQUEST"
    press q
    showing "it has ended" "^ended with 0"
    end_terminal
}

@test "without colours, and on a terminal without a cursor that moves" {
    sleeper one "$A"
    start_top NO_COLOR=1
    showing "the client is there" "^A +[0-9]+ one"
    [[ $(terminal capture-pane -p -e | grep -c $'\033\[[0-9;]*3[1-6]m') == 0 ]]
    end_terminal
    start_top TERM=dumb
    showing "tables, one after the other" "^SLOT +PID +NAME"
    end_terminal
}
