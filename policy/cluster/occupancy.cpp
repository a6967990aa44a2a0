// SPDX-License-Identifier: BSD-3-Clause
// occupancy.cpp - lending, returning, and the predicted ends that follow.
#include "policy/cluster/occupancy.hpp"

#include <algorithm>

namespace drom::policy {
namespace {

Occupant* find(Occupants& occupants, int job) {
    const auto found =
        std::find_if(occupants.begin(), occupants.end(), [job](const Occupant& o) { return o.job == job; });
    return found == occupants.end() ? nullptr : &*found;
}

void spread(Occupants& occupants, int cores) {
    const int n = static_cast<int>(occupants.size());
    for (int i = 0; i < n; ++i) occupants[static_cast<std::size_t>(i)].cores += cores / n + (i < cores % n ? 1 : 0);
}

/// Returns the cores with which each job advances: its minimum; 0 for those that are on no piece any more.
std::vector<int> min_cores_per_job(std::size_t jobs, const std::vector<Occupants>& pieces) {
    std::vector<int> min(jobs, 0);
    for (const Occupants& piece : pieces)
        for (const Occupant& o : piece) {
            int& cores = min[static_cast<std::size_t>(o.job)];
            cores = cores == 0 ? o.cores : std::min(cores, o.cores);
        }
    return min;
}

Seconds until_first_end(const std::vector<Planned>& jobs, const std::vector<int>& rates) {
    Seconds first = kNever;
    for (std::size_t i = 0; i < jobs.size(); ++i)
        if (rates[i] > 0) first = std::min(first, seconds_for(jobs[i].left, rates[i]));
    return first;
}

}  // namespace

void lend(Occupants& occupants, int mate, int guest, int cores) {
    find(occupants, mate)->cores -= cores;
    occupants.push_back({guest, cores, mate});
}

void leave(Occupants& occupants, int job) {
    const auto gone =
        std::find_if(occupants.begin(), occupants.end(), [job](const Occupant& o) { return o.job == job; });
    if (gone == occupants.end()) return;
    const Occupant was = *gone;
    occupants.erase(gone);
    for (Occupant& o : occupants)
        if (o.lender == job) o.lender = kNoJob;
    if (occupants.empty()) return;
    if (Occupant* lender = find(occupants, was.lender); was.lender != kNoJob && lender != nullptr)
        lender->cores += was.cores;
    else
        spread(occupants, was.cores);
}

void forecast(std::vector<Planned>& jobs, std::vector<Occupants> pieces, Seconds now) {
    for (std::size_t running = jobs.size(); running > 0;) {
        const std::vector<int> rates = min_cores_per_job(jobs.size(), pieces);
        const Seconds step = until_first_end(jobs, rates);
        if (step == kNever) return;
        now += step;
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            if (rates[i] == 0) continue;
            jobs[i].left -= step * rates[i];
            if (jobs[i].left > 0) continue;
            jobs[i].end = now;
            for (Occupants& piece : pieces) leave(piece, static_cast<int>(i));
            --running;
        }
    }
}

}  // namespace drom::policy
