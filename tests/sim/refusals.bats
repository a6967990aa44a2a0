#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# refusals.bats - what drom-sim was told and could not have been meant is refused, and never taken as something else.
# SIM_BUILD: build folder.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    sim=$SIM_BUILD/bin/drom-sim
    log=log.swf
    printf '; MaxNodes: 4\n; MaxProcs: 16\n' >"$log"
    printf '%s\n' '1 0 -1 1000 16 -1 -1 16 1000 -1 1 1 1 1 1 -1 -1 -1' '2 10 -1 50 16 -1 -1 16 100 -1 1 1 1 1 1 -1 -1 -1' >>"$log"
}

# said STATUS SENTENCE WORD...: drom-sim says the sentence alone, with that status, and makes no folder `out`.
said_alone() {
    local status_wanted=$1 sentence=$2
    shift 2
    run --separate-stderr "$sim" "$@" --out out
    # shellcheck disable=SC2154 # run sets it
    echo "$* -> $status: $stderr"
    [[ $status == "$status_wanted" && -z $output && $stderr == "drom-sim: $sentence" && ! -e out ]]
}

@test "a setting that says two things or nothing is refused, not run by the last of them" {
    local why="is no NAME=VALUE; settings look like sd:max_slowdown=10,max_mates=2"
    said_alone 2 "run: 'sd:max_mates=1,gain=0,max_mates=2' gives max_mates twice; leave one of them out" --swf "$log" --policy sd:max_mates=1,gain=0,max_mates=2
    said_alone 2 "run: '' in 'sd:' $why" --swf "$log" --policy sd:
    said_alone 2 "compare: '' in 'sd:max_mates=1,' $why" compare --swf "$log" easy sd:max_mates=1,
    said_alone 2 "compare: --vary max_mates: 'sd:max_mates=1' has a value of it already; leave one of them out" compare --swf "$log" easy sd:max_mates=1 --vary max_mates=1,2
    local both="lower 0.5 is above upper 0.1; a job between them would have to shrink and to grow"
    said_alone 2 "run: $both" --swf "$log" --policy efficiency:lower=0.5
    said_alone 2 "run: $both" --swf "$log" --policy efficiency --lower 0.5
    said_alone 2 "compare: $both" compare --swf "$log" easy efficiency --vary lower=0.05,0.5
    "$sim" --swf "$log" --policy efficiency:lower=0.5,upper=0.5 -q
}

@test "an option whose value is empty is refused, not taken as not given" {
    for option in --policy --max-slowdown --nodes --record --gantt; do
        said_alone 2 "run: $option: the value is empty; drom-sim run -h lists the options" --swf "$log" $option ""
    done
    said_alone 2 "import: --salt: the value is empty; drom-sim import -h lists the options" import --slurm "$log" --salt ""
    said_alone 2 "compare: there is no policy '' (drom-sim policies lists them)" compare --swf "$log" easy ""
}

@test "a grid of more settings than fit into a page is refused at once, not tried until memory is full" {
    local many
    many=$(seq -s, 1 1000)
    run -2 --separate-stderr timeout -s KILL 20 "$sim" compare --swf "$log" easy sd --vary "gain=$many" --vary "max_slowdown=$many" --vary "candidates=$many" --out out
    [[ $stderr == "drom-sim: compare: --vary has 1000000000 combinations; 10000 are the most, so give fewer values" && ! -e out ]]
}

@test "a header that says two sizes of the machine is refused, not read as the first" {
    sed '2a ; MaxNodes: 8' "$log" >two.swf
    said_alone 2 "run: two.swf: line 3: MaxNodes is 8, and 4 in line 1; --nodes N and --cores-per-node C say how large the machine is" --swf two.swf
    said_alone 2 "compare: two.swf: line 3: MaxNodes is 8, and 4 in line 1; --nodes N and --cores-per-node C say how large the machine is" compare --swf two.swf --nodes 4
    sed 's/MaxProcs: 16/MaxProcs: 2/' "$log" >few.swf
    said_alone 2 "run: few.swf: line 2: MaxProcs is 2, fewer than the 4 of MaxNodes in line 1; --nodes N and --cores-per-node C say how large the machine is" --swf few.swf
    sed 's/MaxNodes: 4/MaxNodes: four/' "$log" >word.swf
    said_alone 2 "run: word.swf: line 1: MaxNodes 'four' is no number from 1 to 1000000000; --nodes N and --cores-per-node C say how large the machine is" --swf word.swf
    for file in two.swf few.swf word.swf; do "$sim" --swf $file --nodes 4 --cores-per-node 4 -q; done
}

