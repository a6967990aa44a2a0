// SPDX-License-Identifier: BSD-3-Clause
// report_tables.cpp - numbers and parameters side by side.
#include "report/report_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "report/labels.hpp"
#include "report/numbers.hpp"
#include "report/svg.hpp"

namespace drom::sim {
namespace {

constexpr const char* kNothing = "\u2013";

/// Rows of cells; text is escaped here.
class Table {
public:
    explicit Table(const std::vector<std::string>& heads) {
        html_ = "<div class=\"wide\"><table>\n<thead><tr>";
        for (const std::string& head : heads) html_ += "<th scope=\"col\">" + escaped(head) + "</th>";
        html_ += "</tr></thead>\n<tbody>\n";
        columns_ = heads.size();
    }

    void section(const std::string& text) {
        html_ += "<tr class=\"section\"><th colspan=\"" + std::to_string(columns_) + "\" scope=\"rowgroup\">" +
                 escaped(text) + "</th></tr>\n";
    }

    /// Begins a row with its first cell. A long name breaks after its signs, if it must.
    void row(const std::string& head) {
        html_ += "<tr><th scope=\"row\">";
        for (const char letter : escaped(head)) {
            html_ += letter;
            if (letter == ',' || letter == ':') html_ += "<wbr/>";
        }
        html_ += "</th>";
    }
    void cell(const std::string& text) { html_ += "<td>" + escaped(text) + "</td>"; }
    /// Adds a number, and the same in a unit that says more.
    void cell(const std::string& text, const std::string& also) {
        html_ += "<td>" + escaped(text) + "<small>" + escaped(also) + "</small></td>";
    }
    void end_row() { html_ += "</tr>\n"; }

    std::string finish() const { return html_ + "</tbody></table></div>\n"; }

private:
    std::string html_;
    std::size_t columns_ = 0;
};

void seconds_cell(Table& table, double seconds) { table.cell(grouped(std::llround(seconds)), duration(seconds)); }

std::string whole(std::size_t number) { return grouped(static_cast<std::int64_t>(number)); }

/// Returns the share of all jobs that were replayed.
std::string share_of_jobs(std::size_t number, const Metrics& metrics) {
    const auto all = static_cast<double>(metrics.jobs + metrics.unended);
    return all > 0 ? percent(static_cast<double>(number) / all) : kNothing;
}

/// Adds a mean, and how it compares with the baseline's; without one a time also in a larger unit.
void mean_cell(Table& table, double mean, const double* baseline, bool is_time) {
    const std::string number = is_time ? grouped(std::llround(mean)) : readable(mean);
    if (baseline != nullptr && *baseline > 0) return table.cell(number, change(mean / *baseline));
    is_time ? table.cell(number, duration(mean)) : table.cell(number);
}

void overview_row(Table& table, const Metrics& metrics, const Metrics* baseline,
                  const std::optional<ShareWorse>& worse) {
    const auto theirs = [&](const Spread Metrics::* spread) {
        return baseline != nullptr ? &(baseline->*spread).mean : nullptr;
    };
    table.cell(whole(metrics.jobs));
    mean_cell(table, metrics.wait.mean, theirs(&Metrics::wait), true);
    mean_cell(table, metrics.response.mean, theirs(&Metrics::response), true);
    mean_cell(table, metrics.slowdown.mean, theirs(&Metrics::slowdown), false);
    mean_cell(table, metrics.bounded_slowdown.mean, theirs(&Metrics::bounded_slowdown), false);
    const double makespan = baseline != nullptr ? static_cast<double>(baseline->makespan) : 0;
    mean_cell(table, static_cast<double>(metrics.makespan), &makespan, true);
    table.cell(percent(metrics.utilisation));
    metrics.malleable_starts > 0
        ? table.cell(whole(metrics.malleable_starts), share_of_jobs(metrics.malleable_starts, metrics))
        : table.cell("0");
    metrics.mates > 0 ? table.cell(whole(metrics.mates), share_of_jobs(metrics.mates, metrics)) : table.cell("0");
    table.cell(worse ? percent(worse->slowdown) : kNothing);
}

/// Calls `each` for every case, under a section for its workload where there are several.
void for_cases(const ReportInput& input, Table& table, const std::string& above,
               const std::function<void(std::size_t)>& each) {
    const std::vector<std::string> workloads = workloads_of(input);
    for (const std::string& workload : workloads) {
        if (workloads.size() > 1 || !above.empty()) {
            const bool both = workloads.size() > 1 && !above.empty();
            table.section(fmt::format("{}{}{}", above, both ? ", " : "", workloads.size() > 1 ? workload : ""));
        }
        for (std::size_t i = 0; i < input.cases.size(); ++i)
            if (input.cases[i].digest.setting.workload == workload) each(i);
    }
}

struct SpreadRow {
    const char* name;
    Spread Metrics::* spread;
    bool is_time;
};

constexpr std::array<SpreadRow, 5> kSpreads = {
    {{"wait, s", &Metrics::wait, true},
     {"response, s", &Metrics::response, true},
     {"slowdown against the static run time", &Metrics::slowdown, false},
     {"slowdown against the stretched run time", &Metrics::stretched_slowdown, false},
     {"bounded slowdown", &Metrics::bounded_slowdown, false}}};

void spread_cells(Table& table, const Spread& spread, bool is_time) {
    for (const double number : {spread.mean, spread.p50, spread.p95, spread.p99, spread.max})
        is_time ? seconds_cell(table, number) : table.cell(readable(number));
}

/// Adds the energy by the model where there is one; else the proxy.
void energy_cell(Table& table, const Metrics& metrics) {
    if (metrics.energy)
        return table.cell(readable(metrics.energy->jobs_joules / 1e9) + "\u00a0GJ",
                          "with idle nodes " + readable(metrics.energy->joules() / 1e9) + "\u00a0GJ");
    metrics.makespan > 0 ? table.cell(readable(metrics.energy_proxy / 86400), "proxy, node-days")
                         : table.cell(kNothing);
}

std::string machine_text(const Setting& setting) {
    return grouped(setting.nodes) + (setting.nodes == 1 ? " node" : " nodes") + " \u00d7 " + cores_text(setting);
}

/// A parameter and its value in each case; empty where the case has none.
struct ParameterLine {
    std::string name;
    std::vector<std::string> values;

