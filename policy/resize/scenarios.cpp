// SPDX-License-Identifier: BSD-3-Clause
// scenarios.cpp - the order of harvest, undo and growth at a resize point.
#include "policy/resize/scenarios.hpp"

#include <algorithm>

namespace drom::policy {
namespace {

constexpr Scenario kScenarios[] = {
    {"pba-q", Allocation::kMaxBenefit, Harvest::kLeastImpact},
    {"fair-q", Allocation::kMaxBenefit, Harvest::kFairContract},
    {"fcfs-li-q", Allocation::kFcfsExpand, Harvest::kLeastImpact},
    {"greedy-r", Allocation::kFcfsExpand, Harvest::kNone},
    {"fair-r", Allocation::kUniformExpand, Harvest::kNone},
    {"pba", Allocation::kMaxBenefitPriority, Harvest::kLeastImpactPriority},
    {"fcfs", Allocation::kMaxBenefitPriority, Harvest::kFcfsContractPriority},
    {"max-b", Allocation::kMaxBenefitPriority, Harvest::kNone},
    {"static", Allocation::kNone, Harvest::kNone},
};

Proposal keep(const ResizeView& view) {
    return {view.self().size(), view.self().at_sweet_spot ? ResizeReason::kSweetSpot : ResizeReason::kKeep};
}

std::optional<Proposal> undo(const ResizeView& view, const ResizeRules& rules) {
    const ResizableJob& job = view.self();
    if (!job.resizable || job.at_sweet_spot || !job.profile.growth_was_useless(rules.min_gain)) return std::nullopt;
    const std::optional<int> previous = job.profile.previous();
    if (!previous) return std::nullopt;
    return Proposal{*previous, ResizeReason::kUndo};
}

Proposal expand(const Scenario& scenario, const ResizeView& view, const ResizeRules& rules) {
    if (const auto size = allocate(scenario.allocation, view, rules)) return {*size, ResizeReason::kExpand};
    return keep(view);
}

}  // namespace

std::span<const Scenario> scenarios() { return kScenarios; }

const Scenario* scenario_named(std::string_view name) {
    const auto found = std::find_if(std::begin(kScenarios), std::end(kScenarios),
                                    [name](const Scenario& scenario) { return scenario.name == name; });
    return found == std::end(kScenarios) ? nullptr : found;
}

const char* word(ResizeReason reason) noexcept {
    switch (reason) {
        case ResizeReason::kKeep: return "keep";
        case ResizeReason::kSweetSpot: return "sweet-spot";
        case ResizeReason::kUndo: return "undo";
        case ResizeReason::kHarvest: return "harvest";
        case ResizeReason::kExpand: return "expand";
    }
    return "?";
}

Proposal before_starts(const Scenario& scenario, const ResizeView& view, const ResizeRules& rules) {
    if (const auto size = harvest(scenario.harvest, view)) return {*size, ResizeReason::kHarvest};
    if (const auto back = undo(view, rules)) return *back;
    return scenario.favours_running() ? expand(scenario, view, rules) : keep(view);
}

Proposal after_starts(const Scenario& scenario, const ResizeView& view, const ResizeRules& rules,
                      const Proposal& first) {
    if (scenario.favours_running() || first.reason == ResizeReason::kUndo) return keep(view);
    return expand(scenario, view, rules);
}

void apply(const Proposal& proposal, std::vector<ResizableJob>& running, std::size_t at, Seconds now) {
    ResizableJob& job = running[at];
    if (proposal.reason == ResizeReason::kUndo) {
        job.at_sweet_spot = true;
        job.marked_at = now;
    }
    if (proposal.size > job.size()) job.profile.expanded(proposal.size);
    if (proposal.size < job.size()) job.profile.contracted(proposal.size);
    if (proposal.reason == ResizeReason::kHarvest) end_turn(running, at);
    if (!job.above_start()) job.due = false;
}

void lift_marks(std::span<ResizableJob> running, const ResizeRules& rules, Seconds now) {
    for (ResizableJob& job : running)
        if (now - job.marked_at >= rules.sweet_spot) job.at_sweet_spot = false;
}

double queue_priority(const QueueWeights& weights, double wait, double limit, double walltime, int nodes) noexcept {
    return weights.factor * (1 + wait / std::max({limit, walltime, 1.0})) + weights.wait * wait + weights.nodes * nodes;
}

}  // namespace drom::policy
