// SPDX-License-Identifier: GPL-2.0-or-later
// node_hooks.hpp - slurmstepd: the node agent's calls around the tasks of a step (step_hooks.hpp). Only where
// plugstack.conf names a table; the end of a job is also told where drom.conf names one.
#pragma once

#include "common/settings.hpp"

struct spank_handle;

namespace drom::slurm {

/// Notes the step, as root, before Slurm makes the step's cgroups.
void step_is_about_to_start(spank_handle* spank, const Settings& settings);
/// Gives the task its CPUs, as root, once per task. A failure is one line in the log; the task then runs as under stock
/// Slurm.
void task_was_forked(spank_handle* spank, const Settings& settings);
/// Sets, in the task and as the user, the variables by which it finds its CPUs. False: it should have some, and has
/// none.
bool name_reservation(spank_handle* spank, const Settings& settings);
/// Gives the task's CPUs back, as root, once per task.
void task_has_ended(spank_handle* spank);
/// Gives the extern step's CPUs back, as root.
void step_has_ended(spank_handle* spank);
/// Gives the last job on the node what the job had, as root, in the epilog: all its steps have ended. Slurm calls it on
/// each node of the job, also where that had no step. Where the task plugin has the table, drom.conf names it.
void job_has_ended(spank_handle* spank, const Settings& settings);

}  // namespace drom::slurm
