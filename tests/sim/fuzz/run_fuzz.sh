#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run_fuzz.sh - a fuzzer for some seconds over its checked-in corpus; new inputs and crashes stay beside the program.
#
#   run_fuzz.sh PROGRAM SECONDS
#
# Exit status: 0 nothing found, 77 there is no such program, else the fuzzer's.
set -euo pipefail
program=$1 seconds=$2
if [[ ! -x $program ]]; then
    echo "SKIPPED: $program was not built: install clang-14 and its libFuzzer (libclang-rt-14-dev or libclang-common-14-dev)"
    [[ ${CI:-} != true ]] || exit 1
    exit 77
fi
corpus=$(cd "$(dirname "$0")" && pwd)/corpus
mkdir -p "$program.corpus"
exec "$program" -max_total_time="$seconds" -max_len=4096 -rss_limit_mb=2048 -timeout=20 -print_final_stats=1 -verbosity=1 \
    -artifact_prefix="$program.crash-" "$program.corpus" "$corpus"
