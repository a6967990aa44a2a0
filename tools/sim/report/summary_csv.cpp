// SPDX-License-Identifier: BSD-3-Clause
// summary_csv.cpp - means, percentiles and parameters of each setting side by side.
#include "report/summary_csv.hpp"

#include <algorithm>

#include "report/csv.hpp"
#include "report/labels.hpp"

namespace drom::sim {
namespace {

using Text = CsvText;
using Row = const SummaryRow&;

const Metrics& metrics(Row row) { return row.digest.metrics; }

void put_count(Text& text, std::size_t number) { put_integer(text, static_cast<std::int64_t>(number)); }

/// Writes a number that does not exist without jobs.
void put_measure(Text& text, Row row, double number) {
    if (metrics(row).jobs > 0) put_number(text, number);
}

/// Writes a number that does not exist without urgent jobs.
void put_urgent(Text& text, Row row, double number) {
    if (metrics(row).urgent > 0) put_number(text, number);
}

// clang-format off
constexpr CsvColumn<SummaryRow> kTable[] = {
    {"setting", "", "the setting as it was written, with the varied parameters", [](Text& t, Row r) { put_text(t, r.setting); }},
    {"folder", "", "folder of its files; empty: it has none", [](Text& t, Row r) { put_text(t, r.folder); }},
    {"workload", "", "the log, or the generator's preset", [](Text& t, Row r) { put_text(t, r.digest.setting.workload); }},
    {"workload_seed", "", "seed of the generated workload; empty: a log", [](Text& t, Row r) { put_text(t, r.seed); }},
    {"policy", "", "the policy", [](Text& t, Row r) { put_text(t, r.digest.setting.policy); }},
    {"nodes", "", "nodes of the machine", [](Text& t, Row r) { put_integer(t, r.digest.setting.nodes); }},
    {"cores_per_node", "", "cores of each node, of the first partition", [](Text& t, Row r) { put_integer(t, r.digest.setting.cores_per_node); }},
    {"jobs", "", "jobs that ended; all means are over these", [](Text& t, Row r) { put_count(t, metrics(r).jobs); }},
    {"unended", "", "jobs that never started, or had not ended when the run was stopped", [](Text& t, Row r) { put_count(t, metrics(r).unended); }},
    {"killed", "", "jobs that were ended at their limit", [](Text& t, Row r) { put_count(t, metrics(r).killed); }},
    {"too_wide", "", "jobs that are wider than the machine", [](Text& t, Row r) { put_count(t, metrics(r).too_wide); }},
    {"malleable_starts", "", "jobs that started on nodes of running jobs", [](Text& t, Row r) { put_count(t, metrics(r).malleable_starts); }},
    {"mates", "", "jobs that made room for them", [](Text& t, Row r) { put_count(t, metrics(r).mates); }},
    {"makespan", "s", "last end - first start", [](Text& t, Row r) { put_measure(t, r, static_cast<double>(metrics(r).makespan)); }},
    {"utilisation", "share", "work done / what all cores can do in the makespan", [](Text& t, Row r) { put_measure(t, r, metrics(r).utilisation); }},
    {"allocated", "share", "nodes that had a job, over the makespan", [](Text& t, Row r) { put_measure(t, r, metrics(r).allocated); }},
    {"energy_proxy_node_seconds", "node s", "node-seconds at full power: busy nodes, and half of the idle ones; empty: there is an energy model", [](Text& t, Row r) { if (!metrics(r).energy) put_measure(t, r, metrics(r).energy_proxy); }},
    {"energy_j", "J", "energy of the jobs by the model", [](Text& t, Row r) { if (metrics(r).energy) put_number(t, metrics(r).energy->jobs_joules); }},
    {"energy_with_idle_j", "J", "the same, and of nodes without a job in the makespan", [](Text& t, Row r) { if (metrics(r).energy) put_number(t, metrics(r).energy->joules()); }},
    {"ghz_mean", "GHz", "mean frequency over the jobs", [](Text& t, Row r) { if (metrics(r).energy) put_number(t, metrics(r).energy->ghz); }},
    {"best_partition_share", "share", "jobs on the partition that is best for them", [](Text& t, Row r) { if (metrics(r).energy) put_number(t, metrics(r).energy->best_share); }},
    {"wait_mean", "s", "mean of `start` - `submit`", [](Text& t, Row r) { put_measure(t, r, metrics(r).wait.mean); }},
    {"wait_p50", "s", "median of `start` - `submit`", [](Text& t, Row r) { put_measure(t, r, metrics(r).wait.p50); }},
    {"wait_p95", "s", "95th percentile of `start` - `submit`", [](Text& t, Row r) { put_measure(t, r, metrics(r).wait.p95); }},
    {"wait_p99", "s", "99th percentile of `start` - `submit`", [](Text& t, Row r) { put_measure(t, r, metrics(r).wait.p99); }},
    {"wait_max", "s", "largest `start` - `submit`", [](Text& t, Row r) { put_measure(t, r, metrics(r).wait.max); }},
    {"response_mean", "s", "mean of `end` - `submit`", [](Text& t, Row r) { put_measure(t, r, metrics(r).response.mean); }},
    {"response_p50", "s", "median of `end` - `submit`", [](Text& t, Row r) { put_measure(t, r, metrics(r).response.p50); }},
    {"response_p95", "s", "95th percentile of `end` - `submit`", [](Text& t, Row r) { put_measure(t, r, metrics(r).response.p95); }},
    {"response_p99", "s", "99th percentile of `end` - `submit`", [](Text& t, Row r) { put_measure(t, r, metrics(r).response.p99); }},
    {"response_max", "s", "largest `end` - `submit`", [](Text& t, Row r) { put_measure(t, r, metrics(r).response.max); }},
    {"slowdown_mean", "", "mean of response / static run time of at least 1 s", [](Text& t, Row r) { put_measure(t, r, metrics(r).slowdown.mean); }},
    {"slowdown_p50", "", "median of response / static run time of at least 1 s", [](Text& t, Row r) { put_measure(t, r, metrics(r).slowdown.p50); }},
    {"slowdown_p95", "", "95th percentile of response / static run time of at least 1 s", [](Text& t, Row r) { put_measure(t, r, metrics(r).slowdown.p95); }},
    {"slowdown_p99", "", "99th percentile of response / static run time of at least 1 s", [](Text& t, Row r) { put_measure(t, r, metrics(r).slowdown.p99); }},
    {"slowdown_max", "", "largest response / static run time of at least 1 s", [](Text& t, Row r) { put_measure(t, r, metrics(r).slowdown.max); }},
    {"stretched_slowdown_mean", "", "mean of response / (`end` - `start`)", [](Text& t, Row r) { put_measure(t, r, metrics(r).stretched_slowdown.mean); }},
    {"stretched_slowdown_p50", "", "median of response / (`end` - `start`)", [](Text& t, Row r) { put_measure(t, r, metrics(r).stretched_slowdown.p50); }},
    {"stretched_slowdown_p95", "", "95th percentile of response / (`end` - `start`)", [](Text& t, Row r) { put_measure(t, r, metrics(r).stretched_slowdown.p95); }},
    {"stretched_slowdown_p99", "", "99th percentile of response / (`end` - `start`)", [](Text& t, Row r) { put_measure(t, r, metrics(r).stretched_slowdown.p99); }},
    {"stretched_slowdown_max", "", "largest response / (`end` - `start`)", [](Text& t, Row r) { put_measure(t, r, metrics(r).stretched_slowdown.max); }},
    {"bounded_slowdown_mean", "", "mean of response / static run time of at least 10 s, and at least 1", [](Text& t, Row r) { put_measure(t, r, metrics(r).bounded_slowdown.mean); }},
    {"bounded_slowdown_p50", "", "median of response / static run time of at least 10 s, and at least 1", [](Text& t, Row r) { put_measure(t, r, metrics(r).bounded_slowdown.p50); }},
    {"bounded_slowdown_p95", "", "95th percentile of response / static run time of at least 10 s, and at least 1", [](Text& t, Row r) { put_measure(t, r, metrics(r).bounded_slowdown.p95); }},
    {"bounded_slowdown_p99", "", "99th percentile of response / static run time of at least 10 s, and at least 1", [](Text& t, Row r) { put_measure(t, r, metrics(r).bounded_slowdown.p99); }},
    {"bounded_slowdown_max", "", "largest response / static run time of at least 10 s, and at least 1", [](Text& t, Row r) { put_measure(t, r, metrics(r).bounded_slowdown.max); }},
    {"worse_slowdown", "share", "jobs whose slowdown is larger than under the baseline; empty: there is no baseline", [](Text& t, Row r) { if (r.digest.worse) put_number(t, r.digest.worse->slowdown); }},
    {"worse_wait", "share", "jobs that wait longer than under the baseline", [](Text& t, Row r) { if (r.digest.worse) put_number(t, r.digest.worse->wait); }},
    {"urgent", "", "urgent jobs; the next five are empty without any", [](Text& t, Row r) { put_count(t, metrics(r).urgent); }},
    {"urgent_wait_mean", "s", "mean of their `start` - `submit`", [](Text& t, Row r) { put_urgent(t, r, metrics(r).urgent_wait); }},
    {"urgent_wait_p95", "s", "95th percentile of their `start` - `submit`", [](Text& t, Row r) { put_urgent(t, r, metrics(r).urgent_wait_p95); }},
    {"urgent_slowdown_mean", "", "mean of their response / static run time of at least 1 s", [](Text& t, Row r) { put_urgent(t, r, metrics(r).urgent_slowdown); }},
    {"preemptions", "", "jobs that ended for urgent ones and waited again, each as often as it did", [](Text& t, Row r) { put_urgent(t, r, static_cast<double>(metrics(r).preemptions)); }},
    {"lost_node_seconds", "node s", "node-seconds of what they had done", [](Text& t, Row r) { put_urgent(t, r, metrics(r).lost_node_seconds); }},
    {"passes", "", "passes of the scheduler", [](Text& t, Row r) { put_count(t, r.digest.passes); }},
    {"events", "", "submissions and ends", [](Text& t, Row r) { put_count(t, r.digest.events); }},
    {"interrupted", "0/1", "1: stopped before the last job ended", [](Text& t, Row r) { put_flag(t, r.digest.interrupted); }},
};
// clang-format on
constexpr std::span<const CsvColumn<SummaryRow>> kColumns = kTable;

/// Returns the parameters of any row, in the order of their first.
std::vector<std::string> parameters_of(std::span<const SummaryRow> rows) {
    std::vector<std::string> names;
    for (const SummaryRow& row : rows)
        for (const auto& parameter : row.digest.setting.parameters)
            if (std::find(names.begin(), names.end(), parameter.first) == names.end()) names.push_back(parameter.first);
    return names;
}

}  // namespace

std::string summary_csv(std::span<const SummaryRow> rows) {
    const std::vector<std::string> parameters = parameters_of(rows);
    CsvText text;
    put_header(text, kColumns);
    for (const std::string& name : parameters) text.push_back(','), put_text(text, name);
    text.push_back('\n');
    for (const SummaryRow& row : rows) {
        put_row(text, kColumns, row);
        for (const std::string& name : parameters)
            text.push_back(','), put_text(text, parameter(row.digest.setting, name));
        text.push_back('\n');
    }
    return fmt::to_string(text);
}

std::string summary_columns() {
    return columns_markdown("summary.csv", kColumns) +
           "\nBehind these each parameter has a column with its name; it is empty where the policy does not have it.\n";
}

}  // namespace drom::sim
