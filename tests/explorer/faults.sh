#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# faults.sh - explorers with a planted fault: each must find it.
#
#   faults.sh {NAME EXPLORER SCENARIO}...
set -uo pipefail

found=0 survived=()
while (($# >= 3)); do
    name=$1 explorer=$2 scenario=$3
    shift 3
    # 1: a violation. Any other status, also of a crash, is no finding.
    said=$("$explorer" --preemptions 4 --only "$scenario" 2>&1)
    if (($? == 1)) && [[ $said == *"--replay"* ]]; then
        found=$((found + 1))
        sed -n "1s/^/explorer faults: $name: /p" <<<"$said"
    else
        survived+=("$name")
        printf 'explorer faults: %s survived: %s\n' "$name" "$said" >&2
    fi
done
echo "explorer faults: $found planted faults found, ${#survived[@]} survived: ${survived[*]:-none}"
((found > 0 && ${#survived[@]} == 0))
