#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# slurm-root.sh - makes a root folder with the distribution's own packages of another series of Slurm, and runs in it.
#
#   scripts/slurm-root.sh make SERIES             makes it in ${XDG_CACHE_HOME:-~/.cache}/drom and prints its path
#   scripts/slurm-root.sh where SERIES            prints its path; makes nothing
#   scripts/slurm-root.sh run SERIES COMMAND...   runs a command in it, in the present folder
#
# SERIES is 24.11 or 26.05. The packages come from the machine's own package sources, of the release that has the
# series: about 100 s and 320 MB. A root that is there already is kept. Nothing of the machine's configuration changes,
# and nothing is mounted but for the command: it sees this project, /tmp, the processes and devices of this machine.
# Needs root and mmdebstrap. Exit status: that of the command; 0 there, 1 could not be had, 2 usage.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/slurm-series.sh
. "$here/slurm-series.sh"

refuse() { echo "slurm-root.sh: $*" >&2; exit 1; }
usage() { sed -n '5,7s/^# *//p' "$0" >&2; exit 2; }

(($# >= 2)) || usage
what=$1 series=$2
shift 2
read -r version release < <(series_version "$series") || refuse "find Slurm $series: only $known_series are known here"
root=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/drom/slurm-root-$version

# Slurm on one machine without munge, its public headers, the programs of the tests, and the libraries of ours.
packages=slurmctld,slurmd,slurm-client,slurm-wlm-basic-plugins,libslurm-dev,procps,bats,jq,python3,binutils,libhwloc15,libnuma1,libgomp1
# Accounts with limits: a database of its own for a cluster of tests.
packages+=,slurmdbd,slurm-wlm-mysql-plugin,mariadb-server-core,mariadb-client-core

# The folder appears at once and whole. One that an earlier version of this script made may have no slurmdbd.
complete() { [[ -x $root/usr/sbin/slurmctld && -x $root/usr/sbin/slurmdbd ]]; }

# borrow TREE: copies libraries of this machine. Our command was built with libfmt, of which another release has another
# version. slurmdbd of 24.11 ends at its start with libmariadb 11.8 ("null result from query").
borrow() {
    local file
    ldconfig -p | sed -n 's/.*lib\(fmt\|mariadb\)\.so\..* => //p' | while read -r file; do cp -L "$file" "$1/usr/local/lib/"; done
    chroot "$1" ldconfig
}

fetch() {
    lines_of_release "$release" >"$scratch/sources.list"
    [[ -s $scratch/sources.list ]] || { echo "this machine has no package sources of its own release"; return 1; }
    # The lists of a release in the making may be past their date.
    mmdebstrap --variant=minbase --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr --aptopt='APT::Sandbox::User "root"' \
        --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='Acquire::Retries "3"' --include="$packages" \
        "$release" "$scratch/tree" "$scratch/sources.list" && borrow "$scratch/tree"
}

make() {
    local got
    complete && { echo "$root"; return; }
    ((EUID == 0)) || refuse "make $root: this needs root"
    command -v mmdebstrap >/dev/null || refuse "make $root: there is no mmdebstrap; scripts/packages.sh test"
    mkdir -p "$(dirname "$root")"
    # Two tests may ask at once: the second one finds everything there.
    exec 9>"$root.lock"
    flock -w 300 9 || refuse "wait for $root.lock: another one has not ended within 300 s"
    complete && { echo "$root"; return; }
    scratch=$(mktemp -d -p "$(dirname "$root")")
    # A mmdebstrap that was killed leaves /dev and /dev/shm of this machine in there.
    trap 'rm -rf --one-file-system "$scratch"' EXIT
    fetch >"$scratch/log" 2>&1 </dev/null || {
        tail -n 8 "$scratch/log" >&2
        refuse "fetch the packages of Slurm $series: mmdebstrap could not (its last words are above)"
    }
    got=$(chroot "$scratch/tree" slurmctld -V)
    [[ $got == *" $version" ]] || refuse "use the packages of $release: they are $got, and $version is tested here"
    rm -rf "$root"
    mv -T "$scratch/tree" "$root"
    echo "$root"
}

# inside COMMAND...: runs in a mount namespace of its own; the mounts end with the last process in there.
inside() {
    local folder project
    project=$(dirname "$here")
    for folder in /proc /sys /dev /tmp "$project"; do
        mkdir -p "$root$folder"
        mount --rbind "$folder" "$root$folder"
    done
    mount --bind /etc/hosts "$root/etc/hosts"
    exec chroot "$root" env --chdir="$PWD" "$@"
}

case $what in
    make) make ;;
    where) echo "$root" ;;
    run)
        complete || refuse "run in $root: it is not there; scripts/slurm-root.sh make $series"
        ((EUID == 0)) || refuse "run in $root: this needs root"
        (($#)) || usage
        if [[ ${SLURM_ROOT_INSIDE:-} != "$root" ]]; then
            SLURM_ROOT_INSIDE=$root exec unshare --mount --propagation private "$BASH" "$0" run "$series" "$@"
        fi
        touch "$root/etc/hosts"
        inside "$@" ;;
    *) usage ;;
esac
