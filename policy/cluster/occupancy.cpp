// SPDX-License-Identifier: BSD-3-Clause
// occupancy.cpp - lending, returning, and the predicted ends that follow.
#include "policy/cluster/occupancy.hpp"

#include <algorithm>
#include <numeric>
#include <span>

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

/// The jobs of a forecast on their pieces. A job that ends changes the cores of its neighbours only, so that only
/// theirs are counted again: chains of hundreds of jobs are forecast for each candidate of a search.
class Forecast {
public:
    Forecast(std::vector<Planned>& jobs, std::vector<Occupants>& pieces)
        : jobs_(jobs), pieces_(pieces), first_place_(jobs.size() + 1, 0), rates_(jobs.size(), 0) {
        list_places();
        for (std::size_t i = 0; i < jobs.size(); ++i) count_cores(i);
    }

    void run(Seconds now) {
        for (Seconds step = until_first_end(); step < kNever; step = until_first_end()) {
            now += step;
            advance(step, now);
            for (const std::size_t i : changed_) count_cores(i);
            changed_.clear();
        }
    }

private:
    /// Lists the pieces by the jobs on them.
    void list_places() {
        for_each_place([this](std::size_t job, std::size_t) { ++first_place_[job + 1]; });
        std::partial_sum(first_place_.begin(), first_place_.end(), first_place_.begin());
        places_.resize(first_place_.back());
        std::vector<std::size_t> next = first_place_;
        for_each_place([&](std::size_t job, std::size_t piece) { places_[next[job]++] = piece; });
    }

    template <class Do>
    void for_each_place(const Do& with) const {
        for (std::size_t piece = 0; piece < pieces_.size(); ++piece)
            for (const Occupant& o : pieces_[piece]) with(static_cast<std::size_t>(o.job), piece);
    }

    std::span<const std::size_t> pieces_of(std::size_t job) const {
        return std::span(places_).subspan(first_place_[job], first_place_[job + 1] - first_place_[job]);
    }

    /// Counts the cores with which the job advances: the least on any piece, 0 when it is on none any more.
    void count_cores(std::size_t job) {
        int cores = 0;
        for (const std::size_t p : pieces_of(job))
            if (const Occupant* own = find(pieces_[p], static_cast<int>(job)); own != nullptr)
                cores = cores == 0 ? own->cores : std::min(cores, own->cores);
        rates_[job] = cores;
    }

    Seconds until_first_end() const {
        Seconds first = kNever;
        for (std::size_t i = 0; i < jobs_.size(); ++i)
            if (rates_[i] > 0) first = std::min(first, seconds_for(jobs_[i].left, rates_[i]));
        return first;
    }

    void advance(Seconds step, Seconds now) {
        for (std::size_t i = 0; i < jobs_.size(); ++i) {
            if (rates_[i] == 0) continue;
            jobs_[i].left -= step * rates_[i];
            if (jobs_[i].left <= 0) end(i, now);
        }
    }

    void end(std::size_t job, Seconds now) {
        jobs_[job].end = now;
        for (const std::size_t p : pieces_of(job)) {
            leave(pieces_[p], static_cast<int>(job));
            note_occupants(pieces_[p]);  // mutant neighbours
        }
        changed_.push_back(job);
    }

    void note_occupants(const Occupants& piece) {
        for (const Occupant& o : piece) changed_.push_back(static_cast<std::size_t>(o.job));
    }

    std::vector<Planned>& jobs_;
    std::vector<Occupants>& pieces_;
    std::vector<std::size_t> places_;       ///< pieces, by job
    std::vector<std::size_t> first_place_;  ///< of each job, and the end
    std::vector<int> rates_;                ///< of each job
    std::vector<std::size_t> changed_;      ///< jobs that may have other cores at the next step
};

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
    Forecast(jobs, pieces).run(now);
}

}  // namespace drom::policy