@test "reserved nodes that the machine does not have are refused, not reserved as all that there are" {
    said_alone 2 "run: reserved '100-200:5' has 5 nodes; the machine has 4" --swf "$log" --policy slurm:reserved=0-50:4/100-200:5
    said_alone 2 "compare: reserved '0-50:9' has 9 nodes; the machine has 4" compare --swf "$log" slurm sd:reserved=0-50:9
}

@test "jobs of the same user are refused where the log has none, not taken as strangers" {
    sed -i 's/ 1 1 1 1 1 -1 -1 -1$/ 1 -1 -1 1 1 -1 -1 -1/' "$log"
    said_alone 2 "run: same=user: jobs of log.swf have no user, so that none would share; leave it out" --swf "$log" --policy sd:same=user
    said_alone 2 "run: same=user: jobs of cirne-w1 have no user, so that none would share; leave it out" --generate w1 --jobs 9 --policy sd+ --same user
    said_alone 2 "compare: same=user: jobs of log.swf have no user, so that none would share; leave it out" compare --swf "$log" slurm sd --vary same=any,user
}

@test "partitions that the machine does not have are refused, not taken as the last one" {
    local examples=$BATS_TEST_DIRNAME/../../examples
    local two=(--generate eamc --jobs 20 -q --machine "$examples/energy/p1-p2.machine" --apps "$examples/energy/thesis.apps")
    local three=(--generate platforms-x1 --jobs 20 -q --machine "$examples/platforms/three.machine" --apps "$examples/platforms/kinds.apps")
    said_alone 2 "run: map '9/9/9' has partition 9; those of the machine are 0 to 1" "${two[@]}" --policy app:map=9/9/9
    said_alone 2 "compare: map '0/1' has partition 1; those of the machine are 0 to 0" compare --swf "$log" easy app:map=0/1
    # The table has five applications, with the numbers 1 to 5.
    said_alone 2 "run: map '0/1/0/0/2/1' is longer than the table of applications, which has 5; the first entry is for the first of the table, whatever its number" "${three[@]}" --policy app:map=0/1/0/0/2/1
    said_alone 2 "run: sizes '64/32/16/8/4' has to have one bound fewer than the machine has partitions, 2: the last takes the rest" "${two[@]}" --policy scale:sizes=64/32/16/8/4
    said_alone 2 "run: sizes '64' has to have one bound fewer than the machine has partitions, 3: the last takes the rest" "${three[@]}" --policy scale --sizes 64
    said_alone 2 "run: sizes '4/64' has to fall: each bound is smaller than the one before it" "${three[@]}" --policy scale:sizes=4/64
    said_alone 2 "run: sizes '4/4' has to fall: each bound is smaller than the one before it" "${three[@]}" --policy scale:sizes=4/4
    "$sim" "${two[@]}" --policy scale:sizes=8 -q
    "$sim" "${two[@]}" --policy scale -q
    "$sim" "${three[@]}" --policy app:map=1/0/0/2/1 -q
}

@test "applications of a map go by their place in the table, not by their numbers" {
    local examples=$BATS_TEST_DIRNAME/../../examples/platforms
    sed 's/^app \([0-9]*\)/app 7\1/' "$examples/kinds.apps" >numbered.apps
    "$sim" generate platforms-x1 --jobs 50 | awk '!/^;/ { $14 = 7 $14 } 1' >numbered.swf
    "$sim" --swf numbered.swf --machine "$examples/three.machine" --apps numbered.apps --policy app:map=1/0/0/2/1 --out out -q
    count=0
    declare -A at=([71]=cluster [72]=supercomputer [73]=supercomputer [74]=cloud [75]=cluster)
    while IFS=$'\t' read -r application partition; do
        [[ ${at[$application]} == "$partition" ]] || { echo "$application on $partition"; false; }
        count=$((count + 1))
    done < <(python3 -c 'import csv; [print(r["application"], r["partition"], sep="\t") for r in csv.DictReader(open("out/jobs.csv"))]')
    ((count == 50))
}

