#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# hardware.bats - jobs share nodes of every kind: with specialised cores, hyperthreads, little memory, and switches.

load support
load tables
load select

setup_file() {
    has_select || return
    prepare_cluster
}

# prepare_cluster: prepares in setup_file; the first test that calls on_nodes starts the cluster.
prepare_cluster() {
    command -v slurmctld slurmd srun >/dev/null || { missing "no slurmctld, slurmd or srun; scripts/packages.sh test"; return 1; }
    export CLUSTER OWNER=$$ SLURM_CONF
    CLUSTER=$(mktemp -d)
    SLURM_CONF=$CLUSTER/etc/slurm.conf
}

# on_nodes KIND: gives the cluster nodes n1 and n2 of this kind; restarts it when the last test wanted another kind.
on_nodes() {
    [[ $(cat "$CLUSTER/kind" 2>/dev/null) != "$1" ]] || return 0
    local settings
    mapfile -t settings < <(select_settings "sd_max_slowdown=inf,sd_log=$BATS_FILE_TMPDIR/sd.log"; "of_$1")
    "$CLUSTER_SH" down "$CLUSTER"
    rm -rf "$BATS_FILE_TMPDIR"/sd.log "$BATS_FILE_TMPDIR"/*.table* # which have as many CPUs as the nodes had
    "$CLUSTER_SH" up "$CLUSTER" plugins="$PLUGINS" owner="$OWNER" nodes=2 "${settings[@]}"
    sizes_known
    echo "$1" >"$CLUSTER/kind"
}
of_counted() { echo attributes=CoreSpecCount=1; }
of_listed() { echo attributes=CpuSpecList=0; }
of_threads() { printf '%s\n' threads=2 drom=topology=package:2,core:4,pu:2; }
of_single() { printf '%s\n' consumes=CR_Core,CR_ONE_TASK_PER_CORE threads=2 drom=topology=package:2,core:4,pu:2; }
of_memory() { printf '%s\n' consumes=CR_Core_Memory extra=DefMemPerCPU=250; } # 8 CPUs have all of a node's memory
of_switches() {
    printf '%s\n' nodes=4 extra=TopologyPlugin=topology/tree "topology=SwitchName=s1 Nodes=n[1-2]" "topology=SwitchName=s2 Nodes=n[3-4]"
}

# --- specialised cores: slurmd takes core 7 where their number is given ---

@test "jobs share the cores of a node that has one for the system, and that one is never theirs" {
    on_nodes counted
    mate -N2
    expect "$(cores "$MATE")" 0-6
    guest -N2
    expect "$(cores "$MATE") $(cores "$GUEST")" "0-3 4-6"
    scancel "$GUEST"
    eventually "the mate has its cores again" has_cores "$MATE" 0-6
    gets n1 "$MATE.0" 0-6
    guest -N2
    scancel "$MATE"
    eventually "the guest has the mate's cores" has_cores "$GUEST" 0-6
    gets n2 "$GUEST.0" 0-6
    no_errors
}

@test "the same where the node names its core for the system" {
    on_nodes listed
    mate -N2
    guest -N2
    expect "$(cores "$MATE") $(cores "$GUEST")" "1-4 5-7"
    scancel "$GUEST"
    eventually "the mate has its cores again" has_cores "$MATE" 1-7
    gets n1 "$MATE.0" 1-7
    no_errors
}

@test "a step that starts while its job is shrunk has all cores for jobs when the guest has gone" {
    on_nodes counted
    script "srun sleep 2" "srun sleep 300"
    MATE=$(sbatch --parsable --malleable --exclusive -N2 -t 10 -o /dev/null "$SCRIPT")
    gets n2 "$MATE.0" 0-6
    guest -N2
    eventually "the next step has its share" has_step n2 "$MATE.1" 0-3
    scancel "$GUEST"
    gets n2 "$MATE.1" 0-6
    gets n1 "$MATE.1" 0-6
}

# daemon NAME: prints the daemon's pid.
daemon() { sed -n "s/^$1 //p" "$CLUSTER/run/daemons" | tail -n 1; }

@test "a controller that comes back gives the system's core to no job before the nodes have said which it is" {
    on_nodes counted
    mate -N2
    guest -N2
    eventually "slurmctld has saved the guest" grep -qa "sharing=$MATE" "$CLUSTER/state/job_state"
    kill -STOP "$(daemon n1)" "$(daemon n2)"
    kill -KILL "$(daemon slurmctld)"
    "$CLUSTER_SH" again "$CLUSTER" slurmctld
    eventually "slurmctld knows the guest" runs "$GUEST"
    scancel "$MATE"
    eventually "the guest has the mate's cores" has_cores "$GUEST" 0-6
    kill -CONT "$(daemon n1)" "$(daemon n2)"
    eventually "the mate has ended" has_ended "$MATE"
    expect "$(cores "$GUEST")" 0-6
    no_errors
}

# --- hyperthreads: CPUs 2k and 2k + 1 are core k ---

@test "jobs share cores that have two threads" {
    on_nodes threads
    mate -N2
    guest -N2
    expect "$(cores "$MATE") $(cores "$GUEST")" "0-7 8-15"
    gets n1 "$MATE.0" 0-7
}

@test "a job that uses one thread of each core waits, lends nothing, and its user is told what to do" {
    on_nodes threads
    local hint
    for hint in --hint=nomultithread --threads-per-core=1; do
        sbatch -N2 --exclusive --malleable $hint -t 10 -o /dev/null --wrap "sleep 300" >out 2>&1
        grep -q "uses 1 of the 2 threads of each core, so the job keeps its nodes for itself and is never shrunk; leave the option out," out
        scancel -u "$(id -un)"
        eventually "it has ended" no_jobs
    done
    MATE=$(sbatch --parsable --malleable -N2 -n2 -c8 --threads-per-core=1 -t 10 -o /dev/null --wrap "sleep 300")
    eventually "it runs on all cores" has_cores "$MATE" 0-15
    waiting_job GUEST -N2 -t 1
    eventually "backfill has looked at the guest" looked_at "$GUEST" no-mates
    waits "$GUEST"
    scancel "$MATE"
    eventually "the guest runs" runs "$GUEST"
}

@test "where each core has one thread, a job that asks for one thread of each core shares as any other" {
    on_nodes counted
    mate -N2 --hint=nomultithread
    guest -N2 --threads-per-core=1
    expect "$(cores "$MATE") $(cores "$GUEST")" "0-3 4-6"
    gets n1 "$MATE.0" 0-3
}

@test "where Slurm puts one task on each core, jobs share that allow as many as it has threads" {
    on_nodes single
    mate -N2 --ntasks-per-node=2 --ntasks-per-core=2
    guest -N2 --ntasks-per-core=2
    expect "$(cores "$MATE") $(cores "$GUEST")" "0-7 8-15"
    gets n1 "$MATE.0" "0-3 4-7"
    scancel "$GUEST"
    eventually "the mate has its cores again" has_cores "$MATE" 0-15
    gets n1 "$MATE.0" "0-7 8-15"
    no_errors
}

# alone_with OPTION...: checks that a job with these options is accepted, runs alone, and that its user is told why.
alone_with() {
    sbatch --parsable -N2 --exclusive --malleable "$@" -t 10 -o /dev/null --wrap "sleep 300" >job 2>out
    grep -q "puts 1 of its tasks on a core of 2 threads .*, so the job keeps its nodes for itself and is never shrunk; give --ntasks-per-core=2" out
    eventually "job $(<job) runs" runs "$(<job)"
    waiting_job GUEST -N2 --ntasks-per-core=2 -t 1
    eventually "backfill has looked at the guest" looked_at "$GUEST" no-mates
    waits "$GUEST"
    scancel "$(<job)" "$GUEST"
    eventually "they have ended" no_jobs
}

@test "where Slurm puts one task on each core, other jobs run alone, and their users are told why" {
    on_nodes single
    alone_with
    on_nodes threads
    alone_with --ntasks-per-core=1
}

# --- memory ---

# told OUTCOME: prints how many decisions about the guest have this outcome, or how many lines have this first word.
told() { grep -cE "^consider .* job=$GUEST .*outcome=$1( |$)|^$1 .* job=$GUEST " "$BATS_FILE_TMPDIR/sd.log" || true; }

@test "a guest is not sent to mates that leave it no memory, and the log says no-mates" {
    on_nodes memory
    mate -N2
    waiting_job GUEST -N2 -t 1
    eventually "it was refused" looked_at "$GUEST" no-mates
    sleep 3
    waits "$GUEST"
    expect "$(told share) $(told no-room) $(told no-mates)" "0 0 1"
    run -0 "$BUILD/bin/drom-sim" replay "$BATS_FILE_TMPDIR/sd.log"
    scancel "$MATE"
    eventually "alone it runs" runs "$GUEST"
}

@test "a guest shares where its memory is free beside its mate's" {
    on_nodes memory
    mate -N2 --mem=1200
    waiting_job GUEST -N2 -t 1 --mem=801
    eventually "one MB too many is refused" looked_at "$GUEST" no-mates
    scancel "$GUEST"
    guest -N2 --mem=800
    expect "$(cores "$MATE") $(cores "$GUEST")" "0-3 4-7"
    scancel "$GUEST"
    eventually "the mate has its cores again" has_cores "$MATE" 0-7
    scancel "$MATE" "$GUEST"
    mate -N2 --mem-per-cpu=150
    waiting_job GUEST -N2 -t 1 --mem-per-cpu=101
    eventually "a MB per CPU too many is refused" looked_at "$GUEST" no-mates
    scancel "$GUEST"
    guest -N2 --mem-per-cpu=100
    no_errors
}

# --- switches: no job can have nodes of both ---

@test "mates that cons_tres refuses are told once as no-room, and asked for again when a job has ended" {
    on_nodes switches
    running_job ONE -N1 -w n1 -t 10
    running_job OTHER -N1 -w n3 -t 10
    RIGID=$(sbatch --parsable -N1 -w n2 --exclusive -t 10 -o /dev/null --wrap "sleep 300")
    sbatch -N1 -w n4 --exclusive -t 10 -o /dev/null --wrap "sleep 300"
    eventually "all nodes are taken" all_taken
    waiting_job GUEST -N2 -t 1
    eventually "it was refused" looked_at "$GUEST" no-mates
    sleep 3
    expect "$(told share) $(told no-room) $(told no-mates)" "1 1 1"
    waits "$GUEST"
    scancel "$RIGID"
    eventually "it was asked again" told_twice
    run -0 "$BUILD/bin/drom-sim" replay "$BATS_FILE_TMPDIR/sd.log"
    [[ $output == *"found no room beside the mates"* ]]
    scancel "$ONE"
    eventually "alone it runs" runs "$GUEST"
    no_errors
}
all_taken() { [[ $(sinfo -h -t alloc -o %D) == 4 ]]; }
told_twice() { [[ $(told no-room) == 2 ]]; }

@test "a guest finds the mates that are under one switch" {
    on_nodes switches
    running_job ONE -N1 -w n1 -t 30
    running_job TWO -N1 -w n3 -t 30
    running_job THREE -N1 -w n4 -t 20
    running_job FOUR -N1 -w n2 -t 10
    guest -N2
    expect "$(field "$GUEST" NodeList)" "n[3-4]"
    no_errors
}
