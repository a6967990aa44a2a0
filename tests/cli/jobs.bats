#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# jobs.bats - requests to all clients of one job: together or not at all.

load support

setup_file() { build_guests; }

# job CPUS...: a client of job 88 for each.
job() {
    local cpus number=0
    for cpus in "$@"; do sleeper "rank$((number++))" "$cpus" --job 88; done
}

@test "a job's CPUs are divided evenly, and what its ranks have they keep" {
    two_cpus
    job "$A" "$B"
    run drom set --job 88 "$BOTH"
    [[ $status == 0 && $output == *"rank0 ("*"): has $A already"*"rank1 ("*"): has $B already"* ]]
    run drom set --job 88 "$BOTH" --json
    [[ $(jq -r .status <<<"$output") == DROM_UNCHANGED && $(jq -r .job <<<"$output") == 88 ]]
    [[ $(jq -c '[.clients[] | [.client.name, .before, .client.want]]' <<<"$output") == "[[\"rank0\",\"$A\",\"$A\"],[\"rank1\",\"$B\",\"$B\"]]" ]]
}

@test "a job of one shrinks, expands, gives and gets CPUs" {
    two_cpus
    job "$BOTH"
    drom shrink --job 88 --per-rank 1
    client_is rank0 mask "$A"
    drom expand --job 88 2
    client_is rank0 mask "$BOTH"
    drom remove --job 88 "$A"
    client_is rank0 mask "$B"
    drom add --job 88 "$A"
    client_is rank0 mask "$BOTH"
    run drom set --job 88 "$B"
    [[ $status == 0 && $output == "rank0 ("*"): $BOTH -> $B, released"* ]]
}

@test "what one rank cannot have, none gets" {
    two_cpus
    job "$A" "$B"
    refuses 1 '^drom: shrink: 1 CPU for 2 ranks, which need 2 at least' drom shrink --job 88 1
    refuses 1 '^drom: shrink: to 2 CPUs per rank: the job has 2; use expand' drom shrink --job 88 --per-rank 2
    refuses 1 '^drom: expand: 4 CPUs wanted: the job has 2, and 0 are free' drom expand --job 88 --per-rank 2
    refuses 1 '^drom: remove: 1 CPU for 2 ranks' drom remove --job 88 "$B"
    client_is rank0 mask "$A"
    client_is rank1 mask "$B"
}

@test "CPUs of other jobs need --take" {
    two_cpus
    sleeper other "$B"
    job "$A"
    refuses 1 "^drom: add: CPU $B belongs to client [0-9]+ \(other\); use --take" drom add --job 88 "$B"
    refuses 1 "CPU $B belongs to client [0-9]+ \(other\), which would be left with 0 CPUs" drom add --job 88 "$B" --take
    refuses 1 '^drom: expand: 2 CPUs wanted: the job has 1, and 0 are free; ask for fewer, or use --take' drom expand --job 88 2
    client_is other mask "$B"
}

@test "a job that is not there, and words that contradict one another, are refused" {
    job "$A"
    refuses 1 "^drom: shrink: no client belongs to job '89'; drom list -o pid,job" drom shrink --job 89 1
    refuses 2 'CLIENT and --job exclude each other' drom set --job 88 rank0 "$A"
    refuses 2 'N and --per-rank exclude each other' drom shrink --job 88 --per-rank 1 1
    refuses 2 '--per-rank needs --job' drom shrink rank0 --per-rank 1
    refuses 2 'N is missing' drom shrink --job 88
    refuses 2 'MASK is missing' drom set --job 88
    refuses 2 '--per-rank .two. is not a whole number of CPUs' drom expand --job 88 --per-rank two
}
