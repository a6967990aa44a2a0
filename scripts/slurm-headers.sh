#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# slurm-headers.sh - unpacks the source package of the installed Slurm, for the headers that no package has; prints where it is.
#
#   scripts/slurm-headers.sh [DIR]       (default: ${XDG_CACHE_HOME:-~/.cache}/drom/slurm-VERSION)
#   scripts/slurm-headers.sh --where     prints the default DIR; fetches nothing
#
# What is there already is kept. The machine's own package sources are asked for sources in a private state: nothing of the machine's
# configuration changes, and root is not needed. Exit status: 0 there, 1 could not be had, 2 usage.
set -euo pipefail

refuse() { echo "slurm-headers.sh: $*" >&2; exit 1; }

(($# <= 1)) || { sed -n '5,6s/^# *//p' "$0" >&2; exit 2; }
version=$(dpkg-query -W -f '${source:Version}' libslurm-dev 2>/dev/null) || true
[[ -n $version ]] || refuse "find the version of Slurm: libslurm-dev is not installed; run scripts/packages.sh test"
package=$(dpkg-query -W -f '${source:Package}' libslurm-dev)
dir=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/drom/slurm-${version#*:}
case ${1:-} in
    --where) echo "$dir"; exit 0 ;;
    -*) sed -n '5,6s/^# *//p' "$0" >&2; exit 2 ;;
    ?*) dir=$1 ;;
esac

# The folder appears at once and whole, so that one file tells.
complete() { [[ -r $dir/src/common/slurm_protocol_defs.h ]]; }
if complete; then
    (cd "$dir" && pwd)
    exit 0
fi
[[ ! -e $dir ]] || rmdir "$dir" 2>/dev/null || refuse "unpack into $dir: something else is there; name another folder"
mkdir -p "$(dirname "$dir")" 2>/dev/null || refuse "make $(dirname "$dir"): not permitted; name another folder"
parent=$(cd "$(dirname "$dir")" && pwd)
dir=$parent/$(basename "$dir")

# Two builds may ask at once: the one that comes second finds everything there.
[[ -w $parent ]] || refuse "write in $parent: not permitted; name another folder"
exec 9>"$parent/.slurm-headers.lock"
flock -w 300 9 || refuse "wait for $parent/.slurm-headers.lock: another download has not ended within 300 s"
if complete; then
    echo "$dir"
    exit 0
fi

scratch=$(mktemp -d -p "$parent")
trap 'rm -rf "$scratch"' EXIT

# sources_of_sources: the machine's package sources, deb-src in place of deb.
sources_of_sources() {
    local file
    for file in /etc/apt/sources.list.d/*.sources; do
        [[ ! -r $file ]] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$scratch/parts/$(basename "$file")"
    done
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [[ ! -r $file ]] || sed -n 's/^ *deb /deb-src /p' "$file" >>"$scratch/parts/lists.list"
    done
}

fetch() {
    local apt=(apt-get -q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$scratch/parts" -o Dir::State::Lists="$scratch/lists"
        -o Dir::Cache="$scratch/cache" -o Dir::Cache::srcpkgcache= -o Dir::Cache::pkgcache= -o APT::Sandbox::User=root)
    mkdir -p "$scratch/parts" "$scratch/lists/partial" "$scratch/cache/archives/partial"
    sources_of_sources
    # Some lists may be out of reach while the one that is needed is not: what counts is whether the source comes.
    "${apt[@]}" update || true
    (cd "$scratch" && "${apt[@]}" source --download-only "$package=$version")
}

last_words() { tail -n 8 "$scratch/log" >&2; }

command -v dpkg-source >/dev/null || refuse "unpack $package: there is no dpkg-source; install dpkg-dev"
fetch >"$scratch/log" 2>&1 </dev/null || {
    last_words
    refuse "fetch the source of $package $version: apt-get could not (its last words are above); do the machine's package sources still have this version?"
}
dpkg-source --no-check -x "$scratch/${package}_${version#*:}.dsc" "$scratch/tree" >>"$scratch/log" 2>&1 || {
    last_words
    refuse "unpack the source of $package $version: dpkg-source could not (its last words are above)"
}
mv -T "$scratch/tree" "$dir"
complete || refuse "use the source of $package $version: it has no src/common/slurm_protocol_defs.h"
echo "$dir"
