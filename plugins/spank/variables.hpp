// SPDX-License-Identifier: GPL-2.0-or-later
// variables.hpp - variables of the environment that a step's tasks will have.
#pragma once

#include <string>
#include <string_view>

struct spank_handle;

namespace drom::slurm {

/// Returns the value; empty when it is not set. Valid until the environment changes. Slurm's own getter cuts long
/// values.
std::string_view variable(spank_handle* spank, std::string_view name);

/// Sets the variable. An empty value removes it.
void set_variable(spank_handle* spank, const char* name, const std::string& value);

}  // namespace drom::slurm
