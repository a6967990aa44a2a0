# SPDX-License-Identifier: BSD-3-Clause
# tables.bash - jobs that stay, and their entries in the tables of the nodes.
# shellcheck shell=bash

# table_of NODE: prints the path of the node's table.
table_of() { echo "$BATS_FILE_TMPDIR/$1.table"; }
drom_of() { local node=$1; shift; "$BUILD/bin/drom" "$@" --table "$(table_of "$node")"; }

# masks NODE STEP: prints the masks of the step's tasks, in the order of their pids.
masks() { drom_of "$1" list --json | jq -r --arg step "$2" '[.clients | sort_by(.pid) | .[] | select(.job == $step) | .want] | join(" ")'; }
# has_step NODE STEP MASKS: checks the masks of the step.
has_step() { [[ $(masks "$1" "$2") == "$3" ]]; }
# gets NODE STEP MASKS: waits until the step has these masks. If it never has, prints the node's table.
gets() {
    eventually "step $2 on $1 has CPUs $3" has_step "$@" && return
    drom_of "$1" list >&2
    return 1
}
no_client_on() { [[ $(drom_of "$1" list --json | jq '.clients | length') == 0 ]]; }
# pid_of NODE STEP: prints the pid of the step's only task.
pid_of() { drom_of "$1" list --json | jq --arg step "$2" '.clients[] | select(.job == $step) | .pid'; }

# suspended JOB PID...: suspends the job, and waits until its programs are stopped. resumed() is the reverse.
# slurmctld answers before the nodes have heard of it. A node that is told to end the job meanwhile may not answer.
# slurmctld tells it again a minute later. The slurmd of 24.11 passes over a step that it has just launched, and does
# not say so: it is asked again.
suspended() {
    local tries
    for tries in 1 2; do
        scontrol suspend "$1"
        WAIT_S=75 eventually "the programs of job $1 are stopped ($tries of 2)" all_stopped "${@:2}" && return
        scontrol resume "$1"
    done
    return 1
}
resumed() { scontrol resume "$1"; eventually "the programs of job $1 go on" none_stopped "${@:2}"; }
is_stopped() { [[ $(sed -n 's/^State:\t\(.\).*/\1/p' "/proc/$1/status") == T ]]; }
all_stopped() { local pid; for pid in "$@"; do is_stopped "$pid" || return 1; done; }
none_stopped() { local pid; for pid in "$@"; do ! is_stopped "$pid" || return 1; done; }

# started OPTIONS...: submits $SCRIPT without waiting; its number is in $JOB.
started() { JOB=$(sbatch --parsable -o "$WORK/%j.out" "$@" "$SCRIPT"); }

# owner_of_both [STEP]: starts $SCRIPT as a malleable job that has both CPUs of n1; its number is in $FIRST. STEP is .0,
# or .batch for a script that computes itself.
owner_of_both() {
    started --malleable -w n1 -c2
    FIRST=$JOB
    gets n1 "$FIRST${1:-.0}" 0-1
}
# guest_on_one [STEP]: starts another such job beside the first; its number is in $GUEST.
guest_on_one() {
    started --malleable -w n1 -c2
    GUEST=$JOB
    gets n1 "$GUEST${1:-.0}" 1
    gets n1 "$FIRST${1:-.0}" 0
}
# empty_again [NODE]: waits until the node's table has no client.
empty_again() { eventually "no client is left" no_client_on "${1:-n1}"; }
