#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# manual.bats - the manual pages: one for each call, each with what a page has to have, and none wider than a terminal.
#
# DROM_BUILD is the build folder, whose man/ has the pages.

bats_require_minimum_version 1.5.0

load support

MAN=${DROM_BUILD:?}/man

setup() { command -v mandoc >/dev/null || missing "no mandoc"; }

# rendered PAGE: as a terminal of 80 columns shows it; a letter that is printed over another one is bold or underlined.
rendered() { mandoc -T ascii -O width=78 "$1" | sed $'s/.\b//g'; }

@test "each call of drom.h has a page, which names and declares it" {
    local call count=0
    for call in $(tr '\n' ' ' <"$SOURCE/libdrom/include/drom/drom.h" | grep -o 'DROM_EXPORT [^;]*;' | grep -o 'drom_[a-z_]*(' | tr -d '('); do
        ((++count))
        page=$MAN/$call.3
        [[ -e $page ]] || { echo "there is no $call(3)" >&2; false; }
        [[ $(head -c 4 "$page") != ".so " ]] || page=$MAN/$(sed 's/.*man3.//' "$page")
        rendered "$page" >"$BATS_TEST_TMPDIR/page"
        awk '/^NAME/ { inside = 1; next } /^[A-Z]/ { inside = 0 } inside' "$BATS_TEST_TMPDIR/page" | grep -qw -- "$call"
        awk '/^SYNOPSIS/ { inside = 1; next } /^[A-Z]/ { inside = 0 } inside' "$BATS_TEST_TMPDIR/page" | grep -q "[ *]$call("
    done
    ((count > 25))
}

@test "each symbol that programs may link to is a call of drom.h" {
    nm -D --defined-only "$DROM_BUILD/lib/libdrom.so" | grep -o ' T drom_[a-z_]*' | cut -d' ' -f3 | grep -vE '^drom_(mpi|dlb)_' | sort >"$BATS_TEST_TMPDIR/exported"
    grep -qx drom_set_mask "$BATS_TEST_TMPDIR/exported"
    while read -r symbol; do
        [[ -e $MAN/$symbol.3 ]] || { echo "there is no $symbol(3)" >&2; false; }
    done <"$BATS_TEST_TMPDIR/exported"
}

@test "a page about calls says what they return, and which errors there are" {
    for page in init poll on_change limits open clients set_mask reserve drain wait check events; do
        for heading in NAME SYNOPSIS DESCRIPTION "RETURN VALUE" ERRORS "SEE ALSO"; do
            rendered "$MAN/drom_$page.3" | grep -qx "$heading" || { echo "drom_$page(3) has no $heading" >&2; false; }
        done
    done
}

@test "no page has a line that is wider than 80 columns, and no page is made with a complaint" {
    local count=0
    for page in "$MAN"/*.[1-8]; do
        [[ $(head -c 4 "$page") != ".so " ]] || continue
        ((++count))
        wide=$(rendered "$page" | awk 'length($0) > 80')
        [[ -z $wide ]] || { echo "${page##*/}: wider than 80 columns:" "$wide" >&2; false; }
        complaints=$(mandoc -T lint -W warning "$page" | grep -v 'skipping paragraph macro' || true)
        [[ -z $complaints ]] || { echo "$complaints" >&2; false; }
    done
    ((count > 18))
}

@test "what a page refers to is a page of drom, or of the system" {
    for page in "$MAN"/*.[1-8]; do
        for name in $(rendered "$page" 2>/dev/null | awk '/^SEE ALSO/ { inside = 1; next } /^[A-Z]/ { inside = 0 } inside' | grep -oE '(drom|libdrom)[a-z_-]*\([1-8]\)'); do
            section=${name//[^0-9]/}
            [[ -e $MAN/${name%(*}.$section ]] || { echo "${page##*/} refers to $name, which is not there" >&2; false; }
        done
    done
}
