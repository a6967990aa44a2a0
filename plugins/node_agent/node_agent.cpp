// SPDX-License-Identifier: GPL-2.0-or-later
// node_agent.cpp - carries out partition's plans on the node's table.
#include "node_agent.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "clock.hpp"
#include "confine.hpp"
#include "error.hpp"
#include "partition.hpp"

namespace drom::slurm {
namespace {

constexpr uint32_t kLockMs = 10000;  // a call takes milliseconds; who holds the lock that long was stopped

drom_options options_with(uint64_t flags) {
    drom_options options{};
    options.size = sizeof options;
    options.flags = flags;
    return options;
}

tl::unexpected<Refusal> refuse(std::string sentence) { return tl::unexpected(std::move(sentence)); }
tl::unexpected<Refusal> refuse(const drom_error& error) { return refuse(std::string(error.text)); }

tl::unexpected<Refusal> file_trouble(const char* what, const std::string& path) {
    return refuse(std::string("drom: ") + what + ' ' + path + ": " + errno_text(errno));
}

/// The whole of a small file; empty when there is none.
std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Whoever reads sees the old file or the new one.
bool replace(const std::string& path, const std::string& text) {
    const std::string fresh = path + ".new";
    const int file = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return false;
    const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    return close(file) == 0 && written && rename(fresh.c_str(), path.c_str()) == 0;
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

bool is_client(drom_table* table, const TaskRecord& task) {
    return drom_get_mask(table, static_cast<int32_t>(task.who.pid), nullptr, nullptr, 0, nullptr) == DROM_OK;
}

CpuSet wanted_mask(drom_table* table, const TaskRecord& task) {
    CpuSet wanted{};
    drom_get_mask(table, static_cast<int32_t>(task.who.pid), nullptr, wanted.words, CpuSet::kWords, nullptr);
    return wanted;
}

partition::Clients clients_of(const std::vector<TaskRecord>& tasks) {
    partition::Clients clients;
    for (uint32_t i = 0; i < tasks.size(); ++i) {
        const TaskRecord& task = tasks[i];
        if (task.parked) continue;
        clients.push_back({i, task.step.number(), task.mask, task.home, 1, task.least, task.most, !task.malleable});
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
    std::copy_if(all.begin(), all.end(), std::back_inserter(tasks), [](const TaskRecord& task) { return task.parked; });
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
               " are all that running steps have left, and each of their tasks keeps one; wait until one ends";
    return "drom: no room: its tasks need " + std::string(CountText(least, "CPU").text) + " at least, and have " +
           cpus + " of this node; ask for more CPUs a task";
}

/// A batch script waits for its steps, and they run on its CPUs.
void park_script_of(const StepName& step, std::vector<TaskRecord>& tasks) {
    for (TaskRecord& task : tasks) {
        if (step.step == kBatchStep || task.parked || task.step != StepName{step.job, kBatchStep}) continue;
        task.parked = true;
        task.home = task.mask;
        task.mask = CpuSet::empty();
    }
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

}  // namespace

/// One call: the lock, the record as it stands, and what is made of it.
class NodeAgent::Call {
public:
    explicit Call(NodeAgent& agent) : agent_(agent), path_(agent.settings_.table + "/agent.record") {}

    /// Takes the lock, reads the record, finishes what was begun and hands back what the dead had.
    tl::expected<void, Refusal> begin() {
        if (auto locked = lock_.take(agent_.settings_.table + "/agent.lock"); !locked) return locked;
        if (auto loaded = load(); !loaded) return loaded;
        if (!record_.applied) {
            found_something_ = true;
            apply();
            if (auto saved = save(true); !saved) return saved;
        }
        notice_other_masks();
        std::vector<uint32_t> gone;
        for (uint32_t i = 0; i < record_.tasks.size(); ++i)
            if (dead(record_.tasks[i])) gone.push_back(i);
        found_something_ = found_something_ || !gone.empty();
        return depart(gone);
    }

    /// The record with a newcomer, as planned; nothing is changed.
    tl::expected<std::vector<TaskRecord>, Refusal> plan(const Launch& launch, const std::vector<Who>& newcomers) const {
        std::vector<TaskRecord> all = record_.tasks;
        park_script_of(launch.step, all);
        partition::Clients running = clients_of(all);
        for (partition::Client& client : running) client.fixed = client.fixed || set_by_hand_[client.id];
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
            status = share(arrival, launch, running, after);
        if (status == DROM_E_BUSY || status == DROM_E_NOCPU)
            return refuse(no_room(status, launch, static_cast<unsigned>(newcomers.size()) * all.back().least,
                                  fixed == nullptr ? nullptr : &all[fixed->id]));
        if (status != DROM_OK) return refuse(error);
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
        apply();
        return save(true);
    }

    tl::expected<void, Refusal> depart(const std::vector<uint32_t>& leaving) {
        if (leaving.empty()) return {};
        std::vector<TaskRecord> gone;
        gone.reserve(leaving.size());
        for (const uint32_t index : leaving) gone.push_back(record_.tasks[index]);
        std::vector<uint32_t> with_cpus;
        std::copy_if(leaving.begin(), leaving.end(), std::back_inserter(with_cpus),
                     [&](uint32_t index) { return !record_.tasks[index].parked; });
        partition::Clients after;
        drom_error error{};
        if (partition::depart(agent_.topology_, clients_of(record_.tasks), with_cpus, after, &error) != DROM_OK)
            return refuse(error);
        record_.tasks = tasks_of(after, record_.tasks);
        std::erase_if(record_.tasks,
                      [&](const TaskRecord& task) { return std::count(gone.begin(), gone.end(), task) > 0; });
        if (auto saved = save(false); !saved) return saved;
        for (const TaskRecord& task : gone) release(task);
        apply();
        if (auto saved = save(true); !saved) return saved;
        return wake_scripts();
    }

    /// Scripts whose steps have all ended go on with what they had.
    tl::expected<void, Refusal> wake_scripts() {
        for (const TaskRecord& task : std::vector<TaskRecord>(record_.tasks)) {
            const auto runs = [&](const TaskRecord& other) { return other.step.job == task.step.job && !other.parked; };
            if (!task.parked || std::any_of(record_.tasks.begin(), record_.tasks.end(), runs)) continue;
            std::erase(record_.tasks, task);
            set_by_hand_.assign(record_.tasks.size(), false);
            Launch script;
            script.step = task.step;
            script.user = task.user;
            script.granted = task.home;
            script.malleable = task.malleable;
            script.min_cpus = task.least;
            script.max_cpus = task.most;
            auto planned = plan(script, {task.who});
            if (!planned) return refuse(planned.error());
            if (auto done = carry_out(std::move(*planned), script); !done) return refuse(done.error());
        }
        return {};
    }

    [[nodiscard]] const std::vector<TaskRecord>& tasks() const { return record_.tasks; }
    [[nodiscard]] const std::string& news() const { return news_; }
    [[nodiscard]] bool found_something() const { return found_something_; }

private:
    /// The controller gave the same CPUs to several jobs (OverSubscribe): they are divided here.
    int share(partition::Arrival arrival, const Launch& launch, const partition::Clients& running,
              partition::Clients& after) const {
        const auto most = launch.granted.count() / static_cast<uint32_t>(arrival.tasks.size());
        for (partition::Client& task : arrival.tasks)
            task.most = std::max(task.least, task.most == 0 ? most : std::min(task.most, most));
        arrival.granted.reset();
        return partition::arrive(agent_.topology_, running, arrival, after, nullptr);
    }

    tl::expected<void, Refusal> load() {
        const std::string text = contents(path_);
        if (text.empty()) return {};
        auto read = read_record(text);
        if (!read) {
            rename(path_.c_str(), (path_ + ".damaged").c_str());
            return refuse("drom: node agent: " + path_ + " is damaged: " + read.error() +
                          "; it was put aside, and steps that are running keep what they have");
        }
        record_ = std::move(*read);
        return {};
    }

    tl::expected<void, Refusal> save(bool applied) {
        record_.applied = applied;
        if (!replace(path_, to_text(record_))) return file_trouble("node agent: write", path_);
        set_by_hand_.assign(record_.tasks.size(), false);
        return {};
    }

    /// A mask that an administrator has set by hand stays, and is nobody's plan.
    void notice_other_masks() {
        set_by_hand_.assign(record_.tasks.size(), false);
        for (std::size_t i = 0; i < record_.tasks.size(); ++i) {
            TaskRecord& task = record_.tasks[i];
            if (task.parked) continue;
            const CpuSet wanted = wanted_mask(agent_.table_, task);
            if (wanted.none() || wanted == task.mask) continue;
            task.mask = wanted;
            set_by_hand_[i] = true;
        }
    }

    /// Brings the table to what the record says, for those that live. What is not as planned is in news().
    void apply() {
        for (const TaskRecord& task : record_.tasks)
            if (task.parked) release(task);
        note(move_running());
        for (const TaskRecord& task : record_.tasks)
            if (!task.parked && !dead(task) && !is_client(agent_.table_, task)) note(reserve(task));
    }

    void note(const std::string& trouble) {
        if (trouble.empty()) return;
        if (!news_.empty()) news_ += "; ";
        news_ += trouble;
    }

    std::string move_running() {
        std::vector<drom_client_mask> masks;
        masks.reserve(record_.tasks.size());
        for (const TaskRecord& task : record_.tasks) {
            if (task.parked || dead(task) || !is_client(agent_.table_, task) ||
                wanted_mask(agent_.table_, task) == task.mask)
                continue;
            masks.push_back({static_cast<int32_t>(task.who.pid), 0, task.mask.words, CpuSet::kWords});
        }
        if (masks.empty()) return {};
        drom_options options = options_with(DROM_TAKE | DROM_WAIT_RELEASED);
        options.timeout_ms = agent_.settings_.timeout_ms;
        drom_error error{};
        const int status = drom_set_masks(agent_.table_, masks.data(), masks.size(), &options, &error);
        return status < 0 || status == DROM_PENDING ? error.text : "";
    }

    std::string reserve(const TaskRecord& task) {
        const auto pid = static_cast<int32_t>(task.who.pid);
        const std::string job = task.step.text();
        wait_for_user(task);
        // No waiting: that would set the affinity of a task that is not malleable. The CPUs have been left already.
        drom_options options = options_with(DROM_TAKE | (task.malleable ? 0 : DROM_RIGID));
        options.name = name_.empty() ? nullptr : name_.c_str();
        options.job = job.c_str();
        options.min_cpus = task.least;
        options.max_cpus = task.most;
        drom_error error{};
        const int status = drom_reserve(agent_.table_, pid, task.mask.words, CpuSet::kWords, &options, nullptr, &error);
        if (status < 0) return error.text;
        if (task.malleable && agent_.settings_.topology.empty()) set_affinity(task.who.pid, task.mask);
        return {};
    }

    /// Its page in the table belongs to whom it runs as, which it is about to become.
    void wait_for_user(const TaskRecord& task) const {
        const uint64_t deadline = deadline_in_ms(agent_.settings_.timeout_ms);
        while (uid_of(task.who.pid) != task.user && !dead(task) && now_ns() < deadline) usleep(200);
    }

    void release(const TaskRecord& task) {
        const drom_options options = options_with(0);
        drom_release(agent_.table_, static_cast<int32_t>(task.who.pid), &options, nullptr);
    }

    NodeAgent& agent_;
    std::string path_;
    FileLock lock_;
    Record record_;
    std::vector<bool> set_by_hand_;
    std::string name_;
    std::string news_;
    bool found_something_ = false;
};

tl::expected<NodeAgent, Refusal> NodeAgent::open(const AgentSettings& settings) {
    drom_error error{};
    Topology topology;
    const bool real = settings.topology.empty();
    const int read =
        real ? read_machine(topology, &error) : read_synthetic(settings.topology.c_str(), topology, &error);
    if (read != DROM_OK) return refuse(error);
    NodeAgent agent(settings, std::move(topology));
    drom_options options = options_with(DROM_CREATE | (geteuid() == 0 ? DROM_NODE : 0) | (real ? 0 : DROM_VIRTUAL));
    if (!real) options.cpus = agent.topology_.cpus.last() + 1;
    if (drom_open(&agent.table_, settings.table.c_str(), &options, &error) != DROM_OK) return refuse(error);
    return agent;
}

NodeAgent::NodeAgent(NodeAgent&& other) noexcept
    : settings_(std::move(other.settings_)),
      topology_(std::move(other.topology_)),
      table_(std::exchange(other.table_, nullptr)) {}

NodeAgent::~NodeAgent() { drom_close(table_); }

tl::expected<void, Refusal> NodeAgent::would_fit(const Launch& launch, unsigned tasks) {
    Call call(*this);
    if (auto begun = call.begin(); !begun) return begun;
    const auto planned = call.plan(launch, std::vector<Who>(tasks));
    if (!planned) return refuse(planned.error());
    return {};
}

tl::expected<Arrival, Refusal> NodeAgent::arrive(const Launch& launch) {
    std::vector<Who> newcomers(launch.tasks.size());
    for (std::size_t i = 0; i < newcomers.size(); ++i)
        if (!who_is(static_cast<uint32_t>(launch.tasks[i]), newcomers[i]))
            return refuse("drom: step " + launch.step.text() + ": task " + std::to_string(i) + " has ended already");
    Call call(*this);
    if (auto begun = call.begin(); !begun) return refuse(begun.error());
    auto planned = call.plan(launch, newcomers);
    if (!planned) return refuse(planned.error());
    Arrival arrival;
    for (auto task = planned->end() - static_cast<std::ptrdiff_t>(newcomers.size()); task != planned->end(); ++task)
        arrival.masks.push_back(task->mask);
    if (auto done = call.carry_out(std::move(*planned), launch); !done) return refuse(done.error());
    arrival.news = call.news();
    return arrival;
}

tl::expected<void, Refusal> NodeAgent::leave(const std::vector<pid_t>& tasks) {
    Call call(*this);
    if (auto begun = call.begin(); !begun) return begun;
    std::vector<uint32_t> leaving;
    for (uint32_t i = 0; i < call.tasks().size(); ++i)
        if (std::find(tasks.begin(), tasks.end(), static_cast<pid_t>(call.tasks()[i].who.pid)) != tasks.end())
            leaving.push_back(i);
    if (auto left = call.depart(leaving); !left) return left;
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

std::vector<std::pair<std::string, std::string>> environment_of(const std::string& path, pid_t task) {
    const drom_options options = options_with(DROM_READONLY);
    drom_table* table = nullptr;
    if (drom_open(&table, path.c_str(), &options, nullptr) != DROM_OK) return {};
    std::vector<drom_client_info> clients(drom_table_clients(table));
    clients[0].size = sizeof clients[0];
    std::size_t count = clients.size();
    if (drom_clients(table, clients.data(), &count, nullptr) != DROM_OK) count = 0;
    drom_close(table);
    for (std::size_t i = 0; i < count; ++i)
        if (clients[i].pid == task)
            return {{"DROM_TABLE", path},
                    {"DROM_SLOT", std::to_string(clients[i].slot) + ':' + std::to_string(clients[i].generation)}};
    return {};
}

}  // namespace drom::slurm
