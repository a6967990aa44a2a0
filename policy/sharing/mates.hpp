// SPDX-License-Identifier: BSD-3-Clause
// mates.hpp - with which running jobs a waiting one could share nodes at the least harm (thesis 4.5.2, equations 5.1 to
// 5.4).
#pragma once

#include <optional>
#include <vector>

#include "policy/cluster/availability.hpp"
#include "policy/job/limits.hpp"
#include "policy/job/range.hpp"

namespace drom::policy {

/// Parameters of the search. Defaults are the thesis's.
struct SharingRules {
    static constexpr Range<double> kFactors{0.01, 0.99};
    static constexpr Range<int> kMates{1, 16};
    static constexpr Range<int> kJobsPerNode{2, 64};

    double sharing_factor = 0.5;  ///< largest share of a running job's cores on a node that a guest gets
    int max_mates = 2;            ///< m
    int best_candidates = 0;      ///< nm: only the so many with the least slowdown are looked at; 0: all
    int jobs_per_node = 2;        ///< most jobs on a node; with 2 a job that shares already is no candidate
    bool add_free_nodes = false;  ///< nodes that no job needs until the guest's end may complete those of the mates
    bool parts = false;           ///< a guest takes as many of a mate's nodes as it needs; see choose_parts()
    MateLimits limits;            ///< of mates of some partitions and QOS
    /// No mate would be on booked nodes by its predicted end, or by the limit that it has already; null: none are
    /// booked. Not owned.
    const BookedNodes* booked = nullptr;
};

struct Mate {
    int slot = 0;
    JobId id = 0;
    int nodes = 0;        ///< that it lends cores of
    double slowdown = 0;  ///< p: predicted, with what it lends (equation 5.4)
    Seconds end = 0;      ///< its predicted end then
};

/// Mates for one guest.
struct MateSet {
    std::vector<Mate> mates;  ///< by job id
    int cores = 0;            ///< that each lends, of each of its nodes
    int free_nodes = 0;       ///< taken besides
    double index = 0;         ///< PI: the sum of the mates' slowdowns (equation 5.1)
    Seconds guest_end = 0;
    NodeSet on{};  ///< only these of the mates' nodes; empty: all
};

/// Returns the cores of each node that a running job can lend; 0 when it must not.
int can_lend(const Lender& lender, const SharingRules& rules) noexcept;

/// Returns the running job as a mate of `job` that lends `cores` cores of each node at `now`. Returns nothing when the
/// guest would outlive it, when its nodes do not suit the job, or when its QOS forbids it. The same when its slowdown
/// would reach its limit: `limit`, unless rules.limits or its user say another.
std::optional<Mate> as_mate(const Cluster& cluster, const Lender& lender, const Job& job, int cores, double limit,
                            const SharingRules& rules, Seconds now);

/// Returns false when no job that has become a possible mate since `version` can be a mate of `job`. Then a search
/// that found no mate at that version, by the same limit or a higher one, finds none now. Holds for rules without free
/// nodes and with two jobs per node.
bool has_new_mates(const Cluster& cluster, const Job& job, std::uint64_t version, double limit,
                   const SharingRules& rules, Seconds now);

/// Returns the running job as a mate of `job` that lends `cores` cores of some of its nodes, those that it shares with
/// no job. Returns nothing as as_mate() does. A mate that shares already may be left out a few seconds too early: each
/// guest that ends meanwhile rounds its predicted end.
std::optional<Mate> as_mate_in_part(const Cluster& cluster, const Lender& lender, const Job& job, int cores,
                                    double limit, const SharingRules& rules, Seconds now);

/// Returns mates that have the job's nodes together, and which nodes it gets. A mate that has lent some lends others.
/// In the worst case one lent node holds up all of a mate's. So mates are added one by one whose slowdowns rise least
/// per node that is still needed. Mates without which the nodes suffice are left out. One mate alone is taken where
/// that is no worse. The last one lends in part, and rules.max_mates is not asked. Each lends the sharing factor's
/// cores of a whole node. Cost: the running malleable jobs times the mates.
std::optional<MateSet> choose_parts(const Cluster& cluster, const Availability& availability, const Job& job,
                                    double limit, const SharingRules& rules, Seconds now);

/// Returns the mate set with the least PI, exactly: the mates' nodes (and free ones, where the rules allow) add up to
/// the job's. All mates lend the same number of cores; every number with which one of them alone could be a mate is
/// tried. Equal PI: the lower job ids.
///
/// Without nm nothing is truncated. Mates of one size are interchangeable but for their slowdown. There are several
/// ways to write the job's nodes as a sum of at most m sizes. For each way the best mates are the first of each size.
/// Adjacent nodes, and more than two jobs on a node (where mates may have nodes in common), are searched by enumeration
/// with bounds. Cost: the candidates, and sizes^(m-1); sizes^m with free nodes.
std::optional<MateSet> choose_mates(const Cluster& cluster, const Availability& availability, const Job& job,
                                    double limit, const SharingRules& rules, Seconds now);

}  // namespace drom::policy
