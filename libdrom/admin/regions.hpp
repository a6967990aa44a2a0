// SPDX-License-Identifier: BSD-3-Clause
// regions.hpp - the regions of clients, for people and programs.
#pragma once

#include <cstddef>

#include "shmem/regions.hpp"
#include "table.hpp"

namespace drom {

/// Fills `out` with at most `*n` regions of the client, and `*n` with their number.
int list_regions(Table& table, uint32_t pid, drom_region_info* out, size_t* n, drom_error* error) noexcept;

/// Returns DROM_E_INVAL when a drom_region_info of this size has no room for the first figures.
int check_region_size(size_t size, const char* verb, drom_error* error) noexcept;

/// Fills in `size` bytes at `place`: a drom_region_info of an older drom.h ends earlier, one of a newer drom.h later.
void describe_region(const RegionFigures& figures, uint32_t state, size_t size, void* place) noexcept;

}  // namespace drom
