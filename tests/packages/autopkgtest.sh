#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# autopkgtest.sh - runs the tests of debian/tests with the packages installed, in a root folder (root.sh run).
#
# Of /srv/test, packages/ has the packages, source/ the source tree. autopkgtest itself would want a machine to itself.
set -euo pipefail
cd /srv/test/source
mapfile -t tests < <(sed -n 's/^Tests: //p' debian/tests/control)
mapfile -t needs < <(sed -n 's/^Depends: //p' debian/tests/control | tr -d ' ' | tr ',' '\n' | sort -u)
((${#tests[@]} > 1 && ${#needs[@]} > 5))
log=$(mktemp)
{ apt-get update && apt-get install -y --no-install-recommends /srv/test/packages/*.deb "${needs[@]}"; } >"$log" 2>&1 || { tail "$log"; exit 1; }
for test in "${tests[@]}"; do
    AUTOPKGTEST_TMP=$(mktemp -d)
    export AUTOPKGTEST_TMP
    debian/tests/"$test" >"$log" 2>&1 || { cat "$log"; echo "autopkgtest: $test: failed"; exit 1; }
    echo "autopkgtest: $test: passed: $(tail -n 1 "$log")"
done
