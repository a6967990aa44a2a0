// SPDX-License-Identifier: GPL-2.0-or-later
// node_agent.cpp - carries out partition's plans on the node's table.
#include "node_agent.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "common/small_file.hpp"
#include "cpuset_cgroup.hpp"
#include "partition/partition.hpp"
#include "starting_steps.hpp"
#include "topology_cache.hpp"

namespace drom::slurm {
namespace {

constexpr uint32_t kLockMs = 10000;  // a call takes milliseconds; who holds the lock that long was stopped

tl::unexpected<Refusal> refuse(std::string sentence) { return tl::unexpected(std::move(sentence)); }
tl::unexpected<Refusal> refuse(const drom_error& error) { return refuse(std::string(error.text)); }

tl::unexpected<Refusal> file_trouble(const char* what, const std::string& path) {
    return refuse(std::string("drom: ") + what + ' ' + path + ": " + errno_text(errno));
}

/// Held by an open file, so that it ends with the process, however that ends.
class FileLock {
public:
    ~FileLock() {
        if (file_ >= 0) close(file_);
    }
    FileLock() = default;
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

    tl::expected<void, Refusal> take(const std::string& path) {
        file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (file_ < 0) return file_trouble("node agent: open", path);
        const uint64_t deadline = deadline_in_ms(kLockMs);
        while (flock(file_, LOCK_EX | LOCK_NB) != 0) {
            if (errno != EWOULDBLOCK || now_ns() > deadline) return file_trouble("node agent: lock", path);
            usleep(500);
        }
        return {};
    }

private:
    int file_ = -1;
};

bool dead(const TaskRecord& task) { return drom::verdict(task.who) == Verdict::kDead; }

partition::Clients clients_of(const std::vector<TaskRecord>& tasks) {
    partition::Clients clients;
    for (uint32_t i = 0; i < tasks.size(); ++i) {
        const TaskRecord& task = tasks[i];
        if (task.parked != Parked::kNot) continue;
        clients.push_back(
            {i, task.step.number(), task.mask, task.home, 1, task.least, task.most, !task.malleable || task.by_hand});
    }
    return clients;
}

std::vector<TaskRecord> tasks_of(const partition::Clients& clients, const std::vector<TaskRecord>& all) {
    std::vector<TaskRecord> tasks;
    for (const partition::Client& client : clients) {
        TaskRecord& task = tasks.emplace_back(all[client.id]);
        task.mask = client.mask;
        task.home = client.home;
    }
    std::copy_if(all.begin(), all.end(), std::back_inserter(tasks),
                 [](const TaskRecord& task) { return task.parked != Parked::kNot; });
    return tasks;
}

/// Who has some of these CPUs and is not to be changed; null when nobody.
const partition::Client* fixed_on(const partition::Clients& running, const CpuSet& cpus) {
    const auto found = std::find_if(running.begin(), running.end(), [&](const partition::Client& client) {
        return client.fixed && client.mask.intersects(cpus);
    });
    return found == running.end() ? nullptr : &*found;
}

/// Why a step cannot have its CPUs, in Slurm's words: partition knows jobs and clients by numbers.
Refusal no_room(int status, const Launch& launch, unsigned least, const TaskRecord* fixed) {
    const std::string cpus = std::string("CPUs ") + CpuText(launch.granted).text;
    if (status == DROM_E_BUSY && fixed != nullptr)
        return "drom: no room: of its " + cpus + ", " + CpuText(fixed->mask & launch.granted).text + " are step " +
               fixed->step.text() + "'s, " +
               (fixed->malleable ? "whose mask was set by hand" : "which is not malleable") + "; it has to end first";
    if (status == DROM_E_BUSY)
        return "drom: no room: its " + cpus +
               " are what running steps keep at least, one a task or as --malleable=MIN says; wait until one ends";
    return "drom: no room: its tasks need " + std::string(CountText(least, "CPU").text) + " at least, and have " +
           cpus + " of this node; ask for more CPUs a task";
}

void park(TaskRecord& task, Parked why) {
    task.parked = why;
    task.home = task.mask;
    task.mask = CpuSet::empty();
}

/// A batch script waits for its steps, and they run on its CPUs.
std::vector<uint32_t> scripts_of(const StepName& step, const std::vector<TaskRecord>& tasks) {
    std::vector<uint32_t> scripts;
    for (uint32_t i = 0; i < tasks.size(); ++i)
        if (step.step != kBatchStep && tasks[i].parked == Parked::kNot &&
            tasks[i].step == StepName{step.job, kBatchStep})
            scripts.push_back(i);
    return scripts;
}

TaskRecord task_of(const Launch& launch, unsigned tasks, const Who& who) {
    TaskRecord task;
    task.step = launch.step;
    task.who = who;
    task.user = launch.user;
    task.malleable = launch.malleable;
    task.least = std::max({1U, launch.min_per_rank, (launch.min_cpus + tasks - 1) / tasks});
    task.most = launch.max_cpus == 0 ? 0 : std::max(task.least, launch.max_cpus / tasks);
    if (!launch.malleable) task.least = 1, task.most = 0;
    return task;
}

/// Why there is no plan. Who has no room can be refused; where something else is in the way the step runs as without drom.
struct NoPlan {
    Refusal why;
    bool no_room;
};

}  // namespace

/// One call: the lock, the record as it stands, and what is made of it.
class NodeAgent::Call {
public:
    explicit Call(NodeAgent& agent) : agent_(agent), path_(agent.settings_.table + "/agent.record") {}

