# SPDX-License-Identifier: BSD-3-Clause
# nodes.bash - what the tests of the node agent share: nodes of several kinds, jobs that stay, what the tables say of them.
# shellcheck shell=bash

# node_settings KIND: of cluster.sh. Every job may be put on the same cores: who has which is the agent's matter.
node_settings() {
    local topology=
    case $1 in
        real) echo cores=2 ;; # this machine's first two CPUs, and affinities are set
        big) printf '%s\n' sockets=2 cores=24; topology=package:2,core:24,pu:1 ;;
        smt) printf '%s\n' sockets=2 cores=12 threads=2; topology=package:2,core:12,pu:2 ;;
    esac
    echo nodes=3
    echo partition=OverSubscribe=FORCE:4
    echo "plugstack=required $SPANK_DROM table=$BATS_FILE_TMPDIR/$1-%n.table${topology:+ topology=$topology}"
}

# prepare_nodes: for setup_file; the cluster itself comes with the first test that says on_nodes.
prepare_nodes() {
    command -v slurmctld slurmd srun >/dev/null || { missing "no slurmctld, slurmd or srun; scripts/packages.sh test"; return 1; }
    export CLUSTER OWNER=$$ SLURM_CONF
    CLUSTER=$(mktemp -d)
    SLURM_CONF=$CLUSTER/etc/slurm.conf
    chmod 755 "$BATS_FILE_TMPDIR"
}

# on_nodes KIND: the cluster has nodes n1 to n3 of this kind; it is started anew when the last test wanted others.
on_nodes() {
    KIND=$1
    [[ $KIND != real || -n $B ]] || { missing "one CPU only: there is nothing to share"; return 1; }
    [[ $(cat "$CLUSTER/kind" 2>/dev/null) != "$KIND" ]] || return 0
    local settings
    mapfile -t settings < <(node_settings "$KIND")
    "$CLUSTER_SH" down "$CLUSTER"
    "$CLUSTER_SH" up "$CLUSTER" plugins="$PLUGINS" owner="$OWNER" "${settings[@]}"
    echo "$KIND" >"$CLUSTER/kind"
}

drom_of() { local node=$1; shift; "$BUILD/bin/drom" "$@" --table "$BATS_FILE_TMPDIR/$KIND-$node.table"; }
# masks NODE STEP: of its tasks, in the order of their pids.
masks() { drom_of "$1" list --json | jq -r --arg step "$2" '[.clients | sort_by(.pid) | .[] | select(.job == $step) | .want] | join(" ")'; }
# has_step NODE STEP MASKS
has_step() { [[ $(masks "$1" "$2") == "$3" ]]; }
# gets NODE STEP MASKS: sooner or later; else what it has is said.
gets() {
    eventually "step $2 on $1 has CPUs $3" has_step "$@" && return
    drom_of "$1" list >&2
    return 1
}
nobody_on() { [[ $(drom_of "$1" list --json | jq '.clients | length') == 0 ]]; }
# widths NODE STEP: how many CPUs each of its tasks has.
widths() { masks "$@" | tr ' ' '\n' | while read -r mask; do cpus_in "$mask" | wc -l; done | paste -sd ' '; }
have_widths() { [[ $(widths "$1" "$2") == "$3" ]]; }
# cpus_in MASK: one a line.
cpus_in() { tr , '\n' <<<"$1" | awk -F- 'NF {for (c = $1; c <= ($2 == "" ? $1 : $2); ++c) print c}'; }

# started OPTIONS...: submits $SCRIPT, does not wait; its number in $JOB.
started() { JOB=$(sbatch --parsable -o "$WORK/%j.out" "$@" "$SCRIPT"); }
# started_srun ARGUMENTS...: srun in the background, its output in $WORK/srun.out; its step in $STEP, its pid in $SRUN.
started_srun() {
    local name=t$BATS_TEST_NUMBER-$RANDOM
    command srun -J "$name" "$@" >"$WORK/srun.out" 2>"$WORK/srun.err" 3>&- &
    SRUN=$!
    eventually "the job of srun runs" step_named "$name"
    STEP=$(squeue -h -n "$name" -t running -o %i).0
}
step_named() { [[ -n $(squeue -h -n "$1" -t running -o %i) ]]; }
# end STEP...: their jobs.
end() { scancel "${@%.*}"; }
