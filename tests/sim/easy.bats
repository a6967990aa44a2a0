#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# easy.bats - the starts of easy against EASY by its definition, naive_easy.py. SIM_BUILD: build folder; WORKLOADS: real
# logs.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    sim=$SIM_BUILD/bin/drom-sim
    naive=$BATS_TEST_DIRNAME/naive_easy.py
}

# agrees LOG NODES CORES FIRST [OPTION...]: each of the first jobs starts when the definition says.
agrees() {
    "$sim" --swf "$1" --nodes "$2" --cores-per-node "$3" --first "$4" --policy easy "${@:5}" --out out --force -q >/dev/null
    python3 "$naive" compare out/jobs.csv "$1" "$2" "$3" "$4"
}

@test "every job of forty random workloads starts when the definition of EASY says" {
    waited=0 backfilled=0
    for seed in {1..40}; do
        python3 "$naive" workload "$seed" >random.swf
        nodes=$(sed -n 's/^; MaxNodes: //p' random.swf)
        run -0 agrees random.swf "$nodes" 1 1000
        echo "seed $seed, $nodes nodes: $output"
        [[ $output =~ ^[0-9]+\ jobs,\ 0\ differ\;\ ([0-9]+)\ waited,\ ([0-9]+)\ backfilled$ ]]
        waited=$((waited + BASH_REMATCH[1])) backfilled=$((backfilled + BASH_REMATCH[2]))
        grep -v '^;' random.swf >>all
    done
    ((waited > 1000 && backfilled > 1000))
    # The cases that ties are made of are among them: no run time, the same submit, the whole machine.
    [[ $(awk '$4 == 0' all | wc -l) -gt 500 && $(awk '$2 == last { same++ } { last = $2 } END { print same }' all) -gt 500 ]]
    [[ $(cut -d' ' -f5 all | sort -un | wc -l) -gt 50 ]]
}

@test "every job of real logs starts when the definition of EASY says" {
    [[ -d $WORKLOADS ]] || skip "the logs are not in $WORKLOADS"
    while read -r name nodes cores first; do
        run -0 agrees "$WORKLOADS/$name.swf.gz" "$nodes" "$cores" "$first"
        echo "$name: $output"
        [[ $output =~ ,\ 0\ differ\;\ [1-9][0-9]+\ waited,\ [1-9][0-9]+\ backfilled$ ]]
    done <<'LOGS'
KTH-SP2-1996-2.1-cln 100 1 4000
SDSC-SP2-1998.pyss-easy 128 1 4000
CTC-SP2-1996.pyss-easy 338 1 4000
lublin_256 256 1 3000
NASA-iPSC-1993-3.1-cln 64 1 4000
RICC-2010-2 1024 8 2000
RICC-sept-2010 1024 8 9000
CEA-Curie-2012.pyss-easy 8000 1 3000
LOGS
}

@test "the comparison finds a start that is not EASY's" {
    python3 "$naive" workload 2 >random.swf
    run -1 agrees random.swf 1000 1 1000 --policy slurm
    [[ $output == *" starts at "*"; by the definition at "* ]]
    agrees random.swf 1000 1 1000
    awk -F, -v OFS=, 'NR == 9 { $3 += 1 } { print }' out/jobs.csv >later.csv
    run -1 python3 "$naive" compare later.csv random.swf 1000 1
    [[ ${lines[1]} == "400 jobs, 1 differ; "* ]]
    awk -F, -v OFS=, 'NR == 9 { $8 += 1 } { print }' out/jobs.csv >other.csv
    run -1 python3 "$naive" compare other.csv random.swf 1000 1
    [[ $output == "random.swf: the jobs are not the same, 400 and 400" ]]
}
