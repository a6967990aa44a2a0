// SPDX-License-Identifier: BSD-3-Clause
// slurm_conf_lines.hpp - the lines of a slurm.conf and of the files that it includes, as names and values.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace drom::sim::slurm {

struct Setting {
    std::string key, value;
    std::size_t column = 1;  ///< of the key
};

/// One line that sets something; a line that goes on after a \ is one.
struct ConfLine {
    std::string file;
    std::size_t number = 0;  ///< of its first line in the file
    std::vector<Setting> settings;

    /// Returns "slurm.conf:12".
    [[nodiscard]] std::string location() const { return file + ':' + std::to_string(number); }
};

/// Returns the text of a file. Errors: the rest of a sentence.
using ReadFile = std::function<tl::expected<std::string, std::string>(const std::string& path)>;

/// Reads a file and those that it includes, in order; a relative path begins at the folder of the first. Errors: a
/// finished sentence.
tl::expected<std::vector<ConfLine>, std::string> read_conf_lines(const std::string& path, const ReadFile& read_file);

}  // namespace drom::sim::slurm
