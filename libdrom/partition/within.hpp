// SPDX-License-Identifier: BSD-3-Clause
// within.hpp - the choice of CPUs where there is no table and no other client: a process that is to use fewer CPUs than
// it may.
#pragma once

#include "base/cpuset.hpp"

namespace drom::partition {

/// Returns `count` CPUs of `among`, near one another and near `near`, by the rules of choice.hpp; all of `among` where
/// it has no more. Reads the locations of these CPUs from sysfs, and maps memory; the first CPUs where memory is short.
/// About 30 us per CPU.
CpuSet choose_within(const CpuSet& among, const CpuSet& near, uint32_t count) noexcept;

}  // namespace drom::partition
