// SPDX-License-Identifier: BSD-3-Clause
// slowdown.hpp - the slowdown-driven policy: whether a job that cannot start now shares nodes of running ones (thesis
// 4.5).
#pragma once

#include "policy/sharing/decision.hpp"
#include "policy/sharing/remembered_mates.hpp"

namespace drom::policy {

struct SlowdownRules {
    enum class Limit : std::uint8_t {
        kNumber,  ///< no mate may be slowed down to `max_slowdown` or beyond
        kInfinite,
        kDynamic,  ///< the mean predicted slowdown of the running jobs (DynAVGSD)
    };
    static constexpr Range<double> kGains{0, 1e6};

    Limit limit = Limit::kDynamic;
    double max_slowdown = 10;
    SharingRules sharing;
    /// Beyond the thesis: share only when the guest's predicted slowdown falls by more than `gain` times what those of
    /// its mates rise together; 0 asks for nothing. See docs/user/simulator.md.
    double gain = 0;
    enum class Keep : std::uint8_t {
        kNone,
        kFirst,  ///< the first of the pass
        kAll,    ///< those of the jobs before the guest in the queue
    };
    Keep keep = Keep::kNone;  ///< reservations that no mate may delay
    static constexpr int kAsBackfill = -1;
    int depth = kAsBackfill;  ///< waiting jobs that may share; kAsBackfill: those that the backfill looks at; 0: all
    bool dry_run = false;     ///< of a controller: it decides the same, and lets no job share
};

/// Returns P, the limit of predicted slowdowns at this moment. Cost: the running jobs when it is dynamic.
double slowdown_limit(const Cluster& cluster, const SlowdownRules& rules);

/// The outcome of considering one job.
struct Consideration {
    Refusal refusal = Refusal::kNone;  ///< kNone: share
    MateSet mates;
};

/// Decides whether `job`, which would start at `static_start` on nodes of its own, starts now on nodes of mates.
/// Changes nothing.
Consideration consider(const Cluster& cluster, const Availability& availability, const Job& job, Seconds static_start,
                       double limit, const SlowdownRules& rules, Seconds now);

/// Decides the same, and looks for mates only where no other job of the same demand has done so. `remembered` is used
/// with these rules only.
Consideration consider(const Cluster& cluster, const Availability& availability, const Job& job, Seconds static_start,
                       double limit, const SlowdownRules& rules, Seconds now, RememberedMates& remembered);

/// Returns how the guest comes in, with as many free nodes as were chosen besides those of mates.
Sharing sharing_of(const MateSet& chosen, NodeSet free);

/// Starts the job (step 7). Returns its slot.
int start_shared(Cluster& cluster, const Job& job, const MateSet& chosen, Seconds now);

}  // namespace drom::policy
