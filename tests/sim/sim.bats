#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# sim.bats - the command drom-sim as a researcher uses it, and what it says to bad input. SIM_BUILD: build folder;
# WORKLOADS: real logs.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    sim=$SIM_BUILD/bin/drom-sim
    log=$BATS_TEST_TMPDIR/log.swf
    # Job 1 has the whole machine for long; job 2 would wait for it.
    printf '; MaxNodes: 4\n; MaxProcs: 16\n' >"$log"
    printf '%s\n' '1 0 -1 1000 16 -1 -1 16 1000 -1 1 1 1 1 1 -1 -1 -1' '2 10 -1 50 16 -1 -1 16 100 -1 1 1 1 1 1 -1 -1 -1' >>"$log"
}

# fits NAME: stdin is what docs/reference/schemas/NAME.schema.json says.
fits() {
    local status=0
    python3 "$BATS_TEST_DIRNAME/../support/schemas.py" "$1" || status=$?
    if [[ $status == 77 && ${CI:-} != true ]]; then skip "no Python module jsonschema"; fi
    return $status
}

need_logs() {
    [[ -d $WORKLOADS ]] || skip "the logs are not in $WORKLOADS"
}

@test "a run leaves numbers, jobs, decisions, a log and a page" {
    run -0 --separate-stderr "$sim" --swf "$log" --policy sd --base easy --max-slowdown inf --out out
    for file in jobs.csv decisions.csv series.csv days.csv summary.json schedule.swf report.html; do [[ -s out/$file ]]; done
    [[ $(jq -r '[.jobs, .malleable_starts, .mates, .makespan] | join(" ")' out/summary.json) == "2 1 1 1050" ]]
    jq -e 'has("wait_mean") and has("response_mean") and has("slowdown_mean") and has("bounded_slowdown_mean") and has("utilisation")' out/summary.json
    grep -q '^2,10,shared,"job 2 .* joined job 1 after 0 s' out/decisions.csv
    # A simulation can be replayed: waits are those of the policy.
    [[ $(grep -v '^;' out/schedule.swf | awk '{print $1, $3}' | xargs) == "1 0 2 0" ]]
}

@test "the same input gives the same bytes, wherever it is made" {
    "$sim" --swf "$log" --policy sd+ --out a -q >/dev/null
    mkdir elsewhere
    cp "$log" elsewhere
    (cd elsewhere && "$sim" --json --policy sd+ --swf log.swf --force -o ../b >/dev/null)
    for file in jobs.csv decisions.csv series.csv days.csv schedule.swf summary.json summary.csv report.html; do cmp "a/$file" "b/$file"; done
    "$sim" compare --swf "$log" slurm sd --vary max_slowdown=5,inf --out c -q >/dev/null
    (cd elsewhere && "$sim" compare --swf log.swf slurm sd --threads 1 --out ../d --vary max_slowdown=5,inf >/dev/null)
    for file in summary.json summary.csv report.html sd-max_slowdown-5/summary.json; do cmp "c/$file" "d/$file"; done
    run ! grep -rlE "$BATS_TEST_TMPDIR|--threads" a c
    run ! grep -rl --exclude=report.html -e --out a c
}

@test "a summary names the program, the log and its repairs" {
    sed -i 's/^1 0 -1 1000 16 -1 -1 16 1000/1 0 -1 1000 16 -1 -1 16 -1/' "$log"
    "$sim" --swf "$log" --out out -q >/dev/null
    said() { jq -r ".provenance.$1" out/summary.json; }
    [[ drom-sim\ $(said version) == $("$sim" --version) ]]
    [[ $(said program_sha256) == $(sha256sum "$sim" | cut -d' ' -f1) ]]
    [[ $(said log_sha256) == $(sha256sum "$log" | cut -d' ' -f1) ]]
    [[ $(said 'repairs[0]') == "1 job has no requested time: the run time is taken, at least 1 s (line 3)" && $(said unix_start) == null ]]
    [[ $("$sim" --swf - --json -q <"$log" | jq .provenance.log_sha256) == null ]]
    [[ $("$sim" --generate w5 --jobs 5 --json -q | jq .provenance.log_sha256) == null ]]
}

