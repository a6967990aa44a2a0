// SPDX-License-Identifier: BSD-3-Clause
// runtime_model.hpp - how fast a job runs on fewer cores than it asked for.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "policy/job/job.hpp"

namespace drom::policy {

/// A speed as a fraction of that on all requested cores. Work is counted in units of 1/per seconds of full speed, so
/// that with the ideal and the worst-case model all arithmetic is exact.
struct Rate {
    std::int64_t done = 1;  ///< units of work a second; >= 1
    std::int64_t per = 1;   ///< units that full speed does a second; the same for all of a job's life

    friend bool operator==(const Rate&, const Rate&) = default;
};

/// Returns the seconds until `work` units are done, rounded up; 0 when nothing is left.
constexpr Seconds seconds_for(std::int64_t work, std::int64_t rate) noexcept {
    return work <= 0 ? 0 : (work + rate - 1) / rate;
}

/// `nodes` nodes on which a job has `cores` cores each.
struct Piece {
    int nodes = 0, cores = 0;
};

enum class ModelKind : std::uint8_t {
    kIdeal,      ///< work advances at the mean over nodes of the share of cores (thesis, equation 5.5)
    kWorstCase,  ///< at the minimum over nodes: the program is balanced statically (equation 5.6)
    kDowney,     ///< S(cores now) / S(cores asked for), Downey's curve of parallelism A and variance sigma
    kAmdahl,     ///< the same with Amdahl's law
};

struct RuntimeModel {
    ModelKind kind = ModelKind::kWorstCase;
    double parallelism = 64;  ///< Downey's A, cores
    double sigma = 1;         ///< Downey's coefficient of variance of parallelism
    double serial = 0.01;     ///< Amdahl's share of work that does not run in parallel

    /// Returns the rate of a job that asked for `cores` cores on each of its nodes and has `pieces`. Cost: the pieces.
    Rate rate(const std::vector<Piece>& pieces, int cores) const;
    /// Returns the work, in any unit, that is left on `now` cores of `work` on `before`, for a job that goes on with
    /// fewer nodes. Rounds up. Never more than cores times seconds would be.
    std::int64_t left_on(std::int64_t work, int before, int now) const;
};

/// Returns Downey's speedup on n cores (A. Downey, "A parallel workload model and its implications for processor
/// allocation", 1997, section 2).
double downey_speedup(double cores, double parallelism, double sigma) noexcept;
double amdahl_speedup(double cores, double serial) noexcept;

}  // namespace drom::policy
