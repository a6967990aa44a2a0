// SPDX-License-Identifier: BSD-3-Clause
// resize_rows.cpp - options of the policies that change a running job's number of nodes.
#include "policy/registry/resize_rows.hpp"

#include "policy/registry/reshape_options.hpp"
#include "policy/resize/efficiency.hpp"
#include "policy/resize/equipartition_scheduler.hpp"
#include "policy/resize/reshape.hpp"

namespace drom::policy {

namespace {

constexpr ReshapeUnits kNodes{
    .scenario =
        "which jobs get idle nodes and which give nodes: pba, fcfs, max-b by classes; pba-q, fair-q, fcfs-li-q, "
        "greedy-r, fair-r; static",
    .unit = "NODES",
    .step = "by which jobs grow that run on any size",
    .steps = {1, kMaxWhole},
    .min_gain = "growth that makes an iteration shorter by no more than this share is undone",
};

// clang-format off
constexpr Option<ReshapeRules> kQueue[] = {
    {"queue_factor", "W", "priority: weight of one plus the wait as a share of the request",
     [](ReshapeRules& r, std::string_view v) { return read_number(r.queue.factor, v, 0.0, 1e12); }, [](const ReshapeRules& r) { return text_of(r.queue.factor); }},
    {"queue_wait", "W", "priority: weight of the wait",
     [](ReshapeRules& r, std::string_view v) { return read_number(r.queue.wait, v, 0.0, 1e12); }, [](const ReshapeRules& r) { return text_of(r.queue.wait); }},
    {"queue_nodes", "W", "priority: weight of the number of nodes",
     [](ReshapeRules& r, std::string_view v) { return read_number(r.queue.nodes, v, 0.0, 1e12); }, [](const ReshapeRules& r) { return text_of(r.queue.nodes); }},
    {"wait_limit", "SECONDS", "priority: waits count as a share of this at least",
     [](ReshapeRules& r, std::string_view v) { return read_whole(r.wait_limit, v, 0); }, [](const ReshapeRules& r) { return std::to_string(r.wait_limit); }},
};

constexpr Option<EfficiencyRules> kEfficiency[] = {
    {"upper", "U", "a job with more time in MPI over time outside it shrinks to half",
     [](EfficiencyRules& r, std::string_view v) { return read_number(r.upper, v, 0.0, 1e6); }, [](const EfficiencyRules& r) { return text_of(r.upper); }},
    {"lower", "L", "a job with less may grow to double",
     [](EfficiencyRules& r, std::string_view v) { return read_number(r.lower, v, 0.0, 1e6); }, [](const EfficiencyRules& r) { return text_of(r.lower); }},
    {"balance", "yes|no", "jobs of lower classes give nodes to a waiting one, by their remaining times",
     [](EfficiencyRules& r, std::string_view v) { return read_yes_or_no(r.balance, v); }, [](const EfficiencyRules& r) { return text_of(r.balance); }},
    {"tick", "SECONDS", "between decisions",
     [](EfficiencyRules& r, std::string_view v) { return read_whole(r.tick, v, 1); }, [](const EfficiencyRules& r) { return std::to_string(r.tick); }},
};

constexpr Option<EquipartitionRules> kEquipartition[] = {
    {"min_gap", "SECONDS", "in which a job keeps its size after a launch or a change; inf: it keeps it for ever",
     [](EquipartitionRules& r, std::string_view v) { return read_seconds_or_inf(r.min_gap, v); }, [](const EquipartitionRules& r) { return text_of_seconds(r.min_gap); }},
    {"min", "NODES", "of each job, as far as it and the machine allow that",
     [](EquipartitionRules& r, std::string_view v) { return read_whole(r.min, v, 1); }, [](const EquipartitionRules& r) { return std::to_string(r.min); }},
    {"max", "NODES", "of each job, and at least its min",
     [](EquipartitionRules& r, std::string_view v) { return read_whole(r.max, v, 1); }, [](const EquipartitionRules& r) { return std::to_string(r.max); }},
    {"patience", "SECONDS", "in which a shrink must be carried out; then the plan is withdrawn",
     [](EquipartitionRules& r, std::string_view v) { return read_whole(r.patience, v, 1); }, [](const EquipartitionRules& r) { return std::to_string(r.patience); }},
    {"raise_gap", "yes|no", "to ten times the longest shrink so far",
     [](EquipartitionRules& r, std::string_view v) { return read_yes_or_no(r.raise_gap, v); }, [](const EquipartitionRules& r) { return text_of(r.raise_gap); }},
};
// clang-format on

constexpr int kMinNodes = 4, kMaxNodes = 16;

}  // namespace

std::vector<PolicyRow> resize_rows() {
    EquipartitionRules equal;
    equal.min = kMinNodes;
    equal.max = kMaxNodes;
    return {
        policy_row<ReshapeRules>(
            {"reshape", "ReSHAPE: jobs grow at their resize points where that pays, and give nodes to waiting ones",
             "R. Sudarsan, ReSHAPE, sections 2.3 and 4", false, true},
            {kReshapeOptions<ReshapeRules, kNodes>, kQueue}, {}, reshape),
        policy_row<EfficiencyRules>(
            {"efficiency", "jobs that communicate too much shrink at each tick, those that compute only grow",
             "elastic MPI, section 10.3", false, true},
            {kEfficiency}, {}, efficiency),
        policy_row<EquipartitionRules>(
            {"equipartition", "equal shares of the nodes for all jobs, each kept for a while",
             "HPC in the cloud, sections 6.3 and 6.5.5", false, true},
            {kEquipartition}, equal, equipartition),
    };
}

std::string contradiction_in_efficiency(const Policy& policy) {
    if (policy.row().defaults.type() != typeid(EfficiencyRules)) return {};
    const auto& rules = policy.rules<EfficiencyRules>();
    if (rules.lower <= rules.upper) return {};
    return "lower " + text_of(rules.lower) + " is above upper " + text_of(rules.upper) +
           "; a job between them would have to shrink and to grow";
}

}  // namespace drom::policy
