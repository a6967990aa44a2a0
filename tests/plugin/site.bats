#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# site.bats - what an administrator can switch, look at and rotate in select/malleable, and what users are told.

load support
load tables
load select

LOG=$BATS_FILE_TMPDIR/sd.log

# Two nodes of 2 x 4 CPUs exist in tables only.
setup_file() {
    has_select || return
    local settings
    mapfile -t settings < <(select_settings "sd_max_slowdown=inf,sd_log=$BATS_FILE_TMPDIR/sd.log")
    start_cluster nodes=2 "${settings[@]}" extra="PartitionName=short Nodes=n[1-2] MaxTime=1 State=UP" \
        extra="PartitionName=other Nodes=n[1-2] MaxTime=INFINITE State=UP"
    sizes_known
}

teardown() {
    rm -f "$LOG.1"
    [[ -n ${BATS_TEST_COMPLETED:-} ]] || "$CLUSTER_SH" logs "$CLUSTER"
    scancel -u "$(id -un)" 2>/dev/null
    scontrol delete reservationname=soon 2>/dev/null || true
    eventually "the jobs have ended" no_jobs
    reconfigure # a test may have changed options
}

# with OPTIONS: slurmctld goes on with these options besides; until the end of the test.
with() {
    from_here
    edited "s|sd_max_slowdown=inf|&,$1|" reconfigure
    eventually "slurmctld has read its options" has_read_options
    [[ -z $(log_since | grep -F "the options that were in force stay so") ]]
}
has_read_options() { log_since | grep -q "jobs have whole nodes"; }
# replayed: checks that the policy decides all of the journal again; what is said about it is in $output.
replayed() { run -0 "$BUILD/bin/drom-sim" replay "$LOG"; }

# --- the dry run ---

@test "a dry run tells the journal what would be shared, and jobs wait and start as without the plugin" {
    with sd_dry_run=yes
    mate -N2
    waiting_job GUEST -N2 -t 1
    eventually "backfill has decided that it would share" looked_at "$GUEST" share
    sleep 3
    waits "$GUEST"
    expect "$(cores "$MATE") $(field "$MATE" TimeLimit) $(comment "$MATE")" "0-7 00:10:00 malleable=1"
    expect "$(comment "$GUEST")" malleable=1
    replayed
    [[ $output == *"the controller only decided (sd_dry_run), and no job shared."*"Every decision is what the policy decides now."* ]]
    scancel "$MATE"
    eventually "it runs when the nodes are free" runs "$GUEST"
    expect "$(cores "$GUEST") $(field "$GUEST" TimeLimit)" "0-7 00:01:00"
    no_errors
}

@test "in a dry run the main scheduler shares nothing either" {
    with sd_dry_run=yes,bf_interval=600
    mate -N2
    waiting_job GUEST -N2 -t 1
    eventually "the main scheduler has decided that it would share" looked_at "$GUEST" share
    sleep 2
    waits "$GUEST"
    expect "$(cores "$MATE")" 0-7
    scancel "$MATE"
    eventually "it runs when the nodes are free" runs "$GUEST"
    expect "$(cores "$GUEST")" 0-7
    replayed
    no_errors
}

@test "jobs that share when a dry run begins go on, and no other job comes" {
    mate -N2
    guest -N2
    with sd_dry_run=yes
    expect "$(cores "$MATE") $(cores "$GUEST")" "0-3 4-7"
    scancel "$GUEST"
    eventually "the mate has its cores again" has_cores "$MATE" 0-7
    waiting_job GUEST -N2 -t 1
    eventually "backfill has decided that it would share" looked_at "$GUEST" share
    waits "$GUEST"
    no_errors
}

# --- why a job waits ---

waits_for_resources() { [[ $(field "$1" Reason) == Resources ]]; }

