// SPDX-License-Identifier: BSD-3-Clause
// series_csv.cpp - jobs as amounts of running, waiting and power over time.
#include "report/series_csv.hpp"

#include "engine/busy_nodes.hpp"
#include "engine/energy.hpp"
#include "report/csv.hpp"
#include "report/step_sums.hpp"
#include "report/text_file.hpp"

namespace drom::sim {
namespace {

/// Means over a step.
struct StepRow {
    Seconds zero = 0;
    Seconds from = 0, to = 0;
    int nodes = 0;  ///< of the machine
    double allocated = 0;
    double running = 0, waiting = 0, waiting_nodes = 0;
    std::optional<double> watts, idle_watts;
};

struct DayRow {
    Seconds zero = 0;
    Seconds from = 0;
    const Day& day;
};

using Text = CsvText;

// clang-format off
constexpr CsvColumn<StepRow> kSeriesTable[] = {
    {"from", "s", "begin of the step, since the log's zero; that of the first is the first start", [](Text& t, const StepRow& r) { put_integer(t, r.from); }},
    {"to", "s", "end of the step; that of the last is the last end", [](Text& t, const StepRow& r) { put_integer(t, r.to); }},
    {"allocated", "share", "nodes that had a job; this and the following are means over the step", [](Text& t, const StepRow& r) { put_decimals(t, r.allocated); }},
    {"busy_nodes", "nodes", "the same as a number", [](Text& t, const StepRow& r) { put_decimals(t, r.allocated * r.nodes); }},
    {"running", "jobs", "jobs that ran", [](Text& t, const StepRow& r) { put_decimals(t, r.running); }},
    {"waiting", "jobs", "jobs that waited", [](Text& t, const StepRow& r) { put_decimals(t, r.waiting); }},
    {"waiting_nodes", "nodes", "nodes that these ask for", [](Text& t, const StepRow& r) { put_decimals(t, r.waiting_nodes); }},
    {"watts", "W", "power of the jobs that ended, each job's as a mean over the time that it ran; empty: the machine has no energy model", [](Text& t, const StepRow& r) { if (r.watts) put_decimals(t, *r.watts); }},
    {"watts_with_idle", "W", "the same, and of nodes without a job", [](Text& t, const StepRow& r) { if (r.watts) put_decimals(t, *r.watts + *r.idle_watts); }},
    {"from_date", "UTC", "`from` as a date; empty: the log has no `UnixStartTime`", [](Text& t, const StepRow& r) { put_date(t, r.zero, r.from); }},
};

constexpr CsvColumn<DayRow> kDaysTable[] = {
    {"from", "s", "begin of the day, since the log's zero; a day of the calendar (UTC) where the log has `UnixStartTime`; days without jobs and starts are left out", [](Text& t, const DayRow& r) { put_integer(t, r.from); }},
    {"jobs", "", "jobs that were submitted on it, and ended", [](Text& t, const DayRow& r) { put_integer(t, static_cast<std::int64_t>(r.day.jobs)); }},
    {"slowdown", "", "mean of their response / static run time of at least 1 s; empty: none", [](Text& t, const DayRow& r) { if (r.day.jobs > 0) put_decimals(t, r.day.slowdown); }},
    {"malleable_starts", "", "jobs that started on nodes of running jobs on it", [](Text& t, const DayRow& r) { put_integer(t, static_cast<std::int64_t>(r.day.malleable_starts)); }},
    {"from_date", "UTC", "`from` as a date; empty: the log has no `UnixStartTime`", [](Text& t, const DayRow& r) { put_date(t, r.zero, r.from); }},
};
// clang-format on
constexpr std::span<const CsvColumn<StepRow>> kSeries = kSeriesTable;
constexpr std::span<const CsvColumn<DayRow>> kDays = kDaysTable;

/// Calls f with each run of the job: those that were preempted, then the last one. A job that did not end runs until
/// `stop`.
template <class Function>
void for_each_run(const JobOutcome& job, Seconds stop, Function f) {
    const NodeHistory& history = *job.history;
    for (int run = 0; run < history.preempted; ++run) f(history.held[static_cast<std::size_t>(run)]);
    if (job.start >= 0) f(BusyNodes{job.size(), job.start, job.ended() ? job.end : stop});
}

/// Sums over the steps, of all jobs.
struct Sums {
    StepSums running, waiting, waiting_nodes, joules, idle_joules;

    explicit Sums(const StepSums& empty)
        : running(empty), waiting(empty), waiting_nodes(empty), joules(empty), idle_joules(empty) {}

