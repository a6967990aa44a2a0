// SPDX-License-Identifier: BSD-3-Clause
// strategies.hpp - ReSHAPE's strategies at a resize point: which jobs get idle nodes, and from which jobs nodes are
// harvested for the first waiting job (ReSHAPE, sections 4.1 and 4.2). Pure.
//
// Each function answers for the job at its resize point: the size that it should have, or nothing when it keeps its
// own.
#pragma once

#include <vector>

#include "policy/resize/resizable_job.hpp"

namespace drom::policy {

enum class Allocation : std::uint8_t {
    kNone,
    kMaxBenefit,          ///< the largest expand potential first; what those ahead need soon is reserved
    kFcfsExpand,          ///< the first that asks
    kUniformExpand,       ///< only when all running jobs could expand
    kMaxBenefitPriority,  ///< max-benefit within a class; all that higher classes need is reserved
};

enum class Harvest : std::uint8_t {
    kNone,
    kLeastImpact,          ///< those that lose least, as few as cover the deficit
    kFairContract,         ///< each in turn
    kLeastImpactPriority,  ///< least-impact, low class first; never a higher class for a lower head
    kFcfsContractPriority  ///< the first that asks; never a higher class for a lower head
};

/// Returns the size to grow to.
std::optional<int> allocate(Allocation strategy, const ResizeView& view, const ResizeRules& rules);

/// Returns the smaller size that helps the first waiting job to start.
std::optional<int> harvest(Harvest strategy, const ResizeView& view);

/// Moves the turns of Fair-contract on after `shrunk` shrank: the first shrink of a round makes all that are above
/// their start due, and each falls out by shrinking.
void end_turn(std::vector<ResizableJob>& running, std::size_t shrunk);

}  // namespace drom::policy