    /// Takes the lock, reads the record, finishes what was begun and hands back what the dead had.
    tl::expected<void, Refusal> begin() {
        if (auto locked = lock_.take(agent_.settings_.table + "/agent.lock"); !locked) return locked;
        if (auto loaded = load(contents(path_)); !loaded) return put_aside(loaded.error());
        if (!record_.applied) {
            found_something_ = true;
            if (auto applied = apply(); !applied) return applied;
        }
        notice_other_masks();
        make_room_in_cpusets();  // of a job whose next step was refused, too
        const std::vector<uint32_t> gone = dead_tasks();
        found_something_ = found_something_ || !gone.empty();
        return depart(gone);
    }

    /// As begin(), in this process only: waits for nobody and changes nothing. False when the record is not to be understood.
    bool look() {
        // Somebody may be carrying out a plan: then the table is between two of them, and says nothing of masks that were set by hand.
        for (int pass = 0; pass < 3; ++pass) {
            const std::string text = contents(path_);
            if (!load(text)) return false;
            const Record as_written = record_;
            notice_other_masks();
            if (contents(path_) == text) break;
            record_ = as_written;
        }
        std::vector<TaskRecord> gone;
        return without(dead_tasks(), gone).has_value();
    }

    /// The masks of tasks that have arrived; empty when one of them has not.
    [[nodiscard]] std::vector<CpuSet> masks_of(const std::vector<Who>& tasks) const {
        std::vector<CpuSet> masks;
        for (const Who& who : tasks) {
            const auto same = [&](const TaskRecord& task) { return task.who == who; };
            const auto found = std::find_if(record_.tasks.begin(), record_.tasks.end(), same);
            if (found == record_.tasks.end()) return {};
            masks.push_back(found->mask);
        }
        return masks;
    }

    /// The record with a newcomer, as planned; nothing is changed.
    tl::expected<std::vector<TaskRecord>, NoPlan> plan(const Launch& launch, const std::vector<Who>& newcomers) const {
        auto parked = with_parked(scripts_of(launch.step, record_.tasks), Parked::kForSteps);
        if (!parked) return tl::unexpected(NoPlan{parked.error(), false});
        std::vector<TaskRecord> all = std::move(*parked);
        const partition::Clients running = clients_of(all);
        partition::Arrival arrival;
        arrival.granted = launch.granted;
        arrival.sharing_factor = agent_.settings_.sharing_factor;
        for (const Who& who : newcomers) all.push_back(task_of(launch, static_cast<unsigned>(newcomers.size()), who));
        const partition::Clients everybody = clients_of(all);
        arrival.tasks.assign(everybody.begin() + static_cast<std::ptrdiff_t>(running.size()), everybody.end());
        for (partition::Client& task : arrival.tasks) task.fixed = false;
        partition::Clients after;
        drom_error error{};
        int status = partition::arrive(agent_.topology_, running, arrival, after, &error);
        const partition::Client* fixed = fixed_on(running, launch.granted);
        if (status == DROM_E_BUSY && launch.malleable && fixed == nullptr)
            status = share(arrival, launch, running, after) == DROM_OK ? DROM_OK : DROM_E_BUSY;
        if (status == DROM_E_BUSY || status == DROM_E_NOCPU)
            return tl::unexpected(
                NoPlan{no_room(status, launch, static_cast<unsigned>(newcomers.size()) * all.back().least,
                               fixed == nullptr ? nullptr : &all[fixed->id]),
                       true});
        if (status != DROM_OK) return tl::unexpected(NoPlan{error.text, false});
        std::vector<TaskRecord> planned = tasks_of(after, all);
        // The newcomers last, as callers expect.
        std::stable_partition(planned.begin(), planned.end(),
                              [&](const TaskRecord& task) { return task.step != launch.step; });
        return planned;
    }

