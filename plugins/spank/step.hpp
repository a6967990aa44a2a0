// SPDX-License-Identifier: GPL-2.0-or-later
// step.hpp - slurmstepd: what a step of a malleable job gets on its node. A job that is not malleable is not touched.
#pragma once

#include <string>

#include "common/settings.hpp"

struct spank_handle;

namespace drom::slurm {

/// As plugstack.conf says; else the directory above the plugin's own, as in an installation.
std::string library_directory(const Settings& settings);

/// Once per step, as the user: whether drom's libraries can be read there. One line in the log when not, and the step
/// runs as without drom.
void look_for_libraries(const std::string& directory);

/// In each task before its program, as the user: the task's environment.
void enter_task(spank_handle* spank, const std::string& directory);

/// The same, when there were no CPUs for the step: neither a library, nor the reservation that it may have inherited
/// from its script.
void leave_alone(spank_handle* spank, const std::string& directory);

}  // namespace drom::slurm
