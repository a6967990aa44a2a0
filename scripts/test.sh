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

passed=0 failed=0 skipped=0
results=build/test
mkdir -p "$results"

# count NAME FILE: adds a JUnit file to the totals, prints its line, and names what failed or was skipped.
count() {
    local numbers
    if ! numbers=$(python3 scripts/junit.py "$1" "$2"); then
        echo "test: $1: no readable result in $2" >&2
        numbers="0 1 0"
    fi
    read -r p f s <<<"$numbers"
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
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
        failed=$((failed + 1))
        return
    }
    count "$preset $name" "$file"
}

# build PRESET: false, counted as a failure, when it does not build.
build() {
    local log=$results/build-$1.log
    echo "test: building $1" >&2
    if { cmake --preset "$1" -DDROM_TESTS=ON && cmake --build --preset "$1"; } >"$log" 2>&1; then return 0; fi
    tail -n 40 "$log" >&2
    echo "test: build $1: failed; the whole log is $log" >&2
    failed=$((failed + 1))
    return 1
}

scripts/packages.sh build test || exit 1
export ASAN_OPTIONS=${ASAN_OPTIONS:-strict_string_checks=1:detect_stack_use_after_return=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1:halt_on_error=1}

# They are no part of the repository and cannot be installed: not a failure, but said.
[[ -d ../shared/workloads ]] || echo "test: SKIPPED: the real workload logs are not in ../shared/workloads: drom-sim is not compared with published results" >&2

# Without them the plugins that need Slurm's own headers are left out, and their tests say so.
if wanted dev; then
    scripts/slurm-headers.sh >/dev/null || true
    scripts/slurm-headers.sh --series 24.11 >/dev/null || true
fi
if wanted dev && build dev; then
    suite dev unit -L '^unit$'
    mapfile -t suites < <(ctest --test-dir build/dev --print-labels 2>/dev/null | sed -n 's/^  //p' | grep -vx unit)
    for name in "${suites[@]}"; do suite dev "$name" -L "^$name\$"; done
fi
if wanted asan && build asan; then suite asan "unit+policy+kill-storm+race+hostile+liveness+dlb+cli+node_agent" -L '^(unit|policy|kill-storm|race|hostile|liveness|dlb|cli|node_agent)$'; fi
# Not the unit tests: each has one thread.
if wanted tsan && build tsan; then suite tsan "kill-storm+race+hostile+liveness" -L '^(kill-storm|race|hostile|liveness)$'; fi
if wanted lint; then
    # Not clang-tidy: it takes longer than all tests together; scripts/lint.sh without arguments runs it too.
    scripts/lint.sh --junit "$results/lint.xml" format shell python sources documents >"$results/lint.log" 2>&1 || tail -n 60 "$results/lint.log" >&2
    count lint "$results/lint.xml"
fi

status=0
((failed == 0)) || status=1
if [[ ${CI:-} == true ]] && ((skipped > 0)); then
    echo "test: $skipped tests were skipped, and CI=true allows none" >&2
    status=1
fi
echo "$passed passed, $failed failed, $skipped skipped"
exit $status