@test "a command in a summary makes the same numbers again" {
    for options in "--first 1" "--processors larger" "--keep-overrun" "--drop-unrun --drop-cancelled" "--kill no"; do
        # shellcheck disable=SC2086
        "$sim" compare --swf "$log" $options easy sd --out out --force -q >/dev/null
        command=$(jq -r '.[1].setting.command' out/summary.json)
        read -ra words <<<"$command"
        [[ $command == *"${options%% --*}"* ]]
        cmp <("$sim" "${words[@]:1}" --json -q | jq 'del(.setting.command)') <(jq 'del(.worse, .setting.command)' out/sd/summary.json)
    done
}

@test "dates are there where the log says when it began" {
    sed -i '1i ; UnixStartTime: 1283292000' "$log"
    "$sim" --swf "$log" --out out -q >/dev/null
    [[ $(jq .provenance.unix_start out/summary.json) == 1283292000 ]]
    [[ $(cut -d, -f1,27-29 out/jobs.csv | sed -n 3p) == 2,2010-08-31T22:00:10Z,2010-08-31T22:16:40Z,2010-08-31T22:17:30Z ]]
    [[ $(sed -n 3p out/decisions.csv) == *,2010-08-31T22:16:40Z,,,,, ]]
}

@test "summary.csv has a row per setting, and a column per parameter" {
    "$sim" compare --swf "$log" easy sd --vary max_slowdown=5,inf --out out -q >/dev/null
    rows() { python3 -c 'import csv, sys
for row in csv.DictReader(open(sys.argv[1])): print(*(row[name] or "-" for name in sys.argv[2:]))' "$@"; }
    [[ $(rows out/summary.csv setting folder jobs max_slowdown | xargs) == "easy easy 2 - sd:max_slowdown=5 sd-max_slowdown-5 2 5 sd:max_slowdown=inf sd-max_slowdown-inf 2 inf" ]]
    for i in 0 1 2; do
        [[ $(rows out/summary.csv slowdown_mean | sed -n $((i + 1))p) == $(jq ".[$i].slowdown_mean" out/summary.json) ]]
    done
    "$sim" compare --generate w5 --jobs 50 --seeds 2 easy sd --out seeds -q >/dev/null
    [[ $(rows seeds/summary.csv policy workload_seed folder | xargs) == "easy 1 easy sd 1 sd easy 2 - sd 2 -" ]]
}

@test "every setting has a folder of its own, with a name that every tool takes" {
    "$sim" compare --swf "$log" easy easy sd:max_slowdown=5,sharing_factor=0.25 sd+:gain=1 --weight-partition 1 --out out -q >/dev/null
    [[ $(cd out && echo */) == "easy-2/ easy/ sd+-gain-1/ sd-max_slowdown-5-sharing_factor-0.25/" ]]
}

@test "each column of each table is explained in the document" {
    document=$BATS_TEST_DIRNAME/../../docs/user/simulator.md
    diff <(COLUMNS=1000 "$sim" help columns) <(sed -n '/^<!-- drom-sim help columns -->$/,/^<!-- end -->$/p' "$document" | sed '1d;$d')
    "$sim" --swf "$log" --out out -q >/dev/null
    decision_log >decisions.log
    "$sim" replay decisions.log --out out/replay.csv >/dev/null
    for file in jobs decisions replay; do
        [[ $(head -1 "out/$file.csv" | tr , '\n') == $("$sim" help columns | sed -n "/^### $file/,/^###/s/^| \`\([a-z_0-9]*\)\` .*/\1/p") ]]
    done
}

@test "--json prints the summary and nothing else" {
    run -0 --separate-stderr "$sim" --swf "$log" --json -q
    [[ $(jq .jobs <<<"$output") == 2 && -z $stderr ]]
    fits sim-summary <<<"$output"
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
    fits sim-compare <out/summary.json
    fits sim-summary <out/slurm/summary.json
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

@test "two parameters are varied in every combination, none is dropped" {
    settings() { jq -r '[.[].setting.parameters | "\(.max_slowdown)/\(.sharing_factor)"] | join(" ")' "$1/summary.json"; }
    "$sim" compare --swf "$log" slurm sd --vary max_slowdown=5,inf --vary sharing_factor=0.25,0.5 --out out -q >/dev/null
    [[ $(settings out) == "null/null 5/0.25 5/0.5 inf/0.25 inf/0.5" ]]
    grep -q 'Sweep over sharing_factor' out/report.html
    # Parameters of the baseline are varied there, too; each baseline is simulated once.
    "$sim" compare --swf "$log" slurm sd --vary max_slowdown=5,inf --vary bf_interval=30,60 --out both -q >/dev/null
    [[ $(jq length both/summary.json) == 6 ]]
    [[ $(jq -r '[.[] | select(.setting.policy == "slurm") | .setting.parameters.bf_interval] | join(" ")' both/summary.json) == "30 60" ]]
    run -2 --separate-stderr "$sim" compare --swf "$log" slurm sd --vary max_slowdown=5 --vary max_slowdown=10
    [[ $stderr == "drom-sim: compare: --vary max_slowdown is given twice; give all of its values at once" ]]
}

@test "generated workloads are compared with confidence intervals" {
    run -0 --separate-stderr "$sim" compare --generate w1 --jobs 200 --seeds 3 -q slurm sd
    [[ $output == *"over 3 workloads"*"±"* ]]
}

@test "a generated log is the same from the same seed, and can be read" {
    "$sim" generate w5 --workload-seed 7 --jobs 100 --out a.swf.gz
    "$sim" generate w5 --workload-seed 7 --jobs 100 | cmp - <(zcat a.swf.gz)
    "$sim" generate w5 --workload-seed 8 --jobs 100 | cmp - <(zcat a.swf.gz) && return 1
    [[ $("$sim" --swf a.swf.gz --nodes 49 --cores-per-node 48 --json -q | jq .jobs) == 100 ]]
}

@test "a policy that cannot share says so" {
    run -0 --separate-stderr "$sim" --swf "$log" --policy sd --malleable-share 0 --out out
    [[ $stderr == *"drom-sim: run: sd has no malleable job: no job starts on nodes of others (malleable_share 0)."* ]]
    grep -q "sd has no malleable job" out/report.html
    run -0 --separate-stderr "$sim" compare --swf "$log" --nodes 16 --cores-per-node 1 easy sd sd+ sd:max_mates=1
    [[ $(grep -c "cannot share nodes of one core" <<<"$stderr") == 2 ]]
    run -0 --separate-stderr "$sim" --swf "$log" --nodes 16 --cores-per-node 1 --policy sd -q
    [[ -z $stderr ]]
}

@test "Ctrl-C leaves a valid report of the jobs so far" {
    need_logs
    for late in 0 1 4 16; do
        "$sim" --swf "$WORKLOADS/CEA-Curie-2012.pyss-easy.swf.gz" --nodes 5040 --cores-per-node 16 --policy sd+ --out out -q >/dev/null 2>err &
        pid=$! # the signal may come at any time; while the log is read it ends the program
        until [[ ! -d /proc/$pid ]] || grep -q '^SigCgt:.*[2367abef]$' "/proc/$pid/status"; do sleep 0.2; done
        sleep "$late"
        kill -INT "$pid" 2>/dev/null || true
        status=0 && wait "$pid" || status=$?
        ((status == 130 || status == 0))
        [[ ! -e out ]] || break
    done
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

# A controller's log: job 3 shares with job 1, job 4 finds no mate; then the controller is started again.
decision_log() {
    cat <<'LOG'
sd-policy 1 limit=10 sharing_factor=0.5 max_mates=2 jobs_per_node=2 gain=0
pool cores=8 nodes=0-3
start at=0 job=1 submit=0 request=1000 count=2 min_cores=1 kind=malleable nodes=0-1
start at=5 job=2 submit=5 request=800 count=2 min_cores=1 kind=malleable nodes=2-3
consider at=10 job=3 submit=10 request=100 count=2 min_cores=1 within=0-3 static=800 limit=10 outcome=share cores=4 mates=1 end=210
share at=10 job=3 submit=10 request=100 count=2 min_cores=1 cores=4 mates=1
consider at=20 job=4 submit=20 request=60 count=3 min_cores=1 within=0-3 static=1000 limit=10 outcome=no-mates
sd-policy 1 limit=dynamic sharing_factor=0.5 max_mates=2 jobs_per_node=2 gain=0
pool cores=8 nodes=0-3
start at=0 job=1 submit=0 request=1000 count=2 min_cores=1 kind=malleable nodes=0-1
share at=10 job=3 submit=10 request=100 count=2 min_cores=1 cores=4 mates=1
finish at=220 job=3
LOG
}

@test "a controller's decisions are made again, and are the same" {
    decision_log >decisions.log
    run -0 --separate-stderr "$sim" replay decisions.log
    [[ -z $stderr && ${lines[0]} == "12 lines of 2 clusters: 3 starts, 2 shared starts, 1 end, 2 decisions" ]]
    [[ $output == *"Every decision is what the policy decides now." ]]
    run -0 "$sim" replay - <decisions.log
    gzip decisions.log
    run -0 --separate-stderr "$sim" replay decisions.log.gz --json
    [[ $(jq -r '[.decisions, .differing, .now.share, .now."no mates"] | join(" ")' <<<"$output") == "2 0 1 1" ]]
    fits sim-replay <<<"$output"
    run -0 --separate-stderr "$sim" replay decisions.log.gz --json --decisions
    [[ $(jq '.all_decisions | length' <<<"$output") == 2 ]]
    fits sim-replay <<<"$output"
}

@test "decisions that are not the policy's are said, exit 1" {
    decision_log | sed 's/mates=1 end/mates=2 end/' >mate.log
    run -1 "$sim" replay mate.log
    [[ $output == *"line 5: job 3 (2 nodes, 100 s requested), at 10: the controller decided: share 4 cores per node of job 2 "*"; the policy decides now: share 4 cores per node of job 1 "* ]]
    [[ $output == *"line 6: job 3 started at 10 on 4 cores per node of job 1; line 5 decided: "* ]]
    decision_log | sed 's/cores=4 mates=1 end/cores=3 mates=1 end/' >cores.log
    run -1 --separate-stderr "$sim" replay cores.log --json
    fits sim-replay <<<"$output"
    [[ $(jq -r '.differing_decisions[0] | [.line, .then.cores, .now.cores] | join(" ")' <<<"$output") == "5 3 4" ]]
}

@test "a record that is told again is JSON, too" {
    "$sim" --swf "$log" --policy sd --base easy --max-slowdown inf --record sd.record -q >/dev/null
    run -0 --separate-stderr "$sim" replay sd.record --json
    fits sim-record <<<"$output"
    [[ $(jq -r '[.submits, .starts, .ends, .difference] | join(" ")' <<<"$output") == "2 2 2 " ]]
    sed -i 's/how=shared end=210/how=shared end=211/' sd.record
    run -1 --separate-stderr "$sim" replay sd.record --json
    fits sim-record <<<"$output"
    [[ $(jq -r '.difference.decided' <<<"$output") == "start at=10 job=1 "*" how=shared end=210 "* ]]
}

@test "other parameters are tried on a controller's decisions" {
    decision_log >decisions.log
    run -0 "$sim" replay decisions.log --max-slowdown 1.05
    [[ $output == *"1 of 2 decisions would have been another with max_slowdown=1.05:"* ]]
    [[ $output == *"; by these: wait (no mates)" ]]
    run -0 "$sim" replay decisions.log --sharing-factor=0.25 --decisions --out decisions.csv
    [[ $output == *"share 2 cores per node of job 1"* ]]
    [[ $(sed -n 2p decisions.csv) == 5,10,3,2,share,1,4,10,800,210,share,1,2,10,410,1,, ]]
}

@test "idle nodes and names of a controller's log are decided again" {
    cat >idle.log <<'LOG'
sd-policy 1 limit=10 sharing_factor=0.5 max_mates=2 jobs_per_node=2 gain=0 add_free_nodes=yes qos=strict qos_order=low/high
pool cores=8 nodes=0-5
start at=0 job=1 submit=0 request=1000 count=2 min_cores=1 partition=long qos=low kind=malleable nodes=0-1
consider at=10 job=2 submit=10 request=100 count=3 min_cores=1 partition=long qos=high within=0-5 static=1000 idle=3:200/4-5:300 limit=10 outcome=share cores=4 mates=1 free=4 end=210
share at=10 job=2 submit=10 request=100 count=3 min_cores=1 partition=long qos=high cores=4 mates=1 free=4
LOG
    run -0 --separate-stderr "$sim" replay idle.log --json --decisions
    fits sim-replay <<<"$output"
    [[ $(jq -r '[.differing, .all_decisions[0].now.free] | join(" ")' <<<"$output") == "0 4" ]]
    run -0 "$sim" replay idle.log --partition-max-slowdown long:1.05
    [[ $output == *"1 of 1 decision would have been another with partition_max_slowdown=long:1.05:"*"; by these: wait (no mates)" ]]
    run -0 "$sim" replay idle.log --qos-order high/low
    [[ $output == *"; by these: wait (no mates)" ]]
    sed -i 's/free=4$/free=5/' idle.log
    run -1 --separate-stderr "$sim" replay idle.log --json
    fits sim-replay <<<"$output"
    [[ $(jq -r '.astray[0] | .free + " " + .decided.free' <<<"$output") == "5 4" ]]
}

@test "partitions and QOS of a log have limits of their own, and what no job has is refused" {
    sed -i 's/ 1 -1 -1 -1$/ 3 7 -1 -1/; 1i; Queue: 3 low' "$log"
    [[ $("$sim" --swf "$log" --policy sd --base easy --json -q | jq .malleable_starts) == 0 ]]
    for limit in --partition-max-slowdown=7:1.2 --qos-max-slowdown=3:inf --qos-max-slowdown=low:2; do
        [[ $("$sim" --swf "$log" --policy sd --base easy "$limit" --json -q | jq .malleable_starts) == 1 ]]
    done
    run -0 "$sim" compare --swf "$log" slurm sd:base=easy,qos=strict,qos_order=low --vary partition_max_slowdown=none,7:1.2 -q
    refused() {
        run -2 --separate-stderr "$sim" run --swf "$log" --policy "$2"
        echo "$2 -> $stderr"
        [[ -z $output && $stderr == "drom-sim: run: $1" ]]
        run -2 --separate-stderr "$sim" compare --swf "$log" slurm "$2"
        [[ -z $output && $stderr == "drom-sim: compare: $1" ]]
    }
    refused "partition_max_slowdown: $log has no jobs of partition '2'; it has jobs of partition 7" sd:partition_max_slowdown=2:5
    refused "qos_max_slowdown: $log has no jobs of QOS 'high'; it has jobs of QOS low" sd+:qos_max_slowdown=high:5
    refused "qos_max_slowdown 'low:0.5' has the limit '0.5', which is out of range; 1 to 1000000000000 can be meant; nor inf" sd:qos_max_slowdown=low:0.5
    refused "qos=strict needs qos_order, which lists every QOS from the lowest to the highest" sd:qos=strict
    refused "qos_order lacks QOS low of jobs of $log; it has to list every QOS of the jobs" sd:qos=strict,qos_order=high
}

@test "the line that a killed controller did not finish is left out and said" {
    { decision_log && printf 'consider at=3'; } >cut.log
    run -0 --separate-stderr "$sim" replay cut.log
    [[ $stderr == "drom-sim: replay: cut.log: line 13 is unfinished, as of a controller that was killed; left out" ]]
    run -0 --separate-stderr "$sim" replay cut.log -q
    [[ -z $stderr ]]
}

@test "a log of decisions that cannot be read gets one sentence, exit 2, as what cannot be meant" {
    decision_log >decisions.log
    : >empty
    decision_log | sed '12s/ job=3//' >gap
    decision_log | sed 1d >headless
    decision_log | sed '12s/3$/9/' >stranger
    refused() {
        local status_wanted=$1 sentence=$2
        shift 2
        run --separate-stderr "$sim" replay "$@"
        echo "$* -> $status: $stderr"
        [[ $status == "$status_wanted" && -z $output && $stderr == "drom-sim: replay: $sentence" ]]
    }
    refused 2 "gap: line 12 has no job= where it should be" gap
    refused 2 "stranger: line 12 ends job 9, which does not run" stranger
    refused 2 "headless: line 1 is not in a cluster; a log begins with a line sd-policy" headless
    refused 2 "empty: there is not one whole line in it; name a log of decisions, a record or a journal" empty
    refused 2 "missing: No such file or directory; name a log of decisions" missing
    refused 2 "there is no log; name the file, or - for the standard input"
    refused 2 "max_slowdown 'fast' is not a number; nor inf, nor dynamic" decisions.log --max-slowdown fast
    refused 2 "there is no option --bf-window (drom-sim replay --help lists them)" decisions.log --bf-window
    run -1 --separate-stderr "$sim" replay decisions.log --out missing/decisions.csv
    [[ $stderr == "drom-sim: write missing/decisions.csv: "* ]]
}

sites() {
    cat <<'SITES'
rules spread=5 ageing=1
system east cores=64 cost=1
system west cores=48 cost=1.5
application weather ranks=60 priority=2 move=0.5
application ocean ranks=40
application ice ranks=16
runs weather west ranks=48
SITES
}

@test "applications are placed on systems, and those that were dropped have their turn" {
    sites >sites.txt
    run -0 --separate-stderr "$sim" place sites.txt
    [[ -z $stderr && ${lines[1]} == "weather "*" east 12, west 48" && ${lines[3]} == "ice "*" dropped" ]]
    [[ ${lines[-1]} == "cost 245; 2 of 3 applications placed, 1 dropped" ]]
    run -0 "$sim" place - --json <sites.txt
    fits sim-place <<<"$output"
    [[ $(jq -r '[.cost, .applications[0].arrive, .applications[2].dropped, .systems[0].used] | join(" ")' <<<"$output") == "245 12 true 52" ]]
    for round in 1 2 3; do
        "$sim" place sites.txt --out next.txt >placed.$round
        mv next.txt sites.txt
    done
    grep -q '^ice .*dropped' placed.1
    grep -q '^ocean .*dropped' placed.2
    grep -q '^ocean .*west 40' placed.3
}

@test "a file of systems that is wrong is refused with line and column, and nothing is written" {
    refused() {
        local sentence=$1
        shift
        run --separate-stderr "$sim" place "$@" --out next.txt
        [[ $status == 2 && -z $output && ! -e next.txt && $stderr == "drom-sim: place: $sentence" ]] || { echo "$status $stderr" >&2; false; }
    }
    sites | sed '2s/64/many/' >word
    sites | sed '7s/west/south/' >unknown
    { printf x; head -c 3000 /dev/urandom | tr -d '\n'; } >binary # not '#', which begins a comment
    refused "word: line 2, column 19: cores 'many' is not a whole number" word
    refused "unknown: line 7, column 14: there is no system 'south' above" unknown
    refused "/dev/null: there is no line 'system' in it" /dev/null
    refused "missing: No such file or directory; name a file of systems and applications" missing
    refused "there is no file; name it, or - for the standard input"
    run -2 --separate-stderr "$sim" place binary
    [[ $stderr == "drom-sim: place: binary: line 1, column "* && $(wc -l <<<"$stderr") == 1 ]]
    sites >sites.txt
    run -1 --separate-stderr "$sim" place sites.txt --out missing/next.txt
    [[ -z $output && $stderr == "drom-sim: write missing/next.txt: "* ]]
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
    run -0 "$sim" replay -h
    ((${#lines[@]} < 50))
    [[ $output == *--decisions*--max-slowdown*"Exit status"* ]]
    run -0 "$sim" replay --help
    [[ $output == *"Examples:"* ]]
    run -0 "$sim" --version
}

@test "energy of jobs and of idle nodes is told per partition, and a setting can be done again" {
    cp "$BATS_TEST_DIRNAME"/../../examples/energy/* .
    files=(--machine p1-p2.machine --apps thesis.apps)
    run -0 --separate-stderr "$sim" compare --generate eamc --jobs 300 --app-mix 33 "${files[@]}" energy:least=time eamc --out out
    [[ $stderr == *"thesis.apps has lines about p3, which p1-p2.machine does not have: left out"* ]]
    fits sim-compare <out/summary.json
    jq -e 'all(.[]; (.partitions | map(.name) == ["p1", "p2"] and (map(.jobs) | add) == 300)
        and (.energy_j - (.partitions | map(.energy_j) | add) | fabs) < 1 and .energy_with_idle_j > .energy_j and (has("energy_proxy_node_seconds") | not))' out/summary.json
    jq -e '.[1].energy_j < .[0].energy_j and .[1].best_partition_share > .[0].best_partition_share' out/summary.json
    [[ $(head -1 out/eamc/jobs.csv) == *,application,partition,preference,ghz,eff,joules* ]]
    grep -q '; on p2 at 1.2 GHz: preference 1, efficiency 1' out/eamc/decisions.csv
    command=$(jq -r '.[1].setting.command' out/summary.json)
    read -ra words <<<"$command"
    [[ $("$sim" "${words[@]:1}" --json -q | jq .energy_j) == $(jq '.[1].energy_j' out/summary.json) ]]
    # A policy that knows no energy is measured by the same model.
    files[1]=p1.machine
    "$sim" --generate eamc --jobs 50 "${files[@]}" --policy sd+ --json -q | jq -e '.energy_j > 0 and .ghz_mean == 2.7'
}

@test "what is wrong with a machine is said in one sentence, and nothing is written" {
    folder=$BATS_TEST_DIRNAME/../../examples/energy
    said() { run -2 --separate-stderr "$sim" "${@:2}" --out none && [[ $stderr == "drom-sim: $1" && ! -e none ]]; }
    printf 'partition p\n  nodes many\n' >bad
    said "read bad: line 2, column 9: 'many' where a number of nodes should be" --generate eamc --machine bad --apps "$folder/thesis.apps" -q
    said "read bad: line 1, column 1: 'partition' is no keyword; there are app, on and nodes" --generate eamc --machine "$folder/p1.machine" --apps bad -q
    said "run: a model of energy needs both files; give --machine and --apps" --generate eamc --machine "$folder/p1.machine"
    said "run: policy eamc decides by a model of energy; give --machine and --apps" --generate eamc --policy eamc -q
    said "run: policy easy uses one partition, and the machine has 2" --generate eamc --machine "$folder/p1-p2.machine" --apps "$folder/thesis.apps" -q
    said "run: --machine says how large the machine is; leave out --nodes and --cores-per-node" --generate eamc --nodes 4 --machine "$folder/p1.machine" --apps "$folder/thesis.apps"
    said "run: --app-mix: there is no application 9 in the table" --generate eamc --app-mix 9:10 --machine "$folder/p1.machine" --apps "$folder/thesis.apps" -q
}

@test "a log of jobs for three platforms runs as the generated jobs do" {
    root=$BATS_TEST_DIRNAME/../..
    files=(--machine "$root/examples/platforms/three.machine" --apps "$root/examples/platforms/kinds.apps" --policy ejs --out)
    "$sim" generate platforms-x2 --workload-seed 3 --out jobs.swf
    "$sim" --swf jobs.swf "${files[@]}" log -q >/dev/null
    "$sim" --generate platforms-x2 --workload-seed 3 "${files[@]}" generated -q >/dev/null
    cmp log/jobs.csv generated/jobs.csv
    [[ $(grep -cE ',(supercomputer|cluster|cloud),' generated/jobs.csv) == 1000 ]]
}

@test "commands of the pages of results are ones that drom-sim takes" {
    cd "$BATS_TEST_DIRNAME/../.."
    count=0
    while read -r command; do
        read -ra words <<<"$command"
        few=(--jobs 20)
        [[ $command =~ (cannon|gauss|equipartition-5) ]] && few=() # these presets always have the same jobs
        run -0 --separate-stderr "$sim" "${words[@]:1}" "${few[@]}" -q
        count=$((count + 1))
    done < <(grep -ohE 'drom-sim compare --generate [^`]*' docs/results/*.md | sed -E 's/--seeds [0-9]+/--seeds 2/' | sort -u)
    ((count >= 30))
}

@test "the page of results has the choices of a partition that the simulations come to" {
    python3 "$BATS_TEST_DIRNAME/../../scripts/results/placement.py" "$sim" --check
}

@test "the page of results has the gaps of placements that the test finds" {
    tests=$SIM_BUILD/bin/policy_tests
    [[ -x $tests ]] || skip "policy_tests is not built"
    "$tests" --gtest_filter='PlacementGap.*' | grep -q '^{' || skip "policy_tests is built without GLPK"
    python3 "$BATS_TEST_DIRNAME/../../scripts/results/placement.py" "$sim" --gaps "$tests" --check
}

@test "jobs that a policy never starts are counted, and the reason is given" {
    awk '/nodes 512/ && !seen { sub(512, 20); seen = 1 } { print }' "$BATS_TEST_DIRNAME/../../examples/energy/p1-p2.machine" >small.machine
    jobs=(--generate eamc --jobs 200 --machine small.machine --apps "$BATS_TEST_DIRNAME/../../examples/energy/thesis.apps")
    run -0 --separate-stderr "$sim" "${jobs[@]}" --policy first-partition --out out
    [[ $stderr == *"drom-sim: run: first-partition never starts 53 of 200 jobs: no partition that it allows them has enough nodes and runs their application; all numbers leave them out."* ]]
    [[ $(jq '.jobs + .unended' out/summary.json) == 200 ]]
    grep -q 'first-partition never starts 53 of 200 jobs' out/report.html
    run -0 --separate-stderr "$sim" compare "${jobs[@]}" best-first first-partition
    [[ $stderr == *"first-partition never starts 53 of 200 jobs"* && $stderr != *"best-first never"* ]]
}

@test "every policy is listed with its options, their defaults and its source" {
    run -0 "$sim" policies
    [[ $output == *"easy - EASY backfill"*"Source: D. Lifka"*"sd - "*"--max-slowdown P"*"(dynamic)"*"sd+ - "*"(inf)"* ]]
    run -0 "$sim" policies sd+
    [[ $output == "sd+ - "* && $output != *easy\ -* && $output != *--bf-window* ]]
    "$sim" policies --json | fits sim-policies
    run -2 --separate-stderr "$sim" policies sdd
    [[ $stderr == "drom-sim: policies: there is no policy 'sdd' (drom-sim policies lists them)" ]]
}

@test "the page of policies is what the command knows" {
    "$sim" policies --markdown | diff - "$BATS_TEST_DIRNAME/../../docs/reference/policies.md"
}

@test "help is as wide as COLUMNS says" {
    for page in -h --help "compare --help" "generate -h" "replay --help" "policies -h" policies "place --help"; do
        # shellcheck disable=SC2086
        for width in 60 80 132; do
            COLUMNS=$width "$sim" $page >page
            awk -v width="$width" 'length($0) > width { print; wide = 1 } END { exit wide }' page
        done
    done
}

@test "what was mistyped is named, with what was most likely meant" {
    said() {
        local sentence=$1
        shift
        run -2 --separate-stderr "$sim" "$@"
        [[ -z $output && $stderr == "drom-sim: $sentence" ]] || { echo "$stderr" >&2; false; }
    }
    said "run: there is no option --polcy; did you mean --policy? (drom-sim run --help lists them)" --swf "$log" --polcy easy
    said "run: there is no option --polcy; did you mean --policy? (drom-sim run --help lists them)" --swf "$log" --polcy=easy
    said "run: there is no verb 'compar'; did you mean compare? (drom-sim -h lists them)" compar
    said "run: there is no verb 'frob' (drom-sim -h lists them)" frob
    said "generate: 'w2' is one argument too many; drom-sim generate -h says what it takes" generate w1 w2
    said "run: there are no jobs; give a log with --swf FILE, or --generate PRESET"
    said "generate: there is no preset foo; there are w1, w2, w1-samples, w2-samples, w5, year, eamc, lublin, platforms-x0.5, platforms-x1, platforms-x2, reshape-120, reshape-nas, cannon4096, gauss4096, cannon1024, cannon-3, equipartition-5, equipartition-60, equipartition-60-mask" generate foo
}

@test "a result is written over only when that is asked for" {
    "$sim" --swf "$log" --policy sd --out out -q >/dev/null
    cp out/summary.json before
    run -1 --separate-stderr "$sim" --swf "$log" --policy easy --out out
    [[ $stderr == "drom-sim: run: out has a result already; name another folder with --out, or write over it with --force" ]]
    run -1 "$sim" compare --swf "$log" --out out
    cmp out/summary.json before
    "$sim" --swf "$log" --policy easy --out out --force -q >/dev/null
    [[ $(jq -r .setting.policy out/summary.json) == easy ]]
    # A result that was not finished is one, too.
    rm out/summary.* out/report.html
    run -1 "$sim" --swf "$log" --policy easy --out out
    "$sim" generate w5 --jobs 3 --out w5.swf
    run -1 --separate-stderr "$sim" generate w5 --jobs 4 --out w5.swf
    [[ $stderr == "drom-sim: generate: w5.swf is there already; name another file with --out, or write over it with --force" ]]
    "$sim" generate w5 --jobs 4 --out w5.swf --force
    [[ $(grep -vc '^;' w5.swf) == 4 ]]
    decision_log >decisions.log
    run -1 --separate-stderr "$sim" replay decisions.log --out w5.swf
    [[ $stderr == "drom-sim: replay: w5.swf is there already;"* ]]
}

@test "what cannot be printed is said, exit 1" {
    [[ -c /dev/full ]] || skip "no /dev/full"
    for words in "policies" "policies --json" "help" "--generate w5 --jobs 20" "compare --generate w5 --jobs 20 easy sd" "--generate w5 --jobs 20 --json"; do
        # shellcheck disable=SC2086 # these are several words
        run -1 --separate-stderr bash -c '"$@" >/dev/full' - "$sim" $words
        echo "$words: $stderr"
        [[ $stderr == *"drom-sim: write the standard output: "* ]]
    done
}

@test "every policy and parameter of the help is in the manual page" {
    page=$BATS_TEST_DIRNAME/../../docs/reference/man/drom-sim.1.scd
    for option in $("$sim" --help | grep -oE '^  (-[a-zA-Z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+') $("$sim" compare --help | grep -oE '^  --[a-z-]+') $("$sim" replay --help | grep -oE '^  --[a-z-]+') $("$sim" place --help | grep -oE '^  --[a-z-]+'); do
        grep -qF -- "*$option*" "$page" || { echo "$option is not in the manual page"; return 1; }
    done
}
