# SPDX-License-Identifier: BSD-3-Clause
# drom.fish - fish completion of drom. drom itself knows what may follow; see drom --complete in
# tools/drom/command_line/completion.cpp.
function __drom_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    for line in ($words[1] --complete $words[2..-1] "$last" 2>/dev/null)
        switch $line
            case ':folders*'
                __fish_complete_directories "$last"
            case ':files*'
                __fish_complete_path "$last"
            case ':commands*'
                __fish_complete_command
            case '*'
                printf '%s\n' $line
        end
    end
end
complete -c drom -f -a '(__drom_complete)'
