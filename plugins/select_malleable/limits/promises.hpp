// SPDX-License-Identifier: GPL-2.0-or-later
// promises.hpp - the starts that slurmctld's schedulers have promised to jobs that wait. Decides nothing.
//
// The backfill scheduler works through the jobs in the order of the queue. It begins each cycle by forgetting all
// starts, and then gives a start and nodes to one job after the other. While it asks about a job, the promises are
// those of this cycle, and they are those of jobs before it. At other times they are those of the last cycle.
#pragma once

#include "select_malleable/slurmctld/jobs.hpp"

#include <map>
#include <string>
#include <vector>

#include "policy/job/bounds.hpp"

namespace drom::slurm {

/// The word of a waiting job's admin comment that says by how much sharing has moved its start at most: delayed=60s.
inline constexpr const char* kDelayWord = "delayed";

class Promises {
public:
    /// Notes that backfill was told about a waiting job: it could start at `start`, on these nodes. An array has one
    /// record for all of its tasks, which keeps the start of the last one only.
    void note(const job_record_t& job, policy::Seconds start, const bitstr_t* nodes);
    /// Returns the promises of jobs before `job` in the queue; those of its own array are none. `in_backfill`: its
    /// cycle has come to this job, so that what has no start has none promised. Otherwise its promise is not known.
    /// Cost: the jobs, known and finished.
    std::vector<policy::Promise> before(const job_record_t& job, bool in_backfill);

private:
    struct OfArray {
        time_t cycle = 0;
        policy::Promise promise;
    };

    policy::Promise promise_of(const job_record_t& waiting);
    const policy::NodeSet& named(const char* nodes);

    std::map<policy::JobId, OfArray> arrays_;
    std::map<std::string, policy::NodeSet, std::less<>> named_;
};

}  // namespace drom::slurm