@test "a user reads in squeue why a malleable job shares nothing and since when, until it starts" {
    mate -N2
    waiting_job GUEST -N2 -t 30
    waits_for "$GUEST" waiting-is-sooner
    eventually "Slurm has written its own reason" waits_for_resources "$GUEST"
    local since
    since=$(reason "$GUEST")
    sleep 3
    expect "$(reason "$GUEST")" "$since"
    scontrol update jobid="$GUEST" switches=1
    waits_for "$GUEST" switches
    scancel "$MATE"
    eventually "it runs" runs "$GUEST"
    expect "$(reason "$GUEST")" "(null)"
}

@test "a job whose own limit cannot be extended is told which limit bounds it, and the journal has no decision to share" {
    mate -N2
    waiting_job GUEST -p short -N2 -t 1
    waits_for "$GUEST" own-limit
    [[ $(reason "$GUEST") == *unshared_by=MaxTime_of_partition_short* ]]
    grep -q "beyond-limit at=.* job=$GUEST mates=$MATE whose=$GUEST" "$LOG"
    run -1 looked_at "$GUEST" share
    replayed
}

@test "a job that could only share with mates that cannot be extended is told so, and the journal has no decision to share" {
    mate -N2
    scontrol create reservation reservationname=soon starttime=now+630 duration=10 users=root nodes=ALL
    waiting_job GUEST -N2 -t 1
    waits_for "$GUEST" mates-limit
    [[ $(reason "$GUEST") == *unshared_by=*reservation_soon* ]]
    grep -q "beyond-limit at=.* job=$GUEST mates=$MATE whose=$MATE" "$LOG"
    run -1 looked_at "$GUEST" share
    replayed
    scontrol delete reservationname=soon
}

@test "a job that finds its possible mates promised to another one is told so" {
    mate -N2
    script "srun sleep 300"
    sbatch --exclusive -N2 -t 5 -o /dev/null "$SCRIPT"
    waiting_job GUEST -N2 -t 6
    waits_for "$GUEST" promised
    waiting_job GUEST -N2 -t 1
    waits_for "$GUEST" mates-limit
    [[ $(reason "$GUEST") =~ unshared_by=the_start_that_job_[0-9]+_is_promised ]]
}

@test "a job that asks for a part of its nodes is told that only whole nodes are shared" {
    mate -N2
    script "srun sleep 300"
    GUEST=$(sbatch --parsable --malleable -N1 -c4 -t 1 -o /dev/null "$SCRIPT")
    waits_for "$GUEST" part-of-nodes
    GUEST=$(sbatch --parsable --malleable -N2 --exclusive -t 1 -w n1 -o /dev/null "$SCRIPT")
    waits_for "$GUEST" nodelist
}

@test "drom explain --slurm says in a sentence with which job one shares, or why it waits and what would help" {
    mate -N2
    waiting_job OTHER -N2 -t 30
    waits_for "$OTHER" waiting-is-sooner
    run -0 drom explain --slurm "$OTHER"
    [[ $output =~ ^"Job $OTHER is PENDING"( \([A-Za-z]+\))?". It has shared no nodes since "20[0-9T:-]+", because it will end sooner if it waits. Nothing has to be done."$ ]]
    run -0 drom explain --slurm "$OTHER" --json
    fits explain-slurm <<<"$output"
    scancel "$OTHER"
    guest -N2
    run -0 drom explain --slurm "$GUEST"
    [[ $output == "Job $GUEST is RUNNING. It has shared its nodes with job $MATE since "*", and its predicted slowdown is "* ]]
    run -1 drom explain --slurm 999999
    expect "$output" "drom: explain: Slurm's queue has no job 999999"
    run -2 drom explain some --slurm 1
    SLURM_CONF=/nowhere run -1 drom explain --slurm "$OTHER"
    [[ $output == "drom: explain: squeue: "* ]]
}

# --- jobs that may share ---

