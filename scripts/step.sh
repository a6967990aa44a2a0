# SPDX-License-Identifier: BSD-3-Clause
# step.sh - what comes before each demonstration: quiet when it works, everything when it does not. Sourced, with $log
# set.
# shellcheck shell=bash disable=SC2154

step() {
    echo "demo: $1" >&2
    shift
    "$@" >>"$log" 2>&1 || {
        tail -n 40 "$log" >&2
        echo "demo: $*: failed; the whole log is $log" >&2
        exit 1
    }
}

mkdir -p "${log%/*}"
: >"$log"
