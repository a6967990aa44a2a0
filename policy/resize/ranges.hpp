// SPDX-License-Identifier: BSD-3-Clause
// ranges.hpp - the elastic runtime scheduler: sizes by the share of communication, and nodes balanced by remaining
// times (elastic MPI, section 10.3). Pure.
#pragma once

#include <span>
#include <vector>

#include "policy/job/job.hpp"
#include "policy/job/resize_traits.hpp"

namespace drom::policy {

struct EfficiencyRules {
    double upper = 0.1;   ///< U: a job above it is too wide
    double lower = 0.01;  ///< L: a job below it may be wider
    Seconds tick = 60;    ///< between decisions
    bool balance = true;  ///< jobs of lower classes give nodes to one that waits, balanced by their remaining times
};

/// The sizes that a job may have. A job that is held may still be balanced: down to its minimum, for another's sake.
struct SizeRange {
    bool must_shrink = false;
    bool may_grow = false;
    int low = 1, high = 1;
};

/// Returns the range of a job of `size` nodes. Without data it keeps its size.
SizeRange range_of(int size, int min, int max, const Communication& mtct, const EfficiencyRules& rules);

/// A job of a set that is balanced.
struct Balanced {
    int size = 1;
    double remaining = 0;  ///< seconds at this size
    int low = 1, high = 1;
};

/// Returns the sizes in [low, high] that bring the remaining times together, `idle` nodes more in all than now, or
/// fewer where it is negative. Bounds by water filling, whole nodes by largest remainder. The bounds win where they
/// leave no such sum.
std::vector<int> balance(std::span<const Balanced> jobs, int idle);

/// A job that could take idle nodes.
struct Growable {
    int size = 1;
    double remaining = 0;  ///< seconds at this size
    int high = 1;
    LegalSizes sizes;
};

/// Returns the legal sizes after `idle` nodes are given away, longest remaining time first.
std::vector<int> fill(std::span<const Growable> jobs, int idle);

/// A job that could give nodes to one of higher priority.
struct Victim {
    int gives = 0;      ///< nodes at most
    double damage = 0;  ///< predicted slowdown if it does
};

/// Returns the victims as indices: as few as cover the deficit, and of those the set with the least damage. Empty when
/// all together do not cover it. Cost: victims times their number times the deficit.
std::vector<std::size_t> choose_victims(std::span<const Victim> victims, int deficit);

/// A running job at a tick.
struct JobAtTick {
    int size = 1, min = 1;
    int priority = 0;      ///< higher goes first
    double remaining = 0;  ///< seconds at this size
    Communication mtct;
    LegalSizes sizes;  ///< with the most nodes that it may have
};

/// Returns the sizes that a tick proposes. Nodes that are idle already go to those that may grow; those that are too
/// wide shrink. Their nodes are idle at the next tick.
std::vector<int> sizes_at_tick(std::span<const JobAtTick> jobs, int idle, const EfficiencyRules& rules);

/// Returns sizes that free `deficit` nodes for a waiting job of `priority`; empty when those of lower priority cannot.
std::vector<int> make_room(std::span<const JobAtTick> jobs, int deficit, int priority, const EfficiencyRules& rules);

}  // namespace drom::policy
