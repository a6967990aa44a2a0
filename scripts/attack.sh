#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# attack.sh - runs the attacks on drom's promises (docs/developer/promises.md), and prints the report of each suite.
#
#   scripts/attack.sh [--long] [--list] [SUITE...]      default: all of them
#     --long    hundreds of thousands of kills, an hour of requests: many hours for all. crash-walk, hostile, guest and
#               abi are complete without it. docs/results/attacks.md gets the result: commit, date, counts.
#     --list    list the suites, and what they run
#
# Installs the packages it needs and builds the dev preset. Exit status: 0 no finding, 1 a finding or no run, 2 usage.
set -euo pipefail
cd "$(dirname "$0")/.."

case " $* " in
    *" --help "* | *" -h "*) sed -n "3,10s/^# \{0,1\}//p" "$0"; exit ;;
    *" --list "*) exec python3 scripts/attack/attack.py --list ;;
esac
python3 scripts/attack/attack.py --check "$@" || exit
log=build/attack/build.log
mkdir -p build/attack
scripts/packages.sh build test packages
echo "attack: building" >&2
if ! { cmake --preset dev -DDROM_TESTS=ON && cmake --build --preset dev; } >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    echo "attack: it does not build; the whole log is $log" >&2
    exit 1
fi
exec python3 scripts/attack/attack.py "$@"
