// SPDX-License-Identifier: BSD-3-Clause
// sampled_clients.cpp - what clients did since the last look, again and again.
#include "verbs/sampled_clients.hpp"

#include <algorithm>

#include "verbs/stats_applications.hpp"

namespace drom::command {

namespace {

/// Returns what was added from one sum to the next. The parts of a sum are estimates, and may shrink a little.
double added(double now, double before) { return std::max(now - before, 0.0); }

metrics::Budget added(const metrics::Budget& now, const metrics::Budget& before) {
    return {added(now.owned, before.owned),
            added(now.useful, before.useful),
            added(now.mpi, before.mpi),
            added(now.mpi_worker_idle, before.mpi_worker_idle),
            added(now.load_imbalance, before.load_imbalance),
            added(now.scheduling, before.scheduling),
            added(now.serialization, before.serialization)};
}

}  // namespace

SampledClients::SampledClients(const Table& table) : table_(table), pace_(usual_pace()) { raise_limit_of_files(); }

void SampledClients::follow(const std::vector<drom_client_info>& clients, uint64_t now_ns) {
    const auto is = [](const drom_client_info& info) {
        return [&info](const Followed& followed) { return followed.slot == info.slot && followed.pid == info.pid; };
    };
    followed_.remove_if([&](const Followed& followed) {
        return std::ranges::none_of(clients, [&](const auto& info) { return is(info)(followed); });
    });
    for (const drom_client_info& info : clients) {
        if (std::ranges::any_of(followed_, is(info))) continue;
        followed_.push_back({info.slot, info.pid, now_ns, WatchedClient(table_, info), {}});
        followed_.back().last.end_ns = now_ns;
        followed_.back().watched.look(pace_, false);
    }
}

std::vector<ClientSample> SampledClients::look(uint64_t now_ns) {
    std::vector<ClientSample> samples;
    for (Followed& followed : followed_)
        if (now_ns > followed.last.end_ns) samples.push_back(look_at(followed, now_ns));
    return samples;
}

ClientSample SampledClients::look_at(Followed& followed, uint64_t now_ns) {
    const ClientSample before = followed.last;
    followed.watched.integrate(static_cast<double>(now_ns - before.end_ns) / 1e9);
    followed.watched.look(pace_, true);
    ClientSample all{followed.slot, followed.pid, followed.begin_ns, now_ns, true, {}, 0, 0};
    const ClientSeen seen = followed.watched.seen(all.seconds());
    all.sampled = !seen.elsewhere && seen.refused == 0;
    for (const StatsProcess& process : processes_of(seen, all.seconds(), "")) {
        metrics::add(all.budget, process.budget);
        all.cpu_s += process.cpu_s;
        all.waited_s += process.waited_s;
    }
    followed.last = all;
    return {all.slot,
            all.pid,
            before.end_ns,
            now_ns,
            all.sampled,
            added(all.budget, before.budget),
            added(all.cpu_s, before.cpu_s),
            added(all.waited_s, before.waited_s)};
}

}  // namespace drom::command
