// SPDX-License-Identifier: BSD-3-Clause
// factors.hpp - the POP factors of a parallel program: numbers from 0 to 1 whose products are identities. Pure.
//
// Sums over all processes are N, owned CPU time, U, useful, and X, outside MPI: neither in MPI nor idle because of it.
// X is U + L + S + R, with L load imbalance, S scheduling and R serialization. The share outside MPI of a process is
// its own X/N. The shares x, x_n and x_p are that of the program, the largest of a node, and the largest of a process.
//
//   parallel efficiency          U/N            = MPI parallel efficiency * OpenMP parallel efficiency
//   MPI parallel efficiency      x = X/N        = communication * load balance
//     communication              x_p
//     load balance               x/x_p          = within nodes * between nodes
//       within nodes             x_n/x_p
//       between nodes            x/x_n
//   OpenMP parallel efficiency   U/X            = serialization * load balance * scheduling
//     serialization              U/(U+R)
//     load balance               (U+R)/(U+R+L)
//     scheduling                 (U+R+L)/(U+R+L+S)
//
// TALP's OpenMP factors put U+M in place of U, M being the time in MPI. Its parallel efficiency leaves out the CPUs
// that are idle because of MPI. talp_factors_of() has both. So MPI counts as work of OpenMP there, and the product of
// the two efficiencies is not the parallel efficiency. A factor 0/0 is 1: nothing was lost.
#pragma once

#include <cstddef>
#include <span>

#include "metrics/budget.hpp"

namespace drom::metrics {

/// One process of a program, and the number of its node, from 0.
struct Share {
    size_t node = 0;
    Budget budget;
};

struct Factors {
    double parallel_efficiency = 1;
    double mpi_parallel_efficiency = 1;
    double mpi_communication = 1;
    double mpi_load_balance = 1;
    double mpi_load_balance_within_nodes = 1;
    double mpi_load_balance_between_nodes = 1;
    double openmp_parallel_efficiency = 1;
    double openmp_serialization = 1;
    double openmp_load_balance = 1;
    double openmp_scheduling = 1;
};

/// Returns the factors of the program that has these processes. A process that owned nothing is left out. Without any,
/// all factors are 1.
Factors factors_of(std::span<const Share> processes);

/// Returns the factors as TALP of DLB 3.7 has them, of the same processes. The MPI factors are the same.
Factors talp_factors_of(std::span<const Share> processes);

/// Shares outside MPI of a program, of the node and of the process that have the largest.
struct OutsideMpi {
    double program = 1;
    double node = 1;
    double process = 1;
    size_t busiest = 0;  ///< the process, by its place
};

/// Returns the shares, each at least that of the line before.
OutsideMpi outside_mpi_of(std::span<const Share> processes);

/// Returns the sum of all budgets.
Budget sum_of(std::span<const Share> processes);

}  // namespace drom::metrics
