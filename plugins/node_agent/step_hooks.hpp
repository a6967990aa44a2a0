// SPDX-License-Identifier: GPL-2.0-or-later
// step_hooks.hpp - the node agent's calls around the tasks of a step, in a step daemon. The task plugin and the SPANK
// plugin each have one.
//
// Slurm forks all tasks of a step, then calls its plugins for one after the other. No task runs its program before the
// last call has returned: the last one makes room for all. Where both plugins are loaded, the second finds that the
// tasks have arrived.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/malleable_range.hpp"
#include "node_agent.hpp"

namespace drom::slurm {

/// A step on this node, as Slurm describes it.
struct StepOnNode {
    StepName step;
    uid_t user = 0;
    std::string program;                  ///< its path or name
    std::string cores;                    ///< that the controller granted it here, as Slurm counts them: 0-3,6
    std::string job_cores;                ///< the same of its whole job
    uint32_t job_cpus = 0;                ///< that the job has here while it shares with no job; 0: not known
    std::optional<MalleableRange> range;  ///< the step is malleable
    std::optional<uint32_t> min_per_rank;

    /// Returns whether it is a step that people start, a batch script or the shell of salloc; not the extern step.
    [[nodiscard]] bool has_tasks_of_its_own() const;
};

/// Returns the launch without its tasks. A job that shares its node by the controller's plan (select/malleable) has the
/// CPUs that its credential names. As the last job there it has the whole node.
Launch launch_of(const StepOnNode& step, const NodeAgent& agent);

class StepHooks {
public:
    using Say = void (*)(const std::string& sentence);
    /// Makes the hooks of a step: `news` goes to the log, `details` only to a verbose one.
    StepHooks(Say news, Say details) : news_(news), details_(details) {}

    /// Notes the step, as root, before Slurm makes the step's cgroups.
    void step_is_about_to_start(const AgentSettings& settings, const StepOnNode& step) const;
    /// Gives the extern step its CPUs. Called as root in the step daemon, to which the CPUs then belong: no other
    /// process of the step is always there.
    void extern_step_starts(const AgentSettings& settings, const StepOnNode& step);
    /// Gives the task its CPUs. Called as root, once for each of the `all` tasks of the step on this node. A failure is
    /// one line in the log; the task then runs as under stock Slurm. Returns true once the affinities of all tasks are
    /// what the node agent wants, and are to stay so.
    bool task_was_forked(const AgentSettings& settings, const StepOnNode& step, pid_t task, unsigned all);
    /// Moves a process that the extern step has adopted to the step's CPUs.
    void process_was_adopted(pid_t process);
    /// Gives the task's CPUs back, as root, once per task.
    void task_has_ended(const StepName& step, pid_t task);

private:
    bool arrive(const AgentSettings& settings, const StepOnNode& step);

    Say news_;
    Say details_;
    StepName step_;
    std::vector<pid_t> tasks_;  // in the order of their local numbers
    std::optional<NodeAgent> agent_;
};

}  // namespace drom::slurm
