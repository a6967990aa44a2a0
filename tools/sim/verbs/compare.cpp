// SPDX-License-Identifier: BSD-3-Clause
// compare.cpp - several settings over one workload, or over generated ones, at the same time on several CPUs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <mutex>
#include <thread>

#include "cli/simulation.hpp"
#include "cli/site.hpp"
#include "engine/job_labels.hpp"
#include "engine/replication.hpp"
#include "report/jobs_csv.hpp"
#include "report/report.hpp"
#include "report/series_csv.hpp"
#include "report/summary_csv.hpp"
#include "report/summary_json.hpp"
#include "report/text_file.hpp"
#include "verbs/verb_functions.hpp"

namespace drom::sim {
namespace {

/// One simulation that is to be made.
struct Task {
    std::string setting;  ///< as it was written, with the varied parameters
    std::string value;    ///< of the parameter that was varied last
    Parameters parameters;
    std::optional<std::size_t> baseline;
};

/// Returns whether settings of this policy have the parameter.
bool has(const std::string& setting, const std::string& parameter) {
    return has_parameter(setting.substr(0, setting.find(':')), parameter);
}

/// More than any page can show. Each has a folder of its own.
constexpr int kMaxCombinations = 10000;

double combinations(const std::vector<Varied>& varied) {
    double count = 1;
    for (const Varied& parameter : varied) count *= static_cast<double>(parameter.values.size());
    return count;
}

/// Returns every combination of the varied values; those of the last parameter follow one another.
std::vector<Assignments> combinations_of(const std::vector<Varied>& varied) {
    std::vector<Assignments> all{{}};
    for (const Varied& parameter : varied) {
        std::vector<Assignments> longer;
        for (const Assignments& begun : all)
            for (const std::string& value : parameter.values) {
                longer.push_back(begun);
                longer.back().emplace_back(parameter.name, value);
            }
        all = std::move(longer);
    }
    return all;
}

/// The list of simulations, in the order of the report.
class Plan {
public:
    explicit Plan(const SimulationOptions& options) : options_(options) {}

    /// Adds the simulation of this setting when no combination had it yet. Leaves out parameters that the setting does
    /// not have. Returns its number. Errors: a sentence.
    tl::expected<std::size_t, std::string> add(std::string setting, const Assignments& varied,
                                               std::optional<std::size_t> baseline) {
        Task task;
        for (const auto& [name, value] : varied) {
            if (!has(setting, name)) continue;
            if (gives_value(setting, name))
                return tl::unexpected(
                    fmt::format("--vary {}: '{}' has a value of it already; leave one of them out", name, setting));
            setting += (setting.find(':') == std::string::npos ? ':' : ',') + name + '=' + value;
            if (name == options_.varied.back().name) task.value = value;
        }
        // A setting that was written twice is simulated twice; a baseline of several combinations once.
        for (std::size_t i = 0; i < tasks_.size() && !varied.empty(); ++i)
            if (tasks_[i].setting == setting && tasks_[i].baseline == baseline) return i;
        auto parameters = read_setting(setting, common_parameters(options_));
        if (!parameters) return tl::unexpected(parameters.error());
        task.setting = std::move(setting);
        task.parameters = std::move(*parameters);
        task.baseline = baseline;
        tasks_.push_back(std::move(task));
        return tasks_.size() - 1;
    }

