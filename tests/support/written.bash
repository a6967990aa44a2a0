# SPDX-License-Identifier: BSD-3-Clause
# written.bash - what the programs of a test have written, for a test that has waited for them in vain.
# shellcheck shell=bash

# written FILE...: prints the last 40 lines of each file on stderr, behind its name. A file without text, or that is not
# there, is named too: that a program has said nothing is worth knowing.
written() {
    local file
    for file in "$@"; do
        if [[ -s $file ]]; then
            echo "the last lines of ${file##*/}:" >&2
            tail -n 40 "$file" | sed 's/^/  | /' >&2
        else
            echo "nothing is in ${file##*/}" >&2
        fi
    done
}
