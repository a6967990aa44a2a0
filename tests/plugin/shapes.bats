#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shapes.bats - jobs of every shape under the node agent in a real Slurm: big nodes, several nodes, arrays,
# hyperthreads, MPI ranks.

load support
load tables
load nodes

setup_file() { prepare_nodes; }

# --- whose table ---

@test "from whichever program and node a step is started, it is in the table of the node where it runs" {
    on_nodes big
    started_srun -w n1 -c48 --malleable sleep 300
    gets n1 "$STEP" 0-47
    started_srun -N2 -w n2,n3 -n2 -c48 --malleable sleep 300
    gets n2 "$STEP" 0-47
    gets n3 "$STEP" 0-47
    end "$STEP"
    script "srun -N2 -n2 -c24 sleep 300"
    started -N2 -w n2,n3 -n2 -c24 --malleable
    gets n2 "$JOB.0" 0-23
    gets n3 "$JOB.0" 0-23
}

@test "a user's SLURMD_NODENAME moves no table" {
    on_nodes big
    SLURMD_NODENAME=elsewhere started_srun -w n1 -c48 --malleable sleep 300
    gets n1 "$STEP" 0-47
    [[ ! -e $BATS_FILE_TMPDIR/big-elsewhere.table ]]
}

@test "the steps of a batch script have its CPUs, one step after the other" {
    on_nodes big
    script "srun sleep 300" "srun -n2 -c24 sleep 300"
    started --malleable -w n1 -n2 -c24
    gets n1 "$JOB.0" "0-23 24-47"
    expect "$(masks n1 "$JOB.batch")" ""
    scancel "$JOB.0"
    gets n1 "$JOB.1" "0-23 24-47"
    scancel "$JOB"
    eventually "no client is left" no_client_on n1
}

@test "of a step without room, only the task that has the CPUs for all finds a library and a reservation" {
    on_nodes big
    script "srun -n48 -c1 sh -c 'env; until [ -e seen ]; do sleep 0.1; done' >step" "touch done; sleep 300"
    started_srun -w n1 -c24 --malleable=24 sleep 300
    gets n1 "$STEP" 0-23
    started -N1 -w n1 -n48 -c1 --malleable
    gets n1 "$JOB.batch" 24-47
    eventually "all tasks run" have_started step 48
    touch seen
    eventually "the step has ended" test -e done
    grep -q "spank_drom: step $JOB.0: drom: no room: .*; its tasks share CPUs 24-47$" "$CLUSTER/log/n1.log"
    expect "$(grep -cE '^LD_PRELOAD=' step) $(grep -cE '^DROM_TABLE=.' step) $(grep -cE '^DROM_SLOT=.' step)" "1 1 1"
}
have_started() { [[ $(grep -c '^SLURM_PROCID=' "$1") == "$2" ]]; }

# --- big nodes ---

@test "a guest gets the package that it was granted, and the owner has it back" {
    on_nodes big
    started_srun -w n1 -n2 -c24 --malleable sleep 300
    local owner=$STEP
    gets n1 "$owner" "0-23 24-47"
    started_srun -w n1 -c24 --malleable sleep 300
    gets n1 "$STEP" 0-23
    eventually "the owner's tasks are balanced in the other package" have_widths n1 "$owner" "12 12"
    end "$STEP"
    gets n1 "$owner" "0-23 24-47"
}

@test "a guest that was granted half of each package leaves every task the other half of its own" {
    on_nodes big
    started_srun -w n1 -n2 -c24 --malleable sleep 300
    local owner=$STEP
    gets n1 "$owner" "0-23 24-47"
    started_srun -w n1 -n2 -c12 --ntasks-per-socket=1 --malleable sleep 300
    gets n1 "$STEP" "0-11 24-35"
    gets n1 "$owner" "12-23 36-47"
    end "$STEP"
    gets n1 "$owner" "0-23 24-47"
}

@test "several guests, and every order of their ends, leave the owner what it had" {
    on_nodes big
    local order
    for order in "0 1" "1 0"; do
        started_srun -w n1 -c48 --malleable sleep 300
        local owner=$STEP guests=()
        gets n1 "$owner" 0-47
        started_srun -w n1 -c48 --malleable sleep 300
        guests+=("$STEP")
        eventually "a package each" have_widths n1 "$STEP" 24
        started_srun -w n1 -c48 --malleable sleep 300
        guests+=("$STEP")
        eventually "the third has half a package" have_widths n1 "$STEP" 12
        apart n1 "$owner" "${guests[@]}"
        for guest in $order; do end "${guests[guest]}"; done
        gets n1 "$owner" 0-47
        end "$owner"
        eventually "no client is left" no_client_on n1
    done
}
# apart NODE STEP...: checks that no CPU belongs to two steps.
apart() {
    local node=$1 step all=
    shift
    for step in "$@"; do all+=$(cpus_in "$(masks "$node" "$step" | tr ' ' ,)")$'\n'; done
    expect "$(sort -n <<<"$all" | uniq -d | grep .)" ""
}

