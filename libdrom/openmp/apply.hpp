// SPDX-License-Identifier: BSD-3-Clause
// apply.hpp - resizes the team of a program that says itself when it may change.
#pragma once

namespace drom {

/// Returns whether there is an OpenMP runtime in the global search order, used or not.
bool has_runtime() noexcept;

/// Implements drom_poll_apply: the team of the calling thread may change now. Outside regions. Returns false when
/// nothing was acknowledged: there is no OpenMP runtime, a region is open, or another thread releases at this moment.
bool apply_now() noexcept;

}  // namespace drom
