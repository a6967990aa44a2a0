// SPDX-License-Identifier: BSD-3-Clause
// talp.hpp - the region of the whole program, which begins and ends with DLB's use.
#pragma once

namespace drom::dlb {

/// Starts the region of the whole program, if --talp asks for regions.
void begin_regions() noexcept;
/// Stops all regions that are open. Their figures stay readable.
void end_regions() noexcept;
/// Forgets in a forked child that regions of its parent are open.
void forget_regions() noexcept;

}  // namespace drom::dlb
