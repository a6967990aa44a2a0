#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# rpms.sh - makes the RPM packages from what assemble.sh has installed: rpms.sh TREE WORK
#
# rpmbuild takes the installed files as they are (--short-circuit): no package of RPM is here that its BuildRequires
# could name. The packages go to WORK/RPMS, the files that were given to rpmbuild to WORK/root.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
tree=$1
mkdir -p "$2"
work=$(cd "$2" && pwd)
root=$work/root
lib=$(rpm --eval '%{_libdir}')
site=$(rpmspec -P "$source/packaging/rpm/drom.spec" | sed -n 's/.*-DDROM_PYTHON_DIR=\([^ ]*\).*/\1/p')

# As cmake would install them with the options of the spec.
cp -a "$tree/debian/tmp" "$root"
mkdir -p "$root$lib/slurm" "$root$site"
mv "$root"/usr/lib/*/slurm-wlm/*.so "$root$lib/slurm/"
rmdir "$root"/usr/lib/*/slurm-wlm
mv "$root"/usr/lib/python3/dist-packages/drom "$root$site/"
rmdir "$root/usr/lib/python3/dist-packages" "$root/usr/lib/python3"
for folder in "$root"/usr/lib/*-linux-*; do cp -a "$folder/." "$root$lib/" && rm -r "$folder"; done
cp -a "$root" "$work/buildroot"
find "$work/buildroot$lib" -name '*.so*' -type f -exec chmod 755 {} +
# rpmbuild does so after %install.
find "$work/buildroot" -name '*.so*' -type f -exec strip --strip-unneeded {} +
strip "$work"/buildroot/usr/bin/*
RPM_BUILD_ROOT=$work/buildroot "$BASH" /usr/lib/rpm/brp-compress
mkdir -p "$work/BUILD/drom-0.1.0"
# rpmbuild copies %license after %install only.
for package in $(rpmspec -q --qf '%{NAME}-%{VERSION}\n' "$source/packaging/rpm/drom.spec"); do
    mkdir -p "$work/buildroot/usr/share/licenses/$package"
    license=LICENSE
    [[ $package != *-slurm-plugins-* ]] || license=LICENSES/GPL-2.0-or-later.txt
    cp -a "$source/$license" "$work/buildroot/usr/share/licenses/$package/"
done

rpmbuild -bb --quiet --short-circuit --nodeps --define "_topdir $work" --buildroot "$work/buildroot" \
    --define "slurm_version 22.05.8" "$source/packaging/rpm/drom.spec"