    void add_wait(const JobOutcome& job, Seconds from, Seconds to, int jobs) {
        waiting.add(from, to, jobs);
        waiting_nodes.add(from, to, jobs * job.nodes);
    }

    void add_times(const JobOutcome& job, Seconds stop) {
        add_wait(job, job.submit, job.start >= 0 ? job.start : stop, 1);
        for (int run = 0; run < job.history->preempted; ++run) {
            const BusyNodes& lost = job.history->held[static_cast<std::size_t>(run)];
            add_wait(job, lost.from, lost.to, -1);
        }
        for_each_run(job, stop, [&](const BusyNodes& run) { running.add(run.from, run.to, 1); });
    }

    /// Spreads the energy of a job that ended over its runs, by their nodes and seconds.
    void add_power(const JobOutcome& job) {
        double ran = 0;
        for_each_run(job, job.end,
                     [&](const BusyNodes& run) { ran += static_cast<double>(run.to - run.from) * run.nodes; });
        if (ran <= 0) return;
        for_each_run(job, job.end, [&](const BusyNodes& run) {
            joules.add(run.from, run.to, run.nodes * job.node_seconds / ran * job.point.watts);
        });
    }

    /// Adds what the nodes of a partition take while they have no job.
    void add_idle(const Outcome& outcome, int partition, const Utilisation& steps) {
        const PartitionSetting& of = outcome.setting.partitions[static_cast<std::size_t>(partition)];
        idle_joules.add(steps.from, steps.to, of.idle_watts * of.nodes);
        for (const BusyNodes& busy : busy_nodes(outcome, steps.to, partition))
            idle_joules.add(busy.from, busy.to, -of.idle_watts * busy.nodes);
    }
};

Sums sums_of(const Outcome& outcome, const Utilisation& steps) {
    Sums sums(StepSums(steps.from, steps.step, steps.to));
    const std::size_t partitions = outcome.setting.partitions.size();
    for (std::size_t p = 0; p < partitions; ++p) sums.add_idle(outcome, static_cast<int>(p), steps);
    for (const JobOutcome& job : outcome.jobs) {
        sums.add_times(job, steps.to);
        if (partitions > 0 && job.ended()) sums.add_power(job);
    }
    return sums;
}

std::vector<StepRow> rows_of(const Outcome& outcome, const Utilisation& steps) {
    if (steps.shares.empty()) return {};
    const Sums sums = sums_of(outcome, steps);
    const auto running = sums.running.each(), waiting = sums.waiting.each(), waiting_nodes = sums.waiting_nodes.each();
    const auto joules = sums.joules.each(), idle_joules = sums.idle_joules.each();
    std::vector<StepRow> rows;
    for (std::size_t i = 0; i < steps.shares.size(); ++i) {
        StepRow row;
        row.zero = outcome.setting.provenance.zero;
        row.from = steps.from + static_cast<Seconds>(i) * steps.step;
        row.to = std::min(row.from + steps.step, steps.to);
        const auto seconds = static_cast<double>(row.to - row.from);
        row.nodes = outcome.setting.nodes;
        row.allocated = steps.shares[i];
        row.running = running[i] / seconds;
        row.waiting = waiting[i] / seconds;
        row.waiting_nodes = waiting_nodes[i] / seconds;
        if (!outcome.setting.partitions.empty()) {
            row.watts = joules[i] / seconds;
            row.idle_watts = std::max(0.0, idle_joules[i] / seconds);
        }
        rows.push_back(row);
    }
    return rows;
}

template <class Row>
std::string csv(std::span<const CsvColumn<Row>> columns, const std::vector<Row>& rows) {
    Text text;
    put_header(text, columns);
    text.push_back('\n');
    for (const Row& row : rows) {
        put_row(text, columns, row);
        text.push_back('\n');
    }
    return fmt::to_string(text);
}

}  // namespace

tl::expected<void, std::string> write_series_csv(const std::string& path, const Outcome& outcome,
                                                 const Digest& digest) {
    return write_text(path, csv(kSeries, rows_of(outcome, digest.utilisation)));
}

tl::expected<void, std::string> write_days_csv(const std::string& path, const Digest& digest) {
    const Seconds zero = digest.setting.provenance.zero;
    std::vector<DayRow> rows;
    for (const Day& day : digest.days) rows.push_back({zero, day.day * kDaySeconds - zero % kDaySeconds, day});
    return write_text(path, csv(kDays, rows));
}

std::string series_columns() { return columns_markdown("series.csv", kSeries); }
std::string days_columns() { return columns_markdown("days.csv", kDays); }

}  // namespace drom::sim
