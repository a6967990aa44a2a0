# SPDX-License-Identifier: BSD-3-Clause
# nodes.bash - nodes of several kinds, and steps of srun that stay; needs tables.bash.
# shellcheck shell=bash

# node_settings KIND: prints settings of cluster.sh. Slurm may put all jobs on the same cores, and the node agent
# decides.
node_settings() {
    local topology=
    case $1 in
        real) echo cores=2 ;; # this machine's first two CPUs, with affinities
        big) printf '%s\n' sockets=2 cores=24; topology=package:2,core:24,pu:1 ;;
        smt) printf '%s\n' sockets=2 cores=12 threads=2; topology=package:2,core:12,pu:2 ;;
    esac
    echo nodes=3
    echo partition=OverSubscribe=FORCE:4
    echo "plugstack=required $SPANK_DROM table=$BATS_FILE_TMPDIR/$1-%n.table${topology:+ topology=$topology}"
}

# prepare_nodes: prepares in setup_file; the first test that calls on_nodes starts the cluster.
prepare_nodes() {
    command -v slurmctld slurmd srun >/dev/null || { missing "no slurmctld, slurmd or srun; scripts/packages.sh test"; return 1; }
    export CLUSTER OWNER=$$ SLURM_CONF
    CLUSTER=$(mktemp -d)
    SLURM_CONF=$CLUSTER/etc/slurm.conf
    chmod 755 "$BATS_FILE_TMPDIR"
}

# on_nodes KIND: gives the cluster nodes n1 to n3 of this kind; restarts it when the last test wanted another kind.
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

table_of() { echo "$BATS_FILE_TMPDIR/$KIND-$1.table"; }
# widths NODE STEP: prints how many CPUs each task of the step has.
widths() { masks "$@" | tr ' ' '\n' | while read -r mask; do cpus_in "$mask" | wc -l; done | paste -sd ' '; }
have_widths() { [[ $(widths "$1" "$2") == "$3" ]]; }
# cpus_in MASK: prints one CPU per line.
cpus_in() { tr , '\n' <<<"$1" | awk -F- 'NF {for (c = $1; c <= ($2 == "" ? $1 : $2); ++c) print c}'; }

# started_srun ARGUMENTS...: starts srun in the background, with output in $WORK/srun.out, step in $STEP, pid in $SRUN.
started_srun() {
    local name=t$BATS_TEST_NUMBER-$RANDOM
    command srun -J "$name" "$@" >"$WORK/srun.out" 2>"$WORK/srun.err" 3>&- &
    SRUN=$!
    eventually "the job of srun runs" step_named "$name"
    STEP=$(squeue -h -n "$name" -t running -o %i).0
}
step_named() { [[ -n $(squeue -h -n "$1" -t running -o %i) ]]; }
# end STEP...: ends the jobs of the steps.
end() { scancel "${@%.*}"; }
