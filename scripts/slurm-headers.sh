#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# slurm-headers.sh - unpacks Slurm's source, of the installed or another series, for headers that no package has.
#
#   scripts/slurm-headers.sh [--series 24.11|26.05] [DIR]   (default: ${XDG_CACHE_HOME:-~/.cache}/drom/slurm-VERSION)
#   scripts/slurm-headers.sh [--series 24.11|26.05] --where prints the default DIR; fetches nothing
#
# Prints the folder of the source. A folder that is there already is kept. The script asks the machine's own package
# sources in a private state: it changes nothing of the machine's configuration, and needs no root. apt-get checks the
# signatures, with the keys that those package sources name.
#
# A series is that of another release of the distribution, from the same package sources. Of it only the upstream tree
# is fetched, and slurm/slurm_version.h is made, as configure would. Exit status: 0 there, 1 could not be had, 2 usage.
set -euo pipefail
# shellcheck source=scripts/slurm-series.sh
. "$(dirname "${BASH_SOURCE[0]}")/slurm-series.sh"

refuse() { echo "slurm-headers.sh: $*" >&2; exit 1; }

usage() { sed -n '5,6s/^# *//p' "$0" >&2; exit 2; }

series='' named='' where=false
while (($#)); do
    case $1 in
        --series) series=${2:-}; [[ -n $series ]] || usage; shift ;;
        --where) where=true ;;
        -*) usage ;;
        ?*) [[ -z $named ]] || usage; named=$1 ;;
    esac
    shift
done
case $series in
    '')
        version=$(dpkg-query -W -f '${source:Version}' libslurm-dev 2>/dev/null) || true
        [[ -n $version ]] || refuse "find the version of Slurm: libslurm-dev is not installed; run scripts/packages.sh test"
        package=$(dpkg-query -W -f '${source:Package}' libslurm-dev) ;;
    *)
        read -r version release < <(series_version "$series") || refuse "find Slurm $series: only the installed series and $known_series are known here"
        package=slurm-wlm ;;
esac
dir=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/drom/slurm-${version#*:}
if $where; then
    echo "$dir"
    exit 0
fi
dir=${named:-$dir}

# The folder appears at once and whole, so one file proves that it is complete.
complete() { [[ -r $dir/src/common/slurm_protocol_defs.h ]]; }
if complete; then
    (cd "$dir" && pwd)
    exit 0
fi
[[ ! -e $dir ]] || rmdir "$dir" 2>/dev/null || refuse "unpack into $dir: something else is there; name another folder"
mkdir -p "$(dirname "$dir")" 2>/dev/null || refuse "make $(dirname "$dir"): not permitted; name another folder"
parent=$(cd "$(dirname "$dir")" && pwd)
dir=$parent/$(basename "$dir")

# Two builds may ask at once: the second one finds everything there.
[[ -w $parent ]] || refuse "write in $parent: not permitted; name another folder"
exec 9>"$parent/.slurm-headers.lock"
flock -w 300 9 || refuse "wait for $parent/.slurm-headers.lock: another download has not ended within 300 s"
if complete; then
    echo "$dir"
    exit 0
fi

scratch=$(mktemp -d -p "$parent")
trap 'rm -rf "$scratch"' EXIT

prepare() {
    # The lists of a release in the making may be past their date.
    local settings=(-q -o Acquire::Retries=3 -o Acquire::Check-Valid-Until=false -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$scratch/parts" -o Dir::State::Lists="$scratch/lists"
        -o Dir::Cache="$scratch/cache" -o Dir::Cache::srcpkgcache= -o Dir::Cache::pkgcache= -o APT::Sandbox::User=root)
    apt=(apt-get "${settings[@]}") cache=(apt-cache "${settings[@]}")
    mkdir -p "$scratch/parts" "$scratch/lists/partial" "$scratch/cache/archives/partial"
    package_sources "$scratch/parts"
    [[ -z $series ]] || of_release "$scratch/parts" "$release" || return
    # Some lists may be out of reach although the needed one is not: only the fetch of the source decides.
    "${apt[@]}" update || true
}

# fetch: fetches the source package of exactly this version.
fetch() {
    prepare || return
    (cd "$scratch" && "${apt[@]}" source --download-only "$package=$version")
}

# fetch_upstream: fetches the upstream part of any of the release's packages of this version; the newest may be out of
# reach.
fetch_upstream() {
    local revision
    prepare || return
    for revision in $("${cache[@]}" showsrc "$package" | sed -n "s/^Version: \\($version-.*\\)/\\1/p" | sort -Vru); do
        if (cd "$scratch" && "${apt[@]}" source --download-only --tar-only "$package=$revision"); then return; fi
    done
    echo "no package of $package $version could be fetched"
    return 1
}

last_words() { tail -n 8 "$scratch/log" >&2; }

unpack() { dpkg-source --no-check -x "$scratch/${package}_${version#*:}.dsc" "$scratch/tree"; }

unpack_upstream() {
    mkdir "$scratch/tree" &&
        tar -xf "$scratch/${package}_$version.orig.tar."* -C "$scratch/tree" --strip-components=1 --no-same-owner &&
        number_version "$scratch/tree"
}

# number_version TREE: writes slurm/slurm_version.h as configure does, from the numbers in META.
number_version() {
    local part number=0x
    [[ ! -e $1/slurm/slurm_version.h ]] || return 0
    for part in Major Minor Micro; do
        part=$(sed -n "s/^ *$part:[[:blank:]]*0*\\([0-9][0-9]*\\)\$/\\1/p" "$1/META")
        [[ -n $part ]] || { echo "META does not say what version this is"; return 1; }
        number+=$(printf %02x "$part")
    done
    sed "s/^#undef SLURM_VERSION_NUMBER\$/#define SLURM_VERSION_NUMBER $number/" "$1/slurm/slurm_version.h.in" >"$1/slurm/slurm_version.h"
    grep -q "^#define SLURM_VERSION_NUMBER $number" "$1/slurm/slurm_version.h"
}

[[ -n $series ]] || command -v dpkg-source >/dev/null || refuse "unpack $package: there is no dpkg-source; install dpkg-dev"
"fetch${series:+_upstream}" >"$scratch/log" 2>&1 </dev/null || {
    last_words
    refuse "fetch the source of $package $version: apt-get could not (its last words are above); do the machine's package sources still have this version?"
}
"unpack${series:+_upstream}" >>"$scratch/log" 2>&1 || {
    last_words
    refuse "unpack the source of $package $version: it could not be (the last words are above)"
}
mv -T "$scratch/tree" "$dir"
complete || refuse "use the source of $package $version: it has no src/common/slurm_protocol_defs.h"
echo "$dir"
