#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fetch-runtimes.sh - puts LLVM's OpenMP runtimes 14, 16 and 19 side by side, without installing them.
#
#   scripts/fetch-runtimes.sh DIR [VERSION...]      (default: 14 16 19)
#
# Their packages exclude one another, hence private copies. A clang-built program finds DIR/omp-NN/libomp.so.5 with
# LD_LIBRARY_PATH=DIR/omp-NN. DIR/gomp-on-omp-NN/libgomp.so.1 is the same file for a gcc- or gfortran-built one. Files
# that are there already are kept. Exit status: 0 all there, 1 one could not be had, 2 usage.
set -euo pipefail

[[ ${1:--} != -* ]] || { sed -n '5s/^# *//p' "$0" >&2; exit 2; }
dir=$1
shift
versions=("$@")
((${#versions[@]})) || versions=(14 16 19)

refuse() { echo "fetch-runtimes.sh: $*" >&2; exit 1; }

# obtain VERSION FILE: copies the installed file, or that of the downloaded package.
obtain() {
    local version=$1 to=$2 found scratch package=libomp5-$1
    found=/usr/lib/llvm-$version/lib/libomp.so.5
    if [[ -e $found ]]; then
        cp -L "$found" "$to"
        return
    fi
    scratch=$(mktemp -d -p "$dir")
    # A fresh machine has no package lists yet; a user who is not root can still use existing lists.
    if ! (cd "$scratch" && apt-get -qq -o APT::Sandbox::User=root download "$package") 2>"$scratch/log"; then
        if ((EUID == 0)); then apt-get -qq update 2>>"$scratch/log" || cat "$scratch/log" >&2; fi
        (cd "$scratch" && apt-get -qq -o APT::Sandbox::User=root download "$package") 2>>"$scratch/log" ||
            { cat "$scratch/log" >&2; refuse "download $package: apt-get could not; try 'apt-get update' as root"; }
    fi
    dpkg-deb -x "$scratch/${package}"_*.deb "$scratch/tree"
    cp -L "$scratch/tree/usr/lib/llvm-$version/lib/libomp.so.5" "$to" ||
        refuse "unpack $package: it holds no usr/lib/llvm-$version/lib/libomp.so.5"
    rm -rf "$scratch"
}

mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
# Two suites may ask at once: the second one finds everything there.
exec 9>"$dir/.lock"
flock -w 300 9 || refuse "wait for $dir/.lock: another download has not ended within 300 s"
for version in "${versions[@]}"; do
    mkdir -p "$dir/omp-$version" "$dir/gomp-on-omp-$version"
    ln -sfn "../omp-$version/libomp.so.5" "$dir/gomp-on-omp-$version/libgomp.so.1"
    [[ -s $dir/omp-$version/libomp.so.5 ]] && continue
    obtain "$version" "$dir/omp-$version/.libomp.so.5.new"
    mv "$dir/omp-$version/.libomp.so.5.new" "$dir/omp-$version/libomp.so.5"
done
