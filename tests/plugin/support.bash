# SPDX-License-Identifier: BSD-3-Clause
# support.bash - the common code of the tests of the plugins: a cluster per file, jobs, and comparisons.
# shellcheck shell=bash

load ../cli/support
bats_require_minimum_version 1.5.0

export PATH=$PATH:/usr/sbin:/sbin
CLUSTER_SH=$BATS_TEST_DIRNAME/cluster.sh
# The plugins are those for the installed Slurm, or for the series in whose root folder this runs.
PLUGINS=$BUILD/lib/slurm${SLURM_SERIES:+-$SLURM_SERIES}
SPANK_DROM=$PLUGINS/spank_drom.so

# start_cluster [NAME=VALUE...]: starts the cluster of a file in setup_file; it is stopped at the end of the file.
start_cluster() {
    if ! command -v slurmctld slurmd srun >/dev/null; then
        missing "no slurmctld, slurmd or srun; scripts/packages.sh test"
        return 1
    fi
    # The folder is not below that of the test's results, because a job's user must be able to reach it.
    export CLUSTER
    CLUSTER=$(mktemp -d)
    export SLURM_CONF=$CLUSTER/etc/slurm.conf
    "$CLUSTER_SH" up "$CLUSTER" plugins="$PLUGINS" owner=$$ "$@"
}

stop_cluster() {
    [[ -n ${CLUSTER:-} ]] || return 0
    "$CLUSTER_SH" down "$CLUSTER"
    rm -rf "$CLUSTER"
}

teardown_file() { stop_cluster; }

setup() {
    WORK=$BATS_TEST_TMPDIR
    cd "$WORK" || return
    unset LD_PRELOAD
}

teardown() {
    # Prints the logs of a failed test, and ends its jobs before the next test.
    [[ -n ${BATS_TEST_COMPLETED:-} ]] || { "$CLUSTER_SH" logs "$CLUSTER"; more_of_failure; }
    scancel -u "$(id -un)" 2>/dev/null
    eventually "the jobs have ended" no_jobs
}
# more_of_failure: prints what a file's tests want to know besides when one of them has failed.
more_of_failure() { :; }
no_jobs() { [[ -z $(squeue -h) ]]; }

# A command that hangs fails its test instead of the suite.
srun() { timeout --foreground 60 srun "$@" 3>&-; }
salloc() { timeout --foreground 60 salloc "$@" 3>&-; }
sbatch() { timeout --foreground 60 sbatch "$@" 3>&-; }

# script LINE...: writes a batch script of these lines; its path is in $SCRIPT.
script() {
    SCRIPT=${WORK:?}/job.sh
    printf '%s\n' '#!/bin/bash' "$@" >"$SCRIPT"
}

# batch [OPTION]...: submits $SCRIPT and waits until it has ended well. Its output is in $WORK/out, its number in $JOB.
batch() {
    JOB=$(sbatch --parsable -o "${WORK:?}/out" "$@" "$SCRIPT") || return
    eventually "job $JOB has ended" has_ended "$JOB"
    [[ $(field "$JOB" JobState) == COMPLETED ]] || { cat "$WORK/out" >&2; return 1; }
}
has_ended() { [[ $(field "$1" JobState) =~ ^(COMPLETED|FAILED|CANCELLED|TIMEOUT|NODE_FAIL)$ ]]; }

# field JOB NAME: prints a field of scontrol show job; nothing when the field is not there.
field() { scontrol -o show job "$1" | tr ' ' '\n' | sed -n "s/^$2=//p" | head -n 1; }

expect() {
    [[ $1 == "$2" ]] && return
    printf 'wanted: %s\ngot:    %s\n' "$2" "$1" >&2
    return 1
}
