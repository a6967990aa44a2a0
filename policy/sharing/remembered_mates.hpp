// SPDX-License-Identifier: BSD-3-Clause
// remembered_mates.hpp - the answers of the search for mates, for as long as no search could give another one.
//
// Most jobs of a long queue ask for what another one asked for. The mates do not depend on the job that asks, only on
// its demand. So within a pass one search answers for all jobs of the same demand, until a job starts.
#pragma once

#include <map>
#include <tuple>

#include "policy/sharing/mates.hpp"

namespace drom::policy {

/// The mates of a demand, and what they lose.
struct FoundMates {
    std::optional<MateSet> mates;
    double harm = 0;  ///< how much the predicted slowdowns of the mates rise together
};

/// Returns what choose_mates() does, and the harm. Cost: that of choose_mates().
FoundMates search_for_mates(const Cluster& cluster, const Availability& availability, const Job& job, double limit,
                            const SharingRules& rules, Seconds now);

/// For one set of rules. Where free nodes complete those of mates nothing is remembered: each reservation changes them.
class RememberedMates {
public:
    /// Returns what search_for_mates() does. The reference holds until the next call. Cost: a look into a map, where
    /// the demand has been searched for on this cluster, as it is, at `now` by the same limit.
    const FoundMates& find(const Cluster& cluster, const Availability& availability, const Job& job, double limit,
                           const SharingRules& rules, Seconds now);

    std::size_t searches() const noexcept { return searches_; }  ///< that were made: for tests

private:
    /// All that choose_mates() reads of the job.
    using Demand = std::tuple<Seconds, int, int, std::uint64_t, std::int64_t, bool, const NodeSet*, int, int>;
    /// All that it reads besides, but for the rules.
    using Moment = std::tuple<const Cluster*, std::uint64_t, Seconds, double>;

    Moment moment_{};
    std::map<Demand, FoundMates> found_;
    FoundMates latest_;  ///< where nothing is remembered
    std::size_t searches_ = 0;
};

}  // namespace drom::policy
