// SPDX-License-Identifier: BSD-3-Clause
// mapping.cpp - scores of partitions, and their order.
#include "policy/energy/mapping.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace drom::policy {
namespace {

struct Best {
    double seconds = std::numeric_limits<double>::infinity();
    double joules = std::numeric_limits<double>::infinity();
    double cores = 0;
};

Best best_of(std::span<const Mapped> mapped, std::span<const double> cores) {
    Best best;
    for (const Mapped& there : mapped) {
        best.seconds = std::min(best.seconds, there.seconds);
        best.joules = std::min(best.joules, there.joules);
        best.cores = std::max(best.cores, cores[there.partition]);
    }
    return best;
}

double squared(double value) { return value * value; }

double score_of(const Mapped& there, const Best& best, double cores, const MappingWeights& weights) {
    return std::sqrt(weights.time * squared(there.seconds / best.seconds) +
                     weights.energy * squared(there.joules / best.joules) + weights.room * squared(best.cores / cores));
}

}  // namespace

std::vector<Mapped> rank_partitions(const EnergyModel& model, const Application& application,
                                    std::span<const double> cores, const MappingWeights& weights) {
    std::vector<Mapped> mapped;
    for (std::size_t p = 0; p < model.partitions.size() && p < application.on.size(); ++p)
        if (const auto& there = application.on[p])
            mapped.push_back({p, there->seconds, there->seconds * there->watts, 0});
    const Best best = best_of(mapped, cores);
    for (Mapped& there : mapped) there.score = score_of(there, best, cores[there.partition], weights);
    std::ranges::stable_sort(mapped, {}, &Mapped::score);
    return mapped;
}

}  // namespace drom::policy
