# SPDX-License-Identifier: BSD-3-Clause
# select.bash - jobs that share by select/malleable's decision; needs tables.bash.
# shellcheck shell=bash

# select_settings [SCHEDULER]: prints settings of cluster.sh, for nodes of 2 x 4 CPUs that exist in tables only.
select_settings() {
    printf '%s\n' sockets=2 cores=4 select=select/malleable extra=JobSubmitPlugins=malleable task=task/drom \
        "scheduler=${1:-sd_max_slowdown=inf}" "plugstack=required $SPANK_DROM" \
        "drom=table=$BATS_FILE_TMPDIR/%n.table" "drom=topology=package:2,core:4,pu:1"
}
has_select() {
    chmod 755 "$BATS_FILE_TMPDIR"
    [[ -e $PLUGINS/select_malleable.so ]] || { missing "no select_malleable.so: it needs Slurm's own headers; scripts/slurm-headers.sh"; return 1; }
}
has_database() {
    local program
    for program in slurmdbd mariadbd mariadb-install-db; do
        command -v "$program" >/dev/null || { missing "no $program; scripts/packages.sh test"; return 1; }
    done
}
# sizes_known: waits until job_submit knows the sizes of nodes, a moment after slurmctld's start.
sizes_known() {
    sbatch -N1 --exclusive --malleable -t 1 -o /dev/null --wrap true
    eventually "the first job has ended" no_jobs
}

# mate OPTIONS...: starts a malleable job with whole nodes; its number is in $MATE.
mate() { running_job MATE -t 10 "$@"; }
# guest OPTIONS...: starts such a job that is to share; its number is in $GUEST.
guest() { running_job GUEST -t 1 "$@"; }
running_job() { waiting_job "$@"; eventually "job ${!1} runs" runs "${!1}"; }
# waiting_job NAME OPTIONS...: submits such a job; its number is in $NAME.
waiting_job() {
    local name=$1
    shift
    script "srun sleep 300"
    nodes_registered
    printf -v "$name" %s "$(sbatch --parsable --malleable --exclusive -o /dev/null "$@" "$SCRIPT")"
}
# nodes_registered: waits until the nodes have registered with a slurmctld that was started again, or have had the time.
# A slurmd that registers removes the script of a batch job that arrives in this moment (_handle_stray_script).
nodes_registered() {
    local deadline=$((SECONDS + 20))
    while scontrol show nodes | grep -q "BootTime=\(None\|Unknown\)" && ((SECONDS < deadline)); do sleep 0.1; done
}
runs() { [[ $(field "$1" JobState) == RUNNING ]]; }
waits() { [[ $(field "$1" JobState) == PENDING ]]; }
# cores JOB: prints the job's cores, as slurmctld says, with one line for all nodes that have the same cores.
cores() { scontrol show job -d "$1" | sed -n 's/.* CPU_IDs=\([^ ]*\) .*/\1/p'; }
# ended_for_long JOB: waits until the job has ended, and for longer than any message is on its way.
ended_for_long() {
    eventually "job $1 has ended" has_ended "$1"
    sleep 3
}
has_limit() { [[ $(field "$1" TimeLimit) == "$2" ]]; }
has_cores() { [[ $(cores "$1") == "$2" ]]; }
# split NODE STEP STEP: waits until each step has half of the node; the node agent decides which half.
split() {
    eventually "steps $2 and $3 share $1" have_halves "$@" && return
    drom_of "$1" list >&2
    return 1
}
have_halves() { [[ $(printf '%s\n' "$(masks "$1" "$2")" "$(masks "$1" "$3")" | sort | paste -sd ' ') == "0-3 4-7" ]]; }
# looked_at JOB [OUTCOME]: checks that the backfill scheduler has considered the job, with this outcome.
looked_at() {
    local what="consider .*job=$1 .*outcome=$2"
    [[ -n $2 ]] || what="($what|beyond-limit .*job=$1 )"
    grep -qE "$what" "$BATS_FILE_TMPDIR/sd.log"
}
# reason JOB: prints what its user reads.
reason() { squeue -h -j "$1" -O system_comment:200 | sed 's/ *$//'; }
# waits_for JOB WORD: waits until the job's user is told this reason.
waits_for() { eventually "job $1 is said to wait because of $2" has_reason "$@"; }
has_reason() { [[ $(reason "$1") =~ ^unshared=$2\ (unshared_by=[^ ]+ )?unshared_since=20[0-9T:-]+$ ]]; }
comment() { squeue -h -j "$1" -O admin_comment:120 | sed 's/ *$//'; }
log_since() { tail -n "+${LOG_FROM:-1}" "$CLUSTER/log/slurmctld.log"; }
log_says() { grep -qF "$1" "$CLUSTER/log/slurmctld.log"; }
# no_errors: checks that the log has no errors since from_here.
no_errors() { ! log_since | grep -E "error: (select|node_state|job overflow)|over-?allocated|under-?allocated|mis-count"; }
from_here() { LOG_FROM=$(($(wc -l <"$CLUSTER/log/slurmctld.log") + 1)); }
# daemon NAME: prints the daemon's pid.
daemon() { sed -n "s/^$1 //p" "$CLUSTER/run/daemons" | tail -n 1; }
# end_daemon NAME SIGNAL: ends the daemon, and waits until it has.
end_daemon() {
    local pid
    pid=$(daemon "$1")
    kill "-$2" "$pid"
    eventually "$1 has ended" has_gone "$pid"
}
# kill_controller SIGNAL
kill_controller() { end_daemon slurmctld "$1"; }
has_gone() { [[ ! -e /proc/$1 || $(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status") == Z ]]; }
start_controller() {
    "$CLUSTER_SH" again "$CLUSTER" slurmctld
    eventually "slurmctld answers" answers
}
answers() { timeout 5 scontrol ping 2>/dev/null | grep -q "is UP"; }
# reconfigure: has slurmctld read its settings anew, and waits until it answers the next command.
reconfigure() { scontrol reconfigure && eventually "slurmctld answers" answers; }
# saved: waits until slurmctld has saved that they share.
saved() { eventually "slurmctld has saved the guest" grep -qa "sharing=$MATE" "$CLUSTER/state/job_state"; }
# edited EXPRESSION COMMAND...: runs the command with another slurm.conf.
edited() {
    sed -i.orig "$1" "$SLURM_CONF"
    shift
    local status=0
    "$@" || status=$?
    mv "$SLURM_CONF.orig" "$SLURM_CONF"
    return "$status"
}
