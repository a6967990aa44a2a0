#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# import.bats - a site's own log, from the text of sacct to a simulation. SIM_BUILD: build folder.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    sim=$SIM_BUILD/bin/drom-sim
    export TZ=UTC
    # As sacct 22.05 prints it: two jobs, a step, a job that was cancelled while it waited, one that waits.
    cat >jobs.txt <<'END'
JobIDRaw|Submit|Start|End|Timelimit|NNodes|NCPUS|User|Partition|State|ReqMem|JobName
1|2026-11-02T08:00:00|2026-11-02T08:00:01|2026-11-02T09:00:01|02:00:00|4|32|ann|main|COMPLETED|4G|heat
1.batch|2026-11-02T08:00:01|2026-11-02T08:00:01|2026-11-02T09:00:01||1|8||| COMPLETED||batch
2|2026-11-02T08:10:00|2026-11-02T09:00:01|2026-11-02T09:05:01|Partition_Limit|2|16|bob|small|CANCELLED by 1000|1Gn|a|b
3|2026-11-02T08:20:00|None|2026-11-02T08:30:00|01:00:00|1|0|ann|main|CANCELLED by 0|1Gn|x
4|2026-11-02T08:30:00|Unknown|Unknown|01:00:00|1|0|ann|main|PENDING|1Gn|x
END
}

jobs_of() { zcat -f "$1" | grep -v '^;'; }

