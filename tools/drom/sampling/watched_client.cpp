// SPDX-License-Identifier: BSD-3-Clause
// watched_client.cpp - a client and the processes below it, seen from outside.
#include "sampling/watched_client.hpp"

#include <sys/resource.h>

#include <utility>

#include "sampling/tree_time.hpp"

namespace drom::command {

Pace usual_pace() {
    constexpr std::chrono::nanoseconds kPeriod(4'986'817);
    return {kPeriod, true};
}

void raise_limit_of_files() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);  // where that fails, threads beyond the limit are refused
}

WatchedClient::WatchedClient(const Table& table, const drom_client_info& info) : table_(table), info_(info) {
    tree_begin_s_ = tree_cpu_s(find_processes(true));
    count_cpus();
}

void WatchedClient::look(Pace& pace, bool tree) {
    if (tree) find_processes(false);
    for (auto& [pid, process] : processes_) process.look(pace);
}

void WatchedClient::integrate(double seconds) {
    cpu_s_ += seconds * cpus_;
    count_cpus();
}

ClientSeen WatchedClient::seen(double elapsed_s) {
    ClientSeen client{info_, cpu_s_ / elapsed_s, elsewhere_, 0, {}};
    for (auto& [pid, process] : processes_) {
        process.end();
        const auto place = pid == info_.pid ? client.processes.begin() : client.processes.end();
        client.processes.insert(place, process.seen());
        if (process.refused() != 0) client.refused = process.refused();
    }
    add_unseen(client);
    return client;
}

/// Returns the processes that the client has now.
std::vector<pid_t> WatchedClient::find_processes(bool first) {
    const auto below = table_.descendants(info_.pid);
    elsewhere_ |= first && !below && below.error().status == DROM_E_NOPROC;
    if (!below || elsewhere_) return {};
    std::vector<pid_t> processes{info_.pid};
    processes.insert(processes.end(), below->begin(), below->end());
    for (const pid_t pid : processes) processes_.try_emplace(pid, pid, first);
    return processes;
}

/// Adds the CPU time of children that began and ended between two looks, as those of make and of scripts do. It counts
/// as useful, and as one thread of the first process.
void WatchedClient::add_unseen(ClientSeen& client) {
    if (client.processes.empty()) return;
    constexpr double kTick = 0.01;
    double unseen_s = tree_cpu_s(find_processes(false)) - tree_begin_s_;
    for (const ProcessSeen& process : client.processes) unseen_s -= process.cpu_s + kTick;
    if (unseen_s <= 0) return;
    ProcessSeen& first = client.processes.front();
    first.threads.push_back({unseen_s, 0, 0});
    first.cpu_s += unseen_s;
}

void WatchedClient::count_cpus() {
    const auto masks = table_.masks_of(info_.pid);
    cpus_ = masks ? masks->owned.count() : 0;
}

}  // namespace drom::command