    /// Returns the first simulation, which others are compared with; nothing when there is none.
    [[nodiscard]] std::optional<std::size_t> first() const {
        return tasks_.empty() ? std::nullopt : std::optional<std::size_t>(0);
    }
    std::vector<Task> take() { return std::move(tasks_); }

private:
    const SimulationOptions& options_;
    std::vector<Task> tasks_;
};

// A parameter that the baseline has, too, is varied there as well: each value is compared with the baseline under the
// same conditions.
tl::expected<std::vector<Task>, std::string> tasks_of(const SimulationOptions& options) {
    const std::string& front = options.settings.front();
    const std::string& last = options.settings.back();
    for (const Varied& parameter : options.varied)
        if (!has(last, parameter.name))
            return tl::unexpected(fmt::format("--vary {}: {} has no such parameter", parameter.name, last));
    const bool baseline_varies =
        options.settings.size() > 1 &&
        std::ranges::any_of(options.varied, [&](const Varied& parameter) { return has(front, parameter.name); });
    if (const double count = combinations(options.varied); count > kMaxCombinations)
        return tl::unexpected(fmt::format("--vary has {:.0f} combinations; {} are the most, so give fewer values",
                                          count, kMaxCombinations));
    Plan plan(options);
    const std::size_t fixed = options.settings.size() - (options.varied.empty() ? 0 : 1);
    for (std::size_t i = baseline_varies ? 1 : 0; i < fixed; ++i)
        if (auto added = plan.add(options.settings[i], {}, plan.first()); !added) return tl::unexpected(added.error());
    if (options.varied.empty()) return plan.take();
    for (const Assignments& combination : combinations_of(options.varied)) {
        std::optional<std::size_t> baseline = plan.first();
        if (baseline_varies) {
            auto added = plan.add(front, combination, std::nullopt);
            if (!added) return tl::unexpected(added.error());
            baseline = *added;
        }
        if (auto added = plan.add(last, combination, baseline); !added) return tl::unexpected(added.error());
    }
    return plan.take();
}

/// Reads the settings once more, now that the partitions of the log are known.
tl::expected<void, std::string> set_partitions(const SimulationOptions& options, const Workload& workload,
                                               std::vector<Task>& tasks) {
    for (Task& task : tasks) {
        auto parameters = read_setting(task.setting, common_parameters(options, &workload));
        if (!parameters) return tl::unexpected(parameters.error());
        task.parameters = std::move(*parameters);
        if (auto set = set_job_numbers(task.parameters, workload); !set) return set;
    }
    return {};
}

/// Calls work(i) for 0 to count - 1 on several threads, in that order of their beginnings.
void in_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work) {
    std::atomic<std::size_t> next{0};
    const auto loop = [&] {
        for (std::size_t i; (i = next.fetch_add(1)) < count;) work(i);
    };
    std::vector<std::jthread> others;
    for (unsigned t = 1; t < std::min<std::size_t>(threads, count); ++t) others.emplace_back(loop);
    loop();
}

std::vector<std::string> settings_of(const std::vector<Task>& tasks) {
    std::vector<std::string> settings;
    for (const Task& task : tasks) settings.push_back(task.setting);
    return settings;
}

/// All simulations of one workload. Outcomes of baselines are kept until all are done, the others only as long as they
/// are looked at.
class Comparison {
public:
    Comparison(const SimulationOptions& options, const Input& input, const std::vector<Task>& tasks, Window window,
               Progress& progress, const std::atomic<bool>& stop)
        : options_(options),
          input_(input),
          tasks_(tasks),
          window_(window),
          progress_(progress),
          stop_(stop),
          digests_(tasks.size()),
          kept_(tasks.size()),
          folders_(folders_of(settings_of(tasks))) {}

    /// Runs all simulations, baselines first. Errors: a sentence; the first one.
    tl::expected<std::vector<Digest>, std::string> run(unsigned threads, bool write) {
        for (const bool baselines : {true, false}) {
            std::vector<std::size_t> mine;
            for (std::size_t i = 0; i < tasks_.size(); ++i)
                if (tasks_[i].baseline.has_value() != baselines) mine.push_back(i);
            in_parallel(mine.size(), threads, [&](std::size_t i) { simulate_one(mine[i], write); });
        }
        if (!trouble_.empty()) return tl::unexpected(trouble_);
        return std::move(digests_);
    }

private:
    void simulate_one(std::size_t i, bool write) {
        const Task& task = tasks_[i];
        Outcome outcome = run_setting(input_, task.parameters, command_of(task),
                                      {window_, options_.node_list && write, {}}, progress_, stop_);
        const Outcome* baseline = task.baseline ? &kept_[*task.baseline] : nullptr;
        digests_[i] = digest(outcome, baseline, window_);
        if (write)
            if (auto written = write_files(options_.out + '/' + folders_[i], outcome, baseline, digests_[i]); !written)
                complain(written.error());
        if (!task.baseline) kept_[i] = std::move(outcome);
    }

