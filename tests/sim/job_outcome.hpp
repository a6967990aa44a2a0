// SPDX-License-Identifier: BSD-3-Clause
// job_outcome.hpp - jobs that have run, for tests of what is made of them.
#pragma once

#include <algorithm>

#include "engine/outcome.hpp"

namespace drom::sim {

/// Returns a job that ran from `start` to `end` on all its cores.
inline JobOutcome job(std::int64_t id, Seconds submit, Seconds start, Seconds end, int nodes = 1) {
    JobOutcome job;
    job.id = id;
    job.submit = submit;
    job.start = start;
    job.end = end;
    job.run = end - start;
    job.request = std::max<Seconds>(1, job.run);
    job.nodes = nodes;
    return job;
}

}  // namespace drom::sim