    tl::expected<void, Refusal> carry_out(std::vector<TaskRecord> planned, const Launch& launch) {
        record_.tasks = std::move(planned);
        if (auto saved = save(false); !saved) return refuse(saved.error());
        name_ = launch.name;
        return apply();
    }

    tl::expected<void, Refusal> depart(const std::vector<uint32_t>& leaving) {
        if (leaving.empty()) return {};
        std::vector<TaskRecord> gone;
        if (auto left = without(leaving, gone); !left) return put_aside(left.error());
        if (auto saved = save(false); !saved) return saved;
        for (const TaskRecord& task : gone) note(agent_.table_.release(task));
        if (auto applied = apply(); !applied) return applied;
        return wake(Parked::kForSteps, [this](const TaskRecord& script) { return !has_steps(script); });
    }

    /// Only of those that follow nothing: a client that is stopped lends what others are granted, and keeps the CPUs that it has to keep.
    tl::expected<void, Refusal> suspend(uint32_t job) {
        std::vector<uint32_t> stopped;
        for (uint32_t i = 0; i < record_.tasks.size(); ++i) {
            const TaskRecord& task = record_.tasks[i];
            if (task.step.job == job && task.parked == Parked::kNot && !agent_.table_.follows(task))
                stopped.push_back(i);
        }
        if (stopped.empty()) return {};
        auto planned = with_parked(stopped, Parked::kSuspended);
        if (!planned) return refuse(planned.error());
        return carry_out(std::move(*planned), {});
    }

    tl::expected<void, Refusal> resume(uint32_t job) {
        return wake(Parked::kSuspended, [job](const TaskRecord& task) { return task.step.job == job; });
    }

    [[nodiscard]] const std::vector<TaskRecord>& tasks() const { return record_.tasks; }
    [[nodiscard]] const std::string& news() const { return news_; }
    [[nodiscard]] bool found_something() const { return found_something_; }

private:
    /// Errors: the end of a sentence.
    tl::expected<void, Refusal> load(const std::string& text) {
        if (text.empty()) return {};
        auto read = read_record(text);
        if (!read) return refuse(read.error());
        record_ = std::move(*read);
        return {};
    }

    /// The record with these tasks parked, as planned: their CPUs go the way of those of tasks that end.
    [[nodiscard]] tl::expected<std::vector<TaskRecord>, Refusal> with_parked(const std::vector<uint32_t>& which,
                                                                             Parked why) const {
        std::vector<TaskRecord> all = record_.tasks;
        if (which.empty()) return all;
        partition::Clients after;
        drom_error error{};
        if (partition::depart(agent_.topology_, clients_of(all), which, after, &error) != DROM_OK) return refuse(error);
        for (const uint32_t index : which) park(all[index], why);
        return tasks_of(after, all);
    }

    /// The controller gave the same CPUs to several jobs (OverSubscribe): they are divided here.
    int share(partition::Arrival arrival, const Launch& launch, const partition::Clients& running,
              partition::Clients& after) const {
        const auto most = launch.granted.count() / static_cast<uint32_t>(arrival.tasks.size());
        for (partition::Client& task : arrival.tasks)
            task.most = std::max(task.least, task.most == 0 ? most : std::min(task.most, most));
        arrival.granted.reset();
        return partition::arrive(agent_.topology_, running, arrival, after, nullptr);
    }

    [[nodiscard]] std::vector<uint32_t> dead_tasks() const {
        std::vector<uint32_t> gone;
        for (uint32_t i = 0; i < record_.tasks.size(); ++i)
            if (dead(record_.tasks[i])) gone.push_back(i);
        return gone;
    }

    /// Takes tasks out of the record and hands their CPUs on; `gone` is what they were.
    tl::expected<void, Refusal> without(const std::vector<uint32_t>& leaving, std::vector<TaskRecord>& gone) {
        std::vector<uint32_t> with_cpus;
        for (const uint32_t index : leaving) {
            gone.push_back(record_.tasks[index]);
            if (record_.tasks[index].parked == Parked::kNot) with_cpus.push_back(index);
        }
        partition::Clients after;
        drom_error error{};
        if (partition::depart(agent_.topology_, clients_of(record_.tasks), with_cpus, after, &error) != DROM_OK)
            return refuse(error);
        record_.tasks = tasks_of(after, record_.tasks);
        std::erase_if(record_.tasks,
                      [&](const TaskRecord& task) { return std::count(gone.begin(), gone.end(), task) > 0; });
        for (TaskRecord& task : record_.tasks)
            if (task.parked == Parked::kForSteps && !has_steps(task)) inherit_from_steps(task, gone);
        return {};
    }

