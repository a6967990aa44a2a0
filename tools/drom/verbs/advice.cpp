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
    std::vector<double> useful;  ///< CPUs, per look; empty: unknown
    std::string unknown;         ///< why
    unsigned threads = 0;        ///< that worked, at most
};

/// CPU time of a client in one look.
struct LookTimes {
    double owned = 0, used = 0, useful = 0, waited = 0;  ///< seconds

    /// Returns the CPU time that other programs took from it: that it waited for, and had not used up by itself.
    [[nodiscard]] double taken() const { return std::clamp(owned - used, 0.0, waited); }
};

LookTimes times_of(const ClientSeen& client, double elapsed_s) {
    LookTimes times;
    times.owned = client.cpus * elapsed_s;
    for (const StatsProcess& process : processes_of(client, elapsed_s, "")) {
        times.used += process.cpu_s;
        times.useful += process.budget.useful;
        times.waited += process.waited_s;
    }
    return times;
}

/// Returns the CPUs that ran its own code, and those that would have if no other program had taken them: these are
/// divided as the time on a CPU. They are no more than the client has.
double useful_of(const LookTimes& times, double cpus, double elapsed_s) {
    if (times.used <= 0) return 0;
    return std::min(times.useful * (1 + times.taken() / times.used) / elapsed_s, cpus);
}

/// Returns the threads that worked: not those that woke up now and then, beside one that worked twenty times as long.
unsigned threads_of(const ClientSeen& client) {
    constexpr double kLeast = 0.05;
    std::vector<double> times;
    for (const ProcessSeen& process : client.processes)
        for (const metrics::ThreadTimes& thread : process.threads) times.push_back(thread.on_cpu());
    const double longest = times.empty() ? 0 : std::ranges::max(times);
    return static_cast<unsigned>(std::ranges::count_if(times, [&](double time) { return time > kLeast * longest; }));
}

Work unknown(std::string why) { return {{}, std::move(why), 0}; }

Work work_of(pid_t pid, const std::vector<WindowSeen>& looks) {
    Work work;
    LookTimes all;
    for (const WindowSeen& look : looks) {
        const auto seen =
            std::ranges::find(look.clients, pid, [](const ClientSeen& client) { return client.info.pid; });
        if (seen == look.clients.end() || look.elapsed_s <= 0) return unknown("it has just started");
        if (seen->elsewhere) return unknown("it is in another pid namespace");
        if (seen->refused != 0) return unknown("the kernel lets no samples be taken of it");
        const LookTimes times = times_of(*seen, look.elapsed_s);
        all.owned += times.owned;
        all.waited += times.taken();
        work.useful.push_back(useful_of(times, seen->cpus, look.elapsed_s));
        work.threads = std::max(work.threads, threads_of(*seen));
    }
    if (all.waited > all.owned / 2) return unknown("other programs had its CPUs for most of the time");
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
    seen.unknown = work.unknown;
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
    const unsigned all = snapshot.masks.present.count();
    std::vector<ClientView> clients = snapshot.clients;
    std::ranges::stable_sort(clients, {}, [](const ClientView& client) { return client.info.rank; });
    for (const ClientView& client : clients) {
        // A client without CPUs waits for some; its requests are drom run's.
        if ((!job.empty() && job != client.info.job) || client.wanted.empty()) continue;
        AdvisedProgram& program = program_of(node, client.info);
        const bool rank = client.info.ranks != 0;
        if (program.clients.empty()) program.seen.name = rank ? name_without_rank(client.info.name) : client.info.name;
        program.seen.job = client.info.job;
        program.seen.clients.push_back(node_client(client, looks, all));
        program.clients.push_back(client);
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
