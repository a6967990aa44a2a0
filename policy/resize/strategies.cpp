// SPDX-License-Identifier: BSD-3-Clause
// strategies.cpp - allocation and harvest at a resize point.
#include "policy/resize/strategies.hpp"

#include <algorithm>

namespace drom::policy {
namespace {

// ---- allocation ------------------------------------------------------------------------------------------------

int need(const ResizableJob& job) {
    const std::optional<int> next = job.next_size();
    return next ? *next - job.size() : 0;
}

double potential(const ResizableJob& job, const ResizeRules& rules) {
    return expand_potential(job.profile.visits(), rules.estimator);
}

bool promises_enough(const ResizableJob& job, const ResizeRules& rules) {
    return job.profile.resizes() < rules.remap_window || potential(job, rules) > rules.expand_threshold;
}

bool may_grow(const ResizableJob& job, const ResizeRules& rules) {
    return job.next_size() && promises_enough(job, rules);
}

/// Returns the nodes that are kept for jobs that are ahead of the one at its point.
int reserved_for_others(const ResizeView& view, const ResizeRules& rules, bool classes) {
    const ResizableJob& self = view.self();
    const double own = potential(self, rules);
    const double again = self.next_point;
    int nodes = 0;
    for (std::size_t i = 0; i < view.running.size(); ++i) {
        const ResizableJob& other = view.running[i];
        if (i == view.at || (classes && other.rank < self.rank) || !may_grow(other, rules)) continue;
        const bool higher = classes && other.rank > self.rank;
        if (higher || (potential(other, rules) > own && other.next_point < again)) nodes += need(other);
    }
    return nodes;
}

int need_of_all(const ResizeView& view) {
    int nodes = 0;
    for (const ResizableJob& job : view.running) nodes += need(job);
    return nodes;
}

int needed_idle(Allocation strategy, const ResizeView& view, const ResizeRules& rules) {
    switch (strategy) {
        case Allocation::kNone: break;
        case Allocation::kMaxBenefit: return need(view.self()) + reserved_for_others(view, rules, false);
        case Allocation::kMaxBenefitPriority: return need(view.self()) + reserved_for_others(view, rules, true);
        case Allocation::kFcfsExpand: return need(view.self());
        case Allocation::kUniformExpand: return need_of_all(view);
    }
    return 0;
}

// ---- harvest ---------------------------------------------------------------------------------------------------

bool could_give(const ResizableJob& job) { return job.resizable && job.above_start(); }

/// Returns whether the job gives nodes to the first waiting one. A higher class gives nothing to a lower one.
bool gives_to(const ResizableJob& job, const Head& head) { return job.rank <= head.rank; }

struct ByDamage {
    bool classes;

    bool operator()(const ResizableJob* a, const ResizableJob* b) const {
        if (classes && a->rank != b->rank) return a->rank < b->rank;
        const double x = a->profile.damage_of_contraction(), y = b->profile.damage_of_contraction();
        return x != y ? x < y : a->id < b->id;
    }
};

/// Returns whether the job at its point is one of the few that lose least and cover the deficit together.
bool among_least_hurt(const ResizeView& view, bool classes) {
    const std::optional<Head>& head = view.head;
    if (!head) return false;
    std::vector<const ResizableJob*> givers;
    for (const ResizableJob& job : view.running)
        if (could_give(job) && (!classes || gives_to(job, *head))) givers.push_back(&job);
    std::sort(givers.begin(), givers.end(), ByDamage{classes});
    int freed = 0;
    for (const ResizableJob* job : givers) {
        if (job == &view.self()) return true;
        freed += job->size() - job->profile.start();
        if (freed >= view.deficit()) return false;
    }
    return false;
}

bool has_turn(const ResizeView& view) {
    if (view.self().due) return true;
    return std::none_of(view.running.begin(), view.running.end(), [](const ResizableJob& job) { return job.due; });
}

bool must_give(Harvest strategy, const ResizeView& view) {
    const std::optional<Head>& head = view.head;
    switch (strategy) {
        case Harvest::kNone: return false;
        case Harvest::kLeastImpact: return among_least_hurt(view, false);
        case Harvest::kFairContract: return has_turn(view);
        case Harvest::kLeastImpactPriority: return among_least_hurt(view, true);
        case Harvest::kFcfsContractPriority: return head && gives_to(view.self(), *head);
    }
    return false;
}

}  // namespace

std::optional<int> allocate(Allocation strategy, const ResizeView& view, const ResizeRules& rules) {
    if (strategy == Allocation::kNone || !may_grow(view.self(), rules)) return std::nullopt;
    if (view.idle < needed_idle(strategy, view, rules)) return std::nullopt;
    return view.self().next_size();
}

std::optional<int> harvest(Harvest strategy, const ResizeView& view) {
    if (view.deficit() <= 0 || !could_give(view.self()) || !must_give(strategy, view)) return std::nullopt;
    return view.self().profile.largest_that_frees(view.deficit());
}

void end_turn(std::vector<ResizableJob>& running, std::size_t shrunk) {
    if (!running[shrunk].due)
        for (ResizableJob& job : running) job.due = could_give(job);
    running[shrunk].due = false;
}

}  // namespace drom::policy
