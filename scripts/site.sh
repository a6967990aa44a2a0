#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# site.sh - the documents as static pages: a list by reader, a search, the manual pages, and a choice of versions.
#
#   scripts/site.sh [--out DIR] [--version NAME] [--help]
#
# Installs the packages it needs, and writes into build/site/VERSION, or DIR/VERSION. Versions that are there stay. The
# pages need no server; open index.html.
# Exit status: 0 done, 1 a link leads nowhere or a step failed, 2 usage.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
site=(python3 "$root/tools/site/pages.py")
case " $* " in
    *' --help '* | *' -h '*) exec "${site[@]}" --help ;;
esac
"$root/scripts/packages.sh" site
exec "${site[@]}" "$@"