@test "a file that is read is not written over by its own run, whatever its name" {
    cp "$log" before
    ln -s log.swf symbolic
    ln log.swf hard
    for name in log.swf symbolic hard; do
        said_alone 1 "run: $name is the file that is read as log.swf; name another file with --record" --swf log.swf --record $name --force
    done
    run -1 --separate-stderr "$sim" --swf - --record hard --force <log.swf
    [[ $stderr == "drom-sim: run: hard is the file that is read as -; name another file with --record" ]]
    mkdir result
    ln log.swf result/schedule.swf
    run -1 --separate-stderr "$sim" --swf log.swf --out result --force
    [[ $stderr == "drom-sim: run: result/schedule.swf is the file that is read as log.swf; name another file with --out" && ! -e result/jobs.csv ]]
    run -1 --separate-stderr "$sim" import --slurm log.swf --out hard --force
    [[ $stderr == "drom-sim: import: hard is the file that is read as log.swf; name another file with --out" ]]
    cmp log.swf before
    printf '%s\n' 'sd-policy 1 limit=10 sharing_factor=0.5 max_mates=2 jobs_per_node=2 gain=0' 'pool cores=8 nodes=0-3' >decisions.log
    cp decisions.log before
    run -1 --separate-stderr "$sim" replay decisions.log --out decisions.log --force
    [[ $stderr == "drom-sim: replay: decisions.log is the file that is read as decisions.log; name another file with --out" ]]
    cmp decisions.log before
}

@test "a record whose name promises gzip is refused, not written as plain text" {
    said_alone 2 "run: sd.record.gz would be plain text, as every record; name a file without .gz with --record, and compress it afterwards" --swf "$log" --record sd.record.gz
    [[ ! -e sd.record.gz ]]
    "$sim" --swf "$log" --record sd.record -q
    gzip sd.record
    run -0 "$sim" replay sd.record.gz
}

@test "bytes behind a compressed log are refused, not left out without a word" {
    gzip -c "$log" >whole.gz
    cp whole.gz behind.gz
    echo junk >>behind.gz
    said_alone 2 "read behind.gz: 5 bytes behind the compressed text are no part of it; fetch the file again" --swf behind.gz
    run -2 --separate-stderr "$sim" --swf - <behind.gz
    [[ $stderr == "drom-sim: read -: 5 bytes behind"* ]]
    # Members one behind the other are one text, and zeros fill up a tape.
    { head -n 3 "$log" | gzip; tail -n 1 "$log" | gzip; head -c 512 /dev/zero; } >members.gz
    cmp <("$sim" --swf members.gz -q) <("$sim" --swf "$log" -q)
}

