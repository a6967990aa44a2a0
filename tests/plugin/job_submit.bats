#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# job_submit.bats - job_submit_malleable.so in a real slurmctld: refusals, the record, and --exclusive.

load support

setup_file() {
    # n1 and n2 have 8 cores each; n3 and n4 have 8 and 4, and a partition of their own.
    start_cluster nodes=4 cores=8,8,8,4 plugstack="required $SPANK_DROM" extra=JobSubmitPlugins=malleable \
        extra="PartitionName=pair Nodes=n[1-2] OverSubscribe=YES:2" extra="PartitionName=mixed Nodes=n[3-4]" || return
    # The first job makes slurmctld ask for the nodes.
    sbatch -p pair --malleable -H -o /dev/null --wrap true && scancel -u "$(id -un)"
}

# submit [OPTION]...: submits a job that sleeps; its number is in $JOB.
submit() { JOB=$(sbatch --parsable -o /dev/null --wrap 'sleep 60' "$@"); }
is() { [[ $(field "$1" "$2") == "$3" ]]; }
runs() { eventually "job $1 runs: $(scontrol -o show job "$1")" is "$1" JobState RUNNING; }

@test "the range is in the job's admin comment, for each way to submit" {
    submit -p pair --malleable=2-4 -c4
    field "$JOB" AdminComment | grep -qx malleable=2-4
    srun -p pair --malleable=2-4 -c4 bash -c 'scontrol -o show job $SLURM_JOB_ID' >out
    grep -q ' AdminComment=malleable=2-4 ' out
    salloc -Q -p pair --malleable bash -c 'scontrol -o show job $SLURM_JOB_ID' >out
    grep -Eq ' AdminComment=malleable=1( |$)' out
}

@test "a job that is not malleable is submitted as it was" {
    submit -p pair --exclusive
    runs "$JOB"
    expect "$(field "$JOB" AdminComment)" ""
    expect "$(field "$JOB" OverSubscribe)" NO
    submit -p pair --malleable --no-drom --exclusive
    expect "$(field "$JOB" AdminComment)" ""
    expect "$(field "$JOB" OverSubscribe)" NO
}

@test "a range that does not fit the request is refused" {
    refuses 1 "error: --malleable=2-8: the job asks for 4 CPUs only; ask for 8 on each node, for instance -c 8" \
        sbatch -p pair -c4 --malleable=2-8 --wrap true
    refuses 1 "error: --malleable=2: the job asks for 1 CPU only" srun -p pair --malleable=2 true
    refuses 1 "error: --malleable=2: the job asks for 1 CPU only" salloc -p pair --malleable=2 true
}

@test "a range beyond every node of the partition is refused" {
    refuses 1 "error: --malleable=2-9: no node that the job can get has 9 CPUs; give at most 8" \
        sbatch -p pair --exclusive --malleable=2-9 --wrap true
}

@test "--drom-min-per-rank without --malleable is refused" {
    refuses 1 "error: --drom-min-per-rank=2: the job is not malleable; add --malleable" \
        sbatch -p pair --drom-min-per-rank=2 --wrap true
}

@test "an --exclusive malleable job gets every core of its nodes, and others may share them" {
    submit -p pair --exclusive --malleable -w n1
    runs "$JOB"
    expect "$(squeue -h -j "$JOB" -o '%C %D %h')" "8 1 YES"
    # sinfo would not do: until the node is asked for by name, it shows the old count of CPUs (Slurm 22.05).
    scontrol show node n1 | grep -q 'CPUAlloc=8 '
    first=$JOB
    submit -p pair -n1 -s -w n1
    runs "$JOB"
    expect "$(field "$first" JobState)" RUNNING
}

@test "without the rewriting, --exclusive keeps them out" {
    submit -p pair --exclusive -w n1
    runs "$JOB"
    submit -p pair -n1 -s -w n1
    sleep 3
    expect "$(field "$JOB" JobState)" PENDING
}

@test "--exclusive over several nodes is all cores of all of them" {
    submit -p pair --exclusive --malleable=2-8 -N2
    runs "$JOB"
    expect "$(squeue -h -j "$JOB" -o '%C %D %h')" "16 2 YES"
    scancel "$JOB"
    srun -p pair --exclusive --malleable -N2 --ntasks-per-node=2 bash -c 'echo $SLURM_JOB_CPUS_PER_NODE' >out
    expect "$(sort out | uniq -c | xargs)" "4 8(x2)"
}

@test "--exclusive stays where Slurm would give a job the CPUs of its tasks only, and that is said" {
    submit -p pair --exclusive --malleable=2-8 -n12 2>out
    runs "$JOB"
    if [[ $(slurmctld -V) == *" 22."* ]]; then # this series gives all
        expect "$(squeue -h -j "$JOB" -o '%C %D %h')" "16 2 YES"
        expect "$(cat out)" ""
    else
        expect "$(squeue -h -j "$JOB" -o '%C %D %h')" "16 2 NO"
        grep -q "SelectType is not select/malleable, .*, so the job keeps its nodes for itself and is never shrunk; ask for more CPUs per task" out
    fi
    scancel "$JOB"
    submit -p pair --exclusive --malleable=2-8 -n4 -c4
    runs "$JOB"
    expect "$(squeue -h -j "$JOB" -o '%C %D %h')" "16 2 YES"
}

@test "where nodes differ in size, --exclusive stays, and that is said" {
    script true
    sbatch -p mixed --exclusive --malleable -o /dev/null "$SCRIPT" >out 2>&1
    grep -q "the nodes of the partition differ in size, so the job keeps its nodes for itself and is never shrunk" out
    expect "$(field "$(grep -o '[0-9]*$' out)" OverSubscribe)" NO
}

@test "a range written into the comment of a job has to be one" {
    submit -p pair --malleable=2-4 -c4
    scontrol update job="$JOB" AdminComment="malleable=3-4"
    field "$JOB" AdminComment | grep -qx malleable=3-4
    refuses 1 "." scontrol update job="$JOB" AdminComment="malleable=0"
    field "$JOB" AdminComment | grep -qx malleable=3-4
    grep -q 'job_submit/malleable: refused: --malleable=0: at least 1 CPU has to stay' "$CLUSTER/log/slurmctld.log"
    scontrol update job="$JOB" AdminComment="ticket"
    field "$JOB" AdminComment | grep -qx ticket
}

@test "each test that the table of Slurm's features names is there" {
    local file name named=0
    while IFS=$'\t' read -r file name; do
        grep -qF "@test \"$name\" {" "$BATS_TEST_DIRNAME/$file" || { echo "$file has no test: $name" >&2; return 1; }
        ((++named))
    done < <(sed -nE 's/^\|.*\| `([a-z_]+\.bats): (.*)` \|$/\1\t\2/p' "$BATS_TEST_DIRNAME/../../docs/admin/slurm-features.md")
    ((named > 20))
}

@test "slurmctld has met no error, and nothing but Slurm's symbols is exported" {
    expect "$(grep -c 'job_submit/malleable: .*the job goes on as it was submitted' "$CLUSTER/log/slurmctld.log")" 0
    expect "$(nm -D --defined-only "$PLUGINS/job_submit_malleable.so" | awk '{print $3}' | sort | xargs)" \
        "fini init job_modify job_submit plugin_name plugin_type plugin_version"
}