    /// Returns the different values of the cases that have it.
    std::vector<std::string> different() const {
        std::vector<std::string> found;
        for (const std::string& value : values)
            if (!value.empty() && std::find(found.begin(), found.end(), value) == found.end()) found.push_back(value);
        return found;
    }
};

std::vector<ParameterLine> parameter_lines(const ReportInput& input) {
    std::vector<ParameterLine> rows;
    const auto add = [&](const std::string& name, auto value) {
        if (std::any_of(rows.begin(), rows.end(), [&](const ParameterLine& row) { return row.name == name; })) return;
        rows.push_back({name, {}});
        for (const Case& of : input.cases) rows.back().values.push_back(value(of.digest.setting));
    };
    add("workload", [](const Setting& setting) { return setting.workload; });
    add("machine", machine_text);
    add("policy", [](const Setting& setting) { return setting.policy; });
    for (const Case& of : input.cases)
        for (const auto& parameter_of : of.digest.setting.parameters)
            add(parameter_of.first,
                [&](const Setting& setting) { return std::string(parameter(setting, parameter_of.first)); });
    return rows;
}

std::string common_table(const std::vector<ParameterLine>& rows) {
    Table table({"the same wherever it applies", "value"});
    for (const ParameterLine& row : rows) {
        const std::vector<std::string> values = row.different();
        if (values.size() > 1) continue;
        table.row(row.name);
        table.cell(values.empty() ? kNothing : values.front());
        table.end_row();
    }
    return table.finish();
}

/// Returns the table of parameters that differ; nothing when none does.
std::string differing_table(const ReportInput& input, const std::vector<ParameterLine>& rows) {
    if (std::none_of(rows.begin(), rows.end(), [](const ParameterLine& row) { return row.different().size() > 1; }))
        return {};
    std::vector<std::string> heads = case_labels(input);
    heads.insert(heads.begin(), "what differs");
    Table table(heads);
    for (const ParameterLine& row : rows) {
        if (row.different().size() < 2) continue;
        table.row(row.name);
        for (const std::string& value : row.values) table.cell(value.empty() ? kNothing : value);
        table.end_row();
    }
    return table.finish();
}

}  // namespace

std::string overview_table(const ReportInput& input) {
    Table table({"", "jobs", "mean wait,\u00a0s", "mean response,\u00a0s", "mean slowdown", "bounded slowdown",
                 "makespan,\u00a0s", "utilisation", "malleable starts", "mates", "worse off"});
    const std::vector<std::string> labels = case_labels(input);
    for_cases(input, table, "", [&](std::size_t i) {
        const Digest& digest = input.cases[i].digest;
        const auto baseline = baseline_of(input, i);
        table.row(labels[i]);
        if (digest.metrics.jobs == 0) {
            table.cell("0");
            for (int column = 0; column < 9; ++column) table.cell(kNothing);
        } else {
            overview_row(table, digest.metrics, baseline ? &input.cases[*baseline].digest.metrics : nullptr,
                         digest.worse);
        }
        table.end_row();
    });
    return table.finish();
}

std::string spread_table(const ReportInput& input) {
    Table table({"", "mean", "p50", "p95", "p99", "max"});
    const std::vector<std::string> labels = case_labels(input);
    for (const SpreadRow& spread : kSpreads)
        for_cases(input, table, spread.name, [&](std::size_t i) {
            const Metrics& metrics = input.cases[i].digest.metrics;
            if (metrics.jobs == 0) return;
            table.row(labels[i]);
            spread_cells(table, metrics.*spread.spread, spread.is_time);
            table.end_row();
        });
    return table.finish();
}

std::string machine_table(const ReportInput& input) {
    Table table(
        {"", "utilisation", "nodes busy", "energy", "killed", "without an end", "too wide", "passes", "events"});
    const std::vector<std::string> labels = case_labels(input);
    for_cases(input, table, "", [&](std::size_t i) {
        const Digest& digest = input.cases[i].digest;
        const Metrics& metrics = digest.metrics;
        const bool any = metrics.makespan > 0;
        table.row(labels[i]);
        table.cell(any ? percent(metrics.utilisation) : kNothing);
        table.cell(any ? percent(metrics.allocated) : kNothing);
        energy_cell(table, metrics);
        for (const std::size_t number :
             {metrics.killed, metrics.unended, metrics.too_wide, digest.passes, digest.events})
            table.cell(whole(number));
        table.end_row();
    });
    return table.finish();
}

std::string parameter_tables(const ReportInput& input) {
    const std::vector<ParameterLine> rows = parameter_lines(input);
    return differing_table(input, rows) + common_table(rows);
}

}  // namespace drom::sim
