// SPDX-License-Identifier: GPL-2.0-or-later
// node_door.hpp - slurmstepd: the node agent's calls around the tasks of a step. Only where plugstack.conf names a table.
//
// Slurm forks all tasks of a step, then calls post_fork for one after the other, and lets none of them run its program before the last call
// has returned: the last one makes room for all.
#pragma once

#include <string>

#include "arguments.hpp"

struct spank_handle;

namespace drom::slurm {

/// As root, once a task. Whatever goes wrong is one line in the log; the task runs as under stock Slurm then.
void task_was_forked(spank_handle* spank, const Arguments& arguments);
/// In the task, as the user: the variables by which it finds its CPUs.
void name_reservation(spank_handle* spank, const Arguments& arguments);
/// As root, once a task: its CPUs go back.
void task_has_ended(spank_handle* spank, const Arguments& arguments);

}  // namespace drom::slurm
