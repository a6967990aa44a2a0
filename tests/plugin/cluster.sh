#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# cluster.sh - runs a real Slurm on this machine as the calling user: slurmctld and slurmd, without systemd or munge.
#
#   cluster.sh up DIR [NAME=VALUE...]    starts it in DIR, which is made, and waits until every node is idle
#     nodes=2 node=n    nodes n1, n2, ...; on one machine their cgroups are told apart by these names
#     sockets=1 cores=8 threads=1        per node; cores=8,4: of the first, the second, and so on again
#     gres=TEXT         generic resources per node, for instance tool:2
#     attributes=TEXT   more words for the lines of the nodes, for instance CoreSpecCount=1
#     consumes=CR_Core  SelectTypeParameters
#     plugins=DIR       a folder of plugins that comes before Slurm's own
#     plugstack=LINE    a line of plugstack.conf; may be repeated
#     extra=LINE        a line of slurm.conf; may be repeated
#     scheduler=TEXT    SchedulerParameters that count before the usual ones, for instance sd_max_slowdown=inf
#     drom=LINE         a line of drom.conf; may be repeated
#     cgroup=LINE       a line of cgroup.conf; may be repeated
#     topology=LINE     a line of topology.conf; may be repeated
#     partition=TEXT    appended to the line of the one partition, main, for instance OverSubscribe=FORCE:2
#     task=task/none select=select/cons_tres proctrack=proctrack/linuxproc
#     accounts=LIMITS   also slurmdbd and a database; LIMITS is AccountingStorageEnforce, for instance limits,qos
#     backup=yes        also a second slurmctld that takes over; needs root, because each has a host name of its own
#     answered=PORT     no slurmd is started: another program answers there for all nodes (bench/fake_nodes.py)
#     owner=PID         when this process has ended the cluster is stopped (default: the caller's parent; in bats: $$)
#     limit=SECONDS     the cluster is stopped anyway after this time (default 1800)
#   cluster.sh again DIR NAME            starts an ended slurmd, slurmctld or backup once more; slurmctld loses no state
#   cluster.sh down DIR                  ends the cluster's jobs, then its daemons
#   cluster.sh logs DIR                  prints the last lines of every log
#
# With CONTROLLER_UNDER="COMMAND OPTIONS" in the environment of `up` and `again`, slurmctld runs under that command, for
# instance valgrind. Slurm's commands find the cluster with SLURM_CONF=DIR/etc/slurm.conf.
# Exit status: 0 done, 1 the cluster did not start (its logs are printed), 2 usage.
set -euo pipefail
# shellcheck source=scripts/slurm-daemons.sh
. "$(dirname "$0")/../../scripts/slurm-daemons.sh"

# No process that stays may keep the caller's files open: bats would wait for it.
for file in /proc/self/fd/*; do
    fd=${file##*/}
    if ((fd > 2 && fd != 255 && fd != ${PORTS_LOCK:-255})); then eval "exec $fd>&-"; fi
done

usage() { sed -n '5,28s/^# \{0,1\}//p' "$0" >&2; exit 2; }
(($# >= 2)) || usage
what=$1
mkdir -p "$2"
dir=$(cd "$2" && pwd)
export PATH=$PATH:/usr/sbin:/sbin
export SLURM_CONF=$dir/etc/slurm.conf
# The processes of this cluster carry its mark: daemons start their children with their own environment.
mark=CLUSTER_MARK=$dir
shift 2

say() { echo "cluster.sh: $*" >&2; }

# born PID: prints the start time, which tells a process from a later one with the same number.
born() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20 || true; }

# --- processes ---

# daemons: prints name and pid of each daemon that was started.
daemons() { cat "$dir/run/daemons" 2>/dev/null || true; }
is_ours() { grep -zqxF "$mark" "/proc/$1/environ" 2>/dev/null; }

# left: prints the pids of this cluster's daemons and step daemons that are still there.
left() {
    local name pid
    while read -r name pid; do
        if alive "$pid" && is_ours "$pid"; then echo "$pid"; fi
    done < <(daemons)
    for pid in $(pgrep -x slurmstepd || true); do
        if alive "$pid" && is_ours "$pid"; then echo "$pid"; fi
    done
}

# family PID: prints the process and its descendants.
family() {
    local child
    echo "$1"
    for child in $(pgrep -P "$1" || true); do family "$child"; done
}

families() {
    local pid
    for pid in $(left); do family "$pid"; done
}

none_left() { [[ -z $(left) ]]; }
no_jobs() { [[ -z $(timeout 5 squeue -h 2>/dev/null) ]]; }

stop() {
    local pid name
    [[ -e $dir/run/daemons ]] || return 0
    # Steps outlive their slurmd and ignore a polite request: their jobs are ended first.
    while read -r name pid; do
        if [[ $name == slurmctld || $name == backup ]] && alive "$pid" && is_ours "$pid"; then
            timeout 5 scancel -u "$(id -un)" 2>/dev/null || true
            within 10 no_jobs || say "end the jobs in $dir: some have not ended within 10 s"
        fi
    done < <(daemons)
    for pid in $(left); do kill "$pid" 2>/dev/null || true; done
    if ! within 10 none_left; then
        for pid in $(families); do kill -KILL "$pid" 2>/dev/null || true; done
        within 5 none_left || say "stop $dir: $(left | tr '\n' ' ')is still there"
    fi
    rm -f "$dir/run/daemons"
}

logs() {
    local file
    for file in "$dir"/log/*.out; do
        # A daemon that came far enough writes into its log the same as to its output.
        [[ ! -s ${file%.out}.log ]] || file=${file%.out}.log
        [[ ! -s $file ]] || { echo "--- ${file##*/}"; tail -n 40 "$file"; }
    done >&2
}

