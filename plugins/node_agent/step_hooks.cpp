// SPDX-License-Identifier: GPL-2.0-or-later
// step_hooks.cpp - collects the tasks of a step; when all are there, they arrive.
#include "step_hooks.hpp"

#include <unistd.h>

#include "starting_steps.hpp"

namespace drom::slurm {
namespace {

constexpr uint32_t kLastNormalStep = 0xfffffff0;  // SLURM_MAX_NORMAL_STEP_ID

std::string name_of(const StepName& step) { return "step " + step.text() + ": "; }

CpuSet cpus_of(const std::string& cores, const NodeAgent& agent) {
    CpuSet set{};
    if (cores.empty() || parse_cpus(cores.c_str(), set).what != nullptr) return CpuSet::empty();
    return agent.cpus_of_cores(set);
}

}  // namespace

bool StepOnNode::has_tasks_of_its_own() const { return step.step <= kLastNormalStep || step.is_script(); }

Launch launch_of(const StepOnNode& step, const NodeAgent& agent) {
    Launch launch;
    launch.step = step.step;
    launch.user = step.user;
    launch.name = step.program.substr(step.program.rfind('/') + 1);
    launch.granted = cpus_of(step.cores, agent);
    launch.malleable = step.range.has_value();
    if (!launch.malleable) return launch;
    const CpuSet node = agent.cpus();
    // A step that asks for a part of its job has no more than that.
    if (step.cores == step.job_cores) launch.alone = step.job_cpus;
    if (step.job_cpus >= node.count()) launch.whole = step.cores == step.job_cores ? node : launch.granted;
    launch.min_cpus = step.range->min;
    launch.max_cpus = step.range->max;
    launch.min_per_rank = step.min_per_rank.value_or(1);
    return launch;
}

void StepHooks::step_is_about_to_start(const AgentSettings& settings, const StepOnNode& step) const {
    if (settings.table.empty()) return;
    auto agent = NodeAgent::open(settings);
    if (!agent) return;  // said when its tasks arrive
    const CpuSet cpus = cpus_of(step.job_cores, *agent);
    if (cpus.none()) return;
    if (const auto done = agent->before_step(step.step, cpus); !done) news_(name_of(step.step) + done.error());
}

void StepHooks::extern_step_starts(const AgentSettings& settings, const StepOnNode& step) {
    if (settings.table.empty() || !tasks_.empty()) return;
    tasks_.push_back(getpid());
    step_ = step.step;
    StepOnNode place = step;
    place.program = "extern";
    place.user = geteuid();
    arrive(settings, place);
}

void StepHooks::process_was_adopted(pid_t process) {
    if (agent_) agent_->adopt(step_, process);
}

bool StepHooks::task_was_forked(const AgentSettings& settings, const StepOnNode& step, pid_t task, unsigned all) {
    if (settings.table.empty() || !step.has_tasks_of_its_own()) return false;
    tasks_.push_back(task);
    return tasks_.size() == all && arrive(settings, step);
}

bool StepHooks::arrive(const AgentSettings& settings, const StepOnNode& step) {
    const auto without = [&](const std::string& why) {
        step_has_started(settings.table, step.step);  // its daemon lives on, and Slurm has written its cpusets
        news_(name_of(step.step) + why + "; it runs as without drom");
        return false;
    };
    auto agent = NodeAgent::open(settings);
    if (!agent) return without(agent.error());
    Launch launch = launch_of(step, *agent);
    launch.tasks = tasks_;
    if (launch.granted.none()) return without("Slurm granted it no cores by name");
    const auto arrival = agent->arrive(launch);
    if (!arrival) return without(arrival.error());
    if (!arrival->news.empty()) news_(name_of(step.step) + arrival->news);
    agent_.emplace(std::move(*agent));
    for (std::size_t i = 0; i < arrival->masks.size(); ++i)
        details_(name_of(step.step) + "task " + std::to_string(i) + " has CPUs " + CpuText(arrival->masks[i]).text);
    return launch.malleable && settings.topology.empty();
}

void StepHooks::task_has_ended(const StepName& step, pid_t task) {
    if (!agent_) return;
    const auto left = agent_->leave({task});
    if (!left) return news_(name_of(step) + left.error() + "; its CPUs go back at the next call on this node");
    if (!left->empty()) news_(name_of(step) + *left);
}

}  // namespace drom::slurm
