#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# recipe.bats - the stages of docs/admin/slurm-install.md, as they stand there, in a Slurm with the packages of drom.
#
# DROM_BUILD is the build folder, WORK a folder of assemble.sh.

bats_require_minimum_version 1.5.0

load ../support/missing

SOURCE=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
RECIPE=$SOURCE/docs/admin/slurm-install.md
# Slurm on one machine with munge, and what the packages depend on: then nothing is fetched for each run.
ROOT=(slurmctld slurmd slurm-client munge procps python3 libfmt9 libhwloc15 libnuma1 libgomp1)

setup() {
    ((EUID == 0)) || missing "not root, so there is no root folder"
    forget_cgroups
    root=$("$BATS_TEST_DIRNAME/root.sh" make slurm "${ROOT[@]}" 3>&- 2>"$BATS_TEST_TMPDIR/why") || missing "$(cat "$BATS_TEST_TMPDIR/why")"
    site=$BATS_TEST_TMPDIR/site
    mkdir -p "$site"/{packages,bin,here}
    cp "${WORK:?}"/packages/*.deb "$site/packages/"
    cp "$BATS_TEST_DIRNAME"/{recipe.py,site.sh} "$site/here/"
    cp "$RECIPE" "$site/"
    cp "$DROM_BUILD/bin/heat-gcc" "$site/heat"
    printf '#!/bin/sh\nexec /srv/test/heat --steps 10000000\n' >"$site/bin/simulation"
    cp "$site/bin/simulation" "$site/bin/analytics"
    # The user of the jobs has to reach the programs.
    chmod 755 "$BATS_RUN_TMPDIR" "$BATS_SUITE_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_TEST_TMPDIR" "$site" "$site/bin"/* "$site/heat"
}

# A run that was killed leaves its jobs' control groups to the machine. slurmd would fail to make them again.
forget_cgroups() { find /sys/fs/cgroup -depth -type d -path "*/slurm_node01*" -exec rmdir {} + 2>/dev/null || true; }

follow_recipe() { "$BATS_TEST_DIRNAME/root.sh" run "$root" "$site" bash /srv/test/here/site.sh 3>&-; }

@test "each stage of the recipe works as it is written, and so does each way back" {
    (($(nproc) > 1)) || missing "one CPU only: there is nothing to share"
    run follow_recipe
    echo "$output"
    [[ $status == 0 && $output == *"packages: recipe: "*" back from each of 3 stages"* ]]
}

@test "a recipe with a command that fails is not passed" {
    sed -i 's/apt-get install -y /&.\/forgotten_*.deb /' "$site/slurm-install.md"
    run follow_recipe
    [[ $status == 1 && $output == *"not ok: Packages: apt-get install"* ]]
}

@test "a recipe whose commands print something else is not passed" { python3 "$BATS_TEST_DIRNAME/test_recipe.py"; }