    std::string command_of(const Task& task) const {
        const std::string machine = options_.machine.empty() ? fmt::format(" --nodes {} --cores-per-node {}",
                                                                           input_.nodes, input_.cores_per_node)
                                                             : std::string();
        std::string text = fmt::format("drom-sim{}{} --policy {}", options_.source_command, machine,
                                       task.parameters.policy.row().name);
        for (const auto& [name, value] : values_of(task.parameters)) {
            text += fmt::format(" {} {}", option_of(name), value);
        }
        return text;
    }

    static tl::expected<void, std::string> write_files(const std::string& folder, const Outcome& outcome,
                                                       const Outcome* baseline, const Digest& digest) {
        if (auto done = make_folder(folder); !done) return done;
        if (auto done = write_jobs_csv(folder + "/jobs.csv", outcome, baseline); !done) return done;
        if (auto done = write_decisions_csv(folder + "/decisions.csv", outcome); !done) return done;
        if (auto done = write_series_csv(folder + "/series.csv", outcome, digest); !done) return done;
        if (auto done = write_days_csv(folder + "/days.csv", digest); !done) return done;
        return write_text(folder + "/summary.json", summary_json(digest));
    }

    void complain(const std::string& sentence) {
        const std::lock_guard lock(mutex_);
        if (trouble_.empty()) trouble_ = sentence;
    }

    const SimulationOptions& options_;
    const Input& input_;
    const std::vector<Task>& tasks_;
    const Window window_;
    Progress& progress_;
    const std::atomic<bool>& stop_;
    std::vector<Digest> digests_;
    std::vector<Outcome> kept_;
    const std::vector<std::string> folders_;
    std::mutex mutex_;
    std::string trouble_;
};

ReportInput report_of(const SimulationOptions& options, const Input& input, const std::vector<Task>& tasks,
                      const std::vector<Digest>& digests) {
    ReportInput report;
    report.command = options.command + options.page_options;
    report.page_options = options.page_options;
    report.repairs = input.provenance.repairs;
    if (!options.varied.empty()) report.varied = options.varied.back().name;
    for (std::size_t i = 0; i < tasks.size(); ++i)
        report.cases.push_back({digests[i], tasks[i].baseline, tasks[i].setting, tasks[i].value, tasks.size() <= 6});
    return report;
}

/// Says of which of several workloads the numbers are, and where those of the others are.
void say_seed(const SimulationOptions& options) {
    if (options.seeds <= 1) return;
    const std::uint64_t seed = options.source.seed;
    const std::string which = fmt::format("workload seed {} of {} to {}", seed, seed, seed + options.seeds - 1);
    if (!options.json)
        fmt::print("{}; means over all of them are below\n", which);
    else if (!options.quiet)
        fmt::print(stderr, "drom-sim: compare: JSON is of {}; summary.csv of --out has all of them\n", which);
}

void print(const SimulationOptions& options, const std::vector<Task>& tasks, const std::vector<Digest>& digests) {
    say_seed(options);
    if (options.json) {
        std::fputs(summaries_json(digests).c_str(), stdout);
        return;
    }
    std::vector<Metrics> metrics;
    for (const Digest& digest : digests) metrics.push_back(digest.metrics);
    std::fputs(table(settings_of(tasks), metrics).c_str(), stdout);
}

tl::expected<void, std::string> write_common(const SimulationOptions& options, const Input& input,
                                             const std::vector<Task>& tasks, const std::vector<Digest>& digests) {
    if (auto done = write_text(options.out + "/summary.json", summaries_json(digests)); !done) return done;
    return write_text(options.out + "/report.html", html_report(report_of(options, input, tasks, digests)));
}

/// Adds the rows of one workload. The folders have the files of the first.
void add_rows(std::vector<SummaryRow>& rows, const std::vector<Task>& tasks, std::vector<Digest> digests,
              const std::string& seed) {
    const std::vector<std::string> folders = folders_of(settings_of(tasks));
    const bool first = rows.empty();
    for (std::size_t i = 0; i < tasks.size(); ++i)
        rows.push_back({tasks[i].setting, first ? folders[i] : "", seed, std::move(digests[i])});
}

unsigned threads_of(const SimulationOptions& options) {
    return options.threads > 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
}

/// Tells the settings the partitions of the workload. Returns the window that is drawn. Errors: a setting does not fit
/// the workload, or the window does not.
tl::expected<Window, std::string> prepare(const SimulationOptions& options, const Input& input, bool draws,
                                          std::vector<Task>& tasks) {
    for (const Task& task : tasks)
        if (std::string why = unfit(input, task.parameters.policy); !why.empty()) return tl::unexpected(std::move(why));
    if (const auto set = set_partitions(options, input.workload, tasks); !set) return tl::unexpected(set.error());
    return read_window(draws ? options.window : "none", input.workload);
}

void add_workload(Replication& replication, const std::vector<Task>& tasks, const std::vector<Digest>& digests) {
    for (std::size_t i = 0; i < tasks.size(); ++i)
        if (const auto baseline = tasks[i].baseline) replication.add(i, digests[i].metrics, digests[*baseline].metrics);
}

}  // namespace

