#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# all_users.bats - root's verbs in the tables of all users, some of which refuse that.

bats_require_minimum_version 1.5.0
load support

# copy_for_users: the command in $WORK/bin. Users can read the build folder no more than any other's.
copy_for_users() {
    ((EUID == 0)) || missing "not root"
    install -m 755 -d "$WORK/bin" "$WORK/lib"
    chmod 755 "$WORK"
    cp "$BIN" "$WORK/bin/"
    cp -P "$BUILD"/lib/libdrom.so* "$WORK/lib/"
}

# on_a_node SCRIPT: runs it where /dev/shm and the processes are its own. Other tables of this machine are not for the
# test.
on_a_node() {
    copy_for_users
    unshare --mount true || missing "no mount namespaces"
    # shellcheck disable=SC2016
    local tools='set -e
        mount -t tmpfs none /dev/shm
        drom=$1/bin/drom both=$2 first=$3 last=$4
        user() { setpriv --reuid "$1" --regid "$1" --clear-groups "${@:2}"; }
        as() { user "$1" "$drom" "${@:2}"; }
        client() { as "$1" run --no-preload --name "$2" --cpus "$3" "${@:4}" -- sleep 100 & until as "$1" list "$2"; do sleep 0.02; done >/dev/null 2>&1; }
        drained_of() { as "$1" list --json | jq -r .drained; }
        # The process of the user that root works with: the newest.
        hand_of() { pgrep -n -u "$1" -x drom; }
        # begin COMMAND...: in the background, until it waits in the table of 64322 for a client that is stopped.
        begin() {
            kill -STOP "$(as 64322 list idle -o pid --raw)"
            "$drom" "$@" &
            root=$!
            until [[ $(drained_of 64322) == "$last" ]]; do sleep 0.02; done
        }
        # attack UID SIGNAL: that user sends the signal to all of its processes, for ever. Waits until it hits.
        attack() {
            setpriv --reuid "$1" --regid "$1" --clear-groups sleep 100 &
            local hit=$!
            setpriv --reuid "$1" --regid "$1" --clear-groups bash -c "while :; do kill -$2 -1; done" 2>/dev/null &
            attacker=$!
            while [[ $(ps -o stat= -p "$hit") == [RSD]* ]]; do sleep 0.02; done
        }
        end_of() { ended=0; wait "$1" || ended=$?; }
        '
    run --separate-stderr timeout --signal KILL 120 unshare --mount --pid --fork --kill-child --mount-proc env -u DROM_TABLE bash -c "$tools$1" bash "$WORK" "$BOTH" "$A" "$B"
    # shellcheck disable=SC2154
    echo "$status: $output / $stderr"
}

@test "root lists the tables of all users, and no other user does" {
    local uid=64321
    copy_for_users
    as_user() { setpriv --reuid $uid --regid $uid --clear-groups env -u DROM_TABLE "$@"; }
    background setpriv --reuid $uid --regid $uid --clear-groups env -u DROM_TABLE "$WORK/bin/drom" run --no-preload --name theirs --cpus "$A" -- sleep 60
    eventually "it is there" as_user "$WORK/bin/drom" list theirs
    run drom list --all-users
    as_user "$WORK/bin/drom" list --all-users >"$WORK/theirs" 2>&1 && refused=false || refused=true
    kill -KILL "$(as_user "$WORK/bin/drom" list theirs -o pid --raw)"
    ended 137
    rm -rf "/dev/shm/drom-$uid"
    [[ $output == *"/dev/shm/drom-$uid of user $uid:"*theirs* ]]
    [[ $refused == true ]] && grep -q "only root can look at the tables of others" "$WORK/theirs"
}

