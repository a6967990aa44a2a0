#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# charging.bats - what jobs that shared are charged by slurmdbd and by slurmctld's fair share, and what sacct says.

load support
load tables
load select

# Four nodes of 2 x 4 CPUs exist in tables only.
setup_file() {
    has_select || return
    has_database || return
    local settings
    mapfile -t settings < <(select_settings)
    start_cluster nodes=4 "${settings[@]}" accounts=limits,qos extra=PriorityType=priority/multifactor extra=PriorityCalcPeriod=1
    sizes_known
}

# more_of_failure: prints what slurmdbd has of the test's jobs.
more_of_failure() {
    timeout 20 sacct -X -D -P -j "${MATE:-1},${GUEST:-1}" -o jobid,dbindex,submit,start,end,state,alloccpus,cputimeraw,admincomment >&2 || true
}

# records JOB FIELD: prints a field of each of the job's records in slurmdbd.
records() { sacct -X -n -P -j "$1" -o "$2"; }
# closed JOB COUNT: checks that slurmdbd has so many records of the job, and knows the ends of all of them.
closed() { [[ $(records "$1" end | grep -cv Unknown) == "$2" && $(records "$1" state | grep -cv RUNNING) == "$2" ]]; }
# begun JOB COUNT: checks that slurmdbd has so many records of the job.
begun() { [[ $(records "$1" start | wc -l) == "$2" ]]; }
# charged JOB,JOB: prints the CPU-seconds that slurmdbd counts for these jobs.
charged() { records "$1" cputimeraw | awk '{ sum += $1 } END { print sum + 0 }'; }
# existed JOB: prints the CPU-seconds that all nodes had from the job's start to its end.
existed() {
    local first last
    first=$(date +%s -d "$(records "$1" start | sort | head -n 1)")
    last=$(date +%s -d "$(records "$1" end | sort | tail -n 1)")
    echo $((32 * (last - first)))
}
# used: prints the CPU-seconds that fair share counts for everybody.
used() { scontrol show assoc_mgr flags=assoc account=root | sed -n 's/.*UsageRaw\/Norm\/Efctv=\([0-9]*\).*/\1/p' | head -n 1; }
# about VALUE WANTED: checks that two numbers differ by one per cent at most.
about() {
    (($1 * 100 >= $2 * 99 && $1 * 100 <= $2 * 101)) && return
    printf 'wanted: about %s\ngot:    %s\n' "$2" "$1" >&2
    return 1
}
# final JOB: prints what slurmdbd has last as the admin comment of a job.
final() { records "$1" admincomment | tail -n 1; }
is_final() { [[ $(final "$1") =~ ^malleable=1\ (.*\ )?shared=[0-9]+s\ cpu_seconds=[0-9]+$ && $(final "$1") != *[sS]haring=* ]]; }
# cpu_seconds JOB: prints what the comment says that the job had.
cpu_seconds() { final "$1" | sed 's/.*cpu_seconds=//'; }

# hour_ends: slurmdbd counts usage by the full hour of its time zone. It comes back in one whose hour ends now.
hour_ends() {
    local pid left
    pid=$(daemon slurmdbd)
    kill "$pid"
    eventually "slurmdbd has ended" has_gone "$pid"
    left=$((3600 - $(date +%s) % 3600))
    TZ=$(printf 'FULL-%02d:%02d:%02d' $((left / 3600)) $((left / 60 % 60)) $((left % 60)))
    export TZ
    "$CLUSTER_SH" again "$CLUSTER" slurmdbd
    eventually "the hour is counted" counted
}
counted() { [[ $(reported 2>/dev/null) -gt 0 ]]; }
# reported: prints the CPU-seconds that sreport has for all accounts.
reported() {
    sreport -n -P -t seconds cluster AccountUtilizationByUser start="$(date +%FT%T -d '-2 hours')" end="$(date +%FT%T -d '+1 hour')" format=account,login,used |
        awk -F'|' '$1 == "root" && $2 == "" { print $3 }'
}
# ended JOB: ends a guest, and waits until its mate has all cores.
guest_ends() {
    scancel "$GUEST"
    eventually "the mate has its cores again" has_cores "$MATE" 0-7
}