# --- starting ---

nodes=2 node=n sockets=1 cores=8 threads=1 plugins='' task=task/none select=select/cons_tres proctrack=proctrack/linuxproc partition='' scheduler='' gres='' attributes='' consumes=CR_Core accounts='' backup='' answered='' owner=$PPID limit=1800
plugstack=() extra=() drom=() cgroup=() topology=()
read -ra under <<<"${CONTROLLER_UNDER:-}"

read_settings() {
    local setting
    for setting in "$@"; do
        case $setting in
            nodes=* | node=* | sockets=* | cores=* | threads=* | plugins=* | task=* | select=* | proctrack=* | partition=* | scheduler=* | gres=* | attributes=* | consumes=* | accounts=* | backup=* | answered=* | owner=* | limit=*)
                printf -v "${setting%%=*}" %s "${setting#*=}" ;;
            plugstack=*) plugstack+=("${setting#*=}") ;;
            extra=*) extra+=("${setting#*=}") ;;
            drom=*) drom+=("${setting#*=}") ;;
            cgroup=*) cgroup+=("${setting#*=}") ;;
            topology=*) topology+=("${setting#*=}") ;;
            *) usage ;;
        esac
    done
}

plugins_of_slurm() { system_plugins || { say "find Slurm's plugins: there is no select_cons_tres.so; install slurm-wlm-basic-plugins"; return 1; }; }

