// SPDX-License-Identifier: BSD-3-Clause
// report.cpp - the page: what stands where, and how it looks.
#include "report/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/axis.hpp"
#include "report/figure.hpp"
#include "report/idle_policy.hpp"
#include "report/labels.hpp"
#include "report/numbers.hpp"
#include "report/report_tables.hpp"
#include "report/svg.hpp"

namespace drom::sim {
namespace {

constexpr const char* kStyle = R"(
:root{color-scheme:light dark;--ink:#1f2933;--soft:#616e7c;--line:#cbd2d9;--page:#f7f8fa;--paper:#fff;--free:#f1f4f8;--accent:#2f6fb0}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:1000px;margin:0 auto;padding:28px 16px 60px}
h1{font-size:25px;line-height:1.25;margin:0 0 4px;overflow-wrap:anywhere}
h2{font-size:19px;margin:44px 0 8px;overflow-wrap:anywhere}
h3{font-size:15px;margin:0 0 6px}
p{margin:6px 0}
.soft,figcaption,small{color:var(--soft)}
.note{border-left:4px solid #e07b1a;background:var(--paper);padding:8px 14px;margin:14px 0}
.wide{overflow-x:auto;margin:12px 0}
table{border-collapse:collapse;background:var(--paper);font-size:12.5px;font-variant-numeric:tabular-nums;min-width:100%}
th,td{padding:5px 7px;text-align:right;border-bottom:1px solid var(--line);vertical-align:top}
th{font-weight:600}
thead th{vertical-align:bottom;color:var(--soft)}
tbody th[scope=row],thead th:first-child{text-align:left;font-weight:400;min-width:150px;overflow-wrap:anywhere}
tr.section th{text-align:left;background:var(--free)}
td{white-space:nowrap}
td small{display:block;font-size:11.5px}
.texts td,.texts th{text-align:left}
figure{margin:18px 0 30px;padding:14px;background:var(--paper);border:1px solid var(--line);border-radius:8px}
figure svg{display:block;width:100%;height:auto}
figcaption{font-size:13px;margin-top:8px;max-width:900px}
code{font:12px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
figcaption code,pre{display:block;margin:6px 0 0;padding:5px 8px;background:var(--free);color:var(--ink);border-radius:4px;white-space:pre-wrap}
details{margin:14px 0}
summary{cursor:pointer;font-size:17px;font-weight:600;overflow-wrap:anywhere}
dt{font-weight:600;margin-top:8px}dd{margin:0}
li{overflow-wrap:anywhere}
code span{display:inline-block;max-width:100%}
@media (prefers-color-scheme:dark){
:root{--ink:#e4e7eb;--soft:#9aa5b1;--line:#3e4c59;--page:#12181f;--paper:#1b232c;--free:#26313c;--accent:#6ea8dc}
figure svg .ink{fill:#e4e7eb}figure svg .soft{fill:#9aa5b1}figure svg .free{fill:#26313c}figure svg .paper{fill:#1b232c}
figure svg .line{stroke:#3e4c59}figure svg line.soft,figure svg polyline.soft{stroke:#9aa5b1}figure svg line.ink{stroke:#e4e7eb}}
@media print{body{background:#fff}figure,tr{break-inside:avoid}}
)";

constexpr const char* kWords = R"(<dl>
<dt>wait, response</dt><dd>start − submit; end − submit.</dd>
<dt>static run time</dt><dd>what a job takes on all its cores: its run time in the log, and at most its request when it was killed at its limit.</dd>
<dt>slowdown</dt><dd>response / static run time, not bounded; run times below 1 s count as 1 s. Against the stretched run time: response / (end − start), which does not charge a policy for making jobs longer.</dd>
<dt>bounded slowdown</dt><dd>response / run time with run times of at least 10 s, and at least 1.</dd>
<dt>makespan</dt><dd>last end − first start. One late job decides it.</dd>
<dt>utilisation</dt><dd>work done / what all cores can do in the makespan; work is the run time on the cores that a job asks for, on its partition, × these cores.</dd>
<dt>malleable starts, mates</dt><dd>jobs that started on nodes of running ones; jobs on whose nodes others started.</dd>
<dt>worse off</dt><dd>share of the jobs whose slowdown is larger than under the baseline.</dd>
<dt>p50, p95, p99</dt><dd>nearest rank: of n jobs in order, number ⌈p n / 100⌉.</dd>
<dt>energy</dt><dd>of jobs by the model of the machine, and with what nodes without a job take in the makespan. Without a model a proxy: node-days at full power, of busy nodes, and half of the idle ones.</dd>
</dl>
)";

std::string paragraph(const std::string& text, const char* of_class) {
    return fmt::format("<p class=\"{}\">{}</p>\n", of_class, escaped(text));
}

/// Returns the command, whose lines break between arguments, not after the first dash of "--nodes".
std::string command_html(std::string_view command) {
    std::string html = "<code>";
    while (!command.empty()) {
        const std::size_t size = std::min(command.find(' '), command.size());
        if (size > 0) html += "<span>" + escaped(command.substr(0, size)) + "</span>";
        if (size < command.size()) html += ' ';
        command.remove_prefix(std::min(size + 1, command.size()));
    }
    return html + "</code>";
}

std::string figure_html(const Figure& figure) {
    std::string html =
        "<figure>\n<h3>" + escaped(figure.title) + "</h3>\n" + figure.svg + "<figcaption>" + escaped(figure.caption);
    if (!figure.command.empty()) html += command_html(figure.command);
    return html + "</figcaption>\n</figure>\n";
}

std::string figure_html(const std::optional<Figure>& figure) { return figure ? figure_html(*figure) : std::string(); }

std::string jobs_text(std::size_t jobs) {
    return jobs == 1 ? "one job" : grouped(static_cast<std::int64_t>(jobs)) + " jobs";
}

std::string title_of(const ReportInput& input) {
    if (!input.title.empty()) return input.title;
    const std::vector<std::string> workloads = workloads_of(input);
    if (workloads.empty()) return "Simulation";
    return workloads.size() == 1 ? workloads.front()
                                 : fmt::format("{} and {} more", workloads.front(), workloads.size() - 1);
}

std::string subtitle_of(const ReportInput& input) {
    if (input.cases.empty()) return "Nothing was simulated.";
    const Digest& first = input.cases.front().digest;
    std::string text = fmt::format("{} on {} {} of {}", jobs_text(first.metrics.jobs + first.metrics.unended),
                                   grouped(first.setting.nodes), first.setting.nodes == 1 ? "node" : "nodes",
                                   cores_text(first.setting));
    if (const Seconds zero = first.setting.provenance.zero; zero > 0 && first.metrics.makespan > 0)
        text += ", " + time_label(first.metrics.first_start, first.metrics.last_end, zero);
    if (first.setting.seed) text += fmt::format(", workload seed {}", *first.setting.seed);
    if (workloads_of(input).size() > 1)
        text = fmt::format("{} workloads; the first: {}", workloads_of(input).size(), text);
    return input.cases.size() > 1 ? fmt::format("{}; {} simulations", text, input.cases.size()) : text;
}

double ratio(double here, double there) { return there > 0 ? here / there : 1; }

/// Returns the case with the least slowdown relative to its baseline; nothing when no case can be compared with
/// one.
std::optional<std::size_t> best_case(const ReportInput& input) {
    std::optional<std::size_t> best;
    double min = 0;
    for (std::size_t i = 0; i < input.cases.size(); ++i) {
        const Digest& here = input.cases[i].digest;
        const auto baseline = baseline_of(input, i);
        if (!baseline || here.metrics.jobs == 0 || here.interrupted) continue;
        const Digest& there = input.cases[*baseline].digest;
        if (there.metrics.jobs == 0 || there.interrupted) continue;
        const double slowdown = ratio(here.metrics.slowdown.mean, there.metrics.slowdown.mean);
        if (best && min <= slowdown) continue;
        best = i;
        min = slowdown;
    }
    return best;
}

std::string headline(const ReportInput& input) {
    const auto best = best_case(input);
    const auto baseline = best ? baseline_of(input, *best) : std::nullopt;
    if (!baseline) return {};
    const std::vector<std::string> labels = case_labels(input);
    const Digest &here = input.cases[*best].digest, &there = input.cases[*baseline].digest;
    const std::string workload = workloads_of(input).size() > 1 ? " on " + here.setting.workload : "";
    std::string text = fmt::format(
        "Least slowdown: {}{}. Against {}: mean slowdown {}, mean response {}, makespan {}", labels[*best], workload,
        labels[*baseline], change(ratio(here.metrics.slowdown.mean, there.metrics.slowdown.mean)),
        change(ratio(here.metrics.response.mean, there.metrics.response.mean)),
        change(ratio(static_cast<double>(here.metrics.makespan), static_cast<double>(there.metrics.makespan))));
    if (here.worse) text += fmt::format("; {} of the jobs have a larger slowdown", percent(here.worse->slowdown));
    return text + ".";
}

/// Returns the notes that a reader needs before the numbers of a simulation can be believed.
std::vector<std::string> notes_on(const Digest& digest) {
    const Metrics& metrics = digest.metrics;
    std::vector<std::string> notes;
    if (digest.interrupted)
        notes.push_back(fmt::format(
            "Stopped before the last job ended: {} of {} without an end, all numbers are of the others.",
            grouped(static_cast<std::int64_t>(metrics.unended)), jobs_text(metrics.jobs + metrics.unended)));
    if (auto never = never_started(digest)) notes.push_back(std::move(*never));
    if (auto none = without_urgent_jobs(digest)) notes.push_back(std::move(*none));
    if (auto raised = raised_gap(digest)) notes.push_back(std::move(*raised));
    if (auto reason = why_idle(digest.setting)) notes.push_back(std::move(*reason));
    if (metrics.preemptions > 0)
        notes.push_back(fmt::format("Preempted for urgent jobs: {} times, which lost {} node-seconds.",
                                    grouped(static_cast<std::int64_t>(metrics.preemptions)),
                                    grouped(std::llround(metrics.lost_node_seconds))));
    if (metrics.too_wide > 0) notes.push_back("Left out, wider than the machine: " + jobs_text(metrics.too_wide) + ".");
    if (metrics.killed > 0) notes.push_back("Killed at the limit: " + jobs_text(metrics.killed) + ".");
    return notes;
}

/// Returns the notes of all simulations. A note that is true of several is said once.
std::string notes(const ReportInput& input) {
    std::vector<std::pair<std::string, std::vector<std::string>>> found;
    const std::vector<std::string> labels = case_labels(input);
    for (std::size_t i = 0; i < input.cases.size(); ++i)
        for (const std::string& note : notes_on(input.cases[i].digest)) {
            auto at = std::find_if(found.begin(), found.end(), [&](const auto& one) { return one.first == note; });
            if (at == found.end()) at = found.insert(found.end(), {note, {}});
            at->second.push_back(labels[i]);
        }
    std::string html;
    for (const auto& [note, whose] : found)
        html += paragraph(
            whose.size() == input.cases.size() ? note : fmt::format("{} ({})", note, fmt::join(whose, "; ")), "note");
    return html;
}

bool any_job(const ReportInput& input) {
    return std::any_of(input.cases.begin(), input.cases.end(),
                       [](const Case& of) { return of.digest.metrics.jobs > 0; });
}

std::string details(const ReportInput& input, std::size_t number, const std::string& label, bool open) {
    std::string figures = figure_html(days_figure(input, number)) + figure_html(utilisation_figure(input, number));
    for (const Figure& figure : heat_figures(input, number)) figures += figure_html(figure);
    figures += figure_html(gantt_figure(input, number));
    if (figures.empty()) return {};
    const std::string name =
        workloads_of(input).size() > 1 ? input.cases[number].digest.setting.workload + ": " + label : label;
    return fmt::format("<details{}><summary>{}</summary>\n{}</details>\n", open ? " open=\"open\"" : "", escaped(name),
                       figures);
}

/// Returns the details of each case. Open is the one with the least slowdown. Baselines last: what is compared with
/// them is more often looked for.
std::string all_details(const ReportInput& input) {
    const std::vector<std::string> labels = case_labels(input);
    const std::size_t best = best_case(input).value_or(input.cases.size());
    const bool best_is_here = best < input.cases.size() && input.cases[best].detailed;
    std::string html;
    for (const bool with_baseline : {true, false})
        for (std::size_t i = 0; i < input.cases.size(); ++i)
            if (input.cases[i].detailed && baseline_of(input, i).has_value() == with_baseline)
                html += details(input, i, labels[i], best_is_here ? i == best : html.empty());
    return html.empty() ? html : "<h2>Case by case</h2>\n" + html;
}

std::string commands(const ReportInput& input) {
    std::string html = "<h2>Commands</h2>\n";
    if (!input.command.empty()) html += "<p>This report:</p>\n<pre>" + command_html(input.command) + "</pre>\n";
    for (std::size_t i = 0; i < input.cases.size(); ++i)
        if (const std::string own = own_command(input, i); !own.empty() && own != input.command)
            html += "<pre>" + command_html(own) + "</pre>\n";
    return html;
}

std::string repairs(const ReportInput& input) {
    if (input.repairs.empty()) return {};
    std::string html = "<h2>Repairs of the log</h2>\n<ul>\n";
    for (const std::string& repair : input.repairs) html += "<li>" + escaped(repair) + "</li>\n";
    return html + "</ul>\n";
}

}  // namespace

std::string html_report(const ReportInput& input) {
    const std::string title = escaped(title_of(input));
    std::string html =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<meta name=\"generator\" "
        "content=\"drom-sim\"/>\n";
    html += "<title>" + title + " \u2013 drom-sim</title>\n<style>" + kStyle +
            "</style>\n</head>\n<body>\n<main>\n<h1>" + title + "</h1>\n";
    html += paragraph(subtitle_of(input), "soft");
    if (const std::string text = headline(input); !text.empty()) html += paragraph(text, "headline");
    html += notes(input);
    if (!input.cases.empty()) {
        html += "<h2>Numbers</h2>\n" + overview_table(input);
        html += figure_html(comparison_figure(input)) + figure_html(models_figure(input)) +
                figure_html(sweep_figure(input)) + figure_html(distributions_figure(input));
        html += all_details(input);
        if (any_job(input)) html += "<h2>Percentiles</h2>\n" + spread_table(input);
        html += "<h2>Machine</h2>\n" + machine_table(input);
        html += "<h2>Parameters</h2>\n<div class=\"texts\">" + parameter_tables(input) + "</div>\n";
        html += commands(input);
    }
    html += repairs(input);
    html += std::string("<h2>Words</h2>\n") + kWords + "</main>\n</body>\n</html>\n";
    return html;
}

}  // namespace drom::sim
