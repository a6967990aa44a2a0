#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# bench.sh - measures what drom promises in numbers: builds preset release and writes build/bench/summary.json.
#
#   scripts/bench.sh [--only KEY]... [--quick] [--quiet-for SECONDS]
#   scripts/bench.sh sim      how fast drom-sim replays real logs, into build/bench/sim.json
#   scripts/bench.sh slurm    what drom adds to the launch of a step, into build/bench/slurm.json
#   scripts/bench.sh select   what select/malleable adds to slurmctld's scheduling cycle, into build/bench/select.json
#   scripts/bench.sh slurm-scale [--nodes N,...] [--turns N] [--depth N] [--only PART,...]
#                             the same with 5,000 nodes, and the start of slurmctld, into build/bench/slurm-scale.json
#     --only KEY    this key of the summary (other keys in the file are kept); an unknown key lists them
#     --quick       a fifth of the samples
#     --quiet-for S begin when no other program has kept a CPU busy for S seconds (default 0), or after ten minutes
#
# Prints a line per key: median, target, spread, and the incumbent's figure. bench/measure.py describes each
# measurement; scripts/numbers.py makes docs/results/numbers.md of them.
# Exit status: 0 everything was measured, whatever the figures; 1 something could not be measured or did not build; 2
# usage.
set -euo pipefail
cd "$(dirname "$0")/.."

quiet_for=0
passed_on=()
other=''
while (($#)); do
    case $1 in
        --only) passed_on+=(--only "${2:?--only needs a key}"); shift 2 ;;
        --quick) passed_on+=(--quick); shift ;;
        --quiet-for) quiet_for=${2:?--quiet-for needs seconds}; shift 2 ;;
        sim) other=sim; shift ;;
        slurm) other=launch; shift ;;
        select) other=scheduling; shift ;;
        slurm-scale) other=scale; shift; passed_on=("$@"); break ;;
        *) sed -n '5,13p' "$0" | sed 's/^# *//' >&2; exit 2 ;;
    esac
done

scripts/packages.sh build test || exit 1
log=build/bench/build.log
mkdir -p build/bench
echo "bench: building release" >&2
if ! { cmake --preset release -DDROM_TESTS=OFF -DDROM_BENCH=ON && cmake --build --preset release; } >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    echo "bench: build release: failed; the whole log is $log" >&2
    exit 1
fi
[[ -z $other ]] || exec python3 "bench/$other.py" "${passed_on[@]}"
[[ -x build/release/bench/bench_broker ]] || { echo "bench: Google Benchmark is missing; install libbenchmark-dev" >&2; exit 1; }

# Prints the busy percentage of one CPU, during a second.
busy_percent() {
    local before after
    before=$(awk '/^cpu /{print $2 + $3 + $4 + $7 + $8}' /proc/stat)
    sleep 1
    after=$(awk '/^cpu /{print $2 + $3 + $4 + $7 + $8}' /proc/stat)
    echo $((after - before))
}
if ((quiet_for > 0)); then
    quiet=0
    for ((waited = 0; waited < 600 && quiet < quiet_for; ++waited)); do
        if (($(busy_percent) <= 10)); then quiet=$((quiet + 1)); else quiet=0; fi
    done
    ((quiet >= quiet_for)) || echo "bench: the machine was not quiet for $quiet_for s within ten minutes; measuring anyway" >&2
fi

exec python3 bench/measure.py --build build/release --out build/bench/summary.json "${passed_on[@]}"
