// SPDX-License-Identifier: BSD-3-Clause
// metrics.cpp - sums, percentiles and shares over the jobs of a simulation.
#include "engine/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "engine/busy_nodes.hpp"
#include "engine/sum.hpp"

namespace drom::sim {
namespace {

double mean(std::span<const double> numbers) {
    Sum sum;
    for (const double number : numbers) sum.add(number);
    return sum.value() / static_cast<double>(numbers.size());
}

/// Takes numbers in the order of the jobs and leaves them in another.
Spread spread_of(std::vector<double>& numbers) {
    if (numbers.empty()) return {};
    Spread spread;
    spread.mean = mean(numbers);
    auto from = numbers.begin();
    const auto percentile = [&](std::size_t percent) {
        const std::size_t rank = (numbers.size() * percent + 99) / 100;
        const auto at = numbers.begin() + static_cast<std::ptrdiff_t>(rank - 1);
        std::nth_element(from, at, numbers.end());
        from = at;
        return *at;
    };
    spread.p50 = percentile(50);
    spread.p95 = percentile(95);
    spread.p99 = percentile(99);
    spread.max = *std::max_element(from, numbers.end());
    return spread;
}

template <class Number>
Spread spread_over(const Outcome& outcome, std::vector<double>& room, Number number) {
    room.clear();
    for (const JobOutcome& job : outcome.jobs)
        if (job.ended()) room.push_back(static_cast<double>(number(job)));
    return spread_of(room);
}

/// Returns when the job first ran. A preempted job starts anew later, but the machine was busy before.
Seconds first_run(const JobOutcome& job) {
    const std::vector<BusyNodes>& held = job.history->held;
    return held.empty() ? job.start : std::min(job.start, held.front().from);
}

void count_jobs(const Outcome& outcome, Metrics& metrics) {
    metrics.too_wide = outcome.too_wide;
    metrics.first_start = std::numeric_limits<Seconds>::max();
    for (const JobOutcome& job : outcome.jobs) {
        if (!job.ended()) {
            ++metrics.unended;
            continue;
        }
        ++metrics.jobs;
        metrics.killed += job.killed;
        metrics.malleable_starts += job.shared();
        metrics.mates += job.hosted;
        metrics.first_start = std::min(metrics.first_start, first_run(job));
        metrics.last_end = std::max(metrics.last_end, job.end);
    }
    if (metrics.jobs == 0) metrics.first_start = 0;
    metrics.makespan = metrics.last_end - metrics.first_start;
}

void measure_urgent(const Outcome& outcome, Metrics& metrics) {
    std::vector<double> waits, slowdowns;
    Sum lost;
    for (const JobOutcome& job : outcome.jobs) {
        metrics.preemptions += static_cast<std::size_t>(job.history->preempted);
        lost.add(job.history->lost_node_seconds);
        if (!job.ended() || !job.urgent) continue;
        waits.push_back(static_cast<double>(job.wait()));
        slowdowns.push_back(slowdown(job));
    }
    metrics.lost_node_seconds = lost.value();
    metrics.urgent = waits.size();
    const Spread wait = spread_of(waits);
    metrics.urgent_wait = wait.mean;
    metrics.urgent_wait_p95 = wait.p95;
    metrics.urgent_slowdown = spread_of(slowdowns).mean;
}

double node_seconds(const std::vector<BusyNodes>& busy) {
    Sum sum;
    for (const BusyNodes& one : busy) sum.add(static_cast<double>(one.nodes) * static_cast<double>(one.to - one.from));
    return sum.value();
}

/// Returns node-seconds. On a size of its own choice a job does the work of the nodes that it asks for.
double work_of(const JobOutcome& job) {
    const double factor = job.molded != 0 ? 1 : job.point.time_factor;
    return static_cast<double>(static_run(job)) * factor * static_cast<double>(job.nodes);
}

void measure_machine(const Outcome& outcome, Metrics& metrics) {
    const double all_nodes = static_cast<double>(outcome.setting.nodes) * static_cast<double>(metrics.makespan);
    if (all_nodes <= 0) return;
    Sum work;
    for (const JobOutcome& job : outcome.jobs)
        if (job.ended()) work.add(work_of(job));
    const double busy = node_seconds(busy_nodes(outcome, metrics.last_end));
    metrics.utilisation = work.value() / all_nodes;
    metrics.allocated = busy / all_nodes;  // mutant busy
    metrics.energy_proxy = busy + kIdlePower * std::max(0.0, all_nodes - busy);
}

double ratio(Seconds response, Seconds run) noexcept {
    return static_cast<double>(response) / static_cast<double>(run);
}

}  // namespace

Seconds static_run(const JobOutcome& job) noexcept { return job.killed ? std::min(job.run, job.request) : job.run; }

double slowdown(const JobOutcome& job) noexcept { return ratio(job.response(), std::max<Seconds>(1, static_run(job))); }

double stretched_slowdown(const JobOutcome& job) noexcept {
    return ratio(job.response(), std::max<Seconds>(1, job.stretched()));
}

double bounded_slowdown(const JobOutcome& job) noexcept {
    return std::max(1.0, ratio(job.response(), std::max(kBound, static_run(job))));
}

Metrics measure(const Outcome& outcome) {
    Metrics metrics;
    count_jobs(outcome, metrics);
    if (metrics.jobs == 0) return metrics;
    std::vector<double> room;
    room.reserve(metrics.jobs);
    metrics.wait = spread_over(outcome, room, [](const JobOutcome& job) { return job.wait(); });
    metrics.response = spread_over(outcome, room, [](const JobOutcome& job) { return job.response(); });
    metrics.slowdown = spread_over(outcome, room, slowdown);
    metrics.stretched_slowdown = spread_over(outcome, room, stretched_slowdown);
    metrics.bounded_slowdown = spread_over(outcome, room, bounded_slowdown);
    measure_urgent(outcome, metrics);
    measure_machine(outcome, metrics);
    metrics.energy = energy_of(outcome, metrics.makespan);
    if (metrics.energy) metrics.energy_proxy = 0;
    return metrics;
}

bool comparable(const Outcome& outcome, const Outcome& baseline, std::size_t job) noexcept {
    if (job >= outcome.jobs.size() || job >= baseline.jobs.size()) return false;
    const JobOutcome &here = outcome.jobs[job], &there = baseline.jobs[job];
    return here.id == there.id && here.ended() && there.ended();
}

std::optional<ShareWorse> share_worse(const Outcome& outcome, const Outcome& baseline) {
    std::size_t jobs = 0, slower = 0, later = 0;
    for (std::size_t i = 0; i < outcome.jobs.size(); ++i) {
        if (!comparable(outcome, baseline, i)) continue;
        ++jobs;
        slower += slowdown(outcome.jobs[i]) > slowdown(baseline.jobs[i]);
        later += outcome.jobs[i].wait() > baseline.jobs[i].wait();
    }
    if (jobs == 0) return std::nullopt;
    const double all = static_cast<double>(jobs);
    return ShareWorse{jobs, static_cast<double>(slower) / all, static_cast<double>(later) / all};
}

}  // namespace drom::sim
