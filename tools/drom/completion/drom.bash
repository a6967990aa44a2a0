# SPDX-License-Identifier: BSD-3-Clause
# drom.bash - bash completion of drom: verbs, options, clients that live now, units of CPU sets.
# shellcheck shell=bash

_drom_clients() {
    drom ${table:+--table "$table"} list -o pid,name --raw 2>/dev/null | tr '\t' '\n' | sort -u
}

_drom_jobs() { drom ${table:+--table "$table"} list -o job --raw 2>/dev/null | grep . | sort -u; }

_drom_options() {
    local common='-n --table -J --json -q --quiet -v --verbose -h --help'
    local pace='--timeout --grace'
    local waiting="--wait --no-wait $pace"
    local growth='--take --return --fast'
    case $1 in
        run) echo "--cpus --ncpus --max --min --rigid --resize --wait --name --job --no-doors $pace --fast $common" ;;
        verify) echo "--check --runs --seed --limit --no-record $common" ;;
        list) echo "-o --columns --raw $common" ;;
        set | give) echo "--job $waiting $growth $common" ;;
        expand) echo "--job --per-rank $waiting $growth $common" ;;
        shrink) echo "--job --per-rank $waiting $common" ;;
        take) echo "--job $waiting $common" ;;
        drain | restore) echo "$waiting $common" ;;
        wait) echo "--seq --wait --timeout --grace $common" ;;
        watch) echo "--for --count --all $common" ;;
        explain) echo "--sample $common" ;;
        check | env) echo "$common" ;;
        *) echo "$common -V --version" ;;
    esac
}

# What may follow an option that takes a value; nothing printed and success: anything may.
_drom_values() {
    case $1 in
        --wait) echo 'released resized' ;;
        --grace) echo 'now never' ;;
        --resize) echo 'keep follow auto' ;;
        --cpus) echo 'core: numa: package: 0x' ;;
        --job) _drom_jobs ;;
        -o | --columns) echo 'slot pid name job cpus want request team resize doors state seq min max why' ;;
        --ncpus | --max | --min | --per-rank | --name | --timeout | --check | --runs | --seed | --limit | --seq | --for | --count | --sample) ;;
        *) return 1 ;;
    esac
}

_drom() {
    local verbs='run verify list set shrink expand give take drain restore wait watch explain check env help'
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local verb='' table='' values i position=0
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
            -n | --table) table=${COMP_WORDS[++i]} ;;
            --) # the command's own words
                mapfile -t COMPREPLY < <(compgen -c -f -- "$word")
                return ;;
            -*) _drom_values "${COMP_WORDS[i]}" >/dev/null && ((i++)) ;;
            *) if [[ -z $verb ]]; then verb=${COMP_WORDS[i]}; else ((++position)); fi ;;
        esac
    done
    if [[ $before == -n || $before == --table ]]; then
        mapfile -t COMPREPLY < <(compgen -d -- "$word")
    elif values=$(_drom_values "$before"); then
        mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
    elif [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_drom_options "$verb")" -- "$word")
    else
        case $verb:$position in
            :*) mapfile -t COMPREPLY < <(compgen -W "$verbs" -- "$word") ;;
            help:0) mapfile -t COMPREPLY < <(compgen -W "$verbs" -- "$word") ;;
            run:* | verify:*) mapfile -t COMPREPLY < <(compgen -c -f -- "$word") ;;
            set:1 | give:1 | take:1 | drain:0 | restore:0) mapfile -t COMPREPLY < <(compgen -W 'core: numa: package: 0x' -- "$word") ;;
            list:0 | set:0 | shrink:0 | expand:0 | give:0 | take:0 | wait:0 | watch:0 | explain:0)
                mapfile -t COMPREPLY < <(compgen -W "$(_drom_clients)" -- "$word") ;;
        esac
    fi
}
complete -F _drom drom
