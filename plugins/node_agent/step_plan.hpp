// SPDX-License-Identifier: GPL-2.0-or-later
// step_plan.hpp - which task has which CPUs after a step has arrived, or tasks have ended or are parked. Partition
// decides. Pure.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "base/cpuset.hpp"
#include "partition/topology.hpp"
#include "state_file.hpp"

namespace drom::slurm {

using Tasks = std::vector<TaskState>;

/// A step that is about to start here.
struct Launch {
    StepName step;
    uid_t user = 0;            ///< the user as whom the tasks are about to run
    std::string name;          ///< what people call the program
    CpuSet granted{};          ///< CPUs that its credential names; where other tasks have them all, they are shared
    CpuSet whole{};            ///< what its job has here while it shares with no other; none: what was granted
    uint32_t alone = 0;        ///< the number of CPUs that its job has here while it shares with no other; 0: not known
    std::vector<pid_t> tasks;  ///< forked, and not yet running the program
    bool malleable = false;
    uint32_t min_cpus = 1;  ///< on this node, for all its tasks
    uint32_t max_cpus = 0;  ///< 0: no limit
    uint32_t min_per_rank = 1;
    /// A mate of its job has ended here since the step began, after which its job had the node alone.
    bool mate_has_ended = false;

    /// Returns whether the controller lets its job share the node with another.
    [[nodiscard]] bool shares_node() const { return !whole.none() && !(whole == granted); }
};

/// Returns the CPUs that a step's job has on the node after `left`, those of the job that left it last. None: that
/// other job had not the whole of what jobs may have here. Only a job that the controller has shrunk has fewer CPUs
/// than it has alone, and only whole nodes are shared. Pure.
CpuSet whole_after(const CpuSet& left, const Launch& launch);

/// The node that plans are for.
struct Node {
    const Topology& topology;
    double sharing_factor;
};

/// Why there is no plan. A step without room shares CPUs; where something else is in the way it runs as without drom.
struct NoPlan {
    Refusal why;
    bool no_room;
};

// A job that shares the node by the controller's plan gets no CPU beyond its grant while another job has a step here.
// As the last job here it gets the whole of what it asked for.

/// Returns the tasks with a newcomer, which is last.
tl::expected<Tasks, NoPlan> plan_arrival(const Node& node, const Tasks& tasks, const Launch& launch,
                                         const std::vector<ProcessIdentity>& newcomers);

/// Returns the tasks with a newcomer that finds no room for all of its tasks. If it is malleable the first has CPUs for
/// all of them, if there are any; the others, or all, are parked.
Tasks plan_crowd(const Node& node, const Tasks& tasks, const Launch& launch,
                 const std::vector<ProcessIdentity>& newcomers);

/// Returns the CPUs on which a task runs; empty: it stays where it is. A parked task runs on those of its job. Where
/// the job has none, a step without room runs on the free CPUs of its credential, or on all of them.
CpuSet place_of(const TaskState& which, const Tasks& tasks);

/// Returns the tasks, with those in `which` parked. The CPUs of a parked task go where those of an ended task would go.
tl::expected<Tasks, Refusal> plan_parking(const Node& node, const Tasks& tasks, const std::vector<uint32_t>& which,
                                          Parked why);

/// Returns the tasks without these, whose CPUs pass to others; `gone` gets the tasks as they were.
tl::expected<Tasks, Refusal> plan_departure(const Node& node, const Tasks& tasks, const std::vector<uint32_t>& leaving,
                                            Tasks& gone);

/// Returns the tasks as they are once another job, of which no task is left, has ended here: those of the last job have
/// the whole of what it asked for. While several jobs are here nothing changes.
Tasks plan_end_of_job(const Node& node, const Tasks& tasks);

/// Returns whether steps on this node run on the CPUs of a script or an extern step.
bool has_steps(const TaskState& script, const Tasks& tasks);
/// Returns whether a step of another job is on this node.
bool has_co_runners(uint32_t job, const Tasks& tasks);

/// Takes the tasks of a step that are parked for this reason out of `tasks`. The launch that it returns brings them
/// back as when their step started.
Launch unpark(const StepName& step, Parked why, Tasks& tasks, std::vector<ProcessIdentity>& parked);

/// Returns the tasks with those that no longer wait: a step without room that has some now, a script without steps.
Tasks plan_waking(const Node& node, Tasks tasks);

}  // namespace drom::slurm
