// SPDX-License-Identifier: GPL-2.0-or-later
// slurm_text.cpp - finds a variable in an environment of SPANK.
#include "slurm_text.hpp"

namespace drom::slurm {

std::optional<std::string_view> declared(const char* const* environment, uint32_t size, std::string_view name) {
    for (uint32_t i = 0; i < size; ++i) {
        const std::string_view entry = text_of(environment[i]);
        if (entry.starts_with(name) && entry.substr(name.size()).starts_with('=')) return entry.substr(name.size() + 1);
    }
    return std::nullopt;
}

}  // namespace drom::slurm
