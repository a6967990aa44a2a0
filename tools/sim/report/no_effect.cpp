// SPDX-License-Identifier: BSD-3-Clause
// no_effect.cpp - which parameter needs which other one.
#include "report/no_effect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

#include "engine/settings.hpp"
#include "report/labels.hpp"

namespace drom::sim {
namespace {

using Is = bool (*)(const Setting&);

bool has(const Setting& setting, const char* name, std::string_view value) { return parameter(setting, name) == value; }
double number(const Setting& setting, const char* name) {
    return std::strtod(std::string(parameter(setting, name)).c_str(), nullptr);
}
/// Returns whether the policy has no such parameter, or the request is what it plans with.
bool by_request(const Setting& setting, const char* name) {
    const std::string_view value = parameter(setting, name);
    return value.empty() || value == "request";
}
bool predicts_nothing(const Setting& s) { return by_request(s, "prediction") && by_request(s, "sd_prediction"); }
bool knows_no_user(const Setting& s) { return !s.jobs_have_users; }
bool takes_parts(const Setting& s) { return has(s, "parts", "yes"); }
bool shares_nothing(const Setting& s) {
    const std::string_view by = parameter(s, "urgent_by");
    return !by.empty() && !by.starts_with("share");
}
bool is_set(const Setting& s, const char* name) {
    const std::string_view value = parameter(s, name);
    return !value.empty() && value != "none";
}
/// Returns whether the policy treats all queues alike.
bool knows_no_queue(const Setting& s) {
    return !is_set(s, "urgent_qos") && !is_set(s, "qos_max_slowdown") && !is_set(s, "only_qos") &&
           !is_set(s, "not_qos") && !has(s, "qos", "strict");
}
bool keeps_sizes(const Setting& s) { return has(s, "scenario", "static"); }
bool keeps_sizes_for_ever(const Setting& s) { return has(s, "min_gap", "inf"); }
bool draws(const Setting& s, const char* share) { return number(s, share) > 0 && number(s, share) < 1; }
bool draws_nothing(const Setting& s) {
    const bool programs = s.programs > 0 && (draws(s, "resizable_share") || draws(s, "platinum_share"));
    return !programs && !draws(s, "malleable_share") && !draws(s, "moldable_share") && !draws(s, "urgent_share");
}

/// A parameter that has no effect where `idle` holds, and why.
struct Rule {
    const char* parameter;
    Is idle;
    const char* why;
};

constexpr const char* kDowney = "it is for the model downey (model)";
constexpr const char* kPredicts = "nothing is predicted (prediction)";
constexpr const char* kNoUser = "no job says its user, by which run times are predicted";
constexpr const char* kParts = "parts of mates are taken without it (parts)";
constexpr const char* kNotShared = "urgent jobs do not share (urgent_by)";
constexpr const char* kStatic = "no job changes its size (scenario)";
constexpr const char* kForEver = "each job keeps its size (min_gap)";
constexpr const char* kMixes = "it is for programs of a generated mix";

// clang-format off
constexpr Rule kRules[] = {
    {"downey_parallelism", [](const Setting& s) { return !has(s, "model", "downey"); }, kDowney},
    {"downey_sigma", [](const Setting& s) { return !has(s, "model", "downey"); }, kDowney},
    {"amdahl_serial", [](const Setting& s) { return !has(s, "model", "amdahl"); }, "it is for the model amdahl (model)"},
    {"prediction", knows_no_user, kNoUser},
    {"sd_prediction", knows_no_user, kNoUser},
    {"safety", predicts_nothing, kPredicts},
    {"safety", knows_no_user, kNoUser},
    {"correction", predicts_nothing, kPredicts},
    {"correction", knows_no_user, kNoUser},
    {"sd_prediction", [](const Setting& s) { return !has(s, "prediction", "request"); }, "the other prediction is for all jobs (prediction)"},
    {"favor_small", [](const Setting& s) { return number(s, "weight_size") <= 0; }, "sizes have no weight (weight_size)"},
    {"max_age", [](const Setting& s) { return number(s, "weight_age") <= 0; }, "waits have no weight (weight_age)"},
    {"partition_factors", [](const Setting& s) { return number(s, "weight_partition") <= 0; }, "partitions have no weight (weight_partition)"},
    {"partition_factors", [](const Setting& s) { return !s.jobs_have_partitions; }, "no job of the log has a partition"},
    {"weight_partition", [](const Setting& s) { return !s.jobs_have_partitions; }, "no job of the log has a partition"},
    {"qos_order", [](const Setting& s) { return !has(s, "qos", "strict"); }, "it is for qos strict (qos)"},
    {"leave_lead", [](const Setting& s) { return has(s, "reserved", "none"); }, "no node is reserved (reserved)"},
    {"leave_lead", [](const Setting& s) { return number(s, "malleable_share") <= 0; }, "no job is malleable (malleable_share)"},
    {"threshold", [](const Setting& s) { return !has(s, "order", "priority-inc-v"); }, "it is for order priority-inc-v (order)"},
    {"max_mates", takes_parts, kParts},
    {"candidates", takes_parts, kParts},
    {"jobs_per_node", takes_parts, kParts},
    {"sharing_factor", shares_nothing, kNotShared},
    {"max_mates", shares_nothing, kNotShared},
    {"candidates", shares_nothing, kNotShared},
    {"jobs_per_node", shares_nothing, kNotShared},
    {"add_free_nodes", shares_nothing, kNotShared},
    {"parts", shares_nothing, kNotShared},
    {"urgent_share", knows_no_queue, "the policy treats all queues alike (urgent_qos, qos)"},
    {"step", keeps_sizes, kStatic},
    {"expand_threshold", keeps_sizes, kStatic},
    {"remap_window", keeps_sizes, kStatic},
    {"min_gain", keeps_sizes, kStatic},
    {"sweet_spot", keeps_sizes, kStatic},
    {"estimator", keeps_sizes, kStatic},
    {"wait_limit", [](const Setting& s) { return number(s, "queue_factor") <= 0; }, "its share of waits has no weight (queue_factor)"},
    {"patience", keeps_sizes_for_ever, kForEver},
    {"raise_gap", keeps_sizes_for_ever, kForEver},
    {"resizable_share", [](const Setting& s) { return s.programs == 0; }, kMixes},
    {"platinum_share", [](const Setting& s) { return s.programs == 0; }, kMixes},
    {"seed", draws_nothing, "no job is drawn (malleable_share, moldable_share, urgent_share)"},
};
// clang-format on

/// Returns the values that differ from the defaults of the policy, by name.
std::map<std::string, std::string> changed_values(const Setting& setting) {
    std::map<std::string, std::string> changed;
    const policy::PolicyRow* row = policy::find_policy(setting.policy);
    if (row == nullptr) return changed;
    for (const ParameterRow& known : parameters_of(*row))
        if (const std::string_view value = parameter(setting, known.name); value != known.by_default)
            changed.emplace(known.name, value);
    return changed;
}

/// Parameters of jobs on fewer cores than they asked for.
constexpr std::string_view kOfFewerCores[] = {"model",         "downey_parallelism", "downey_sigma",
                                              "amdahl_serial", "ranks_per_node",     "malleable_share"};

/// Returns whether each job had all cores of its nodes, and under this policy always will.
bool keeps_cores(const Digest& digest) {
    const bool leaves = is_set(digest.setting, "reserved") && is_set(digest.setting, "leave_lead");
    return digest.metrics.malleable_starts == 0 && parameter(digest.setting, "add_free_nodes").empty() && !leaves;
}

/// Returns why the parameter has no effect; nothing: it has one, for all that is known.
std::optional<std::string> why_idle(const Digest& digest, const std::string& name) {
    for (const Rule& rule : kRules)
        if (name == rule.parameter && rule.idle(digest.setting)) return rule.why;
    if (std::ranges::find(kOfFewerCores, name) != std::end(kOfFewerCores) && keeps_cores(digest))
        return "each job has all cores of its nodes under this policy";
    if (name == "moldable_share" && keeps_cores(digest) && parameter(digest.setting, "mold_max").empty())
        return "each job has the nodes that it asks for under this policy";
    return std::nullopt;
}

}  // namespace

std::vector<std::string> without_effect(std::span<const Digest> digests, const std::set<std::string>& known) {
    std::map<std::string, std::optional<std::string>> reasons;
    for (const Digest& digest : digests)
        for (const auto& [name, value] : changed_values(digest.setting)) {
            std::optional<std::string> why = why_idle(digest, name);
            const auto [before, is_new] = reasons.emplace(name, why);
            if (!is_new && !why) before->second.reset();
        }
    std::vector<std::string> sentences;
    for (const auto& [name, why] : reasons)
        if (why && !known.contains(name)) sentences.push_back(fmt::format("{} has no effect: {}.", name, *why));
    return sentences;
}

}  // namespace drom::sim
