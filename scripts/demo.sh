#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# demo.sh - the in-situ case for real: a simulation owns the node, an analytics program arrives, CPUs change hands and
# come back.
#
#   scripts/demo.sh [--case libgomp|libomp|openblas|gromacs] [--repeats N] [--seconds S] [--help]
#   scripts/demo.sh --overhead [--repeats N]
#
# Installs the packages it needs, builds, and runs each pair of programs under drom, one after the other, and
# oversubscribed. Prints a table and leaves build/demo/{timeline.svg,trace.json,report.json}. About three minutes after
# the build. With --overhead it measures what preloading costs a program that is asked for nothing: ten minutes,
# build/demo/overhead.json.
# Exit status: 0 done, 1 a step failed or a result differed, 2 usage.
set -euo pipefail
cd "$(dirname "$0")/.."

run=(python3 tools/demo/insitu.py --bin build/release/bin --out build/demo)
log=build/demo/build.log
# shellcheck source=scripts/step.sh
. scripts/step.sh
begin "$@"
scripts/packages.sh build demo
step "configuring" cmake --preset release -DDROM_TESTS=OFF -DDROM_BENCH=OFF
step "building" cmake --build --preset release --target drom drom-agent drom-omp drom-mpi drom-cli examples
exec "${run[@]}" "$@"
