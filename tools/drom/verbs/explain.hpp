// SPDX-License-Identifier: BSD-3-Clause
// explain.hpp - what is to be said about one client. Pure: facts in, sentences out.
#pragma once

#include "output/explanation.hpp"

namespace drom::command {

/// Returns how often a client passed safe points while this many seconds passed. One that has left and come back in
/// between began to count anew, and all of its count is of that time.
double safe_points_per_s(const drom_client_info& before, const drom_client_info& after, double seconds);

/// Fills in what follows from the facts: `busy`, `spins`, `outside_team` and the sentences. The
/// sentences are first on the client's entry points, on the last request, and on what became of the threads. Then come
/// the cost and what is odd.
void conclude(Explanation& explanation);

}  // namespace drom::command
