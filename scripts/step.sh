# SPDX-License-Identifier: BSD-3-Clause
# step.sh - what comes before each demonstration: quiet when it works, everything when it does not. Sourced, with $log
# and $run set: the log of the build, and the demonstration's command.
# shellcheck shell=bash disable=SC2154

# begin ARGUMENT...: ends here at a call for help, or with wrong options, before anything is installed or built. Python
# may be one of the packages that are installed afterwards; then the demonstration itself refuses wrong options.
begin() {
    local python=true
    command -v python3 >/dev/null || python=false
    if $python; then "${run[@]}" --check "$@" || exit; fi
    case " $* " in
        *' --help '* | *' -h '*)
            $python || sed -n '3,/^# Exit status/s/^# \{0,1\}//p' "scripts/${0##*/}"
            exit
            ;;
    esac
    mkdir -p "${log%/*}"
    : >"$log"
}

step() {
    echo "demo: $1" >&2
    shift
    "$@" >>"$log" 2>&1 || {
        tail -n 40 "$log" >&2
        echo "demo: $*: failed; the whole log is $log" >&2
        exit 1
    }
}
