#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# lint.sh - checks that run nothing: format, clang-tidy, shell scripts, licences, wrong documents.
#
#   scripts/lint.sh [--fix] [--junit FILE] [CHECK...]       checks: format shell python sources documents tidy deep
#     --fix   rewrite files that have one right form: the format, docs/reference/environment.md
#
# Exit status: 0 nothing found, 1 something found, 2 usage.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

checks=()
junit=
fix=false
while (($#)); do
    case $1 in
        --fix) fix=true; shift ;;
        --junit) junit=${2:?--junit needs a file}; shift 2 ;;
        format | shell | python | sources | documents | tidy | deep) checks+=("$1"); shift ;;
        *) sed -n '5,6s/^# *//p' "$0" >&2; exit 2 ;;
    esac
done
((${#checks[@]})) || checks=(format shell python sources documents deep)

# files PATTERN...: lists the files that git tracks or would track.
files() { git ls-files -z --cached --others --exclude-standard -- "$@" | while IFS= read -rd '' name; do [[ -f $name ]] && printf '%s\0' "$name"; done; }

format() {
    local how=(--dry-run -Werror)
    $fix && how=(-i)
    files '*.cpp' '*.hpp' '*.c' '*.h' | xargs -0 -r clang-format-19 "${how[@]}"
}

# looked_at: prints the commit that the last long run of `deep` found nothing in. Empty: not known.
looked_at() { sed -n 's/^| lint\.deep | \([0-9a-f]\{7,\}\) |[^|]*| 0 |.*/\1/p' docs/results/attacks.md; }

# tidy_files LIST [CHECKS]: runs clang-tidy with the checks of .clang-tidy, and these, over the files of LIST. Product
# code only: in tests macros cause more false complaints than findings. Each file once: the compilation database has
# some once per test program, too. Without precompiled headers: they are gcc's, and would hide a missing include.
tidy_files() {
    local list=$1 extra=${2:-} database=build/tidy status=0
    # Configured anew: the database may describe an older state of the folders.
    cmake --preset dev >/dev/null || return
    jq --arg product "^$PWD/(libdrom|tools|bench|plugins|policy|metrics)/.*[.]cpp\$" \
        '[.[] | select(.file | test($product))] | group_by(.file) | map(.[0] | .command |= gsub(" -Winvalid-pch -include [^ ]*"; ""))' \
        build/dev/compile_commands.json >"$database/compile_commands.json" || return
    jq -r '.[].file' "$database/compile_commands.json" | grep -xFf <(sed "s|^|$PWD/|" "$list") >"$database/files"
    xargs -a "$database/files" -d '\n' -r -I{} -P "$(nproc)" python3 scripts/lint/clang_tidy.py "$database" {} ${extra:+"$extra"} 2>"$database/log" || status=1
    # The examples are not in the compilation database. The list may have none.
    { grep -x 'examples/.*[.]cpp' "$list" || true; } | xargs -d '\n' -r -I{} clang-tidy-19 --quiet ${extra:+--checks="$extra"} {} -- -std=c++20 -fopenmp \
        -I/usr/include/x86_64-linux-gnu/openblas-openmp -I/usr/include/x86_64-linux-gnu/mpich -Ilibdrom/include -I. 2>>"$database/log" || status=1
    ((status == 0)) || grep -vE '^[0-9]+ warnings? (generated|treated)|^Suppressed' "$database/log"
    return $status
}

# tidy: the files that have changed since the last long run of `deep`, or include what has.
tidy() {
    mkdir -p build/tidy
    python3 scripts/lint/concerned.py "$(looked_at)" >build/tidy/concerned || return
    tidy_files build/tidy/concerned
}

# deep: all files, and the checks that would take longer than all tests together.
deep() {
    mkdir -p build/tidy
    git ls-files --cached --others --exclude-standard -- '*.cpp' >build/tidy/all
    tidy_files build/tidy/all 'clang-analyzer-*,-clang-analyzer-unix.StdCLibraryFunctions,-clang-analyzer-optin.performance.Padding,bugprone-standalone-empty,bugprone-stringview-nullptr,misc-unused-using-decls,performance-unnecessary-value-param'
}

# In bats every test is a subshell and every function may be called by another file.
shell() {
    files '*.sh' '.ci/run' 'tools/*.bash' | xargs -0 -r shellcheck || return
    files 'tests/*.bats' 'tests/*.bash' | xargs -0 -r shellcheck --shell=bats --severity=warning --exclude=SC1010,SC2030,SC2031,SC2034,SC2076,SC2119,SC2120
}

python() { files '*.py' | xargs -0 -r python3 -W error -c 'import sys; [compile(open(f).read(), f, "exec") for f in sys.argv[1:]]'; }

sources() {
    python3 scripts/lint/mutants.py || return
    python3 scripts/lint/floors.py || return
    files | xargs -0 -r python3 scripts/lint/sources.py
}

documents() {
    if $fix; then python3 scripts/lint/environment.py >docs/reference/environment.md; fi
    python3 scripts/lint/environment.py | diff -u docs/reference/environment.md - || {
        echo "docs/reference/environment.md is not what libdrom/base/env.def says; run scripts/lint.sh --fix documents"
        return 1
    }
    python3 scripts/lint/promises.py || return 1
    python3 scripts/lint/prose.py || return 1
    python3 scripts/lint/docstrings.py || return 1
    files '*.md' | xargs -0 -r python3 scripts/lint/documents.py
}

xml() { sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g' | tr -d '\000-\010\013\014\016-\037'; }

failed=0
cases=
for name in "${checks[@]}"; do
    if out=$("$name" 2>&1); then
        echo "lint: $name: nothing found"
        cases+="<testcase name=\"lint.$name\" status=\"run\"/>"
    else
        failed=$((failed + 1))
        printf '%s\nlint: %s: found\n' "$out" "$name"
        cases+="<testcase name=\"lint.$name\" status=\"fail\"><failure/><system-out>$(xml <<<"$out")</system-out></testcase>"
    fi
done
[[ -z $junit ]] || printf '<testsuite>%s</testsuite>\n' "$cases" >"$junit"
echo "lint: ${#checks[@]} checks, $failed found something"
((failed == 0))
