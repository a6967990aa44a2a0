# SPDX-License-Identifier: BSD-3-Clause
# slurm-daemons.sh - functions of scripts that start a Slurm of their own (slurm-here.sh, tests/plugin/cluster.sh).
# shellcheck shell=bash

# state PID: prints one letter, Z for a zombie, which may never be reaped; nothing when there is no such process.
state() { sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status" 2>/dev/null || true; }
alive() { [[ $(state "$1") == [!ZX] ]]; }

# within SECONDS COMMAND...: repeats the command until it succeeds. False when it never does.
within() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        ((SECONDS < end)) || return 1
        sleep 0.05
    done
}

# system_plugins: prints the folder in which the distribution keeps Slurm's own plugins. False: there is none.
system_plugins() {
    local folder
    for folder in /usr/lib/*/slurm-wlm /usr/lib64/slurm /usr/lib/slurm /usr/local/lib/slurm; do
        [[ ! -e $folder/select_cons_tres.so ]] || { echo "$folder"; return; }
    done
    return 1
}
