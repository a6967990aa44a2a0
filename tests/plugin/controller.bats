#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# controller.bats - select/malleable when slurmctld ends, is killed, finds damage, is configured wrongly, or goes on
# without the plugin.

load support
load tables
load select

setup_file() {
    has_select || return
    local settings
    mapfile -t settings < <(select_settings)
    start_cluster nodes=2 "${settings[@]}"
    sizes_known
}

teardown() {
    # Some tests end without a running slurmctld.
    scontrol ping 2>/dev/null | grep -q UP || start_controller
    [[ -n ${BATS_TEST_COMPLETED:-} ]] || "$CLUSTER_SH" logs "$CLUSTER"
    scancel -u "$(id -un)" 2>/dev/null
    eventually "the jobs have ended" no_jobs
}

pair() { from_here; mate -N2; guest -N2; eventually "the guest's limit is extended" has_limit "$GUEST" 00:02:00; saved; }
as_before() { expect "$(cores "$MATE") $(cores "$GUEST")" "0-3 4-7"; }
and_back() {
    scancel "$GUEST"
    eventually "the mate has its cores again" has_cores "$MATE" 0-7
    no_errors
}

@test "a controller that was stopped knows who shares with whom" {
    pair
    kill_controller TERM
    start_controller
    as_before
    expect "$(field "$GUEST" TimeLimit)" 00:02:00
    expect "$(field "$MATE" TimeLimit)" 00:11:00
    and_back
    [[ $(comment "$MATE") =~ shared=[0-9]+s$ ]]
}

# bats test_tags=series
@test "a controller that was killed knows it, too" {
    pair
    kill_controller KILL
    start_controller
    as_before
    and_back
}

@test "a guest that ended while there was no controller has given back" {
    pair
    kill_controller KILL
    pkill -f -P "$(pgrep -f "slurmstepd.*\[$GUEST.batch\]" | head -n 1)" . || true
    kill -KILL "$(pid_of n1 "$GUEST.0")" "$(pid_of n2 "$GUEST.0")"
    start_controller
    eventually "the mate has its cores again" has_cores "$MATE" 0-7
    gets n1 "$MATE.0" 0-7
}

@test "without its list of loans it infers who shares with whom, and says so" {
    pair
    kill_controller KILL
    printf 'x' >>"$CLUSTER/state/malleable.loans"
    start_controller
    as_before
    log_says "malleable.loans is damaged; who shares with whom is inferred"
    scancel "$GUEST"
    eventually "the mate has its cores again" has_cores "$MATE" 0-7
}

@test "a list of loans that does not fit who runs is not used" {
    pair
    cp "$CLUSTER/state/malleable.loans" old
    and_back
    scancel "$MATE"
    eventually "it has ended" has_ended "$MATE"
    pair
    kill_controller KILL
    cp old "$CLUSTER/state/malleable.loans"
    start_controller
    as_before
    and_back
}

# slurmctld saves its state every five seconds at most: later changes are lost there, but not in the list of loans.
@test "a guest whose end a killed controller had not saved keeps its cores until it is missed" {
    pair
    # A running slurmd would tell the next controller at once that the guest has ended.
    kill -STOP "$(daemon n1)" "$(daemon n2)"
    scancel "$GUEST"
    eventually "the mate has its cores again" has_cores "$MATE" 0-7
    kill_controller KILL
    start_controller
    local both
    both="$(cores "$MATE") $(cores "$GUEST")"
    kill -CONT "$(daemon n1)" "$(daemon n2)"
    expect "$both" "0-3 4-7"
    and_back
}

@test "a requeued guest asks for its own time again, and says no more that it shares" {
    pair
    scontrol requeuehold "$GUEST"
    eventually "the guest waits again" waits "$GUEST"
    expect "$(field "$GUEST" TimeLimit)" 00:01:00
    [[ $(comment "$GUEST") != *sharing=* ]]
    has_cores "$MATE" 0-7
}

@test "a guest that is requeued after its end asks for its own time again" {
    pair
    scancel --signal=KILL --full "$GUEST"
    eventually "the guest has ended" has_ended "$GUEST"
    scontrol requeuehold "$GUEST"
    eventually "the guest waits again" waits "$GUEST"
    expect "$(field "$GUEST" TimeLimit)" 00:01:00
}

# bats test_tags=series
@test "minutes that an administrator gives to a job that shares stay after scontrol reconfigure and after slurmctld was killed" {
    pair
    scontrol update jobid="$MATE" timelimit=40
    reconfigure
    expect "$(field "$MATE" TimeLimit)" 00:41:00
    eventually "the state is saved" grep -qa "timelimit=40+1" "$CLUSTER/state/job_state"
    kill_controller KILL
    start_controller
    expect "$(field "$MATE" TimeLimit)" 00:41:00
}

