// SPDX-License-Identifier: BSD-3-Clause
// choice.hpp - which CPUs of a node a client or a job gets: free ones, and those that others can do without. Pure.
//
// The one answer for `drom run`, the C interface and the node agent of Slurm. Allocates nothing. The question has 15
// KB, and the answer needs 58 KB more, so callers have them elsewhere than on the stack: the user sets its size.
#pragma once

#include <cstddef>

#include "base/cpuset.hpp"
#include "shmem/layout.hpp"

namespace drom::partition {

inline constexpr uint16_t kVacant = UINT16_MAX;
inline constexpr uint16_t kAnyNumber = UINT16_MAX;

/// A client that has CPUs. The clients of one job count as one where jobs are to be apart, or have equal shares.
struct Occupant {
    uint16_t job;
    uint16_t may_lose;  ///< CPUs: 0 for a rigid client, and the rest above the min for others
};

/// The clients of a node and their CPUs.
struct Occupancy {
    CpuSet cpus;                ///< of the node
    const Location* locations;  ///< by CPU; a level that is not known is one domain
    uint32_t occupant_count = 0, jobs = 0;
    Occupant occupants[kMaxClients];
    uint16_t job_may_lose[kMaxClients];  ///< CPUs that the clients of a job may lose together
    uint16_t at[kMaxCpus];               ///< the occupant of each CPU by its number, or kVacant

    Occupancy(const CpuSet& of_node, const Location* of_cpu) noexcept : cpus(of_node), locations(of_cpu) {
        for (uint16_t& number : at) number = kVacant;
    }
    uint16_t add_job(uint32_t may_lose = kAnyNumber) noexcept;
    void add(uint32_t job, const CpuSet& has, uint32_t may_lose) noexcept;
};

struct Demand {
    uint32_t min, max;         ///< CPUs besides `near`
    uint32_t may_take;         ///< CPUs that clients may lose for it, all together
    CpuSet among;              ///< only these
    CpuSet near{};             ///< the CPUs that it has already
    bool whole_cores = false;  ///< a core changes hands whole; the rest of the last one stays free
};

struct Choice {
    CpuSet cpus{};  ///< none: there is no choice with so many CPUs
    CpuSet left{};  ///< those, and the rest of a core that clients leave
};

/// The memory in which a choice is made. Needs no initial value.
struct ChoiceRoom {
    alignas(8) std::byte bytes[size_t{58} * 1024];
};

/// Tries each L3, NUMA node and package, and the whole node. In each it takes the CPUs that are free. If they are too
/// few, it takes the last cores of the largest job, as long as its clients keep what they need. It prefers cores in
/// domains where no other job is, then cores near those that it has; whole ones first. The best attempt has, in this
/// order:
///  1. the fewest CPUs in `left` besides `cpus`;
///  2. the fewest strangers in packages, then in NUMA nodes, then in L3s: the jobs in a domain besides its first,
///     summed over all domains;
///  3. equal shares of the jobs;
///  4. the fewest packages, then NUMA nodes, then L3s that each job is in, summed over the jobs.
/// Cost: the square of the cores, 10 to 50 us for 64 of them. Thread-safe, with a room per thread.
Choice choose(const Occupancy& occupancy, const Demand& demand, ChoiceRoom& room) noexcept;

}  // namespace drom::partition
