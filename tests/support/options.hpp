// SPDX-License-Identifier: BSD-3-Clause
// options.hpp - options of an administrator's calls, in which only the named fields are set.
#pragma once

#include <cstdint>

#include "drom/drom.h"

namespace drom::test {

/// Returns options with these flags; `timeout_ms` 0 is the default.
inline drom_options options_with(uint64_t flags, uint32_t timeout_ms = 0) {
    drom_options options{};
    options.size = sizeof options;
    options.flags = flags;
    options.timeout_ms = timeout_ms;
    return options;
}

}  // namespace drom::test
