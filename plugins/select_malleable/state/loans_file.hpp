// SPDX-License-Identifier: GPL-2.0-or-later
// loans_file.hpp - the list of loans, beside Slurm's own state: whole, or not at all.
#pragma once

#include <string>

#include <tl/expected.hpp>

namespace drom::slurm {

/// Replaces the file by one with `text`, whatever happens meanwhile. Returns what went wrong, as the rest of a sentence
/// ("write PATH: No space left on device"): then the old file is there. Empty: it is on the disk. Cost: a flush of the
/// disk.
std::string write_loans(const std::string& path, const std::string& text);

/// Returns what write_loans() wrote; empty when there is no file. Errors: it is not what was written, or cannot be
/// read; the rest of a sentence.
tl::expected<std::string, std::string> read_loans(const std::string& path);

}  // namespace drom::slurm
