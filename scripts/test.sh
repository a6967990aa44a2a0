#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# test.sh - builds and runs every test of the dev build, what is worth it under AddressSanitizer with UndefinedBehaviorSanitizer and under
# ThreadSanitizer, and what scripts/lint.sh looks at without building.
#
#   scripts/test.sh [--only dev|asan|tsan|lint]...
#
# Prints one line a suite and ends with "N passed, N failed, N skipped". Exit status: 0 all passed, 1 something failed or did
# not build; with CI=true a skipped test counts as failed: there every prerequisite can be installed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

only=()
while (($#)); do
    case $1 in
        --only) only+=("${2:?--only needs dev, asan, tsan or lint}"); shift 2 ;;
        *) sed -n '6p' "$0" | sed 's/^# *//' >&2; exit 2 ;;
    esac
done
wanted() { ((${#only[@]} == 0)) || [[ " ${only[*]} " == *" $1 "* ]]; }

results=build/test
mkdir -p "$results"
rm -f "$results"/*.built
counts=$results/counts # a line a suite: passed, failed, skipped
: >"$counts"
failure() { echo "0 1 0" >>"$counts"; }

# count NAME FILE: adds a JUnit file to the counts, prints its line, and names what failed or was skipped.
count() {
    python3 scripts/junit.py "$1" "$2" >>"$counts" && return
    echo "test: $1: no readable result in $2" >&2
    failure
}

# suite PRESET NAME CTEST-ARGUMENTS...: one run of ctest.
suite() {
    local preset=$1 name=$2 file=$results/$1-$2.xml
    shift 2
    rm -f "$file"
    ctest --test-dir "build/$preset" --output-on-failure --timeout 300 --test-output-size-passed 1000000 --test-output-size-failed 1000000 \
        --output-junit "$PWD/$file" "$@" >"${file%.xml}.log" 2>&1
    grep -q 'No tests were found' "${file%.xml}.log" && {
        echo "test: $preset $name: no tests were found" >&2
        failure
        return
    }
    count "$preset $name" "$file"
}

# build PRESET: leaves PRESET.built; counted as a failure when it does not build.
build() {
    local log=$results/build-$1.log
    echo "test: building $1" >&2
    if { cmake --preset "$1" -DDROM_TESTS=ON && cmake --build --preset "$1"; } >"$log" 2>&1; then
        : >"$results/$1.built"
        return
    fi
    tail -n 40 "$log" >&2
    echo "test: build $1: failed; the whole log is $log" >&2
    failure
}
is_built() { [[ -e $results/$1.built ]]; }

# Programs that wait for most of their time run side by side.
beside() { [[ $1 != faults ]] || echo -j3; }
# shellcheck disable=SC2046  # an option, or none
dev_suites() { for name; do suite dev "$name" -L "^$name\$" $(beside "$name"); done; }

# Suites that only compute: whatever else the machine does costs them time, and nothing else.
computing=(crash-walk explorer model mutants partition policy)

# compute: everything that only computes, at the lowest priority.
compute() {
    renice -n 19 "$BASHPID" >/dev/null
    for preset in asan tsan; do ! wanted "$preset" || build "$preset"; done
    ! is_built dev || dev_suites "${computing[@]}"
    wanted lint || return
    # Not clang-tidy: it takes longer than all tests together; scripts/lint.sh without arguments runs it too.
    scripts/lint.sh --junit "$results/lint.xml" format shell python sources documents >"$results/lint.log" 2>&1 || tail -n 60 "$results/lint.log" >&2
    count lint "$results/lint.xml"
}

scripts/packages.sh build test || exit 1
export ASAN_OPTIONS=${ASAN_OPTIONS:-strict_string_checks=1:detect_stack_use_after_return=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1:halt_on_error=1}

# They are no part of the repository and cannot be installed: not a failure, but said.
[[ -d ../shared/workloads ]] || echo "test: SKIPPED: the real workload logs are not in ../shared/workloads: drom-sim is not compared with published results" >&2

if wanted dev; then
    # Without them the plugins that need Slurm's own headers are left out, and their tests say so.
    scripts/slurm-headers.sh >/dev/null || true
    scripts/slurm-headers.sh --series 24.11 >/dev/null || true
    build dev
    ! is_built dev || suite dev unit -L '^unit$'
fi
# Slurm's daemons and programs of its jobs sleep most of the time, so the rest of the machine computes meanwhile.
compute &
! is_built dev || dev_suites plugin
wait
# Each of these has the machine for itself: they count on getting its CPUs, or measure.
if is_built dev; then
    mapfile -t suites < <(ctest --test-dir build/dev --print-labels 2>/dev/null | sed -n 's/^  //p' | grep -vxF "$(printf '%s\n' unit plugin "${computing[@]}")")
    dev_suites "${suites[@]}"
fi
if is_built asan; then
    suite asan "unit+policy+kill-storm+race+hostile+liveness+dlb+cli+node_agent" -L '^(unit|policy|kill-storm|race|hostile|liveness|dlb|cli|node_agent)$'
    # shellcheck disable=SC2046
    suite asan faults -L '^faults$' $(beside faults)
fi
# Not the unit tests: each has one thread.
! is_built tsan || suite tsan "kill-storm+race+hostile+liveness" -L '^(kill-storm|race|hostile|liveness)$'

read -r passed failed skipped < <(awk '{ for (i = 1; i <= 3; ++i) n[i] += $i } END { print n[1] + 0, n[2] + 0, n[3] + 0 }' "$counts")
status=0
((failed == 0)) || status=1
if [[ ${CI:-} == true ]] && ((skipped > 0)); then
    echo "test: $skipped tests were skipped, and CI=true allows none" >&2
    status=1
fi
echo "$passed passed, $failed failed, $skipped skipped"
exit $status
