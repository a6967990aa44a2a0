#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# test.sh - builds and runs every test of the dev build, and the checks of scripts/lint.sh that need no build. Some
# tests also run under AddressSanitizer with UndefinedBehaviorSanitizer, and under ThreadSanitizer.
#
#   scripts/test.sh [--only dev|asan|tsan|lint|SUITE]... [--changed [BASE]]
#     --only     these builds or suites (labels of ctest, folders of tests/); a suite alone runs in the dev build
#     --changed  the suites that changes since BASE can break (default: main@{upstream}; scripts/changed.py), in dev
#
# A failed test runs once more at the end, alone. If it passes then, it is named in the last lines and does not count as
# failed (scripts/verdict.py). Prints one line per suite and ends with "N passed, N failed, N skipped".
# Exit status: 0 all passed, 1 something failed or did not build, 2 usage. With CI=true a skipped test counts as failed:
# there every prerequisite can be installed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

usage() { sed -n '6,8p' "$0" | sed 's/^# *//' >&2; exit 2; }

# is_suite NAME: crash-walk, demo, kill-storm, liveness and vm-cgroup-v2 are the second suites of their folders.
is_suite() { [[ -e tests/$1/CMakeLists.txt || " crash-walk demo kill-storm liveness vm-cgroup-v2 " == *" $1 "* ]] && [[ $1 != crash ]]; }

