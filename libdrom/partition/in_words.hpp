// SPDX-License-Identifier: BSD-3-Clause
// in_words.hpp - the choice and the distribution of CPUs in the words of drom.h: a CPU set is 64 of them.
//
// For the command. It sees drom.hpp, whose CpuSet and the one inside libdrom cannot meet in one file.
#pragma once

#include <cstdint>
#include <vector>

#include "drom/drom.h"

namespace drom::partition {

/// By CPU.
using Locations = std::vector<drom_location>;

/// A client and its CPUs.
struct ClientCpus {
    const uint64_t* cpus;
    unsigned job;  ///< equal for clients of one job, counted from 0
    unsigned may_lose;
};

/// Writes `count` CPUs of `among`, near `near`, or none: free ones, and at most `may_take` that clients have. By the
/// rules of choice.hpp.
void choose_words(const Locations& locations, const std::vector<ClientCpus>& clients, unsigned count, unsigned may_take,
                  const uint64_t* among, const uint64_t* near, uint64_t* chosen);

struct JobRank {
    const uint64_t* has;
    unsigned min_cpus, max_cpus;
    uint64_t* mask;  ///< the result
};

/// Divides `count` CPUs of the pool evenly, by the rules of distribution.hpp. The pool has to have the ranks' min.
void divide_words(const Locations& locations, const uint64_t* pool, const std::vector<JobRank>& ranks, unsigned count);

}  // namespace drom::partition
