// SPDX-License-Identifier: BSD-3-Clause
// window.cpp - clients and the processes below them, seen from outside for a while.
#include "sampling/window.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <utility>

#include "sampling/tree_time.hpp"

namespace drom::command {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kLook = std::chrono::milliseconds(800);
constexpr int kLooksPerTree = 2;
// 200 samples per second, and no period that a program is likely to have.
constexpr std::chrono::nanoseconds kPeriod(4'986'817);

double seconds_of(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

void sleep_until(Clock::time_point until) {
    const auto since = until.time_since_epoch();
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(since);
    const timespec end{static_cast<time_t>(whole.count()),
                       static_cast<long>(std::chrono::nanoseconds(since - whole).count())};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nullptr) == EINTR) {}
}

double own_cpu_s() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Allows as many open files as the system lets us: each thread takes one.
void raise_limit_of_files() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);  // where that fails, threads beyond the limit are refused
}

class WatchedClient {
public:
    WatchedClient(const Table& table, const drom_client_info& info) : table_(table), info_(info) {
        tree_begin_s_ = tree_cpu_s(find_processes(true));
        count_cpus();
    }

    void look(Pace& pace, bool tree) {
        if (tree) find_processes(false);
        for (auto& [pid, process] : processes_) process.look(pace);
    }

    /// Adds the CPUs that it has owned since the last call, at the number that it owned then.
    void integrate(double seconds) {
        cpu_s_ += seconds * cpus_;
        count_cpus();
    }

    [[nodiscard]] ClientSeen seen(double elapsed_s) {
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

private:
    /// Returns the processes that the client has now.
    std::vector<pid_t> find_processes(bool first) {
        const auto below = table_.descendants(info_.pid);
        elsewhere_ |= first && !below && below.error().status == DROM_E_NOPROC;
        if (!below || elsewhere_) return {};
        std::vector<pid_t> processes{info_.pid};
        processes.insert(processes.end(), below->begin(), below->end());
        for (const pid_t pid : processes) processes_.try_emplace(pid, pid, first);
        return processes;
    }

    /// Adds the CPU time of children that began and ended between two looks, as those of make and of scripts do. It
    /// counts as useful, and as one thread of the first process.
    void add_unseen(ClientSeen& client) {
        if (client.processes.empty()) return;
        constexpr double kTick = 0.01;
        double unseen_s = tree_cpu_s(find_processes(false)) - tree_begin_s_;
        for (const ProcessSeen& process : client.processes) unseen_s -= process.cpu_s + kTick;
        if (unseen_s <= 0) return;
        ProcessSeen& first = client.processes.front();
        first.threads.push_back({unseen_s, 0, 0});
        first.cpu_s += unseen_s;
    }

    void count_cpus() {
        const auto masks = table_.masks_of(info_.pid);
        cpus_ = masks ? masks->owned.count() : 0;
    }

    const Table& table_;
    drom_client_info info_;
    bool elsewhere_ = false;
    double cpus_ = 0;
    double cpu_s_ = 0;
    double tree_begin_s_ = 0;  ///< at the begin of the window
    std::map<pid_t, ProcessSampler> processes_;
};

}  // namespace

WindowSeen watch_clients(const Table& table, const std::vector<drom_client_info>& clients,
                         std::chrono::milliseconds window) {
    raise_limit_of_files();
    Pace pace{kPeriod, true};
    WindowSeen seen;
    std::vector<WatchedClient> watched;
    watched.reserve(clients.size());
    for (const drom_client_info& info : clients) watched.emplace_back(table, info);
    for (WatchedClient& client : watched) client.look(pace, false);
    const double cost_before = own_cpu_s();
    const auto begin = Clock::now();
    auto last = begin;
    for (int looks = 1; last < begin + window; ++looks) {
        sleep_until(std::min(last + kLook, begin + window));
        const auto now = Clock::now();
        for (WatchedClient& client : watched) {
            client.integrate(seconds_of(now - last));
            client.look(pace, looks % kLooksPerTree == 0);
        }
        last = now;
    }
    seen.elapsed_s = seconds_of(last - begin);
    seen.in_kernel = pace.in_kernel;
    for (WatchedClient& client : watched) seen.clients.push_back(client.seen(seen.elapsed_s));
    seen.cost_s = own_cpu_s() - cost_before;
    return seen;
}

}  // namespace drom::command
