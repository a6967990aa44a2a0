# SPDX-License-Identifier: BSD-3-Clause
# slurm-series.sh - which releases of the distribution have other series of Slurm, and where their packages are.
# shellcheck shell=bash

# series_version SERIES: prints the version that is tested, and the release that has it. False: the series is not known.
series_version() {
    case $1 in
        24.11) echo 24.11.5 trixie ;;
        26.05) echo 26.05.5 forky ;;
        *) return 1 ;;
    esac
}
# shellcheck disable=SC2034
known_series="24.11 or 26.05"

own_release() { sed -n 's/^VERSION_CODENAME=//p' /etc/os-release; }

# package_sources DIR: writes the machine's package sources to DIR, with deb-src in place of deb.
package_sources() {
    local file
    for file in /etc/apt/sources.list.d/*.sources; do
        [[ ! -r $file ]] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$1/$(basename "$file")"
    done
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [[ ! -r $file ]] || sed -n 's/^ *deb /deb-src /p' "$file" >>"$1/lists.list"
    done
}

# of_release DIR RELEASE: changes them to another release. A package source that is not of the machine's own release is
# left out.
of_release() {
    local own file
    own=$(own_release)
    [[ -n $own ]] || { echo "this machine does not say what release it is"; return 1; }
    for file in "$1"/*; do
        if ! grep -Eq "^(Suites:|deb-src ).*[[:blank:]]$own" "$file"; then rm "$file"; continue; fi
        sed -i -E "/^(Suites:|deb-src )/s/([[:blank:]])$own/\\1$2/g" "$file"
    done
}

# lines_of_release RELEASE: prints the machine's package sources of its own release, without its updates, as lines of
# another one.
lines_of_release() {
    local own file
    own=$(own_release)
    for file in /etc/apt/sources.list.d/*.sources; do
        [[ ! -r $file ]] || awk -v own="$own" -v release="$1" '
            function say() {
                if (suite) print "deb " (key == "" ? "" : "[signed-by=" key "] ") uri " " release " " components
                suite = 0; key = uri = components = ""
            }
            /^$/ {say()}
            /^URIs:/ {uri = $2}
            /^Suites:/ {for (i = 2; i <= NF; ++i) if ($i == own) suite = 1}
            /^Components:/ {sub(/^Components:[ \t]*/, ""); components = $0}
            /^Signed-By:/ {key = $2}
            END {say()}' "$file"
    done
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [[ ! -r $file ]] || sed -nE "s/^ *deb ((\\[[^]]*\\] +)?[^ ]+) +$own /deb \\1 $1 /p" "$file"
    done
}
