#compdef drom
# SPDX-License-Identifier: BSD-3-Clause
# _drom - zsh completion of drom. drom itself knows what may follow; see drom --complete in
# tools/drom/command_line/completion.cpp.
local line candidate
local -a described units
for line in "${(@f)$("${words[1]}" --complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    candidate=${line%%$'\t'*}
    case $candidate in
        '') ;;
        :folders) _files -/ ;;
        :files) _files ;;
        :commands) _command_names -e ;;
        *:) units+=("$candidate") ;;
        *) described+=("${candidate//:/\\:}:${line#*$'\t'}") ;;
    esac
done
(($#units)) && compadd -S '' -- $units
(($#described)) && _describe -V drom described
return 0
