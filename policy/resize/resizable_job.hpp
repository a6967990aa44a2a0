// SPDX-License-Identifier: BSD-3-Clause
// resizable_job.hpp - what the resizing strategies see of the machine: the running jobs, the idle nodes, the first
// waiting job. Pure.
#pragma once

#include <span>

#include "policy/job/job.hpp"
#include "policy/job/resize_traits.hpp"
#include "policy/resize/profile.hpp"

namespace drom::policy {

struct ResizableJob : ResizeTraits {
    JobId id = 0;
    int slot = 0;  ///< of the cluster
    Profile profile{1};
    bool at_sweet_spot = false;  ///< growth was useless: it does not grow until the mark is lifted
    Seconds marked_at = 0;       ///< when the sweet spot was found
    bool due = false;            ///< Fair-contract: its turn in this round is still to come
    double next_point = 0;       ///< predicted time of its next resize point
    double iteration = 0;        ///< predicted length of its next iteration

    int size() const noexcept { return profile.size(); }
    bool above_start() const noexcept { return size() > profile.start(); }
    /// Returns the next size that it could grow to.
    std::optional<int> next_size() const { return resizable && !at_sweet_spot ? sizes.next(size()) : std::nullopt; }
};

/// The first waiting job.
struct Head {
    int nodes = 1;
    JobClass rank = JobClass::kGold;
};

/// The machine at the resize point of one job, `running[at]`.
struct ResizeView {
    std::span<const ResizableJob> running;
    std::size_t at = 0;
    int idle = 0;
    std::optional<Head> head;

    const ResizableJob& self() const { return running[at]; }
    /// Returns the nodes that the first waiting job lacks; 0 when none waits, and negative when more are idle.
    int deficit() const noexcept { return head ? head->nodes - idle : 0; }
};

struct ResizeRules {
    double expand_threshold = 0.2;  ///< no growth below this expand potential
    int remap_window = 3;           ///< with fewer changes of size the potential counts as not yet known
    double min_gain = 0;            ///< growth is useless when an iteration becomes shorter by no more than this share
    Estimator estimator = Estimator::kMonotone;
    Seconds sweet_spot = 600;  ///< in which a job whose growth was undone does not grow; kNever: for ever
};

}  // namespace drom::policy
