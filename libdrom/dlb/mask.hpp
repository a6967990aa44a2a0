// SPDX-License-Identifier: BSD-3-Clause
// mask.hpp - a cpu_set_t as a CpuSet.
#pragma once

#include <sched.h>
#include <cstdint>
#include <cstring>

#include "base/cpuset.hpp"

namespace drom::dlb {

/// CPUs 0..1023: the range of a cpu_set_t. It is an array of unsigned long, CPU 0 the lowest bit of the first.
inline constexpr size_t kMaskWords = sizeof(cpu_set_t) / sizeof(uint64_t);
static_assert(sizeof(unsigned long) == sizeof(uint64_t) && sizeof(cpu_set_t) % sizeof(uint64_t) == 0);

inline CpuSet from_mask(const void* set) noexcept {
    CpuSet cpus{};
    memcpy(cpus.words, set, sizeof(cpu_set_t));
    return cpus;
}
inline void to_mask(const CpuSet& cpus, void* set) noexcept { memcpy(set, cpus.words, sizeof(cpu_set_t)); }

/// Parses "0,5-7", "0xe1" (highest CPU first) or "0b1010" (CPU 0 first). Returns false for any other text, for one
/// without a CPU, and for a CPU beyond 1023.
bool parse_mask(const char* text, CpuSet& cpus) noexcept;

}  // namespace drom::dlb