@test "jobs of a partition that is left out neither borrow nor lend, and their users are told" {
    with sd_not_partition=other
    mate -N2
    waiting_job GUEST -p other -N2 -t 1
    waits_for "$GUEST" not-admitted
    scancel "$GUEST"
    guest -N2
    expect "$(cores "$MATE") $(cores "$GUEST")" "0-3 4-7"
    scancel "$GUEST" "$MATE"
    eventually "both have ended" no_jobs
    mate -p other -N2
    waiting_job GUEST -N2 -t 1
    waits_for "$GUEST" no-mates
    replayed
}

@test "only jobs of the partitions and accounts that are named share" {
    with sd_only_partition=main/short,sd_only_account=physics
    mate -N2 -A physics
    waiting_job GUEST -N2 -t 1
    waits_for "$GUEST" not-admitted
    waiting_job OTHER -N2 -t 1 -p other -A physics
    waits_for "$OTHER" not-admitted
    scancel "$GUEST" "$OTHER"
    guest -N2 -A physics
    expect "$(cores "$MATE") $(cores "$GUEST")" "0-3 4-7"
    replayed
}

@test "with sd_same=account jobs share within an account only" {
    with sd_same=account
    mate -N2 -A physics
    waiting_job GUEST -N2 -t 1 -A biology
    waits_for "$GUEST" no-mates
    scancel "$GUEST"
    guest -N2 -A physics
    expect "$(cores "$MATE") $(cores "$GUEST")" "0-3 4-7"
    replayed
    run -0 "$BUILD/bin/drom-sim" replay "$LOG" --same any
}

# --- counters and the journal's file ---

# counts NAME VALUE: checks a value of the counters, which are OpenMetrics.
counts() {
    /usr/bin/python3 - "$BATS_FILE_TMPDIR/sd.prom" "$@" <<'PYTHON'
import sys
from prometheus_client.openmetrics import parser
path, name, value = sys.argv[1:]
samples = [s for family in parser.text_string_to_metric_families(open(path).read()) for s in family.samples]
found = [s.value for s in samples if s.name + "".join("." + v for v in s.labels.values()) == name]
sys.exit(0 if found and found[0] >= float(value) and (float(value) > 0 or found[0] == 0) else f"{name}: {found}")
PYTHON
}

@test "counters say how often jobs shared, and why others did not" {
    /usr/bin/python3 -c "import prometheus_client" || { missing "no Python module prometheus_client; scripts/packages.sh test"; return 1; }
    with "sd_metrics=$BATS_FILE_TMPDIR/sd.prom"
    mate -N2
    guest -N2
    eventually "a shared start is counted" counts drom_sd_shared_starts_total 1
    counts drom_sd_answers_total.share 1
    counts drom_sd_sharing_jobs 2
    eventually "the limits of both are extended by a minute each" counts drom_sd_extended_seconds_total 120
    expect "$(stat -c %a "$BATS_FILE_TMPDIR/sd.prom")" 644
    waiting_job OTHER -N2 -t 100
    eventually "the other job's refusals are counted" counts drom_sd_answers_total.waiting-is-sooner 1
    scancel "$OTHER" "$GUEST"
    eventually "no jobs share" counts drom_sd_sharing_jobs 0
    run -1 grep -c "^drom_sd_search_seconds_total 0.000000" "$BATS_FILE_TMPDIR/sd.prom"
}

@test "a journal that logrotate renames or empties goes on in a new file, and each of them replays" {
    mate -N2
    guest -N2
    mv "$LOG" "$LOG.1"
    sleep 1.1
    scancel "$GUEST"
    eventually "the new file has the end of the guest" has_ended_in_journal "$GUEST"
    run -0 "$BUILD/bin/drom-sim" replay "$LOG.1"
    replayed
    : >"$LOG"
    sleep 1.1
    guest -N2
    eventually "the emptied file has the new guest" grep -q "^share .*job=$GUEST " "$LOG"
    expect "$(head -c 9 "$LOG")" sd-policy
    replayed
    no_errors
}
has_ended_in_journal() { grep -q "^finish .*job=$1$" "$LOG"; }
