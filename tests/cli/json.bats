#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# json.bats - what every verb prints with --json is what drom(1) and the schemas say: each key with its type, and no
# other.

bats_require_minimum_version 1.5.0

load support

setup_file() { build_guests; }

MANUAL=$BATS_TEST_DIRNAME/../../docs/reference/man/drom.1.scd

# documented WHAT: "key type, key type, ..." from the manual's JSON section.
documented() {
    awk -v what="*$1*" '
        /^# / { inside = ($2 == "JSON") }
        !inside { next }
        /^[*A-Z].*\*\)?$/ { wanted = index($0, what) > 0 && ($0 !~ /^[A-Z]/ || index($0, "(" what ")") > 0); next }
        /^\t/ && wanted { sub(/^\t/, ""); printf "%s%s", sep, $0; sep = " "; next }
        { wanted = 0 }' "$MANUAL"
}

# schema_of WHAT: the schema of such an object; nothing for what is a part of another one.
schema_of() {
    case $1 in
        set | shrink | expand | add | remove | wait) echo request ;;
        job) echo job-request ;;
        restore) echo drain ;;
        refusal) echo error ;;
        change | thread | variable | mode | application | process | factors | row | advised | advice | measured | region) ;;
        *) echo "$1" ;;
    esac
}

# is WHAT [SCHEMA]: the object on stdin has exactly the keys that the manual gives WHAT, with their types.
is() {
    local keys it schema
    it=$(</dev/stdin)
    schema=$(schema_of "$1")
    [[ -z $schema ]] || fits "$schema" <<<"$it"
    keys=$(documented "$1")
    [[ -n $keys ]] || { echo "drom(1) does not say what $1 is" >&2; return 1; }
    # shellcheck disable=SC2016
    jq --exit-status --arg keys "$keys" --arg schema "${2:-}" '
        def word: {string: "text", number: "number", boolean: "flag", array: "list", object: "object", null: "null"}[type];
        . as $it
        | ($keys | split(", ") | map(capture("^(?<key>[a-z_]+) (?<types>[a-z|]+)$"))) as $keys
        | ([$keys[] | . as $k | ($k.types | split("|")) as $types
            | if $it | has($k.key) then ($it[$k.key] | word) as $got | select(any($types[]; . == $got) | not) | "\($k.key) is \($got), not \($k.types)"
              else select(any($types[]; . == "absent") | not) | "\($k.key) is missing" end]
           + (($it | keys_unsorted) - ["schema"] - ($keys | map(.key)) | map("\(.) is not in drom(1)"))
           + (if $it.schema == $schema or $schema == "" then [] else ["schema is \($it.schema), not \($schema)"] end)) as $wrong
        | if $wrong == [] then true else "\($wrong)" | halt_error end' <<<"$it"
}

# prints WHAT VERB ARGUMENT...: `drom VERB --json ARGUMENT...` prints one object, which is WHAT. It stays in $WORK/json.
prints() {
    local what=$1 verb=$2
    shift 2
    drom "$verb" --json "$@" >"$WORK/json"
    [[ $(wc -l <"$WORK/json") == 1 ]]
    is "$what" "drom.$verb/1" <"$WORK/json"
}

part() { jq -c "$1" "$WORK/json"; }

@test "the schemas describe every key" {
    local status=0
    python3 "$BATS_TEST_DIRNAME/../support/schemas.py" --check || status=$?
    [[ $status != 77 ]] || missing "no Python module jsonschema"
    [[ $status == 0 ]]
}

@test "list" {
    sleeper one "$A" --job 7.0
    prints list list
    part '.clients[0]' | is client
    [[ $(part '.clients[0] | .posted_ns, .released_ns | . == floor') == $'true\ntrue' ]]
    prints list list one
}

@test "set, add, remove, shrink, expand, wait" {
    two_cpus
    sleeper one "$BOTH"
    for command in "set one $A" "add one $B" "remove one $B" "expand one 2" "shrink one 1" "wait one" "set one $(client one mask)"; do
        # shellcheck disable=SC2086
        prints "${command%% *}" $command
        part .client | is client
    done
}

@test "a request to a job" {
    two_cpus
    sleeper one "$BOTH" --job 7
    for command in "shrink --job 7 1" "expand --job 7 --per-rank 2" "set --job 7 $A"; do
        # shellcheck disable=SC2086
        prints job $command
        part '.clients[0]' | is change
        part '.clients[0].client' | is client
    done
}

@test "a request that is pending is the same object" {
    two_cpus
    sleeper one "$BOTH"
    kill -STOP "$(client one pid)"
    drom set one "$A" --grace never --timeout 20 --json >"$WORK/json" 2>/dev/null && false
    is set drom.set/1 <"$WORK/json"
    [[ $(part '.status == "DROM_PENDING" and (.missing | length) > 0') == true ]]
}

@test "drain, restore" {
    drom run --no-preload -- true
    prints drain drain "$A"
    [[ $(part .drained) == "\"$A\"" ]]
    prints restore restore "$A"
}

