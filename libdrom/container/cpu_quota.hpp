// SPDX-License-Identifier: BSD-3-Clause
// cpu_quota.hpp - for how many CPUs the quotas of a process's cgroups have CPU time: cgroup v1, v2 and both together.
//
// A quota is CPU time per period, whichever CPUs use it up. It counts as so many CPUs, rounded up, and as one at least.
// The quotas of all groups above hold too, as far as they are mounted where the process can see them; the least counts.
// Bursts add nothing, since they only spread the same time.
#pragma once

#include <cstdint>

namespace drom::container {

inline constexpr uint32_t kNoQuota = UINT32_MAX;

/// Returns the CPUs of a text of cpu.max (v2): QUOTA PERIOD in microseconds, or max PERIOD. kNoQuota for max, and for a
/// text that the kernel does not write. Pure.
uint32_t cpus_of_max(const char* text) noexcept;
/// Returns the same of cpu.cfs_quota_us and cpu.cfs_period_us (v1), where a negative quota is none. Pure.
uint32_t cpus_of_quota(const char* quota, const char* period) noexcept;

struct Place;

/// The files with the quotas of this process's groups, held open. One thread at a time; allocates nothing.
class CpuQuota {
public:
    /// Finds the files by /proc/self/cgroup and /proc/self/mountinfo. `root` stands before these names and before the
    /// folders where cgroups are mounted; "" is this machine.
    explicit CpuQuota(const char* root) noexcept;
    ~CpuQuota();
    CpuQuota(const CpuQuota&) = delete;
    CpuQuota& operator=(const CpuQuota&) = delete;

    /// Reads the quotas, and finds the files anew where the process was moved to another group. Returns false where it
    /// cannot be told: a file is there and cannot be opened. A missing file is no quota until it comes. About 2 us per
    /// group.
    bool read(uint32_t& cpus) noexcept;

private:
    struct Group {
        int quota, period;  ///< descriptors; `period` -1: v2, which has both in one file
        int folder = -1;    ///< of a group that had no files: they come when the controller is enabled for it
    };
    static constexpr uint32_t kMaxGroups = 64;

    class Finder;
    void find() noexcept;
    void find(Place& place) noexcept;
    void close_groups() noexcept;
    void open_late(Group& group) noexcept;
    [[nodiscard]] bool has_moved() noexcept;

    char root_[256];
    int membership_ = -1;   ///< descriptor of /proc/self/cgroup
    uint64_t present_ = 0;  ///< its text, as a hash
    bool known_ = false;    ///< each file that is there could be opened
    bool stale_ = false;    ///< a file can be read no more: its controller was disabled
    uint32_t count_ = 0;
    Group groups_[kMaxGroups];
};

}  // namespace drom::container
