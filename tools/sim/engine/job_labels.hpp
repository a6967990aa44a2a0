// SPDX-License-Identifier: BSD-3-Clause
// job_labels.hpp - partitions and QOS of a log's jobs, as options name them: by the log's numbers, or by names.
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "engine/settings.hpp"

namespace drom::sim {

/// The numbers that the simulated jobs have. A name that is also the number of another partition or QOS is the name.
struct JobLabels {
    policy::Numbers partitions, qos;
    bool users = false;  ///< a job has a user
};

/// Returns the labels of the jobs: fields 16 and 15 of the log, the names of partitions, and those of queues that
/// header lines "Queue: NUMBER NAME" tell.
JobLabels labels_of(const Workload& workload);

/// Checks that limits name only partitions and QOS that jobs have, and that an order has every QOS of the jobs. The
/// QOS "urgent" may be that of no job. Jobs have to have users where those count. `log` is for the sentence. Errors:
/// the rest of a sentence.
tl::expected<void, std::string> check_limits(const policy::MateLimits& limits, const JobLabels& labels,
                                             const std::string& log);

/// Tells the policy the numbers of the partitions and QOS that its limits name. Errors: as check_limits().
tl::expected<void, std::string> set_job_numbers(policy::Policy& policy, const Workload& workload);
/// Tells the policy of `parameters` the same of the workload that they make of this one.
tl::expected<void, std::string> set_job_numbers(Parameters& parameters, const Workload& workload);

}  // namespace drom::sim
