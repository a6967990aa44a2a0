#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# spank.bats - spank_drom.so in a real Slurm: its options, and the environment of a job.

load support

setup_file() {
    local prolog=$BATS_FILE_TMPDIR/prolog
    # The prolog runs as the user of slurmd, before a job's first step.
    printf '#!/bin/bash\nenv | grep ^SPANK_DROM_ >%q\nexit 0\n' "$BATS_FILE_TMPDIR/prolog.out" >"$prolog"
    chmod +x "$prolog"
    start_cluster plugstack="required $SPANK_DROM" extra="Prolog=$prolog"
}

core=$BUILD/lib/libdrom.so.0

plugstack() { echo "required $SPANK_DROM $*" >"$CLUSTER/etc/plugstack.conf"; }
drom_variables() { grep -E '^(DROM_|LD_PRELOAD=)' "$1" | sort; }

# Each row has a value, and the pattern of the message about it.
BAD_RANGES=(
    "0|--malleable=0: at least 1 CPU has to stay; give 1 or more"
    "-2|--malleable=-2: '-2' is negative; give MIN or MIN-MAX, for instance 2-8"
    "8-4|--malleable=8-4: MAX is less than MIN; did you mean 4-8\\?"
    "all|--malleable=all: 'all' is no number of CPUs; give MIN or MIN-MAX, for instance 2-8"
    "3-|--malleable=3-: there is no MAX behind the dash; give MIN or MIN-MAX, for instance 2-8"
    "99999999999|--malleable=99999999999: 99999999999 is more CPUs than a node of Slurm can have"
)

@test "srun, sbatch and salloc refuse bad ranges, each with one sentence" {
    script 'true'
    for row in "${BAD_RANGES[@]}"; do
        refuses 255 "srun: error: ${row#*|}" srun --malleable="${row%%|*}" true
        refuses 255 "sbatch: error: ${row#*|}" sbatch --malleable="${row%%|*}" "$SCRIPT"
        refuses 255 "salloc: error: ${row#*|}" salloc --malleable="${row%%|*}" true
    done
    expect "$(squeue -h)" ""
}

@test "a bad range in a batch script is refused at submission" {
    for row in "${BAD_RANGES[@]}"; do
        script "#SBATCH --malleable=${row%%|*}" true
        refuses 255 "sbatch: error: ${row#*|}" sbatch "$SCRIPT"
    done
}

@test "--drom-min-per-rank refuses what is no number of CPUs" {
    refuses 255 "srun: error: --drom-min-per-rank=0: at least 1 CPU has to stay" srun --malleable --drom-min-per-rank=0 true
    refuses 255 "'two' is no number of CPUs; give a number of CPUs, for instance 2" srun --malleable --drom-min-per-rank=two true
}

@test "srun --help tells the options" {
    srun --help >help
    grep -q -- '--malleable\[=MIN\[-MAX\]\]' help || grep -q -- '--malleable=' help
    grep -q -- '--drom-min-per-rank=N' help
    grep -q -- '--no-drom' help
    grep -q -- '--drom-resize=WAY' help
}

@test "a job that is not malleable has neither LD_PRELOAD nor a variable of drom" {
    srun env >step
    expect "$(drom_variables step)" ""
    script 'env; cat /proc/self/maps'
    batch
    expect "$(drom_variables out)" ""
    run ! grep libdrom out
    LD_PRELOAD=/lib/x86_64-linux-gnu/libm.so.6 srun env 2>/dev/null >step
    expect "$(drom_variables step)" "LD_PRELOAD=/lib/x86_64-linux-gnu/libm.so.6"
}

@test "a step of a malleable job runs with the library, and knows its range" {
    srun --malleable=2-4 -c4 bash -c 'env; cat /proc/self/maps' >out
    expect "$(drom_variables out)" "DROM_MALLEABLE=2-4
LD_PRELOAD=$BUILD/lib/libdrom-agent.so:$core"
    grep -q "$BUILD/lib/libdrom-agent.so" out
}

@test "--malleable without a value is 1 to everything" {
    srun --malleable env >out
    grep -qx DROM_MALLEABLE=1 out
}

@test "a batch script, its programs and its steps run with the library, which is named once" {
    script '#SBATCH --malleable=2-4' '#SBATCH --drom-min-per-rank=2' 'env >batch; cat /proc/self/maps >maps; srun -n1 env >step'
    batch -n1 -c4
    wanted="DROM_MALLEABLE=2-4
DROM_MIN_PER_RANK=2
LD_PRELOAD=$BUILD/lib/libdrom-agent.so:$core"
    expect "$(drom_variables batch)" "$wanted"
    expect "$(drom_variables step)" "$wanted"
    grep -q "$BUILD/lib/libdrom-agent.so" maps
}

