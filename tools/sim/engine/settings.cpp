// SPDX-License-Identifier: BSD-3-Clause
// settings.cpp - the table of parameters.
#include "engine/settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace drom::sim {
namespace {

using Set = tl::expected<void, std::string>;
using Of = ParameterRow::Of;
using policy::ModelKind;
using policy::SlowdownRules;

constexpr PolicyRow kPolicies[] = {
    {"easy", "EASY backfill: one reservation, every waiting job is looked at, first come, first served"},
    {"slurm", "Slurm's backfill: reservations down to a depth, passes at an interval"},
    {"sd", "the thesis's slowdown-driven policy: slurm, and who would wait too long shares nodes of running jobs"},
    {"sd+", "the same on EASY, only where the guest wins more slowdown than its mates lose, completed with free nodes"},
};

constexpr std::int64_t kMax = 1'000'000'000;

template <class Number>
Set number_into(Number& into, std::string_view text, Number min, Number max) {
    Number value{};
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || end != text.data() + text.size()) return tl::unexpected(std::string("is not a number"));
    if (!(value >= min && value <= max))
        return tl::unexpected(fmt::format("is out of range; {} to {} can be meant", min, max));
    into = value;
    return {};
}

template <class Whole>
Set whole(Whole& into, std::string_view text, std::int64_t min, std::int64_t max = kMax) {
    return number_into<Whole>(into, text, static_cast<Whole>(min), static_cast<Whole>(max));
}

Set yes_or_no(bool& into, std::string_view text) {
    if (text != "yes" && text != "no") return tl::unexpected(std::string("is neither yes nor no"));
    into = text == "yes";
    return {};
}

std::string text_of(bool value) { return value ? "yes" : "no"; }
std::string text_of(double value) { return fmt::format("{}", value); }

Set set_limit(Parameters& p, std::string_view text) {
    SlowdownRules& rules = p.sharing;
    if (text == "inf" || text == "dynamic") {
        rules.limit = text == "inf" ? SlowdownRules::Limit::kInfinite : SlowdownRules::Limit::kDynamic;
        return {};
    }
    if (auto set = number_into(rules.max_slowdown, text, 1.0, 1e12); !set)
        return tl::unexpected(set.error() + "; nor inf, nor dynamic");
    rules.limit = SlowdownRules::Limit::kNumber;
    return {};
}

std::string limit_text(const Parameters& p) {
    switch (p.sharing.limit) {
        case SlowdownRules::Limit::kNumber: return text_of(p.sharing.max_slowdown);
        case SlowdownRules::Limit::kInfinite: return "inf";
        case SlowdownRules::Limit::kDynamic: return "dynamic";
    }
    return "";
}

struct ModelName {
    ModelKind kind;
    const char* name;
};
constexpr ModelName kModels[] = {{ModelKind::kIdeal, "ideal"},
                                 {ModelKind::kWorstCase, "worst"},
                                 {ModelKind::kDowney, "downey"},
                                 {ModelKind::kAmdahl, "amdahl"}};

Set set_model(Parameters& p, std::string_view text) {
    for (const ModelName& model : kModels) {
        if (text != model.name) continue;
        p.execution.kind = model.kind;
        return {};
    }
    return tl::unexpected(std::string("is no runtime model; there are ideal, worst, downey and amdahl"));
}

std::string model_text(const Parameters& p) {
    for (const ModelName& model : kModels)
        if (p.execution.kind == model.kind) return model.name;
    return "";
}

Set set_factors(Parameters& p, std::string_view text) {
    std::vector<double> factors;
    for (std::size_t from = 0; from <= text.size(); from = std::min(text.size(), text.find('/', from)) + 1) {
        const std::string_view item = text.substr(from, text.find('/', from) - from);
        if (const auto set = number_into(factors.emplace_back(), item, 0.0, 1.0); !set)
            return tl::unexpected(fmt::format("has '{}', which {}", item, set.error()));
    }
    p.backfill.priority.partitions = std::move(factors);
    return {};
}

std::string factors_text(const Parameters& p) {
    const std::vector<double>& factors = p.backfill.priority.partitions;
    return factors.empty() ? "1" : fmt::format("{}", fmt::join(factors, "/"));
}

Set set_base(Parameters& p, std::string_view text) {
    if (text != "slurm" && text != "easy") return tl::unexpected(std::string("is neither slurm nor easy"));
    const policy::PriorityLaw priority = p.backfill.priority;
    p.easy_base = text == "easy";
    p.backfill = p.easy_base ? policy::BackfillRules::easy() : policy::BackfillRules{};
    p.backfill.priority = priority;
    return {};
}

