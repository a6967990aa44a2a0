// SPDX-License-Identifier: GPL-2.0-or-later
// step.hpp - slurmstepd: what a step of a malleable job gets on its node. A job that is not malleable is not touched.
#pragma once

#include <string>

#include "common/settings.hpp"

struct spank_handle;

namespace drom::slurm {

/// Returns the directory that plugstack.conf names; else the directory above the plugin's own, as in an installation.
std::string library_directory(const Settings& settings);

/// Checks, once per step and as the user, whether drom's libraries can be read there. One line in the log says when
/// not, and the step runs as without drom.
void look_for_libraries(const std::string& directory);

/// Sets the task's environment, in each task before its program, as the user.
void enter_task(spank_handle* spank, const std::string& directory);

/// Does the same when there were no CPUs for the step: neither a library, nor the reservation that it may have
/// inherited from its script.
void leave_alone(spank_handle* spank, const std::string& directory);

}  // namespace drom::slurm
