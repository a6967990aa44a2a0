// SPDX-License-Identifier: BSD-3-Clause
// start.hpp - with which CPUs a program starts that follows its container: the affinity, as far as the quotas of its
// cgroups have CPU time for it.
#pragma once

#include <cstdint>

#include "base/cpuset.hpp"

namespace drom::container {

/// Returns `count` CPUs of `usable`, of those that the process has as many as it can keep. `seed` says where
/// among more than enough. `count` is 1 at least, and at most the number of `usable`. Pure, but for the locations of
/// CPUs where there is a choice.
CpuSet fit(const CpuSet& has, const CpuSet& usable, uint32_t count, uint64_t seed) noexcept;

struct Start {
    CpuSet base;     ///< CPUs inside which it may grow; all possible ones where only a cpuset limits it
    CpuSet usable;   ///< those of them that it may use now
    CpuSet mask;     ///< those with which it starts
    uint32_t quota;  ///< CPUs, or kNoQuota
    uint64_t seed;  ///< of the container: its processes have the same CPUs, those of other containers most often others
};

/// Returns the folder that stands before the names of the kernel's files (DROM_CGROUP_ROOT); "": none does.
const char* cgroup_root() noexcept;

/// Looks at the affinity, the cpuset and the quotas of the calling process, and changes nothing. Asks for the cpuset by
/// setting the affinity of the calling thread for a moment. DROM_FOLLOW_CPUS says what the affinity was before drom
/// narrowed it. Returns false where the affinity cannot be read. About 50 us.
bool find_start(Start& start) noexcept;

}  // namespace drom::container
