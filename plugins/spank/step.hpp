// SPDX-License-Identifier: GPL-2.0-or-later
// step.hpp - slurmstepd: what a step of a malleable job gets on its node. A job that is not malleable is not touched.
//
// The node agent takes its place here: with root's rights when the options are known, and around each task.
#pragma once

#include <string>

struct spank_handle;

namespace drom::slurm {

/// DIR of the argument lib=DIR in plugstack.conf; else the directory above the plugin's own, as in an installation.
std::string library_directory(int argc, char* argv[]);

/// Once a step, as the user: whether drom's libraries can be read there. One line in the log when not, and the step runs as without drom.
void look_for_libraries(const std::string& directory);

/// In each task before its program, as the user: the task's environment.
void enter_task(spank_handle* spank, const std::string& directory);

}  // namespace drom::slurm
