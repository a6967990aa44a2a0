// SPDX-License-Identifier: BSD-3-Clause
// adoption.hpp - the primary thread adopts requests: releases them, and knows their CPUs from then on.
#pragma once

namespace drom::safe_point {

/// Adopts the first request, which came with the join and has the CPUs of the program's start: no thread has to move
/// for it.
void adopt_first() noexcept;

/// Adopts the newest request, and releases it first if no other thread has. Also adopts one that the program has
/// handled itself (drom_poll_apply).
void adopt() noexcept;

}  // namespace drom::safe_point
