#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# many_mates.bats - a guest finds the mate that has room, however many have none (select/malleable).

load support
load tables
load select

# Six nodes of 2 x 4 CPUs exist in tables only.
setup_file() {
    has_select || return
    local settings
    mapfile -t settings < <(select_settings)
    start_cluster nodes=6 "${settings[@]}"
    sizes_known
}

# keepers OPTION...: starts a mate on each of five nodes, whose step keeps all cores.
keepers() {
    local node
    script "srun $* sleep 300"
    for node in n{1..5}; do sbatch --parsable --malleable --exclusive -N1 -w "$node" -t 30 -o /dev/null "$SCRIPT"; done >keepers
    eventually "their steps run" steps_run 5
}
steps_run() { [[ $(squeue -h -s | grep -cv -e extern -e batch) == "$1" ]]; }

# finds_the_sixth: checks that a job starts beside the one mate that has room, which the policy likes least.
finds_the_sixth() {
    mate -N1 -w n6
    guest -N1
    expect "$(field "$GUEST" NodeList)" n6
    expect "$(cores "$MATE") $(cores "$GUEST")" "0-3 4-7"
}

@test "a job shares with the sixth mate when the steps of five better ones keep their cores" {
    keepers -n8
    finds_the_sixth
}

@test "a step that was started with an abbreviation of --no-drom keeps its cores" {
    keepers --no-dro
    finds_the_sixth
}