# The first test, because the nodes have to be busy most of the time since the cluster's start.
@test "two jobs that share are charged together what their nodes had, and the full hour adds up" {
    mate -N4
    sleep 2
    guest -N4
    sleep 12
    guest_ends
    sleep 3
    scancel "$MATE"
    eventually "slurmdbd knows all of the mate" closed "$MATE" 3
    expect "$(records "$MATE" alloccpus,state)" "$(printf '32|RESIZING\n16|RESIZING\n32|CANCELLED by %s' "$(id -u)")"
    expect "$(records "$GUEST" alloccpus)" 16
    expect "$(charged "$MATE,$GUEST")" "$(existed "$MATE")"
    about "$(used)" "$(charged 1,"$MATE,$GUEST")"
    # The last record knows how its steps ended.
    expect "$(sacct -n -P -j "$MATE.0" -o state | tail -n 1)" "CANCELLED"
    hour_ends
    expect "$(reported)" "$(charged 1,"$MATE,$GUEST")"
    run ! grep "more allocated time than is possible" "$CLUSTER/log/slurmdbd.log"
}

@test "sacct says what each job had, and of none that it still shares" {
    mate -N4
    guest -N4
    sleep 3
    guest_ends
    scancel "$MATE"
    eventually "the guest's comment is complete" is_final "$GUEST"
    eventually "the mate's, too" is_final "$MATE"
    expect "$(cpu_seconds "$GUEST")" "$(charged "$GUEST")"
    expect "$(cpu_seconds "$MATE")" "$(charged "$MATE")"
}

@test "it says so, too, when slurmctld was killed while they shared" {
    mate -N4
    # Slurm itself loses what slurmctld has not said yet when it is killed.
    eventually "slurmdbd knows of the mate" begun "$MATE" 1
    sleep 1
    guest -N4
    eventually "slurmdbd knows of the guest" begun "$GUEST" 1
    saved
    kill_controller KILL
    start_controller
    expect "$(cores "$MATE")" 0-3
    eventually "slurmdbd knows that they share" begun "$MATE" 2
    sleep 2
    guest_ends
    eventually "slurmdbd knows that they do not" begun "$MATE" 3
    sleep 1
    scancel "$MATE"
    eventually "the guest's comment is complete" is_final "$GUEST"
    eventually "the mate's, too" is_final "$MATE"
    eventually "slurmdbd knows all of the mate" closed "$MATE" 3
    about "$(charged "$MATE,$GUEST")" "$(existed "$MATE")"
}

@test "it says so, too, when slurmctld was killed before it had written down who shares" {
    mate -N4
    eventually "slurmdbd knows of the mate" begun "$MATE" 1
    sleep 2
    guest -N4
    eventually "slurmdbd knows of the guest" begun "$GUEST" 1
    saved
    kill_controller KILL
    rm "$CLUSTER/state/malleable.loans"
    start_controller
    eventually "slurmdbd knows that they share" begun "$MATE" 2
    guest_ends
    scancel "$MATE"
    eventually "the mate's comment is complete" is_final "$MATE"
    eventually "slurmdbd knows all of the mate" closed "$MATE" 3
    about "$(charged "$MATE,$GUEST")" "$(existed "$MATE")"
}

# saves_a_number JOB WORD: checks that slurmctld has saved a mate with a number of its record (known), or as one that
# waits for slurmdbd to tell it (asked). Gives slurmctld something to save.
saves_a_number() {
    scancel "$(sbatch --parsable --hold -o /dev/null --wrap true)"
    sleep 0.5
    python3 - "$CLUSTER/state/job_state" "$@" <<'END'
import os, re, struct, sys
# Job, user, group, limit, six other numbers, two exit codes, the number of the record.
job = struct.pack(">4I", int(sys.argv[2]), os.getuid(), os.getgid(), 10)
number = {"known": rb"\0{4}(?!\0{4}).{4}", "asked": rb"\xff{7}\xfe"}[sys.argv[3]]
sys.exit(not re.search(re.escape(job) + b".{24}" + bytes(8) + number, open(sys.argv[1], "rb").read(), re.DOTALL))
END
}