    /// A script comes back to what its last steps had: of what it lent them some may be others' by now, and they may have got more.
    void inherit_from_steps(TaskRecord& script, const std::vector<TaskRecord>& gone) const {
        CpuSet lately{};
        CpuSet others{};
        for (const TaskRecord& task : gone)
            if (task.step.job == script.step.job) lately = lately | task.mask;
        for (const TaskRecord& task : record_.tasks) others = others | task.mask;
        if (!lately.none()) script.home = (script.home - others) | lately;
    }

    [[nodiscard]] bool has_steps(const TaskRecord& script) const {
        return std::any_of(record_.tasks.begin(), record_.tasks.end(), [&](const TaskRecord& task) {
            return task.step.job == script.step.job && task.parked != Parked::kForSteps;
        });
    }

    /// Parked tasks go on with what they had, or what of it is left by now, step by step.
    template <class Which>
    tl::expected<void, Refusal> wake(Parked why, const Which& which) {
        std::vector<StepName> steps;
        for (const TaskRecord& task : record_.tasks)
            if (task.parked == why && which(task) && std::find(steps.begin(), steps.end(), task.step) == steps.end())
                steps.push_back(task.step);
        for (const StepName& step : steps)
            if (auto done = wake_step(step, why); !done) return done;
        return {};
    }

    tl::expected<void, Refusal> wake_step(const StepName& step, Parked why) {
        const std::vector<TaskRecord> before = record_.tasks;
        Launch launch;
        launch.step = step;
        launch.min_cpus = 0;
        std::vector<Who> tasks;
        for (const TaskRecord& task : record_.tasks) {
            if (task.step != step || task.parked != why) continue;
            launch.user = task.user;
            launch.malleable = task.malleable;
            launch.min_per_rank = task.least;
            launch.max_cpus += task.most;
            launch.granted = launch.granted | task.home;
            tasks.push_back(task.who);
        }
        std::erase_if(record_.tasks, [&](const TaskRecord& task) { return task.step == step && task.parked == why; });
        auto planned = plan(launch, tasks);
        if (!planned && why == Parked::kForSteps) {  // others have its CPUs now: it waits for the next that leaves
            record_.tasks = before;
            return {};
        }
        if (!planned) note("step " + step.text() + ": " + planned.error().why + "; it goes on as without drom");
        return carry_out(planned ? std::move(*planned) : record_.tasks, launch);
    }

    /// What nobody can go on from must not stop the node for ever.
    tl::unexpected<Refusal> put_aside(const std::string& why) {
        rename(path_.c_str(), (path_ + ".damaged").c_str());
        return refuse("drom: node agent: " + path_ + " is damaged: " + why +
                      "; it was put aside, and steps that are running keep what they have");
    }

    tl::expected<void, Refusal> save(bool applied) {
        record_.applied = applied;
        if (!replace(path_, to_text(record_))) return file_trouble("node agent: write", path_);
        for (TaskRecord& task : record_.tasks) task.by_hand = false;
        return {};
    }

    /// A mask that an administrator has set by hand stays, and is nobody's plan.
    void notice_other_masks() {
        if (!record_.applied) return;  // the table is behind the plan
        for (TaskRecord& task : record_.tasks) {
            // What the table has of the dead may be older than the last plan: nobody told them any more.
            if (task.parked != Parked::kNot || dead(task)) continue;
            const CpuSet wanted = agent_.table_.wanted(task);
            if (wanted.none() || wanted == task.mask) continue;
            for (TaskRecord& other : record_.tasks)
                if (dead(other)) other.mask = other.mask - wanted;
            task.mask = wanted;
            task.by_hand = true;
        }
    }

    /// Carries the plan out, and writes down whether that is done. It is not where somebody died meanwhile whose CPUs the table still keeps for it:
    /// the next call, which finds it dead, goes on from there.
    tl::expected<void, Refusal> apply() {
        make_room_in_cpusets();
        const BroughtTo brought = agent_.table_.bring_to(record_.tasks, name_);
        note(brought.trouble);
        return save(brought.all_moved);
    }

    /// A mask that grows needs its CPUs in the task's cpuset first; where they cannot be there the plan is what can. One of a job with a step
    /// that is starting stays as it is, even if that keeps somebody waiting: the new step would fail. Its arrive() comes back to it.
    void make_room_in_cpusets() {
        if (!agent_.settings_.topology.empty()) return;
        const std::vector<uint32_t> starting = jobs_with_starting_steps(agent_.settings_.table);
        for (TaskRecord& task : record_.tasks) {
            if (!task.malleable || task.parked != Parked::kNot || dead(task)) continue;
            if (std::count(starting.begin(), starting.end(), task.step.job) > 0) continue;
            const bool has_them = agent_.table_.wanted(task) == task.mask;
            const std::string trouble = fit_cpuset(static_cast<pid_t>(task.who.pid), task.mask, has_them);
            if (!trouble.empty()) note("step " + task.step.text() + ": " + trouble);
        }
    }

