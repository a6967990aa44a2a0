// SPDX-License-Identifier: BSD-3-Clause
// simulation.cpp - workloads from logs and generators, and their replay.
#include "cli/simulation.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "cli/site.hpp"
#include "workload/cirne.hpp"
#include "workload/lublin.hpp"

namespace drom::sim {
namespace {

void remark(const SimulationOptions& options, const std::string& text) {
    if (!options.quiet) std::fprintf(stderr, "drom-sim: %s: %s\n", options.verb.c_str(), text.c_str());
}

// A header tells processors and nodes; without nodes each processor is one.
tl::expected<void, Failure> set_machine(const SimulationOptions& options, Input& input) {
    const Workload& workload = input.workload;
    const std::int64_t cores =
        workload.nodes > 0 && workload.processors > workload.nodes ? workload.processors / workload.nodes : 1;
    input.cores_per_node = options.cores_per_node > 0 ? options.cores_per_node : static_cast<int>(cores);
    input.nodes = options.nodes;
    if (input.nodes == 0 && options.cores_per_node == 0 && workload.nodes > 0)
        input.nodes = static_cast<int>(workload.nodes);
    if (input.nodes == 0 && workload.processors > 0)
        input.nodes = static_cast<int>(workload.processors / input.cores_per_node);
    if (input.nodes > 0) return {};
    return tl::unexpected(Failure{
        kUsage,
        fmt::format("drom-sim: {}: {} does not say how large the machine is; give --nodes N and --cores-per-node C",
                    options.verb, workload.name)});
}

std::size_t too_wide(const Input& input) {
    const std::int64_t max = std::int64_t{input.nodes} * input.cores_per_node;
    std::size_t count = 0;
    for (const LogJob& job : input.workload.jobs) count += job.processors > max ? 1 : 0;
    return count;
}

tl::expected<Seconds, std::string> moment(std::string_view text) {
    const std::size_t unit = std::string_view("smhd").find(text.empty() ? ' ' : text.back());
    constexpr Seconds kUnits[] = {1, 60, 3600, 86400};
    const std::string_view digits = unit == std::string_view::npos ? text : text.substr(0, text.size() - 1);
    Seconds value = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (code != std::errc{} || end != digits.data() + digits.size() || value < 0 || value > 100'000'000'000)
        return tl::unexpected(fmt::format("'{}' is no time; times look like 3600, 12h, 3d", text));
    return value * (unit == std::string_view::npos ? 1 : kUnits[unit]);
}

}  // namespace

tl::expected<void, Failure> check_out(const SimulationOptions& options) {
    std::error_code code;
    if (options.out.empty() || options.force || !std::filesystem::exists(options.out + "/summary.json", code))
        return {};
    return tl::unexpected(
        Failure{kRefused, fmt::format("drom-sim: {}: {} has a result already; name another folder with "
                                      "--out, or write over it with --force",
                                      options.verb, options.out)});
}

tl::expected<Workload, std::string> generate(const Source& source, std::uint64_t seed) {
    if (source.preset == "lublin") {
        LublinParameters parameters;
        parameters.nodes = 256;
        parameters.requests = LublinParameters::Requests::kInaccurate;
        if (source.jobs > 0) parameters.jobs = source.jobs;
        return lublin(parameters, seed);
    }
    auto parameters = cirne_preset(source.preset);
    if (!parameters) return tl::unexpected(parameters.error());
    if (source.jobs > 0) parameters->jobs = source.jobs;
    return cirne(*parameters, seed);
}

tl::expected<Input, Failure> load(const SimulationOptions& options, std::uint64_t seed) {
    Input input;
    if (options.source.log.empty()) {
        auto workload = generate(options.source, seed);
        if (!workload)
            return tl::unexpected(Failure{kUsage, fmt::format("drom-sim: {}: {}", options.verb, workload.error())});
        input.workload = std::move(*workload);
    } else {
        auto log = read_swf(options.source.log, options.source.read);
        if (!log) return tl::unexpected(Failure{kUsage, log.error()});
        input.workload = std::move(log->workload);
        for (const Repair& repair : log->repairs.list()) input.repairs.push_back(repair.sentence());
    }
    if (auto kept = keep_partition(options, input); !kept) return tl::unexpected(kept.error());
    std::vector<LogJob>& jobs = input.workload.jobs;
    if (options.source.first_jobs > 0 && jobs.size() > options.source.first_jobs)
        jobs.resize(options.source.first_jobs);
    if (auto set = set_machine(options, input); !set) return tl::unexpected(set.error());
    if (const std::size_t wide = too_wide(input); wide > 0) {
        input.repairs.push_back(fmt::format("{} of {} jobs are wider than the {} nodes of {} cores: left out", wide,
                                            jobs.size(), input.nodes, input.cores_per_node));
        if (wide == jobs.size())
            return tl::unexpected(Failure{
                kUsage, fmt::format("drom-sim: {}: {}; give --nodes and --cores-per-node of a machine that they fit on",
                                    options.verb, input.repairs.back())});
    }
    for (const std::string& repair : input.repairs) remark(options, repair);
    return input;
}

tl::expected<Window, std::string> read_window(const std::string& text, const Workload& workload) {
    if (text == "none" || workload.jobs.empty()) return Window{};
    if (text.empty()) {
        const Seconds middle = workload.jobs[workload.jobs.size() / 2].submit;
        return Window{middle, middle + 24 * 3600};
    }
    const std::size_t dash = text.find('-');
    if (dash == std::string::npos)
        return tl::unexpected(fmt::format("--gantt '{}' is no window; windows look like 3d-4d", text));
    const auto from = moment(std::string_view(text).substr(0, dash));
    const auto to = moment(std::string_view(text).substr(dash + 1));
    if (!from || !to) return tl::unexpected("--gantt: " + (from ? to : from).error());
    if (*from >= *to) return tl::unexpected(fmt::format("--gantt '{}' ends before it begins", text));
    return Window{*from, *to};
}

Outcome run_setting(const Input& input, const Parameters& parameters, const std::string& command, Window window,
                    Progress& progress, const std::atomic<bool>& stop) {
    EngineRules rules = engine_rules_of(parameters, input.nodes, input.cores_per_node);
    rules.window_from = window.from;
    rules.window_to = window.to;
    rules.stop = &stop;
    std::size_t told = 0;
    rules.progress = [&](std::size_t ended) { progress.add(ended - std::exchange(told, ended)); };
    const auto scheduler = parameters.policy.scheduler();
    Outcome outcome = parameters.run.overestimate == 1
                          ? simulate(input.workload, *scheduler, rules)
                          : simulate(with_requests(input.workload, parameters.run.overestimate), *scheduler, rules);
    outcome.setting = {std::filesystem::path(input.workload.name).filename().string(),
                       parameters.policy.row().name,
                       command,
                       input.nodes,
                       input.cores_per_node,
                       values_of(parameters)};
    return outcome;
}

int fail(const Failure& failure) {
    std::fprintf(stderr, "%s\n", failure.sentence.c_str());
    return failure.status;
}

tl::expected<void, std::string> make_folder(const std::string& path) {
    std::error_code code;
    std::filesystem::create_directories(path, code);
    if (!code && std::filesystem::is_directory(path, code)) return {};
    return tl::unexpected(fmt::format("drom-sim: write {}: {}; give another folder with --out", path,
                                      code ? code.message() : "it is no folder"));
}

std::string table(const std::vector<std::string>& labels, const std::vector<Metrics>& metrics) {
    std::size_t width = 6;
    for (const std::string& label : labels) width = std::max(width, label.size());
    std::string text = fmt::format("{:<{}} {:>8} {:>12} {:>12} {:>11} {:>11} {:>11} {:>11} {:>6} {:>8} {:>8}\n",
                                   "policy", width, "jobs", "wait s", "response s", "slowdown", "stretched", "bounded",
                                   "makespan s", "use %", "shared", "mates");
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const Metrics& m = metrics[i];
        text += fmt::format(
            "{:<{}} {:>8} {:>12.1f} {:>12.1f} {:>11.2f} {:>11.2f} {:>11.2f} {:>11} {:>6.1f} {:>8} {:>8}\n", labels[i],
            width, m.jobs, m.wait.mean, m.response.mean, m.slowdown.mean, m.stretched_slowdown.mean,
            m.bounded_slowdown.mean, m.makespan, 100 * m.utilisation, m.malleable_starts, m.mates);
    }
    return text;
}

tl::expected<void, std::string> write_schedule(const std::string& path, const Input& input, const Outcome& outcome) {
    Workload schedule = input.workload;
    schedule.jobs.clear();
    std::vector<Seconds> waits;
    std::size_t next = 0;
    for (const LogJob& job : input.workload.jobs) {
        // The outcome has the same jobs in the same order, without those that are too wide.
        if (job.processors > std::int64_t{input.nodes} * input.cores_per_node) continue;
        const JobOutcome& did = outcome.jobs[next++];
        if (did.start < 0) continue;
        schedule.jobs.push_back(job);
        if (did.ended()) schedule.jobs.back().run = did.stretched();
        schedule.jobs.back().request = std::max(did.request, schedule.jobs.back().run);
        waits.push_back(did.wait());
    }
    return write_swf(path, schedule, waits);
}

}  // namespace drom::sim
