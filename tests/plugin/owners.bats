#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# owners.bats - a job owns its CPUs of a node as long as it is there (PrologFlags=Contain), also while none of its steps
# runs there: a guest has what the controller granted it, and no more.

load support
load tables
load select

# Two nodes of 2 x 4 CPUs exist in tables only. The prolog holds a job while there is a file of its number.
setup_file() {
    has_select || return
    local settings
    mapfile -t settings < <(select_settings)
    # shellcheck disable=SC2016
    printf '#!/bin/sh\nwhile [ -e "%s/held.$SLURM_JOB_ID" ]; do sleep 0.1; done\n' "$BATS_FILE_TMPDIR" >"$BATS_FILE_TMPDIR/prolog"
    chmod 755 "$BATS_FILE_TMPDIR/prolog"
    start_cluster nodes=2 "${settings[@]}" extra=PrologFlags=Contain extra=LaunchParameters=use_interactive_step \
        extra=Prolog="$BATS_FILE_TMPDIR/prolog" \
        'extra=InteractiveStepOptions="--interactive --preserve-env /bin/sh"'
    sizes_known
}

# mate_that LINE...: starts a mate on both nodes, whose script is these lines.
mate_that() {
    script "$@"
    MATE=$(sbatch --parsable --malleable --exclusive -N2 -t 10 -o /dev/null "$SCRIPT")
    eventually "job $MATE runs" runs "$MATE"
}
# never_more NODE STEP MASK SECONDS: checks for some seconds that the step has these CPUs.
never_more() {
    local end=$((SECONDS + $4))
    while ((SECONDS < end)); do expect "$(masks "$1" "$2")" "$3" || return; done
}

@test "a guest has only its grant where its mate has nothing but the extern step" {
    mate_that "sleep 300"
    gets n1 "$MATE.batch" 0-7
    gets n2 "$MATE.extern" 0-7
    guest -N2
    gets n2 "$GUEST.0" 4-7
    gets n2 "$MATE.extern" 0-3
    gets n1 "$MATE.batch" 0-3
    expect "$(cores "$MATE") $(cores "$GUEST")" "0-3 4-7"
    scancel "$GUEST"
    gets n2 "$MATE.extern" 0-7
    gets n1 "$MATE.batch" 0-7
}

@test "a guest gets nothing between two steps of its mate, and all when the mate has ended" {
    mate_that "srun sleep 300" "until [[ -e $WORK/next ]]; do sleep 0.1; done" "srun sleep 300"
    gets n2 "$MATE.0" 0-7
    guest -N2
    gets n2 "$GUEST.0" 4-7
    gets n2 "$MATE.0" 0-3
    scancel "$MATE.0"
    gets n2 "$MATE.extern" 0-3
    never_more n2 "$GUEST.0" 4-7 2
    touch "$WORK/next"
    gets n2 "$MATE.1" 0-3
    has_step n2 "$GUEST.0" 4-7
    scancel "$MATE"
    gets n2 "$GUEST.0" 0-7
    gets n1 "$GUEST.0" 0-7
    scancel "$GUEST"
    empty_again n1
    empty_again n2
}

@test "a guest whose mate ends while its prolog runs has the whole nodes" {
    mate_that "sleep 300"
    gets n2 "$MATE.extern" 0-7
    touch "$BATS_FILE_TMPDIR/held.$((MATE + 1))"
    script "sleep 300"
    GUEST=$(sbatch --parsable --malleable --exclusive -N2 -t 1 -o /dev/null "$SCRIPT")
    eventually "job $GUEST runs" runs "$GUEST"
    scancel "$MATE"
    ended_for_long "$MATE"
    rm "$BATS_FILE_TMPDIR/held.$GUEST"
    gets n1 "$GUEST.batch" 0-7
    gets n2 "$GUEST.extern" 0-7
}

@test "what a guest's own steps leave is its place's on the node, not the mate's" {
    mate_that "sleep 300"
    script "srun sleep 300" "sleep 300"
    GUEST=$(sbatch --parsable --malleable --exclusive -N2 -t 1 -o /dev/null "$SCRIPT")
    gets n2 "$GUEST.0" 4-7
    scancel "$GUEST.0"
    gets n2 "$GUEST.extern" 4-7
    gets n1 "$GUEST.batch" 4-7
    has_step n2 "$MATE.extern" 0-3
    has_step n1 "$MATE.batch" 0-3
}

@test "a job that is not malleable keeps the CPUs of its extern step" {
    script "sleep 300"
    RIGID=$(sbatch --parsable -N2 -n2 -c4 -t 5 -o /dev/null "$SCRIPT")
    eventually "it runs" runs "$RIGID"
    eventually "it has four CPUs of n2" on_n2
    script "srun -n1 -c4 sleep 300"
    OTHER=$(sbatch --parsable --malleable -N1 -w n2 -n1 -c4 -t 1 -o /dev/null "$SCRIPT")
    eventually "the other one has the rest" others_on_n2
    scancel "$RIGID" "$OTHER"
    empty_again n2
}
on_n2() { RIGIDS=$(masks n2 "$RIGID.extern"); [[ $RIGIDS =~ ^(0-3|4-7)$ ]]; }
others_on_n2() { [[ "$(masks n2 "$OTHER.0") $RIGIDS" =~ ^(0-3 4-7|4-7 0-3)$ ]]; }
