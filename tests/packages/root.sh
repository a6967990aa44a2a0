#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# root.sh - a root folder with this machine's own release and nothing but named packages, and commands in a copy of it.
#
#   root.sh make NAME PACKAGE...         makes it in ${XDG_CACHE_HOME:-~/.cache}/drom and prints its path
#   root.sh run PATH WORK COMMAND...     runs a command in a copy that lasts as long as WORK
#
# The packages come from the machine's own package sources. A root that is there already is kept. The command sees WORK
# as /srv/test, and has names of hosts, a network and processes of its own; with NETWORK=shared the network is that of
# the machine.
# Needs root and mmdebstrap. Exit status: that of the command; 0 there, 1 could not be had.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/slurm-series.sh
. "$here/../../scripts/slurm-series.sh"

refuse() { echo "root.sh: $*" >&2; exit 1; }

# fetch RELEASE PACKAGES: in a mount namespace of its own, so that nothing of the machine is mounted in there when the
# folder is removed.
fetch() {
    lines_of_release "$1" >"$scratch/sources.list"
    [[ -s $scratch/sources.list ]] || { echo "this machine has no package sources of its own release"; return 1; }
    unshare --mount --propagation private mmdebstrap --variant=minbase --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
        --aptopt='APT::Sandbox::User "root"' --aptopt='Acquire::Retries "3"' ${2:+--include="$2"} "$1" "$scratch/tree" "$scratch/sources.list"
}

make() {
    local name=$1 release root
    shift
    release=$(own_release)
    root=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/drom/root-$release-$name-$(cksum <<<"$*" | cut -d' ' -f1)
    [[ ! -d $root ]] || { echo "$root"; return; }
    ((EUID == 0)) || refuse "make $root: this needs root"
    command -v mmdebstrap >/dev/null || refuse "make $root: there is no mmdebstrap; scripts/packages.sh packages"
    mkdir -p "$(dirname "$root")"
    # Two tests may ask at once: the second one finds everything there.
    exec 9>"$root.lock"
    flock -w 300 9 || refuse "wait for $root.lock: another one has not ended within 300 s"
    [[ ! -d $root ]] || { echo "$root"; return; }
    scratch=$(mktemp -d -p "$(dirname "$root")")
    trap 'rm -rf --one-file-system "$scratch"' EXIT
    fetch "$release" "$(IFS=,; echo "$*")" >"$scratch/log" 2>&1 </dev/null || {
        tail -n 8 "$scratch/log" >&2
        refuse "make $root: mmdebstrap could not (its last words are above)"
    }
    mv -T "$scratch/tree" "$root"
    echo "$root"
}

# inside ROOT WORK COMMAND...: in namespaces of its own; the mounts end with the last process in there.
inside() {
    local root=$1 work=$2 tree folder
    shift 2
    tree=$work/tree
    mkdir -p "$work"/{upper,overlay,tree}
    mount -t overlay overlay -o "lowerdir=$root,upperdir=$work/upper,workdir=$work/overlay" "$tree"
    mkdir -p "$tree/srv/test"
    for folder in /sys /dev; do mount --rbind "$folder" "$tree$folder"; done
    mount -t proc proc "$tree/proc"
    # Tables of the command's own users.
    mount -t tmpfs -o mode=1777 tmpfs "$tree/dev/shm"
    mount -t tmpfs -o mode=1777 tmpfs "$tree/tmp"
    mount -t tmpfs -o mode=755 tmpfs "$tree/run"
    mount --rbind "$work" "$tree/srv/test"
    # Programs that ask which kinds of addresses there are do not count the usual one.
    if [[ ${NETWORK:-} != shared ]]; then ip link set lo up && ip address add 10.0.0.1/32 dev lo; fi
    exec chroot "$tree" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

case ${1:-} in
    make) shift; make "$@" ;;
    run)
        ((EUID == 0)) || refuse "run in $2: this needs root"
        shift
        namespaces=(--mount --propagation private --pid --fork --kill-child --uts --ipc)
        [[ ${NETWORK:-} == shared ]] || namespaces+=(--net)
        exec unshare "${namespaces[@]}" "$BASH" "$0" inside "$@" ;;
    inside) shift; inside "$@" ;;
    *) sed -n '5,6s/^# *//p' "$0" >&2; exit 2 ;;
esac
