// SPDX-License-Identifier: BSD-3-Clause
// factors.cpp - the POP factors of a parallel program.
#include "metrics/factors.hpp"

#include <algorithm>
#include <map>

namespace drom::metrics {

namespace {

double ratio(double part, double whole) { return whole > 0 ? part / whole : 1; }

}  // namespace

Budget sum_of(std::span<const Share> processes) {
    Budget sum;
    for (const Share& process : processes) add(sum, process.budget);
    return sum;
}

OutsideMpi outside_mpi_of(std::span<const Share> processes) {
    OutsideMpi shares{0, 0, 0, 0};
    std::map<size_t, Budget> nodes;
    for (size_t i = 0; i < processes.size(); ++i) {
        const Budget& budget = processes[i].budget;
        if (budget.owned <= 0) continue;
        add(nodes[processes[i].node], budget);
        const double share = budget.outside_mpi() / budget.owned;
        if (share > shares.process) shares.busiest = i;
        shares.process = std::max(shares.process, share);
    }
    if (nodes.empty()) return {};
    Budget all;
    for (const auto& [number, node] : nodes) {
        add(all, node);
        shares.node = std::max(shares.node, node.outside_mpi() / node.owned);
    }
    shares.program = all.outside_mpi() / all.owned;
    return shares;
}

Factors factors_of(std::span<const Share> processes) {
    const Budget sum = sum_of(processes);
    const OutsideMpi outside = outside_mpi_of(processes);
    const double serial = sum.useful + sum.serialization;
    const double balanced = serial + sum.load_imbalance;
    const double all = balanced + sum.scheduling;
    Factors factors;
    factors.parallel_efficiency = ratio(sum.useful, sum.owned);
    factors.mpi_parallel_efficiency = outside.program;
    factors.mpi_communication = outside.process;
    factors.mpi_load_balance = ratio(outside.program, outside.process);
    factors.mpi_load_balance_within_nodes = ratio(outside.node, outside.process);  // mutant within-nodes
    factors.mpi_load_balance_between_nodes = ratio(outside.program, outside.node);
    factors.openmp_parallel_efficiency = ratio(sum.useful, all);
    factors.openmp_serialization = ratio(sum.useful, serial);
    factors.openmp_load_balance = ratio(serial, balanced);
    factors.openmp_scheduling = ratio(balanced, all);
    return factors;
}

Factors talp_factors_of(std::span<const Share> processes) {
    const Budget sum = sum_of(processes);
    const double busy = sum.useful + sum.mpi;
    const double serial = busy + sum.serialization;
    const double balanced = serial + sum.load_imbalance;
    const double all = balanced + sum.scheduling;
    Factors factors = factors_of(processes);
    factors.parallel_efficiency = ratio(sum.useful, all);
    factors.openmp_parallel_efficiency = ratio(busy, all);
    factors.openmp_serialization = ratio(busy, serial);
    factors.openmp_load_balance = ratio(serial, balanced);
    factors.openmp_scheduling = ratio(balanced, all);
    return factors;
}

}  // namespace drom::metrics