@test "an owner that ends before its guests leaves them the node" {
    on_nodes big
    started_srun -w n1 -c48 --malleable sleep 300
    local owner=$STEP
    gets n1 "$owner" 0-47
    started_srun -w n1 -c48 --malleable sleep 300
    local first=$STEP
    eventually "a package each" have_widths n1 "$first" 24
    started_srun -w n1 -c48 --malleable sleep 300
    eventually "the third has half a package" have_widths n1 "$STEP" 12
    end "$owner"
    eventually "every CPU has an owner" no_cpu_is_free n1
    apart n1 "$first" "$STEP"
    end "$first"
    gets n1 "$STEP" 0-47
}
no_cpu_is_free() { [[ $(drom_of "$1" list --json | jq -r '[.free, .orphaned, (.clients | length)] | join(" ")') == "  2" ]]; }

@test "the jobs of an array share a node as any others" {
    on_nodes big
    script "srun sleep 300"
    started --array=1-4 -w n1 -c48 --malleable
    eventually "all four have a part" four_parts n1
    expect "$(drom_of n1 list --json | jq -r '[.clients[].want] | join(",")' | tr , '\n' | while read -r part; do cpus_in "$part"; done | sort -n | uniq -d)" ""
    scancel "$JOB"
    eventually "no client is left" no_client_on n1
}
four_parts() { [[ $(drom_of "$1" list --json | jq -r '[.clients[] | select(.job | endswith(".0")) | select(.want != "")] | length') == 4 ]]; }

@test "a job over two nodes shares each as if it were alone there" {
    on_nodes big
    started_srun -N2 -w n1,n2 -n4 --ntasks-per-node=2 -c24 --malleable sleep 300
    local owner=$STEP
    gets n1 "$owner" "0-23 24-47"
    gets n2 "$owner" "0-23 24-47"
    started_srun -w n2 -c24 --malleable sleep 300
    gets n2 "$STEP" 0-23
    eventually "it is small where the guest is" have_widths n2 "$owner" "12 12"
    has_step n1 "$owner" "0-23 24-47"
    end "$STEP"
    gets n2 "$owner" "0-23 24-47"
}

@test "a job that does not compute is as slow as its CPUs are few" {
    on_nodes big
    script "srun '$BUILD/bin/paced' --cpus 48 --milliseconds 8000"
    started -w n1 -c48 --malleable
    local owner=$JOB
    gets n1 "$owner.0" 0-47
    started_srun -w n1 -c24 --malleable sleep 1
    eventually "it has ended" has_ended "$owner"
    local said took changes
    said=$(<"$WORK/$owner.out")
    took=${said#*took } changes=${said##*with }
    ((${changes% *} == 2 && ${took%% *} > 8400)) || { echo "$said" >&2; return 1; }
}

# --- hyperthreads: CPUs 2k and 2k + 1 are core k ---

@test "whole cores change hands" {
    on_nodes smt
    started_srun -w n1 -c48 --malleable sleep 300
    local owner=$STEP
    gets n1 "$owner" 0-47
    started_srun -w n1 -c24 --malleable sleep 300
    gets n1 "$STEP" 0-23
    gets n1 "$owner" 24-47
    end "$STEP"
    gets n1 "$owner" 0-47
}

@test "a job that asks for an odd number of CPUs has the last core to itself" {
    on_nodes smt
    started_srun -w n1 -c48 --malleable sleep 300
    local owner=$STEP
    gets n1 "$owner" 0-47
    started_srun -w n1 -c7 --malleable sleep 300
    eventually "the guest has its cores" has_some n1 "$STEP"
    no_core_is_split n1
    end "$STEP"
    gets n1 "$owner" 0-47
    end "$owner"
    eventually "no client is left" no_client_on n1
    local steps=() wide
    for wide in 5 11 48; do
        started_srun -w n1 -c$wide --malleable sleep 300
        steps+=("$STEP")
        eventually "it has some" has_some n1 "$STEP"
        no_core_is_split n1
    done
    end "${steps[@]}"
}
has_some() { [[ -n $(masks "$1" "$2") ]]; }
# no_core_is_split NODE: checks that each core belongs to one job.
no_core_is_split() {
    local job mask pairs=
    while read -r job mask; do pairs+=$(cpus_in "$mask" | awk -v job="$job" '{print int($1 / 2), job}' | sort -u)$'\n'; done \
        < <(drom_of "$1" list --json | jq -r '.clients[] | "\(.job) \(.want)"')
    expect "$(grep . <<<"$pairs" | cut -d ' ' -f 1 | sort -n | uniq -d)" ""
}

# --- MPI ranks ---

# ranks MPI: puts Slurm's option that starts the ranks into $HOW, and their program into $PROGRAM.
ranks() {
    PROGRAM=$BUILD/bin/heat_mpi-$1-gcc
    [[ -x $PROGRAM ]] || { missing "no $PROGRAM; scripts/packages.sh test"; return 1; }
    case $1 in
        openmpi) HOW=--mpi=pmix ;;
        mpich) HOW=--mpi=pmi2 ;;
    esac
    /usr/bin/env srun --mpi=list 2>&1 | grep -q "${HOW#--mpi=}" || { missing "this Slurm has no $HOW"; return 1; }
    export OMPI_MCA_btl=self,vader
}

