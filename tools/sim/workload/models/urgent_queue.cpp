// SPDX-License-Identifier: BSD-3-Clause
// urgent_queue.cpp - draws jobs, and gives their queue a line in the header.
#include "workload/models/urgent_queue.hpp"

#include <algorithm>

#include "policy/urgent/urgent.hpp"
#include "workload/models/random.hpp"

namespace drom::sim {

Workload with_urgent(Workload workload, double share, std::uint64_t seed) {
    if (share <= 0) return workload;
    constexpr std::uint64_t kOtherStream = 0x7572676e;
    Random random(seed ^ kOtherStream);
    int queue = 0;
    for (const LogJob& job : workload.jobs) queue = std::max(queue, job.queue + 1);
    for (LogJob& job : workload.jobs)
        if (random.chance(share)) job.queue = queue;
    workload.header.emplace_back("Queue", std::to_string(queue) + ' ' + std::string(policy::kUrgentQos));
    return workload;
}

}  // namespace drom::sim