@test "root drains a CPU in the tables of all users, or in none, and lists them as one JSON document" {
    two_cpus
    # shellcheck disable=SC2016
    on_a_node '
        client 64321 one "$both"
        client 64322 stiff "$last" --rigid
        drained() { "$drom" list --all-users --json | jq -c "[.tables[].drained]"; }
        "$drom" list --all-users --json | tee "$1/listed" | jq -e ".schema == \"drom.list/1\" and ([.tables[].clients[0].name] == [\"one\", \"stiff\"])"
        "$drom" drain --all-users "$last" && exit 9
        drained
        "$drom" drain --all-users "$last" --json 2>/dev/null | tee "$1/refused" | jq -c "[.tables[].status]" || true
        kill "$(as 64322 list stiff -o pid --raw)"; wait %2 || true
        "$drom" drain --all-users "$last"; drained
        "$drom" restore --all-users "$last" --json | tee "$1/restored" | jq -c "[.tables[].status]"; drained
        as 64321 drain --all-users "$last" || echo refused'
    [[ $status == 0 ]]
    [[ $output == "$(printf '%s\n' true '["",""]' '["DROM_E_BUSY"]' "/dev/shm/drom-64321 of user 64321:" "$B: drained" \
        "/dev/shm/drom-64322 of user 64322:" "$B: drained" "[\"$B\",\"$B\"]" '["DROM_OK","DROM_OK"]' '["",""]' refused)" ]]
    for file in listed refused restored; do fits tables <"$WORK/$file"; done
    [[ $stderr =~ "drom: drain: /dev/shm/drom-64322: CPU $B of stiff ("[0-9]+"), which is rigid; drain fewer CPUs, or end it first" ]]
    [[ $stderr == *"only root can look at the tables of others"* ]]
}

@test "root sees what the programs of all users do, in one window" {
    two_cpus
    # Where the kernel lets users take no samples, the exit status is 1, and the CPUs are told all the same.
    # shellcheck disable=SC2016
    on_a_node '
        client 64321 one "$first"
        client 64322 two "$last"
        all() { "$drom" "$@" --all-users --window 1 2>/dev/null || true; }
        SECONDS=0
        all stats --json >"$1/stats"
        ((SECONDS < 3))
        jq -c "[.schema, (.tables[].applications[].name)]" "$1/stats"
        all stats | grep -Eo "^/dev/shm.*|^(one|two)"
        all stats --csv | cut -d, -f1,3
        all top --once --json >"$1/top"
        jq -c "[.schema, (.tables[].clients[].name)]" "$1/top"
        all top --once | grep -Eo "^/dev/shm.*|one|two"
        all metrics --out "$1/prom"
        grep -E "^drom_(table_up|cpus_owned|node_cpus.*owned)" "$1/prom" | sed "s/pid=\"[0-9]*\"/pid=/"
        grep -c "^# TYPE drom_cpus_owned" "$1/prom"
        for verb in stats metrics "top --once"; do as 64321 $verb --all-users || echo refused; done'
    local heads=$'/dev/shm/drom-64321 of user 64321:\none\n/dev/shm/drom-64322 of user 64322:\ntwo'
    [[ $status == 0 ]]
    [[ $output == "$(printf '%s\n' '["drom.stats/1","one","two"]' "$heads" user,name 'user 64321,one' 'user 64322,two' \
        '["drom.top/1","one","two"]' "$heads" 'drom_table_up{user="user 64321"} 1' 'drom_table_up{user="user 64322"} 1' \
        'drom_node_cpus{user="user 64321",state="owned"} 1' 'drom_node_cpus{user="user 64322",state="owned"} 1' \
        'drom_cpus_owned{user="user 64321",job="",client="one",pid=} 1' 'drom_cpus_owned{user="user 64322",job="",client="two",pid=} 1' \
        1 refused refused refused)" ]]
    for file in stats top; do fits tables <"$WORK/$file"; done
    [[ $stderr == *"only root can look at the tables of others"* ]]
}

@test "a user who kills root's metrics is told of, and the others are in the file" {
    two_cpus
    # shellcheck disable=SC2016
    on_a_node '
        client 64322 theirs "$first"
        user 64321 "$drom" run --no-preload -- true
        attack 64321 KILL
        "$drom" metrics --all-users --window 1 --out "$1/prom" && exit 9
        grep -E "^drom_(table_up|clients)" "$1/prom"'
    [[ $status == 0 ]]
    [[ $output == $'drom_table_up{user="user 64321"} 0\ndrom_table_up{user="user 64322"} 1\ndrom_clients{user="user 64322"} 1' ]]
    [[ $stderr == *"drom: metrics: /dev/shm/drom-64321 of user 64321: the process that works there"*"signal 9 (Killed)"* ]]
}

@test "a user who kills root's command hides no other table, and is named" {
    two_cpus
    # shellcheck disable=SC2016
    on_a_node '
        client 64322 theirs "$first"
        user 64321 "$drom" run --no-preload -- true
        attack 64321 KILL
        # A machine with much to do may let a child end before the user comes to kill it.
        while "$drom" list --all-users >"$1/shown"; do :; done
        cat "$1/shown"
        while "$drom" list --all-users --json >"$1/shown" 2>/dev/null; do :; done
        jq -c "[.tables[] | .status // .clients[0].name]" "$1/shown"
        while "$drom" drain --all-users "$last" >/dev/null; do as 64322 restore "$last" --quiet; done
        echo "drained: $(drained_of 64322)"'
    [[ $status == 0 ]]
    [[ $output == *"/dev/shm/drom-64322 of user 64322:"*theirs*'["DROM_E_OS","theirs"]'$'\ndrained: ' ]]
    local sentence="/dev/shm/drom-64321 of user 64321: the process that works there with the user's rights was ended by signal 9 (Killed); end the user's"
    [[ $stderr == *"drom: list: $sentence"*"drom: drain: $sentence"* ]]
}

@test "a user who stops root's command again and again does not keep it" {
    two_cpus
    # shellcheck disable=SC2016
    on_a_node '
        client 64321 theirs "$both"
        user 64322 "$drom" run --no-preload -- true
        attack 64322 STOP
        "$drom" list --all-users >"$1/shown" || true
        grep -q theirs "$1/shown"
        for verb in drain restore; do
            before=$(drained_of 64321)
            "$drom" "$verb" --all-users "$last" --timeout 100 >/dev/null && ended=0 || ended=$?
            after=$(drained_of 64321)
            ((ended != 0)) || [[ $after == $([[ $verb == restore ]] || echo "$last") ]]
            ((ended == 0)) || [[ $after == "$before" ]]
        done
        kill -KILL "$attacker"
        echo done'
    [[ $status == 0 && $output == done ]]
}

@test "a user who kills root's drain in the middle leaves it undone in all tables" {
    two_cpus
    # shellcheck disable=SC2016
    on_a_node '
        client 64321 theirs "$first"
        client 64322 idle "$both"
        begin drain --all-users "$last" --grace never --timeout 60000
        drained_of 64321
        kill -KILL "$(hand_of 64322)"
        end_of "$root"
        echo "status $ended: $(drained_of 64321)$(drained_of 64322)"'
    [[ $status == 0 && $output == "$B"$'\nstatus 1: ' ]]
    [[ $stderr == *"/dev/shm/drom-64322 of user 64322: the process that works there with the user's rights was ended by signal 9"* ]]
}

@test "a signal in the middle of a drain leaves it done in all tables or in none" {
    two_cpus
    # shellcheck disable=SC2016
    on_a_node '
        client 64321 theirs "$first"
        client 64322 idle "$both"
        begin drain --all-users "$last" --grace never --timeout 60000
        kill -TERM "$root"
        end_of "$root"
        echo "status $ended: $(drained_of 64321)$(drained_of 64322)"
        kill -CONT "$(as 64322 list idle -o pid --raw)"
        for round in {1..40}; do
            verb=$((round % 2))
            [[ $verb == 1 ]] && verb=drain || verb=restore
            "$drom" "$verb" --all-users "$last" >/dev/null 2>&1 &
            root=$!
            sleep "0.0$(printf %02d "$round")"
            kill -TERM "$root" 2>/dev/null || true
            end_of "$root"
            [[ $ended == 0 || $ended == 143 ]]
            [[ $(drained_of 64321) == "$(drained_of 64322)" ]]
        done
        echo done'
    [[ $status == 0 && $output == "status 143: "$'\ndone' ]]
    [[ $stderr == *"drom: drain: a signal has arrived; no table is changed"* ]]
}
