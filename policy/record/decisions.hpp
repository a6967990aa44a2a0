// SPDX-License-Identifier: BSD-3-Clause
// decisions.hpp - what a pass decided, one line each: for people, and for comparison.
//
//   preempt at=160 job=9 partition=0 slot=2
//   start at=160 job=12 partition=0 slot=2 nodes=0-3 how=backfilled end=3760
//   start at=160 job=14 partition=0 slot=3 nodes=0-1 how=shared end=560 static=3760 limit=1.9 cores=24 mates=12
//   resize at=160 job=15 partition=0 slot=4 nodes=4-7 from=8 to=4 phase=at-once end=900
//   after at=160 waiting=3 wake=190
#pragma once

#include <span>
#include <string>
#include <vector>

#include "policy/backfill/scheduler.hpp"

namespace drom::policy::record {

/// Returns the lines of a pass at `now` that made these changes, each without its end; the last begins with "after".
/// `partitions` and the scheduler are as the pass left them.
std::vector<std::string> decided(std::span<const Cluster> partitions, const Scheduler& scheduler, Seconds now,
                                 const Changes& changes);

}  // namespace drom::policy::record
