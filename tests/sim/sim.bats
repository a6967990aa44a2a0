#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# sim.bats - the command drom-sim as a researcher uses it, and what it says to bad input. SIM_BUILD: build folder; WORKLOADS: real logs.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    sim=$SIM_BUILD/bin/drom-sim
    log=$BATS_TEST_TMPDIR/log.swf
    # Job 1 has the whole machine for long; job 2 would wait for it.
    printf '; MaxNodes: 4\n; MaxProcs: 16\n' >"$log"
    printf '%s\n' '1 0 -1 1000 16 -1 -1 16 1000 -1 1 1 1 1 1 -1 -1 -1' '2 10 -1 50 16 -1 -1 16 100 -1 1 1 1 1 1 -1 -1 -1' >>"$log"
}

need_logs() {
    [[ -d $WORKLOADS ]] || skip "the logs are not in $WORKLOADS"
}

@test "a run leaves numbers, jobs, decisions, a log and a page" {
    run -0 --separate-stderr "$sim" --swf "$log" --policy sd --base easy --max-slowdown inf --out out
    for file in jobs.csv decisions.csv summary.json schedule.swf report.html; do [[ -s out/$file ]]; done
    [[ $(jq -r '[.jobs, .malleable_starts, .mates, .makespan] | join(" ")' out/summary.json) == "2 1 1 1050" ]]
    jq -e 'has("wait_mean") and has("response_mean") and has("slowdown_mean") and has("bounded_slowdown_mean") and has("utilisation")' out/summary.json
    grep -q '^2,10,shared,"job 2 .* joined job 1 after 0 s' out/decisions.csv
    # What was simulated can be replayed: waits are those of the policy.
    [[ $(grep -v '^;' out/schedule.swf | awk '{print $1, $3}' | xargs) == "1 0 2 0" ]]
}

@test "the same input gives the same bytes" {
    for out in a b; do "$sim" --swf "$log" --policy sd+ --out "$out" -q >/dev/null; done
    for file in jobs.csv decisions.csv schedule.swf; do cmp "a/$file" "b/$file"; done
}

@test "--json prints the summary and nothing else" {
    run -0 --separate-stderr "$sim" --swf "$log" --json -q
    [[ $(jq .jobs <<<"$output") == 2 && -z $stderr ]]
}

@test "with exact requests worst case and ideal are the same to the byte" {
    for model in ideal worst; do
        "$sim" --generate w2 --jobs 1500 --policy sd --bf-max-job-test 50 --max-slowdown inf --model "$model" --gantt none --out "$model" -q >/dev/null
    done
    (($(jq .malleable_starts ideal/summary.json) > 50))
    cmp ideal/jobs.csv worst/jobs.csv
    cmp ideal/schedule.swf worst/schedule.swf
}

@test "settings are compared side by side, the first is the baseline" {
    run -0 --separate-stderr "$sim" compare --swf "$log" slurm sd:base=easy,max_slowdown=inf --out out
    [[ $(jq length out/summary.json) == 2 ]]
    [[ -s out/report.html && -s out/slurm/jobs.csv ]]
    [[ $(jq -r '.[1].malleable_starts' out/summary.json) == 1 ]]
    # Every figure and summary carries a command that makes it again.
    command=$(jq -r '.[1].setting.command' out/summary.json)
    [[ $command == drom-sim\ * ]]
    read -ra words <<<"$command"
    [[ $("$sim" "${words[@]:1}" --json -q | jq .slowdown_mean) == $(jq '.[1].slowdown_mean' out/summary.json) ]]
}

@test "a parameter is varied" {
    "$sim" compare --swf "$log" slurm sd --vary max_slowdown=1,inf --out out -q >/dev/null
    [[ $(jq -r '[.[] | .malleable_starts] | join(" ")' out/summary.json) == "0 0 1" ]]
}

@test "generated workloads are compared with confidence intervals" {
    run -0 --separate-stderr "$sim" compare --generate w1 --jobs 200 --seeds 3 -q slurm sd
    [[ $output == *"over 3 workloads"*"±"* ]]
}