// clang-format off
constexpr ParameterRow kParameters[] = {
    {"base", "NAME", "static part of sd: slurm or easy (one reservation, every job); give it before bf_...", Of::kBase,
     set_base, [](const Parameters& p) { return std::string(p.easy_base ? "easy" : "slurm"); }},
    {"bf_max_job_test", "N", "waiting jobs looked at in a pass (500); 0: all", Of::kBackfill,
     [](Parameters& p, std::string_view v) { return whole(p.backfill.depth, v, 0); }, [](const Parameters& p) { return std::to_string(p.backfill.depth); }},
    {"bf_interval", "SECONDS", "between passes (30); 0: a pass at every event", Of::kBackfill,
     [](Parameters& p, std::string_view v) { return whole(p.backfill.interval, v, 0); }, [](const Parameters& p) { return std::to_string(p.backfill.interval); }},
    {"bf_window", "MINUTES", "no reservation further ahead (1440); 0: no limit", Of::kBackfill,
     [](Parameters& p, std::string_view v) { auto set = whole(p.backfill.window, v, 0, kMax / 60); p.backfill.window *= set ? 60 : 1; return set; },
     [](const Parameters& p) { return std::to_string(p.backfill.window / 60); }},
    {"bf_resolution", "SECONDS", "of the map of reservations (60)", Of::kBackfill,
     [](Parameters& p, std::string_view v) { return whole(p.backfill.resolution, v, 1); }, [](const Parameters& p) { return std::to_string(p.backfill.resolution); }},
    {"bf_reservations", "N", "most reservations in a pass (0: no limit)", Of::kBackfill,
     [](Parameters& p, std::string_view v) { return whole(p.backfill.reservations, v, 0); }, [](const Parameters& p) { return std::to_string(p.backfill.reservations); }},
    {"main_scheduler", "yes|no", "at every event jobs start in order until one does not fit (yes)", Of::kBackfill,
     [](Parameters& p, std::string_view v) { return yes_or_no(p.backfill.main_scheduler, v); }, [](const Parameters& p) { return text_of(p.backfill.main_scheduler); }},
    {"weight_age", "W", "priority: weight of the wait (0: first come, first served)", Of::kBackfill,
     [](Parameters& p, std::string_view v) { return number_into(p.backfill.priority.age, v, 0.0, 1e12); }, [](const Parameters& p) { return text_of(p.backfill.priority.age); }},
    {"weight_size", "W", "priority: weight of the number of nodes (0)", Of::kBackfill,
     [](Parameters& p, std::string_view v) { return number_into(p.backfill.priority.size, v, 0.0, 1e12); }, [](const Parameters& p) { return text_of(p.backfill.priority.size); }},
    {"weight_partition", "W", "priority: weight of the partition's factor (0)", Of::kBackfill,
     [](Parameters& p, std::string_view v) { return number_into(p.backfill.priority.partition, v, 0.0, 1e12); }, [](const Parameters& p) { return text_of(p.backfill.priority.partition); }},
    {"partition_factors", "F/F...", "priority: 0 to 1 for each partition, in the order of their numbers or names in the log (1)", Of::kBackfill, set_factors, factors_text},
    {"favor_small", "yes|no", "weight_size is for small jobs (no)", Of::kBackfill,
     [](Parameters& p, std::string_view v) { return yes_or_no(p.backfill.priority.favor_small, v); }, [](const Parameters& p) { return text_of(p.backfill.priority.favor_small); }},
    {"max_age", "SECONDS", "wait beyond which priority does not grow (604800)", Of::kBackfill,
     [](Parameters& p, std::string_view v) { return whole(p.backfill.priority.max_age, v, 1); }, [](const Parameters& p) { return std::to_string(p.backfill.priority.max_age); }},
    {"max_slowdown", "P", "no mate is slowed down to P or beyond: a number, inf, dynamic (dynamic)", Of::kSharing, set_limit, limit_text},
    {"sharing_factor", "F", "largest share of a job's cores on a node that is lent (0.5)", Of::kSharing,
     [](Parameters& p, std::string_view v) { return number_into(p.sharing.sharing.sharing_factor, v, 0.01, 0.99); },
     [](const Parameters& p) { return text_of(p.sharing.sharing.sharing_factor); }},
    {"max_mates", "M", "most mates of a guest (2)", Of::kSharing,
     [](Parameters& p, std::string_view v) { return whole(p.sharing.sharing.max_mates, v, 1, 8); }, [](const Parameters& p) { return std::to_string(p.sharing.sharing.max_mates); }},
    {"candidates", "NM", "running jobs looked at, those with the least slowdown (0: all, exact)", Of::kSharing,
     [](Parameters& p, std::string_view v) { return whole(p.sharing.sharing.best_candidates, v, 0); },
     [](const Parameters& p) { return std::to_string(p.sharing.sharing.best_candidates); }},
    {"jobs_per_node", "N", "most jobs on a node (2)", Of::kSharing,
     [](Parameters& p, std::string_view v) { return whole(p.sharing.sharing.jobs_per_node, v, 2, 64); }, [](const Parameters& p) { return std::to_string(p.sharing.sharing.jobs_per_node); }},
    {"add_free_nodes", "yes|no", "free nodes may complete those of the mates (no)", Of::kSharing,
     [](Parameters& p, std::string_view v) { return yes_or_no(p.sharing.sharing.add_free_nodes, v); }, [](const Parameters& p) { return text_of(p.sharing.sharing.add_free_nodes); }},
    {"gain", "G", "share only if the guest's slowdown falls by more than G times what its mates' rise (0: always)", Of::kSharing,
     [](Parameters& p, std::string_view v) { return number_into(p.sharing.gain, v, 0.0, 1e6); }, [](const Parameters& p) { return text_of(p.sharing.gain); }},
    {"model", "NAME", "how jobs run on fewer cores: ideal, worst, downey, amdahl (ideal)", Of::kRun, set_model, model_text},
    {"downey_parallelism", "A", "average parallelism of Downey's curve, in cores (64)", Of::kRun,
     [](Parameters& p, std::string_view v) { return number_into(p.execution.parallelism, v, 1.0, 1e9); }, [](const Parameters& p) { return text_of(p.execution.parallelism); }},
    {"downey_sigma", "S", "its variance of parallelism (1)", Of::kRun,
     [](Parameters& p, std::string_view v) { return number_into(p.execution.sigma, v, 0.0, 1e6); }, [](const Parameters& p) { return text_of(p.execution.sigma); }},
    {"amdahl_serial", "S", "serial share of Amdahl's law (0.01)", Of::kRun,
     [](Parameters& p, std::string_view v) { return number_into(p.execution.serial, v, 0.0, 1.0); }, [](const Parameters& p) { return text_of(p.execution.serial); }},
    {"kill", "yes|no", "jobs end at their extended limit (yes)", Of::kRun,
     [](Parameters& p, std::string_view v) { return yes_or_no(p.kill_at_limit, v); }, [](const Parameters& p) { return text_of(p.kill_at_limit); }},
    {"malleable_share", "S", "share of the jobs that are malleable (1)", Of::kRun,
     [](Parameters& p, std::string_view v) { return number_into(p.malleable_share, v, 0.0, 1.0); }, [](const Parameters& p) { return text_of(p.malleable_share); }},
    {"ranks_per_node", "N", "cores that a job keeps on each node (1)", Of::kRun,
     [](Parameters& p, std::string_view v) { return whole(p.ranks_per_node, v, 1, 100000); }, [](const Parameters& p) { return std::to_string(p.ranks_per_node); }},
    {"overestimate", "F", "requests: run time plus F times what the log asks for beyond it; 0 exact (1)", Of::kRun,
     [](Parameters& p, std::string_view v) { return number_into(p.overestimate, v, 0.0, 1000.0); }, [](const Parameters& p) { return text_of(p.overestimate); }},
    {"seed", "N", "of what is drawn: which jobs are malleable (1)", Of::kRun,
     [](Parameters& p, std::string_view v) { return whole(p.seed, v, 0, std::numeric_limits<std::int64_t>::max()); }, [](const Parameters& p) { return std::to_string(p.seed); }},
};
// clang-format on

