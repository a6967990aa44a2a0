// SPDX-License-Identifier: GPL-2.0-or-later
// variables.cpp - reads variables of the step's own environment.
#include "variables.hpp"

#include "slurm_spank.hpp"

namespace drom::slurm {

std::string_view variable(spank_handle* spank, std::string_view name) {
    char** entry = nullptr;
    if (spank_get_item(spank, S_JOB_ENV, &entry) != ESPANK_SUCCESS) return {};
    for (; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        if (text.starts_with(name) && text.substr(name.size()).starts_with('=')) return text.substr(name.size() + 1);
    }
    return {};
}

void set_variable(spank_handle* spank, const char* name, const std::string& value) {
    if (value.empty())
        spank_unsetenv(spank, name);
    else
        spank_setenv(spank, name, value.c_str(), 1);
}

}  // namespace drom::slurm
