// SPDX-License-Identifier: BSD-3-Clause
// replaced_file.hpp - a file that readers see as it was before or as it is afterwards, and never a part of it.
#pragma once

#include <sys/types.h>

#include <string>

#include "drom/drom.hpp"

namespace drom::command {

/// Looks whether the file can be replaced, before the work that makes its text. Errors: E_OS; the text says which file,
/// and why.
Expected<void> can_replace(const std::string& path);

/// Returns the rights of the file: those that it has, or those that the umask leaves to a new one.
mode_t mode_of(const std::string& path);

/// Writes the text beside `path`, with these rights, and renames it. A file that is there keeps its contents until
/// then, and after an error. Errors: those of can_replace().
Expected<void> replace_file(const std::string& path, const std::string& text, mode_t mode);

inline constexpr mode_t kForAllToRead = 0644;

}  // namespace drom::command
