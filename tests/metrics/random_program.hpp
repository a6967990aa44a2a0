// SPDX-License-Identifier: BSD-3-Clause
// random_program.hpp - programs with random times, the same in every run.
#pragma once

#include <random>
#include <vector>

#include "metrics/factors.hpp"

namespace drom::metrics::test {

class RandomProgram {
public:
    explicit RandomProgram(uint64_t seed) : random_(seed) {}

    size_t count(size_t least, size_t most) { return std::uniform_int_distribution<size_t>(least, most)(random_); }
    double seconds(double most) { return std::uniform_real_distribution<double>(0, most)(random_); }

    /// Returns a process; some own nothing, some never work, some use more than they own.
    ProcessTimes process() {
        ProcessTimes process;
        process.window = seconds(20);
        process.cpus = static_cast<double>(count(0, 8));
        process.threads.resize(count(0, 10));
        for (ThreadTimes& thread : process.threads) {
            const double on_cpu = seconds(process.window);
            thread.useful = coin() ? seconds(on_cpu) : 0;
            thread.mpi = coin() ? seconds(on_cpu - thread.useful) : 0;
            thread.openmp = on_cpu - thread.useful - thread.mpi;
        }
        return process;
    }

    /// Returns a budget in which every part is known, as exact mode will have it.
    Budget budget() {
        Budget budget;
        for (const auto part : {&Budget::useful, &Budget::mpi, &Budget::mpi_worker_idle, &Budget::load_imbalance,
                                &Budget::scheduling, &Budget::serialization}) {
            budget.*part = coin() ? seconds(10) : 0;
            budget.owned += budget.*part;
        }
        return budget;
    }

    std::vector<Share> program() {
        const bool outside = coin();
        std::vector<Share> shares(count(0, 12));
        for (Share& share : shares) share = {count(0, 3), outside ? budget_of(process()) : budget()};
        return shares;
    }

private:
    bool coin() { return count(0, 3) != 0; }

    std::mt19937_64 random_;
};

}  // namespace drom::metrics::test
