# SPDX-License-Identifier: BSD-3-Clause
# missing.bash - a test whose prerequisite is missing.
# shellcheck shell=bash

# missing WHAT: leaves the test aloud; where everything must be there it is a failure.
missing() {
    if [[ ${CI:-} == true ]]; then
        echo "SKIPPED: $1" >&2
        return 1
    fi
    skip "$1"
}
