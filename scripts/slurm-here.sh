#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# slurm-here.sh - a private Slurm with drom's plugins, as a job of another Slurm, over the nodes of that job.
#
#   sbatch -N 4 --exclusive scripts/slurm-here.sh [OPTIONS] [COMMAND [ARGUMENTS]...]
#     --dir DIR         its files, on a file system that all nodes have     (default: slurm-here.JOB in this folder)
#     --plugins DIR     a folder with drom's plugins                      (default: that of this build, or Slurm's)
#     --stock           without drom's plugins, for a comparison
#     --conf LINE       one more line of slurm.conf; may be repeated
#     --drom LINE       one more line of drom.conf; may be repeated
#
# The first node runs the controller, and then the command: its sbatch, srun and squeue are those of the private Slurm,
# which ends with the command, whatever it left running. Without a command it stays until the job ends; in a shell,
# `export SLURM_CONF=DIR/etc/slurm.conf` then leads to it. Needs no root, and the outer Slurm needs no drom.
# Exit status: that of the command; 1 the cluster did not start, 2 usage.
# shellcheck disable=SC2317 # functions that within() calls
set -euo pipefail

usage() { sed -n '5,10s/^# \{0,1\}//p' "$0" >&2; exit 2; }
refuse() { echo "slurm-here.sh: $*" >&2; exit 1; }

