// SPDX-License-Identifier: BSD-3-Clause
// resize_rows.cpp - options of the policies that change a running job's number of nodes.
#include "policy/registry/resize_rows.hpp"

#include "policy/resize/efficiency.hpp"
#include "policy/resize/equipartition_scheduler.hpp"
#include "policy/resize/reshape.hpp"

namespace drom::policy {

Read read_scenario(const Scenario*& into, std::string_view text) {
    if (const Scenario* scenario = scenario_named(text)) {
        into = scenario;
        return {};
    }
    std::string names;
    for (const Scenario& known : scenarios()) names += (names.empty() ? "" : ", ") + std::string(known.name);
    return tl::unexpected("is no scenario; there are " + names);
}

Read read_estimator(Estimator& into, std::string_view text) {
    if (text != "monotone" && text != "thesis") return tl::unexpected(std::string("is neither monotone nor thesis"));
    into = text == "thesis" ? Estimator::kThesis : Estimator::kMonotone;
    return {};
}

const char* word(Estimator estimator) noexcept { return estimator == Estimator::kThesis ? "thesis" : "monotone"; }

Read read_seconds_or_inf(Seconds& into, std::string_view text) {
    if (text == "inf") {
        into = kNever;
        return {};
    }
    if (auto read = read_whole(into, text, 0); !read) return tl::unexpected(read.error() + "; nor inf");
    return {};
}

std::string text_of_seconds(Seconds seconds) { return seconds == kNever ? "inf" : std::to_string(seconds); }

namespace {

// clang-format off
constexpr Option<ReshapeRules> kReshape[] = {
    {"scenario", "NAME", "which jobs get idle nodes and which give nodes: pba, fcfs, max-b by classes; pba-q, fair-q, fcfs-li-q, greedy-r, fair-r; static",
     [](ReshapeRules& r, std::string_view v) { return read_scenario(r.scenario, v); }, [](const ReshapeRules& r) { return std::string(r.scenario->name); }},
    {"step", "NODES", "by which jobs grow that run on any size",
     [](ReshapeRules& r, std::string_view v) { return read_whole(r.step, v, 1); }, [](const ReshapeRules& r) { return std::to_string(r.step); }},
    {"expand_threshold", "E", "no growth where one more size promises a smaller gain of speed per gain of size",
     [](ReshapeRules& r, std::string_view v) { return read_number(r.resize.expand_threshold, v, -1e6, 1e6); }, [](const ReshapeRules& r) { return text_of(r.resize.expand_threshold); }},
    {"remap_window", "N", "changes of size before which the threshold does not count",
     [](ReshapeRules& r, std::string_view v) { return read_whole(r.resize.remap_window, v, 0); }, [](const ReshapeRules& r) { return std::to_string(r.resize.remap_window); }},
    {"min_gain", "S", "growth that makes an iteration shorter by no more than this share is undone",
     [](ReshapeRules& r, std::string_view v) { return read_number(r.resize.min_gain, v, 0.0, 1.0); }, [](const ReshapeRules& r) { return text_of(r.resize.min_gain); }},
    {"sweet_spot", "SECONDS", "in which a job whose growth was undone does not grow; inf: it does not grow any more",
     [](ReshapeRules& r, std::string_view v) { return read_seconds_or_inf(r.resize.sweet_spot, v); }, [](const ReshapeRules& r) { return text_of_seconds(r.resize.sweet_spot); }},
    {"estimator", "NAME", "of that gain: monotone; thesis, which is its parabola",
     [](ReshapeRules& r, std::string_view v) { return read_estimator(r.resize.estimator, v); }, [](const ReshapeRules& r) { return std::string(word(r.resize.estimator)); }},
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
            {kReshape}, {}, reshape),
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
