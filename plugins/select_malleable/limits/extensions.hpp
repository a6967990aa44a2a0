// SPDX-License-Identifier: GPL-2.0-or-later
// extensions.hpp - whether limits of jobs can be extended as far as sharing needs, and which promises that moves.
// Decides nothing.
#pragma once

#include "select_malleable/slurmctld/running_jobs.hpp"

#include <string>
#include <vector>

#include "policy/job/bounds.hpp"

namespace drom::slurm {

/// A job that cannot be extended so far.
struct Beyond {
    policy::JobId job = 0;  ///< 0: all can
    std::string what;       ///< the limit, as the rest of a sentence; empty: its steps keep what it is to lend
};

/// Returns when slurmctld would end a job with a limit with which it can run until `end`.
policy::Seconds limit_end(const RunningJobs& running, const job_record_t& job, policy::Seconds end);

/// Returns the first, of the guest and its mates, that cannot have its limit extended so far. A mate whose steps keep
/// what it is to lend counts as such. Sharing may move each promise by `delay_max` in all. The log is told the limit.
Beyond first_beyond(const RunningJobs& running, const job_record_t& guest, const policy::Event& proposal,
                    const std::vector<policy::Promise>& promises, policy::Seconds delay_max);

/// Returns those of the promises that the proposal moves, with by how much in all. Without a bound, and without any
/// freedom, none is counted. Idle nodes move none.
std::vector<policy::Promise> moved_by(const RunningJobs& running, const job_record_t& guest,
                                      const policy::Event& proposal, std::vector<policy::Promise> promises,
                                      policy::Seconds delay_max);

}  // namespace drom::slurm
