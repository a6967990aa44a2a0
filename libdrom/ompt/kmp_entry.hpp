// SPDX-License-Identifier: BSD-3-Clause
// kmp_entry.hpp - the door in front of LLVM-derived OpenMP runtimes.
#pragma once

namespace drom::kmp {

/// True when region starts of this process come through our entry points: we were loaded before the runtime.
bool in_place() noexcept;

}  // namespace drom::kmp
