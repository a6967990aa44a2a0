// SPDX-License-Identifier: GPL-2.0-or-later
// node_table.cpp - requests, reservations and affinities, in the order in which CPUs become free.
#include "node_table.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>

#include "adopted_processes.hpp"
#include "base/clock.hpp"
#include "base/confine.hpp"
#include "cpuset_cgroup.hpp"
#include "process_tree.hpp"
#include "step_plan.hpp"
#include "topology_cache.hpp"

namespace drom::slurm {
namespace {

constexpr int kMaxPasses = 5;  // over processes that start others while we look

drom_options options_with(uint64_t flags) {
    drom_options options{};
    options.size = sizeof options;
    options.flags = flags;
    return options;
}

int32_t pid_of(const TaskState& task) { return static_cast<int32_t>(task.identity.pid); }

void add(std::string& sentences, const std::string& sentence) {
    if (!sentences.empty() && !sentence.empty()) sentences += "; ";
    sentences += sentence;
}

/// Returns those that live. Room for all that a table can have would be 100 new pages in each process that starts a
/// task.
std::vector<drom_client_info> clients_of(drom_table* table) {
    std::vector<drom_client_info> clients;
    std::size_t count = 64;
    int status = DROM_E_FULL;
    while (status == DROM_E_FULL) {
        clients.resize(count);
        clients[0].size = sizeof clients[0];
        status = drom_clients(table, clients.data(), &count, nullptr);
    }
    clients.resize(status == DROM_OK ? count : 0);
    return clients;
}

/// Returns whether the task was asked to move, has not moved, and has no program that answers.
bool is_unanswered(const std::vector<drom_client_info>& clients, int32_t pid) {
    return std::ranges::any_of(clients, [pid](const drom_client_info& client) {
        const bool asked_to_move = client.request_seq > 1;  // the first request is the reservation
        return client.pid == pid && client.state == DROM_CLIENT_RESERVED && asked_to_move &&
               client.released_seq < client.request_seq;
    });
}

/// Adds the orphans of the task's step that run on the task's CPUs: those of another task have other CPUs.
void add_orphans(const TaskState& task, const CpuSet& cpus, std::vector<pid_t>& processes) {
    for (const pid_t orphan : orphans_of_step(pid_of(task))) {
        CpuSet mask{};
        if (get_affinity(static_cast<uint32_t>(orphan), mask) && cpus.contains(mask)) processes.push_back(orphan);
    }
}

/// Returns the processes that run on the task's CPUs without a reservation of their own. A program that `follows` takes
/// its descendants along.
std::vector<pid_t> followers_of(const TaskState& task, const CpuSet& cpus, bool follows) {
    std::vector<pid_t> own;
    if (!follows) own = below(pid_of(task), all_processes());
    if (task.step.is_extern()) return processes_of_extern_step(pid_of(task), own);
    add_orphans(task, cpus, own);
    return own;
}

}  // namespace

bool dead(const TaskState& task) { return drom::liveness(task.identity) == Liveness::kDead; }

tl::expected<NodeTable, Refusal> NodeTable::open(const AgentSettings& settings) {
    const bool real = settings.topology.empty();
    drom_options options = options_with(DROM_CREATE | (geteuid() == 0 ? DROM_NODE : 0) | (real ? 0 : DROM_VIRTUAL));
    if (!real) {
        const auto topology = topology_of_node(settings);
        if (!topology) return tl::unexpected(topology.error());
        options.cpus = topology->cpus.last() + 1;
    }
    drom_table* table = nullptr;
    drom_error error{};
    if (drom_open(&table, settings.table.c_str(), &options, &error) != DROM_OK)
        return tl::unexpected(Refusal(error.text));
    return NodeTable(table, real, settings.timeout_ms);
}

CpuSet NodeTable::wanted(const TaskState& task) const {
    CpuSet wanted{};
    drom_get_mask(table_, pid_of(task), nullptr, wanted.words, CpuSet::kWords, nullptr);
    return wanted;
}

bool NodeTable::follows(const TaskState& task) const {
    for (const drom_client_info& client : clients_of(table_))
        if (client.pid == pid_of(task)) return client.state == DROM_CLIENT_LIVE;
    return false;
}

BroughtTo NodeTable::bring_to(const std::vector<TaskState>& tasks, const std::string& name) {
    std::string kept;
    for (const TaskState& task : tasks)
        if (task.parked != Parked::kNot) add(kept, release(task));
    BroughtTo brought = move_running(tasks);
    add(brought.trouble, kept);
    for (const TaskState& task : tasks)
        if (task.parked == Parked::kNot && !dead(task) && wanted(task).none())
            add(brought.trouble, reserve(task, name));
    for (const TaskState& task : tasks)
        if ((task.parked == Parked::kForSteps || task.parked == Parked::kNoRoom) && task.malleable && !dead(task))
            add(brought.trouble, keep_in_place(task, tasks));
    return brought;
}

BroughtTo NodeTable::move_running(const std::vector<TaskState>& tasks) {
    drom_options options = options_with(DROM_TAKE | DROM_WAIT_RELEASED);
    // All are moved or none: a task that has ended since it was looked at must not keep the others where they are. The
    // table gives its CPUs away only after a close look.
    bool looked_closely = false;
    for (std::size_t tries = 0;; ++tries) {
        const std::vector<Move> moves = moves_of(tasks);
        if (moves.empty()) return {};
        options.timeout_ms = patience(moves);
        std::vector<drom_client_mask> masks;
        masks.reserve(moves.size());
        for (const Move& move : moves) masks.push_back({pid_of(*move.task), 0, move.task->mask.words, CpuSet::kWords});
        drom_error error{};
        const int status = drom_set_masks(table_, masks.data(), masks.size(), &options, &error);
        if (status == DROM_E_NOPROC && tries <= tasks.size()) continue;
        if (status < 0 && !std::exchange(looked_closely, true)) {
            const drom_options plain = options_with(0);
            drom_check(table_, &plain, nullptr);
            continue;
        }
        BroughtTo brought{status < 0 || status == DROM_PENDING ? error.text : "", status >= 0};
        // A client answers later by itself. For another task only the next call on this node can do it.
        if (status == DROM_PENDING) brought.all_moved = moves_of(tasks).empty();
        for (const Move& move : moves) add(brought.trouble, move_descendants(*move.task, move.before, move.task->mask));
        return brought;
    }
}

/// Returns how long to wait for these moves, in milliseconds. The cpuset of a task may be narrow for the next step of
/// its job. Then the task can move only once that step has arrived, and the step waits for this call to end.
uint32_t NodeTable::patience(const std::vector<Move>& moves) const {
    constexpr uint32_t kForTheOthers = 100;
    const auto is_narrow = [](const Move& move) { return !cpus_inside(pid_of(*move.task)).contains(move.task->mask); };
    return real_ && std::ranges::any_of(moves, is_narrow) ? std::min(kForTheOthers, timeout_ms_) : timeout_ms_;
}

/// Returns those that live and whose masks are not as planned, or were only asked for. A program that has not joined
/// does not answer by itself. It cannot be moved while its cpuset is narrow for the next step of its job.
std::vector<NodeTable::Move> NodeTable::moves_of(const std::vector<TaskState>& tasks) const {
    const std::vector<drom_client_info> clients = clients_of(table_);
    std::vector<Move> moves;
    for (const TaskState& task : tasks) {
        const CpuSet known = wanted(task);
        if (task.parked != Parked::kNot || known.none() || dead(task)) continue;
        if (known == task.mask && !is_unanswered(clients, pid_of(task))) continue;
        Move& move = moves.emplace_back(Move{&task, task.mask});
        get_affinity(task.identity.pid, move.before);
    }
    return moves;
}

std::string NodeTable::move_descendants(const TaskState& task, const CpuSet& before, const CpuSet& now) const {
    if (!real_ || !task.malleable) return {};
    const bool by_itself = follows(task);
    const uint64_t deadline = deadline_in_ms(timeout_ms_);
    for (int pass = 0, moved = 1; pass < kMaxPasses && moved > 0; ++pass) {
        moved = 0;
        for (const pid_t process : followers_of(task, before, by_itself)) {
            const Confined confined = confine(static_cast<uint32_t>(process), {before, before}, now, deadline);
            if (confined.status != DROM_OK && confined.status != DROM_E_NOPROC)
                return "drom: step " + task.step.text() + ": process " + std::to_string(process) +
                       " cannot be moved to CPUs " + CpuText(now).text;
            moved += static_cast<int>(confined.moved);
        }
    }
    return {};
}

/// Keeps a parked task that goes on where it belongs: the CPUs that it had may be others' by now.
std::string NodeTable::keep_in_place(const TaskState& parked, const std::vector<TaskState>& tasks) const {
    const CpuSet place = place_of(parked, tasks);
    CpuSet before{};
    if (!real_ || place.none() || !get_affinity(parked.identity.pid, before) || before == place) return {};
    confine(parked.identity.pid, {before, before}, place, deadline_in_ms(timeout_ms_));
    return move_descendants(parked, before, place);
}

std::string NodeTable::reserve(const TaskState& task, const std::string& name) {
    const std::string job = task.step.text();
    wait_for_user(task);
    // No waiting: that would set the affinity of a task that is not malleable. The CPUs have been left already.
    drom_options options = options_with(DROM_TAKE | (task.malleable ? 0 : DROM_RIGID));
    options.name = name.empty() ? nullptr : name.c_str();
    options.job = job.c_str();
    options.min_cpus = task.min_cpus;
    options.max_cpus = task.max_cpus;
    drom_error error{};
    const int status = drom_reserve(table_, pid_of(task), task.mask.words, CpuSet::kWords, &options, nullptr, &error);
    if (status < 0) return error.text;
    CpuSet before{};
    if (!task.malleable || !real_ || !get_affinity(task.identity.pid, before)) return {};
    set_affinity(task.identity.pid, task.mask);
    // A newcomer has just been forked and has started nothing; a task that comes back may have threads and processes.
    if (!name.empty()) return "";
    confine(task.identity.pid, {before, before}, task.mask, deadline_in_ms(timeout_ms_));
    return move_descendants(task, before, task.mask);
}

/// Waits until the task runs as its user, to whom its page in the table belongs.
void NodeTable::wait_for_user(const TaskState& task) const {
    const uint64_t deadline = deadline_in_ms(timeout_ms_);
    while (uid_of(task.identity.pid) != task.user && !dead(task) && now_ns() < deadline) {
        // no event: the kernel does not report a change of user, and Slurm calls no plugin after it as root.
        usleep(200);
    }
}

std::string NodeTable::release(const TaskState& task) {
    // Also of a script that runs, and may be a client: another step daemon than this one reserved for it. The tasks
    // that get CPUs back are moved by move_running(); a task that is not malleable is never moved.
    const drom_options options = options_with(DROM_TAKE | DROM_NEVER_CONFINE);
    drom_error error{};
    const int status = drom_release(table_, pid_of(task), &options, &error);
    return status < 0 && status != DROM_E_NOPROC ? error.text : "";
}

tl::expected<Variables, Refusal> environment_of(const std::string& path, pid_t task) {
    const drom_options options = options_with(DROM_READONLY);
    drom_table* table = nullptr;
    drom_error error{};
    const int status = drom_open(&table, path.c_str(), &options, &error);
    if (status == DROM_E_PERM) return tl::unexpected(Refusal(error.text));
    if (status != DROM_OK) return Variables{};
    Variables found;
    for (const drom_client_info& client : clients_of(table)) {
        if (client.pid != task) continue;
        CpuSet mask{};
        char cpus[kLongestCpus];
        drom_get_mask(table, task, nullptr, mask.words, CpuSet::kWords, nullptr);
        found = {{"DROM_TABLE", path},
                 {"DROM_SLOT",
                  std::to_string(client.slot) + ':' + std::to_string(client.generation) + ':' + std::to_string(task)},
                 {"DROM_START_CPUS", std::string(to_text(mask, cpus, sizeof cpus))}};
        break;
    }
    drom_close(table);
    return found;
}

}  // namespace drom::slurm
