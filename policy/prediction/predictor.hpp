// SPDX-License-Identifier: BSD-3-Clause
// predictor.hpp - how long a job will run on all its cores, from the jobs that ended before it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "policy/job/job.hpp"

namespace drom::policy {

class Predictor {
public:
    virtual ~Predictor() = default;
    /// Returns the run time to be expected, in [1, request]; the request where nothing is known.
    Seconds predict(const Job& job) const;
    /// Learns from a job that has ended. `run`: its time on all its cores.
    virtual void learn(const Job& job, Seconds run) = 0;

protected:
    /// Returns seconds, not clipped; 0 or less: nothing is known.
    virtual double expected(const Job& job) const = 0;
};

/// Returns a predictor by the mean of the user's last two run times in the job's class of sizes. Where that class has
/// none, the user's last two of any size count. A single one is taken as it is; without any the request is predicted.
/// Classes of sizes are powers of two. Cost: a look-up.
std::unique_ptr<Predictor> last_two();

/// Returns a predictor by the mean of the user's last two run times, whatever the sizes; before there are two it
/// predicts the request (D. Tsafrir, Y. Etsion, D. Feitelson, "Backfilling using system-generated predictions rather
/// than user runtime estimates", 2007). Cost: a look-up.
std::unique_ptr<Predictor> last_two_of_user();

/// Returns a predictor by the geometric mean of the run times of the 8 jobs that were most alike. They are compared by
/// user, application, the logarithms of nodes and request, and the hour of the submit. Remembers the last 1000 jobs of
/// known users, and knows nothing of others. Cost: those.
std::unique_ptr<Predictor> nearest_jobs();

/// By how much predictions must be multiplied so that a given share of them is not overrun.
class Safety {
public:
    void learn(Seconds predicted, Seconds run);
    /// Returns the quantile of run time over prediction, at least 1; 1 before anything is known. Cost: constant.
    double factor(double quantile) const;

private:
    static constexpr int kPerDoubling = 8, kDoublings = 24;
    std::array<std::uint64_t, kPerDoubling * kDoublings> counts_{};  ///< by logarithm of the ratio, from 1 on
    std::uint64_t all_ = 0;
};

}  // namespace drom::policy
