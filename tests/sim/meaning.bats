#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154 # bats assigns stderr
# meaning.bats - printed numbers are what their documents say. SIM_BUILD: build folder; SIM_LONG=1: all of them.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    sim=$SIM_BUILD/bin/drom-sim
    log=$BATS_TEST_TMPDIR/log.swf
    printf '; MaxNodes: 4\n; MaxProcs: 16\n' >"$log"
}

# in_turn N COMMAND...: of three that take ten seconds, one runs, another one each hour; all with SIM_LONG=1.
in_turn() { [[ ${SIM_LONG-} != 1 && $1 != $((EPOCHSECONDS / 3600 % 3)) ]] || "${@:2}"; }

# words NUMBER: those of a command on the page of o.
words() { grep -o '<pre>.*</pre>' o/report.html | sed 's/<[^>]*>//g' | sed -n "$1s/^drom-sim //p"; }

@test "the commands of a page made no page" {
    printf '%s\n' '1 0 -1 1000 16 -1 -1 16 1000 -1 1 1 1 1 1 -1 -1 -1' '2 10 -1 50 16 -1 -1 16 100 -1 1 1 1 1 1 -1 -1 -1' >>"$log"
    "$sim" --swf "$log" --policy sd --max-slowdown inf --gantt 0-900 --out o -q >/dev/null
    run -0 --separate-stderr xargs "$sim" < <(words 1)
    [[ $stderr != *"no effect"* ]]
    cmp o/report.html report/report.html
    # Numbers need neither a folder nor a window.
    [[ $(jq -r .setting.command o/summary.json) != *--[og]* ]]
    rm -r o report
    "$sim" compare --swf "$log" easy sd:max_slowdown=inf --gantt 0-900 --out o -q >/dev/null
    run -0 xargs "$sim" < <(words 1)
    cmp o/report.html report/report.html
    # The page of one setting has the same chart. Of two, that of the other one than the baseline is first.
    run -0 xargs "$sim" --force < <(words 3)
    chart() { grep '^<g><title>job' "$1/report.html"; }
    [[ $(chart report) == "$(chart o | head -2)" && $(chart report) == *"job 2: 4 nodes,"*guest* ]]
}

@test "the help of columns was wider than the terminal" {
    [[ $(COLUMNS=80 "$sim" help columns | awk 'length > 80') == "" ]]
    [[ $(COLUMNS=80 "$sim" help columns | tr -s ' \n' ' ') == $(COLUMNS=1000 "$sim" help columns | tr -s ' \n' ' ') ]]
}