bool shares(std::string_view policy) { return policy == "sd" || policy == "sd+"; }

tl::expected<Parameters, std::string> defaults_of(std::string_view policy) {
    const auto known = std::find_if(std::begin(kPolicies), std::end(kPolicies),
                                    [&](const PolicyRow& row) { return policy == row.name; });
    if (known == std::end(kPolicies))
        return tl::unexpected(fmt::format("there is no policy '{}'; there are easy, slurm, sd and sd+", policy));
    Parameters parameters;
    parameters.policy = policy;
    if (policy != "sd+") return parameters;
    parameters.easy_base = true;
    parameters.backfill = policy::BackfillRules::easy();
    parameters.sharing.limit = SlowdownRules::Limit::kInfinite;
    parameters.sharing.gain = 1;
    parameters.sharing.sharing.add_free_nodes = true;
    return parameters;
}

const ParameterRow* row_of(std::string_view name) {
    for (const ParameterRow& row : kParameters)
        if (name == row.name) return &row;
    return nullptr;
}

tl::expected<void, std::string> assign(Parameters& parameters, std::string_view name, std::string_view value) {
    const ParameterRow* row = row_of(name);
    if (row == nullptr)
        return tl::unexpected(fmt::format("there is no parameter '{}'; drom-sim --help lists them", name));
    if (!has_parameter(parameters.policy, *row))
        return tl::unexpected(fmt::format("policy {} has no parameter '{}'", parameters.policy, name));
    if (auto set = row->set(parameters, value); !set)
        return tl::unexpected(fmt::format("{} '{}' {}", name, value, set.error()));
    return {};
}

}  // namespace

