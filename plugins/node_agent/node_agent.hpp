// SPDX-License-Identifier: GPL-2.0-or-later
// node_agent.hpp - the node side of Slurm: makes room for a step's tasks, keeps their CPUs, hands them back. Knows
// nothing of Slurm's structs.
//
// Two plugins call it, task/drom and spank_drom.so, from slurmd and from every step daemon. Partition decides, and the
// agent carries that out. All state is in the table's directory: the table itself, and the plan (state_file.hpp). Each
// call holds a file lock that ends with its process, and first finishes what a killed call left: R16.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "common/earlier_steps.hpp"
#include "common/settings.hpp"
#include "node_table.hpp"
#include "partition/topology.hpp"
#include "step_plan.hpp"

namespace drom::slurm {

/// The outcome of a call: `news` is for the log, and empty when everything went as it should.
struct Arrival {
    std::vector<CpuSet> masks;  ///< one per task
    std::string news;
};

class NodeAgent {
public:
    /// Opens the node's table, or makes it (root: in node mode). Errors: a sentence. Cost: about 0.1 ms; the first time
    /// 20 ms, most of it hwloc's.
    static tl::expected<NodeAgent, Refusal> open(const AgentSettings& settings);

    /// Narrows the steps of the job that were widened beyond its own CPUs, until arrive() of the new step. Called as a
    /// step daemon is about to write the cpusets of its step and of the job: wider ones stand in the way. Errors: a
    /// sentence. Cost: 60 us where there are none.
    tl::expected<void, Refusal> before_step(const StepName& step, const CpuSet& cpus_of_job);

    /// Takes the granted CPUs from the tasks that have them, spreads them over the new tasks, and reserves them in the
    /// table. Sets the tasks' affinity for a malleable step on a real node. Returns when the CPUs are free, or the
    /// timeout has passed (said in `news`). Tasks that have arrived before keep what they have. Where a malleable step
    /// has no room for each of its tasks, they share CPUs, as `news` says; one that is not malleable is written down
    /// once there is room. Errors: a sentence; nothing is changed then.
    tl::expected<Arrival, Refusal> arrive(const Launch& launch);

    /// Hands the CPUs of these tasks back, which have ended or are about to. Tasks that the agent does not know are
    /// ignored. Returns what did not go as planned for the tasks that stay; empty: nothing.
    tl::expected<std::string, Refusal> leave(const std::vector<pid_t>& tasks);

    /// Moves a process to the CPUs of the extern step that has adopted it, whose step daemon this is. Does not wait for
    /// another call, which finds the process among those of the step. Cost: about 50 us.
    void adopt(const StepName& step, pid_t process);

    /// Lends the CPUs of a job that Slurm is about to stop; all of them where no program follows requests.
    tl::expected<void, Refusal> suspend(uint32_t job);
    /// Gives the tasks of a job that goes on their CPUs back. Where there is no room now they share CPUs, which is an
    /// error, too; those that are not malleable run as without drom until there is room.
    tl::expected<void, Refusal> resume(uint32_t job);

    /// Gives the last job on the node what a job had that has ended here, whose steps are gone. A step of the last job
    /// that is one of `others`, and has not arrived yet, gets that when it does. Called as root, by Slurm's epilog.
    /// Errors: a sentence. Cost: 0.2 ms where no job is left.
    tl::expected<void, Refusal> job_has_ended(uint32_t job, const std::vector<EarlierSteps>& others);

    /// Finishes what a killed process left undone, and hands back the CPUs of dead tasks. Returns true when there was
    /// something.
    tl::expected<bool, Refusal> reconcile();

    /// Returns the CPUs of cores as Slurm counts them on a node: from 0, by package.
    [[nodiscard]] CpuSet cpus_of_cores(const CpuSet& cores) const;
    /// Returns all that the node has.
    [[nodiscard]] CpuSet cpus() const;

private:
    class Call;
    NodeAgent(AgentSettings settings, Topology topology, NodeTable table)
        : settings_(std::move(settings)), topology_(std::move(topology)), table_(std::move(table)) {}
    tl::expected<void, Refusal> narrow_steps_of(uint32_t job, const CpuSet& cpus_of_job);
    [[nodiscard]] Node node() const { return {topology_, settings_.sharing_factor}; }

    AgentSettings settings_;
    Topology topology_;
    NodeTable table_;
};

}  // namespace drom::slurm