@test "a parameter without an effect is named" {
    # remarked SENTENCE WORD...: a run says this sentence, and no other of its kind.
    remarked() {
        local sentence=$1
        shift
        run -0 --separate-stderr "$sim" "$@"
        echo "$* -> $stderr"
        [[ $(grep 'has no effect' <<<"$stderr") == "${sentence:+drom-sim: $sentence}" ]]
    }
    remarked "run: downey_sigma has no effect: it is for the model downey (model)." --swf "$log" --downey-sigma 2
    remarked "" --swf "$log" --policy sd --downey-sigma 2 --model downey
    remarked "run: amdahl_serial has no effect: it is for the model amdahl (model)." --swf "$log" --policy sd --amdahl-serial 0.5 --model downey
    remarked "run: safety has no effect: nothing is predicted (prediction)." --swf "$log" --policy slurm:safety=0.9
    remarked "" --swf "$log" --policy slurm:safety=0.9,prediction=knn
    remarked "run: prediction has no effect: no job says its user, by which run times are predicted." --generate w1 --jobs 9 --policy easy --prediction knn
    remarked "run: sd_prediction has no effect: the other prediction is for all jobs (prediction)." --swf "$log" --policy sd:sd_prediction=knn,prediction=last2
    remarked "run: model has no effect: each job has all cores of its nodes under this policy." --swf "$log" --policy easy --model worst
    remarked "run: ranks_per_node has no effect: each job has all cores of its nodes under this policy." --swf "$log" --policy slurm --ranks-per-node 2
    remarked "" --swf "$log" --policy sd:max_slowdown=1.5 --model worst --ranks-per-node 2
    remarked "" --swf "$log" --policy slurm:reserved=0-50:1,leave_lead=5 --model worst
    remarked "run: urgent_share has no effect: the policy treats all queues alike (urgent_qos, qos)." --swf "$log" --policy easy --urgent-share 1
    remarked "" --swf "$log" --policy urgent --urgent-share 1
    remarked "run: malleable_share has no effect: each job has all cores of its nodes under this policy." --swf "$log" --policy easy --malleable-share 0.5
    remarked "run: moldable_share has no effect: each job has the nodes that it asks for under this policy." --swf "$log" --policy easy --moldable-share 0.5
    remarked "" --swf "$log" --policy moldable --moldable-share 0.5
    remarked "" --swf "$log" --policy sd --moldable-share 0.5
    remarked "run: leave_lead has no effect: no job is malleable (malleable_share)." --swf "$log" --policy slurm:reserved=0-10:2,leave_lead=5 --malleable-share 0
    remarked "run: step has no effect: no job changes its size (scenario)." --generate reshape-120 --jobs 5 --policy reshape:scenario=static,step=4
    remarked "run: patience has no effect: each job keeps its size (min_gap)." --generate equipartition-5 --policy equipartition:min_gap=inf,patience=9
    remarked "run: favor_small has no effect: sizes have no weight (weight_size)." --swf "$log" --policy slurm --favor-small yes
    remarked "run: partition_factors has no effect: partitions have no weight (weight_partition)." --swf "$log" --policy slurm --partition-factors 1/0.5
    sed 's/ -1 -1 -1$/ 1 -1 -1/' "$log" >parted.swf
    remarked "" --swf parted.swf --policy slurm --partition-factors 1/0.5 --weight-partition 10
    remarked "run: weight_partition has no effect: no job of the log has a partition." --swf "$log" --policy slurm --weight-partition 10
    remarked "run: max_mates has no effect: parts of mates are taken without it (parts)." --swf "$log" --policy sd-deep --max-mates 3
    remarked "run: seed has no effect: no job is drawn (malleable_share, moldable_share, urgent_share)." --swf "$log" --seed 7
    remarked "" --swf "$log" --policy sd --seed 7 --malleable-share 0.5
    remarked "run: --gantt has no effect: the page that it is for comes with --out." --swf "$log" --gantt 1d-2d
    remarked "run: --node-list has no effect: jobs.csv, which it is for, comes with --out." --swf "$log" --node-list
    # In a comparison it is named where it has none in any setting.
    remarked "" compare --swf "$log" easy slurm --safety 0.9 --vary prediction=request,knn
    remarked "compare: safety has no effect: nothing is predicted (prediction)." compare --swf "$log" easy slurm --safety 0.9
    run -0 --separate-stderr "$sim" --swf "$log" --downey-sigma 2 -q
    [[ -z $stderr ]]
    said_alone 2 "run: --machine and --slurm-conf both say how large the machine is; give one" --swf "$log" --machine m --apps a --slurm-conf c
    said_alone 2 "run: cannon1024 has 1 job, whatever --jobs says; leave it out" --generate cannon1024 --jobs 7
    said_alone 2 "generate: equipartition-5 has 5 jobs, whatever --jobs says; leave it out" generate equipartition-5 --jobs 7
    said_alone 2 "generate: --jobs 0 is out of range; 1 to 100000000 can be meant" generate w1 --jobs 0
    said_alone 2 "generate: --jobs '0.5' is not a whole number" generate lublin --jobs 0.5
    said_alone 2 "run: --jobs is for generated workloads; --first N takes the first jobs of a log" --swf "$log" --jobs 5
    said_alone 2 "run: --workload-seed is for generated workloads; a log is what it is" --swf "$log" --workload-seed 5
    said_alone 2 "run: --keep-overrun is for logs; a generated workload needs no repair" --generate w5 --jobs 5 --keep-overrun
}

