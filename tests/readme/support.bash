# SPDX-License-Identifier: BSD-3-Clause
# support.bash - a root with the packages of a document's commands and nothing else.
# shellcheck shell=bash

load ../support/missing

SOURCE=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
readonly SOURCE

# commands_of DOCUMENT HEADING: the lines behind "$ " in the first console block below that heading.
commands_of() {
    awk -v heading="## $2" '
        $0 == heading { below = 1 }
        below && /^```/ { if (inside) exit; inside = 1; next }
        inside && /^\$ / { sub(/^\$ /, ""); sub(/ +#.*/, ""); print }' "$SOURCE/$1"
}

# packages_of COMMANDS...: what they install.
packages_of() {
    local command
    for command in "$@"; do
        case $command in
            scripts/packages.sh*)
                # shellcheck disable=SC2086
                "$SOURCE"/${command%% *} ${command#* } --list | cut -d' ' -f1 ;;
            *"apt-get install "*) xargs -n 1 <<<"${command#*apt-get install }" ;;
        esac
    done
}

# copied_to FOLDER: the files of this checkout, and no build folder.
copied_to() { (cd "$SOURCE" && git ls-files -z --cached --others --exclude-standard | xargs -0 sh -c 'for f; do [ ! -e "$f" ] || printf "%s\0" "$f"; done' sh | tar --null -T - -c) | tar -x -C "$1"; }

# kept_with PACKAGE...: these, what they depend on, and what every Debian has.
kept_with() {
    {
        dpkg-query -W -f '${Priority} ${Essential} ${Package}\n' | awk '$1 == "required" || $1 == "important" || $2 == "yes" {print $3}'
        printf '%s\n' "$@" git
    } | sort -u | xargs apt-cache depends --recurse --installed --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances |
        grep -o '^[a-z0-9][^ :]*' | sort -u
}

# hide_all_but PACKAGES-FILE: the files of other packages, and what no package has brought, are not there. In a
# namespace of one's own.
hide_all_but() {
    mount -t tmpfs none "$HIDDEN"
    mkdir "$HIDDEN/upper" "$HIDDEN/work"
    mount -t overlay overlay -o "lowerdir=/usr,upperdir=$HIDDEN/upper,workdir=$HIDDEN/work" /usr
    mount -t tmpfs none /usr/local
    dpkg-query -W -f '${Package}\n' | sort -u | comm -23 - "$1" | xargs dpkg-query -L 2>/dev/null |
        grep -E '^/usr/(include|bin|lib|share/(cmake|pkgconfig))/' | sort -u >"$HIDDEN/strange"
    # Folders are left: packages share them.
    perl -lne 'unlink $_ if -f $_ or -l $_' "$HIDDEN/strange"
}
