#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# journal.bats - drom-sim replay of a journal of drom advise: what differs, what was cut, what is damaged. SIM_BUILD:
# build folder.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    sim=$SIM_BUILD/bin/drom-sim
}

# fits NAME: stdin is what docs/reference/schemas/NAME.schema.json says.
fits() { python3 "$BATS_TEST_DIRNAME/../support/schemas.py" "$1"; }

# program NAME PID CPUS ADVISED WHY
program() {
    printf '{"program":"%s","job":"","why":"%s","clients":[{"pid":%s,"cpus":%s,"advised":%s,"min":1,"max":8,"changed_s":10,"held":"","unknown":"","useful":[1,1]}]}\n' "$1" "$5" "$2" "$3" "$4"
}

# journal: two rounds in which two programs come to equal shares of four CPUs.
journal() {
    echo '{"schema":"drom.advise-journal/1","node":"n1","policy":"equipartition:min_gap=5"}'
    echo '{"round":1,"unix_s":1764412800,"now_s":100,"free":0,"apply":true,"programs":2}'
    program a 11 3 2 "an equal share is 2"
    program b 12 1 2 "an equal share is 2"
    echo '{"round":2,"unix_s":1764412810,"now_s":110,"free":0,"apply":true,"programs":2}'
    program a 11 2 2 "it has its share"
    program b 12 2 2 "it has its share"
}

@test "a journal is decided again, from a file or the standard input, plain or compressed" {
    journal >j
    fits advise-journal <j
    run -0 --separate-stderr "$sim" replay j
    [[ -z $stderr && $output == "7 lines of 1 command: 2 rounds, 4 advices, 2 of them for a change"$'\n'"Every advice is what its policy gives now." ]]
    gzip j
    run -0 --separate-stderr "$sim" replay - --json <j.gz
    fits sim-journal <<<"$output"
    jq -e '.rounds == 2 and .differences == [] and .cut == []' <<<"$output"
}

@test "an advice that was changed is named, and the exit status says so" {
    journal | sed 's/"cpus":1,"advised":2/"cpus":1,"advised":1/' >j
    run -1 --separate-stderr "$sim" replay j
    echo "$output"
    [[ ${lines[1]} == "1 of 4 advices is not what the policy gives now:" ]]
    [[ ${lines[2]} == "  line 4, round 1: b (12), 1 CPU: the journal has 1: an equal share is 2; the policy advises now 2: an equal share is 2" ]]
    run -1 --separate-stderr "$sim" replay j --json
    fits sim-journal <<<"$output"
    jq -e '.differences[0] | .line == 4 and .pids == [12] and .then.cpus == [1] and .now.cpus == [2]' <<<"$output"
}

@test "what was seen is changed, and the advice does not fit it any more" {
    journal | sed '3s/"cpus":3/"cpus":5/' >j
    run -1 --separate-stderr "$sim" replay j
    [[ $output == *"  line 3, round 1: a (11), 5 CPUs: the journal has 2: an equal share is 2; the policy advises now 3: an equal share is 3"* ]]
}

@test "a round that was cut is left out with a remark, at the end and before the next command" {
    journal | head -c -9 >j
    run -0 --separate-stderr "$sim" replay j
    [[ $stderr == "drom-sim: replay: j: round 2 was cut at line 7; left out" && ${lines[0]} == "7 lines of 1 command: 1 round, 2 advices, 2 of them for a change" ]]
    run -0 --separate-stderr "$sim" replay j --quiet
    [[ -z $stderr ]]
    { cat j; echo; journal; } >both
    run -0 --separate-stderr "$sim" replay both --json
    [[ $stderr == "drom-sim: replay: both: round 2 was cut at line 7; left out" ]]
    fits sim-journal <<<"$output"
    jq -e '.commands == 2 and .rounds == 3 and .cut == [{"line": 7, "round": 2}]' <<<"$output"
}

@test "a journal that is damaged, and options that are not for it, get one sentence" {
    refused() {
        local sentence=$1
        shift
        run -2 --separate-stderr "$sim" replay "$@"
        [[ -z $output && $stderr == "drom-sim: replay: $sentence" ]] || { echo "$stderr"; return 1; }
    }
    journal >j
    for option in --decisions "--out file" "--max-slowdown 5"; do
        # shellcheck disable=SC2086
        refused "j: it is a journal of drom advise, and ${option%% *} is for a controller's log; leave it out" j $option
    done
    [[ ! -e file ]]
    sed '3s/"pid":11,//' j >gap
    refused "gap: line 3 has no pid" gap
    sed '3s/"cpus":3/"cpus":99999999999/' j >many
    refused "many: line 3 has a value that cannot be meant, of cpus" many
    sed '7s/"min":1,"max":8/"min":4,"max":2/' j >above
    refused "above: line 7 has a min of 4 above its max of 2" above
    sed 5d j >short
    refused "short: line 5 is of no round" short
    sed '1s/equipartition/fair/' j >unknown
    refused "unknown: line 1 has a policy that cannot be used: there is no policy 'fair'; there are equipartition, efficiency, balance, reshape, share" unknown
    sed '4s/}$//' j >half
    refused "half: line 4 is no JSON object" half
}

@test "a name that talks to the terminal is made visible" {
    journal | sed 's/"program":"b"/"program":"\\u001b[2Jb"/; s/"cpus":1,"advised":2/"cpus":1,"advised":1/' >j
    run -1 "$sim" replay j
    [[ $output == *": ?[2Jb (12), 1 CPU: "* ]]
}

@test "the bytes of a strange file do not reach the terminal as commands" {
    { printf '\033]0;pwn\007\033[2Jx\n'; journal; } >j
    run "$sim" replay j
    [[ $status == 2 && $output != *$'\033'* && $output != *$'\007'* ]]
    { echo '{"schema":"drom.advise-journal/1","node":"n1","policy":"x\u001b]0;pwn\u0007"}'; } >j
    run "$sim" replay j
    [[ $status == 2 && $output == *"x?]0;pwn?"* && $output != *$'\033'* ]]
    printf '[%.0s' {1..5000} >j
    run "$sim" replay j
    [[ $status == 2 && ${#output} -lt 500 ]]
}
