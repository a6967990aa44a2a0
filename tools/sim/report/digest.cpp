// SPDX-License-Identifier: BSD-3-Clause
// digest.cpp - jobs into classes and days.
#include "report/digest.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "engine/busy_nodes.hpp"
#include "report/step_sums.hpp"

namespace drom::sim {
namespace {

/// Returns the day of a time, rounded down, also before the log's zero.
Seconds day_of(Seconds time) noexcept { return time / kDaySeconds - (time % kDaySeconds < 0 ? 1 : 0); }

void add(HeatCell& cell, const JobOutcome& job) {
    ++cell.jobs;
    cell.slowdown += slowdown(job);
    cell.run += static_cast<double>(job.stretched());
    cell.wait += static_cast<double>(job.wait());
}

void add_baseline(HeatCell& cell, const JobOutcome& job) {
    cell.baseline_slowdown += slowdown(job);
    cell.baseline_run += static_cast<double>(job.stretched());
    cell.baseline_wait += static_cast<double>(job.wait());
}

void sums_to_means(HeatCell& cell) {
    if (cell.jobs == 0) return;
    const double jobs = static_cast<double>(cell.jobs);
    for (double* sum :
         {&cell.slowdown, &cell.run, &cell.wait, &cell.baseline_slowdown, &cell.baseline_run, &cell.baseline_wait})
        *sum /= jobs;
}

HeatMap heat_map(const Outcome& outcome, const Outcome* baseline) {
    HeatMap map;
    map.against_baseline = baseline != nullptr;
    for (std::size_t i = 0; i < outcome.jobs.size(); ++i) {
        const JobOutcome& job = outcome.jobs[i];
        if (!job.ended() || (baseline != nullptr && !comparable(outcome, *baseline, i))) continue;
        const std::size_t row = node_class(job.nodes);
        if (row >= map.rows.size()) map.rows.resize(row + 1);
        HeatCell& cell = map.rows[row][run_class(static_run(job))];
        add(cell, job);
        if (baseline != nullptr) add_baseline(cell, baseline->jobs[i]);
    }
    for (auto& row : map.rows)
        for (HeatCell& cell : row) sums_to_means(cell);
    return map;
}

// By day in a map: logs have gaps of years, and an absurd submit must not cost a day for each day before it.
std::vector<Day> days(const Outcome& outcome) {
    std::map<Seconds, Day> found;
    const Seconds clock = outcome.setting.provenance.zero % kDaySeconds;
    for (const JobOutcome& job : outcome.jobs) {
        if (job.shared() && job.start >= 0) ++found[day_of(clock + job.start)].malleable_starts;
        if (!job.ended()) continue;
        Day& day = found[day_of(clock + job.submit)];
        ++day.jobs;
        day.slowdown += slowdown(job);
    }
    std::vector<Day> days;
    days.reserve(found.size());
    for (auto& [number, day] : found) {
        day.day = number;
        if (day.jobs > 0) day.slowdown /= static_cast<double>(day.jobs);
        days.push_back(day);
    }
    return days;
}

std::vector<double> quantiles_of(std::vector<double> numbers) {
    if (numbers.empty()) return {};
    std::sort(numbers.begin(), numbers.end());
    std::vector<double> quantiles;
    quantiles.reserve(kQuantiles + 1);
    for (std::size_t i = 0; i <= kQuantiles; ++i) {
        const std::size_t rank = (numbers.size() * i + kQuantiles - 1) / kQuantiles;
        quantiles.push_back(numbers[std::max<std::size_t>(rank, 1) - 1]);
    }
    return quantiles;
}

Distributions distributions(const Outcome& outcome) {
    std::vector<double> waits, slowdowns;
    for (const JobOutcome& job : outcome.jobs) {
        if (!job.ended()) continue;
        waits.push_back(static_cast<double>(job.wait()));
        slowdowns.push_back(slowdown(job));
    }
    return {quantiles_of(std::move(waits)), quantiles_of(std::move(slowdowns))};
}

/// Returns the shortest step that divides `span` into at most kMaxSteps.
Seconds step_of(Seconds span) {
    constexpr Seconds kMaxSteps = 400;
    for (const Seconds step : {1, 10, 60, 600, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 24 * 3600, 7 * 24 * 3600})
        if (span / step < kMaxSteps) return step;
    return (span / kMaxSteps / kDaySeconds + 1) * kDaySeconds;
}

Utilisation utilisation(const Outcome& outcome, const Metrics& metrics) {
    if (metrics.makespan <= 0 || outcome.setting.nodes <= 0) return {};
    Utilisation found{metrics.first_start, step_of(metrics.makespan), metrics.last_end, {}};
    StepSums busy(found.from, found.step, found.to);
    for (const BusyNodes& one : busy_nodes(outcome, metrics.last_end)) busy.add(one.from, one.to, one.nodes);
    for (const double node_seconds : busy.each()) {
        const Seconds seconds = busy.seconds(found.shares.size());
        const double all = static_cast<double>(outcome.setting.nodes) * static_cast<double>(seconds);
        found.shares.push_back(std::clamp(node_seconds / all, 0.0, 1.0));
    }
    return found;
}

}  // namespace

std::size_t run_class(Seconds run) noexcept {
    const auto at = std::lower_bound(kRunClasses.begin(), kRunClasses.end(), run);
    return static_cast<std::size_t>(at - kRunClasses.begin());
}

std::size_t node_class(int nodes) noexcept {
    return nodes <= 1 ? 0 : static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(nodes - 1)));
}

Digest digest(const Outcome& outcome, const Outcome* baseline, Window window) {
    Digest digest;
    digest.setting = outcome.setting;
    digest.interrupted = outcome.interrupted;
    digest.passes = outcome.passes;
    digest.outlived = outcome.outlived;
    digest.longest_shrink = outcome.longest_shrink;
    digest.events = outcome.events;
    digest.metrics = measure(outcome);
    if (baseline != nullptr) digest.worse = share_worse(outcome, *baseline);
    digest.heat = heat_map(outcome, baseline);
    digest.days = days(outcome);
    digest.distributions = distributions(outcome);
    digest.utilisation = utilisation(outcome, digest.metrics);
    digest.gantt = gantt(outcome, window);
    return digest;
}

}  // namespace drom::sim