@test "the slowdown of a killed job was not what its columns came to" {
    printf '%s\n' '1 20 -1 300 16 -1 -1 16 100 -1 1 1 1 1 1 -1 -1 -1' >>"$log"
    slowdowns() { python3 -c 'import csv, sys
for job in csv.DictReader(open(sys.argv[1])):
    run = int(job["run"])
    ran = min(run, int(job["request"])) if job["killed"] == "1" else run
    assert abs((int(job["end"]) - int(job["submit"])) / ran - float(job["slowdown"])) < 1e-4, job
print(job["run"], job["stretched"], job["killed"])' "$1/jobs.csv"; }
    "$sim" --swf "$log" --policy easy --out cut -q >/dev/null
    [[ $(slowdowns cut) == "100 100 0" ]]
    # A run time that is kept is not kept from its limit.
    "$sim" --swf "$log" --policy easy --keep-overrun --out kept -q >/dev/null
    [[ $(slowdowns kept) == "300 100 1" ]]
    "$sim" --swf "$log" --policy easy --keep-overrun --kill no --out on -q >/dev/null
    [[ $(slowdowns on) == "300 300 0" ]]
}

@test "the numbers of one seed were taken for those of all" {
    run -0 --separate-stderr "$sim" compare --generate w5 --jobs 50 --workload-seed 4 --seeds 3 --out out easy sd
    [[ ${lines[0]} == "workload seed 4 of 4 to 6; means over all of them are below" && ${lines[1]} == policy* ]]
    [[ $output == *"over 3 workloads"* ]]
    [[ $(jq -c '[.[].setting.workload_seed]' out/summary.json) == "[4,4]" ]]
    [[ $(jq .setting.workload_seed out/sd/summary.json) == 4 ]]
    run -0 --separate-stderr "$sim" compare --generate w5 --jobs 50 --workload-seed 4 --seeds 3 --json easy sd
    [[ $(jq -c '[.[].setting.workload_seed]' <<<"$output") == "[4,4]" ]]
    [[ $stderr == *"JSON is of workload seed 4 of 4 to 6; summary.csv of --out has all of them"* ]]
    # One workload, and a log, are what they are.
    run -0 --separate-stderr "$sim" compare --generate w5 --jobs 50 -q easy sd
    [[ ${lines[0]} == policy* ]]
    printf '%s\n' '1 20 -1 300 16 -1 -1 16 400 -1 1 1 1 1 1 -1 -1 -1' >>"$log"
    [[ $("$sim" --swf "$log" --json -q | jq .setting.workload_seed) == null ]]
}

@test "the example of a policy was longer than its page said" {
    cd "$BATS_TEST_DIRNAME/../.."
    grep -q "a whole one in $(wc -l <examples/policy/shortest_first.cpp) lines" docs/developer/own-policy.md
}

@test "nothing said on which nodes a job was" {
    "$sim" --generate w5 --jobs 300 --policy sd --out plain -q >/dev/null
    "$sim" --generate w5 --jobs 300 --policy sd --node-list --out listed -q >/dev/null
    "$sim" compare --generate w5 --jobs 300 sd urgent --urgent-share 0.1 --node-list --out both -q >/dev/null
    for file in decisions.csv schedule.swf summary.json summary.csv report.html; do cmp "plain/$file" "listed/$file"; done
    python3 - <<'END'
import csv
def nodes(row): return {n for part in row["node_list"].split(",") for n in range(int(part.split("-")[0]), int(part.split("-")[-1]) + 1)}
assert all(row["node_list"] == "" for row in csv.DictReader(open("plain/jobs.csv")))
for folder in "listed", "both/urgent":
    rows = list(csv.DictReader(open(folder + "/jobs.csv")))
    of = {row["id"]: nodes(row) for row in rows}
    assert all(len(of[row["id"]]) == int(row["size"]) and of[row["id"]] <= set(range(49)) for row in rows)
    # Guests are on nodes of their mates, and two jobs are on a node at most.
    assert all(of[row["id"]] & of[mate] for row in rows for mate in row["mates"].split())
    on = dict.fromkeys(range(49), 0)
    for _, change, job in sorted([(int(r["start"]), 1, r["id"]) for r in rows] + [(int(r["end"]), -1, r["id"]) for r in rows]):
        for node in of[job]: on[node] += change
        assert max(on.values()) <= 2
assert sum(row["how"] == "shared" for row in csv.DictReader(open("listed/jobs.csv"))) > 0
END
}

@test "what the page drew over time was in no file" {
    energy=$BATS_TEST_DIRNAME/../../examples/energy
    machine=(--machine "$energy/p1-p2.machine" --apps "$energy/thesis.apps")
    "$sim" compare --generate eamc --jobs 300 "${machine[@]}" best-partition eamc --out energy -q >/dev/null
    "$sim" compare --generate eamc --jobs 600 --machine "$energy/p1.machine" --apps "$energy/thesis.apps" easy sd+ --out energy-shared -q >/dev/null
    "$sim" compare --generate w5 --jobs 300 sd urgent --urgent-share 0.1 --out plain -q >/dev/null
    "$sim" --generate w5 --jobs 300 --policy sd --urgent-share 0.1 --out alone -q >/dev/null
    for file in series.csv days.csv; do cmp "alone/$file" "plain/sd/$file"; done
    python3 "$BATS_TEST_DIRNAME/../support/schemas.py" sim-compare <plain/summary.json
    python3 - <<'END'
import csv, json
from math import isclose
for folder in "energy/best-partition", "energy/eamc", "energy-shared/sd+", "plain/sd", "plain/urgent":
    rows = lambda name: list(csv.DictReader(open(f"{folder}/{name}.csv")))
    jobs, steps, days, summary = rows("jobs"), rows("series"), rows("days"), json.load(open(folder + "/summary.json"))
    begin, end = int(steps[0]["from"]), int(steps[-1]["to"])
    assert end - begin == summary["makespan"] and all(a["to"] == b["from"] for a, b in zip(steps, steps[1:]))
    total = lambda column: sum(float(step[column]) * (int(step["to"]) - int(step["from"])) for step in steps)
    sums = lambda of: sum(map(of, jobs))
    inside = lambda job, first, last: max(0, min(int(job[last]), end) - max(int(job[first]), begin))
    ran, waited = sums(lambda job: inside(job, "start", "end")), sums(lambda job: inside(job, "submit", "start"))
    # A run that was preempted is a run, and no wait.
    lost = round(total("running") - ran)
    assert (lost > 0) == (summary.get("preemptions", 0) > 0) and isclose(total("waiting"), waited - lost, abs_tol=1), folder
    if lost == 0: assert isclose(total("waiting_nodes"), sums(lambda job: int(job["nodes"]) * inside(job, "submit", "start")), abs_tol=1)
    assert isclose(total("allocated") / (end - begin), summary["allocated"], abs_tol=1e-4)
    assert isclose(total("busy_nodes") / (end - begin) / summary["setting"]["nodes"], summary["allocated"], abs_tol=1e-4)
    if "energy" in folder:
        assert isclose(total("watts"), summary["energy_j"], rel_tol=1e-8) and isclose(total("watts_with_idle"), summary["energy_with_idle_j"], rel_tol=1e-8)
    else: assert all(step["watts"] == step["watts_with_idle"] == "" for step in steps)
    assert sum(int(day["jobs"]) for day in days) == len(jobs) and sum(int(day["malleable_starts"]) for day in days) == summary["malleable_starts"]
    assert isclose(sum(int(day["jobs"]) * float(day["slowdown"] or 0) for day in days) / len(jobs), summary["slowdown_mean"], abs_tol=1e-3)
END
}

# The table of columns and that of each policy's options are other code than what writes the file.
@test "summary.csv had columns that no table explained" {
    # shellcheck disable=SC2016 # backquotes of Markdown
    "$sim" help columns | sed -n '/^### summary.csv/,/^### replay/s/^| `\([^`]*\)`.*/\1/p' >explained
    [[ $(wc -l <explained) -gt 50 ]]
    examples=$BATS_TEST_DIRNAME/../../examples/energy
    machine=(--machine "$examples/p1.machine" --apps "$examples/thesis.apps")
    while read -r policy; do
        "$sim" compare --generate eamc --jobs 20 "${machine[@]}" --out out --force -q "$policy" >/dev/null
        head -1 out/summary.csv | tr , '\n' >columns
        # These come first, in the order of the table. Behind them are the policy's options, and those of every run.
        diff explained <(head -n "$(wc -l <explained)" columns)
        tail -n "+$(($(wc -l <explained) + 1))" columns | sort >parameters
        "$sim" policies "$policy" --json | jq -r '.policies[0].options[].name' | sort >options
        echo "$policy: $(comm -23 options parameters | xargs)"
        [[ -z $(comm -23 options parameters) ]]
        comm -13 options parameters >"of_runs.$policy"
    done < <("$sim" policies --json | jq -r '.policies[].name')
    # The rest is the same for every policy.
    [[ $(sort -u of_runs.* | wc -l) == "$(wc -l <of_runs.easy)" && -s of_runs.easy ]]
}

@test "the decisions did not say which partitions a job could have had" {
    energy=$BATS_TEST_DIRNAME/../../examples/energy
    files=(--apps "$energy/thesis.apps" --machine)
    "$sim" compare --generate eamc --jobs 300 --app-mix 33 "${files[@]}" "$energy/p1-p2.machine" energy:least=time eamc --out out -q >/dev/null
    python3 - <<'END'
import csv
def entries(row): return [entry.split(":") for entry in row["entries"].split()]
for folder, ordered in ("eamc", True), ("energy-least-time", False):
    jobs = {row["id"]: row for row in csv.DictReader(open(f"out/{folder}/jobs.csv"))}
    rows = list(csv.DictReader(open(f"out/{folder}/decisions.csv")))
    assert len(rows) == 300 and {row["entry"] for row in rows} == {"1", "2"}
    for row in rows:
        job, (partition, ghz, eff) = jobs[row["id"]], entries(row)[int(row["entry"]) - 1]
        assert [row["partition"], row["eff"]] == [partition, eff] == [job["partition"], job["eff"]]
        assert float(row["ghz"]) == float(ghz) == float(job["ghz"])
        values = [float(eff) for _, _, eff in entries(row)]
        assert values == sorted(values) and row["entry"] == job["preference"] if ordered else [e[0] for e in entries(row)] == ["p1", "p2"]
END
    # A policy that does not choose has no entries.
    "$sim" --generate eamc --jobs 50 "${files[@]}" "$energy/p1.machine" --policy sd+ --out plain -q >/dev/null
    [[ $(grep -c ',p1,,2.7000,,$' plain/decisions.csv) == 50 ]]
}

@test "the page of resizing had numbers that its commands did not print" {
    page=$BATS_TEST_DIRNAME/../../docs/results/resizing.md
    script=$BATS_TEST_DIRNAME/../../scripts/results/resizing.py
    python3 "$script" "$sim" --seeds 2 >made.md
    # All but the rows of tables and the commands is the same.
    diff <(grep -v '^|\|^    drom-sim' made.md) <(grep -v '^|\|^    drom-sim' "$page")
    read -ra words < <(sed -n 's/^    drom-sim \(compare --generate reshape-120 .*=max-b .*\)/\1/p' made.md | head -1)
    "$sim" "${words[@]}" --out out -q >/dev/null
    # As the page says it: ratios of means, by these columns of summary.csv.
    row=$(python3 -c 'import csv
from statistics import mean
rows = list(csv.DictReader(open("out/summary.csv")))
of = lambda policy, column: mean(float(row[column]) for row in rows if row["setting"] == "reshape:scenario=" + policy)
change = lambda column: 100 * (of("max-b", column) / of("static", column) - 1)
print("{:.1f} {:+.1f} {:+.1f}".format(100 * of("max-b", "allocated"), change("response_mean"), change("wait_mean")))')
    [[ $row == "$(grep -A2 '^| max-b' made.md | sed -n '3s/ ±[^|]*//gp' | awk -F' *[|] *' '{ print $4, $5, $8; exit }')" ]]
}

@test "the page of the simulator had tables that no script made" {
    [[ -d $WORKLOADS ]] || skip "the logs are not in $WORKLOADS"
    cd "$BATS_TEST_DIRNAME/../.."
    python3 scripts/results/simulator.py "$sim" "$WORKLOADS" --check --only predictions --row KTH
    python3 scripts/results/simulator.py "$sim" "$WORKLOADS" --check --only workload3 --row easy
    in_turn 0 python3 scripts/results/simulator.py "$sim" "$WORKLOADS" --check --only recovered
    in_turn 1 python3 scripts/results/simulator.py "$sim" "$WORKLOADS" --check --only plan --row "25 x 4 sd-deep:sd_plan=prediction"
    in_turn 2 python3 scripts/results/simulator.py "$sim" "$WORKLOADS" --check --only cirne --row "w2-samples sd+"
    python3 scripts/results/shares.py "$sim" --check --only w1 --policy sd+ --shares 0.2
    deep=sd:max_slowdown=inf,gain=1,parts=yes,keep=first,sharing_depth=0,bf_max_job_test=50,bf_window=0
    python3 scripts/results/shares.py "$sim" --check --part why --policy "$deep"
}

@test "the pages of energy and of starts had digits that no run gave" {
    [[ -d $WORKLOADS ]] || skip "the logs are not in $WORKLOADS"
    cd "$BATS_TEST_DIRNAME/../.."
    python3 scripts/results/energy.py "$sim" --check --only p1-p3,13
    in_turn 0 python3 scripts/results/energy.py "$sim" --check --only sharing
    python3 scripts/results/starts.py "$sim" "$WORKLOADS" --check --only urgent
    in_turn 1 python3 scripts/results/starts.py "$sim" "$WORKLOADS" --check --only reservations
    in_turn 2 python3 scripts/results/starts.py "$sim" "$WORKLOADS" --check --only guests
    # Another page is seen as one: the first digit of a mean wait is changed.
    cp -r scripts docs examples "$BATS_TEST_TMPDIR"
    cd "$BATS_TEST_TMPDIR"
    sed -i '/^| RICC.* 100 % | `urgent:urgent_by=wait`/s/| 6/| 5/' docs/results/starts.md
    run -1 python3 scripts/results/starts.py "$sim" "$WORKLOADS" --check --only urgent
    [[ $output == *"urgent_by=wait\` | 5"*"urgent_by=wait\` | 6"* ]]
    sed -i '/^| p1-p3, 13 % .* | energy |/s/ | -/ | +/' docs/results/schedulers.md
    run -1 python3 scripts/results/energy.py "$sim" --check --only p1-p3,13
    [[ $output == "| p1-p3, 13 % | \`"*" | energy | -"* ]]
}

@test "a table of shares could not be made by several processes" {
    shares=$BATS_TEST_DIRNAME/../../scripts/results/shares.py
    row=(--only w1 --policy sd+ --shares 0.2)
    run -0 python3 "$shares" "$sim" "${row[@]}" --seeds 2 --print
    [[ $output == "| w1 | \`sd+\`"*" --seeds 2\` |" ]]
    for seed in 1 2; do python3 "$shares" "$sim" "${row[@]}" --seed $seed --csv $seed.csv; done
    # The order of the files says nothing, and a seed that is there twice counts once.
    [[ $(python3 "$shares" --from 2.csv --from 1.csv --from 1.csv --print) == "$output" ]]
}
