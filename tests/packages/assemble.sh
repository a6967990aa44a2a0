#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# assemble.sh - makes the Debian packages from what a build folder has already, by the steps of debian/rules that come
# after the build.
#
#   assemble.sh BUILD WORK     the packages go to WORK/packages, what cmake installs to WORK/tree/debian/tmp
#
# So everything about the packages is that of `dpkg-buildpackage`, except for the compiler's options.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
mkdir -p "$2"
work=$(cd "$2" && pwd)
tree=$work/tree
rm -rf "$tree" "$work/packages"
mkdir "$tree" "$work/packages"
export DEB_BUILD_OPTIONS=noautodbgsym DROM_SLURM_SOURCE

# copy_source: copies the files that git tracks or would track.
copy_source() {
    # shellcheck disable=SC2016
    (cd "$source" && git ls-files -z --cached --others --exclude-standard | xargs -0 sh -c 'for f; do [ ! -e "$f" ] || printf "%s\0" "$f"; done' sh |
        tar --null -T - -c) | tar -x -C "$tree"
}

# install_from_build: configures as debian/rules does, puts the files of the build there, and installs.
install_from_build() {
    local options multiarch object=$tree/obj-of-build
    multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
    read -ra options < <(make -s -f debian/rules print-options)
    cmake -S "$tree" -B "$object" -G Ninja -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR="lib/$multiarch" "${options[@]}"
    mkdir -p "$object/bin" "$object/lib/slurm"
    cp -a "$build"/bin/{drom,drom-sim} "$object/bin/"
    cp -a "$build"/lib/*.so* "$object/lib/"
    cp -a "$build"/lib/slurm/*.so "$object/lib/slurm/"
    cp -a "$build/man" "$object/"
    DESTDIR=$tree/debian/tmp cmake --install "$object"
    # A build for a package has no paths for the loader.
    find debian/tmp -type f \( -name '*.so*' -o -path '*/bin/*' \) -exec cmake -DFILE={} -P "$source/tests/packages/no_path.cmake" \;
    rm -rf "$object"
}

# pack: runs the remaining steps of the packaging.
pack() {
    local step
    dh binary --no-act --buildsystem=cmake+ninja | sed '1,/dh_auto_install/d' >"$work/steps"
    grep -q dh_builddeb "$work/steps"
    while read -r step; do
        case $step in
            dh_builddeb*) dh_builddeb --destdir="$work/packages" ;;
            *) eval "$step" ;;
        esac
    done <"$work/steps"
}

DROM_SLURM_SOURCE=$("$source/scripts/slurm-headers.sh" --where)
copy_source
cd "$tree"
install_from_build
pack
