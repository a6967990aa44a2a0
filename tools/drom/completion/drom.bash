# SPDX-License-Identifier: BSD-3-Clause
# drom.bash - bash completion of drom. drom itself knows what may follow; see drom --complete in
# tools/drom/command_line/completion.cpp.
# shellcheck shell=bash

# Puts what bash took apart at ":" and "=" together again: the words up to the cursor are in $words.
_drom_words() {
    local i part
    words=()
    for ((i = 1; i <= COMP_CWORD; i++)); do
        part=${COMP_WORDS[i]}
        if ((${#words[@]})) && [[ $part == [:=] || ${COMP_WORDS[i - 1]} == [:=] ]]; then
            words[-1]+=$part
        else
            words+=("$part")
        fi
    done
}

_drom() {
    local words word candidate before
    COMPREPLY=()
    _drom_words
    word=${words[-1]-}
    # bash replaces only what is behind the last ":" or "=".
    before=${word%"${word##*[:=]}"}
    while IFS=$'\t' read -r candidate _; do
        case $candidate in
            :folders) mapfile -t COMPREPLY < <(compgen -d -- "${word#"$before"}") ;;
            :files) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
            :commands) mapfile -t COMPREPLY < <(compgen -c -d -- "$word" | sort -u) ;;
            *) COMPREPLY+=("${candidate#"$before"}") ;;
        esac
        case $candidate in
            :*) compopt -o filenames 2>/dev/null ;;
            *:) compopt -o nospace 2>/dev/null ;;
        esac
    done < <("${COMP_WORDS[0]}" --complete "${words[@]}" 2>/dev/null)
}
complete -F _drom drom
