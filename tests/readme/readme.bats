#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# readme.bats - the documents' install commands name what there is, and they work where nothing but their packages is
# installed.
#
# DROM_README_LONG=1 runs every one of README's in a Debian 12 of its own, made by debootstrap; that takes a quarter of
# an hour.

bats_require_minimum_version 1.5.0

load support

setup() {
    WORK=$(mktemp -d)
    unset "${!CMAKE_@}" "${!CCACHE_@}"
}

teardown() { rm -rf "$WORK"; }

# named_things_exist DOCUMENT HEADING
named_things_exist() {
    local commands known command preset count=0
    mapfile -t commands < <(commands_of "$1" "$2")
    known=$("$SOURCE/scripts/packages.sh" --list build test demo | cut -d' ' -f1)
    for package in $(packages_of "${commands[@]}"); do
        grep -qxF -- "$package" <<<"$known" || { echo "$1: scripts/packages.sh does not know $package" >&2; false; }
        ((++count))
    done
    for command in "${commands[@]}"; do
        [[ $command != scripts/* || -x $SOURCE/${command%% *} ]] || { echo "$1: there is no ${command%% *}" >&2; false; }
        for preset in $(grep -o -- '--preset [a-z]*' <<<"$command" | cut -d' ' -f2); do
            grep -q "\"name\": \"$preset\"" "$SOURCE/CMakePresets.json" || { echo "$1: there is no preset $preset" >&2; false; }
        done
    done
    ((count > 5 && ${#commands[@]} > 2))
}

@test "README's install commands name packages, scripts and presets that there are" { named_things_exist README.md Install; }
@test "those of docs/admin/slurm-install.md, too" { named_things_exist docs/admin/slurm-install.md "Build and install"; }

# configures DOCUMENT HEADING: what comes before "&&" in its line with cmake --preset.
configures() {
    [[ $EUID == 0 ]] || missing "not root, so nothing can be hidden"
    command -v apt-cache >/dev/null || missing "no Debian, so there are no packages to ask"
    local commands configure packages
    mapfile -t commands < <(commands_of "$1" "$2")
    configure=$(printf '%s\n' "${commands[@]}" | grep -o 'cmake --preset [a-z]*')
    mapfile -t packages < <(packages_of "${commands[@]}")
    mkdir "$WORK/source" "$WORK/hidden"
    copied_to "$WORK/source"
    kept_with "${packages[@]}" >"$WORK/kept"
    export HIDDEN=$WORK/hidden
    export -f hide_all_but
    # shellcheck disable=SC2016
    run unshare --mount bash -c 'hide_all_but "$1" && cd "$2" || exit 77
        ! cpp -include gtest/gtest.h /dev/null >/dev/null 2>&1 || { echo "GoogleTest is still there"; exit 78; }
        '"$configure" bash "$WORK/kept" "$WORK/source"
    [[ $status != 77 ]] || missing "no overlay can be mounted here: $output"
    echo "$output"
    [[ $status == 0 && $output == *"Build files have been written to"* ]]
}

# features enabled|disabled: the part of the configure's summary.
features() { awk -v heading="-- The following features have been $1:" '/^-- / { inside = $0 == heading } inside' <<<"$output"; }

@test "README's configure works with README's packages, and says that tests are left out" {
    if [[ -n ${DROM_README_LONG:-} ]]; then
        "$BATS_TEST_DIRNAME/fresh-root.sh" "$WORK"
        return
    fi
    configures README.md Install
    features disabled | grep -q '^ \* tests'
}

@test "that of docs/admin/slurm-install.md works with its packages, and finds Slurm's headers" {
    configures docs/admin/slurm-install.md "Build and install"
    features enabled | grep -q '^ \* slurm-plugins'
}

@test "without GoogleTest tests are left out, unless they are asked for" {
    mkdir "$WORK/source"
    copied_to "$WORK/source"
    run cmake -S "$WORK/source" -B "$WORK/default" -G Ninja -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON
    [[ $status == 0 && $output == *"GoogleTest is missing: scripts/packages.sh build test installs it"* ]]
    run cmake -S "$WORK/source" -B "$WORK/asked" -G Ninja -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON -DDROM_TESTS=ON
    [[ $status != 0 && $output == *"GTest"* ]]
}