@test "a limit that an administrator lowered does not grow with each reading of the configuration" {
    pair
    scontrol update jobid="$MATE" timelimit=5
    for _ in 1 2 3; do reconfigure; done
    expect "$(field "$MATE" TimeLimit)" 00:06:00
}

@test "without task/drom it says what its users lose" {
    run ! log_says "TaskPlugin has no task/drom"
    kill_controller TERM
    cp "$SLURM_CONF" "$WORK/slurm.conf"
    sed -i 's,^TaskPlugin=.*,TaskPlugin=task/none,' "$SLURM_CONF"
    start_controller
    cat "$WORK/slurm.conf" >"$SLURM_CONF"
    log_says "TaskPlugin has no task/drom: a step that starts while its job is shrunk"
    kill_controller TERM
    start_controller
}

@test "the same controller reconfigured changes nothing for who shares" {
    pair
    reconfigure
    sleep 1
    as_before
    and_back
}

# bats test_tags=series
@test "options that are wrong stop its start with one sentence" {
    kill_controller TERM
    local option
    for option in "sd_max_slowdown=0.5: it has to be a number of 1 or more, inf, or dynamic" "sd_max_slowdwn=3: there is no such option" \
        "sd_sharing_factor=1: it has to be a number from 0.01 to 0.99"; do
        run edited "s/sd_max_slowdown=inf/${option%%:*}/" timeout 20 slurmctld -D
        ((status != 0 && status != 124))
        log_says "select/malleable: SchedulerParameters: $option"
    done
    run edited "s/CR_Core/CR_Socket/" timeout 20 slurmctld -D
    ((status != 0 && status != 124))
    log_says "select/malleable: SelectTypeParameters: it has to be CR_Core or CR_Core_Memory"
    run edited "\$a PreemptType=preempt/partition_prio\nPreemptMode=GANG,SUSPEND" timeout 20 slurmctld -D
    ((status != 0 && status != 124))
    log_says "select/malleable: PreemptMode: it must not have GANG or SUSPEND"
    run edited "\$a SlurmctldParameters=enable_stepmgr" timeout 20 slurmctld -D
    ((status != 0 && status != 124))
    log_says "select/malleable: SlurmctldParameters: it must not have enable_stepmgr"
    run edited "s/^PluginDir=.*/PluginDir=${PLUGINS//\//\\/}/" timeout 20 slurmctld -D
    ((status != 0 && status != 124))
}

@test "an option that becomes wrong does not stop it: the old ones stay in force" {
    mate -N2
    edited "s/sd_max_slowdown=inf/sd_max_slowdown=x/" reconfigure
    eventually "it is said" log_says "SchedulerParameters: sd_max_slowdown=x: it has to be a number of 1 or more, inf, or dynamic; the options that were in force stay so"
    from_here
    guest -N2
    as_before
    and_back
}

@test "another limit of slowdowns counts from the next job on" {
    mate -N2
    edited "s/sd_max_slowdown=inf/sd_max_slowdown=1.01/" reconfigure
    waiting_job GUEST -N2 -t 1
    sleep 3
    waits "$GUEST"
    reconfigure
    eventually "without that limit it shares" runs "$GUEST"
}

@test "back to cons_tres with jobs that share: they run on, and no core is given twice" {
    pair
    cp "$SLURM_CONF" "$WORK/slurm.conf"
    sed 's,^SelectType=.*,SelectType=select/cons_tres,' "$WORK/slurm.conf" >other.conf
    all_again other.conf
    as_before
    waiting_job NEXT -N2 -t 1
    sleep 2
    waits "$NEXT"
    scancel "$GUEST"
    eventually "the guest has ended" has_ended "$GUEST"
    scancel "$MATE"
    eventually "the next one has the whole nodes" runs "$NEXT"
    expect "$(cores "$NEXT")" 0-7
    scancel "$NEXT"
    eventually "the jobs have ended" no_jobs
    all_again "$WORK/slurm.conf"
    pair
    and_back
}
# all_again CONF: restarts slurmctld and every slurmd with this slurm.conf.
all_again() {
    local node pid
    kill_controller TERM
    cat "$1" >"$SLURM_CONF"
    for node in n1 n2; do
        pid=$(daemon "$node")
        kill "$pid"
        eventually "slurmd of $node has ended" has_gone "$pid"
        "$CLUSTER_SH" again "$CLUSTER" "$node"
    done
    start_controller
    eventually "the nodes answer" nodes_answer
}
nodes_answer() { ! sinfo -h -N -o %t | grep -q '[*]\|down\|unk'; }
