#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# accounts.bats - select/malleable and the limits of accounts and QOS, with a real slurmdbd.

load support
load tables
load select

# Four nodes of 2 x 4 CPUs exist in tables only.
setup_file() {
    has_select || return
    has_database || return
    local settings
    mapfile -t settings < <(select_settings "sd_max_slowdown=inf,sd_log=$BATS_FILE_TMPDIR/sd.log")
    start_cluster nodes=4 "${settings[@]}" accounts=limits,qos
    sizes_known
}

# account NAME LIMIT: makes an account with a limit, and lets the tests' user ask for it.
account() {
    sacctmgr -i add account "$1" set "$2"
    sacctmgr -i add user "$(id -un)" account="$1"
    eventually "slurmctld knows account $1" knows assoc account="$1" "UserName=$(id -un)"
}
# limited QOS LIMIT: makes a QOS with a limit that the tests' user may ask for.
limited() {
    sacctmgr -i add qos "$1" set "$2"
    sacctmgr -i modify account root set qos+="$1"
    eventually "slurmctld knows QOS $1" knows qos qos="$1" "QOS=$1("
}
knows() { scontrol show assoc_mgr flags="$1" "$2" | grep -qF "$3"; }

# waits_beside: checks that a guest does not share with the mate, and forgets it.
waits_beside() {
    waiting_job GUEST -N4 -t 1 "$@"
    waits_for "$GUEST" "(own|mates)-limit"
    sleep 3
    waits "$GUEST"
    expect "$(cores "$MATE")" 0-7
    scancel "$GUEST"
}
# shares_beside: checks that one does.
shares_beside() {
    guest -N4 "$@"
    expect "$(cores "$MATE") $(cores "$GUEST")" "0-3 4-7"
}

# bats test_tags=series
@test "a job that MaxTRESMins of its QOS would end when it is extended does not lend" {
    limited most MaxTRESMinsPerJob=cpu=64
    running_job MATE --qos=most -N4 -t 2
    waits_beside
    expect "$(field "$MATE" TimeLimit)" 00:02:00
    sacctmgr -i modify qos most set MaxTRESMinsPerJob=cpu=96
    shares_beside
}

@test "a job that MaxTRESMins would end when it is extended is no guest" {
    limited small MaxTRESMinsPerJob=cpu=63
    mate -N4
    waits_beside --qos=small
    shares_beside
}

@test "no time is added that the account does not have" {
    account lab GrpTRESMins=cpu=400 # both of the jobs take 352 alone, and 416 together
    running_job MATE -A lab -N4 -t 10
    waits_beside -A lab
    sacctmgr -i modify account lab set GrpTRESMins=cpu=500
    shares_beside -A lab
}

@test "a limit of the QOS counts instead of that of the account" {
    account poor MaxTRESMins=cpu=320
    limited rich MaxTRESMinsPerJob=cpu=3200
    sacctmgr -i modify account poor set qos+=rich
    running_job MATE -A poor -N4 -t 10
    waits_beside
    scancel "$MATE"
    eventually "the jobs have ended" no_jobs
    running_job MATE -A poor --qos=rich -N4 -t 10
    shares_beside
}

@test "no limit is extended beyond MaxWall, and none at all where GrpWall counts" {
    limited short MaxWall=10
    running_job MATE --qos=short -N4 -t 10
    waits_beside
    sacctmgr -i modify qos short set MaxWall=20 GrpWall=100
    eventually "slurmctld knows it" knows qos qos=short "GrpWall=100("
    waits_beside
    sacctmgr -i modify qos short set GrpWall=-1
    shares_beside
}

# reserved ACCOUNT: prints the CPU-minutes that slurmctld keeps for the account's running jobs.
reserved() { scontrol show assoc_mgr flags=assoc account="$1" | sed -n 's/.*GrpTRESRunMins=cpu=N(\([0-9]*\)).*/\1/p' | head -n 1; }
reserves() { [[ $(reserved "$1") == "$2" ]]; }

# bats test_tags=series
@test "what is reserved of an account's limits follows the limits of jobs that share" {
    account busy GrpTRESMins=cpu=100000
    running_job MATE -A busy -N4 -t 10
    eventually "as for the job alone" reserves busy 320
    shares_beside -A busy
    eventually "with what sharing adds" reserves busy $((32 * 11 + 32 * 2))
    scancel "$GUEST"
    eventually "the mate has its cores" has_cores "$MATE" 0-7
    reserves busy 320 || reserves busy 352 # the loss of these seconds stays
    scancel "$MATE"
    eventually "nothing is left" reserves busy 0
}

# with_options OPTIONS: slurmctld goes on with these options besides.
with_options() { edited "s/sd_max_slowdown=inf/&,$1/" reconfigure; }

@test "with sd_qos=strict no guest takes cores from a mate of a higher QOS" {
    limited low GrpJobs=100
    limited high GrpJobs=100
    with_options 'sd_qos=strict,sd_qos_order=low\/high'
    running_job MATE --qos=high -N4 -t 10
    waiting_job GUEST --qos=low -N4 -t 1
    waits_for "$GUEST" no-mates
    scancel "$GUEST"
    shares_beside --qos=high
    reconfigure
}

@test "a QOS that is left out lends nothing, and its jobs are told that they do not share" {
    limited urgent GrpJobs=100
    with_options sd_not_qos=urgent
    running_job MATE --qos=urgent -N4 -t 10
    waiting_job GUEST -N4 -t 1
    waits_for "$GUEST" no-mates
    waiting_job OTHER --qos=urgent -N4 -t 1
    waits_for "$OTHER" not-admitted
    reconfigure
}

@test "idle nodes count for the budget of a guest that would have them" {
    limited narrow MaxTRESMinsPerJob=cpu=47 # the guest takes 3 nodes of 8 CPUs for 2 minutes
    with_options sd_add_free_nodes=yes
    mate -N2 -t 10
    waiting_job GUEST --qos=narrow -N3 -t 1
    waits_for "$GUEST" own-limit
    [[ $(reason "$GUEST") == *unshared_by=MaxTRESMins=cpu_of_QOS_narrow* ]]
    sacctmgr -i modify qos narrow set MaxTRESMinsPerJob=cpu=48
    eventually "it shares" runs "$GUEST"
    expect "$(cores "$MATE")" 0-3
    reconfigure
}
