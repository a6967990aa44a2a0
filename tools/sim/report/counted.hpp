// SPDX-License-Identifier: BSD-3-Clause
// counted.hpp - a number and what it counts.
#pragma once

#include <string>

namespace drom::sim {

/// Returns "1 round" or "2 rounds".
inline std::string counted(std::size_t count, const char* one, const char* more) {
    return std::to_string(count) + ' ' + (count == 1 ? one : more);
}

}  // namespace drom::sim
