// SPDX-License-Identifier: GPL-2.0-or-later
// task_hooks.hpp - what task_drom.so does at each of its moments, without Slurm's structs: task_drom.cpp reads those.
//
// In slurmd: around suspension. In the step daemon: as step_hooks.hpp. One thread at a time: Slurm holds a lock around
// each of its calls. Nothing is thrown.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "node_agent/step_hooks.hpp"

namespace drom::slurm::task {

/// Where lines for slurmd's log go.
struct Log {
    StepHooks::Say news;
    StepHooks::Say details;
};

/// Sets up, once per process. `file` is drom.conf. When it is wrong, or is not there, one line in the log says so.
void set_up(const std::string& file, const Log& log) noexcept;

/// Reads what a job declared, as spank_drom.so leaves it in the job's SPANK environment (`environment`, one NAME=VALUE
/// each, whose names of interest begin with `prefix`). Pure.
void read_declaration(const std::vector<std::string_view>& environment, std::string_view prefix, StepOnNode& step);

void suspend(const std::string& node, uint32_t job) noexcept;
void resume(const std::string& node, uint32_t job) noexcept;

/// Notes the step, in the step daemon and as root. The first call comes before Slurm makes the step's cgroups, which is
/// so where task/drom is named before task/cgroup. The extern step gets its CPUs here: Slurm makes no call when it has
/// forked the process of that.
void step_is_about_to_start(const std::string& node, const StepOnNode& step) noexcept;
/// Returns true where other plugins have to leave the task's affinity as it is from now on.
bool task_was_forked(const std::string& node, const StepOnNode& step, pid_t task, unsigned all) noexcept;
void process_was_adopted(pid_t process) noexcept;
void task_has_ended(const StepName& step, pid_t task) noexcept;
/// Returns, in the task and as its user, the variables by which it finds its CPUs, or by which others know that it has
/// none. Empty: to be taken away.
Variables variables(const std::string& node) noexcept;

}  // namespace drom::slurm::task
