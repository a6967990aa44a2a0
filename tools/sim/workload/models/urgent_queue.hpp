// SPDX-License-Identifier: BSD-3-Clause
// urgent_queue.hpp - a queue of urgent jobs for logs that have none.
#pragma once

#include "workload/workload.hpp"

namespace drom::sim {

/// Returns the workload with a share of its jobs in the queue "urgent", whatever queue they had. Which ones is drawn
/// from the seed. The queue has a number that no other has. Share 0 changes nothing. Cost: the jobs.
Workload with_urgent(Workload workload, double share, std::uint64_t seed);

}  // namespace drom::sim
