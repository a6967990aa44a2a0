#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# packages.bats - the Debian and RPM packages: their files, and what they do in a root folder of their own.
#
# DROM_BUILD is the build folder, WORK a folder of assemble.sh. The tests with the tag "long" look at what
# dpkg-buildpackage makes from source, with a cold compiler cache in half an hour; scripts/attack.sh --long packages.

bats_require_minimum_version 1.5.0

load ../support/missing

SOURCE=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
TREE=${WORK:?}/tree
PACKAGES=$WORK/packages

setup() {
    [[ -d $PACKAGES ]] || missing "no packages were assembled: $(cat "$WORK/why" 2>/dev/null)"
    cd "$BATS_TEST_TMPDIR" || return
}

# installed: prints each file and link that cmake installs.
installed() { (cd "$TREE/debian/tmp" && find . ! -type d | sed 's/^\.//' | sort); }
# left_out: prints the patterns of files that are in no package.
left_out() { sed -n 's/^\([^#].*\)/^\/\1$/p' "$TREE/debian/not-installed" 2>/dev/null; }
# packaged DEB: prints each file and link of it. dh_compress and Debian's folder of zsh change names; these are cmake's.
packaged() {
    dpkg-deb --fsys-tarfile "$1" | tar -t | grep -v '/$' | sed -E 's/^\.//; s/(\/man\/.*)\.gz$/\1/; s/zsh\/vendor-completions/zsh\/site-functions/' | sort
}
# of_debhelper: leaves out what cmake does not install.
of_debhelper() { grep -vE '^/usr/share/doc/[^/]+/(copyright|README\.Debian|changelog(\.Debian)?(\.gz)?)$|^/usr/share/lintian/'; }

@test "each file that cmake installs is in exactly one Debian package, and no package has another file" {
    for package in "$PACKAGES"/*.deb; do packaged "$package" | of_debhelper; done | sort >packaged
    installed >installed
    (($(wc -l <installed) > 150))
    run diff installed packaged
    echo "$output"
    [[ $status == 0 ]]
}

@test "each package of debian/control was made" {
    sed -n 's/^Package: //p' "$SOURCE/debian/control" | sort >wanted
    for package in "$PACKAGES"/*.deb; do dpkg-deb -f "$package" Package; done | sort >made
    diff wanted made
}

@test "the symbols file of libdrom0 names what the library exports, no more and no less" {
    grep -v '^#' "$SOURCE/tests/abi/symbols.txt" | sort >planned
    sed -n 's/^ \([a-z_0-9]*\)@DROM_0 .*/\1/p' "$SOURCE/debian/libdrom0.symbols" | sort >symbols
    diff planned symbols
    # dpkg-gensymbols -c4 has compared the file with the library; this is what it wrote.
    dpkg-deb --ctrl-tarfile "$PACKAGES"/libdrom0_*.deb | tar -xO ./symbols >written
    nm -D --defined-only "$TREE"/debian/tmp/usr/lib/*/libdrom.so.0 | sed -n 's/.* [A-Z] \(drom_[a-z_0-9]*\)@@DROM_0$/\1/p' | sort >exported
    sed -n 's/^ \(drom_[a-z_0-9]*\)@DROM_0 .*/\1/p' written | sort | diff exported -
}

@test "the packages are built with the options of the preset release" {
    options=" $(make -s -f "$SOURCE/debian/rules" print-options) "
    spec=$(tr -s ' \\\n' ' ' <"$SOURCE/packaging/rpm/drom.spec")
    jq -r '.configurePresets[] | select(.name == "release") | .cacheVariables | to_entries[] | "-D\(.key)=\(.value)"' "$SOURCE/CMakePresets.json" >wanted
    (($(wc -l <wanted) > 1))
    while read -r option; do
        [[ $options == *" $option "* ]] || { echo "debian/rules has no $option" >&2; false; }
        [[ $spec == *" $option "* ]] || { echo "drom.spec has no $option" >&2; false; }
    done <wanted
}

@test "the plugins for Slurm are for exactly the installed version" {
    dpkg-deb -f "$PACKAGES"/drom-slurm-plugins_*.deb Depends | tr ',' '\n' | grep -qxF " slurm-wlm-basic-plugins (= $(dpkg-query -W -f '${Version}' libslurm-dev))"
}