only=() suites=() changed=false
while (($#)); do
    case $1 in
        --only)
            case ${2:-} in
                dev | asan | tsan | lint) only+=("$2") ;;
                *) is_suite "${2:-}" || { echo "test: --only ${2:-}: there is no such build or suite; suites are the folders of tests/" >&2; exit 2; }
                   suites+=("$2") ;;
            esac
            shift 2 ;;
        --changed)
            base=
            if (($# > 1)) && [[ $2 != --* ]]; then base=$2; shift; fi
            changed=true
            shift ;;
        *) usage ;;
    esac
done
if $changed; then
    told=$(python3 scripts/changed.py ${base:+"$base"}) || exit 2
    read -ra found <<<"$told"
    DROM_MUTANTS_FILES=$(sed -n 2p <<<"$told")
    export DROM_MUTANTS_FILES
    for suite in "${found[@]}"; do
        if [[ $suite == lint ]]; then only+=(lint); else suites+=("$suite"); fi
    done
    echo "test: the changes can break: ${found[*]:-nothing}" >&2
    ((${#suites[@]} == 0)) || only+=(dev)
    ((${#only[@]})) || exit 0
fi
# Suites run in the dev build, also where the lint was named beside them.
((${#suites[@]} == 0)) || [[ " ${only[*]} " == *" dev "* || " ${only[*]} " == *" asan "* || " ${only[*]} " == *" tsan "* ]] || only+=(dev)
wanted() { ((${#only[@]} == 0)) || [[ " ${only[*]} " == *" $1 "* ]]; }
# chosen SUITE: true for every suite, unless suites were named.
chosen() { ((${#suites[@]} == 0)) || [[ " ${suites[*]} " == *" $1 "* ]]; }
# chosen_of SUITE...: prints those of them that were chosen.
chosen_of() { local name; for name; do ! chosen "$name" || echo "$name"; done; }

# Suites that only compute: other load of the machine costs them time, and nothing else.
computing=(crash-walk explorer model partition policy sim fuzz)
# These sleep for most of their time, and have a process group for each of their cases.
sleeping=(faults)
# These measure nothing, and leave CPUs to others: they fork and wait, or install and boot.
waiting=(abi consumer dlb fortran guest harness hostile liveness node_agent)
installing=(packages python readme soak trees vm vm-cgroup-v2)
# Most of it is on a virtual machine, and takes long.
long=(matrix)
# Suites that run under AddressSanitizer. Not policy: it is pure, and its vectors check their bounds in the dev build.
with_asan=(unit metrics kill-storm race hostile liveness dlb cli node_agent)
# And under ThreadSanitizer. Not the unit tests: each has one thread.
with_tsan=(kill-storm race hostile liveness)

for name in "${suites[@]}"; do
    runs=()
    ! wanted asan || runs+=("${with_asan[@]}" "${sleeping[@]}")
    ! wanted tsan || runs+=("${with_tsan[@]}")
    wanted dev || [[ " ${runs[*]} " == *" $name "* ]] && continue
    echo "test: --only $name: no build that was named runs it; name dev too, or one of: ${runs[*]}" >&2
    exit 2
done

results=build/test
mkdir -p "$results"
rm -rf "$results"/*.{built,configured} "$results"/{counts,failed,first,second}
# failure NAME: counts a failure that is no test, and has no second try.
failure() { printf '%s\t0\t1\t0\t0\t0\n' "$1" >>"$results/counts"; }

# timed COMMAND...: runs it, and sets CPU to the seconds of CPU that its processes have taken. In a shell of its own:
# this one may learn meanwhile what a lane has taken that has ended.
timed() {
    local IFS=' ' file=$results/times.$BASHPID status=0 user_m user_s system_m system_s
    ("$@"; status=$?; times >"$file"; exit "$status") || status=$?
    { read -r _; read -r user_m user_s system_m system_s; } < <(tr ms '  ' <"$file")
    rm "$file"
    CPU=$((user_m * 60 + ${user_s%.*} + system_m * 60 + ${system_s%.*}))
    return "$status"
}

# count NAME CPU-SECONDS FILE [BUILD]: adds a JUnit file to the counts, prints its line, and names failed and skipped
# tests.
count() {
    python3 scripts/junit.py "$@" "$results" && return
    echo "test: $1: no readable result in $3" >&2
    failure "$1"
}

# suite PRESET NAME CTEST-ARGUMENTS...: runs ctest once.
suite() {
    local preset=$1 name=$2 file=$results/$1-$2.xml
    shift 2
    rm -f "$file"
    timed ctest --test-dir "build/$preset" --output-on-failure --timeout 300 --test-output-size-passed 1000000 --test-output-size-failed 1000000 \
        --output-junit "$PWD/$file" "$@" >"${file%.xml}.log" 2>&1
    grep -q 'No tests were found' "${file%.xml}.log" && {
        echo "test: $preset $name: no tests were found" >&2
        failure "$preset $name"
        return
    }
    count "$preset $name" "$CPU" "$file" "build/$preset"
}

# targets PRESET SUITE...: prints the targets that these suites need; none when that is everything.
targets() {
    local preset=$1 name
    shift
    (($#)) || return 0
    for name; do
        case $name in
            consumer | demo | latency | matrix | mutants | packages | soak | vm) return ;; # they use the targets of other suites
        esac
    done
    echo libdrom/all tools/drom/all examples/all
    for name; do
        case $name in
            crash-walk | kill-storm) echo tests/crash/all ;;
            liveness) echo tests/hostile/all ;;
            guest) echo tests/guest/all tests/answers/all ;; # it runs some of their programs
            dlb) echo tests/dlb/all tests/fortran/all ;;
            plugin) echo plugins/all tests/plugin/all tools/sim/all ;; # drom-sim replays its journals
            vm-cgroup-v2) echo plugins/all ;;
            node_agent) echo plugins/all tests/node_agent/all ;;
            sim) echo tools/sim/all tests/sim/all ;;
            cli)
                echo tests/cli/all
                [[ $preset == asan ]] || echo bench/all ;; # the form of the benchmarks' reports
            *) echo "tests/$name/all" ;;
        esac
    done
}

# With a compiler cache, a second build of the same code takes seconds, also that of a clone in another folder.
if [[ -z ${CMAKE_CXX_COMPILER_LAUNCHER:-} ]] && command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
    # The precompiled headers of tests/ ask for the first two.
    export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
    export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$PWD} CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR:-1}
fi
[[ -z ${CMAKE_CXX_COMPILER_LAUNCHER:-} ]] || echo "test: compiling with $CMAKE_CXX_COMPILER_LAUNCHER" >&2

# configure PRESET: once in a run, since the tests of a build that go on read what it writes.
configure() { [[ -e $results/$1.configured ]] || { cmake --preset "$1" -DDROM_TESTS=ON && : >"$results/$1.configured"; }; }

# build PRESET NAME [SUITE]...: builds what these suites need, or everything, at a lower priority than the tests of
# another lane. Leaves NAME.built; counts as a failure when it does not build.
build() {
    local preset=$1 name=$2 log=$results/build-$2.log needed=() start=$SECONDS
    shift 2
    read -ra needed -d '' < <(targets "$preset" "$@")
    echo "test: building $name" >&2
    if configure "$preset" >"$log" 2>&1 && timed nice -n 5 cmake --build --preset "$preset" ${needed[0]:+--target "${needed[@]}"} >>"$log" 2>&1; then
        printf '%s\t0\t0\t0\t%d\t%d\n' "build $name" $((SECONDS - start)) "$CPU" >>"$results/counts"
        : >"$results/$name.built"
        return
    fi
    tail -n 40 "$log" >&2
    echo "test: build $name: failed; the whole log is $log" >&2
    failure "build $name"
}
is_built() { [[ -e $results/$1.built ]]; }

# labels_of PRESET: prints the suites of a build.
labels_of() { ctest --test-dir "build/$1" --print-labels 2>/dev/null | sed -n 's/^  //p'; }

# together PRESET JOBS SUITE...: runs the chosen ones of them in one ctest with so many tests at once.
together() {
    local preset=$1 jobs=$2 some
    shift 2
    is_built "$preset" || return 0
    mapfile -t some < <(chosen_of "$@")
    ((${#some[@]})) || return 0
    local IFS='|'
    local labels=${some[*]}
    suite "$preset" "${labels//|/+}" -L "^($labels)\$" -j "$jobs"
}
# one_by_one PRESET SUITE...: runs the suites one after the other.
one_by_one() {
    local preset=$1 name
    shift
    for name; do together "$preset" 1 "$name"; done
}

# build_sanitized: makes the builds with sanitizers, at the lowest priority; and runs suites that sleep under
# AddressSanitizer, as soon as that is built.
build_sanitized() {
    renice -n 19 "$BASHPID" >/dev/null
    local some
    mapfile -t some < <(chosen_of "${with_asan[@]}" "${sleeping[@]}")
    ! wanted asan || ((${#some[@]} == 0)) || build asan asan "${some[@]}"
    {
        renice -n 5 "$BASHPID" >/dev/null 2>&1 # only root may; for others it takes longer
        # The leak checker takes most of the time.
        DROM_FAULTS_SHORT=1 together asan 3 "${sleeping[@]}"
    } &
    ! wanted tsan || build tsan tsan # its preset names the targets
    wait
}

# compute: runs all suites that only compute, at the lowest priority.
compute() {
    renice -n 19 "$BASHPID" >/dev/null
    together dev 2 "${computing[@]}"
    one_by_one dev mutants
    wanted lint || return
    # clang-tidy looks at what has changed since the last scripts/attack.sh --long lint: all of it takes 24 CPU minutes.
    timed scripts/lint.sh --junit "$results/lint.xml" format shell python sources documents tidy >"$results/lint.log" 2>&1 || tail -n 60 "$results/lint.log" >&2
    count lint "$CPU" "$results/lint.xml"
}

# idle_a_lot: runs the suites that leave CPUs to others, at a lower priority than those of Slurm, which have deadlines.
idle_a_lot() {
    renice -n 5 "$BASHPID" >/dev/null
    DROM_FAULTS_SHORT=1 together dev 3 "${sleeping[@]}" &
    one_by_one dev "${long[@]}" &
    one_by_one dev "${installing[@]}" &
    one_by_one dev "${waiting[@]}"
    wait
}

# sanitized: runs the suites that find other mistakes than the dev build does, at a low priority.
sanitized() {
    renice -n 5 "$BASHPID" >/dev/null
    # A sanitizer looks at the code that runs, and hardly at the values: a tenth of the random cases will do.
    export DROM_TEST_CASES=${DROM_TEST_CASES:-250}
    together asan 1 "${with_asan[@]}"
    together tsan 1 "${with_tsan[@]}"
}

# want_cpus: runs the other suites, whose programs want CPUs, or measure. The lanes beside them have a lower priority.
want_cpus() {
    local others
    is_built dev || return
    mapfile -t others < <(labels_of dev |
        grep -vxF "$(printf '%s\n' unit plugin mutants "${computing[@]}" "${sleeping[@]}" "${waiting[@]}" "${installing[@]}" "${long[@]}")")
    one_by_one dev "${others[@]}"
}

scripts/packages.sh build test packages || exit 1
# Suites of repetitions are short here, and long in scripts/attack.sh --long.
export LATENCY_REQUESTS=${LATENCY_REQUESTS:-1000} SOAK_SECONDS=${SOAK_SECONDS:-15} DROM_FUZZ_SECONDS=${DROM_FUZZ_SECONDS:-5}
export ASAN_OPTIONS=${ASAN_OPTIONS:-strict_string_checks=1:detect_stack_use_after_return=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1:halt_on_error=1}

# A sixth of the mutants, and half of the files of *plugin* that also run on Slurm 24.11: others in the next hour.
left_out=()
if ((${#suites[@]} == 0)); then
    halves=('backup|controller|here|promises|select|spank' 'accounts|charging|confined|job_submit|task|upgrade')
    left_out=(-E "^plugin-24\.11-(${halves[EPOCHSECONDS / 3600 % 2]})\$")
    export DROM_MUTANTS_PART=${DROM_MUTANTS_PART:-$((EPOCHSECONDS / 3600 % 6))/6}
fi

# The logs are no part of the repository and cannot be installed: not a failure, but reported.
[[ -d ../shared/workloads ]] || echo "test: SKIPPED: the real workload logs are not in ../shared/workloads: drom-sim is not compared with published results" >&2

if wanted dev; then
    # Without them the plugins that need Slurm's own headers are left out, and their tests report that.
    if chosen plugin || chosen packages; then
        scripts/slurm-headers.sh >/dev/null || true
        scripts/slurm-headers.sh --series 24.11 >/dev/null || true
    fi
    # Slurm's daemons and the programs of its jobs sleep most of the time, so the rest of the machine works meanwhile.
    if chosen plugin; then build dev plugin plugin; fi
    { [[ ! -e $results/plugin.built ]] || suite dev plugin -L '^plugin$' "${left_out[@]}" -j 2; } &
    slurm=$!
    build dev dev "${suites[@]}"
    one_by_one dev unit
fi
compute &
build_sanitized &
builds=$!
idle_a_lot &
idle=$!
wait ${slurm:+"$slurm"} "$idle"
want_cpus &
wait "$builds"
sanitized &
wait
# A lane that ends early, by a mistake in this script, leaves suites out.
if is_built dev; then
    mapfile -t labels < <(labels_of dev)
    counted=$(sed -n 's/^dev \([^\t]*\).*/\1/p' "$results/counts" | tr + '\n')
    for name in "${labels[@]}"; do
        ! chosen "$name" || grep -qxF "$name" <<<"$counted" && continue
        echo "test: dev $name: it did not run" >&2
        failure "dev $name"
    done
fi

python3 scripts/verdict.py "$results" "$SECONDS"