checksum() { sed -n 's/.*checksum //p' | grep .; }

# ranks_keep_a_cpu MPI: checks that two ranks which own a node of two CPUs keep them when a guest comes.
ranks_keep_a_cpu() {
    on_nodes real
    ranks "$1"
    script "srun -n2 -c1 $HOW '$PROGRAM' --size 1000 --steps 1000000"
    started --malleable --drom-min-per-rank=1 -w n1 -n2 -c1
    gets n1 "$JOB.0" "0 1"
    eventually "both ranks take part" live_ranks n1 "$JOB.0" 2
    started_srun -w n1 -n1 -c2 --malleable sleep 300
    eventually "the log says so" grep -q "spank_drom: step $STEP: drom: no room" "$CLUSTER/log/n1.log"
    has_step n1 "$JOB.0" "0 1"
}

@test "Open MPI's ranks keep their CPUs, and the log tells of the guest that finds no room" { ranks_keep_a_cpu openmpi; }
@test "MPICH's ranks keep their CPUs, and the log tells of the guest that finds no room" { ranks_keep_a_cpu mpich; }

# ranks_make_room MPI: checks that each rank gives up half of its CPUs, and gets them back.
ranks_make_room() {
    on_nodes big
    ranks "$1"
    export OMP_WAIT_POLICY=passive
    script "srun -n2 -c24 $HOW '$PROGRAM' --size 1000 --steps 1000000"
    started --malleable --drom-min-per-rank=1 -w n1 -n2 -c24
    local owner=$JOB.0
    gets n1 "$owner" "0-23 24-47"
    eventually "both ranks take part" live_ranks n1 "$owner" 2
    started_srun -w n1 -c24 --malleable sleep 300
    gets n1 "$STEP" 0-23
    eventually "each rank has half of the other package" have_widths n1 "$owner" "12 12"
    apart n1 "$owner" "$STEP"
    end "$STEP"
    gets n1 "$owner" "0-23 24-47"
}
live_ranks() { [[ $(drom_of "$1" list --json | jq --arg step "$2" '[.clients[] | select(.job == $step and .state == "live" and .ranks == 2)] | length') == "$3" ]]; }

@test "Open MPI's ranks on a node of 2 x 24 CPUs make room in balance" { ranks_make_room openmpi; }
@test "MPICH's ranks on a node of 2 x 24 CPUs make room in balance" { ranks_make_room mpich; }

# ranks_compute_the_same MPI: checks the ranks' checksum while guests come and go.
ranks_compute_the_same() {
    on_nodes big
    ranks "$1"
    export OMP_WAIT_POLICY=passive
    local alone
    alone=$(OMP_NUM_THREADS=1 srun -w n2 -n2 -c1 "$HOW" "$PROGRAM" --size 128 --steps 200 | checksum)
    script "srun -n2 -c24 $HOW '$PROGRAM' --size 128 --steps 200"
    started --malleable -w n1 -n2 -c24
    until has_ended "$JOB"; do srun -Q -w n1 -c24 --malleable true; done
    expect "$(field "$JOB" JobState)" COMPLETED
    expect "$(checksum <"$WORK/$JOB.out")" "$alone"
}

@test "Open MPI's ranks compute the same with guests" { ranks_compute_the_same openmpi; }
@test "MPICH's ranks compute the same with guests" { ranks_compute_the_same mpich; }