listens() { (exec 9<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# claim_ports COUNT: claims COUNT ports in a row from $port on, below those that the kernel gives to connections. No
# other caller gets them as long as $ports_lock is open.
claim_ports() {
    local folder try
    folder=${TMPDIR:-/tmp}/drom-cluster-ports.$(id -u)
    mkdir -p "$folder"
    for ((try = 0; try < 200; ++try)); do
        port=$((20000 + (RANDOM * 32768 + RANDOM) % 93 * 128))
        exec {ports_lock}>"$folder/$port"
        if flock -n "$ports_lock" && are_unused "$port" "$1"; then return; fi
        exec {ports_lock}>&-
    done
    say "find $1 free ports: none in 200 tries"
    return 1
}
are_unused() {
    local port
    for ((port = $1; port < $1 + $2; ++port)); do ! listens "$port" || return 1; done
}

# accounting PORT: prints the lines of slurm.conf.
accounting() {
    if [[ -z $accounts ]]; then
        echo AccountingStorageType=accounting_storage/none
        return
    fi
    printf 'AccountingStorage%s\n' Type=accounting_storage/slurmdbd Host=localhost "Port=$(dbd_port "$1")" "Enforce=$accounts"
}
# The ports behind those of the nodes.
dbd_port() { echo $(($1 + $(node_ports) + 1)); }
database_port() { echo $(($1 + $(node_ports) + 2)); }
# node_ports: prints how many ports the nodes have.
node_ports() { [[ -n $answered ]] && echo 0 || echo "$nodes"; }

# slurmdbd_conf PORT
slurmdbd_conf() {
    cat <<END
AuthType=auth/none
DbdHost=localhost
DbdPort=$(dbd_port "$1")
SlurmUser=$(id -un)
PluginDir=$(plugins_of_slurm)
LogFile=$dir/log/slurmdbd.log
PidFile=$dir/run/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=$(database_port "$1")
StorageUser=slurm
StoragePass=slurm
END
}

# start_accounts: starts the database and slurmdbd, one after the other.
start_accounts() {
    local data=$dir/state/database
    mkdir -p "$data"
    # A server that starts removes temporary tables of others in its folder.
    TMPDIR=$dir/tmp mariadb-install-db --no-defaults --datadir="$data" --user="$(id -un)" --skip-test-db >"$dir/log/database.out" 2>&1 || return
    echo "GRANT ALL ON *.* TO slurm@127.0.0.1 IDENTIFIED BY 'slurm';" >"$dir/etc/database.sql"
    TMPDIR=$dir/tmp launch database mariadbd --no-defaults --datadir="$data" --user="$(id -un)" --skip-name-resolve --bind-address=127.0.0.1 --port="$(database_port "$port")" \
        --socket="$dir/run/database" --pid-file="$dir/run/database.pid" --innodb-buffer-pool-size=32M --init-file="$dir/etc/database.sql"
    within 60 listens "$(database_port "$port")" || return
    (umask 077 && slurmdbd_conf "$port" >"$dir/etc/slurmdbd.conf")
    again slurmdbd
    within 60 listens "$(dbd_port "$port")"
}

# is_later: true from Slurm 23.11 on, which does not start where there are no cgroups, unless it is told so.
is_later() { [[ $(slurmctld -V) != *" 22."* ]]; }
# grace: prints the setting with which step daemons stop suspended programs at once, instead of after 2 s.
grace() { ! is_later || echo PreemptParameters=suspend_grace_time=0; }

# Each slurmctld finds itself in the list by its host name, and answers at that address only: both have one port.
PRIMARY=127.0.0.1 BACKUP=127.0.0.2
controllers() {
    if [[ -z $backup ]]; then
        echo SlurmctldHost=localhost
        return
    fi
    printf '%s\n' "SlurmctldHost=$PRIMARY" "SlurmctldHost=$BACKUP" CommunicationParameters=NoCtldInAddrAny
}
# Runs a command, after a host name, as if this machine had that name.
# shellcheck disable=SC2016
as_host=(unshare --uts bash -c 'hostname "$0" && exec "$@"')
has_backup() { [[ -e $dir/etc/backup.conf ]]; }
# backup_conf: prints the slurm.conf of the second one, which has a log and a file for its pid of its own.
backup_conf() { sed "s,/slurmctld\\.\(pid\|log\)$,/backup.\1," "$SLURM_CONF"; }
# slurm_conf PORT SYSTEM-PLUGINS
slurm_conf() {
    local user i per_node
    user=$(id -un)
    IFS=, read -ra per_node <<<"$cores"
    cat <<END
ClusterName=test
$(controllers)
SlurmctldPort=$1
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/none
CredType=cred/none
PluginDir=${plugins:+$plugins:}$2
SlurmctldPidFile=$dir/run/slurmctld.pid
SlurmdPidFile=$dir/run/%n.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/%n.log
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
# One a node, or PMIx steps of two nodes fight over one directory.
TmpFS=$dir/tmp/%n
MailProg=/bin/true
ReturnToService=2
KillWait=1
MpiDefault=none
SwitchType=switch/none
ProctrackType=$proctrack
JobAcctGatherType=jobacct_gather/none
$(accounting "$1")
JobCompType=jobcomp/none
TaskPlugin=$task
SelectType=$select
SelectTypeParameters=$consumes
SchedulerType=sched/backfill
# The defaults delay a job's start by seconds. Slurm takes the first of two parameters with one name.
SchedulerParameters=${scheduler:+$scheduler,}batch_sched_delay=0,sched_interval=1,bf_interval=1
$(grace)
# The counts below are believed, whatever this machine has.
SlurmdParameters=config_overrides
END
    for ((i = 1; i <= nodes; ++i)); do
        echo "NodeName=$node$i NodeHostname=localhost NodeAddr=127.0.0.1 Port=${answered:-$(($1 + i))} Sockets=$sockets" \
            "CoresPerSocket=${per_node[(i - 1) % ${#per_node[@]}]} ThreadsPerCore=$threads RealMemory=2000${gres:+ Gres=$gres} $attributes"
    done
    echo "PartitionName=main Nodes=${node}[1-$nodes] Default=YES MaxTime=INFINITE State=UP $partition"
    ((${#extra[@]} == 0)) || printf '%s\n' "${extra[@]}"
}

# launch NAME COMMAND...: starts a daemon in the background. Slurm sees it in the foreground, so its pid is known here.
launch() {
    local name=$1
    shift
    # A daemon that crashes leaves its core in this folder.
    env --chdir="$dir/run" "$mark" setsid "$@" </dev/null >"$dir/log/$name.out" 2>&1 &
    echo "$name $!" >>"$dir/run/daemons"
}


# controller [OPTION]...: starts slurmctld.
controller() {
    local command=("${under[@]}" slurmctld -D "$@")
    ! has_backup || command=("${as_host[@]}" "$PRIMARY" "${command[@]}")
    launch slurmctld "${command[@]}"
}

# leads: checks that the first controller has control.
leads() { grep -qs 'Running as primary controller' "$dir/log/slurmctld.log"; }

# again NAME: starts one of the daemons.
again() {
    case $1 in
        slurmctld) controller ;;
        backup) SLURM_CONF=$dir/etc/backup.conf launch backup "${as_host[@]}" "$BACKUP" slurmctld -D ;;
        slurmdbd) launch slurmdbd slurmdbd -D ;;
        *) launch "$1" slurmd -D -N "$1" ;;
    esac
}

all_alive() {
    local name pid
    while read -r name pid; do alive "$pid" || return 1; done < <(daemons)
}

nodes_idle() { [[ $(timeout 20 sinfo -h -t idle -o %D 2>/dev/null) == "$nodes" ]]; }

# up_within SECONDS CONDITION: waits until the condition holds. False when the time is over, or when a daemon is dead
# for two seconds.
up_within() {
    local end=$((SECONDS + $1)) dead=0
    while ((SECONDS < end)); do
        if all_alive; then
            dead=0
            ! "$2" || return 0
        elif ((++dead > 10)); then
            return 1
        fi
        sleep 0.2
    done
    return 1
}


start() {
    local i
    rm -rf "${dir:?}"/{etc,run,log,state,spool,tmp}
    mkdir -p "$dir"/{etc,run,log,state,spool,tmp}
    for ((i = 1; i <= nodes; ++i)); do [[ -n $answered ]] || mkdir "$dir/tmp/$node$i"; done
    slurm_conf "$port" "$(plugins_of_slurm)" >"$SLURM_CONF"
    ((${#plugstack[@]} == 0)) || printf '%s\n' "${plugstack[@]}" >"$dir/etc/plugstack.conf"
    ((${#drom[@]} == 0)) || printf '%s\n' "${drom[@]}" >"$dir/etc/drom.conf"
    ((${#cgroup[@]})) || ! is_later || cgroup=(CgroupPlugin=disabled)
    ((${#cgroup[@]} == 0)) || printf '%s\n' "${cgroup[@]}" >"$dir/etc/cgroup.conf"
    ((${#topology[@]} == 0)) || printf '%s\n' "${topology[@]}" >"$dir/etc/topology.conf"
    echo $$ >"$dir/run/starter"
    : >"$dir/run/daemons"
    [[ -z $accounts ]] || start_accounts || return
    [[ -z $backup ]] || backup_conf >"$dir/etc/backup.conf"
    controller -i
    # A slurmd that finds no controller tries again after 1, 2, 4 seconds and so on, up to two minutes. One that the
    # second controller answers first registers again only a minute later, and starts no job until then.
    up_within 120 leads || return
    ! has_backup || again backup
    for ((i = 1; i <= nodes; ++i)); do [[ -n $answered ]] || again "$node$i"; done
    up_within 120 nodes_idle
}

up() {
    local try port ports_lock
    read_settings "$@"
    plugins_of_slurm >/dev/null || exit 1
    claim_ports $(($(node_ports) + 3)) || exit 1
    # The watcher keeps the ports, too.
    PORTS_LOCK=$ports_lock setsid "$BASH" "$0" watch "$dir" "$owner" "$(born "$owner")" "$limit" $$ </dev/null >/dev/null 2>&1 &
    # A port can be taken between the question and the daemon's start.
    for try in 1 2 3; do
        if start; then return; fi
        if ((try == 3)) || ! grep -qs 'Address already in use' "$dir"/log/*; then break; fi
        stop
        claim_ports $(($(node_ports) + 3)) || break
    done
    say "start in $dir: not every node became idle; the logs:"
    logs
    stop
    exit 1
}

# watch OWNER BORN LIMIT STARTER: stops the cluster when its owner has ended for any reason.
watch() {
    local owner=$1 born=$2 limit=$3 starter=$4
    while ((SECONDS < limit)) && alive "$owner" && [[ $(born "$owner") == "$born" ]] && [[ -e $dir/run/daemons ]] || alive "$starter"; do
        sleep 0.5
    done
    # The next cluster may have been started in the same folder: it has a watcher of its own.
    [[ $(cat "$dir/run/starter" 2>/dev/null) != "$starter" ]] || stop
}

case $what in
    up) up "$@" ;;
    again) again "${1:?again needs the name of a node, or slurmctld}" ;;
    down) stop ;;
    logs) logs ;;
    watch) watch "$@" ;;
    *) usage ;;
esac
