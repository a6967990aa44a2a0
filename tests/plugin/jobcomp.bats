#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# jobcomp.bats - the accounting file that a real slurmctld writes is one that drom-sim imports.

load support

setup_file() {
    export TZ=Europe/Madrid JOBCOMP=$BATS_FILE_TMPDIR/jobcomp
    start_cluster nodes=2 cores=8 extra=JobCompType=jobcomp/filetxt extra="JobCompLoc=$JOBCOMP"
}

import() { "$BUILD/bin/drom-sim" import --slurm "$JOBCOMP" "$@"; }
# job_line NUMBER FIELD...: prints these fields of the job.
job_line() {
    local number=$1
    shift
    awk -v number="$number" -v fields="$*" '!/^;/ && $1 == number {n = split(fields, f, " "); for (i = 1; i <= n; ++i) printf "%s%s", $f[i], i < n ? " " : "\n"}' site.swf
}
written() { grep -q "^JobId=$1 " "$JOBCOMP"; }
unix_time() { date -d "$(field "$1" "$2")" +%s; }

@test "jobs of a real slurmctld are imported with their times, widths, limits and states" {
    local wide failed array waiting id
    script "sleep 1"
    wide=$(sbatch --parsable -o out -N2 --ntasks-per-node=4 -t 10 -J "a name=b" --mem=500 "$SCRIPT")
    eventually "job $wide has ended" has_ended "$wide"
    script "exit 3"
    failed=$(sbatch --parsable -o out -n1 -t 1-00:00:00 "$SCRIPT")
    array=$(sbatch --parsable -o out -n1 --array=1-2 "$SCRIPT")
    waiting=$(sbatch --parsable -o out --hold "$SCRIPT")
    scancel "$waiting"
    for id in "$wide" "$failed" "$array" "$waiting"; do eventually "job $id is in the file" written "$id"; done
    eventually "both tasks have ended" no_jobs
    eventually "both tasks are in the file" two_tasks

    import --out site.swf 2>said
    cat said "$JOBCOMP"
    grep -q "1 job ended while it waited: left out" said
    [[ $(grep -vc '^;' site.swf) == 4 ]]
    # Submit, wait and run are those of scontrol.
    local submit start end zero
    submit=$(unix_time "$wide" SubmitTime) start=$(unix_time "$wide" StartTime) end=$(unix_time "$wide" EndTime)
    zero=$(sed -n 's/^; UnixStartTime: //p' site.swf)
    expect "$(job_line "$wide" 2 3 4)" "$((submit - zero)) $((start - submit)) $((end - start))"
    expect "$(job_line "$wide" 5 8 9 10 11)" "8 8 600 $((2 * 500 * 1024 / 8)) 1"
    expect "$(job_line "$failed" 5 9 11)" "1 86400 0"
    expect "$(grep -c '^; TimeZoneString: Europe/Madrid' site.swf)" 1
    expect "$(grep '^; PartitionNames' site.swf)" "; PartitionNames: main"
    # One user; the name with a blank is another application than the script's.
    [[ $(grep -v '^;' site.swf | awk '{print $12}' | sort -u | wc -l) == 1 ]]
    [[ $(job_line "$wide" 14) != "$(job_line "$failed" 14)" ]]
    "$BUILD/bin/drom-sim" --swf site.swf --policy slurm -q
}
two_tasks() { [[ $(grep -c "ArrayJobId=" "$JOBCOMP") == 2 ]]; }
