// SPDX-License-Identifier: BSD-3-Clause
// simulation.cpp - workloads from logs and generators, and their replay.
#include "cli/simulation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "cli/site.hpp"
#include "engine/energy.hpp"
#include "libdrom/base/number_text.hpp"
#include "policy/registry/backfill_rows.hpp"
#include "policy/registry/energy_rows.hpp"
#include "policy/registry/platform_rows.hpp"
#include "report/idle_policy.hpp"
#include "report/labels.hpp"
#include "report/no_effect.hpp"
#include "workload/models/app_mix.hpp"
#include "workload/models/cirne.hpp"
#include "workload/models/lublin.hpp"
#include "workload/models/platforms.hpp"
#include "workload/models/resizing.hpp"
#include "workload/sha256.hpp"
#include "workload/swf/swf_row.hpp"

namespace drom::sim {
namespace {

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

}  // namespace

void remark(const SimulationOptions& options, const std::string& text) {
    if (!options.quiet) std::fprintf(stderr, "drom-sim: %s: %s\n", options.verb.c_str(), text.c_str());
}

tl::expected<void, Failure> read_machine(const SimulationOptions& options, Input& input) {
    auto machine = read_machine_file(options.machine);
    if (!machine) return tl::unexpected(Failure{kUsage, machine.error()});
    auto table = read_application_file(options.apps, *machine);
    if (!table) return tl::unexpected(Failure{kUsage, table.error()});
    if (!table->elsewhere.empty())
        input.provenance.repairs.push_back(fmt::format("{} has lines about {}, which {} does not have: left out",
                                                       file_name(options.apps), fmt::join(table->elsewhere, ", "),
                                                       file_name(options.machine)));
    policy::EnergyModel model{{}, std::move(table->applications)};
    for (const PartitionFile& partition : *machine) {
        model.partitions.push_back(partition.node);
        model.partitions.back().nodes = partition.nodes;
        input.nodes += partition.nodes;
        input.widest = std::max(input.widest, partition.nodes);
    }
    input.cores_per_node = machine->front().cores_per_node;
    input.machine = std::move(*machine);
    input.energy = std::make_shared<const policy::EnergyModel>(std::move(model));
    return {};
}

namespace {

/// Returns the applications of the energy model by number; without a model those of the thesis.
std::vector<int> known_applications(const policy::EnergyModel* energy) {
    if (energy == nullptr) return {1, 2, 3, 4, 5, 6, 7, 8};
    std::vector<int> numbers;
    for (const policy::Application& application : energy->applications) numbers.push_back(application.number);
    return numbers;
}

// A header tells processors and nodes; without nodes each processor is one.
tl::expected<void, Failure> set_machine(const SimulationOptions& options, Input& input) {
    if (!options.machine.empty()) return read_machine(options, input);
    const Workload& workload = input.workload;
    const bool given = options.nodes > 0 && options.cores_per_node > 0;
    if (!given && !workload.machine_mistake.empty())
        return tl::unexpected(Failure{
            kUsage, fmt::format("drom-sim: {}: {}: {}; --nodes N and --cores-per-node C say how large the machine is",
                                options.verb, workload.name, workload.machine_mistake)});
    const std::int64_t cores =
        workload.nodes > 0 && workload.processors > workload.nodes ? workload.processors / workload.nodes : 1;
    input.cores_per_node = options.cores_per_node > 0 ? options.cores_per_node : static_cast<int>(cores);
    input.nodes = options.nodes;
    if (input.nodes == 0 && options.cores_per_node == 0 && workload.nodes > 0)
        input.nodes = static_cast<int>(workload.nodes);
    if (input.nodes == 0 && workload.processors > 0)
        input.nodes = static_cast<int>(workload.processors / input.cores_per_node);
    input.widest = input.nodes;
    if (input.nodes > 0) return {};
    return tl::unexpected(Failure{
        kUsage,
        fmt::format("drom-sim: {}: {} does not say how large the machine is; give --nodes N and --cores-per-node C",
                    options.verb, workload.name)});
}

bool is_too_wide(const Input& input, const LogJob& job) {
    return job.processors > std::int64_t{input.widest} * input.cores_per_node;
}

std::size_t too_wide(const Input& input) {
    return static_cast<std::size_t>(
        std::ranges::count_if(input.workload.jobs, [&](const LogJob& job) { return is_too_wide(input, job); }));
}

void tell_first(const Source& source, std::size_t later, Input& input) {
    const std::size_t kept = input.workload.jobs.size();
    input.provenance.repairs.push_back(fmt::format("{} of {} jobs were submitted after the first {}: left out", later,
                                                   later + kept, source.first_jobs));
}

/// Leaves out all jobs but the first, by submission, and says it.
void keep_first(const Source& source, Input& input) {
    std::vector<LogJob>& jobs = input.workload.jobs;
    if (source.first_jobs == 0 || jobs.size() <= source.first_jobs) return;
    const std::size_t later = jobs.size() - source.first_jobs;
    jobs.resize(source.first_jobs);
    const bool others = !input.provenance.repairs.empty();
    tell_first(source, later, input);
    if (others) input.provenance.repairs.back() += "; the other counts are of all jobs of the log";
}

/// Returns how the log is read. The first jobs of a partition are known when the log has been read.
ReadOptions reading(const SimulationOptions& options) {
    ReadOptions read = options.source.read;
    if (options.partition.empty()) read.first = options.source.first_jobs;
    return read;
}

std::vector<PartitionSetting> partitions_of(const Input& input) {
    std::vector<PartitionSetting> partitions;
    for (const PartitionFile& partition : input.machine)
        partitions.push_back({partition.name, partition.nodes, partition.node.idle_watts, partition.cores_per_node});
    return partitions;
}

tl::expected<Seconds, std::string> moment(std::string_view text) {
    const std::size_t unit = std::string_view("smhd").find(text.empty() ? ' ' : text.back());
    constexpr Seconds kUnits[] = {1, 60, 3600, 86400};
    const std::string_view digits = unit == std::string_view::npos ? text : text.substr(0, text.size() - 1);
    Seconds value = 0;
    if (!is_number(digits, value) || value < 0 || value > 100'000'000'000)
        return tl::unexpected(fmt::format("'{}' is no time; times look like 3600, 12h, 3d", text));
    return value * (unit == std::string_view::npos ? 1 : kUnits[unit]);
}

/// Notes the log's zero where the header says it, in seconds since 1970.
void note_zero(const Workload& workload, Provenance& provenance) {
    constexpr Seconds kMax = 253402300799;  // the year 9999
    const auto said = std::ranges::find(workload.header, "UnixStartTime", &std::pair<std::string, std::string>::first);
    if (said == workload.header.end()) return;
    const std::string& value = said->second;
    Seconds zero = 0;
    std::from_chars(value.data(), value.data() + value.size(), zero);
    if (zero > 0 && zero <= kMax)
        provenance.zero = zero;
    else if (value != "0" && value != "-1")
        provenance.repairs.push_back(
            fmt::format("UnixStartTime {} is no time: there are no dates", swf::quoted(value)));
}

// A result is worth more than the sum of a program that cannot be read: then the sum is unknown.
void add_program(Provenance& provenance) {
    provenance.version = DROM_SIM_VERSION;
    provenance.program_sha256 = sha256_of_file("/proc/self/exe").value_or("");
}

}  // namespace

bool is_file(const std::string& path) {
    std::error_code code;
    return std::filesystem::is_regular_file(path, code);
}

namespace {

/// Returns the status of a regular file, "-": of the standard input; nothing for what is none.
std::optional<struct stat> status_of(const std::string& path) {
    struct stat status{};
    const int done = path == "-" ? fstat(STDIN_FILENO, &status) : stat(path.c_str(), &status);
    return done == 0 && S_ISREG(status.st_mode) ? std::optional(status) : std::nullopt;
}

/// Returns whether the folder has a result, also one that was not finished.
bool has_result(const std::string& folder) {
    constexpr const char* kFiles[] = {"summary.json", "summary.csv", "jobs.csv", "report.html"};
    return std::ranges::any_of(kFiles, [&](const char* file) { return is_file(folder + '/' + file); });
}

}  // namespace

std::string unfit(const Input& input, const policy::Policy& chosen) {
    const policy::PolicyRow& policy = chosen.row();
    if (policy::needs_energy_model(policy) && input.energy == nullptr)
        return fmt::format("policy {} decides by a model of energy; give --machine and --apps", policy.name);
    if (const std::string why = policy::unfit_bookings(chosen, input.widest); !why.empty()) return why;
    if (policy.several_partitions || input.machine.size() < 2)
        return policy::unfit_platforms(
            chosen, std::max<std::size_t>(input.machine.size(), 1),
            input.energy == nullptr ? std::nullopt : std::optional(input.energy->applications.size()));
    return fmt::format("policy {} uses one partition, and the machine has {}", policy.name, input.machine.size());
}

tl::expected<void, Failure> check_out(const SimulationOptions& options) {
    if (options.out.empty() || options.force) return {};
    const bool one_file = options.verb != "run" && options.verb != "compare";
    if (one_file ? !is_file(options.out) : !has_result(options.out)) return {};
    return tl::unexpected(Failure{
        kRefused,
        fmt::format("drom-sim: {}: {} {} already; name another {} with --out, or write over it with "
                    "--force",
                    options.verb, options.out, one_file ? "is there" : "has a result", one_file ? "file" : "folder")});
}

tl::expected<void, Failure> check_apart(const SimulationOptions& options, const std::string& file, const char* option) {
    const auto written = file == "-" ? std::nullopt : status_of(file);
    if (!written) return {};
    for (const std::string& path : {options.source.log, options.slurm_conf, options.machine, options.apps}) {
        const auto read = status_of(path);
        if (!read || read->st_dev != written->st_dev || read->st_ino != written->st_ino) continue;
        return tl::unexpected(
            Failure{kRefused, fmt::format("drom-sim: {}: {} is the file that is read as {}; name another file with {}",
                                          options.verb, file, path, option)});
    }
    return {};
}

tl::expected<Workload, std::string> generate(const Source& source, std::uint64_t seed) {
    if (source.preset == "lublin") {
        LublinParameters parameters;
        parameters.nodes = 256;
        parameters.requests = LublinParameters::Requests::kInaccurate;
        if (source.jobs > 0) parameters.jobs = source.jobs;
        return lublin(parameters, seed);
    }
    if (auto workload = resizing_workload(source.preset, source.jobs, seed)) {
        const auto jobs = static_cast<std::int64_t>(workload->jobs.size());
        if (source.jobs == 0 || source.jobs == jobs) return std::move(*workload);
        return tl::unexpected(fmt::format("{} has {} {}, whatever --jobs says; leave it out", source.preset, jobs,
                                          jobs == 1 ? "job" : "jobs"));
    }
    if (auto workload = platforms_workload(source.preset, source.jobs, seed)) return std::move(*workload);
    auto parameters = cirne_preset(source.preset);
    if (!parameters) return tl::unexpected(parameters.error());
    if (source.jobs > 0) parameters->jobs = source.jobs;
    return cirne(*parameters, seed);
}

tl::expected<void, std::string> draw(const Source& source, std::uint64_t seed, const policy::EnergyModel* energy,
                                     Workload& workload) {
    if (source.app_mix.empty() && source.preset != "eamc") return {};
    const auto mix = read_app_mix(source.app_mix.empty() ? "even" : source.app_mix);
    if (!mix) return tl::unexpected("--app-mix: " + mix.error());
    if (auto drawn = draw_applications(workload, *mix, known_applications(energy), seed); !drawn)
        return tl::unexpected("--app-mix: " + drawn.error());
    return {};
}

/// Reads the log into the input, with where it comes from and what was repaired.
tl::expected<void, Failure> read_log(const SimulationOptions& options, Input& input) {
    const std::string& name = options.source.log;
    auto log = read_swf(name, reading(options));
    if (!log) return tl::unexpected(Failure{kUsage, log.error()});
    // A pipe cannot be read twice.
    if (name != "-" && is_file(name)) {
        auto sum = sha256_of_file(name);
        if (!sum) return tl::unexpected(Failure{kUsage, fmt::format("drom-sim: read {}: {}", name, sum.error())});
        input.provenance.log_sha256 = std::move(*sum);
    }
    input.workload = std::move(log->workload);
    note_zero(input.workload, input.provenance);
    for (const Repair& repair : log->repairs.list()) input.provenance.repairs.push_back(repair.sentence());
    if (log->later > 0) tell_first(options.source, log->later, input);
    return {};
}

/// Notes how many jobs are wider than the machine. Errors: all are.
tl::expected<void, Failure> note_wide(const SimulationOptions& options, Input& input) {
    const std::size_t wide = too_wide(input), all = input.workload.jobs.size();
    if (wide == 0) return {};
    std::string sentence =
        fmt::format("{} of {} jobs are wider than the {} {} of {}: left out", wide, all, input.widest,
                    input.widest == 1 ? "node" : "nodes", cores_text(input.cores_per_node));
    if (wide == all)
        return tl::unexpected(Failure{
            kUsage, fmt::format("drom-sim: {}: {}; give {} of a machine that they fit on", options.verb, sentence,
                                input.machine.empty() ? "--nodes and --cores-per-node" : "the file")});
    input.provenance.repairs.push_back(std::move(sentence));
    return {};
}

/// Returns how many jobs there are of each application that the table lacks.
std::map<int, std::size_t> unknown_applications(const Input& input) {
    const std::vector<int> known = known_applications(input.energy.get());
    std::map<int, std::size_t> unknown;
    for (const LogJob& job : input.workload.jobs)
        if (!is_too_wide(input, job) && std::ranges::find(known, job.application) == known.end())
            ++unknown[job.application];
    return unknown;
}

/// Returns the first few numbers, "9, 12, 13 and 4 more".
std::string some_of(const std::map<int, std::size_t>& applications) {
    constexpr std::size_t kNamed = 3;
    std::vector<std::string> named;
    for (const auto& [number, jobs] : applications)
        if (named.size() < kNamed) named.push_back(number < 0 ? "none" : std::to_string(number));
    const std::size_t others = applications.size() - named.size();
    return fmt::format("{}{}", fmt::join(named, ", "), others > 0 ? fmt::format(" and {} more", others) : "");
}

/// Notes how many jobs are of applications that the table lacks.
void note_unknown(const SimulationOptions& options, Input& input) {
    if (input.energy == nullptr) return;
    const std::map<int, std::size_t> unknown = unknown_applications(input);
    if (unknown.empty()) return;
    std::size_t jobs = 0;
    for (const auto& [number, of] : unknown) jobs += of;
    input.provenance.repairs.push_back(
        fmt::format("{} of {} jobs are of applications that {} lacks ({}): taken as average; add them there, or draw "
                    "others with --app-mix",
                    jobs, input.workload.jobs.size() - too_wide(input), file_name(options.apps), some_of(unknown)));
}

tl::expected<Input, Failure> load(const SimulationOptions& options, std::uint64_t seed) {
    Input input;
    if (options.json || !options.out.empty()) add_program(input.provenance);
    if (options.source.log.empty()) {
        auto workload = generate(options.source, seed);
        if (!workload)
            return tl::unexpected(Failure{kUsage, fmt::format("drom-sim: {}: {}", options.verb, workload.error())});
        input.workload = std::move(*workload);
        input.seed = seed;
    } else if (auto done = read_log(options, input); !done) {
        return tl::unexpected(done.error());
    }
    if (auto kept = keep_partition(options, input); !kept) return tl::unexpected(kept.error());
    keep_first(options.source, input);
    if (auto set = set_machine(options, input); !set) return tl::unexpected(set.error());
    if (auto drawn = draw(options.source, seed, input.energy.get(), input.workload); !drawn)
        return tl::unexpected(Failure{kUsage, fmt::format("drom-sim: {}: {}", options.verb, drawn.error())});
    if (auto some_fit = note_wide(options, input); !some_fit) return tl::unexpected(some_fit.error());
    note_unknown(options, input);
    for (const std::string& repair : input.provenance.repairs) remark(options, repair);
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

Outcome run_setting(const Input& input, const Parameters& parameters, const std::string& command, Kept kept,
                    Progress& progress, const std::atomic<bool>& stop) {
    EngineRules rules = engine_rules_of(parameters, input.nodes, input.cores_per_node);
    if (!input.machine.empty()) rules.partitions.clear();
    for (const PartitionFile& partition : input.machine)
        rules.partitions.push_back(policy::Machine::uniform(partition.nodes, partition.cores_per_node));
    rules.energy = input.energy;
    rules.window_from = kept.window.from;
    rules.window_to = kept.window.to;
    rules.keep_nodes = kept.nodes;
    rules.stop = &stop;
    std::size_t told = 0;
    rules.progress = [&](std::size_t ended) { progress.add(ended - std::exchange(told, ended)); };
    policy::Policy policy = parameters.policy;
    policy::set_energy_model(policy, input.energy);
    const auto* model = policy::takes_energy_model(policy.row()) ? input.energy.get() : nullptr;
    const auto scheduler = kept.sink ? policy::recording(policy, model, std::move(kept.sink)) : policy.scheduler();
    Outcome outcome = changes_workload(parameters.run)
                          ? simulate(changed(input.workload, parameters.run), *scheduler, rules)
                          : simulate(input.workload, *scheduler, rules);
    if (input.energy != nullptr) outcome.entries = entries_of_jobs(outcome.jobs, policy, *input.energy);
    outcome.setting = {std::filesystem::path(input.workload.name).filename().string(),
                       parameters.policy.row().name,
                       command,
                       input.nodes,
                       input.cores_per_node,
                       partitions_of(input),
                       values_of(parameters),
                       input.provenance,
                       input.workload.programs.size(),
                       input.seed,
                       std::ranges::any_of(input.workload.jobs, [](const LogJob& job) { return job.partition >= 0; }),
                       std::ranges::any_of(input.workload.jobs, [](const LogJob& job) { return job.user >= 0; })};
    return outcome;
}

void remark_on_idle_policies(const SimulationOptions& options, std::span<const Digest> digests) {
    std::set<std::string> said;
    for (const Digest& digest : digests)
        for (const auto& reason :
             {never_started(digest), without_urgent_jobs(digest), raised_gap(digest), why_idle(digest.setting)})
            if (reason && said.insert(*reason).second) remark(options, *reason);
    std::set<std::string> of_site;
    for (const auto& [name, value] : options.site.parameters) of_site.insert(name);
    if (!options.site.parameters.empty()) of_site.insert("partition_factors");
    for (const std::string& sentence : without_effect(digests, of_site)) remark(options, sentence);
    if (!options.out.empty()) return;
    if (options.trace.empty() && !options.window.empty())
        remark(options, "--gantt has no effect: the page that it is for comes with --out.");
    if (options.node_list) remark(options, "--node-list has no effect: jobs.csv, which it is for, comes with --out.");
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

std::vector<std::string> folders_of(const std::vector<std::string>& settings) {
    constexpr std::size_t kMaxName = 200;  // of the 255 bytes that file systems take
    std::set<std::string> taken;
    std::vector<std::string> folders;
    for (std::string name : settings) {
        for (char& c : name)
            if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '_' && c != '+') c = '-';
        name.resize(std::min(name.size(), kMaxName));
        std::string free = name;
        for (int number = 2; !taken.insert(free).second; ++number) free = fmt::format("{}-{}", name, number);
        folders.push_back(std::move(free));
    }
    return folders;
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
        if (is_too_wide(input, job)) continue;
        const JobOutcome& did = outcome.jobs[next++];
        if (did.start < 0) continue;
        schedule.jobs.push_back(job);
        if (did.molded > 0) schedule.jobs.back().processors = std::int64_t{did.molded} * input.cores_per_node;
        if (did.ended()) schedule.jobs.back().run = did.stretched();
        schedule.jobs.back().request = std::max(did.request, schedule.jobs.back().run);
        waits.push_back(did.wait());
    }
    return write_swf(path, schedule, waits);
}

}  // namespace drom::sim
