#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fresh-root.sh FOLDER - README's install commands, each as it stands there, in a Debian 12 of its own below FOLDER.
# Needs root, debootstrap, a network and 2 GiB. Exit status: 0 drom runs there, 1 something failed.
set -euo pipefail
BATS_TEST_DIRNAME=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
load() { source "$BATS_TEST_DIRNAME/$1.bash"; } # as bats has it
# shellcheck source=/dev/null
source "$BATS_TEST_DIRNAME/support.bash"

root=$1/root
command -v debootstrap >/dev/null || { echo "fresh-root.sh: debootstrap is missing; apt-get install debootstrap" >&2; exit 1; }
debootstrap --variant=minbase --include=ca-certificates,sudo bookworm "$root" http://deb.debian.org/debian
mkdir "$root/drom"
copied_to "$root/drom"
cp /etc/resolv.conf "$root/etc/"

{
    echo 'set -ex; cd /drom'
    commands_of README.md Install
    echo 'ldconfig; drom --version; drom run -- true; drom list'
} >"$root/drom/as-told.sh"
# shellcheck disable=SC2016
unshare --mount --pid --fork --kill-child bash -c '
    mount -t proc proc "$1/proc" && mount -t sysfs sys "$1/sys" && mount --rbind /dev "$1/dev" && exec chroot "$1" bash /drom/as-told.sh' bash "$root"