std::span<const PolicyRow> policy_rows() { return kPolicies; }
std::span<const ParameterRow> parameter_rows() { return kParameters; }

std::string option_of(std::string_view parameter) {
    std::string option = "--";
    option += parameter;
    std::replace(option.begin(), option.end(), '_', '-');
    return option;
}

bool has_parameter(std::string_view policy, const ParameterRow& row) {
    switch (row.of) {
        case Of::kRun: return true;
        case Of::kBase: return policy == "sd";
        case Of::kBackfill: return policy == "slurm" || policy == "sd";
        case Of::kSharing: return shares(policy);
    }
    return false;
}

tl::expected<Parameters, std::string> read_setting(std::string_view text, const Assignments& common) {
    const std::string_view policy = text.substr(0, text.find(':'));
    auto parameters = defaults_of(policy);
    if (!parameters) return parameters;
    for (const auto& [name, value] : common) {
        const ParameterRow* row = row_of(name);
        if (row != nullptr && !has_parameter(policy, *row)) continue;
        if (auto done = assign(*parameters, name, value); !done) return tl::unexpected(done.error());
    }
    std::string_view rest = policy.size() == text.size() ? std::string_view() : text.substr(policy.size() + 1);
    while (!rest.empty()) {
        const std::string_view item = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(rest.size(), item.size() + 1));
        const std::size_t equals = item.find('=');
        if (equals == std::string_view::npos)
            return tl::unexpected(fmt::format(
                "'{}' in '{}' is no NAME=VALUE; settings look like sd:max_slowdown=10,max_mates=2", item, text));
        if (auto done = assign(*parameters, item.substr(0, equals), item.substr(equals + 1)); !done)
            return tl::unexpected(done.error());
    }
    return parameters;
}

bool in_decision_log(const ParameterRow& row) {
    constexpr std::string_view kTold[] = {"max_slowdown", "sharing_factor", "max_mates", "jobs_per_node", "gain"};
    return std::find(std::begin(kTold), std::end(kTold), row.name) != std::end(kTold);
}

tl::expected<policy::SlowdownRules, std::string> with_others(const policy::SlowdownRules& rules,
                                                             const Assignments& others) {
    Parameters parameters;
    parameters.policy = "sd";
    parameters.sharing = rules;
    for (const auto& [name, value] : others)
        if (auto done = assign(parameters, name, value); !done) return tl::unexpected(done.error());
    return parameters.sharing;
}

Assignments values_of(const Parameters& parameters) {
    Assignments values;
    for (const ParameterRow& row : kParameters)
        if (has_parameter(parameters.policy, row)) values.emplace_back(row.name, row.get(parameters));
    return values;
}

std::unique_ptr<policy::Scheduler> scheduler_of(const Parameters& parameters) {
    if (parameters.policy == "easy") return policy::easy();
    if (shares(parameters.policy)) return policy::backfill(parameters.backfill, parameters.sharing);
    return policy::backfill(parameters.backfill);
}

EngineRules engine_rules_of(const Parameters& parameters, int nodes, int cores_per_node) {
    EngineRules rules;
    rules.machine = policy::Machine::uniform(nodes, cores_per_node);
    rules.execution = parameters.execution;
    rules.kill_at_limit = parameters.kill_at_limit;
    rules.malleable_share = parameters.malleable_share;
    rules.seed = parameters.seed;
    rules.ranks_per_node = parameters.ranks_per_node;
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

}  // namespace drom::sim
