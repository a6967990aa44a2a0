// SPDX-License-Identifier: GPL-2.0-or-later
// node_agent.cpp - what Slurm's plugins may ask for, each as one call.
#include "node_agent.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/clock.hpp"
#include "base/confine.hpp"
#include "base/error.hpp"
#include "cpuset_cgroup.hpp"
#include "ended_jobs.hpp"
#include "node_call.hpp"
#include "starting_steps.hpp"
#include "topology_cache.hpp"

namespace drom::slurm {

tl::expected<NodeAgent, Refusal> NodeAgent::open(const AgentSettings& settings) {
    auto table = NodeTable::open(settings);
    if (!table) return refuse(table.error());
    auto topology = topology_of_node(settings);
    if (!topology) return refuse(topology.error());
    return NodeAgent(settings, std::move(*topology), std::move(*table));
}

tl::expected<void, Refusal> NodeAgent::before_step(const StepName& step, const CpuSet& cpus_of_job) {
    if (!settings_.topology.empty()) return {};
    // Also where the job has no step here: one may be arriving (starting_steps.hpp).
    if (!step_is_starting(settings_.table, step))
        return refuse("drom: node agent: write in " + settings_.table + ": " + errno_text(errno));
    return narrow_steps_of(step.job, cpus_of_job);
}

tl::expected<void, Refusal> NodeAgent::narrow_steps_of(uint32_t job, const CpuSet& cpus_of_job) {
    const auto of_job = [job](const TaskState& task) { return task.step.job == job; };
    Call seen(*this);
    // An error of the state is reported when the step's tasks arrive.
    if (!seen.look() || std::none_of(seen.tasks().begin(), seen.tasks().end(), of_job)) return {};
    Call call(*this);
    if (auto begun = call.begin(); !begun) return begun;
    Refusal trouble;
    for (const TaskState& task : call.tasks()) {
        if (!of_job(task) || dead(task)) continue;
        const Refusal refused = narrow_cpuset(static_cast<pid_t>(task.identity.pid), cpus_of_job);
        if (trouble.empty()) trouble = refused;
    }
    if (!trouble.empty()) return refuse(trouble);
    return {};
}

tl::expected<Arrival, Refusal> NodeAgent::arrive(const Launch& launch) {
    step_has_started(settings_.table, launch.step);
    std::vector<ProcessIdentity> newcomers(launch.tasks.size());
    for (std::size_t i = 0; i < newcomers.size(); ++i)
        if (!identify(static_cast<uint32_t>(launch.tasks[i]), newcomers[i]))
            return refuse("drom: step " + launch.step.text() + ": task " + std::to_string(i) + " has ended already");
    Call call(*this);
    if (auto begun = call.begin(); !begun) return refuse(begun.error());
    Arrival arrival;
    arrival.masks = call.masks_of(newcomers);
    if (!arrival.masks.empty()) return arrival;
    Launch now = launch;
    now.mate_has_ended = began_before_end_of_mate(settings_.table, launch.step);
    if (now.whole.none() && now.mate_has_ended) now.whole = whole_after(left_by_last_on_node(settings_.table), launch);
    if (auto done = call.place(now, newcomers); !done) return refuse(done.error());
    arrival.masks = call.masks_of(newcomers);
    arrival.news = call.news();
    return arrival;
}

tl::expected<std::string, Refusal> NodeAgent::leave(const std::vector<pid_t>& tasks) {
    Call call(*this);
    if (auto begun = call.begin(); !begun) return refuse(begun.error());
    std::vector<uint32_t> leaving;
    for (uint32_t i = 0; i < call.tasks().size(); ++i)
        if (std::find(tasks.begin(), tasks.end(), static_cast<pid_t>(call.tasks()[i].identity.pid)) != tasks.end())
            leaving.push_back(i);
    if (auto left = call.depart(leaving); !left) return refuse(left.error());
    return call.news();
}

void NodeAgent::adopt(const StepName& step, pid_t process) {
    Call seen(*this);
    CpuSet before{};
    if (!settings_.topology.empty() || !seen.look() || !get_affinity(static_cast<uint32_t>(process), before)) return;
    for (const TaskState& task : seen.tasks()) {
        const CpuSet place = task.step == step && task.malleable ? place_of(task, seen.tasks()) : CpuSet::empty();
        if (!place.none())
            confine(static_cast<uint32_t>(process), {before, before}, place, deadline_in_ms(settings_.timeout_ms));
    }
}

tl::expected<void, Refusal> NodeAgent::suspend(uint32_t job) {
    Call call(*this);
    if (auto begun = call.begin(); !begun) return begun;
    if (auto done = call.suspend(job); !done) return done;
    if (!call.news().empty()) return refuse(call.news());
    return {};
}

tl::expected<void, Refusal> NodeAgent::resume(uint32_t job) {
    Call call(*this);
    if (auto begun = call.begin(); !begun) return begun;
    if (auto done = call.resume(job); !done) return done;
    if (!call.news().empty()) return refuse(call.news());
    return {};
}

tl::expected<void, Refusal> NodeAgent::job_has_ended(uint32_t job, const std::vector<EarlierSteps>& others) {
    Call call(*this);
    if (auto begun = call.begin(); !begun) return begun;
    if (!note_end_of_job(settings_.table, job, others))
        return refuse("drom: node agent: write in " + settings_.table + ": " + errno_text(errno));
    if (auto done = call.end_of_job(); !done) return done;
    if (!call.news().empty()) return refuse(call.news());
    return {};
}

tl::expected<bool, Refusal> NodeAgent::reconcile() {
    Call call(*this);
    if (auto begun = call.begin(); !begun) return refuse(begun.error());
    return call.found_something();
}

CpuSet NodeAgent::cpus_of_cores(const CpuSet& cores) const {
    CpuSet cpus{};
    uint32_t number = 0;
    for (std::size_t i = 0; i < topology_.order.size(); ++i) {
        if (i > 0 && topology_.location(topology_.order[i]).core != topology_.location(topology_.order[i - 1]).core)
            ++number;
        if (cores.has(number)) cpus.add(topology_.order[i]);
    }
    return cpus;
}

CpuSet NodeAgent::cpus() const {
    CpuSet all{};
    for (const auto cpu : topology_.order) all.add(cpu);
    return all;
}

}  // namespace drom::slurm
