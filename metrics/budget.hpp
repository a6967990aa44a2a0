// SPDX-License-Identifier: BSD-3-Clause
// budget.hpp - the CPU time that a process owned during a window, divided by what became of it. Pure.
#pragma once

#include <vector>

namespace drom::metrics {

/// The times of one thread while it was on a CPU, in seconds.
struct ThreadTimes {
    double useful = 0;
    double mpi = 0;     ///< inside the MPI library
    double openmp = 0;  ///< waiting inside the OpenMP runtime

    [[nodiscard]] double on_cpu() const { return useful + mpi + openmp; }
};

/// The measurement of one process.
struct ProcessTimes {
    double window = 0;                 ///< seconds
    double cpus = 0;                   ///< that it owned, the mean over the window
    std::vector<ThreadTimes> threads;  ///< the primary thread first; those that sleep all the time may be left out
};

/// CPU seconds that a process owned, and what became of them: `owned` is the sum of all other members.
struct Budget {
    double owned = 0;
    double useful = 0;
    double mpi = 0;              ///< threads inside MPI
    double mpi_worker_idle = 0;  ///< other CPUs without work while the primary thread is inside MPI
    double load_imbalance = 0;   ///< CPUs that have less work than the busiest thread
    double scheduling = 0;       ///< neither in MPI nor useful, on any CPU: runtime, sleep, waiting for a CPU
    double serialization = 0;    ///< other CPUs while the primary thread works outside regions; 0 where not known

    /// Returns the part that is neither in MPI nor lost because of MPI.
    [[nodiscard]] double outside_mpi() const { return owned - mpi - mpi_worker_idle; }
};

/// Returns the budget of what was seen from outside.
///
/// Which CPUs had no work while the primary thread was inside MPI is not seen. All of its time in MPI is taken to be
/// lost on its other CPUs, too, as far as these had no work. The busiest thread stands for a region without imbalance,
/// so `load_imbalance` has the serial parts as well, and `serialization` is 0. A process that used more CPU time than
/// it owned is taken to have owned that much. Times are not negative; a process without a window or a CPU has a budget
/// of zeros.
Budget budget_of(const ProcessTimes& process);

/// Adds the parts of `other` to `sum`.
void add(Budget& sum, const Budget& other);

}  // namespace drom::metrics
