// SPDX-License-Identifier: BSD-3-Clause
// occupancy.hpp - which job has how many cores of nodes that are shared alike, which lent them, and the predicted ends.
// Pure.
#pragma once

#include <vector>

#include "policy/job/runtime_model.hpp"

namespace drom::policy {

constexpr int kNoJob = -1;

/// One job on the nodes of a piece.
struct Occupant {
    int job = kNoJob;     ///< number of the running job: a slot of the cluster, or an index of a forecast
    int cores = 0;        ///< on each of the nodes
    int lender = kNoJob;  ///< job whose cores these were
};

/// All jobs on some nodes, in the order of their coming.
using Occupants = std::vector<Occupant>;

/// Lends `guest`, which comes, `cores` cores of each node of `mate`, which must have more than that.
void lend(Occupants& occupants, int mate, int guest, int cores);

/// Removes `job`, which goes. Its cores return to the job that lent them. Where that job has gone before, or the cores
/// were the job's own, they are spread over the jobs that remain: as equally as whole cores allow, earlier comers first
/// (thesis 4.5.3).
void leave(Occupants& occupants, int job);

/// A job of a forecast: what it has still to do by its request.
struct Planned {
    std::int64_t left = 0;  ///< core-seconds on its busiest node: seconds at full speed times cores per node
    Seconds end = 0;        ///< result
};

/// Computes when each of `jobs` ends if each uses up its request, with the worst-case model (thesis, equation 5.6):
/// every job advances with the least cores it has on any node; cores of those that end go where leave() says. All jobs
/// of `pieces` must be in `jobs`. Cost: jobs squared. Jobs that share whole nodes are two or three; where they lend
/// parts of theirs, chains have hundreds.
void forecast(std::vector<Planned>& jobs, std::vector<Occupants> pieces, Seconds now);

}  // namespace drom::policy
