// SPDX-License-Identifier: BSD-3-Clause
// apply.hpp - a program that says itself when its team may change.
#pragma once

namespace drom {

/// True when there is an OpenMP runtime in the global search order, whether it has been used or not.
bool has_runtime() noexcept;

/// drom_poll_apply: the program says that the team of the calling thread may change now. Outside regions. False when
/// nothing was acknowledged: there is no OpenMP runtime, a region is open, or somebody else releases at this moment.
bool apply_now() noexcept;

}  // namespace drom