int verb_compare(const SimulationOptions& typed) {
    const std::atomic<bool>& stop = stopped();
    const auto configured = with_site(typed);
    if (!configured) return fail(configured.error());
    const SimulationOptions& options = *configured;
    auto tasks = tasks_of(options);
    if (!tasks) return misused(options, tasks.error());
    for (const auto& [name, value] : options.parameters)
        if (const std::string why = why_unused(name, settings_of(*tasks)); !why.empty()) return misused(options, why);
    if (const auto free = check_out(options); !free) return fail(free.error());
    Replication replication(tasks->size());
    std::vector<SummaryRow> rows;
    for (unsigned seed = 0; seed < options.seeds && !stop; ++seed) {
        SimulationOptions quieter = options;
        quieter.quiet = options.quiet || seed > 0;
        const auto input = load(quieter, options.source.seed + seed);
        if (!input) return fail(input.error());
        stop_on_signals();
        const bool write = !options.out.empty() && seed == 0;
        const auto window = prepare(options, *input, write, *tasks);
        if (!window) return misused(options, window.error());
        auto digests = [&] {
            Progress progress(fmt::format("seed {} of {}", seed + 1, options.seeds),
                              input->workload.jobs.size() * tasks->size(), options.quiet);
            return Comparison(options, *input, *tasks, *window, progress, stop).run(threads_of(options), write);
        }();
        if (!digests) return fail({kRefused, digests.error()});
        add_workload(replication, *tasks, *digests);
        if (seed == 0) print(options, *tasks, *digests);
        if (seed == 0) remark_on_idle_policies(options, *digests);
        if (write)
            if (const auto done = write_common(options, *input, *tasks, *digests); !done)
                return fail({kRefused, done.error()});
        add_rows(rows, *tasks, std::move(*digests),
                 options.source.log.empty() ? std::to_string(options.source.seed + seed) : "");
    }
    if (!options.out.empty())
        if (const auto done = write_text(options.out + "/summary.csv", summary_csv(rows)); !done)
            return fail({kRefused, done.error()});
    if (options.seeds > 1 && !options.json) std::fputs(replication.table(settings_of(*tasks)).c_str(), stdout);
    if (!stop) return kDone;
    std::fputs("drom-sim: compare: interrupted; the numbers are those of the jobs that had ended\n", stderr);
    return kInterrupted;
}

}  // namespace drom::sim
