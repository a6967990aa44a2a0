// SPDX-License-Identifier: BSD-3-Clause
// decision.hpp - why a job started when and where it did, with the numbers that led to it.
#pragma once

#include "policy/sharing/mates.hpp"

namespace drom::policy {

enum class How : std::uint8_t {
    kInOrder,     ///< no job with a higher priority was waiting
    kBackfilled,  ///< before jobs of higher priority, without delaying what is reserved for them
    kShared,      ///< on nodes of running jobs
};

/// Why a job that could not start on nodes of its own did not share any.
enum class Refusal : std::uint8_t {
    kNone,  ///< it was never asked: the policy is static, or it started at once
    kNotMalleable,
    kTooFewCores,      ///< sharing would leave it fewer cores than it has ranks
    kWaitingIsSooner,  ///< the predicted end after waiting is not later than the predicted end when sharing (step 3)
    kNoMates,      ///< no set of running jobs has the right number of nodes, slowdown and remaining time (steps 4 to 6)
    kNotAdmitted,  ///< jobs of its partition, QOS or account share no nodes
    kHarm,         ///< mates would lose more than the job wins (only where the policy asks for that)
};

/// Where a job runs and how fast, where a policy chose among partitions and frequencies.
struct OperatingPoint {
    int partition = 0;       ///< from 0
    double ghz = 0;          ///< of its cores; 0: nominal
    double time_factor = 1;  ///< run time here / run time on the first partition at its nominal frequency
    double watts = 0;        ///< of each of its nodes; 0: not known
    double efficiency = 0;   ///< eff_p of the partition for this job (thesis, equation 6.5); 0: not known
    int preference = 0;      ///< place of the partition among the job's by efficiency: 0 is the best
};

struct Decision {
    JobId job = 0;
    Seconds at = 0;
    int slot = 0;          ///< of the partition's cluster
    OperatingPoint point;  ///< whose partition it is
    How how = How::kInOrder;
    bool urgent = false;               ///< the policy takes it for an urgent job
    Refusal refusal = Refusal::kNone;  ///< of the last try that refused to share
    Seconds static_start = 0;          ///< shared: predicted start if it had waited
    double limit = 0;                  ///< shared: the limit of slowdowns that was in force
    MateSet mate_set;                  ///< shared: with these mates

    Seconds wait(const Job& of) const noexcept { return at - of.submit; }
};

const char* word(How how) noexcept;
const char* word(Refusal refusal) noexcept;

}  // namespace drom::policy