@test "a generated log is the same from the same seed, and can be read" {
    "$sim" generate w5 --seed 7 --jobs 100 --out a.swf.gz
    "$sim" generate w5 --seed 7 --jobs 100 | cmp - <(zcat a.swf.gz)
    "$sim" generate w5 --seed 8 --jobs 100 | cmp - <(zcat a.swf.gz) && return 1
    [[ $("$sim" --swf a.swf.gz --nodes 49 --cores-per-node 48 --json -q | jq .jobs) == 100 ]]
}

@test "Ctrl-C leaves a valid report of the jobs so far" {
    need_logs
    "$sim" --swf "$WORKLOADS/CEA-Curie-2012.pyss-easy.swf.gz" --nodes 5040 --cores-per-node 16 --policy sd+ --out out -q >/dev/null 2>err &
    pid=$!
    # Whenever it comes: before the first job, in the middle, at the end. Until the log is read and the handler set, wait a little.
    sleep 3
    kill -INT "$pid" 2>/dev/null || true
    status=0
    wait "$pid" || status=$?
    ((status == 130 || status == 0))
    jq -e '.interrupted == true or .unended == 0' out/summary.json
    grep -q '</html>' out/report.html
    ((status == 0)) || grep -q interrupted err
}

@test "bad input gets one sentence, exit 2, and leaves nothing" {
    printf 'this is no log\n' >junk
    printf '; only a header\n' >empty
    head -c 3000 /dev/urandom >binary
    printf '1 0 -1 10 99 -1 -1 99 10 -1 1 1 1 1 1 -1 -1 -1\n' >wide
    gzip -c "$log" | head -c 60 >cut.gz
    refused() {
        run --separate-stderr "$sim" "$@" --out out
        echo "$* -> $status: $stderr"
        [[ $status == 2 && -z $output && $(wc -l <<<"$stderr") == 1 && $stderr == "drom-sim: "* && ! -e out ]]
    }
    refused --swf missing.swf
    refused --swf /
    refused --swf junk --nodes 4
    refused --swf empty --nodes 4
    refused --swf binary --nodes 4
    refused --swf cut.gz --nodes 4
    refused --swf wide --nodes 4 -q
    refused --swf wide -q
    refused --swf "$log" --nodes 0
    refused --swf "$log" --nodes 1e3
    refused --swf "$log" --policy best
    refused --swf "$log" --policy easy --max-slowdown 3
    refused --swf "$log" --policy sd --max-slowdown fast
    refused --swf "$log" --no-such-option
    refused --swf "$log" --gantt 3d
    refused --swf "$log" --gantt 4d-3d
    refused --generate w9
    refused
    refused --swf "$log" --generate w1
    refused compare --swf "$log" sd:bf_interval
    refused compare --swf "$log" slurm sd --vary nothing=1
    refused compare --swf "$log" --seeds 3
    refused generate
}

@test "what cannot be written is said" {
    : >file
    run -1 --separate-stderr "$sim" --swf "$log" --out file
    [[ $stderr == "drom-sim: write file: "* ]]
}

@test "help is short with -h and complete with --help" {
    run -0 "$sim" -h
    ((${#lines[@]} < 40))
    run -0 "$sim" --help
    for parameter in --max-slowdown --sharing-factor --bf-window --malleable-share --overestimate; do [[ $output == *"$parameter"* ]]; done
    run -0 "$sim" compare --help
    [[ $output == *--vary* ]]
    run -0 "$sim" generate -h
    run -0 "$sim" --version
    run -0 "$sim"
}

@test "every policy and parameter of the help is in the manual page" {
    page=$BATS_TEST_DIRNAME/../../docs/man/drom-sim.1.scd
    for option in $("$sim" --help | grep -oE '^  (-[a-zA-Z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+') $("$sim" compare --help | grep -oE '^  --[a-z-]+'); do
        grep -qF -- "*$option*" "$page" || { echo "$option is not in the manual page"; return 1; }
    done
}