@test "watch: one object per line" {
    drom run --no-preload --cpus "$A" -- true
    drom watch --all --for 1 --json >"$WORK/json"
    [[ $(wc -l <"$WORK/json") -ge 4 ]]
    while IFS= read -r line; do is watch drom.watch/1 <<<"$line"; done <"$WORK/json"
    [[ $(jq -s 'any(has("cpu")) and any(has("cpu") | not)' "$WORK/json") == true ]]
}

@test "explain" {
    sleeper one "$A"
    prints explain explain one --sample 1
    part .client | is client
    part '.threads[0]' | is thread
    [[ $(part '.sentences | map(type) | unique') == '["string"]' ]]
}

@test "stats" {
    sleeper one "$A"
    prints stats stats one --window 1
    part '.applications[0]' | is application
    part '.applications[0].processes[0]' | is process
    part '.applications[0].factors' | is factors
}

@test "stats --regions" {
    local root=$BATS_TEST_DIRNAME/../..
    gcc -O2 -I"$root/libdrom/include" "$root/tests/metrics/loads/regions.c" -o "$WORK/measured" "$BUILD/lib/libdrom.so" -Wl,-rpath,"$BUILD/lib"
    guest one "$A" "$WORK/measured" "$WORK/ready"
    eventually "its regions have run" test -e "$WORK/ready"
    drom stats --regions --json >"$WORK/json"
    is regions drom.regions/1 <"$WORK/json"
    part '.clients[0]' | is measured
    part '.clients[0].regions[]' | while IFS= read -r line; do is region <<<"$line"; done
}

@test "top" {
    sleeper one "$A"
    prints top top --once --window 1
    part '.clients[0]' | is row
}

@test "advise" {
    sleeper one "$A"
    prints advise advise --window 1
    part '.programs[0]' | is advised
    part '.programs[0].clients[0]' | is advice
}

@test "explain of a program with entry points" {
    has_guest regions-gcc
    DROM_RESIZE=follow guest sim "$A" "$GUESTS/regions-gcc"
    prints explain explain sim --sample 20
    part .client | is client
    [[ $(part '.client.entry_points | map(type) | unique') == '["string"]' ]]
}

@test "check" {
    drom run --no-preload -- true
    prints check check
}

@test "env" {
    prints env env
    part '.variables[]' | while IFS= read -r line; do is variable <<<"$line"; done
}

@test "run: on stderr, stdout is the command's" {
    drom run --no-preload --json -- echo told >"$WORK/out" 2>"$WORK/json"
    [[ $(<"$WORK/out") == told ]]
    is run drom.run/1 <"$WORK/json"
    [[ $(part '[.exit, .signal]') == '[0,null]' ]]
    # shellcheck disable=SC2016
    drom run --no-preload --json -- sh -c 'kill -TERM $$' 2>"$WORK/err" && false
    grep '^{' "$WORK/err" | is run drom.run/1
}

@test "verify" {
    two_cpus
    prints verify verify --runs 1 --no-record -- "$GUESTS/plain" 0.5
    part '.modes[]' | while IFS= read -r line; do is mode <<<"$line"; done
}

@test "what the benchmarks measure" {
    two_cpus
    [[ -x $BUILD/bench/regions-gomp ]] || missing "the benchmarks are not built"
    python3 "$BATS_TEST_DIRNAME/../../bench/measure.py" --build "$BUILD" --out "$WORK/json" --quick --only list_ms --only attach_us
    [[ $(part 'keys') == '["attach_us","list_ms","load1","machine"]' ]]
    fits bench-summary <"$WORK/json"
}

@test "the benchmark of the entry points measures them, in a program whose team may follow" {
    two_cpus
    [[ -x $BUILD/bench/entry-gomp && -x $BUILD/bench/entry-omp ]] || missing "the benchmarks are not built"
    local key=safe_point_omp_region_ns_over_bare
    timeout 900 python3 "$BATS_TEST_DIRNAME/../../bench/measure.py" --build "$BUILD" --out "$WORK/json" --quick --only "$key"
    fits bench-summary <"$WORK/json"
    [[ $(part ".$key | [.threads_1, .threads_2, .gomp_threads_1, .gomp_threads_2 | .entry_point_ns.value | type] | unique") == '["number"]' ]]
}

@test "a refusal of every verb" {
    export DROM_TABLE=$WORK/none
    for command in list "set 1 0" "shrink 1 1" "expand 1 1" "add 1 0" "remove 1 0" "drain 0" "restore 0" "wait 1" watch "explain 1" stats top advise check \
        "run --cpus 4095 --no-preload true" "verify --runs 0 true" "env --nonsense"; do
        read -ra words <<<"$command"
        drom "${words[0]}" --json "${words[@]:1}" >"$WORK/json" 2>"$WORK/err" && false
        [[ $(wc -l <"$WORK/json") == 1 ]] || { echo "$command: $(<"$WORK/json")" "$(<"$WORK/err")"; return 1; }
        is refusal "drom.${words[0]}/1" <"$WORK/json"
    done
}
