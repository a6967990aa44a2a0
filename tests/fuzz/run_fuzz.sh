#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run_fuzz.sh - runs a fuzzer for some seconds over its checked-in corpus; new inputs and crashes stay beside the
# program.
#
#   [DROM_FUZZ_SECONDS=10] run_fuzz.sh PROGRAM CORPUS
#
# Prints one line: executions, inputs that reached new code, crashes, hangs.
# Exit status: 0 nothing found, 1 something found, 77 the program was not built.
set -uo pipefail
program=$1 corpus=$2
name=$(basename "$program")
if [[ ! -x $program ]]; then
    echo "SKIPPED: $program was not built: install clang-14, its libFuzzer (libclang-rt-14-dev or libclang-common-14-dev) and libhwloc-dev"
    [[ ${CI:-} != true ]] || exit 1
    exit 77
fi
# Tables are in memory, as on a node.
[[ -n ${TMPDIR:-} || ! -w /dev/shm ]] || export TMPDIR=/dev/shm
mkdir -p "$program.corpus"
log=$program.log
# libFuzzer's own exit status for a finding is 77, which means skipped here.
"$program" -error_exitcode=1 -timeout_exitcode=70 -max_total_time="${DROM_FUZZ_SECONDS:-10}" -max_len=4096 -rss_limit_mb=2048 -timeout=20 \
    -print_final_stats=1 -artifact_prefix="$program.crash-" "$program.corpus" "$corpus" >"$log" 2>&1
status=$?
number() { sed -n "s/.*$1[: ]*\([0-9][0-9]*\).*/\1/p" "$log" | tail -n 1; }
executions=$(number 'stat::number_of_executed_units')
crashes=0 hangs=0
((status == 70)) && hangs=1
((status != 0 && status != 70)) && crashes=1
((status == 0)) || cat "$log"
echo "$name: ${executions:-0} executions, $(number 'stat::new_units_added') new inputs, coverage $(number 'cov'), crashes $crashes, hangs $hangs"
# A run without executions is a failure.
[[ $status == 0 && ${executions:-0} -gt 0 ]]
