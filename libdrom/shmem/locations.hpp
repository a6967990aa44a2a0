// SPDX-License-Identifier: BSD-3-Clause
// locations.hpp - where each CPU of this machine is, by sysfs.
#pragma once

#include "layout.hpp"

namespace drom {

/// Reads the core, L3, NUMA node and package of a CPU. UINT16_MAX: not known. Four files, about 30 us.
Location location_of(uint32_t cpu) noexcept;

}  // namespace drom
