// SPDX-License-Identifier: GPL-2.0-or-later
// node_call.cpp - reads the state, finishes what a killed call left, and carries plans out on the node's table.
#include "node_call.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/confine.hpp"
#include "base/error.hpp"
#include "common/small_file.hpp"
#include "cpuset_cgroup.hpp"
#include "ended_jobs.hpp"
#include "starting_steps.hpp"

namespace drom::slurm {
namespace {

CpuSet cpus_of(const Tasks& tasks) {
    CpuSet cpus{};
    for (const TaskState& task : tasks) cpus = cpus | task.mask | task.home;
    return cpus;
}

}  // namespace

tl::expected<void, Refusal> NodeAgent::Call::load(const std::string& text) {
    if (text.empty()) return {};
    auto read = read_state(text);
    if (!read) return refuse(read.error());
    state_ = std::move(*read);
    return {};
}

tl::unexpected<Refusal> NodeAgent::Call::put_aside(const std::string& why) {
    rename(path_.c_str(), (path_ + ".damaged").c_str());
    return refuse("drom: node agent: " + path_ + " is damaged: " + why +
                  "; it was put aside, and steps that are running keep what they have");
}

tl::expected<void, Refusal> NodeAgent::Call::save(bool applied) {
    state_.applied = applied;
    if (!replace(path_, to_text(state_))) return file_trouble("node agent: write", path_);
    for (TaskState& task : state_.tasks) task.by_hand = false;
    return {};
}

std::vector<uint32_t> NodeAgent::Call::dead_tasks() const {
    std::vector<uint32_t> gone;
    for (uint32_t i = 0; i < state_.tasks.size(); ++i)
        if (dead(state_.tasks[i])) gone.push_back(i);
    return gone;
}

void NodeAgent::Call::note(const std::string& trouble) {
    if (trouble.empty()) return;
    if (!news_.empty()) news_ += "; ";
    news_ += trouble;
}

void NodeAgent::Call::note_of(const TaskState& task, const std::string& trouble) {
    if (!trouble.empty()) note("step " + task.step.text() + ": " + trouble);
}

void NodeAgent::Call::notice_other_masks() {
    if (!state_.applied) return;  // the table is behind the plan
    for (TaskState& task : state_.tasks) {
        // The masks of dead tasks in the table may be older than the last plan: they were not told of it.
        if (task.parked != Parked::kNot || dead(task)) continue;
        const CpuSet wanted = agent_.table_.wanted(task);
        if (wanted.none() || wanted == task.mask) continue;
        for (TaskState& other : state_.tasks)
            if (dead(other)) other.mask = other.mask - wanted;
        task.mask = wanted;
        task.by_hand = true;
    }
}

void NodeAgent::Call::make_room_in_cpusets() {
    if (!agent_.settings_.topology.empty()) return;
    const std::vector<uint32_t> starting = jobs_with_starting_steps(agent_.settings_.table);
    for (TaskState& task : state_.tasks) {
        if (!task.malleable || dead(task)) continue;
        if (std::count(starting.begin(), starting.end(), task.step.job) > 0) continue;
        if (task.parked == Parked::kNot || task.parked == Parked::kNoRoom) make_room_in_cpuset(task);
        if (!task.step.is_open()) continue;
        note_of(task, set_cpuset_of_step(static_cast<pid_t>(task.identity.pid), place_of(task, state_.tasks)));
    }
}

void NodeAgent::Call::make_room_in_cpuset(TaskState& task) {
    CpuSet place = place_of(task, state_.tasks);
    const bool has_own = task.parked == Parked::kNot;
    const bool has_them = has_own && agent_.table_.wanted(task) == place;
    CpuSet before{}, now{};
    get_affinity(task.identity.pid, before);
    note_of(task, fit_cpuset(static_cast<pid_t>(task.identity.pid), place, has_them));
    // The table's request is done already, so no move takes the task's processes along.
    if (has_them && get_affinity(task.identity.pid, now) && !(now == before))
        note_of(task, agent_.table_.move_descendants(task, before, now));
    if (has_own) task.mask = place;
}

tl::expected<void, Refusal> NodeAgent::Call::apply() {
    make_room_in_cpusets();
    const BroughtTo brought = agent_.table_.bring_to(state_.tasks, name_);
    note(brought.trouble);
    return save(brought.all_moved);
}

tl::expected<void, Refusal> NodeAgent::Call::begin() {
    if (auto locked = lock_.take(agent_.settings_.table + "/agent.lock"); !locked) return locked;
    if (auto loaded = load(contents(path_)); !loaded) return put_aside(loaded.error());
    if (!state_.applied) {
        found_something_ = true;
        if (auto applied = apply(); !applied) return applied;
    }
    notice_other_masks();
    make_room_in_cpusets();  // of a job whose next step was refused, too
    const std::vector<uint32_t> gone = dead_tasks();
    found_something_ = found_something_ || !gone.empty();
    return depart(gone);
}

bool NodeAgent::Call::look() {
    // Another process may be carrying out a plan: then the table is between two plans, and does not show masks that
    // were set by hand.
    for (int pass = 0; pass < 3; ++pass) {
        const std::string text = contents(path_);
        if (!load(text)) return false;
        const AgentState as_written = state_;
        notice_other_masks();
        if (contents(path_) == text) break;
        state_ = as_written;
    }
    Tasks gone;
    auto left = plan_departure(agent_.node(), state_.tasks, dead_tasks(), gone);
    if (!left) return false;
    state_.tasks = std::move(*left);
    return true;
}

std::vector<CpuSet> NodeAgent::Call::masks_of(const std::vector<ProcessIdentity>& tasks) const {
    std::vector<CpuSet> masks;
    for (const ProcessIdentity& identity : tasks) {
        const auto same = [&](const TaskState& task) { return task.identity == identity; };
        const auto found = std::find_if(state_.tasks.begin(), state_.tasks.end(), same);
        if (found == state_.tasks.end()) return {};
        masks.push_back(place_of(*found, state_.tasks));
    }
    return masks;
}

tl::expected<Tasks, Refusal> NodeAgent::Call::plan(const Launch& launch, const std::vector<ProcessIdentity>& newcomers,
                                                   const std::string& step, const char* rigid) {
    auto planned = plan_arrival(agent_.node(), state_.tasks, launch, newcomers);
    if (planned) {
        if (launch.shares_node() && state_.tasks.empty() && !launch.mate_has_ended)
            note(step + "the job with which it shares this node has no step here; it keeps to CPUs " +
                 CpuText(launch.granted).text);
        return std::move(*planned);
    }
    if (!planned.error().no_room) return refuse(planned.error().why);
    Tasks crowd = plan_crowd(agent_.node(), state_.tasks, launch, newcomers);
    CpuSet shared{};
    for (const TaskState& task : crowd)
        if (task.step == launch.step) shared = shared | place_of(task, crowd);
    note(step + planned.error().why +
         (launch.malleable ? "; its tasks share CPUs " + std::string(CpuText(shared).text) : rigid));
    return crowd;
}

tl::expected<void, Refusal> NodeAgent::Call::place(const Launch& launch,
                                                   const std::vector<ProcessIdentity>& newcomers) {
    auto planned = plan(launch, newcomers, "", "; it runs as without drom");
    return planned ? carry_out(std::move(*planned), launch) : refuse(planned.error());
}

tl::expected<void, Refusal> NodeAgent::Call::carry_out(Tasks planned, const Launch& launch) {
    state_.tasks = std::move(planned);
    if (auto saved = save(false); !saved) return refuse(saved.error());
    name_ = launch.name;
    return apply();
}

tl::expected<void, Refusal> NodeAgent::Call::resume_step(const StepName& step) {
    std::vector<ProcessIdentity> tasks;
    const Launch launch = unpark(step, Parked::kSuspended, state_.tasks, tasks);
    const std::string name = "step " + step.text() + ": ";
    constexpr const char* kWithout = "; it goes on as without drom";
    auto planned = plan(launch, tasks, name, kWithout);
    if (!planned) note(name + planned.error() + kWithout);
    return carry_out(planned ? std::move(*planned) : state_.tasks, launch);
}

tl::expected<void, Refusal> NodeAgent::Call::depart(const std::vector<uint32_t>& leaving) {
    if (leaving.empty()) return {};
    Tasks gone;
    auto left = plan_departure(agent_.node(), state_.tasks, leaving, gone);
    if (!left) return put_aside(left.error());
    // One plan: CPUs that a waiting step gets must not be another's for a moment.
    state_.tasks = plan_waking(agent_.node(), std::move(*left));
    if (state_.tasks.empty() && !note_last_on_node(agent_.settings_.table, cpus_of(gone)))
        note("node agent: write in " + agent_.settings_.table + ": " + errno_text(errno));
    if (auto saved = save(false); !saved) return saved;
    for (const TaskState& task : gone) note(agent_.table_.release(task));
    return apply();
}

tl::expected<void, Refusal> NodeAgent::Call::suspend(uint32_t job) {
    std::vector<uint32_t> stopped;
    for (uint32_t i = 0; i < state_.tasks.size(); ++i) {
        const TaskState& task = state_.tasks[i];
        if (task.step.job == job && task.parked == Parked::kNot && !agent_.table_.follows(task)) stopped.push_back(i);
    }
    if (stopped.empty()) return {};
    auto planned = plan_parking(agent_.node(), state_.tasks, stopped, Parked::kSuspended);
    if (!planned) return refuse(planned.error());
    return carry_out(plan_waking(agent_.node(), std::move(*planned)), {});
}

tl::expected<void, Refusal> NodeAgent::Call::resume(uint32_t job) {
    std::vector<StepName> steps;
    for (const TaskState& task : state_.tasks)
        if (task.step.job == job && task.parked == Parked::kSuspended &&
            std::find(steps.begin(), steps.end(), task.step) == steps.end())
            steps.push_back(task.step);
    for (const StepName& step : steps)
        if (auto done = resume_step(step); !done) return done;
    return {};
}

tl::expected<void, Refusal> NodeAgent::Call::end_of_job() {
    Tasks planned = plan_end_of_job(agent_.node(), state_.tasks);
    if (planned == state_.tasks) return {};
    return carry_out(std::move(planned), {});
}

}  // namespace drom::slurm
