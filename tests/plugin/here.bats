#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# here.bats - scripts/slurm-here.sh: a private Slurm with the plugins, as a job of a Slurm that has none of them.

load support
load tables

HERE=$BATS_TEST_DIRNAME/../../scripts/slurm-here.sh

setup_file() {
    chmod 755 "$BATS_FILE_TMPDIR"
    [[ -e $PLUGINS/select_malleable.so ]] || { missing "no select_malleable.so: it needs Slurm's own headers; scripts/slurm-headers.sh"; return 1; }
    command -v munged >/dev/null || { missing "no munged; scripts/packages.sh test"; return 1; }
    start_cluster nodes=2 cores="$(nproc)" plugins=
}

# outer SCRIPT: submits the private cluster over both nodes, with this script as its command, and waits for its end; the
# output is in $WORK/out.
outer() {
    script "$@"
    JOB=$(cd "$WORK" && sbatch --parsable -N2 --exclusive -o "$WORK/out" "$HERE" --plugins "$PLUGINS" --dir "$WORK/here" \
        --conf SchedulerParameters=sd_max_slowdown=inf,batch_sched_delay=0,sched_interval=1,bf_interval=1 bash "$SCRIPT")
    eventually "job $JOB has ended" has_ended "$JOB"
    cat "$WORK/out"
}
left_of() { pgrep -f "slurm-here.$(id -u).$1" || compgen -G "/tmp/slurm-here.*.$1" || compgen -G "/dev/shm/slurm-here.*.$1.*"; }

@test "in a job of another Slurm two malleable jobs share the nodes of that job" {
    outer 'sinfo -h -o "%D nodes"' 'srun -N2 -n2 --malleable bash -c "echo task on \$SLURMD_NODENAME"' \
        'first=$(sbatch --parsable --malleable --exclusive -N2 -t 10 --wrap "srun sleep 60")' \
        'until [[ $(squeue -h -t running -o %i) == "$first" ]]; do sleep 0.1; done' \
        'second=$(sbatch --parsable --malleable --exclusive -N2 -t 1 --wrap "srun sleep 60")' \
        'until (($(squeue -h -t running -o %i | wc -l) == 2)); do sleep 0.1; done' 'echo shared' 'exit 7'
    grep -qx "2 nodes" "$WORK/out"
    expect "$(grep "^task on" "$WORK/out" | sort | paste -sd ' ')" "task on n1 task on n2"
    grep -qx shared "$WORK/out"
    expect "$(field "$JOB" ExitCode)" 7:0
    eventually "nothing is left" none_left_of "$JOB"
}
none_left_of() { ! left_of "$1"; }

@test "it is found where the path of drom has a blank, and a folder that slurm.conf cannot name is refused" {
    local checkout="$WORK/of two words"
    ln -s "$(readlink -f "$BATS_TEST_DIRNAME/../..")" "$checkout"
    HERE=$checkout/scripts/slurm-here.sh outer 'sinfo -h -o "%D nodes"'
    grep -qx "2 nodes" "$WORK/out"
    JOB=$(sbatch --parsable -N2 --exclusive -o "$WORK/out" "$checkout/scripts/slurm-here.sh" --plugins "$PLUGINS" --dir "$WORK/two words" true)
    eventually "job $JOB has ended" has_ended "$JOB"
    grep -qx "slurm-here.sh: write slurm.conf: a path ends at a blank there, and $WORK/two words has one; name another folder with --dir or --plugins" "$WORK/out"
    expect "$(field "$JOB" ExitCode)" 1:0
    [[ ! -e "$WORK/two words" ]]
}

@test "a daemon that writes as it ends leaves none of the private cluster's files" {
    mkdir "$WORK/bin"
    # The first removal of a node's folder meets a file that its slurmd has just written.
    cat >"$WORK/bin/rm" <<'SCRIPT'
#!/bin/bash
/bin/rm "$@"
[[ ${2:-} == */slurm-here.*/n[12] ]] && mkdir "${0%/*}/${2##*/}" 2>/dev/null || exit 0
mkdir "$2" && touch "$2/cred_state"
exit 1
SCRIPT
    chmod 755 "$WORK/bin/rm"
    PATH=$WORK/bin:$PATH outer true
    expect "$(field "$JOB" ExitCode)" 0:0
    eventually "nothing is left" none_left_of "$JOB"
}

@test "when its outer job is cancelled nothing of the private cluster is left" {
    script "sleep 300"
    JOB=$(cd "$WORK" && sbatch --parsable -N2 --exclusive -o "$WORK/out" "$HERE" --plugins "$PLUGINS" --dir "$WORK/here" bash "$SCRIPT")
    eventually "the cluster is up" grep -q "are a cluster" "$WORK/out"
    scancel "$JOB"
    eventually "job $JOB has ended" has_ended "$JOB"
    eventually "nothing is left" none_left_of "$JOB"
}

@test "outside of a job, in a folder that is there already, and with a part of a node it says what to do and starts nothing" {
    run env -u SLURM_JOB_ID "$HERE" true
    expect "$status" 1
    expect "$output" "slurm-here.sh: this is no job of Slurm; start it with sbatch -N 2 --exclusive $HERE"
    run "$HERE" --no-such
    expect "$status" 2
    mkdir "$WORK/here"
    outer true
    grep -qx "slurm-here.sh: $WORK/here is there already; name another folder with --dir" "$WORK/out"
    expect "$(field "$JOB" ExitCode)" 1:0
    rmdir "$WORK/here"
    JOB=$(sbatch --parsable -N1 -n1 -o "$WORK/out" "$HERE" --dir "$WORK/here" true)
    eventually "job $JOB has ended" has_ended "$JOB"
    grep -qxE "slurm-here.sh: node n[12] has $(nproc) CPUs, and this job has 1 of them; ask for whole nodes with --exclusive" "$WORK/out"
    [[ ! -e $WORK/here ]]
}
