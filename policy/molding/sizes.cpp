// SPDX-License-Identifier: BSD-3-Clause
// sizes.cpp - Downey's curve, a cap on what it wastes, and bounds.
#include "policy/molding/sizes.hpp"

#include <algorithm>
#include <cmath>

#include "policy/job/runtime_model.hpp"

namespace drom::policy {
namespace {

constexpr int kMaxSizes = 32;

/// Speedups of one job on numbers of nodes.
class Curve {
public:
    Curve(int asked, int cores_per_node, const MoldRules& rules)
        : cores_(cores_per_node),
          parallelism_(std::max(1.0, rules.parallelism * asked * cores_per_node)),
          sigma_(rules.sigma) {}

    double speedup(int nodes) const {
        return downey_speedup(static_cast<double>(nodes) * cores_, parallelism_, sigma_);
    }
    /// Returns whether the speedup per core is at least `min`. Rounding makes some perfect speedups smaller than their
    /// cores by a last digit.
    bool is_efficient(int nodes, double min) const {
        return speedup(nodes) >= min * (1 - 1e-12) * (static_cast<double>(nodes) * cores_);
    }

private:
    double cores_, parallelism_, sigma_;
};

int bounded(double nodes, int machine_nodes) {
    return static_cast<int>(std::clamp(nodes, 1.0, static_cast<double>(machine_nodes)));
}

/// Returns the largest size from `min` to `max` that is efficient enough: efficiency falls with the size.
int largest_efficient(const Curve& curve, int min, int max, double min_efficiency) {
    while (min < max) {
        const int middle = min + (max - min + 1) / 2;
        if (curve.is_efficient(middle, min_efficiency))
            min = middle;
        else
            max = middle - 1;
    }
    return min;
}

}  // namespace

std::vector<Size> mold_sizes(int asked, int machine_nodes, int cores_per_node, const MoldRules& rules) {
    const Curve curve(asked, cores_per_node, rules);
    const int min = std::min(asked, bounded(std::ceil(rules.min * asked), machine_nodes));
    const int max = std::max(min, bounded(std::floor(rules.max * asked), machine_nodes));
    const int last = largest_efficient(curve, min, max, rules.min_efficiency);
    std::vector<int> nodes;
    const int count = std::min(kMaxSizes, last - min + 1);
    for (int i = 0; i < count; ++i)
        nodes.push_back(count == 1 ? min : static_cast<int>(min + std::int64_t{i} * (last - min) / (count - 1)));
    // A size that is not efficient enough is one all the same where the job asks for it.
    if (!curve.is_efficient(min, rules.min_efficiency)) nodes.clear();
    if (asked <= machine_nodes && !std::ranges::binary_search(nodes, asked))
        nodes.insert(std::ranges::upper_bound(nodes, asked), asked);
    std::vector<Size> sizes;
    for (const int size : nodes)
        sizes.push_back({size, size == asked ? 1 : curve.speedup(asked) / curve.speedup(size)});
    return sizes;
}

namespace {

Seconds longer(Seconds time, const Size& size) {
    return static_cast<Seconds>(std::ceil(static_cast<double>(time) * size.time_factor));
}

}  // namespace

Seconds molded_request(Seconds request, int asked, const Size& size) {
    return size.nodes == asked ? request : std::max<Seconds>(1, longer(request, size));
}

Job molded(const Job& job, const Size& size) {
    if (size.nodes == job.nodes) return job;
    Job other = job;
    other.nodes = size.nodes;
    other.request = molded_request(job.request, job.nodes, size);
    other.limit = longer(job.limit, size);
    return other;
}

}  // namespace drom::policy
