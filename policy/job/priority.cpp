// SPDX-License-Identifier: BSD-3-Clause
// priority.cpp - weights times factors.
#include "policy/job/priority.hpp"

#include <algorithm>

namespace drom::policy {

double PriorityLaw::of(const Job& job, int machine_nodes, Seconds now) const noexcept {
    const double waited = static_cast<double>(std::clamp<Seconds>(now - job.submit, 0, max_age));
    const double share = static_cast<double>(job.nodes) / static_cast<double>(std::max(machine_nodes, 1));
    const auto number = static_cast<std::size_t>(job.partition);  // an unknown one is beyond the end as well
    const double of_partition = number < partitions.size() ? partitions[number] : 1;
    return age * (max_age > 0 ? waited / static_cast<double>(max_age) : 0) + size * (favor_small ? 1 - share : share) +
           partition * of_partition;
}

}  // namespace drom::policy
