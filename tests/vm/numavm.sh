#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# numavm.sh - runs one command on a virtual node: many CPUs, several NUMA nodes, this machine's files.
#
#   numavm.sh [-s SOCKETS] [-c CORES] [-t THREADS] [-n NODES] [-l SECONDS] [-w WORK] [-b DIR] COMMAND
#     -s 2 -c 8 -t 1   sockets, cores per socket, threads per core  -n   NUMA nodes (default: one per socket)
#     -l 240           limit for the command, in seconds            -w   cache: kernel and first file system
#     -b DIR           appears as /mnt/build, read-only
#
# The root file system is this machine's, read-only. /tmp /run /root /var/tmp /dev/shm /mnt are empty and writable.
# cgroup v2 with all controllers is at /sys/fs/cgroup. CPUs are interpreted (no /dev/kvm needed). They are right, and
# about 100 times slower, so no program in there may spin. Needs qemu-system-x86, busybox-static and cpio.
#
# A kernel on interpreted CPUs sometimes stops for ever while it boots. If it has not reached the command after 120 s,
# the machine is started again, up to three times. The kernel then prints what it does.
#
# Exit status: the command's; 2 usage, 124 the limit was hit, 125 the virtual machine did not boot or ended silently,
# 126 there is no kernel.
set -euo pipefail

sockets=2 cores=8 threads=1 nodes='' limit=240 work=$PWD/numavm build=/
while getopts s:c:t:n:l:w:b: option; do
    case $option in
        s) sockets=$OPTARG ;; c) cores=$OPTARG ;; t) threads=$OPTARG ;; n) nodes=$OPTARG ;;
        l) limit=$OPTARG ;; w) work=$OPTARG ;; b) build=$OPTARG ;;
        *) sed -n '5p' "$0" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
