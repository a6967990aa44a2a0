#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fresh.sh - installs the packages in a root folder (root.sh run), types README's first example there, and removes them.
#
# Of /srv/test, packages/ has the packages, bin/ two programs, here/ files of this project.
set -euo pipefail

# The programs of the example need it; no package of drom does.
{ apt-get update && apt-get install -y --no-install-recommends libgomp1; } >/tmp/log 2>&1 || { tail /tmp/log; exit 1; }

# files: prints all files that are no state of apt, dpkg or ldconfig.
files() { find / -xdev ! -path '/srv/test*' ! -path '/var/lib/dpkg*' ! -path '/var/lib/apt*' ! -path '/var/cache/*' ! -path '/var/log/*' ! -path '/etc/ld.so.cache' ! -path '/etc/*[dpw]-' ! -name '*~' | sort; }
# apt OPTIONS...: prints what it said only if it fails.
apt() { apt-get "$@" >/tmp/log 2>&1 || { tail -n 20 /tmp/log; return 1; }; }

files >/tmp/before
dpkg-query -W >/tmp/packages.before
start=$SECONDS
apt install -y --no-install-recommends /srv/test/packages/*.deb
echo "installed after $((SECONDS - start)) s: $(dpkg-query -W -f '${Package}\n' '*drom*' | paste -sd ' ')"

drom run -- true
drom-sim --version
man_page=/usr/share/man/man1/drom.1.gz
[[ -s $man_page ]]

# README's first commands. The programs are in this folder. The second one is typed until it shows what its comment
# says.
cd /srv/test/bin
mapfile -t typed < <(awk '/^```/ {if (inside) exit; inside = 1; next} inside && sub(/^\$ /, "")' /srv/test/here/README.md)
((${#typed[@]} == 3)) && [[ ${typed[0]} == "drom run -- ./simulation &"* && ${typed[1]} == "drom list"* && ${typed[2]} == "drom run --ncpus 1 -- ./analytics"* ]]
eval "${typed[0]}"
simulation=$!
# A client that is live, and no CPU is free.
owns=' simulation .* live'
for ((i = 0; i < 100; ++i)); do
    eval "${typed[1]}" >/tmp/list
    if grep -qE "$owns" /tmp/list; then break; fi
    sleep 0.1
done
cat /tmp/list
grep -qE "$owns" /tmp/list
if (($(nproc) > 1)); then eval "${typed[2]}"; fi
echo "README's first example: $((SECONDS - start)) s after apt-get install began"
kill "$simulation" 2>/dev/null || true # it may have ended
wait || true

apt purge -y '*drom*'
apt autoremove -y --purge
rm -rf /dev/shm/drom-*
files >/tmp/after
dpkg-query -W >/tmp/packages.after
diff /tmp/packages.before /tmp/packages.after
diff /tmp/before /tmp/after
echo "removed: nothing is left"
