// SPDX-License-Identifier: GPL-2.0-or-later
// preload.hpp - LD_PRELOAD of a task: drom's libraries behind the user's, or taken out again. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace drom::slurm {

/// Returns `present` with `libraries` (paths) behind what is there. One whose file name is there already is not
/// repeated.
std::string with_libraries(std::string_view present, const std::vector<std::string>& libraries);

/// Returns `present` without what with_libraries() added from `directory`.
std::string without_libraries(std::string_view present, std::string_view directory);

/// Returns whether LD_PRELOAD can name files of this directory: it knows neither blanks nor colons in a name.
bool can_be_preloaded(std::string_view directory);

}  // namespace drom::slurm
