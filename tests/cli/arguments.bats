#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# arguments.bats - the command line itself: help, usage, names, CPU sets, environment, manual page, completion.

bats_require_minimum_version 1.5.0

load support

no_table="open table .*: there is none; start a program with drom run, or set DROM_TABLE"

@test "help is one screen, long help has examples, both begin alike" {
    run drom -h
    [[ $status == 0 && ${#lines[@]} -le 40 && ${lines[0]} == "drom - move CPUs between running programs on this node" ]]
    run drom --help
    [[ $status == 0 && $output == *Examples:* ]]
}

@test "every verb has the same sections in the same order" {
    for verb in $("$BIN" -h | awk '/^  [a-z]/ {print $1}'); do
        run drom "$verb" --help
        [[ $status == 0 ]]
        sections=$(grep -Eo '^(Usage|Options|Exit status|Examples):' <<<"$output" | tr -d '\n')
        [[ $sections == "Usage:Options:Exit status:Examples:" ]] || { echo "$verb: $sections" >&2; false; }
        run drom "$verb" -h
        [[ $status == 0 && ${#lines[@]} -le 40 && ${lines[0]} == "drom $verb - "* ]]
    done
}

# pages: the words that ask for each page of help, one page per line.
pages() { printf '%s\n' -h --help; for verb in $("$BIN" -h | awk '/^  [a-z]/ {print $1}'); do printf '%s\n' "$verb -h" "$verb --help"; done; }

@test "the help of run tells its own exit statuses, and that of other verbs theirs" {
    drom run --help | tr -s ' \n' ' ' | grep -q "Exit status: the command's; 126 it cannot be executed; 127 it was not found"
    for verb in set verify; do drom "$verb" --help | tr -s ' \n' ' ' | grep -q "Exit status: 0 done; 1 refused, .*; 3 posted .*; 4 table damaged"; done
    for verb in check explain list metrics stats top watch; do
        [[ $(drom "$verb" --help) == *"Exit status: 0 done; 1 refused, or output lost; 2 usage; 4 table damaged"* ]] || { echo "$verb" >&2; false; }
    done
    run -0 drom env --help
    [[ $output == *"Exit status: 0 done; 1 refused, a variable is wrong, or output lost; 2 usage"* ]]
}

@test "every verb of the overview is apart from its text" {
    COLUMNS=200 drom -h | awk '/^  [a-z]/ && !/[^ ]  +[^ ]/ { print; wrong = 1 } END { exit wrong }'
}

@test "the help of verbs without --json does not offer it" {
    for verb in metrics trace; do [[ $("$BIN" $verb --help) != *"  -J, --json"* ]]; done
    [[ $("$BIN" stats --help) == *"  -J, --json"* ]]
}

@test "help is as wide as COLUMNS says, and loses no word" {
    words() { tr -d '#\\' | tr -s ' \n' '\n'; }
    [[ $(pages | wc -l) -ge 30 ]]
    while IFS= read -r page; do
        # shellcheck disable=SC2086
        for width in 60 80 132; do
            COLUMNS=$width drom $page >"$WORK/page"
            awk -v width="$width" 'length($0) > width { print FILENAME ": " $0; wide = 1 } END { exit wide }' "$WORK/page"
            # Comments that go on have one more #, commands a backslash.
            diff <(COLUMNS=10000 drom $page | words) <(words <"$WORK/page")
        done
    done < <(pages)
}

@test "help is as wide as the terminal, and 80 columns where there is none" {
    unset COLUMNS
    widest() { awk 'length($0) > max { max = length($0) } END { print max }'; }
    (($(drom run --help | widest) <= 80 && $(drom run --help | widest) > 70))
    on_terminal() { script -qec "stty cols $1; '$BIN' run --help" /dev/null </dev/null | tr -d '\r'; }
    (($(on_terminal 60 | widest) <= 60))
    (($(on_terminal 120 | widest) <= 120 && $(on_terminal 120 | widest) > 100))
}

@test "drom help VERB is drom VERB --help" {
    diff <("$BIN" help set) <("$BIN" set --help)
    diff <("$BIN" help) <("$BIN" --help)
}

@test "options before help do not hide it" {
    diff <("$BIN" --json help) <("$BIN" --help)
    diff <("$BIN" -q --table "$WORK/help" help set) <("$BIN" set --help)
    refuses 2 "^drom: 'foo' is one argument too many; usage: drom help \[VERB\]" drom --json help list foo
    refuses 2 "^drom: list: --table needs a value" drom --table= list
    refuses 2 "^drom: --table needs a value" drom --table=
    [[ $(drom -q run --no-preload sh -c 'echo $1' sh --name=) == --name= ]]
}

@test "asking for help on run starts nothing" {
    refuses 2 "^drom: 'sh' is one argument too many; usage: drom help \[VERB\]" drom help run sh -c "touch '$WORK/started'"
    refuses 2 "'foo' is one argument too many" drom help list foo
    drom help run -- touch "$WORK/started" | grep -q "^drom run - "
    [[ ! -e $WORK/started && ! -e $DROM_TABLE ]]
}

@test "asking for help on help is not told that there is no verb help" {
    diff <("$BIN" help help) <("$BIN" --help)
    refuses 2 "^drom: 'x' is one argument too many; usage: drom help \[VERB\]$" drom help help x
    refuses 2 "^drom: 'help' is one argument too many; usage: drom help \[VERB\]$" drom help help help
}

@test "an option with nothing for its value is refused, and nothing is started" {
    for option in --cpus --ncpus --name --max --min --job --timeout --grace; do
        refuses 2 "^drom: run: $option needs a value" drom run "$option" '' -- touch "$WORK/started"
        refuses 2 "^drom: run: $option needs a value" drom run "$option=" -- touch "$WORK/started"
        refuses 2 "^drom: run: $option needs a value" drom run "$option=" --verbose -- touch "$WORK/started"
    done
    refuses 2 "^drom: set: --wait needs a value" drom set 1 0 --wait= --no-wait
    refuses 2 "^drom: list: --table needs a value" drom list --table ''
    refuses 2 "^drom: run: COMMAND is empty" drom run ''
    refuses 2 "^drom: run: COMMAND is empty" drom run -- ''
    [[ ! -e $WORK/started && ! -e $DROM_TABLE ]]
    [[ $(drom run --no-preload sh -c 'echo $1' sh --name=) == --name= ]] # the command's own
}

@test "a value for an option that takes none is not ignored" {
    refuses 2 "^drom: run: --wait takes no value" drom run --wait=5 -- touch "$WORK/started"
    refuses 2 "^drom: run: --rigid takes no value" drom run --rigid=no -- touch "$WORK/started"
    refuses 2 "^drom: list: --json takes no value" drom list --json=compact
    [[ ! -e $WORK/started && ! -e $DROM_TABLE ]]
}

@test "version" {
    run drom --version
    [[ $status == 0 && $output =~ ^drom\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
    refuses 2 "^drom: 'extra' is one argument too many; usage: drom --version$" drom --version extra
    refuses 2 "^drom: 'list' is one argument too many; usage: drom --version$" drom -V list
}

@test "the empty variable of a script does not mean every client" {
    refuses 2 "^drom: list: CLIENT is empty; name a client, or leave it out" drom list ''
    refuses 2 "^drom: watch: CLIENT is empty" drom watch ''
    refuses 2 "^drom: set: CLIENT is missing" drom set '' 0
}

@test "a name with a line break is complained about on one line, and a long one is shortened" {
    drom run --no-preload true
    refuses 1 "^drom: list: no client is called 'a\?b'; drom list shows those there are$" drom list $'a\nb'
    refuses 2 "^drom: there is no verb '\?\[31m'" drom $'\e[31m'
    refuses 1 "^drom: list: no client is called 'x{31}\.\.\.'; drom list" drom list "$(printf 'x%.0s' {1..5000})"
}

@test "a wrong verb or option is refused and the nearest suggested" {
    refuses 2 "^drom: a verb is missing; drom -h lists them" drom
    refuses 2 "there is no verb 'lits'; did you mean list\?" drom lits
    refuses 2 "there is no verb 'sett'; did you mean set\?" drom help sett
    refuses 2 "there is no verb 'frobnicate' \(drom -h" drom frobnicate
    refuses 2 "^drom: list: there is no option --jsn; did you mean --json\?" drom list --jsn
    refuses 2 "^drom: run: there is no option --ncpu; did you mean --ncpus\?" drom run --ncpu 1 -- true
    refuses 2 "^drom: set: --timeout needs a value" drom set 1 0 --timeout
    refuses 2 "nothing may follow --" drom list -- x
}

@test "missing and surplus arguments are named" {
    refuses 2 "^drom: set: CLIENT is missing; usage: drom set CLIENT MASK .*'#3', in quotes" drom set
    refuses 2 "^drom: set: MASK is missing" drom set 1
    refuses 2 "^drom: shrink: N is missing" drom shrink 1
    refuses 2 "^drom: drain: MASK is missing" drom drain
    refuses 2 "^drom: run: COMMAND is missing" drom run
    refuses 2 "^drom: verify: COMMAND is missing" drom verify --runs 1
    refuses 2 "'c' is one argument too many; usage: drom set CLIENT MASK$" drom set a b c
    refuses 2 "'c' is one argument too many; usage: drom check$" drom check c
}

@test "numbers are strict" {
    refuses 2 "N 'x' is not a whole number of CPUs" drom shrink 1 x
    refuses 2 "N '1x' is not a whole number of CPUs" drom shrink 1 1x
    refuses 2 "N '1.5' is not a whole number" drom expand 1 1.5
    refuses 2 "N 0 is out of range; 1 to 4096 CPUs" drom shrink 1 0
    refuses 2 "N '-1' is not a whole number of CPUs" drom shrink 1 -1
    refuses 2 "--timeout 'soon' is not a whole number of milliseconds" drom set 1 0 --timeout soon
    refuses 2 "^drom: set: --grace 86400001 is out of range; 0 to 86400000 milliseconds, or now or never can be meant$" drom set 1 0 --grace 86400001
    refuses 2 "--grace 'later' is not a whole number of milliseconds, nor now or never" drom set 1 0 --grace later
    refuses 2 "--seq 'a' is not a whole number" drom wait 1 --seq a
    refuses 2 "--seq 0 is out of range; requests begin with 1" drom wait 1 --seq 0
    refuses 2 "--timeout 99999999999999999999 is out of range; 1 to 86400000 milliseconds" drom set 1 0 --timeout 99999999999999999999
    refuses 2 "--seq 99999999999999999999 is out of range; 1 to 18446744073709551615" drom wait 1 --seq 99999999999999999999
    refuses 2 "--seed 'abc' is not a whole number$" drom verify --seed abc -- true
    refuses 2 "--seed 99999999999999999999 is out of range; 0 to 18446744073709551615 can be meant$" drom verify --seed 99999999999999999999 -- true
    refuses 2 "--ncpus 0 is out of range" drom run --ncpus 0 -- true
    refuses 2 "--for 0 is out of range" drom watch --for 0
    refuses 2 "--for '0.5' is not a whole number of seconds$" drom watch --for 0.5
    refuses 2 "--window '1.5' is not a whole number of seconds$" drom top --window 1.5
    for page in "watch -h" "top -h" "trace -h"; do run -0 drom $page; [[ $(tr -s ' \n' ' ' <<<"$output") == *" whole seconds"* ]]; done
    # 010 is ten, not eight: the table is the next thing that is missing
    refuses 1 "$no_table" drom shrink 1 010
}

@test "options that contradict one another are refused" {
    refuses 2 "--cpus and --ncpus exclude each other" drom run --cpus 0 --ncpus 1 -- true
    refuses 2 "--ncpus 2 is more than --max 1" drom run --ncpus 2 --max 1 -- true
    refuses 2 "--min 3 is more than --max 2" drom run --min 3 --max 2 -- true
    refuses 2 "--wait and --no-wait exclude each other" drom set 1 0 --wait resized --no-wait
    refuses 2 "--wait 'done' is neither released nor resized" drom set 1 0 --wait done
    refuses 2 "^drom: run: --resize 'safe' is neither keep nor follow nor auto$" drom run --resize safe -- true
    refuses 2 "^drom: explain: CLIENT and --slurm exclude each other$" drom explain one --slurm 7
    refuses 2 "^drom: list: --all-users means whole tables of all users; give neither CLIENT nor --table with it$" drom list one --all-users
    refuses 2 "^drom: list: --all-users means whole tables of all users" drom list --all-users --table "$WORK/one"
    refuses 2 "^drom: stats: --all-users means whole tables of all users; give no --job with it$" drom stats --all-users --job 7
    refuses 2 "^drom: stats: --talp is about one program, and --all-users about those of all tables$" drom stats --all-users --talp
    refuses 2 "^drom: stats: merge and --all-users exclude each other: the files have their programs$" drom stats merge x.json --all-users
    refuses 2 "^drom: top: --all-users needs --once: the screen is about one table$" drom top --all-users --json
    refuses 2 "^drom: trace: --all-users: a trace follows one table; name it with --table, as the user whose table it is$" drom trace x.csv --all-users
    refuses 2 "^drom: advise: --all-users: CPUs move between the clients of one table; name it with" drom advise --all-users
    refuses 2 "--name 12 would be taken for a pid" drom run --name 12 -- true
    refuses 2 "--name -x would be taken for an option; a name begins with a letter" drom run --name -x -- true
    refuses 2 "--name --cpus would be taken for an option" drom run --name --cpus -- true
    refuses 2 "--name #1 would be taken for a slot" drom run --name '#1' -- true
    refuses 2 "--name a{32} is longer than 31 characters; shorten it" drom run --name aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa -- true
    DROM_NAME=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa refuses 2 "DROM_NAME=a{32} is longer than 31 characters; shorten it" drom run -- true
    DROM_MAX_CPUS=1 refuses 2 "^drom: run: --ncpus 2 is more than DROM_MAX_CPUS=1$" drom run --ncpus 2 -- true
    DROM_MIN_CPUS=3 refuses 2 "^drom: run: DROM_MIN_CPUS=3 is more than --max 2$" drom run --max 2 -- true
    DROM_MIN_CPUS=3 refuses 2 "^drom: run: DROM_MIN_CPUS=3 is more than --ncpus 1$" drom run --ncpus 1 -- true
    DROM_MIN_CPUS=5000 refuses 2 "^drom: run: DROM_MIN_CPUS=5000 is out of range; 0 to 4096 CPUs can be meant$" drom run -- true
    refuses 2 "there is no column 'cpu'; there are slot,pid,name" drom list -o cpu
    refuses 2 "--columns needs a value" drom list -o ''
    refuses 2 "--columns ',pid' has a comma too many" drom list -o ,pid
    refuses 2 "--columns 'pid,' has a comma too many" drom list -o pid,
}

@test "garbage CPU sets are refused with the position of what is wrong" {
    while IFS='|' read -r text pattern; do
        refuses 2 "^drom: set: MASK '$text': $pattern" drom set 1 "$text"
    done <<'ROWS'
abc|neither the number of a CPU nor a unit \(core:, numa:, package:\), at 'abc' \(character 1\)
l3:0|neither the number of a CPU nor a unit \(core:, numa:, package:\), at 'l3:0' \(character 1\)
0-1,pu:0|neither the number of a CPU nor a unit \(core:, numa:, package:\), at 'pu:0' \(character 5\)
all|neither the number of a CPU nor a unit \(core:, numa:, package:\), at 'all' \(character 1\)
0-|the end of the range is missing, at the end \(character 3\)
3-1|the range runs backwards, at '3-1' \(character 1\)
0-1x|unexpected character, at 'x' \(character 4\)
0,,1|a number is missing, at ',1' \(character 3\)
0,|a number is missing, at the end \(character 3\)
0 1|unexpected character, at ' 1' \(character 2\)
-1-2|
0-4:0|a step of zero
0x|hexadecimal digits are missing, at the end
0xfg|unexpected character, at 'g' \(character 4\)
0x0|the CPU set is empty
4096|a number beyond 4095, at '4096'
99999999999999999999|a number beyond 4095
core:|a number is missing, at the end \(character 6\)
core:0-9999|a number beyond 4095
cores:0|neither the number of a CPU nor a unit \(core:, numa:, package:\), at 'cores:0'
core:x|a number is missing, at 'x' \(character 6\)
ROWS
}

@test "an empty CPU set is refused" {
    refuses 2 "MASK is missing" drom set 1 ''
}

@test "words of the topology mean what hwloc says" {
    command -v hwloc-calc >/dev/null || missing "no hwloc-calc to compare with"
    export HWLOC_SYNTHETIC="Package:2 NUMANode:2 L3:2 Core:4 PU:2"
    for row in core:0=core:0 core:3-5=core:3-5 numa:1=numanode:1 package:1=package:1 numa:2-3=numanode:2-3; do
        refuses 1 "$no_table" drom set 1 "${row%%=*}"
        [[ -n $(hwloc-calc --input "$HWLOC_SYNTHETIC" "${row#*=}" --taskset) ]]
    done
    refuses 1 "there is no core 32, only 32 of them" drom set 1 core:32
    refuses 1 "there is no NUMA node 4, only 4 of them" drom set 1 numa:4
    refuses 1 "there is no NUMA node 4000, only 4 of them, at '4000' \(character 6\)" drom set 1 numa:4000
    refuses 1 "there is no package 77" drom set 1 core:0,package:77
}

@test "drom env shows values and where they come from" {
    DROM_GRACE_MS=7 run drom env
    [[ $status == 0 ]]
    grep -Eq '^DROM_GRACE_MS +7 +environment ' <<<"$output"
    grep -Eq '^DROM_TIMEOUT_MS +1000 +default ' <<<"$output"
    [[ $(drom env --json | jq -r '.variables[] | select(.name == "DROM_TABLE") | .value') == "$DROM_TABLE" ]]
}

@test "drom env has every line of env.def, in its order" {
    names=$(sed -n 's/^X(\([A-Z_]*\),.*/\1/p' "$BATS_TEST_DIRNAME/../../libdrom/base/env.def")
    [[ $(drom env | awk '{print $1}') == "$names" && -n $names ]]
}

@test "an unknown DROM_ variable is reported, by env with status 1, by others once on stderr" {
    export DROM_TIMEUOT_MS=5
    refuses 1 "^drom: env: DROM_TIMEUOT_MS is not a variable of drom; did you mean DROM_TIMEOUT_MS\?" drom env
    [[ $(drom env --json 2>/dev/null | jq -c .unknown) == '["DROM_TIMEUOT_MS"]' ]]
    refuses 1 "drom: list: DROM_TIMEUOT_MS is not a variable of drom; did you mean" drom list
    run drom list --quiet
    [[ $output != *DROM_TIMEUOT_MS* ]]
}

@test "a value that a variable cannot have is reported, by env with status 1, by others on stderr" {
    words=$(sed -n 's/^X(DROM_RESIZE, *"\([a-z]*\)".*/\1/p' "$BATS_TEST_DIRNAME/../../libdrom/base/env.def")
    while IFS='|' read -r setting pattern; do
        refuses 1 "^drom: env: $setting is $pattern" env "$setting" "$BIN" env
        refuses 1 "^drom: list: $setting is $pattern" env "$setting" "$BIN" list
        [[ $(env "$setting" "$BIN" env --json 2>/dev/null | jq -c .invalid) == "[\"${setting%%=*}\"]" ]]
    done <<ROWS
DROM_RESIZE=fast|none of .*; the default holds \($words\)
DROM_PIN=core|none of place, bind, none; the default holds \(place\)
DROM_GRACE_MS=abc|neither a whole number nor never; the default holds \(20\)
DROM_TIMEOUT_MS=-3|not a whole number; the default holds \(1000\)
DROM_MAX_CPUS=1.5|not a whole number
DROM_VERBOSE=much|not a whole number
DROM_ASYNC=perhaps|neither 0 nor 1; the default holds \(1\)
DROM_DISABLE=2|neither 0 nor 1; the default holds \(0\)
ROWS
    for setting in DROM_GRACE_MS=never DROM_PIN=none "DROM_RESIZE=$words" DROM_ASYNC=off DROM_TIMEOUT_MS=; do
        env "$setting" "$BIN" env >"$WORK/out" 2>"$WORK/err"
        [[ ! -s $WORK/err ]]
    done
    # The value in force is the one that is shown.
    run --separate-stderr env DROM_TIMEOUT_MS=-3 "$BIN" env
    grep -Eq '^DROM_TIMEOUT_MS +1000 +default ' <<<"$output"
}

@test "output that is lost on a full disk is a failure, and is told" {
    "$BIN" run --no-preload --name one --cpus "$A" -- sleep 60 &
    STARTED+=($!)
    eventually "it is there" client_is one mask "$A"
    for command in list "list --json" "list --raw" "explain one --sample 1" "explain one --sample 1 --json" "stats one --window 1" "stats one --window 1 --json" "top --window 1" "top --once --window 1 --json" "metrics --window 1" "advise --window 1" "advise --window 1 --json" env "env --json" check "check --json" \
        "wait one" "wait one --json" "set one $A" "set one $A --json" "watch --all --count 1" "watch --all --count 1 --json"; do
        # shellcheck disable=SC2086
        lost "^drom: ${command%% *}: its output cannot be written: No space left on device$" $command
    done
    lost "^drom: verify: its output cannot be written: " verify --runs 1 --no-record -- true
    for command in help "help list" "list -h" --version "--complete list -" --dump-options; do
        # shellcheck disable=SC2086
        lost "^drom: its output cannot be written: No space left on device$" $command
    done
    for command in list check env; do
        # shellcheck disable=SC2016
        refuses 1 "^drom: $command: its output cannot be written: Bad file descriptor$" bash -c '"$0" "$1" >&-' "$BIN" "$command"
    done
    kill -KILL "$(client one pid)"
}
lost() { # PATTERN ARGUMENT...: refuses with its standard output on a full disk
    local pattern=$1 status=0
    shift
    "$BIN" "$@" >/dev/full 2>"$WORK/told" || status=$?
    [[ $status == 1 ]] && grep -qE "$pattern" "$WORK/told" || { echo "$*: $status, $(<"$WORK/told")" >&2; return 1; }
}

@test "a reader that has seen enough is no failure" {
    # shellcheck disable=SC2016
    run --separate-stderr bash -c 'trap "" PIPE; set -o pipefail; "$1" help | true; "$1" help help | true' bash "$BIN"
    # shellcheck disable=SC2154
    [[ $status == 0 && -z $stderr ]]
}

@test "too few file descriptors are called so, and blamed on nothing else" {
    few="^drom: (list|check|explain|stats|run): it needs 16 more open files, and the limit is [0-9]+; raise it"
    for limit in 6 7 9 12 17; do
        for command in list check "explain one" stats "run --no-preload -- true"; do
            # shellcheck disable=SC2016
            refuses 1 "$few" bash -c 'ulimit -n "$1"; shift; exec "$@" 3>&- 4>&-' bash "$limit" "$BIN" $command
        done
    done
    [[ ! -e $DROM_TABLE ]]
    # shellcheck disable=SC2016
    bash -c 'ulimit -n 6; exec "$0" list --json 3>&- 4>&-' "$BIN" 2>/dev/null | jq -e '.status == "DROM_E_OS" and (.error | contains("open files"))'
    # shellcheck disable=SC2016
    bash -c 'ulimit -n 64; exec "$0" run --no-preload -- true' "$BIN"
}

@test "too little memory is called so" {
    drom run --no-preload -- true
    for command in list "list --json" "run --no-preload -- true" "verify --runs 1 -- true"; do
        for limit in {6500..9500..100}; do
            # shellcheck disable=SC2016
            timeout 60 bash -c 'ulimit -v "$1"; shift; exec "$@"' bash "$limit" "$BIN" $command >"$WORK/out" 2>"$WORK/err" || true
            run ! grep -q bad_alloc "$WORK/err"
            if grep -q 'more memory' "$WORK/err"; then
                grep -qx "drom: ${command%% *}: it needs more memory than it can get; raise the limit (ulimit -v), or end other programs" "$WORK/err"
            fi
        done
    done
}

# with_few_processes COMMAND...: as a user who has this one process and may not have more. Root has no such limit.
with_few_processes() {
    local as=()
    [[ $EUID != 0 ]] || as=(setpriv --reuid 54321 --regid 54321 --clear-groups --inh-caps=-all --bounding-set=-all)
    # shellcheck disable=SC2016
    "${as[@]}" bash -c 'ulimit -u 1; exec "$@"' bash "$@"
}

@test "too few processes are called so, with the program and what would help" {
    # The build folder may be closed to other users.
    chmod 711 "$WORK"
    mkdir -m 777 "$WORK/open"
    mkdir "$WORK/bin" "$WORK/lib"
    cp "$BIN" "$WORK/bin/"
    cp -a "$BUILD"/lib/libdrom*.so* "$WORK/lib/"
    drom=$WORK/bin/drom
    export DROM_TABLE=$WORK/open/table TMPDIR=$WORK/open
    help="raise the limit of processes \(ulimit -u\), or end other programs$"
    refuses 1 "^drom: run: no process can be started for the program: Resource temporarily unavailable; $help" with_few_processes "$drom" run --no-preload -- true
    refuses 1 "^drom: verify: no process can be started for the program: Resource temporarily unavailable; $help" with_few_processes "$drom" verify --runs 1 -- true
    refuses 1 "^drom: watch: it needs one more thread than it can get; $help" with_few_processes "$drom" watch --for 1
    run ! with_few_processes "$drom" watch --for 1 --json
    [[ $(grep '^{' <<<"$output" | jq -r '.schema + " " + .status') == "drom.watch/1 DROM_E_OS" ]]
}

@test "with --json a refusal is an object with its status" {
    run --separate-stderr drom list --json
    [[ $status == 1 && $(jq -r '.schema + " " + .status' <<<"$output") == "drom.list/1 DROM_E_NOTABLE" ]]
    [[ $(jq -r .error <<<"$output") =~ $no_table ]]
    run --separate-stderr drom set 1 abc --json
    [[ $status == 2 && $(jq -r .status <<<"$output") == DROM_E_INVAL ]]
    run --separate-stderr drom frob --json
    [[ $status == 2 && $(jq -r '.schema + " " + .error' <<<"$output") == "drom.error/1 drom: there is no verb 'frob' (drom -h lists them)" ]]
}

@test "every option is in the manual page" {
    page=$BATS_TEST_DIRNAME/../../docs/reference/man/drom.1.scd
    count=0
    while IFS=$'\t' read -r verb option; do
        grep -qF -- "*$option*" "$page" || { echo "drom(1) lacks $option of $verb" >&2; false; }
        ((++count))
    done < <(drom --dump-options)
    ((count > 150))
}

@test "completion offers every option of every verb, and no other" {
    drom --dump-options >"$WORK/dump"
    for verb in $(cut -f1 "$WORK/dump" | sort -u); do
        words=("$verb")
        [[ $verb != - ]] || words=()
        diff <(drom --complete "${words[@]}" - | cut -f1 | sort -u) <(awk -v verb="$verb" '$1 == verb {print $2}' "$WORK/dump" | sort -u)
    done
}

@test "every column of drom list is in its help and in the manual page, and is completed" {
    page=$BATS_TEST_DIRNAME/../../docs/reference/man/drom.1.scd
    columns=$(drom list -o nothing 2>&1 | sed -n 's/.*there are //p' | tr , '\n')
    [[ $(wc -l <<<"$columns") -ge 17 ]]
    for column in $columns; do
        drom help list | grep -qE "^  $column +[a-z]"
        grep -E '^.Columns, separated by commas:' "$page" | grep -qE "[ :]${column}[,.]"
    done
    [[ $(drom --complete list -o '' | cut -f1) == "$columns" ]]
}

# offers WORDS...: the candidates for the last one, on one line.
offers() { drom --complete "$@" | cut -f1 | xargs; }

@test "completion knows verbs, options, their values and units" {
    [[ $(offers exp) == "expand explain" ]]
    [[ $(offers run --nc) == --ncpus ]]
    [[ $(offers set --wait re) == "released resized" ]]
    [[ $(offers set --wait=rel) == --wait=released ]]
    [[ $(offers set 1 nu) == numa: ]]
    [[ $(offers set --job 88 nu) == numa: ]]
    [[ $(offers help wat) == watch ]]
    [[ $(offers list -o pid,na) == pid,name ]]
    [[ $(offers list -o pid,p) == pid,processes ]]
    [[ $(offers trace --format p) == "perfetto paraver" && $(offers trace x) == :files ]]
    [[ $(offers --table "") == :folders && $(offers run -- ./x) == :files && $(offers run ma) == :commands ]]
    # run --wait takes no value.
    [[ $(offers run --wait ma) == :commands && -z $(offers list --nothing) && -z $(offers frob x) ]]
}

@test "completion knows the clients and jobs of the table, and offers no job where there is none" {
    background "$BIN" run --no-preload --name render --cpus "$A" -- sleep 60
    eventually "it is there" client_is render mask "$A"
    [[ $(offers set ren) == render && $(offers list "$(client render pid)") == "$(client render pid)" ]]
    [[ -z $(offers set --job "") ]]
    table=$DROM_TABLE
    [[ $(DROM_TABLE=$WORK/none offers --table "$table" explain r) == render ]]
    kill -KILL "$(client render pid)"
    ended 137
    background "$BIN" run --no-preload --name render --job 88.0 --cpus "$A" -- sleep 60
    eventually "it is there" client_is render mask "$A"
    [[ $(offers set --job "") == 88.0 ]]
}

complete_words() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _drom
    echo "${COMPREPLY[*]}"
}

@test "bash completes what drom offers, and each file once" {
    # shellcheck source=/dev/null
    source "$BATS_TEST_DIRNAME/../../tools/drom/completion/drom.bash"
    [[ $(complete_words drom exp) == "expand explain" ]]
    [[ $(complete_words drom set --wait = rel) == released ]]
    [[ $(complete_words drom set 1 nu) == numa: ]]
    [[ $(complete_words drom list -o pid,na) == pid,name ]]
    printf '#!/bin/sh\n' >"$WORK/simulation"
    chmod +x "$WORK/simulation"
    [[ $(complete_words drom run -- "$WORK/sim") == "$WORK/simulation" ]]
}

@test "zsh completes what drom offers" {
    command -v zsh >/dev/null || missing "no zsh"
    cat >"$WORK/ask" <<'ASK'
_describe() { print -l -- "${(@P)3}" }
_files() { print -- "files $*" }
_command_names() { print -- commands }
compadd() { shift 3; print -l -- $@ }
script=$1; shift
complete_drom() { local -a words=("$@"); local CURRENT=$#; source $script }
complete_drom "$@"
ASK
    ask() { zsh -f "$WORK/ask" "$BATS_TEST_DIRNAME/../../tools/drom/completion/drom.zsh" "$BIN" "$@"; }
    [[ $(ask exp | cut -d: -f1 | xargs) == "expand explain" ]]
    [[ $(ask set 1 nu) == numa: && $(ask run -- ./x) == "files " && $(ask --table "") == "files -/" && $(ask run x) == commands ]]
}

@test "fish completes what drom offers" {
    command -v fish >/dev/null || missing "no fish"
    ask() { PATH=${BIN%/*}:$PATH HOME=$WORK fish --no-config -c "source '$BATS_TEST_DIRNAME/../../tools/drom/completion/drom.fish'; complete -C '$1'" | cut -f1 | xargs; }
    [[ $(ask "drom exp") == "expand explain" ]]
    [[ $(ask "drom set --wait re") == "released resized" && $(ask "drom set 1 nu") == numa: ]]
    [[ $(ask "drom ") == *help*list* ]]
}

@test "the manual pages are made without complaint" {
    command -v scdoc >/dev/null || missing "no scdoc"
    command -v mandoc >/dev/null || missing "no mandoc"
    for source in "$BATS_TEST_DIRNAME"/../../docs/reference/man/*.scd; do
        page=$WORK/$(basename "${source%.scd}")
        scdoc <"$source" >"$page"
        # scdoc writes a paragraph macro before each heading; that is all mandoc may find.
        complaints=$(mandoc -T lint -W warning "$page" | grep -v 'skipping paragraph macro' || true)
        [[ -z $complaints ]] || { echo "$complaints" >&2; false; }
    done
}

@test "every variable is in the manual page" {
    for name in $(sed -n 's/^X(\([A-Z_]*\),.*/\1/p' "$BATS_TEST_DIRNAME/../../libdrom/base/env.def"); do
        grep -qF "*$name*" "$BATS_TEST_DIRNAME/../../docs/reference/man/drom.1.scd" || { echo "drom(1) lacks $name" >&2; false; }
    done
}
