#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# valgrind_controller.bats - slurmctld under memcheck while jobs share by select/malleable: the plugin makes no error.

load support
load tables
load select

setup_file() {
    has_select || return
    command -v valgrind >/dev/null || { missing "no valgrind; scripts/packages.sh test"; return 1; }
    export MEMCHECK=$BATS_FILE_TMPDIR/memcheck
    export CONTROLLER_UNDER="valgrind --leak-check=full --show-leak-kinds=definite --num-callers=40 --keep-debuginfo=yes --log-file=$MEMCHECK.%p"
    local settings
    mapfile -t settings < <(select_settings "sd_max_slowdown=inf,sd_log=$BATS_FILE_TMPDIR/sd.log")
    start_cluster nodes=2 "${settings[@]}" extra=MessageTimeout=60
    sizes_known
}

controller_pid() { sed -n 's/^slurmctld //p' "$CLUSTER/run/daemons" | tail -n 1; }
has_gone() { [[ ! -e /proc/$1 || $(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status") == Z ]]; }
stop_controller() {
    local pid
    pid=$(controller_pid)
    kill "$pid"
    eventually "slurmctld has ended" has_gone "$pid"
}
answers() { timeout 5 scontrol ping 2>/dev/null | grep -q "is UP"; }
all_idle() { [[ $(sinfo -h -t idle -o %D) == 2 ]]; }
has_ended_or_waits() { has_ended "$1" || waits "$1"; }

# errors_of_ours FILE...: prints memcheck's reports with a frame of the plugin, but without those of cons_tres below it.
errors_of_ours() {
    awk '
        function judge() { if (ours && !theirs) printf "%s\n", report; report = ""; ours = theirs = 0 }
        { sub(/^==[0-9]+== ?/, "") }
        /^$/ { judge(); next }
        { report = report $0 "\n" }
        /select_malleable|drom::(slurm|policy)/ { ours = 1 }
        /select_cons_tres/ { if (!ours) theirs = 1 }
        END { judge() }' "$@"
}

# share_both: waits until the steps of both jobs run, on both nodes.
share_both() { split n1 "$MATE.0" "$GUEST.0" && split n2 "$MATE.0" "$GUEST.0"; }
everything() {
    mate -N2
    guest -N2
    share_both # or an srun that is launching a step ends with an error when slurmctld is slow to answer
    scontrol update jobid="$MATE" timelimit=30
    scontrol reconfigure
    scontrol requeue "$GUEST"
    eventually "the mate has its cores" has_cores "$MATE" 0-7
    scancel "$GUEST" "$MATE"
    mate -N2
    guest -N2
    share_both # or an srun that is suspended while it launches a step waits for ever
    scontrol suspend "$MATE"
    scontrol resume "$MATE"
    waiting_job THIRD -N2 -t 1
    sbatch --test-only --malleable --exclusive -N1 -t 1 --wrap true
    scancel "$MATE"
    eventually "the guest has all cores" has_cores "$GUEST" 0-7
    scancel "$GUEST"
    eventually "the third has come" runs "$THIRD"
}

@test "a controller that shares, cancels, requeues, suspends, is configured again, restarted, and loses a node makes no mistake with memory" {
    everything
    stop_controller
    "$CLUSTER_SH" again "$CLUSTER" slurmctld
    eventually "slurmctld answers" answers
    scancel "$THIRD"
    eventually "it has ended" has_ended "$THIRD"
    running_job THIRD -N2 -t 10
    guest -N2
    scontrol update nodename=n1 state=down reason=test
    eventually "the job there has ended" has_ended_or_waits "$THIRD"
    scancel -u "$(id -un)"
    scontrol update nodename=n1 state=resume || true # the node may have come back by itself
    eventually "the node is back" all_idle
    stop_controller
    unset CONTROLLER_UNDER # teardown needs a slurmctld that answers
    "$CLUSTER_SH" again "$CLUSTER" slurmctld
    eventually "slurmctld answers" answers
    expect "$(errors_of_ours "$MEMCHECK".*)" ""
    # Both controllers, and the processes that they forked, ran to their end under memcheck.
    (($(grep -l 'ERROR SUMMARY' "$MEMCHECK".* | wc -l) >= 2))
}