(($# == 1)) || { sed -n '5p' "$0" >&2; exit 2; }
command=$1
nodes=${nodes:-$sockets}
memory_mb=2048

refuse() { echo "numavm.sh: $*" >&2; exit 125; }
no_kernel() { echo "numavm.sh: $*" >&2; exit 126; }

for tool in qemu-system-x86_64 busybox cpio; do
    command -v "$tool" >/dev/null || refuse "start: $tool is missing; scripts/packages.sh test installs it"
done

# Fetches Debian's ordinary kernel, since its cloud kernel has no 9p: unpacks the image and the few modules below.
fetch_kernel() {
    local package scratch
    compgen -G "$work/kernel/boot/vmlinuz-*" >/dev/null && return
    kernel_package() { apt-cache depends linux-image-amd64 2>/dev/null | awk '/Depends: linux-image-[0-9]/ {print $2; exit}'; }
    package=$(kernel_package)
    if [[ -z $package ]]; then
        apt-get -qq update >&2 || no_kernel "find a kernel: apt-get update failed"
        package=$(kernel_package)
    fi
    scratch=$(mktemp -d -p "$work")
    (cd "$scratch" && { apt-get -qq -o APT::Sandbox::User=root download "$package" || { apt-get -qq update && apt-get -qq -o APT::Sandbox::User=root download "$package"; }; }) >&2 ||
        no_kernel "download ${package:-linux-image-amd64}: apt-get could not"
    mkdir "$scratch/kernel"
    dpkg-deb --fsys-tarfile "$scratch"/*.deb | tar -x -C "$scratch/kernel" --wildcards './boot/vmlinuz-*' \
        './lib/modules/*/kernel/net/9p/*' './lib/modules/*/kernel/fs/9p/*' './lib/modules/*/kernel/fs/netfs/*' \
        './lib/modules/*/kernel/fs/fscache/*' './lib/modules/*/kernel/drivers/virtio/*'
    mv "$scratch/kernel" "$work/kernel"
    rm -rf "$scratch"
}

# Prints a module file and, before it, the files of the modules that it depends on.
module_and_needs() {
    local file need
    file=$(find "$modules" -name "${1//_/[-_]}.ko*" | head -n 1)
    [[ -n $file ]] || return 0
    for need in $(tr '\0' '\n' <"$file" | sed -n 's/^depends=//p' | tr , ' '); do module_and_needs "$need"; done
    echo "$file"
}

write_init() {
    cat >"$1" <<'INIT'
#!/bin/busybox sh
b=/bin/busybox
$b mount -t proc proc /proc
$b mount -t sysfs sys /sys
$b mount -t devtmpfs dev /dev
for module in /modules/*; do $b insmod $module; done
share() { $b mount -t 9p -o "$1,trans=virtio,version=9p2000.L,msize=512000,cache=$2" "$3" "$4"; }
share ro loose root /new
for at in proc sys dev; do $b mount --move /$at /new/$at; done
$b mkdir -p /new/dev/shm /new/dev/pts
for at in tmp run dev/shm var/tmp root mnt; do $b mount -t tmpfs -o mode=1777 tmpfs /new/$at; done
$b mount -t devpts devpts /new/dev/pts
$b ln -s /proc/self/fd /new/dev/fd
$b mount -t cgroup2 cgroup2 /new/sys/fs/cgroup
$b mkdir /new/mnt/share /new/mnt/build
share rw none share /new/mnt/share
share ro loose build /new/mnt/build
$b touch /new/mnt/share/booted
$b ip link set lo up
$b hostname numavm
$b chroot /new /bin/bash /mnt/share/command
echo $? >/new/mnt/share/status
$b sync
$b poweroff -f
INIT
    chmod +x "$1"
}

make_initramfs() {
    local image=$work/initramfs-$version.gz tree file i=10
    [[ -s $image ]] && return
    tree=$(mktemp -d)
    mkdir -p "$tree"/{bin,proc,sys,dev,new,modules}
    cp "$(command -v busybox)" "$tree/bin/busybox"
    while read -r file; do
        cp "$file" "$tree/modules/$((i++))-${file##*/}"
    done < <(for name in virtio_pci 9pnet_virtio 9p; do module_and_needs $name; done | awk '!seen[$0]++')
    write_init "$tree/init"
    (cd "$tree" && find . | cpio -o -H newc --quiet | gzip -1) >"$image.new"
    mv "$image.new" "$image"
    rm -rf "$tree"
}

# Divides CPUs and memory into equal parts; the distance is 12 inside a socket, 21 across.
numa_arguments() {
    local cpus=$((sockets * cores * threads)) a b distance each_socket=$(((nodes + sockets - 1) / sockets))
    local each=$((cpus / nodes))
    for ((a = 0; a < nodes; a++)); do
        numa+=(-object "memory-backend-ram,id=m$a,size=$((memory_mb / nodes))M"
               -numa "node,nodeid=$a,cpus=$((a * each))-$(((a + 1) * each - 1)),memdev=m$a")
    done
    for ((a = 0; a < nodes; a++)); do
        for ((b = 0; b < nodes; b++)); do
            ((a == b)) && continue
            distance=21
            ((a / each_socket == b / each_socket)) && distance=12
            numa+=(-numa "dist,src=$a,dst=$b,val=$distance")
        done
    done
}

mkdir -p "$work"
work=$(cd "$work" && pwd)
exec 9>"$work/.lock"
flock -w "$limit" 9 || refuse "wait for $work/.lock: another virtual machine uses it"
fetch_kernel
vmlinuz=$(compgen -G "$work/kernel/boot/vmlinuz-*" | tail -n 1)
release=${vmlinuz##*/vmlinuz-}
modules=$work/kernel/lib/modules/$release
# The image holds the output of write_init: a change of this file makes another image.
version=$release-$(cksum <"$0" | cut -d ' ' -f 1)
make_initramfs

share=$(mktemp -d)
trap 'rm -rf "$share"' EXIT
cat >"$share/command" <<COMMAND
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
exec </dev/null
cd /mnt/share
$command
COMMAND

numa=()
numa_arguments

# console KERNEL-ARGUMENTS: runs one virtual machine, from power on to its end.
console() {
    # An Intel model: QEMU's own "max" shows no SMT when interpreted, and boots more slowly.
    exec qemu-system-x86_64 -accel tcg,thread=multi,tb-size=256 -cpu Skylake-Client-v4 -m "$memory_mb" \
        -smp "$((sockets * cores * threads)),sockets=$sockets,cores=$cores,threads=$threads" "${numa[@]}" \
        -nodefaults -no-user-config -no-reboot -display none -serial stdio \
        -kernel "$vmlinuz" -initrd "$work/initramfs-$version.gz" \
        -append "console=ttyS0 $1 panic=-1 mitigations=off tsc=reliable clocksource=tsc no_timer_check" \
        -fsdev local,id=root,path=/,security_model=none,readonly=on,multidevs=remap -device virtio-9p-pci,fsdev=root,mount_tag=root \
        -fsdev local,id=share,path="$share",security_model=none -device virtio-9p-pci,fsdev=share,mount_tag=share \
        -fsdev local,id=build,path="$build",security_model=none,readonly=on,multidevs=remap \
        -device virtio-9p-pci,fsdev=build,mount_tag=build </dev/null 2>"$work/qemu.log"
}

# ends_within SECONDS [FILE]: false when the machine still runs then; with a FILE, true as soon as the file is there.
ends_within() {
    local end=$((SECONDS + $1))
    while kill -0 "$machine" 2>/dev/null; do
        [[ -n ${2-} && -e $2 ]] && return
        ((SECONDS < end)) || return 1
        sleep 0.2
    done
}

stop() {
    kill -9 "$machine" || true
    wait "$machine" || true
} 2>/dev/null

talk='quiet loglevel=3'
for attempt in 1 2 3; do
    console "$talk" &
    machine=$!
    trap 'stop; rm -rf "$share"' EXIT
    ends_within 120 "$share/booted" && break
    stop
    echo "numavm.sh: boot: attempt $attempt has not reached the command within 120 s" >&2
    ((attempt < 3)) || exit 125
    talk='loglevel=6'
done
ends_within "$limit" || { echo "numavm.sh: run: not done within $limit s" >&2; exit 124; }
wait "$machine" || true
[[ -s $share/status ]] && exit "$(<"$share/status")"
cat "$work/qemu.log" >&2
exit 125
