#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# programs.sh - types what docs/user/programming.md shows of complete programs, against an installed tree, and looks
# for what it says they print.
#
#   programs.sh SOURCE PREFIX LIBDIR WORK
#
# Numbers may differ, because a machine has other CPUs. Exit status: 0 as shown, 1 not, 77 a tool is missing.
set -euo pipefail

source=$1 prefix=$2 libdir=$3 work=$4
document=$source/docs/user/programming.md

for tool in gfortran python3 pkg-config; do
    command -v "$tool" >/dev/null || { echo "SKIPPED: there is no $tool"; exit 77; }
done
(($(nproc) > 1)) || { echo "SKIPPED: with one CPU there is none to give up"; exit 77; }

rm -rf "$work"
mkdir -p "$work"
cd "$work"
# The console blocks of the section, as they stand.
awk '/^## / { below = $0 == "## Complete programs" } below && /^```/ { inside = $0 == "```console"; next } below && inside' "$document" >shown
sed -n 's/^\$ //p' shown >typed
grep -v '^\$ ' shown >expected
(($(wc -l <typed) >= 10 && $(wc -l <expected) >= 7)) || { echo "programs.sh: the document's blocks are not found" >&2; exit 1; }

# No client outlives a line that fails.
{ echo "trap 'kill \$(jobs -p) 2>/dev/null || true' EXIT"; cat typed; } >run
unset LD_LIBRARY_PATH
export PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig DROM_TABLE=$work/table PYTHONDONTWRITEBYTECODE=1
timeout 240 bash -e run >printed 2>&1 </dev/null || { cat printed; echo "programs.sh: a line ended with an error" >&2; exit 1; }

same() { sed -E 's/[0-9]+([-,][0-9]+)*/N/g; s/CPUs/CPU/g' "$1" | sort -u; }
missing=$(comm -23 <(same expected) <(same printed))
[[ -z $missing ]] || { cat printed; echo "programs.sh: these lines of the document were not printed:" "$missing" >&2; exit 1; }
grep -q 'follow: computes on 1 CPU$' printed || { cat printed; echo "programs.sh: the client did not shrink" >&2; exit 1; }
echo "$(wc -l <typed) lines typed, $(wc -l <printed) printed"
