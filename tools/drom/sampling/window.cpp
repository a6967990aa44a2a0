// SPDX-License-Identifier: BSD-3-Clause
// window.cpp - clients and the processes below them, seen from outside for a while.
#include "sampling/window.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "sampling/watched_client.hpp"

namespace drom::command {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kLook = std::chrono::milliseconds(800);
constexpr int kLooksPerTree = 2;

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

}  // namespace

WindowSeen watch_clients(const Table& table, const std::vector<drom_client_info>& clients,
                         std::chrono::milliseconds window) {
    raise_limit_of_files();
    Pace pace = usual_pace();
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
