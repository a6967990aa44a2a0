// SPDX-License-Identifier: BSD-3-Clause
// settings.cpp - the parameters of a run, and settings as people write them.
#include "engine/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "policy/registry/backfill_rows.hpp"
#include "text/nearest.hpp"
#include "workload/models/resizing.hpp"
#include "workload/models/urgent_queue.hpp"

namespace drom::sim {
namespace {

using policy::ModelKind;
using policy::Option;
using policy::OptionRow;
using policy::Read;
using policy::read_number;
using policy::read_whole;
using policy::read_yes_or_no;
using policy::text_of;

struct ModelName {
    ModelKind kind;
    const char* name;
};
constexpr ModelName kModels[] = {{ModelKind::kIdeal, "ideal"},
                                 {ModelKind::kWorstCase, "worst"},
                                 {ModelKind::kDowney, "downey"},
                                 {ModelKind::kAmdahl, "amdahl"}};

Read set_model(RunRules& run, std::string_view text) {
    for (const ModelName& model : kModels) {
        if (text != model.name) continue;
        run.execution.kind = model.kind;
        return {};
    }
    return tl::unexpected(std::string("is no runtime model; there are ideal, worst, downey and amdahl"));
}

std::string model_text(const RunRules& run) {
    for (const ModelName& model : kModels)
        if (run.execution.kind == model.kind) return model.name;
    return "";
}

// clang-format off
constexpr Option<RunRules> kRun[] = {
    {"model", "NAME", "how jobs run on fewer cores: ideal, worst, downey, amdahl", set_model, model_text},
    {"downey_parallelism", "A", "average parallelism of Downey's curve, in cores",
     [](RunRules& r, std::string_view v) { return read_number(r.execution.parallelism, v, 1.0, 1e9); }, [](const RunRules& r) { return text_of(r.execution.parallelism); }},
    {"downey_sigma", "S", "its variance of parallelism",
     [](RunRules& r, std::string_view v) { return read_number(r.execution.sigma, v, 0.0, 1e6); }, [](const RunRules& r) { return text_of(r.execution.sigma); }},
    {"amdahl_serial", "S", "serial share of Amdahl's law",
     [](RunRules& r, std::string_view v) { return read_number(r.execution.serial, v, 0.0, 1.0); }, [](const RunRules& r) { return text_of(r.execution.serial); }},
    {"kill", "yes|no", "jobs end at their extended limit",
     [](RunRules& r, std::string_view v) { return read_yes_or_no(r.kill_at_limit, v); }, [](const RunRules& r) { return text_of(r.kill_at_limit); }},
    {"malleable_share", "S", "share of the jobs that are malleable",
     [](RunRules& r, std::string_view v) { return read_number(r.malleable_share, v, 0.0, 1.0); }, [](const RunRules& r) { return text_of(r.malleable_share); }},
    {"moldable_share", "S", "share of the jobs that are moldable, and then not malleable",
     [](RunRules& r, std::string_view v) { return read_number(r.moldable_share, v, 0.0, 1.0); }, [](const RunRules& r) { return text_of(r.moldable_share); }},
    {"resizable_share", "S", "share of the programs of a generated mix whose number of nodes may change",
     [](RunRules& r, std::string_view v) { return read_number(r.resizable_share, v, 0.0, 1.0); }, [](const RunRules& r) { return text_of(r.resizable_share); }},
    {"platinum_share", "S", "share of them in the higher of two classes",
     [](RunRules& r, std::string_view v) { return read_number(r.platinum_share, v, 0.0, 1.0); }, [](const RunRules& r) { return text_of(r.platinum_share); }},
    {"urgent_share", "S", "share of the jobs that come into the queue urgent, whatever queue the log says",
     [](RunRules& r, std::string_view v) { return read_number(r.urgent_share, v, 0.0, 1.0); }, [](const RunRules& r) { return text_of(r.urgent_share); }},
    {"ranks_per_node", "N", "cores that a job keeps on each node",
     [](RunRules& r, std::string_view v) { return read_whole(r.ranks_per_node, v, 1, 100000); }, [](const RunRules& r) { return std::to_string(r.ranks_per_node); }},
    {"overestimate", "F", "requests: run time plus F times what the log asks for beyond it; 0 exact",
     [](RunRules& r, std::string_view v) { return read_number(r.overestimate, v, 0.0, 1000.0); }, [](const RunRules& r) { return text_of(r.overestimate); }},
    {"seed", "N", "of what is drawn: which jobs are malleable, moldable, urgent, resizable, platinum",
     [](RunRules& r, std::string_view v) { return read_whole(r.seed, v, 0, std::numeric_limits<std::int64_t>::max()); }, [](const RunRules& r) { return std::to_string(r.seed); }},
};
// clang-format on

constexpr std::string_view kInDecisionLog[] = {"max_slowdown",
                                               "partition_max_slowdown",
                                               "qos_max_slowdown",
                                               "qos",
                                               "qos_order",
                                               "sharing_factor",
                                               "max_mates",
                                               "jobs_per_node",
                                               "add_free_nodes",
                                               "gain",
                                               "only_partition",
                                               "not_partition",
                                               "only_qos",
                                               "not_qos",
                                               "only_account",
                                               "not_account",
                                               "same"};

const Option<RunRules>* find_run(std::string_view name) {
    const auto found =
        std::ranges::find(kRun, name, [](const Option<RunRules>& row) { return std::string_view(row.name); });
    return found == std::end(kRun) ? nullptr : &*found;
}

bool is_parameter(std::string_view name) {
    return find_run(name) != nullptr || std::ranges::any_of(policy::policies(), [&](const policy::PolicyRow& row) {
               return policy::Policy(row).find(name) != nullptr;
           });
}

/// A name and its value.
using Given = std::pair<std::string_view, std::string_view>;

Read assign(Parameters& parameters, std::string_view name, std::string_view value) {
    Read done;
    if (const OptionRow* option = parameters.policy.find(name); option != nullptr)
        done = parameters.policy.set(*option, value);
    else if (const Option<RunRules>* run = find_run(name); run != nullptr)
        done = run->set(parameters.run, value);
    else if (is_parameter(name))
        return tl::unexpected(fmt::format("policy {} has no parameter '{}'", parameters.policy.row().name, name));
    else
        return tl::unexpected(fmt::format("there is no parameter '{}'; drom-sim --help lists them", name));
    if (!done) return tl::unexpected(fmt::format("{} '{}' {}", name, value, done.error()));
    return {};
}

/// Returns the options behind the colon of a setting, `base` first: it sets others. Errors: a sentence.
tl::expected<std::vector<Given>, std::string> options_of(std::string_view rest, std::string_view setting) {
    std::vector<Given> options;
    std::set<std::string_view> given;
    for (bool more = true; more;) {
        const std::string_view item = rest.substr(0, rest.find(','));
        more = item.size() < rest.size();
        if (more) rest.remove_prefix(item.size() + 1);
        const std::size_t equals = item.find('=');
        if (equals == std::string_view::npos)
            return tl::unexpected(fmt::format(
                "'{}' in '{}' is no NAME=VALUE; settings look like sd:max_slowdown=10,max_mates=2", item, setting));
        const std::string_view name = item.substr(0, equals);
        if (!given.insert(name).second)
            return tl::unexpected(fmt::format("'{}' gives {} twice; leave one of them out", setting, name));
        options.insert(name == "base" ? options.begin() : options.end(), {name, item.substr(equals + 1)});
    }
    return options;
}

/// Sets the options behind the colon of a setting. Errors: a sentence.
Read assign_all(Parameters& parameters, std::string_view rest, std::string_view setting) {
    const auto options = options_of(rest, setting);
    if (!options) return tl::unexpected(options.error());
    for (const auto& [name, value] : *options)
        if (auto done = assign(parameters, name, value); !done) return done;
    return {};
}

std::string no_policy(std::string_view name) {
    std::vector<std::string> known;
    for (const policy::PolicyRow& row : policy::policies()) known.emplace_back(row.name);
    const std::string near = nearest(std::string(name), known);
    return fmt::format("there is no policy '{}'{} (drom-sim policies lists them)", name,
                       near.empty() ? "" : "; did you mean " + near + "?");
}

}  // namespace

std::vector<ParameterRow> parameters_of(const policy::PolicyRow& row) {
    std::vector<ParameterRow> rows;
    for (const OptionRow& option : row.options)
        rows.push_back({option.name, option.label, option.text, option.get(row.defaults)});
    for (const Option<RunRules>& run : kRun) rows.push_back({run.name, run.label, run.text, run.get({})});
    return rows;
}

std::vector<ParameterRow> all_parameters() {
    std::vector<ParameterRow> all;
    const auto known = [&all](const std::string& name) {
        return find_run(name) != nullptr || std::ranges::find(all, name, &ParameterRow::name) != all.end();
    };
    for (const policy::PolicyRow& row : policy::policies())
        for (const OptionRow& option : row.options)
            if (!known(option.name)) all.push_back({option.name, option.label, option.text, option.get(row.defaults)});
    for (const Option<RunRules>& run : kRun) all.push_back({run.name, run.label, run.text, run.get({})});
    return all;
}

std::vector<ParameterRow> parameters_in_decision_log() {
    std::vector<ParameterRow> told = all_parameters();
    std::erase_if(told, [](const ParameterRow& row) {
        return std::ranges::find(kInDecisionLog, row.name) == std::end(kInDecisionLog);
    });
    return told;
}

std::string option_of(std::string_view parameter) {
    std::string option = "--";
    option += parameter;
    std::replace(option.begin(), option.end(), '_', '-');
    return option;
}

bool has_parameter(std::string_view policy, std::string_view parameter) {
    const policy::PolicyRow* row = policy::find_policy(policy);
    return find_run(parameter) != nullptr || (row != nullptr && policy::Policy(*row).find(parameter) != nullptr);
}

bool gives_value(std::string_view setting, std::string_view parameter) {
    return setting.find(fmt::format(":{}=", parameter)) != std::string_view::npos ||
           setting.find(fmt::format(",{}=", parameter)) != std::string_view::npos;
}

std::string why_unused(std::string_view parameter, const std::vector<std::string>& settings) {
    std::string_view last;  // of the settings that have it
    for (const std::string& setting : settings) {
        if (!has_parameter(std::string_view(setting).substr(0, setting.find(':')), parameter)) continue;
        if (!gives_value(setting, parameter)) return {};
        last = setting;
    }
    if (last.empty()) return fmt::format("no setting has a parameter '{}'", parameter);
    return fmt::format("{}: '{}' has a value of it already; leave one of them out", option_of(parameter), last);
}

tl::expected<Parameters, std::string> read_setting(std::string_view text, const Assignments& common) {
    const std::string_view name = text.substr(0, text.find(':'));
    const policy::PolicyRow* row = policy::find_policy(name);
    if (row == nullptr) return tl::unexpected(no_policy(name));
    Parameters parameters{policy::Policy(*row), {}};
    for (const auto& [parameter, value] : common) {
        if (is_parameter(parameter) && !has_parameter(name, parameter)) continue;
        if (auto done = assign(parameters, parameter, value); !done) return tl::unexpected(done.error());
    }
    if (name.size() < text.size())
        if (auto done = assign_all(parameters, text.substr(name.size() + 1), text); !done)
            return tl::unexpected(done.error());
    if (std::string why = policy::contradiction(parameters.policy); !why.empty()) return tl::unexpected(std::move(why));
    return parameters;
}

tl::expected<policy::SlowdownRules, std::string> with_others(const policy::SlowdownRules& rules,
                                                             const Assignments& others) {
    Parameters parameters{policy::Policy(*policy::find_policy("sd")), {}};
    parameters.policy.rules<policy::BackfillPolicy>().sharing = rules;
    for (const auto& [name, value] : others)
        if (auto done = assign(parameters, name, value); !done) return tl::unexpected(done.error());
    return parameters.policy.rules<policy::BackfillPolicy>().sharing;
}

Assignments values_of(const Parameters& parameters) {
    Assignments values;
    for (const OptionRow& option : parameters.policy.row().options)
        values.emplace_back(option.name, parameters.policy.get(option));
    for (const Option<RunRules>& run : kRun) values.emplace_back(run.name, run.get(parameters.run));
    return values;
}

EngineRules engine_rules_of(const Parameters& parameters, int nodes, int cores_per_node) {
    EngineRules rules;
    rules.partitions = {policy::Machine::uniform(nodes, cores_per_node)};
    rules.execution = parameters.run.execution;
    rules.kill_at_limit = parameters.run.kill_at_limit;
    rules.malleable_share = parameters.run.malleable_share;
    rules.moldable_share = parameters.run.moldable_share;
    rules.seed = parameters.run.seed;
    rules.ranks_per_node = parameters.run.ranks_per_node;
    return rules;
}

Workload with_requests(Workload workload, double overestimate) {
    if (overestimate == 1) return workload;
    for (LogJob& job : workload.jobs) {
        const auto beyond = static_cast<double>(job.request - job.run);
        job.request =
            std::max<Seconds>(1, job.run + static_cast<Seconds>(std::llround(overestimate * std::max(0.0, beyond))));
    }
    return workload;
}

bool changes_workload(const RunRules& run) noexcept {
    return run.overestimate != 1 || run.urgent_share != 0 || run.resizable_share != 1 || run.platinum_share != 0;
}

Workload changed(Workload workload, const RunRules& run) {
    workload = with_urgent(std::move(workload), run.urgent_share, run.seed);
    return with_requests(with_shares(std::move(workload), run.resizable_share, run.platinum_share, run.seed),
                         run.overestimate);
}

}  // namespace drom::sim
