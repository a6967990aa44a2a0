// SPDX-License-Identifier: GPL-2.0-or-later
// small_file.hpp - files that are read and replaced as a whole.
#pragma once

#include <optional>
#include <string>

namespace drom::slurm {

/// Returns the whole file; none when it cannot be read.
std::optional<std::string> read_whole(const std::string& path);

/// Returns the same; empty when there is no file.
std::string contents(const std::string& path);

/// Replaces the file: a reader sees the old one or the new one, which only root may read. Returns false when it could
/// not be written (errno): the old one stays.
bool replace(const std::string& path, const std::string& text);

}  // namespace drom::slurm
