// SPDX-License-Identifier: BSD-3-Clause
// budget.cpp - what became of the CPU time that a process owned.
#include "metrics/budget.hpp"

#include <algorithm>

namespace drom::metrics {

Budget budget_of(const ProcessTimes& process) {
    Budget budget;
    if (process.window <= 0 || process.threads.empty()) return budget;
    double used = 0;
    double busiest = 0;
    for (const ThreadTimes& thread : process.threads) {
        budget.useful += thread.useful;
        budget.mpi += thread.mpi;
        used += thread.on_cpu();
        busiest = std::max(busiest, thread.useful);
    }
    budget.owned = std::max(process.window * process.cpus, used);
    const double cpus = budget.owned / process.window;
    const double others_in_mpi = std::max(cpus - 1, 0.0) * process.threads.front().mpi;
    budget.mpi_worker_idle = std::clamp(budget.owned - budget.useful - budget.mpi, 0.0, others_in_mpi);
    const double outside = std::max(budget.outside_mpi(), budget.useful);  // max: rounding
    const double balanced = std::clamp(cpus * busiest, budget.useful, outside);
    budget.load_imbalance = balanced - budget.useful;
    budget.scheduling = outside - balanced;
    return budget;
}

void add(Budget& sum, const Budget& other) {
    for (const auto part : {&Budget::owned, &Budget::useful, &Budget::mpi, &Budget::mpi_worker_idle,
                            &Budget::load_imbalance, &Budget::scheduling, &Budget::serialization})
        sum.*part += other.*part;
}

}  // namespace drom::metrics
