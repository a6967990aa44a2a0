#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# packages.sh - installs the Debian packages that the build, the tests, the demo or the site need. Quick when they are
# there.
#
#   scripts/packages.sh [build] [test] [demo] [packages] [site] [--list]      (default: build)
#     --list   print the packages of these groups and whether each is installed; change nothing
#
# Exit status: 0 everything is there, 1 something is missing and could not be installed, 2 usage.
set -euo pipefail

build=(build-essential g++ cmake ninja-build libhwloc-dev libnuma-dev libcli11-dev libfmt-dev nlohmann-json3-dev
       libexpected-dev zlib1g-dev libncurses-dev scdoc python3 libomp-14-dev)
# A batch system on one machine; dpkg-dev unpacks its source package (scripts/slurm-headers.sh).
slurm=(slurmctld slurmd slurm-client libslurm-dev slurm-wlm-basic-plugins munge)
# Accounts with limits: a database of its own for a cluster of tests.
accounts=(slurmdbd slurm-wlm-mysql-plugin mariadb-server-core mariadb-client-core)
test=(clang-14 libclang-rt-14-dev libomp-14-dev gfortran libtbb-dev libgtest-dev librapidcheck-dev libbenchmark-dev bats jq zsh fish
      valgrind tmux debootstrap mmdebstrap pkg-config clang-format-19 clang-tidy-19 shellcheck mandoc python3 procps strace util-linux
      qemu-system-x86 busybox-static cpio spin libglpk-dev prometheus prometheus-node-exporter curl python3-jsonschema python3-prometheus-client python3-numpy python3-sklearn
      libopenblas-openmp-dev libopenblas-pthread-dev libblis-pthread-dev gromacs lammps graphicsmagick neuron openmpi-bin libopenmpi-dev mpich libmpich-dev pandoc libjs-lunr
      "${slurm[@]}" dpkg-dev "${accounts[@]}")
# libfaketime: a workload of hours in minutes.
demo=(clang-14 libomp-14-dev gfortran libopenblas-openmp-dev gromacs openmpi-bin libopenmpi-dev jq python3 librsvg2-bin procps libfaketime "${slurm[@]}" dpkg-dev)
# debian/ and packaging/rpm: building the packages, and looking at them.
packages=(debhelper dh-python devscripts dpkg-dev fakeroot iproute2 lintian rpm rpmlint libslurm-dev mmdebstrap)
# tools/site/: the documents as pages.
site=(pandoc libjs-lunr mandoc scdoc python3)

usage() { sed -n '5,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }

installed() { [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

list=false
wanted=()
for group in "${@:-build}"; do
    case $group in
        build) wanted+=("${build[@]}") ;;
        test) wanted+=("${test[@]}") ;;
        demo) wanted+=("${demo[@]}") ;;
        packages) wanted+=("${packages[@]}") ;;
        site) wanted+=("${site[@]}") ;;
        --list) list=true ;;
        *) usage ;;
    esac
done
$list && ((${#wanted[@]} == 0)) && wanted=("${build[@]}" "${test[@]}" "${demo[@]}" "${packages[@]}" "${site[@]}")
mapfile -t wanted < <(printf '%s\n' "${wanted[@]}" | sort -u)

missing=()
for package in "${wanted[@]}"; do
    if installed "$package"; then
        $list && echo "$package installed"
    else
        $list && echo "$package missing"
        missing+=("$package")
    fi
done
$list && exit 0
((${#missing[@]} == 0)) && exit 0

run_as_root=()
if ((EUID != 0)); then
    if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
        echo "packages.sh: install ${missing[*]}: this needs root, and sudo asks for a password or is absent;" \
             "run 'apt-get install ${missing[*]}' as root" >&2
        exit 1
    fi
    run_as_root=(sudo -n)
fi

# The packages of Slurm start daemons unless this file forbids it; here they are for tests only.
policy=/usr/sbin/policy-rc.d
forbid_services() {
    [[ -e $policy ]] && return
    printf '#!/bin/sh\nexit 101\n' | "${run_as_root[@]}" tee "$policy" >/dev/null && "${run_as_root[@]}" chmod 755 "$policy" && forbidden=true
}
forbidden=false
log=$(mktemp)
trap 'rm -f "$log"; if $forbidden; then "${run_as_root[@]}" rm -f "$policy"; fi' EXIT
forbid_services || { echo "packages.sh: write $policy: refused; without it the packages would start daemons" >&2; exit 1; }
apt() { "${run_as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" >>"$log" 2>&1; }
echo "packages.sh: installing ${#missing[@]} packages: ${missing[*]}" >&2
if ! { apt update && apt install -y --no-install-recommends "${missing[@]}"; }; then
    tail -n 20 "$log" >&2
    echo "packages.sh: install ${missing[*]}: apt-get refused (its last words are above);" \
         "on Debian 12 every one of these is in main" >&2
    exit 1
fi
