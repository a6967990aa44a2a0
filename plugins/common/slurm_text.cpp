// SPDX-License-Identifier: GPL-2.0-or-later
// slurm_text.cpp - finds a variable in an environment of SPANK, and an option in a command line.
#include "slurm_text.hpp"

#include <algorithm>

namespace drom::slurm {

std::optional<std::string_view> declared(const char* const* environment, uint32_t size, std::string_view name) {
    for (uint32_t i = 0; i < size; ++i) {
        const std::string_view entry = text_of(environment[i]);
        if (entry.starts_with(name) && entry.substr(name.size()).starts_with('=')) return entry.substr(name.size() + 1);
    }
    return std::nullopt;
}

bool says_no_drom(std::string_view command_line) {
    constexpr std::string_view kOption = "--no-drom";
    constexpr std::string_view kShortest = "--no-d";  // Slurm has options that begin with --no-
    while (!command_line.empty()) {
        const std::string_view word = command_line.substr(0, command_line.find(' '));
        if (kOption.starts_with(word) && word.starts_with(kShortest)) return true;
        command_line.remove_prefix(std::min(command_line.size(), word.size() + 1));
    }
    return false;
}

}  // namespace drom::slurm
