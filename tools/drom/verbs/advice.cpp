// SPDX-License-Identifier: BSD-3-Clause
// advice.cpp - from clients that were watched to the programs that an adviser sees.
#include "verbs/advice.hpp"

#include <algorithm>

#include "output/format.hpp"
#include "verbs/job_shares.hpp"
#include "verbs/stats_applications.hpp"

namespace drom::command {

namespace {

/// The work of one client in the looks of a round.
struct Work {
    std::vector<double> useful;  ///< CPUs, per look; empty: not sampled
    unsigned threads = 0;        ///< that ran, at most
};

/// Returns the CPUs that would have run its own code if no other program had taken their time: waiting for a CPU is
/// divided as the time on one. They are no more than the client has.
double useful_of(const std::vector<StatsProcess>& processes, double cpus, double elapsed_s) {
    double useful = 0;
    for (const StatsProcess& process : processes)
        if (process.cpu_s > 0) useful += process.budget.useful * (1 + process.waited_s / process.cpu_s);
    return std::min(useful / elapsed_s, cpus);
}

Work work_of(pid_t pid, const std::vector<WindowSeen>& looks) {
    Work work;
    for (const WindowSeen& look : looks) {
        const auto seen =
            std::ranges::find(look.clients, pid, [](const ClientSeen& client) { return client.info.pid; });
        if (seen == look.clients.end() || seen->refused != 0 || seen->elsewhere || look.elapsed_s <= 0) return {};
        const std::vector<StatsProcess> processes = processes_of(*seen, look.elapsed_s, "");
        work.useful.push_back(useful_of(processes, seen->cpus, look.elapsed_s));
        unsigned threads = 0;
        for (const StatsProcess& process : processes) threads += process.threads;
        work.threads = std::max(work.threads, threads);
    }
    return work;
}

std::string held_of(const drom_client_info& info) {
    if ((info.flags & DROM_RIGID) != 0) return "it is rigid";
    if (info.released_seq < info.request_seq) return "a request is not released yet";
    return {};
}

/// Returns the most CPUs that are of use: as many as it has threads, unless their number follows.
unsigned max_of(const ClientView& client, const Work& work, unsigned all) {
    const drom_client_info& info = client.info;
    const unsigned limit = info.max_cpus == 0 ? all : std::min(info.max_cpus, all);
    if (why_not_resized(info).empty()) return limit;
    if (work.useful.empty()) return std::min(limit, client.wanted.count());
    return std::min(limit, std::max(info.team_size, work.threads));
}

policy::Seconds seconds_of(uint64_t ns) { return static_cast<policy::Seconds>(ns / 1'000'000'000); }

policy::NodeClient node_client(const ClientView& client, const std::vector<WindowSeen>& looks, unsigned all) {
    const Work work = work_of(client.info.pid, looks);
    policy::NodeClient seen;
    seen.id = client.info.pid;
    seen.cpus = static_cast<int>(client.wanted.count());
    seen.min = static_cast<int>(std::max(1U, client.info.min_cpus));
    seen.max = std::max(seen.min, static_cast<int>(max_of(client, work, all)));
    seen.changed = seconds_of(client.info.posted_ns);
    seen.held = held_of(client.info);
    seen.useful = work.useful;
    return seen;
}

/// Returns the program that the client belongs to; a new one where there is none.
AdvisedProgram& program_of(AdvisedNode& node, const drom_client_info& info) {
    const std::string job = info.job;
    const auto known = std::ranges::find_if(node.programs, [&](const AdvisedProgram& program) {
        return !job.empty() && job == program.clients.front().info.job;
    });
    if (known != node.programs.end()) return *known;
    node.programs.push_back({});
    return node.programs.back();
}

}  // namespace

policy::NodeView AdvisedNode::view(policy::Seconds now) const {
    policy::NodeView view;
    view.free = free;
    view.now = now;
    for (const AdvisedProgram& program : programs) view.programs.push_back(program.seen);
    return view;
}

AdvisedNode advised_node(const Snapshot& snapshot, const std::vector<WindowSeen>& looks, const std::string& job) {
    AdvisedNode node;
    node.free = static_cast<int>((snapshot.masks.free - snapshot.masks.drained).count());
    const unsigned all = (snapshot.masks.present - snapshot.masks.drained).count();
    std::vector<ClientView> clients = snapshot.clients;
    std::ranges::stable_sort(clients, {}, [](const ClientView& client) { return client.info.rank; });
    for (const ClientView& client : clients) {
        // A client without CPUs waits for some; its requests are drom run's.
        if ((!job.empty() && job != client.info.job) || client.wanted.empty()) continue;
        AdvisedProgram& program = program_of(node, client.info);
        program.seen.clients.push_back(node_client(client, looks, all));
        program.clients.push_back(client);
        const bool rank = client.info.ranks != 0;
        program.seen.name = rank ? name_without_rank(client.info.name) : client.info.name;
    }
    return node;
}

std::vector<Change> changes_of(const AdvisedNode& node, const std::vector<policy::Advice>& advices) {
    std::vector<Change> changes;
    for (size_t i = 0; i < node.programs.size(); ++i)
        for (size_t k = 0; k < node.programs[i].clients.size(); ++k)
            if (advices[i].cpus[k] != node.programs[i].seen.clients[k].cpus)
                changes.push_back({&node.programs[i].clients[k], static_cast<unsigned>(advices[i].cpus[k])});
    return changes;
}

std::vector<Assignment> assignments_of(const std::vector<Change>& changes, const Snapshot& snapshot) {
    JobState state;
    state.allowed = snapshot.masks.present - snapshot.masks.drained;
    state.free = snapshot.masks.free;
    state.locations = snapshot.locations;
    for (const Change& change : changes) state.members.push_back({change.client->wanted, change.cpus, change.cpus});
    const std::vector<CpuSet> masks = masks_of_sizes(state);
    std::vector<Assignment> assignments;
    for (size_t i = 0; i < changes.size(); ++i) assignments.push_back({changes[i].client->info.pid, masks[i]});
    return assignments;
}

}  // namespace drom::command