# script_of JOB: prints the path of the job's script. Slurm shows its arguments behind it, with a blank between any two;
# the path may have blanks, too.
script_of() {
    local command end
    command=$(scontrol show job "$1" | sed -n 's/^ *Command=//p')
    for ((end = 1; end <= ${#command}; ++end)); do
        [[ ${command:end:1} == [!\ ] || ! -d $(dirname "${command:0:end}")/../plugins || ! -f ${command:0:end} ]] || { echo "${command:0:end}"; return; }
    done
    return 1
}

export PATH=$PATH:/usr/sbin:/sbin
self=$(readlink -f "$0")
# A batch script is a copy in slurmd's spool folder; the job knows where it came from.
if [[ -n ${SLURM_JOB_ID:-} && ! -d $(dirname "$self")/../plugins ]]; then
    self=$(script_of "$SLURM_JOB_ID") || refuse "find the folder of drom: job $SLURM_JOB_ID was not started with drom's own scripts/slurm-here.sh"
fi
root=$(dirname "$(dirname "$self")")
# shellcheck source=scripts/slurm-daemons.sh
. "$root/scripts/slurm-daemons.sh"

# forget_outer: takes the outer job out of the environment, or the private srun would try to run in it.
forget_outer() {
    local name
    for name in $(compgen -e | grep -E '^(SLURM|SLURMD|SBATCH|PMI|PMIX)_?'); do unset "$name"; done
    export SLURM_CONF=$dir/etc/slurm.conf
}

# --- on each node ---

# The folder of a machine's own files. Several nodes may be on one machine, as in tests.
folder=${TMPDIR:-/tmp}/slurm-here.$(id -u).${SLURM_JOB_ID:-}

# facts: prints what slurm.conf has to say of this node, or why it cannot be one.
facts() {
    local found all
    found=$(slurmd -C | sed -n 's/^NodeName=[^ ]* //p')
    all=$(sed -n 's/^CPUs=\([0-9]*\).*/\1/p' <<<"$found")
    if [[ -z $all ]]; then
        echo "refused: slurmd -C says nothing of node $SLURMD_NODENAME"
    elif (($(nproc) != all)); then
        echo "refused: node $SLURMD_NODENAME has $all CPUs, and this job has $(nproc) of them; ask for whole nodes with --exclusive"
    else
        # The outer Slurm keeps some memory of the node, so the amount must not be the whole.
        sed -E 's/RealMemory=([0-9]+).*/RealMemory=\1/' <<<"$found"
    fi
}

# on_node: says what the node is, waits for slurm.conf, and is its slurmd then, until it is told to end. With it runs
# the daemon by which Slurm knows as whom a message was sent; the key is this cluster's own. Each machine needs one.
on_node() {
    me=$SLURMD_NODENAME pids=()
    # Another user may have made it first: whoever owns the socket says who sent a message.
    mkdir -m 755 "$folder" 2>/dev/null || [[ -O $folder && -d $folder && ! -L $folder ]] || { echo "refused: $folder is another user's" >"$dir/nodes/$me"; exit 1; }
    mkdir -p "$folder/$me"
    exec 8>"$folder/munge.lock"
    if flock -n 8; then
        (umask 077 && cp "$dir/etc/munge.key" "$folder/munge.key")
        munged --foreground --force --socket="$folder/munge.socket" --key-file="$folder/munge.key" --pid-file="$folder/munge.pid" \
            --seed-file="$folder/munge.seed" --log-file="$folder/munge.log" >"$dir/log/$me.munged" 2>&1 8>&- &
        pids+=($!)
    fi
    facts >"$dir/nodes/$me.new"
    within 10 test -S "$folder/munge.socket" || echo "refused: munged does not start on node $me; $dir/log/$me.munged says why" >"$dir/nodes/$me.new"
    mv "$dir/nodes/$me"{.new,}
    within 120 test -e "$dir/etc/slurm.conf"
    forget_outer
    slurmd -D -N "$me" >"$dir/log/$me.out" 2>&1 8>&- &
    pids+=($!)
    trap leave EXIT
    trap exit TERM INT
    while alive "${pids[-1]}" && [[ ! -e $dir/over ]]; do sleep 0.2; done
}
ended() {
    local pid
    for pid; do ! alive "$pid" || return; done
}
# leave: ends the daemons of on_node. When the outer job is cancelled there is little time: files go first. A daemon
# that ends may write one meanwhile, so that its folder cannot be removed yet.
leave() {
    local pid
    trap '' TERM INT
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    remove_files 2>/dev/null || true
    within 10 ended "${pids[@]}" || true
    remove_files
}
remove_files() {
    rm -rf "${folder:?}/$me" "/dev/shm/${folder##*/}.$me"
    # Two slurmds of one machine share the folder. The last to leave removes it.
    if ((${#pids[@]} == 1)); then rmdir "${folder:?}" 2>/dev/null || true; else rm -rf "${folder:?}"; fi
}

if [[ ${1:-} == --on-node ]]; then
    dir=$2
    on_node
    exit
fi

# --- on the first node ---

dir='' plugins='' stock=false
conf=() drom=()
while (($#)); do
    case $1 in
        --dir | --plugins) [[ -n ${2:-} ]] || usage; printf -v "${1#--}" %s "$2"; shift ;;
        --conf) [[ -n ${2:-} ]] || usage; conf+=("$2"); shift ;;
        --drom) [[ -n ${2:-} ]] || usage; drom+=("$2"); shift ;;
        --stock) stock=true ;;
        --) shift; break ;;
        -*) usage ;;
        *) break ;;
    esac
    shift
done
[[ -n ${SLURM_JOB_ID:-} && -n ${SLURM_JOB_NODELIST:-} ]] || refuse "this is no job of Slurm; start it with sbatch -N 2 --exclusive $0"
[[ -n ${SLURMD_NODENAME:-} ]] || refuse "this is not a node of job $SLURM_JOB_ID; start it with sbatch, or in the job with srun -N1 -n1 --pty"
for program in slurmctld slurmd srun scontrol munged; do
    command -v "$program" >/dev/null || refuse "there is no $program on this node; it belongs to Slurm's and MUNGE's packages"
done
dir=$(readlink -m "${dir:-slurm-here.$SLURM_JOB_ID}")
[[ ! -e $dir ]] || refuse "$dir is there already; name another folder with --dir"
mapfile -t nodes < <(scontrol show hostnames "$SLURM_JOB_NODELIST")

# A part of a node would be used by the private Slurm and by the outer one's other jobs at once.
mapfile -t per_node < <(awk -v RS=, -F '[(x)\n]+' '{for (i = 0; i < ($2 ? $2 : 1); ++i) print $1}' <<<"$SLURM_JOB_CPUS_PER_NODE")
for ((i = 0; i < ${#nodes[@]}; ++i)); do
    all=$(scontrol show node -o "${nodes[i]}" | sed -n 's/.* CPUTot=\([0-9]*\).*/\1/p')
    ((${per_node[i]:-0} >= all)) || refuse "node ${nodes[i]} has $all CPUs, and this job has ${per_node[i]:-0} of them; ask for whole nodes with --exclusive"
done

own_plugins=$(system_plugins) || refuse "find Slurm's plugins: there is no select_cons_tres.so in the usual folders of this node"
# find_plugins: finds drom's, in the folder that was named, of a build, or of Slurm.
find_plugins() {
    local folder
    for folder in "$plugins" "$root"/build/{release,dev}/lib/slurm "$own_plugins"; do
        [[ -z $folder || ! -e $folder/select_malleable.so ]] || { plugins=$folder; return; }
    done
    refuse "find select_malleable.so: it is neither in ${plugins:-a build of $root} nor in $own_plugins; build it, or name its folder with --plugins, or say --stock"
}

# port: prints the first of the ports. They are below those that the kernel gives to connections.
port() {
    local port try
    for ((try = 0; try < 90; ++try)); do
        port=$((20000 + (SLURM_JOB_ID + try) % 90 * 128))
        (exec 9<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
    done
}
# address NODE: prints the address under which the outer Slurm knows the node.
address() { scontrol show node -o "$1" | sed -n 's/.* NodeAddr=\([^ ]*\).*/\1/p'; }

# slurm_conf PORT
slurm_conf() {
    local user i
    user=$(id -un)
    cat <<END
ClusterName=here$SLURM_JOB_ID
SlurmctldHost=$(hostname -s)($(address "$SLURMD_NODENAME"))
SlurmctldPort=$1
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
PluginDir=${plugins:+$plugins:}$own_plugins
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/%n/slurmd.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/%n.log
StateSaveLocation=$dir/state
SlurmdSpoolDir=$folder/%n
MailProg=/bin/true
ReturnToService=2
ProctrackType=proctrack/linuxproc
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/backfill
# The defaults look at the queue every half a minute. A line of --conf with another value counts instead.
SchedulerParameters=batch_sched_delay=0,bf_interval=5
SlurmdParameters=config_overrides
SelectTypeParameters=CR_Core
END
    if $stock; then
        printf '%s\n' SelectType=select/cons_tres TaskPlugin=task/affinity
    else
        printf '%s\n' SelectType=select/malleable TaskPlugin=task/drom JobSubmitPlugins=malleable
    fi
    for ((i = 0; i < ${#nodes[@]}; ++i)); do
        echo "NodeName=${nodes[i]} NodeHostname=${nodes[i]} NodeAddr=$(address "${nodes[i]}") Port=$(($1 + 1 + i)) $(<"$dir/nodes/${nodes[i]}")"
    done
    echo "PartitionName=main Nodes=$(IFS=,; echo "${nodes[*]}") Default=YES MaxTime=INFINITE State=UP"
    ((${#conf[@]} == 0)) || printf '%s\n' "${conf[@]}"
}

# configure: writes the files of the cluster; slurm.conf is the last, because the nodes wait for it.
configure() {
    if ! $stock; then
        echo "required $plugins/spank_drom.so" >"$dir/etc/plugstack.conf"
        printf '%s\n' "table=/dev/shm/${folder##*/}.%n" "${drom[@]}" >"$dir/etc/drom.conf"
    fi
    # From Slurm 23.11 on it does not start without cgroups, unless it is told so.
    [[ $(slurmctld -V) == *" 22."* ]] || echo CgroupPlugin=disabled >"$dir/etc/cgroup.conf"
    slurm_conf "$(port)" >"$dir/etc/slurm.conf.new"
    mv "$dir/etc/slurm.conf.new" "$dir/etc/slurm.conf"
}

all_said() { (($(find "$dir/nodes" -type f ! -name '*.new' | wc -l) == ${#nodes[@]})); }
all_idle() { alive "$controller" && [[ $(timeout 10 sinfo -h -t idle -o %D 2>/dev/null) == "${#nodes[@]}" ]]; }
no_jobs() { [[ -z $(timeout 5 squeue -h 2>/dev/null) ]]; }

# stop: ends the jobs, which outlive their daemons, and then the daemons.
stop() {
    trap '' TERM INT
    if [[ -n $controller ]] && alive "$controller"; then
        timeout 5 scancel -u "$(id -un)" 2>/dev/null || true
        within 20 no_jobs || echo "slurm-here.sh: end the jobs: some have not ended within 20 s" >&2
        kill "$controller" 2>/dev/null || true
        within 10 ended "$controller" || kill -KILL "$controller" 2>/dev/null || true
    fi
    touch "$dir/over"
    within 20 ended "$step" || kill "$step" 2>/dev/null || true
}

$stock || find_plugins
for path in "$dir" "$plugins"; do
    [[ $path != *' '* ]] || refuse "write slurm.conf: a path ends at a blank there, and $path has one; name another folder with --dir or --plugins"
done
mkdir -p "$dir"/{etc,log,nodes,state}
(umask 077 && head -c 1024 /dev/urandom >"$dir/etc/munge.key")
controller=''
srun --overlap -N "${#nodes[@]}" -n "${#nodes[@]}" --ntasks-per-node=1 --cpu-bind=none bash "$self" --on-node "$dir" >"$dir/log/step.out" 2>&1 &
step=$!
trap stop EXIT
trap 'exit 143' TERM
trap 'exit 130' INT
within 120 all_said || refuse "start the nodes: $(find "$dir/nodes" -type f ! -name '*.new' | wc -l) of ${#nodes[@]} have answered after two minutes; $dir/log/step.out says more"
refused=$(cat "$dir"/nodes/* | sed -n 's/^refused: //p' | head -n 1)
[[ -z $refused ]] || refuse "$refused"
configure
outer_job=$SLURM_JOB_ID
forget_outer
slurmctld -D >"$dir/log/slurmctld.out" 2>&1 &
controller=$!
within 60 all_idle || refuse "start the cluster: not all of its ${#nodes[@]} nodes are idle after a minute; the logs are in $dir/log"
echo "slurm-here.sh: ${#nodes[@]} nodes of job $outer_job are a cluster: export SLURM_CONF=$SLURM_CONF" >&2
status=0
if (($#)); then
    "$@" || status=$?
else
    wait "$controller" || true
fi
exit "$status"