@test "repairs of jobs that were left out are not told as repairs of the first" {
    # The last job of the file is submitted first; job 2 has no request.
    echo '3 5 -1 50 16 -1 -1 16 100 -1 1 1 1 1 1 -1 -1 -1' >>"$log"
    sed -i 's/^1 0 /1 7 /; s/^2 10 -1 50 16 -1 -1 16 100/2 10 -1 50 16 -1 -1 16 -1/' "$log"
    run -0 --separate-stderr "$sim" --swf "$log" --first 1 --out out
    [[ $stderr == "drom-sim: run: 2 of 3 jobs were submitted after the first 1: left out
"*" events in "* ]]
    [[ $(sed 1d out/jobs.csv | cut -d, -f1) == 3 ]]
    run -0 --separate-stderr "$sim" --swf "$log" --first 2 --out out --force
    [[ $stderr == "drom-sim: run: 1 job was submitted before the one above it: sorted (line 5)
drom-sim: run: 1 of 3 jobs were submitted after the first 2: left out
"*" events in "* ]]
    [[ $(sed 1d out/jobs.csv | cut -d, -f1,2) == $'3,5\n1,7' ]]
    [[ $("$sim" --help) == *"--first N"*"only the first N jobs by submission"* ]]
    run -0 --separate-stderr "$sim" --swf "$log" --first 3
    [[ $stderr != *"submitted after"* ]]
}

@test "a policy that plans with predicted run times is named as such, and no other" {
    local page=$BATS_TEST_DIRNAME/../../docs/user/simulator.md
    predicting=$("$sim" policies --json | jq -r '[.policies[] | select(any(.options[]; .name == "prediction")) | "`\(.name)`"] | .[:-1] + ["and " + .[-1]] | join(", ") | sub(", and"; " and")')
    tr '\n' ' ' <"$page" | grep -qF "used with \`prediction\` by $predicting; the other policies refuse it"
}

@test "a log through a pipe is read once, not summed up as the nothing that is left of it" {
    run -0 "$sim" --swf <(cat "$log") --policy easy --json -q
    [[ $(jq -r '[.jobs, .provenance.log_sha256] | join(" ")' <<<"$output") == "2 " ]]
    mkfifo pipe
    cat "$log" >pipe &
    run -0 timeout -s KILL 20 "$sim" --swf pipe --policy easy -q
    wait $!
}

@test "a signal ends a command that waits for its log, as it ends any other" {
    mkfifo pipe
    exec {kept}<>pipe
    for verb in run compare; do
        # The status of timeout is 124 where the first signal was enough.
        run -124 timeout -k 5 1 "$sim" $verb --swf pipe --out out
        [[ ! -e out ]]
    done
    exec {kept}>&-
}

@test "an option that no setting takes is refused, not left out without a word" {
    said_alone 2 "run: --gain: 'sd:gain=1' has a value of it already; leave one of them out" --swf "$log" --policy sd:gain=1 --gain 2
    said_alone 2 "compare: --gain: 'sd:max_mates=1,gain=1' has a value of it already; leave one of them out" compare --swf "$log" easy sd:max_mates=1,gain=1 --gain 2
    said_alone 2 "compare: --gain: 'sd:gain=2' has a value of it already; leave one of them out" compare --swf "$log" easy sd --vary gain=1,2 --gain 3
    said_alone 2 "compare: no setting has a parameter 'max_slowdown'" compare --swf "$log" easy moldable --max-slowdown 20
    # Where a setting takes it, the value of another setting goes before it.
    "$sim" compare --swf "$log" easy sd:gain=1 sd --gain 2 --out out -q
    [[ $(jq -c '[.[].setting.parameters.gain]' out/summary.json) == '[null,"1","2"]' ]]
}

@test "a rule for several partitions says that a machine file has one" {
    printf 'partition one\nnodes 4\ncores 4\nnominal 1\nidle 0\ncurve 1 0\nstate 1\n' >one.machine
    printf 'app 1 a\non one seconds 100 watts 1 slope 0\n' >one.apps
    for policy in ejs app scale; do
        run -0 --separate-stderr "$sim" --swf "$log" --machine one.machine --apps one.apps --policy $policy
        [[ $stderr == *"drom-sim: run: $policy chooses among partitions, and this machine has one: it decides as EASY (--machine)."* ]]
    done
    # This one chooses a frequency there.
    run -0 --separate-stderr "$sim" --swf "$log" --machine one.machine --apps one.apps --policy eamc
    [[ $stderr != *"decides as EASY"* ]]
}

@test "jobs of applications that the table lacks are said once, and counted" {
    cp "$BATS_TEST_DIRNAME"/../../examples/energy/* .
    files=(--machine p1.machine --apps thesis.apps)
    "$sim" generate eamc --jobs 100 | awk '!/^;/ { $14 = NR % 2 ? 3 : (NR % 8 ? 40 + NR % 6 : -1) } 1' >log.swf
    local said='of 100 jobs are of applications that thesis.apps lacks (none, 40, 42 and 1 more): taken as average; add them there, or draw others with --app-mix'
    for verb in run compare; do
        run -0 --separate-stderr "$sim" "$verb" --swf log.swf "${files[@]}" --json
        [[ $stderr =~ "drom-sim: $verb: "([0-9]+)" $said" && $(grep -c lacks <<<"$stderr") == 1 ]]
        [[ $(jq -c '[.] | flatten | map(.unknown_application_jobs) | unique' <<<"$output") == "[${BASH_REMATCH[1]}]" ]]
    done
    python3 "$BATS_TEST_DIRNAME/../support/schemas.py" sim-compare <<<"$output"
    run -0 --separate-stderr "$sim" --swf log.swf "${files[@]}" --app-mix even --json
    [[ $stderr != *lacks* ]]
    python3 "$BATS_TEST_DIRNAME/../support/schemas.py" sim-summary <<<"$output"
    jq -e '.unknown_application_jobs == 0' <<<"$output"
}

@test "on a machine of a file no sentence asks for the options that it replaces" {
    printf 'partition one\nnodes 4\ncores 1\nnominal 1\nidle 0\ncurve 1 0\nstate 1\n' >one.machine
    printf 'app 1 a\non one seconds 100 watts 1 slope 0\n' >one.apps
    sed 's/ 16 / 3 /g' "$log" >narrow.swf
    run -0 --separate-stderr "$sim" --swf narrow.swf --machine one.machine --apps one.apps --policy sd
    [[ $stderr == *"sd cannot share nodes of one core: no job starts on nodes of others (cores in the file of --machine)."* ]]
    said_alone 2 "run: 2 of 2 jobs are wider than the 4 nodes of 1 core: left out; give the file of a machine that they fit on" \
        --swf "$log" --machine one.machine --apps one.apps -q
}

@test "every file may begin with the mark of UTF-8 that some editors write" {
    mark() { printf '\xef\xbb\xbf' | cat - "$1"; }
    local examples=$BATS_TEST_DIRNAME/../../examples/platforms
    cmp <("$sim" map --machine <(mark "$examples/three.machine") --apps <(mark "$examples/kinds.apps" | gzip)) \
        <("$sim" map --machine "$examples/three.machine" --apps "$examples/kinds.apps")
    printf 'system a cores=2\napplication x ranks=1\n' >sites.txt
    cmp <(mark sites.txt | "$sim" place -) <("$sim" place sites.txt)
    "$sim" --swf "$log" --policy sd --record sd.record -q >/dev/null
    cmp <(mark sd.record | "$sim" replay -) <("$sim" replay sd.record)
}

@test "a start of the log that is no time is told, not taken as unknown without a word" {
    for time in yesterday -7 99999999999999; do
        sed "1i ; UnixStartTime: $time" "$log" >dated.swf
        run -0 --separate-stderr "$sim" --swf dated.swf
        [[ $stderr == *"drom-sim: run: UnixStartTime '$time' is no time: there are no dates"* ]]
    done
    for time in 0 -1 1283292000; do
        run -0 --separate-stderr "$sim" --swf <(sed "1i ; UnixStartTime: $time" "$log")
        [[ $stderr != *UnixStartTime* ]]
    done
}

@test "a verb behind options, a page that is not there and two formats at once are refused" {
    said_alone 2 "run: the verb 'map' has to be the first word, in front of all options" --swf "$log" map
    run -2 --separate-stderr "$sim" help colums
    [[ -z $output && $stderr == "drom-sim: help: there is no page 'colums'; there is one for each verb, and the page columns" ]]
    run -2 --separate-stderr "$sim" policies --json --markdown
    [[ -z $output && $stderr == "drom-sim: policies: --json and --markdown are both given; give one" ]]
}
