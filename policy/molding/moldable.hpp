// SPDX-License-Identifier: BSD-3-Clause
// moldable.hpp - EASY for jobs whose number of nodes is chosen when they start.
#pragma once

#include <memory>

#include "policy/backfill/scheduler.hpp"
#include "policy/molding/sizes.hpp"

namespace drom::policy {

/// Makes EASY with moldable jobs. A job that may be reserved nodes takes the size with the least predicted end, wait
/// and run time together. Of equal ends that with the fewest node-seconds counts. Each later job takes the size that
/// ends first among those that fit now and delay no reservation. First come, first served. Rigid and malleable jobs
/// keep the nodes that they ask for: with these alone it decides as easy(). Machines of one class of nodes. Cost of a
/// pass: the widths of waiting jobs times their sizes, and the logarithm of the queue for each job that starts. With
/// a reservation for every job it is the waiting jobs times their sizes.
std::unique_ptr<Scheduler> moldable(const MoldRules& rules);

}  // namespace drom::policy