@test "what is exported to the job does not matter" {
    script '#SBATCH --malleable=2-4 --export=NONE' 'srun -n1 --export=NONE /usr/bin/env >step'
    batch -n1 -c4
    grep -qx DROM_MALLEABLE=2-4 step
    grep -qx "LD_PRELOAD=$BUILD/lib/libdrom-agent.so:$core" step
}

@test "tasks that may be ranks get the MPI interposer, too; a batch script does not" {
    [[ -e $BUILD/lib/libdrom-mpi.so ]] || missing "libdrom-mpi.so is for x86-64 only"
    script '#SBATCH --malleable' 'echo "$LD_PRELOAD" >batch; srun printenv LD_PRELOAD >step'
    batch -n2
    expect "$(cat batch)" "$BUILD/lib/libdrom-agent.so:$core"
    # The library comes behind those that the step has from its script; the order does not matter.
    expect "$(sort -u step)" "$BUILD/lib/libdrom-agent.so:$core:$BUILD/lib/libdrom-mpi.so"
}

@test "what the user preloads is kept, in front" {
    mine=$WORK/mine.so
    cp "$(ls /lib/*/libm.so.6)" "$mine"
    LD_PRELOAD=$mine srun --malleable bash -c 'echo "$LD_PRELOAD"; cat /proc/self/maps' >out
    expect "$(head -n 1 out)" "$mine:$BUILD/lib/libdrom-agent.so:$core"
    grep -q "$mine" out
    grep -q "$BUILD/lib/libdrom-agent.so" out
    LD_PRELOAD=$BUILD/lib/libdrom-agent.so:$mine srun --malleable printenv LD_PRELOAD >out
    expect "$(cat out)" "$BUILD/lib/libdrom-agent.so:$mine:$core"
}

@test "--no-drom takes a step of a malleable job, or the job itself, out again" {
    script '#SBATCH --malleable=2-4' 'srun -n1 --no-drom env >step'
    batch -n1 -c4
    expect "$(drom_variables step)" "DROM_OFF=1"
    srun --no-drom --malleable env >out
    expect "$(drom_variables out)" "DROM_OFF=1"
    # The user's own libraries stay.
    LD_PRELOAD=/lib/x86_64-linux-gnu/libm.so.6 srun --no-drom printenv LD_PRELOAD >out
    expect "$(cat out)" /lib/x86_64-linux-gnu/libm.so.6
}

@test "--drom-resize says whether teams follow, over what the environment says" {
    refuses 255 "srun: error: --drom-resize=eager: a team can keep its size or follow the CPUs; give keep, follow or auto" \
        srun --malleable --drom-resize=eager true
    srun --malleable --drom-resize=follow bash -c 'echo "$DROM_RESIZE $LD_PRELOAD"' >out
    expect "$(cat out)" "follow $BUILD/lib/libdrom-omp.so:$BUILD/lib/libdrom-agent.so:$core"
    DROM_RESIZE=follow srun --malleable --drom-resize=keep bash -c 'echo "$DROM_RESIZE $LD_PRELOAD"' >out
    expect "$(cat out)" "keep $BUILD/lib/libdrom-agent.so:$core"
    OMP_DYNAMIC=True srun --malleable printenv LD_PRELOAD >out
    expect "$(cat out)" "$BUILD/lib/libdrom-omp.so:$BUILD/lib/libdrom-agent.so:$core"
}

@test "without the library there is one line in the log, and the job runs" {
    plugstack lib=/nowhere/at/all
    srun -N1 -n2 --malleable env >out
    plugstack
    expect "$(grep -c '^SLURM_PROCID=' out)" 2
    run ! grep LD_PRELOAD out
    expect "$(cat "$CLUSTER"/log/n?.log | grep -c 'spank_drom: /nowhere/at/all/libdrom-agent.so cannot be read: No such file or directory; the job runs without drom')" 1
}

@test "a directory that cannot be preloaded is logged, and the job runs" {
    plugstack "lib=$WORK:other"
    srun --malleable env >out
    plugstack
    run ! grep LD_PRELOAD out
    grep -q "cannot be preloaded: LD_PRELOAD knows no blanks and colons" "$CLUSTER"/log/n?.log
}

@test "the prolog sees what the job declared" {
    srun --malleable=2-4 --drom-min-per-rank=2 -c4 true
    expect "$(sort "$BATS_FILE_TMPDIR/prolog.out")" "SPANK_DROM_MALLEABLE=2-4
SPANK_DROM_MIN_PER_RANK=2"
    srun --malleable=2-4 --no-drom true
    expect "$(sort "$BATS_FILE_TMPDIR/prolog.out")" "SPANK_DROM_OFF=1"
    srun true
    expect "$(cat "$BATS_FILE_TMPDIR/prolog.out")" ""
}

@test "nothing but SPANK's symbols is exported" {
    expect "$(nm -D --defined-only "$SPANK_DROM" | awk '{print $3}' | grep -vE '^(plugin_(name|type|version)|spank_plugin_version|slurm_spank_[a-z_]+)$')" ""
}
