// SPDX-License-Identifier: BSD-3-Clause
// run.cpp - one policy over one workload.
#include <cstdio>
#include <ctime>

#include "cli/simulation.hpp"
#include "cli/site.hpp"
#include "engine/job_labels.hpp"
#include "report/jobs_csv.hpp"
#include "report/record_text.hpp"
#include "report/report.hpp"
#include "report/schedule_trace.hpp"
#include "report/series_csv.hpp"
#include "report/summary_csv.hpp"
#include "report/summary_json.hpp"
#include "report/text_file.hpp"
#include "trace/files.hpp"
#include "verbs/verb_functions.hpp"

namespace drom::sim {
namespace {

tl::expected<void, std::string> write_all(const SimulationOptions& options, const Input& input, const Outcome& outcome,
                                          const Digest& digest) {
    const std::string folder = options.out + '/';
    if (auto done = make_folder(options.out); !done) return done;
    if (auto done = write_jobs_csv(folder + "jobs.csv", outcome); !done) return done;
    if (auto done = write_decisions_csv(folder + "decisions.csv", outcome); !done) return done;
    if (auto done = write_series_csv(folder + "series.csv", outcome, digest); !done) return done;
    if (auto done = write_days_csv(folder + "days.csv", digest); !done) return done;
    if (auto done = write_schedule(folder + "schedule.swf", input, outcome); !done) return done;
    if (auto done = write_text(folder + "summary.json", summary_json(digest)); !done) return done;
    const std::string seed = options.source.log.empty() ? std::to_string(options.source.seed) : "";
    const SummaryRow row{options.settings.front(), "", seed, digest};
    if (auto done = write_text(folder + "summary.csv", summary_csv({&row, 1})); !done) return done;
    ReportInput report;
    report.command = options.command + options.page_options;
    report.page_options = options.page_options;
    report.repairs = input.provenance.repairs;
    report.cases.push_back({digest, std::nullopt, "", "", true});
    return write_text(folder + "report.html", html_report(report));
}

tl::expected<std::optional<RecordFile>, Failure> open_record(const SimulationOptions& options) {
    if (options.record.empty()) return std::nullopt;
    if (options.record.ends_with(".gz"))
        return tl::unexpected(Failure{kUsage, "drom-sim: run: " + options.record +
                                                  " would be plain text, as every record; name a file without .gz "
                                                  "with --record, and compress it afterwards"});
    if (const auto apart = check_apart(options, options.record, "--record"); !apart)
        return tl::unexpected(apart.error());
    if (!options.force && is_file(options.record))
        return tl::unexpected(Failure{kRefused, "drom-sim: run: " + options.record +
                                                    " is there already; name another file with --record, or write "
                                                    "over it with --force"});
    auto file = RecordFile::create(options.record);
    if (!file) return tl::unexpected(Failure{kRefused, file.error()});
    return std::move(*file);
}

policy::RecordSink sink_of(std::optional<RecordFile>& record) {
    if (!record) return {};
    return [&file = *record](const std::string& line) { file.add(line); };
}

tl::expected<void, std::string> close(std::optional<RecordFile>& record) {
    if (!record) return {};
    return record->close();
}

/// Checks that the trace can be what is asked for, before anything is simulated.
tl::expected<void, Failure> check_trace(const SimulationOptions& options) {
    const std::string& path = options.trace;
    if (path.empty()) return {};
    const std::string format = trace::format_of(path);
    const auto refuse = [&](int status, const std::string& text) {
        return tl::unexpected(Failure{status, "drom-sim: run: " + text});
    };
    if (format.empty())
        return refuse(kUsage, "--trace " + path + " ends neither with .json nor with .prv nor with .csv");
    if (options.window == "none") return refuse(kUsage, "--gantt none leaves nothing for --trace to show");
    for (const std::string& file : trace::paths_of(format, path)) {
        if (const auto apart = check_apart(options, file, "--trace"); !apart) return apart;
        if (!options.force && is_file(file))
            return refuse(kRefused, file +
                                        " is there already; name another file with --trace, or write over it with "
                                        "--force");
    }
    return {};
}

tl::expected<void, std::string> write_trace(const std::string& path, const Outcome& outcome, Window window) {
    const trace::Trace trace = trace_of(outcome, window);
    const auto began = static_cast<std::time_t>(trace.began_unix_s);
    std::tm utc{};
    gmtime_r(&began, &utc);
    for (const trace::File& part : trace::files_of(trace::format_of(path), path, trace, utc)) {
        auto file = TextFile::create(part.path, "--trace");
        if (!file) return tl::unexpected(file.error());
        file->write(part.text);
        if (auto closed = file->close(); !closed) return closed;
    }
    return {};
}

void print(const SimulationOptions& options, const Outcome& outcome, const Digest& all) {
    remark_on_idle_policies(options, {&all, 1});
    std::fputs((options.json ? summary_json(all) : table({options.settings.front()}, {all.metrics})).c_str(), stdout);
    if (!options.quiet && !options.json)
        std::fprintf(stderr, "%zu passes, %zu events in %.2f s\n", outcome.passes, outcome.events, outcome.seconds);
    if (outcome.interrupted)
        std::fprintf(stderr, "drom-sim: run: interrupted; the numbers are those of the %zu jobs that had ended\n",
                     all.metrics.jobs);
}

}  // namespace

int verb_run(const SimulationOptions& typed) {
    const auto configured = with_site(typed);
    if (!configured) return fail(configured.error());
    const SimulationOptions& options = *configured;
    auto parameters = read_setting(options.settings.front(), common_parameters(options));
    if (!parameters) return misused(options, parameters.error());
    const std::string policy = parameters->policy.row().name;
    for (const auto& [name, value] : options.parameters)
        if (!has_parameter(policy, name))
            return misused(options, "policy " + policy + " has no parameter '" + name + "'");
    for (const auto& [name, value] : options.parameters)
        if (const std::string why = why_unused(name, options.settings); !why.empty()) return misused(options, why);
    const std::string schedule = options.out.empty() ? "" : options.out + "/schedule.swf";
    if (const auto apart = check_apart(options, schedule, "--out"); !apart) return fail(apart.error());
    if (const auto free = check_out(options); !free) return fail(free.error());
    if (const auto fits = check_trace(options); !fits) return fail(fits.error());
    const auto input = load(options, options.source.seed);
    if (!input) return fail(input.error());
    parameters = read_setting(options.settings.front(), common_parameters(options, &input->workload));
    if (!parameters) return misused(options, parameters.error());
    if (const auto set = set_job_numbers(*parameters, input->workload); !set) return misused(options, set.error());
    if (const std::string why = unfit(*input, parameters->policy); !why.empty()) return misused(options, why);
    const auto window =
        read_window(options.out.empty() && options.trace.empty() ? "none" : options.window, input->workload);
    if (!window) return misused(options, window.error());

    stop_on_signals();
    auto record = open_record(options);
    if (!record) return fail(record.error());
    const Outcome outcome = [&] {
        Progress progress(policy, input->workload.jobs.size(), options.quiet);
        return run_setting(*input, *parameters, options.command,
                           {*window, options.node_list && !options.out.empty(), sink_of(*record)}, progress, stopped());
    }();
    if (const auto written = close(*record); !written) return fail({kRefused, written.error()});
    const Digest all = digest(outcome, nullptr, *window);
    if (!options.out.empty())
        if (const auto written = write_all(options, *input, outcome, all); !written)
            return fail({kRefused, written.error()});
    if (!options.trace.empty())
        if (const auto written = write_trace(options.trace, outcome, *window); !written)
            return fail({kRefused, written.error()});
    print(options, outcome, all);
    return outcome.interrupted ? kInterrupted : kDone;
}

}  // namespace drom::sim