# sharing_ends: ends the guest, and then the mate after its third record; they are charged for what there was.
sharing_ends() {
    guest_ends
    eventually "slurmdbd knows that they do not" begun "$MATE" 3
    scancel "$MATE"
    eventually "slurmdbd knows all of the mate" closed "$MATE" 3
    about "$(charged "$MATE,$GUEST")" "$(existed "$MATE")"
}

# none_asked: checks that slurmdbd has all jobs, so that no question about them is on its way. slurmctld of 22.05 asks
# one question at a time.
none_asked() {
    [[ -z $(comm -23 <(squeue -h -t all -o %A | sort -u) <(sacct -X -n -P -S now-1hour -o jobidraw | sort -u)) ]]
}

# slurmdbd numbers the records in 22.05 only.
# bats test_tags=numbers
@test "a job whose record had no number when slurmctld was killed is not charged for all CPUs while it shares" {
    eventually "slurmdbd knows all earlier jobs" none_asked
    # A slurmdbd that is stopped leaves the question unanswered.
    kill -STOP "$(daemon slurmdbd)"
    mate -N4
    eventually "slurmctld has saved that it waits for the number" saves_a_number "$MATE" asked
    kill_controller KILL
    end_daemon slurmdbd KILL
    "$CLUSTER_SH" again "$CLUSTER" slurmdbd
    eventually "slurmdbd answers" timeout 5 sacctmgr -n show cluster
    start_controller
    eventually "slurmdbd knows of the mate" begun "$MATE" 1
    sleep 1
    guest -N4
    eventually "slurmdbd knows that they share" begun "$MATE" 2
    expect "$(records "$MATE" alloccpus | paste -sd ' ')" "32 16"
    sleep 1
    sharing_ends
}

# bats test_tags=numbers
@test "a record of sharing whose number slurmctld had not saved when it was killed ends with the sharing" {
    mate -N4
    eventually "slurmctld knows the number of the mate's record" saves_a_number "$MATE" known
    sleep 1
    kill -STOP "$(daemon slurmdbd)"
    guest -N4
    saved
    cp "$CLUSTER/state/job_state" "$WORK"
    kill -CONT "$(daemon slurmdbd)"
    eventually "slurmdbd knows that they share" begun "$MATE" 2
    kill_controller KILL
    cp "$WORK/job_state" "$CLUSTER/state"
    rm "$CLUSTER/state/malleable.loans"
    start_controller
    sleep 1
    sharing_ends
}

@test "what another program writes into the admin comment stays, and the time that sharing added does not" {
    mate -N4
    guest -N4
    eventually "the guest's limit is extended" has_limit "$GUEST" 00:02:00
    saved
    for job in "$MATE" "$GUEST"; do scontrol update jobid="$job" admincomment=JS1:H4sIAAAA==; done
    eventually "slurmctld has saved it" grep -qa "JS1:" "$CLUSTER/state/job_state"
    kill_controller KILL
    start_controller
    expect "$(field "$MATE" TimeLimit) $(field "$GUEST" TimeLimit)" "00:11:00 00:02:00"
    guest_ends
    expect "$(field "$GUEST" TimeLimit)" 00:01:00
    [[ $(comment "$MATE") =~ ^JS1:H4sIAAAA==\ .*shared=[0-9]+s$ ]]
    scancel "$MATE"
    eventually "the mate has ended" has_ended "$MATE"
    expect "$(field "$MATE" TimeLimit)" 00:10:00
    for job in "$MATE" "$GUEST"; do eventually "slurmdbd has both words" has_both "$job"; done
}
has_both() { [[ $(final "$1") =~ ^JS1:H4sIAAAA==\ .*cpu_seconds=[0-9]+$ ]]; }

@test "a job that gives a node back while it shares is charged for what it had before and afterwards" {
    mate -N4
    sleep 1.5
    guest -N4
    eventually "slurmdbd knows the mate" begun "$MATE" 2
    sleep 2
    scontrol update jobid="$MATE" NumNodes=3
    eventually "slurmdbd knows that" begun "$MATE" 3
    guest_ends
    scancel "$MATE"
    eventually "the mate's comment is complete" is_final "$MATE"
    expect "$(cpu_seconds "$MATE")" "$(charged "$MATE")"
    run ! grep sharing= <(records "$MATE" admincomment)
}
