// SPDX-License-Identifier: GPL-2.0-or-later
// step_plan.cpp - turns states of tasks into partition's clients, and back.
#include "step_plan.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "partition/partition.hpp"

namespace drom::slurm {
namespace {

partition::Clients clients_of(const Tasks& tasks) {
    partition::Clients clients;
    for (uint32_t i = 0; i < tasks.size(); ++i) {
        const TaskState& task = tasks[i];
        if (task.parked != Parked::kNot) continue;
        clients.push_back({i, task.step.number(), task.mask, task.home, 1, task.min_cpus, task.max_cpus,
                           !task.malleable || task.by_hand});
    }
    return clients;
}

Tasks tasks_of(const partition::Clients& clients, const Tasks& all) {
    Tasks tasks;
    for (const partition::Client& client : clients) {
        TaskState& task = tasks.emplace_back(all[client.id]);
        task.mask = client.mask;
        task.home = client.home;
    }
    std::copy_if(all.begin(), all.end(), std::back_inserter(tasks),
                 [](const TaskState& task) { return task.parked != Parked::kNot; });
    return tasks;
}

/// Returns a client that has some of these CPUs and must not be changed; null when there is none.
const partition::Client* fixed_on(const partition::Clients& running, const CpuSet& cpus) {
    const auto found = std::find_if(running.begin(), running.end(), [&](const partition::Client& client) {
        return client.fixed && client.mask.intersects(cpus);
    });
    return found == running.end() ? nullptr : &*found;
}

/// Returns why a step cannot have its CPUs, in Slurm's words: partition knows jobs and clients by numbers.
Refusal no_room(int status, const Launch& launch, unsigned min_cpus, const TaskState* fixed) {
    const std::string cpus = std::string("CPUs ") + CpuText(launch.granted).text;
    if (status == DROM_E_BUSY && fixed != nullptr)
        return "drom: no room: of its " + cpus + ", " + CpuText(fixed->mask & launch.granted).text + " are step " +
               fixed->step.text() + "'s, " +
               (fixed->malleable ? "whose mask was set by hand" : "which is not malleable");
    if (status == DROM_E_BUSY)
        return "drom: no room: its " + cpus +
               " are what running steps keep at least, one per task or as --malleable=MIN says";
    return "drom: no room: its tasks need " + std::string(CountText(min_cpus, "CPU").text) + " at least, and have " +
           cpus + " of this node";
}

void park(TaskState& task, Parked why) {
    task.parked = why;
    task.home = task.mask;
    task.mask = CpuSet::empty();
}

/// Returns those of the step's job that wait for it, and on whose CPUs it runs.
std::vector<uint32_t> lenders_to(const StepName& step, const Tasks& tasks) {
    std::vector<uint32_t> lenders;
    for (uint32_t i = 0; i < tasks.size(); ++i)
        if (tasks[i].parked == Parked::kNot && tasks[i].step.lends_to(step)) lenders.push_back(i);
    return lenders;
}

CpuSet lent_to(const StepName& step, const Tasks& tasks) {
    CpuSet lent{};
    for (const uint32_t lender : lenders_to(step, tasks)) lent = lent | tasks[lender].mask;
    return lent;
}

/// Returns the CPUs of a newcomer. A job that has been the last on the node since its step's credential was signed has
/// more than that says.
CpuSet granted_now(const Launch& launch, const Tasks& tasks) {
    if (!launch.shares_node() || has_co_runners(launch.step.job, tasks)) return launch.granted;  // mutant co-runners
    if (launch.mate_has_ended) return launch.whole;                                              // mutant whole
    return launch.granted | lent_to(launch.step, tasks);
}

TaskState task_of(const Launch& launch, unsigned tasks, const ProcessIdentity& identity) {
    TaskState task;
    task.step = launch.step;
    task.identity = identity;
    task.user = launch.user;
    task.malleable = launch.malleable;
    task.whole = launch.whole;
    task.min_cpus = std::max({1U, launch.min_per_rank, (launch.min_cpus + tasks - 1) / tasks});
    task.max_cpus = launch.max_cpus == 0 ? 0 : std::max(task.min_cpus, launch.max_cpus / tasks);
    if (!launch.malleable) task.min_cpus = 1, task.max_cpus = 0;
    return task;
}

/// Gives the newcomer as many of the CPUs that it was granted as running steps can do without, and no more than `most`.
int take_what_can_be_had(const Node& node, partition::Arrival arrival, uint32_t most, const partition::Clients& running,
                         partition::Clients& after) {
    const partition::Client& first = arrival.tasks.front();
    auto each = most / static_cast<uint32_t>(arrival.tasks.size());
    if (first.max_cpus != 0) each = std::min(each, first.max_cpus);
    for (; each >= first.min_cpus; --each) {
        for (partition::Client& task : arrival.tasks) task.max_cpus = each;
        if (partition::arrive(node.topology, running, arrival, after, nullptr) != DROM_OK) continue;
        for (partition::Client& task : after)
            if (task.job == first.job) task.max_cpus = first.max_cpus;
        return DROM_OK;
    }
    return DROM_E_BUSY;
}

/// Divides CPUs that the controller gave to several jobs (OverSubscribe). A job that had the node alone when its mate
/// came may have other CPUs than the controller granted it: `moved` are those of its steps.
int share(const Node& node, partition::Arrival arrival, const Launch& launch, const CpuSet& moved,
          const partition::Clients& running, partition::Clients& after) {
    const uint32_t granted = launch.granted.count();
    if (launch.shares_node()) {
        if (take_what_can_be_had(node, arrival, granted, running, after) == DROM_OK) return DROM_OK;
        arrival.granted = launch.granted | moved;  // mutant moved
        return take_what_can_be_had(node, arrival, granted, running, after);
    }
    const auto max = granted / static_cast<uint32_t>(arrival.tasks.size());
    for (partition::Client& task : arrival.tasks)
        task.max_cpus = std::max(task.min_cpus, task.max_cpus == 0 ? max : std::min(task.max_cpus, max));
    arrival.granted.reset();
    return partition::arrive(node.topology, running, arrival, after, nullptr);
}

/// Brings a script back to what its last steps had: of what it lent them some may be others' by now, and they may have
/// got more.
void inherit_from_steps(TaskState& script, const Tasks& tasks, const Tasks& gone) {
    CpuSet lately{};
    CpuSet others{};
    for (const TaskState& task : gone)
        if (task.step.job == script.step.job && task.parked == Parked::kNot) lately = lately | task.mask;
    for (const TaskState& task : tasks)
        if (task.parked == Parked::kNot) others = others | task.mask;
    if (!lately.none()) script.home = (script.home - others) | lately;
}

}  // namespace

CpuSet whole_after(const CpuSet& left, const Launch& launch) {
    const bool whole = left.count() == launch.alone;  // mutant left
    return whole && left.contains(launch.granted) ? left : CpuSet::empty();
}

bool has_steps(const TaskState& script, const Tasks& tasks) {
    return std::any_of(tasks.begin(), tasks.end(),
                       [&](const TaskState& task) { return script.step.lends_to(task.step); });
}

bool has_co_runners(uint32_t job, const Tasks& tasks) {
    return std::any_of(tasks.begin(), tasks.end(), [job](const TaskState& task) { return task.step.job != job; });
}

namespace {

/// Takes back what jobs that share the node by the controller's plan have got beyond what comes back to them. The CPUs
/// stay free: their job is still here, or the controller gives them to another.
void keep_to_grants(const Tasks& tasks, partition::Clients& after) {
    for (partition::Client& client : after) {
        const TaskState& self = tasks[client.id];
        if (self.whole.none()) continue;
        CpuSet own{};
        for (const TaskState& task : tasks)
            if (task.step.job == self.step.job) own = own | task.mask | task.home;
        client.mask = client.mask & own;
        client.home = client.home & own;
    }
}

/// Passes the CPUs of these tasks on to others.
tl::expected<partition::Clients, Refusal> pass_on(const Node& node, const Tasks& tasks,
                                                  const std::vector<uint32_t>& which) {
    partition::Clients after;
    drom_error error{};
    if (partition::depart(node.topology, clients_of(tasks), which, after, &error) != DROM_OK) return refuse(error.text);
    keep_to_grants(tasks, after);
    return after;
}

/// Returns whether these are all of one job, and another job has just left it alone.
bool are_left_alone(const Tasks& tasks, const Tasks& gone) {
    return !tasks.empty() && !has_co_runners(tasks.front().step.job, tasks) &&
           has_co_runners(tasks.front().step.job, gone);
}

/// Gives the last job on the node the whole of what it asked for: as if a guest had had what is free of that.
Tasks come_home(const Node& node, Tasks tasks) {
    CpuSet free{};
    for (TaskState& task : tasks) {
        task.home = task.home | task.whole;
        free = free | task.whole;
    }
    for (const TaskState& task : tasks)
        if (task.parked == Parked::kNot) free = free - task.mask;
    if (free.none()) return tasks;
    partition::Clients clients = clients_of(tasks);
    partition::Client& guest = clients.emplace_back();
    guest.id = static_cast<uint32_t>(tasks.size());
    guest.job = UINT64_MAX;
    guest.mask = guest.home = free;
    partition::Clients after;
    if (partition::depart(node.topology, clients, {guest.id}, after, nullptr) != DROM_OK) return tasks;
    return tasks_of(after, tasks);
}

}  // namespace

tl::expected<Tasks, Refusal> plan_parking(const Node& node, const Tasks& tasks, const std::vector<uint32_t>& which,
                                          Parked why) {
    Tasks all = tasks;
    if (which.empty()) return all;
    const auto after = pass_on(node, all, which);
    if (!after) return refuse(after.error());
    for (const uint32_t index : which) park(all[index], why);
    return tasks_of(*after, all);
}

tl::expected<Tasks, NoPlan> plan_arrival(const Node& node, const Tasks& tasks, const Launch& launch,
                                         const std::vector<ProcessIdentity>& newcomers) {
    auto parked = plan_parking(node, tasks, lenders_to(launch.step, tasks), Parked::kForSteps);
    if (!parked) return tl::unexpected(NoPlan{parked.error(), false});
    Tasks all = std::move(*parked);
    const partition::Clients running = clients_of(all);
    partition::Arrival arrival;
    arrival.granted = granted_now(launch, tasks);
    arrival.sharing_factor = node.sharing_factor;
    for (const ProcessIdentity& identity : newcomers)
        all.push_back(task_of(launch, static_cast<unsigned>(newcomers.size()), identity));
    const partition::Clients everybody = clients_of(all);
    arrival.tasks.assign(everybody.begin() + static_cast<std::ptrdiff_t>(running.size()), everybody.end());
    for (partition::Client& task : arrival.tasks) task.fixed = false;
    partition::Clients after;
    drom_error error{};
    int status = partition::arrive(node.topology, running, arrival, after, &error);
    const partition::Client* fixed = fixed_on(running, launch.granted);
    if (status == DROM_E_BUSY && launch.malleable && fixed == nullptr)
        status = share(node, arrival, launch, lent_to(launch.step, tasks), running, after) == DROM_OK ? DROM_OK
                                                                                                      : DROM_E_BUSY;
    if (status == DROM_E_BUSY || status == DROM_E_NOCPU)
        return tl::unexpected(
            NoPlan{no_room(status, launch, static_cast<unsigned>(newcomers.size()) * all.back().min_cpus,
                           fixed == nullptr ? nullptr : &all[fixed->id]),
                   true});
    if (status != DROM_OK) return tl::unexpected(NoPlan{error.text, false});
    Tasks planned = tasks_of(after, all);
    // The newcomers last, as callers expect.
    std::stable_partition(planned.begin(), planned.end(),
                          [&](const TaskState& task) { return task.step != launch.step; });
    return planned;
}

namespace {

/// Plans for one task of a malleable step, which has the CPUs for all of them.
tl::expected<Tasks, NoPlan> plan_one(const Node& node, const Tasks& tasks, Launch one,
                                     const ProcessIdentity& newcomer) {
    one.min_cpus = one.min_per_rank = 1;
    auto planned = plan_arrival(node, tasks, one, {newcomer});
    if (planned) return planned;
    for (const TaskState& task : tasks)
        if (task.parked == Parked::kNot && task.step.job != one.step.job) one.granted = one.granted - task.mask;
    return one.granted.none() ? std::move(planned) : plan_arrival(node, tasks, one, {newcomer});
}

}  // namespace

Tasks plan_crowd(const Node& node, const Tasks& tasks, const Launch& launch,
                 const std::vector<ProcessIdentity>& newcomers) {
    tl::expected<Tasks, NoPlan> planned = tl::unexpected(NoPlan{});
    if (launch.malleable) planned = plan_one(node, tasks, launch, newcomers.front());
    Tasks all = tasks;
    if (planned) all = std::move(*planned);
    for (std::size_t i = planned ? 1 : 0; i < newcomers.size(); ++i) {
        TaskState& task = all.emplace_back(task_of(launch, static_cast<unsigned>(newcomers.size()), newcomers[i]));
        task.parked = Parked::kNoRoom;
        task.home = task.mask = launch.granted;
    }
    return all;
}

CpuSet place_of(const TaskState& which, const Tasks& tasks) {
    if (which.parked == Parked::kNot) return which.mask;
    CpuSet job{};
    CpuSet taken{};
    for (const TaskState& task : tasks) {
        if (task.parked != Parked::kNot) continue;
        taken = taken | task.mask;
        if (task.step.job == which.step.job) job = job | task.mask;
    }
    if (!job.none() || which.parked != Parked::kNoRoom) return job;
    const CpuSet free = which.mask - taken;
    return free.none() ? which.mask : free;
}

tl::expected<Tasks, Refusal> plan_departure(const Node& node, const Tasks& tasks, const std::vector<uint32_t>& leaving,
                                            Tasks& gone) {
    std::vector<uint32_t> with_cpus;
    for (const uint32_t index : leaving) {
        gone.push_back(tasks[index]);
        if (tasks[index].parked == Parked::kNot) with_cpus.push_back(index);
    }
    const auto after = pass_on(node, tasks, with_cpus);
    if (!after) return refuse(after.error());
    Tasks left = tasks_of(*after, tasks);
    std::erase_if(left, [&](const TaskState& task) { return std::count(gone.begin(), gone.end(), task) > 0; });
    if (are_left_alone(left, gone)) left = come_home(node, std::move(left));
    for (TaskState& task : left)
        if (task.parked == Parked::kForSteps && !has_steps(task, left)) inherit_from_steps(task, left, gone);
    return left;
}

Tasks plan_end_of_job(const Node& node, const Tasks& tasks) {
    return tasks.empty() || has_co_runners(tasks.front().step.job, tasks) ? tasks : come_home(node, tasks);
}

Launch unpark(const StepName& step, Parked why, Tasks& tasks, std::vector<ProcessIdentity>& parked) {
    Launch launch;
    launch.step = step;
    launch.min_cpus = 0;
    uint32_t max_cpus = UINT32_MAX;
    for (const TaskState& task : tasks) {
        if (task.step != step || task.parked != why) continue;
        launch.user = task.user;
        launch.malleable = task.malleable;
        // A task that has the CPUs for all says otherwise than the others.
        launch.min_per_rank = std::max(launch.min_per_rank, task.min_cpus);
        max_cpus = std::min(max_cpus, task.max_cpus);
        launch.granted = launch.granted | task.home;
        launch.whole = launch.whole | task.whole;
        parked.push_back(task.identity);
    }
    if (!parked.empty()) launch.max_cpus = max_cpus * static_cast<uint32_t>(parked.size());
    std::erase_if(tasks, [&](const TaskState& task) { return task.step == step && task.parked == why; });
    return launch;
}

namespace {

/// Plans a step that waits for CPUs anew, with a plan for each task if there are enough now. A step without room and
/// without CPUs gets some for all of its tasks, if there are any. Otherwise nothing changes.
Tasks plan_again(const Node& node, const Tasks& before, const StepName& step, Parked why) {
    std::vector<uint32_t> for_all;
    for (uint32_t i = 0; i < before.size(); ++i)
        if (before[i].step == step && before[i].parked == Parked::kNot) for_all.push_back(i);
    auto waiting = plan_parking(node, before, for_all, why);
    if (!waiting) return before;
    std::vector<ProcessIdentity> parked;
    const Launch launch = unpark(step, why, *waiting, parked);
    auto planned = plan_arrival(node, *waiting, launch, parked);
    if (planned) return std::move(*planned);
    if (why == Parked::kNoRoom && for_all.empty()) return plan_crowd(node, *waiting, launch, parked);
    return before;  // others have its CPUs now: it waits for the next that leaves
}

bool is_suspended(uint32_t job, const Tasks& tasks) {
    return std::any_of(tasks.begin(), tasks.end(), [job](const TaskState& task) {
        return task.step.job == job && task.parked == Parked::kSuspended;
    });
}

/// Plans the steps anew that wait for this reason, and need to no longer.
template <class Ready>
Tasks plan_ready(const Node& node, Tasks tasks, Parked why, const Ready& ready) {
    std::vector<StepName> steps;
    for (const TaskState& task : tasks)
        if (task.parked == why && ready(task, tasks) && std::find(steps.begin(), steps.end(), task.step) == steps.end())
            steps.push_back(task.step);
    for (const StepName& step : steps) tasks = plan_again(node, tasks, step, why);
    return tasks;
}

}  // namespace

Tasks plan_waking(const Node& node, Tasks tasks) {
    tasks = plan_ready(node, std::move(tasks), Parked::kNoRoom,
                       [](const TaskState& task, const Tasks& all) { return !is_suspended(task.step.job, all); });
    return plan_ready(node, std::move(tasks), Parked::kForSteps,
                      [](const TaskState& script, const Tasks& all) { return !has_steps(script, all); });
}

}  // namespace drom::slurm
