#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# record.bats - the record of what a policy is told and decides, and drom-sim replay of it. SIM_BUILD: build folder.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    sim=$SIM_BUILD/bin/drom-sim
    examples=$BATS_TEST_DIRNAME/../../examples/energy
}

policies() { "$sim" policies --json | jq -r '.policies[].name'; }

# recorded POLICY WORKLOAD: writes POLICY.WORKLOAD.record. Status 2: the policy cannot run on that machine.
recorded() {
    local -a source
    case $2 in
        rigid) source=(--generate w5 --jobs 150) ;;
        programs) source=(--generate reshape-120 --jobs 60) ;;
        partitions) source=(--generate eamc --jobs 150 --machine "$examples/p1-p2.machine" --apps "$examples/thesis.apps") ;;
    esac
    "$sim" "${source[@]}" --policy "$1" --record "$1.$2.record" --out "$1.$2" -q
}

@test "a record of every policy is replayed, each on the machines that it takes" {
    count=0
    for policy in $(policies); do
        replayed=0
        for workload in rigid programs partitions; do
            run --separate-stderr recorded "$policy" "$workload"
            if [[ $status == 2 ]]; then
                [[ $stderr =~ (uses one partition|decides by a model of energy) ]]
                continue
            fi
            [[ $status == 0 ]] || { echo "$policy $workload: $stderr"; false; }
            run --separate-stderr "$sim" replay "$policy.$workload.record" --json
            echo "$policy $workload: $status $stderr $output"
            [[ $status == 0 && -z $stderr ]]
            jobs=$(jq .jobs "$policy.$workload/summary.json")
            jq -e --argjson jobs "$jobs" '.submits == $jobs and .starts == $jobs and .ends == $jobs and .difference == null and .cut == null' <<<"$output"
            replayed=$((replayed + 1))
        done
        ((replayed > 0)) || { echo "$policy ran nowhere"; false; }
        count=$((count + 1))
    done
    ((count >= 19))
    # Not only starts on nodes of their own were replayed.
    grep -q ' how=shared ' sd.rigid.record
    grep -q '^resize ' reshape.programs.record
    grep -q '^start .* partition=1 .* ghz=' eamc.partitions.record
}

@test "a record of a run with limits per partition and QOS is replayed" {
    awk 'BEGIN { for (i = 1; i <= 60; ++i) print i, i * 20, 0, 400 + i % 7 * 300, 8 * (1 + i % 5), -1, -1, 8 * (1 + i % 5), 3000, -1, 1, i % 4, 1, 1, i % 3, 1 + i % 2, -1, -1 }' >queues.swf
    count=0
    for limits in "--qos-max-slowdown 1:1.2/2:inf" "--partition-max-slowdown 1:1.1" "--qos strict --qos-order 2/0/1"; do
        # shellcheck disable=SC2086 # these are several words
        "$sim" --swf queues.swf --nodes 8 --cores-per-node 8 --policy sd --max-slowdown 4 $limits --record "limits.$count" --out "limits.$count.d" -q
        run -0 --separate-stderr "$sim" replay "limits.$count"
        echo "$output"
        [[ ${lines[2]} == "Every decision is what the policy decides now." ]]
        grep -q '^label of=' "limits.$count"
        grep -q 'how=shared' "limits.$count"
        count=$((count + 1))
    done
    "$sim" --swf queues.swf --nodes 8 --cores-per-node 8 --policy sd --max-slowdown 4 --record none -q
    for number in 0 1 2; do
        if cmp -s <(grep '^start' none) <(grep '^start' "limits.$number"); then
            echo "limits.$number decides as no limit"
            false
        fi
    done
}

@test "a changed decision of any policy is named with its line, exit 1" {
    for policy in $(policies); do
        recorded "$policy" partitions >/dev/null 2>&1 || recorded "$policy" rigid >/dev/null
        record=$(echo "$policy".*.record)
        line=$(grep -n '^start ' "$record" | sed -n '20s/:.*//p')
        sed -E "${line}s/slot=([0-9]+)/slot=1\1/" "$record" >"changed.$policy"
        run -1 --separate-stderr "$sim" replay "changed.$policy"
        echo "$policy: $output"
        [[ -z $stderr && ${lines[2]} == "Line $line is not what the policy decides now:" ]]
        [[ ${lines[3]} == "  record: $(sed -n "${line}p" "changed.$policy")" ]]
        [[ ${lines[4]} == "  policy: $(sed -n "${line}p" "$record")" ]]
    done
}

@test "starts of moldable jobs on other nodes than they ask for are replayed" {
    "$sim" --generate w5 --jobs 300 --nodes 16 --policy moldable --moldable-share 0.5 --mold-max 2 --record m.record -q >/dev/null
    grep -q ' kind=moldable ' m.record
    grep -q '^start .* factor=[1-9]\.' m.record
    grep -q '^start .* factor=0\.' m.record
    run -0 --separate-stderr "$sim" replay m.record
    [[ ${lines[2]} == "Every decision is what the policy decides now." ]]
}

@test "preemptions are replayed" {
    "$sim" --generate w5 --jobs 300 --nodes 16 --policy urgent --urgent-by preempt --urgent-share 0.2 --record p.record -q >/dev/null
    (($(grep -c '^preempt ' p.record) > 5))
    grep -q '^label of=qos number=0 name=urgent' p.record
    run -0 --separate-stderr "$sim" replay p.record
    [[ ${lines[2]} == "Every decision is what the policy decides now." ]]
    sed -i '0,/^preempt /s/slot=/slot=1/' p.record
    run -1 --separate-stderr "$sim" replay p.record
}

