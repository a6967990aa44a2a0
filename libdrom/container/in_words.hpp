// SPDX-License-Identifier: BSD-3-Clause
// in_words.hpp - the start of a program that follows its container, in the words of drom.h: a CPU set is 64 of them.
//
// For the command. It sees drom.hpp, whose CpuSet and the one inside libdrom cannot meet in one file.
#pragma once

#include <cstdint>

namespace drom::container {

/// Writes the answer of find_start(): the CPUs inside which the program may grow, and those with which it starts. The
/// number of those that it may use now is in `usable`, the CPUs of the quota in `quota`; 0: there is none. Returns
/// false where the affinity cannot be read.
bool find_start_words(uint64_t* base, uint64_t* mask, uint32_t& usable, uint32_t& quota) noexcept;

}  // namespace drom::container
