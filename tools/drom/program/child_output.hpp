// SPDX-License-Identifier: BSD-3-Clause
// child_output.hpp - what a command that drom has started writes.
#pragma once

#include <string>

namespace drom::command {

/// Returns what can be read from `fd` until all its writers have closed it, or an error ends it. As long as the writers
/// take.
std::string read_until_end(int fd);

}  // namespace drom::command