@test "a cut record is checked up to the cut, which is said" {
    recorded reshape programs >/dev/null
    "$sim" replay reshape.programs.record
    [[ $(tail -c 1 reshape.programs.record | od -An -c) == *'\n'* ]]
    head -c 20000 reshape.programs.record >cut.record
    number=$(($(wc -l <cut.record) + 1))
    run -0 --separate-stderr "$sim" replay cut.record
    [[ $stderr == "drom-sim: replay: cut.record: the record was cut at line $number; what is before it was checked" ]]
    [[ $output == *"Every decision is what the policy decides now." ]]
    run -0 --separate-stderr "$sim" replay cut.record -q
    [[ -z $stderr ]]
    line=$(grep -n '^start ' cut.record | sed -n '5s/:.*//p')
    sed "${line}s/nodes=/nodes=9999,/" cut.record >changed
    run -1 "$sim" replay changed
    [[ $output == *"Line $line is not what the policy decides now:"* ]]
    # Between two lines of a pass.
    head -n "$line" reshape.programs.record >between
    run -0 --separate-stderr "$sim" replay between
    [[ $stderr == "drom-sim: replay: between: the record was cut at line $line; what is before it was checked" ]]
    gzip reshape.programs.record
    run -0 "$sim" replay - <reshape.programs.record.gz
}

@test "a record changes no number, and is the same from the same seed" {
    recorded sd rigid >/dev/null
    "$sim" --generate w5 --jobs 150 --policy sd --out plain -q >/dev/null
    for file in jobs.csv decisions.csv schedule.swf summary.json summary.csv report.html; do cmp "sd.rigid/$file" "plain/$file"; done
    mv sd.rigid.record first
    rm -r sd.rigid
    recorded sd rigid >/dev/null
    cmp first sd.rigid.record
}

@test "what cannot be recorded or replayed gets one sentence" {
    said() {
        local status_wanted=$1 sentence=$2
        shift 2
        run --separate-stderr "$sim" "$@"
        echo "$* -> $status: $stderr"
        [[ $status == "$status_wanted" && -z $output && $stderr == "drom-sim: $sentence" ]]
    }
    recorded sd rigid >/dev/null
    cp sd.rigid.record before
    said 1 "run: sd.rigid.record is there already; name another file with --record, or write over it with --force" --generate w5 --jobs 9 --record sd.rigid.record
    cmp sd.rigid.record before
    "$sim" --generate w5 --jobs 9 --record sd.rigid.record --force -q
    [[ $(head -c 18 sd.rigid.record) == "drom-record 1 easy" ]]
    said 1 "write missing/record: No such file or directory; make the folder first, or write somewhere else with --record" --generate w5 --jobs 9 --record missing/record
    said 2 "replay: before: it is a record, and --max-slowdown is for a controller's log; leave it out" replay before --max-slowdown 5
    said 2 "replay: before: it is a record, and --decisions is for a controller's log; leave it out" replay before --decisions
    said 2 "replay: before: it is a record, and --out is for a controller's log; leave it out" replay before --out file
    [[ ! -e file ]]
    sed '0,/ job=3 /s// /' before >gap
    run -2 --separate-stderr "$sim" replay gap
    [[ -z $output && $stderr =~ ^"drom-sim: replay: gap: line "[0-9]+" has no job= where it should be"$ ]]
    sed '1s/ sd:/ sdd:/' before >unknown
    said 2 "replay: unknown: line 1 has a setting that cannot be used: there is no policy 'sdd'; did you mean sd? (drom-sim policies lists them)" replay unknown
}

@test "a record of jobs that leave reserved nodes is replayed" {
    "$sim" --generate w5 --jobs 150 --policy slurm --reserved 20000-30000:20/50000-60000:9 --leave-lead 60 --record left --out left.d -q
    grep -q '^drom-record 1 slurm:.*,reserved=20000-30000:20/50000-60000:9,leave_lead=60,' left
    grep -q '^resize .* phase=at-once ' left
    run -0 --separate-stderr "$sim" replay left --json
    jq -e '.resizes > 0 and .ends == 150 and .difference == null' <<<"$output"
}

@test "a partition whose name has a slash, a comma and a blank is one name in an option and in a record" {
    "$sim" generate w5 --jobs 60 | awk '!/^;/ { $16 = 1 + NR % 2 } 1' | sed '1i ; PartitionNames: bio/chem, new;100%' >named.swf
    name=bio%2Fchem%2C%20new
    run -2 --separate-stderr "$sim" --swf named.swf --policy sd --only-partition other
    [[ $stderr == "drom-sim: run: only_partition: named.swf has no jobs of partition 'other'; it has jobs of partition $name, 100%25" ]]
    "$sim" compare --swf named.swf easy "sd:only_partition=$name,max_slowdown=inf" --out grid -q
    [[ $(jq -r '.[1].setting.parameters.only_partition' grid/summary.json) == "$name" ]]
    ls grid
    [[ -s grid/sd-only_partition-bio-2Fchem-2C-20new-max_slowdown-inf/jobs.csv ]]
    "$sim" --swf named.swf --policy "sd:only_partition=$name/100%25" --record named.record -q
    grep -qx "label of=partition number=0 name=$name" named.record
    run -0 "$sim" replay named.record
}
