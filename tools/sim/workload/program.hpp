// SPDX-License-Identifier: BSD-3-Clause
// program.hpp - programs that iterate and whose number of nodes may change: how fast they are on each size, and what a
// change costs.
#pragma once

#include <cstdint>

#include "policy/job/resize_traits.hpp"

namespace drom::sim {

/// How the compute time of an iteration follows the number of nodes.
enum class Scaling : std::uint8_t {
    kLinear,  ///< in proportion
    kPower,   ///< ReSHAPE's law, as a power: speed (n/m)^(alpha^((n-m)/m)) on n nodes, relative to m, the start
    kSquare,  ///< in proportion to the processes of a square grid, as large as the cores allow
};

struct Program {
    policy::ResizeTraits traits;
    int start = 1;         ///< nodes that `iteration` is for
    double iteration = 1;  ///< seconds on them, communication included
    int iterations = 1;    ///< a resize point after each but the last
    Scaling scaling = Scaling::kLinear;
    double alpha = 0.8;      ///< of the power
    int cores_per_node = 1;  ///< of the square
    /// MTCT, time in MPI over time outside it, on n nodes: factor * n^power.
    double mtct_factor = 0, mtct_power = 0;
    double shrink_cost = 0, expand_cost = 0;  ///< seconds in which it does not compute

    double mtct(int nodes) const;
    /// Returns the seconds of an iteration.
    double seconds_on(int nodes) const;
    double cost(int from, int to) const noexcept { return to < from ? shrink_cost : expand_cost; }
};

}  // namespace drom::sim
