// SPDX-License-Identifier: BSD-3-Clause
// digest.cpp - jobs into classes and days.
#include "report/digest.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace drom::sim {
namespace {

constexpr Seconds kDay = 24 * 3600;

/// Rounds down, also before the log's zero.
Seconds day_of(Seconds time) noexcept { return time / kDay - (time % kDay < 0 ? 1 : 0); }

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
    for (const JobOutcome& job : outcome.jobs) {
        if (job.shared() && job.start >= 0) ++found[day_of(job.start)].malleable_starts;
        if (!job.ended()) continue;
        Day& day = found[day_of(job.submit)];
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
    digest.events = outcome.events;
    digest.metrics = measure(outcome);
    if (baseline != nullptr) digest.worse = share_worse(outcome, *baseline);
    digest.heat = heat_map(outcome, baseline);
    digest.days = days(outcome);
    digest.gantt = gantt(outcome, window);
    return digest;
}

}  // namespace drom::sim