@test "the text of sacct becomes a log that can be simulated" {
    run -0 --separate-stderr "$sim" import --slurm jobs.txt --out site.swf.gz
    [[ -z $output ]]
    [[ $stderr == "drom-sim: import: 1 line is a step of a job: left out (line 3)
drom-sim: import: 1 job still waits: left out (line 6)
drom-sim: import: 1 job ended while it waited: left out (line 5)
drom-sim: import: 1 job has no time limit: the requested time is unknown (line 4)
drom-sim: import: 2 jobs; times are of the zone UTC
drom-sim: import: the machine is taken as 4 nodes of 8 CPUs, from what jobs used at once; --nodes N and --cores-per-node C say it exactly" ]]
    zcat site.swf.gz >site.swf
    grep -qx '; UnixStartTime: 1793606400' site.swf
    grep -qx '; TimeZoneString: UTC' site.swf
    grep -qx '; MaxNodes: 4' site.swf
    grep -qx '; MaxProcs: 32' site.swf
    grep -qx '; PartitionNames: main;small' site.swf
    [[ $(jobs_of site.swf | awk '{print $1, $2, $3, $4, $5, $8, $9, $10, $11, $16}' | xargs -d '\n') == \
        "1 0 1 3600 32 32 7200 131072 1 1 2 600 3001 300 16 16 -1 131072 5 2" ]]
    [[ $("$sim" --swf site.swf.gz --policy slurm --json -q | jq -r '[.jobs, .setting.nodes, .setting.cores_per_node] | join(" ")') == "2 4 8" ]]
}

@test "one job is counted as one" {
    run -0 --separate-stderr "$sim" import --slurm <(head -n 2 jobs.txt)
    [[ $stderr == "drom-sim: import: 1 job; times are of the zone UTC"* ]]
}

@test "names are hashed: the same with the same salt, in every log" {
    "$sim" import -q --slurm jobs.txt | grep -v '^;' | awk '{print $12, $14}' >plain
    "$sim" import -q --slurm jobs.txt --salt s | grep -v '^;' | awk '{print $12, $14}' >salted
    sed 5,6d jobs.txt | "$sim" import -q --slurm - --salt s | grep -v '^;' | awk '{print $12, $14}' | cmp - salted
    run -1 cmp -s plain salted
    "$sim" import -q --slurm jobs.txt >site.swf
    run -1 grep -E 'ann|bob|heat' site.swf
    # The digest of the column, of no salt, and of the name.
    number=$(printf '4:user0:ann' | sha256sum | cut -c 1-16)
    [[ $(head -n 1 plain) == "$(python3 -c "print(int('$number', 16) % 999999999 + 1)") "* ]]
}

@test "the machine, the zone and a limit are given" {
    "$sim" import -q --slurm jobs.txt --nodes 10 --cores-per-node 16 --whole-nodes --default-limit 1-0 --timezone Europe/Madrid >site.swf
    grep -qx '; UnixStartTime: 1793602800' site.swf
    grep -qx '; TimeZoneString: Europe/Madrid' site.swf
    grep -qx '; MaxNodes: 10' site.swf
    grep -qx '; MaxProcs: 160' site.swf
    [[ $(jobs_of site.swf | awk '{print $8, $9}' | xargs) == "64 7200 32 86400" ]]
}

@test "seconds since 1970 are times, too" {
    sed -E 's/2026-11-02T08:00:00/1793606400/g; s/2026-11-02T09:00:01/1793610001/g' jobs.txt | "$sim" import -q --slurm - | cmp - <("$sim" import -q --slurm jobs.txt)
}

@test "lines of sacct -p, which end with a bar, are read" {
    sed 's/$/|/' jobs.txt | "$sim" import -q --slurm - | cmp - <("$sim" import -q --slurm jobs.txt)
}

@test "an hour that clocks skip is counted on, and said" {
    sed -E 's/2026-11-02T08:00:00/2026-03-29T01:00:00/; s/2026-11-02T08:00:01/2026-03-29T02:30:00/' jobs.txt >spring.txt
    run -0 --separate-stderr "$sim" import --slurm spring.txt --timezone Europe/Madrid --out spring.swf
    [[ $stderr == *"1 line has a time in an hour that clocks skip in spring: counted on by the clock of the winter (line 2)"* ]]
    [[ $(jobs_of spring.swf | head -n 1 | awk '{print $3}') == 5400 ]]
}

@test "bad input gets one sentence with its place, exit 2, and nothing is written" {
    refused() {
        local sentence=$1
        shift
        run --separate-stderr "$sim" import --out out.swf "$@"
        echo "$* -> $status: $stderr"
        [[ $status == 2 && -z $output && ! -e out.swf && $stderr == "drom-sim: $sentence"* ]]
    }
    sed '1s/End|//; 1s/NCPUS|//' jobs.txt >columns
    sed '4s/16|bob/many|bob/' jobs.txt >cpus
    sed 1d jobs.txt >headless
    grep -E 'JobID|PENDING' jobs.txt >waiting
    head -c 3000 /dev/urandom >binary
    refused "read columns: line 1, column 1: the columns End, NCPUS are missing; sacct -a -X -P -o JobIDRaw,Submit,Start,End,Timelimit,NNodes,NCPUS,User,Partition,State,ReqMem,JobName prints all" --slurm columns
    refused "read cpus: line 4, column 81: NCPUS 'many' is no number of CPUs; --skip-bad-lines leaves such lines out" --slurm cpus
    refused "read headless: line 1, column 1: '1|2026-11-02T08:00:00|20...' is no line of names with | between them; " --slurm headless
    refused "read waiting: there is no job in it that ran and ended: 1 job still waits: left out (line 2)" --slurm waiting
    refused "read missing: No such file or directory; name the text of sacct -P, or the file of jobcomp/filetxt" --slurm missing
    refused "read binary: line 1, column 1: " --slurm binary
    refused "import: there is no log; give the text of sacct -P with --slurm FILE, or - for the standard input"
    refused "import: --timezone: 'Mars/Base' is no time zone of this machine; zones look like Europe/Madrid or CET-1CEST" --slurm jobs.txt --timezone Mars/Base
    TZ=Mars/Base refused "import: TZ: 'Mars/Base' is no time zone of this machine; zones look like Europe/Madrid or CET-1CEST" --slurm jobs.txt
    TZ=CET-99 refused "import: TZ: 'CET-99' is no time zone of this machine; " --slurm jobs.txt
    refused "import: --default-limit 'long' is no time limit like 1-00:00:00" --slurm jobs.txt --default-limit long
    refused "import: there is no option --sault; did you mean --salt? (drom-sim import --help lists them)" --slurm jobs.txt --sault x
    run -0 --separate-stderr "$sim" import --slurm cpus --skip-bad-lines
    [[ $stderr == *"1 line is no data: left out (line 4)"* ]]
    run -1 --separate-stderr "$sim" import --slurm jobs.txt --out missing/site.swf
    [[ $stderr == "drom-sim: write missing/site.swf: "* ]]
}

# conf [LINE]...: writes a slurm.conf of 4 nodes of 8 CPUs, with these lines behind it.
conf() {
    cat >slurm.conf <<'END'
ClusterName=test
SlurmctldHost=localhost
SelectType=select/linear
SchedulerParameters=bf_interval=60,bf_max_job_test=20,bf_continue
PriorityType=priority/multifactor
PriorityWeightPartition=1000
Include nodes.conf
PartitionName=main Nodes=n[1-4] PriorityJobFactor=5 MaxTime=1-0
PartitionName=small Nodes=n[1-2] PriorityJobFactor=10
END
    echo 'NodeName=n[1-4] Sockets=2 CoresPerSocket=4 RealMemory=1000 State=UNKNOWN' >nodes.conf
    (($# == 0)) || printf '%s\n' "$@" >>slurm.conf
}

@test "machine and parameters are those of a slurm.conf, and the rest of it is listed" {
    "$sim" import -q --slurm jobs.txt --out site.swf
    conf
    run -0 --separate-stderr "$sim" --swf site.swf --slurm-conf slurm.conf --policy slurm --json
    [[ $(jq -r '.setting.nodes, .setting.cores_per_node, (.setting.parameters | .bf_interval, .bf_max_job_test, .weight_partition, .partition_factors)' <<<"$output" | xargs) == "4 8 60 20 1000 0.5/1" ]]
    [[ $stderr == "drom-sim: run: slurm.conf: 4 nodes of 8 CPUs, bf_interval=60, bf_max_job_test=20, weight_partition=1000; 5 of its lines have settings that mean nothing for a simulation:
  slurm.conf:1: ClusterName
  slurm.conf:2: SlurmctldHost
  slurm.conf:4: SchedulerParameters (bf_continue)
  nodes.conf:1: RealMemory
  slurm.conf:8: MaxTime"* ]]
    # The command line counts more, and -q says nothing of it.
    run -0 --separate-stderr "$sim" --swf site.swf --slurm-conf slurm.conf --policy slurm --bf-interval 5 --nodes 9 --partition-factors 1/0 --json -q
    [[ $(jq -r '.setting.nodes, (.setting.parameters | .bf_interval, .partition_factors)' <<<"$output" | xargs) == "9 5 1/0" && -z $stderr ]]
    # EASY has no such parameters, and compare gives them to the policies that have them.
    "$sim" --swf site.swf --slurm-conf slurm.conf --policy easy -q
    "$sim" compare --swf site.swf --slurm-conf slurm.conf slurm sd easy --out out -q >/dev/null
    # Commands name no folder, and neither loses the partition nor the slurm.conf.
    "$sim" --swf "$PWD/site.swf" --slurm-conf "$PWD/slurm.conf" --policy easy --json -q >run.json
    [[ $(jq -r .setting.command run.json) == "drom-sim --swf site.swf --slurm-conf slurm.conf --policy easy" ]]
    [[ $(jq -r '.[2].setting.command' out/summary.json) == "drom-sim --swf site.swf --slurm-conf slurm.conf --nodes "* ]]
    [[ $(jq -r '[.[].setting.parameters.bf_interval] | join(" ")' out/summary.json) == "60 60 " ]]
    [[ $(jq -r '.[0].setting.parameters.partition_factors' out/summary.json) == 0.5/1 ]]
}

@test "an import takes machine and limits of partitions from a slurm.conf" {
    conf
    sed -i 's/MaxTime=1-0/MaxTime=INFINITE/; s/Nodes=n\[1-2\]/& MaxTime=90/' slurm.conf
    run -0 --separate-stderr "$sim" import --slurm jobs.txt --slurm-conf slurm.conf --out site.swf
    [[ $stderr == *"1 job has no requested time: the limit of the partition is taken, else the default limit (line 4)"* && $stderr != *"is taken as"* ]]
    [[ $(jobs_of site.swf | awk '{print $9}' | xargs) == "7200 5400" ]]
    echo 'NodeName=n[1-4]' >nodes.conf
    run -1 --separate-stderr "$sim" import --slurm jobs.txt --slurm-conf slurm.conf --out site.swf
    [[ $stderr == "drom-sim: import: site.swf is there already; name another file with --out, or write over it with --force" ]]
    run -0 --separate-stderr "$sim" import --slurm jobs.txt --slurm-conf slurm.conf --out site.swf --force
    [[ $stderr == "drom-sim: import: nodes.conf:1: node n1 has no CPUs="*"the machine is taken as 4 nodes of 8 CPUs"* ]]
}

@test "a machine whose nodes were given is not said to be from what jobs used" {
    run -0 --separate-stderr "$sim" import --slurm jobs.txt --nodes 1 --out nodes.swf
    [[ $stderr == *"import: the machine is taken as 1 node of 8 CPUs, the CPUs from the most that a job had on a node; --cores-per-node C says it exactly" ]]
    run -0 --separate-stderr "$sim" import --slurm jobs.txt --cores-per-node 16 --out cores.swf
    [[ $stderr == *"import: the machine is taken as 4 nodes of 16 CPUs, the nodes from what jobs used at once; --nodes N says it exactly" ]]
    run -0 --separate-stderr "$sim" import --slurm jobs.txt --nodes 4 --cores-per-node 8 --out both.swf
    [[ $stderr != *"is taken as"* ]]
}

@test "a slurm.conf without nodes of a partition is named" {
    echo 'ClusterName=test' >empty.conf
    "$sim" import -q --slurm jobs.txt --out site.swf
    run -2 --separate-stderr "$sim" --swf site.swf --slurm-conf empty.conf
    [[ $stderr == "drom-sim: run: empty.conf has no node that a partition has; --nodes N and --cores-per-node C say it, too" ]]
    run -0 --separate-stderr "$sim" import --slurm jobs.txt --slurm-conf empty.conf --out other.swf
    [[ $stderr == "drom-sim: import: empty.conf has no node that a partition has"* ]]
}

@test "one partition of a slurm.conf is simulated alone" {
    "$sim" import -q --slurm jobs.txt --out site.swf
    conf 'NodeName=fat CPUs=64' 'PartitionName=fat Nodes=fat'
    refused() {
        local sentence=$1
        shift
        run --separate-stderr "$sim" --swf site.swf --out out "$@"
        echo "$* -> $status: $stderr"
        [[ $status == 2 && -z $output && ! -e out && $stderr == "drom-sim: $sentence"* ]]
    }
    refused "run: nodes.conf:1: nodes of 8 CPUs, and at slurm.conf:10 of 64; a simulated machine has equal nodes: with --partition NAME drom-sim run and compare take those of one partition; --nodes N and --cores-per-node C say it, too" --slurm-conf slurm.conf
    # An import has no --partition, and is not said to have it.
    run -0 --separate-stderr "$sim" import --slurm jobs.txt --slurm-conf slurm.conf --out whole.swf
    [[ $stderr == *"with --partition NAME drom-sim run and compare take those of one partition
"* ]]
    run -0 --separate-stderr "$sim" --swf site.swf --slurm-conf slurm.conf --partition small --json
    [[ $(jq -r '.jobs, .setting.nodes' <<<"$output" | xargs) == "1 2" ]]
    [[ $stderr == *"1 job is of other partitions: left out"* ]]
    "$sim" --swf site.swf --slurm-conf slurm.conf --nodes 4 --cores-per-node 8 -q
    refused "there is no partition 'none' in the slurm.conf" --slurm-conf slurm.conf --partition none
    refused "run: site.swf has no jobs of a partition 'fat'; it has those of main, small" --slurm-conf slurm.conf --partition fat -q
    refused "run: --partition is one of a slurm.conf; give that with --slurm-conf FILE" --partition small
    refused "read missing.conf: No such file or directory; name a slurm.conf" --slurm-conf missing.conf
    echo 'NodeName=new[1-2] RealMemory=1000' >slurm.conf
    refused "run: slurm.conf:1: node new1 has no CPUs=, and no Sockets=, CoresPerSocket= or ThreadsPerCore=; slurmd -C prints them; --nodes N and --cores-per-node C say it, too" --slurm-conf slurm.conf
    conf '  nonsense'
    refused "read slurm.conf: line 10, column 3: 'nonsense' is no NAME=VALUE" --slurm-conf slurm.conf
    conf SchedulerParameters=bf_window=soon
    refused "read slurm.conf: line 10, column 1: SchedulerParameters has bf_window 'soon', which is no number from 1 on" --slurm-conf slurm.conf
}

@test "the help is as wide as COLUMNS says" {
    for width in 60 80 132; do
        COLUMNS=$width "$sim" import --help >page
        awk -v width="$width" 'length($0) > width { print; wide = 1 } END { exit wide }' page
    done
}

@test "every option of the help is in the manual page" {
    page=$BATS_TEST_DIRNAME/../../docs/reference/man/drom-sim.1.scd
    for option in $("$sim" import --help | grep -oE '^  (-[a-zA-Z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
        grep -qF -- "*$option*" "$page" || { echo "$option is not in the manual page"; return 1; }
    done
}
