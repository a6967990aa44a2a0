# SPDX-License-Identifier: BSD-3-Clause
# tables.bash - jobs that stay, and what the tables of the nodes say of them.
# shellcheck shell=bash

# table_of NODE: where it is.
table_of() { echo "$BATS_FILE_TMPDIR/$1.table"; }
drom_of() { local node=$1; shift; "$BUILD/bin/drom" "$@" --table "$(table_of "$node")"; }

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
# pid_of NODE STEP: of its one task.
pid_of() { drom_of "$1" list --json | jq --arg step "$2" '.clients[] | select(.job == $step) | .pid'; }

# started OPTIONS...: submits $SCRIPT, does not wait; its number in $JOB.
started() { JOB=$(sbatch --parsable -o "$WORK/%j.out" "$@" "$SCRIPT"); }

# owner_of_both [STEP]: $SCRIPT as a malleable job that has both CPUs of n1; its number in $FIRST. STEP: .0, or .batch for a script that computes itself.
owner_of_both() {
    started --malleable -w n1 -c2
    FIRST=$JOB
    gets n1 "$FIRST${1:-.0}" 0-1
}
# guest_on_one [STEP]: another one, beside it; its number in $GUEST.
guest_on_one() {
    started --malleable -w n1 -c2
    GUEST=$JOB
    gets n1 "$GUEST${1:-.0}" 1
    gets n1 "$FIRST${1:-.0}" 0
}
# empty_again [NODE]: after its last job.
empty_again() { eventually "nobody is left" nobody_on "${1:-n1}"; }
