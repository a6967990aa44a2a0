// SPDX-License-Identifier: BSD-3-Clause
// start.cpp - the affinity of a process beside the quotas of its cgroups.
#include "start.hpp"

#include <sys/stat.h>
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/confine.hpp"
#include "base/env.hpp"
#include "cpu_quota.hpp"
#include "file_text.hpp"
#include "in_words.hpp"
#include "partition/within.hpp"

namespace drom::container {

namespace {

CpuSet all_cpus() noexcept { return CpuSet::range(0, kMaxCpus); }

/// Reads the CPUs that the cpuset allows. A process that only its cpuset limits stays so: the kernel lets it have CPUs
/// that the cpuset gets later.
CpuSet read_cpuset(const CpuSet& own) noexcept {
    CpuSet allowed{};
    if (set_affinity(0, all_cpus()) != 0) return own;
    const bool known = get_affinity(0, allowed) && !allowed.none();
    if (!known || !(allowed == own)) set_affinity(0, own);
    return known ? allowed : own;
}

/// Reads START/INSIDE: the CPUs that drom run gave the command, and those inside which it may grow. Longer lists than
/// its room are as good as none, and so are CPUs that are not inside.
bool read_said(CpuSet& start, CpuSet& inside) noexcept {
    char text[1024];
    const char* said = env::text("DROM_FOLLOW_CPUS");
    const size_t length = said != nullptr ? strnlen(said, sizeof text) : 0;
    if (length == 0 || length == sizeof text) return false;
    memcpy(text, said, length + 1);
    char* slash = strchr(text, '/');
    if (slash == nullptr) return false;
    *slash = '\0';
    const bool read = parse_cpus(text, start).what == nullptr && parse_cpus(slash + 1, inside).what == nullptr;
    return read && inside.contains(start);
}

/// Returns the CPUs of the affinity before drom narrowed it. A process with another affinity than drom run gave has it
/// from a program, which may have meant it.
CpuSet base_of(const CpuSet& own, const CpuSet& cpuset) noexcept {
    CpuSet start{};
    CpuSet inside{};
    if (read_said(start, inside) && own == (start & cpuset)) return inside;
    return own == cpuset ? all_cpus() : own;
}

/// Returns a number that the processes of a container have in common. Containers do not know of one another, and if
/// each took the first CPUs, all would have the same ones. A container has a mount namespace, a service a group.
uint64_t seed_of_container() noexcept {
    char path[256 + 32];
    struct stat space{};
    if (stat("/proc/self/ns/mnt", &space) != 0) space.st_ino = 0;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", cgroup_root());
    const FileText groups(path);
    return ((groups.hash() ^ space.st_ino) * 0x9e3779b97f4a7c15) >> 32;
}

/// Returns the CPU of the set with this index, counted from the first one again where the index is too large.
CpuSet one_of(const CpuSet& cpus, uint64_t index) noexcept {
    uint32_t cpu = cpus.first();
    for (uint64_t left = index % cpus.count(); left > 0; --left) cpu = cpus.next(cpu + 1);
    return CpuSet::range(cpu, 1);
}

}  // namespace

const char* cgroup_root() noexcept {
    const char* root = env::text("DROM_CGROUP_ROOT");
    return root != nullptr ? root : "";
}

CpuSet fit(const CpuSet& has, const CpuSet& usable, uint32_t count, uint64_t seed) noexcept {
    const CpuSet kept = has & usable;
    const bool too_many = kept.count() > count;
    const CpuSet first = too_many ? one_of(kept, seed) : kept;
    const CpuSet others = (too_many ? kept : usable) - first;
    return first | partition::choose_within(others, first, count - first.count());
}

bool find_start(Start& start) noexcept {
    CpuSet own{};
    if (!get_affinity(0, own) || own.none()) return false;
    const CpuSet cpuset = read_cpuset(own);
    start.base = base_of(own, cpuset);
    start.usable = start.base & cpuset;
    CpuQuota quota(cgroup_root());
    if (!quota.read(start.quota)) start.quota = kNoQuota;
    start.seed = seed_of_container();
    start.mask = fit(own, start.usable, std::min(start.quota, start.usable.count()), start.seed);
    return true;
}

bool find_start_words(uint64_t* base, uint64_t* mask, uint32_t& usable, uint32_t& quota) noexcept {
    Start start{};
    if (!find_start(start)) return false;
    to_words(start.base, base, CpuSet::kWords);
    to_words(start.mask, mask, CpuSet::kWords);
    usable = start.usable.count();
    quota = start.quota == kNoQuota ? 0 : start.quota;
    return true;
}

}  // namespace drom::container
