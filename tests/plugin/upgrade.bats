#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# upgrade.bats - the plugins are replaced while jobs share, node by node and then in the controller. Packages do it in
# one way, a link to a folder per version in another.

load support
load tables
load select

# Two nodes of 2 x 4 CPUs exist in tables only. The plugins and drom's library are copies.
setup_file() {
    has_select || return
    export OPT=$BATS_FILE_TMPDIR/opt
    local settings SPANK_DROM=$OPT/current/lib/slurm/spank_drom.so
    mapfile -t settings < <(select_settings)
    version_folder 1
    ln -s 1 "$OPT/current"
    start_cluster nodes=2 "${settings[@]}" plugins="$OPT/current/lib/slurm"
    sizes_known
}

# version_folder NAME: makes a folder with the plugins and the library, as cmake --install does.
version_folder() {
    mkdir -p "$OPT/$1/lib"
    cp -r "$PLUGINS" "$OPT/$1/lib/slurm"
    cp -P "$BUILD"/lib/libdrom*.so* "$OPT/$1/lib"
}

teardown() {
    answers || start_controller
    [[ -n ${BATS_TEST_COMPLETED:-} ]] || "$CLUSTER_SH" logs "$CLUSTER"
    scancel -u "$(id -un)" 2>/dev/null
    eventually "the jobs have ended" no_jobs
}

# replaced: gives each file of the running version a new inode, and removes the old one, as dpkg does.
replaced() {
    local file
    while read -r file; do
        cp "$file" "$file.new"
        mv "$file.new" "$file"
    done < <(find "$OPT/current/" -type f)
}
# linked: installs another version beside the running one.
linked() {
    version_folder 2
    ln -sfn 2 "$OPT/current"
}

# node_again NODE: restarts a node's slurmd.
node_again() {
    local pid before
    pid=$(daemon "$1")
    before=$(starts "$1")
    kill "$pid"
    eventually "slurmd of $1 has ended" has_gone "$pid"
    "$CLUSTER_SH" again "$CLUSTER" "$1"
    eventually "$1 is there again" has_started "$1" "$before"
}
starts() { grep -c "slurmd version .* started" "$CLUSTER/log/$1.log"; }
has_started() { (($(starts "$1") > $2)); }
controller_again() {
    kill_controller TERM
    start_controller
}
# lives_through COMMAND: two jobs share while the plugins are replaced by the command, and after that others do.
lives_through() {
    script "srun sleep 300 &" "until [[ -e $WORK/step ]]; do sleep 0.1; done" "srun --overlap -N2 -n2 true && touch $WORK/ran" wait
    MATE=$(sbatch --parsable --malleable --exclusive -N2 -t 10 -o "$WORK/out" "$SCRIPT")
    gets n2 "$MATE.0" 0-7
    guest -N2
    split n1 "$MATE.0" "$GUEST.0"
    split n2 "$MATE.0" "$GUEST.0"
    "$1"
    node_again n1
    both_share
    # One node has the new plugins, and the other one the old ones.
    touch "$WORK/step"
    eventually "a step of the shrunk job has run on both" test -e "$WORK/ran"
    node_again n2
    both_share
    controller_again
    both_share
    expect "$(cores "$MATE") $(cores "$GUEST")" "0-3 4-7"
    scancel "$GUEST"
    gets n1 "$MATE.0" 0-7
    gets n2 "$MATE.0" 0-7
    guest -N2
    split n1 "$MATE.0" "$GUEST.0"
    scancel "$MATE"
    gets n1 "$GUEST.0" 0-7
    expect "$(field "$GUEST" JobState)" RUNNING
    run ! grep -hE "runs as without drom|error: (plugin|spank|select)" "$CLUSTER"/log/{n1,n2,slurmctld}.log
}
both_share() { have_halves n1 "$MATE.0" "$GUEST.0" && have_halves n2 "$MATE.0" "$GUEST.0"; }

@test "jobs share on while packages replace the plugins" {
    lives_through replaced
}

@test "jobs share on while a link is changed to the folder of another version" {
    lives_through linked
    grep -q "/opt/2/" "/proc/$(daemon slurmctld)/maps"
    grep -q "/opt/2/" "/proc/$(daemon n1)/maps"
}
