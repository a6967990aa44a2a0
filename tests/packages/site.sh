#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# site.sh - the site of docs/admin/slurm-install.md before its first stage, in a root folder, and then the recipe.
#
# Runs in the root folder (root.sh run). Of /srv/test, here/ has files of this folder, bin/ two programs, packages/ the
# packages.
set -euo pipefail
hostname head
printf '127.0.0.1 %s\n' localhost head login node01 node02 node03 node04 >/etc/hosts
useradd --create-home --shell /bin/bash alice
install -d -o slurm -g slurm /var/lib/slurm/slurmctld /var/log/slurm
install -d /var/lib/slurm/slurmd /etc/slurm
for program in /srv/test/bin/*; do install -m 755 "$program" ~alice/; done

# The one process that this root has in place of systemd.
cat >/usr/local/bin/systemctl <<'END'
#!/bin/bash
set -euo pipefail
[[ $1 == restart && $2 =~ ^slurm(ctld|d)$ ]] || { echo "systemctl: only restart of slurmctld and slurmd are known here" >&2; exit 1; }
old=$(cat "/run/$2.of-test" 2>/dev/null || true)
if [[ -n $old ]]; then kill "$old" 2>/dev/null || true; while [[ -e /proc/$old ]] && ! grep -q '^State:.Z' "/proc/$old/status"; do sleep 0.05; done; fi
name=()
[[ $2 != slurmd ]] || name=(-N node01)
setsid "$2" -D "${name[@]}" >>"/var/log/$2.out" 2>&1 </dev/null &
echo $! >"/run/$2.of-test"
for ((i = 0; i < 300; ++i)); do
    if [[ $2 == slurmctld ]]; then scontrol ping 2>/dev/null | grep -q 'is UP' && exit; else [[ $(sinfo -h -n node01 -t idle,alloc,mix -o %D 2>/dev/null) == 1 ]] && exit; fi
    sleep 0.1
done
tail -n 20 "/var/log/$2.out" /var/log/slurm/*.log >&2
exit 1
END
chmod 755 /usr/local/bin/systemctl

install -d -o munge -g munge /run/munge /var/log/munge /var/lib/munge
[[ -s /etc/munge/munge.key ]] || { dd if=/dev/urandom of=/etc/munge/munge.key bs=128 count=1 status=none; chown munge: /etc/munge/munge.key; chmod 400 /etc/munge/munge.key; }
runuser -u munge -- munged

python3 /srv/test/here/recipe.py --only-site /srv/test/slurm-install.md
systemctl restart slurmctld
systemctl restart slurmd
status=0
python3 /srv/test/here/recipe.py /srv/test/slurm-install.md || status=$?
if ((status)); then tail -n 25 /var/log/slurm/*.log /var/log/slurm*.out; fi
exit "$status"