@test "lintian has nothing to say" {
    # Objects of the build folder were compiled without the options for packages; the long run has them.
    run lintian --fail-on warning --suppress-tags hardening-no-pie,hardening-no-bindnow,hardening-no-fortify-functions "$PACKAGES"/*.deb
    echo "$output"
    [[ $status == 0 && ! $output =~ (^|$'\n')[EW]: ]]
}

@test "packages without a reason for what lintian would say are found" {
    mkdir bare
    dpkg-deb -R "$PACKAGES"/libdrom0_*.deb bare
    rm -r bare/usr/share/lintian
    dpkg-deb -b bare libdrom0_0.1.0_amd64.deb
    run lintian --fail-on warning libdrom0_0.1.0_amd64.deb
    [[ $status != 0 && $output == *"W: libdrom0: hardening-no-relro"* ]]
}

# in_fresh_root: installs the packages of a folder in a root with nothing else, runs README's first example, and removes
# them.
in_fresh_root() {
    ((EUID == 0)) || missing "not root, so there is no root folder"
    root=$("$BATS_TEST_DIRNAME/root.sh" make bare 3>&- 2>"$BATS_TEST_TMPDIR/why") || missing "$(cat "$BATS_TEST_TMPDIR/why")"
    mkdir -p fresh/{packages,here,bin}
    cp "$1"/*.deb fresh/packages/
    cp "$BATS_TEST_DIRNAME/fresh.sh" "$SOURCE/README.md" fresh/here/
    cp "$DROM_BUILD/bin/heat-gcc" fresh/bin/simulation
    cp "$DROM_BUILD/bin/analytics-gcc" fresh/bin/analytics
    NETWORK=shared "$BATS_TEST_DIRNAME/root.sh" run "$root" "$PWD/fresh" bash /srv/test/here/fresh.sh 3>&-
}

@test "in a fresh root README's first example runs after apt-get install, and after a removal nothing is left" {
    in_fresh_root "$PACKAGES"
}

@test "the RPM packages have the same files, each in one of them, and rpmlint has nothing to say" {
    command -v rpmbuild >/dev/null || missing "no rpmbuild; scripts/packages.sh packages"
    "$BATS_TEST_DIRNAME/rpms.sh" "$TREE" "$PWD/rpm"
    for package in rpm/RPMS/*/*.rpm; do rpm -qlp "$package" | sed -E 's/(\/man\/.*)\.gz$/\1/'; done | sort >packaged
    # A file of two packages would be there twice. Each has a copy of the licence, and links by build id of rpmbuild.
    grep -vE '^/usr/(share/licenses|lib/\.build-id)(/|$)' packaged >files
    (cd rpm/root && find . ! -type d) | sed 's/^\.//' | sort >wanted
    diff <(sort -u wanted) <(while read -r file; do [[ -d rpm/root$file && ! -L rpm/root$file ]] || echo "$file"; done <files)
    run rpmlint -c "$SOURCE/packaging/rpm/rpmlint.toml" "$SOURCE/packaging/rpm/drom.spec" rpm/RPMS/*/*.rpm
    echo "$output"
    [[ $status == 0 && $output == *" 0 errors, 0 warnings"* ]]
}

# bats test_tags=long
@test "from source: dpkg-buildpackage makes packages that lintian has nothing to say about, and that work" {
    git clone -q "$SOURCE" source/drom
    (cd source/drom && scripts/slurm-headers.sh && dpkg-buildpackage -us -uc -b)
    run lintian --fail-on warning source/*.changes
    echo "$output"
    [[ $status == 0 && ! $output =~ (^|$'\n')[EW]: ]]
    rm -f source/*dbgsym*
    in_fresh_root source
    # The tests of the installed packages.
    mkdir -p auto/{packages,here}
    cp source/*.deb auto/packages/
    cp -r source/drom auto/source
    cp "$BATS_TEST_DIRNAME/autopkgtest.sh" auto/here/
    NETWORK=shared "$BATS_TEST_DIRNAME/root.sh" run "$root" "$PWD/auto" bash /srv/test/here/autopkgtest.sh 3>&-
}