    void note(const std::string& trouble) {
        if (trouble.empty()) return;
        if (!news_.empty()) news_ += "; ";
        news_ += trouble;
    }

    NodeAgent& agent_;
    std::string path_;
    FileLock lock_;
    Record record_;
    std::string name_;
    std::string news_;
    bool found_something_ = false;
};

tl::expected<NodeAgent, Refusal> NodeAgent::open(const AgentSettings& settings) {
    auto table = NodeTable::open(settings);
    if (!table) return refuse(table.error());
    auto topology = topology_of_node(settings);
    if (!topology) return refuse(topology.error());
    return NodeAgent(settings, std::move(*topology), std::move(*table));
}

tl::expected<void, Refusal> NodeAgent::would_fit(const Launch& launch, unsigned tasks) {
    Call call(*this);
    if (!call.look()) return {};
    const auto planned = call.plan(launch, std::vector<Who>(tasks));
    if (!planned && planned.error().no_room) return refuse(planned.error().why);
    return {};
}

tl::expected<void, Refusal> NodeAgent::before_step(const StepName& step, const CpuSet& cpus_of_job) {
    const auto of_job = [&](const TaskRecord& task) { return task.step.job == step.job; };
    Call seen(*this);
    // What is wrong with the record is said when the step's tasks arrive.
    if (!settings_.topology.empty() || !seen.look() || std::none_of(seen.tasks().begin(), seen.tasks().end(), of_job))
        return {};
    Call call(*this);
    if (auto begun = call.begin(); !begun) return begun;
    Refusal trouble;
    for (const TaskRecord& task : call.tasks()) {
        if (!of_job(task) || dead(task)) continue;
        if (!step_is_starting(settings_.table, step) && trouble.empty())
            trouble = "drom: node agent: write in " + settings_.table + ": " + errno_text(errno);
        const Refusal refused = narrow_cpuset(static_cast<pid_t>(task.who.pid), cpus_of_job);
        if (trouble.empty()) trouble = refused;
    }
    if (!trouble.empty()) return refuse(trouble);
    return {};
}

tl::expected<Arrival, Refusal> NodeAgent::arrive(const Launch& launch) {
    step_has_started(settings_.table, launch.step);
    std::vector<Who> newcomers(launch.tasks.size());
    for (std::size_t i = 0; i < newcomers.size(); ++i)
        if (!who_is(static_cast<uint32_t>(launch.tasks[i]), newcomers[i]))
            return refuse("drom: step " + launch.step.text() + ": task " + std::to_string(i) + " has ended already");
    Call call(*this);
    if (auto begun = call.begin(); !begun) return refuse(begun.error());
    Arrival arrival;
    arrival.masks = call.masks_of(newcomers);
    if (!arrival.masks.empty()) return arrival;
    auto planned = call.plan(launch, newcomers);
    if (!planned) return refuse(planned.error().why);
    if (auto done = call.carry_out(std::move(*planned), launch); !done) return refuse(done.error());
    arrival.masks = call.masks_of(newcomers);
    arrival.news = call.news();
    return arrival;
}

tl::expected<std::string, Refusal> NodeAgent::leave(const std::vector<pid_t>& tasks) {
    Call call(*this);
    if (auto begun = call.begin(); !begun) return refuse(begun.error());
    std::vector<uint32_t> leaving;
    for (uint32_t i = 0; i < call.tasks().size(); ++i)
        if (std::find(tasks.begin(), tasks.end(), static_cast<pid_t>(call.tasks()[i].who.pid)) != tasks.end())
            leaving.push_back(i);
    if (auto left = call.depart(leaving); !left) return refuse(left.error());
    return call.news();
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

tl::expected<bool, Refusal> NodeAgent::reconcile() {
    Call call(*this);
    if (auto begun = call.begin(); !begun) return refuse(begun.error());
    return call.found_something();
}

CpuSet NodeAgent::cpus_of_cores(const CpuSet& cores) const {
    CpuSet cpus{};
    uint32_t number = 0;
    for (std::size_t i = 0; i < topology_.order.size(); ++i) {
        if (i > 0 && topology_.place(topology_.order[i]).core != topology_.place(topology_.order[i - 1]).core) ++number;
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
