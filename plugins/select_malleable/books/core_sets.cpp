// SPDX-License-Identifier: GPL-2.0-or-later
// core_sets.cpp - moves cores of a node from job to job.
#include "core_sets.hpp"

#include <algorithm>
#include <utility>

namespace drom::slurm {
namespace {

int count(const std::vector<bool>& cores) { return static_cast<int>(std::count(cores.begin(), cores.end(), true)); }

void lose_the_last(Share& share) {
    int surplus = count(share.cores) - share.wanted;
    for (std::size_t core = share.cores.size(); core-- > 0 && surplus > 0;) {
        if (!share.cores[core]) continue;
        share.cores[core] = false;
        --surplus;
    }
}

std::vector<bool> free_of(const std::vector<Share>& shares) {
    std::vector<bool> free(shares.empty() ? 0 : shares.front().cores.size(), true);
    for (const Share& share : shares)
        for (std::size_t core = 0; core < free.size(); ++core)
            if (share.cores[core]) free[core] = false;
    return free;
}

/// Returns the distance of a core to the nearest of the set; 0 when the set is empty.
std::size_t distance(const std::vector<bool>& cores, std::size_t core) {
    for (std::size_t d = 1; d < cores.size(); ++d)
        if ((core >= d && cores[core - d]) || (core + d < cores.size() && cores[core + d])) return d;
    return 0;
}

/// Returns the free cores, nearest to the set first; of those that are as near the last first: mates keep the first.
std::vector<std::size_t> by_distance(const std::vector<bool>& cores, const std::vector<bool>& free) {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    for (std::size_t core = free.size(); core-- > 0;)
        if (free[core]) found.emplace_back(distance(cores, core), core);
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::size_t> order;
    order.reserve(found.size());
    for (const auto& [far, core] : found) order.push_back(core);
    return order;
}

bool gain(Share& share, std::vector<bool>& free) {
    int missing = share.wanted - count(share.cores);
    if (missing <= 0) return true;
    for (const std::size_t core : by_distance(share.cores, free)) {
        share.cores[core] = true;
        free[core] = false;
        if (--missing == 0) return true;
    }
    return false;
}

}  // namespace

bool redistribute(std::vector<Share>& shares) {
    for (Share& share : shares) lose_the_last(share);
    std::vector<bool> free = free_of(shares);
    bool enough = true;
    for (Share& share : shares) enough = gain(share, free) && enough;
    return enough;
}

}  // namespace drom::slurm
