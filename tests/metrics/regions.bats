#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# regions.bats - drom stats --regions: the parts that programs name, as text and as JSON.

bats_require_minimum_version 1.5.0

load ../cli/support

setup_file() {
    export GUESTS=$BATS_FILE_TMPDIR
    local source=$BATS_TEST_DIRNAME
    gcc -O2 "$source/../cli/guests/plain.c" -o "$GUESTS/plain"
    gcc -O2 -I"$source/../../libdrom/include" "$source/loads/regions.c" -o "$GUESTS/regions" "$BUILD/lib/libdrom.so" -Wl,-rpath,"$BUILD/lib"
}

# measured NAME [REGION]...: a client with regions, all of which have run.
measured() {
    local name=$1
    shift
    guest "$name" "$A" "$GUESTS/regions" "$WORK/ready" "$@"
    eventually "its regions have run" test -e "$WORK/ready"
}

region() { jq -c --arg name "$1" ".clients[0].regions[] | select(.name == \$name) | $2" "$WORK/json"; }

@test "words that cannot be meant are refused" {
    refuses 2 "^drom: stats: --regions goes with neither merge nor --csv nor --talp$" drom stats --regions --csv
    refuses 2 "^drom: stats: --regions goes with neither merge nor --csv nor --talp$" drom stats --regions --talp
    refuses 2 "^drom: stats: --regions goes with neither merge nor --csv nor --talp$" drom stats merge --regions a.json
    refuses 2 "^drom: stats: --regions and --window exclude each other" drom stats --regions --window 3
    refuses 2 "^drom: stats: --regions and --all-users exclude each other" drom stats --regions --all-users
    refuses 1 "there is none; start a program with drom run" drom stats --regions
    drom run --no-preload -- true
    [[ $(drom stats --regions) == "no clients" ]]
    refuses 1 "^drom: stats: no client is called 'nothing'" drom stats --regions nothing
}

@test "a client without regions has none" {
    sleeper one "$A"
    [[ $(drom stats --regions one) == "one ($(client one pid)): no regions" ]]
}

@test "regions are text of 80 columns, those that took longest first" {
    measured sim
    COLUMNS=80 drom stats --regions sim >"$WORK/text"
    cat "$WORK/text"
    [[ $(head -n 1 "$WORK/text") == "sim ($(client sim pid)): 2 regions" ]]
    sed -n 2p "$WORK/text" | grep -Eq "^  REGION +COUNT +OPEN +ELAPSED +CPU +AVAILABLE +USE$"
    sed -n 3p "$WORK/text" | grep -Eq "^  whole +1 +1 +[0-9.]+ m?s +[0-9.]+ m?s +[0-9.]+ m?s +[0-9.]+%$"
    sed -n 4p "$WORK/text" | grep -Eq "^  step +3 +0 +[0-9.]+ ms +[0-9.]+ ms +[0-9.]+ ms +[0-9.]+%$"
    awk 'length($0) > 80 { exit 1 }' "$WORK/text"
}

@test "the object has the figures" {
    measured sim "the last"
    drom stats --regions --json >"$WORK/json"
    fits regions <"$WORK/json"
    [[ $(region step '[.state, .count, .open]') == '["fine",3,0]' && $(region whole '[.state, .count, .open]') == '["fine",1,1]' ]]
    [[ $(region step '.elapsed_ns >= 60000000 and .cpu_ns < .elapsed_ns and .available_ns == .elapsed_ns') == true ]]
    [[ $(region "the last" .count) == 1 ]]
    local before
    before=$(region whole .elapsed_ns)
    drom stats --regions --json >"$WORK/json"
    (($(region whole .elapsed_ns) > before))
}

@test "a program in a reservation has none of the regions of the one before" {
    cat >"$WORK/script" <<'END'
"$GUESTS/regions" "$WORK/ready" old & first=$!
until [ -e "$WORK/ready" ]; do sleep 0.05; done
kill -KILL $first
wait $first
touch "$WORK/ended"
until [ -e "$WORK/next" ]; do sleep 0.05; done
"$GUESTS/regions" "$WORK/ready-too" new
END
    export WORK
    background "$BIN" run --name script --cpus "$A" -- sh "$WORK/script"
    eventually "the first has ended" test -e "$WORK/ended"
    [[ $(drom stats --regions script) == "script ("*"): no regions" ]]
    touch "$WORK/next"
    eventually "the second has run its regions" test -e "$WORK/ready-too"
    drom stats --regions --json >"$WORK/json"
    [[ $(jq -c '[.clients[0].regions[].name] | sort' "$WORK/json") == '["new","step","whole"]' ]]
}

@test "names that are no text harm neither a terminal nor an object" {
    measured sim $'two\nlines' $'\e[31mred' $'\xff\xfe' "$(printf 'x%.0s' {1..127})" "$(printf 'y%.0s' {1..128})"
    drom stats --regions sim >"$WORK/text"
    cat "$WORK/text"
    grep -q "^  two?lines " "$WORK/text"
    grep -q "^  x\{19\}+ " "$WORK/text"
    [[ $(grep -c y "$WORK/text") == 0 ]]
    [[ $(LC_ALL=C grep -c $'\e' "$WORK/text") == 0 ]]
    drom stats --regions sim --json >"$WORK/json"
    fits regions <"$WORK/json"
    [[ $(region $'two\nlines' .count) == 1 ]]
}

@test "a program that writes over its page is told of, and the others are not concerned" {
    two_cpus
    measured sim
    sleeper two "$B"
    local page
    page=$(echo "$DROM_TABLE"/client."$(client sim slot)".*)
    head -c 8192 /dev/urandom | dd of="$page" bs=1 seek=1024 conv=notrunc status=none
    local status=0
    drom stats --regions >"$WORK/text" 2>"$WORK/err" || status=$?
    cat "$WORK/text" "$WORK/err"
    [[ $status == 1 ]]
    grep -q "^drom: stats: some regions of sim ([0-9]*) cannot be read: " "$WORK/err"
    grep -q "^two ([0-9]*): no regions$" "$WORK/text"
}
