// SPDX-License-Identifier: BSD-3-Clause
// occupancy_test.cpp - forecasts of chains of sharing jobs against one that counts all cores anew at each end.
#include "policy/cluster/occupancy.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace {

using namespace drom::policy;

constexpr int kCores = 16;

/// Returns the least cores that the job has on any piece; 0 when it is on none.
int cores_of(const std::vector<Occupants>& pieces, int job) {
    int least = 0;
    for (const Occupants& piece : pieces)
        for (const Occupant& o : piece)
            if (o.job == job) least = least == 0 ? o.cores : std::min(least, o.cores);
    return least;
}

/// Returns the ends by the definition: second by second.
std::vector<Seconds> ends_by_seconds(std::vector<Planned> jobs, std::vector<Occupants> pieces, Seconds now) {
    std::vector<Seconds> ends(jobs.size(), -1);
    for (; std::ranges::count(ends, -1) > 0; ++now) {
        std::vector<int> rates;
        for (std::size_t i = 0; i < jobs.size(); ++i) rates.push_back(cores_of(pieces, static_cast<int>(i)));
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            if (ends[i] >= 0) continue;
            jobs[i].left -= rates[i];
            if (jobs[i].left > 0) continue;
            ends[i] = now + 1;
            for (Occupants& piece : pieces) leave(piece, static_cast<int>(i));
        }
    }
    return ends;
}

/// Returns pieces of which each guest has cores of up to three earlier jobs. Job i has piece i for its own at first.
std::vector<Occupants> random_chain(int jobs) {
    std::vector<Occupants> pieces;
    for (int job = 0; job < jobs; ++job) {
        const int mates = job == 0 ? 0 : *rc::gen::inRange(0, 4);
        for (int i = 0; i < mates; ++i) {
            const auto piece = static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(pieces.size())));
            const bool on_it = std::ranges::any_of(pieces[piece], [&](const Occupant& o) { return o.job == job; });
            const Occupant& mate =
                pieces[piece][static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(pieces[piece].size())))];
            if (!on_it && mate.cores > 1) lend(pieces[piece], mate.job, job, *rc::gen::inRange(1, mate.cores));
        }
        pieces.push_back({{job, kCores, kNoJob}});
    }
    return pieces;
}

RC_GTEST_PROP(Forecast, EndsChainsOfJobsWhenSecondsOneByOneDo, ()) {
    const int count = *rc::gen::inRange(1, 12);
    const std::vector<Occupants> pieces = random_chain(count);
    std::vector<Planned> jobs;
    for (int i = 0; i < count; ++i) jobs.push_back({*rc::gen::inRange<std::int64_t>(1, 900), 0});
    const Seconds now = *rc::gen::inRange<Seconds>(0, 1000);
    const std::vector<Seconds> expected = ends_by_seconds(jobs, pieces, now);
    forecast(jobs, pieces, now);
    for (std::size_t i = 0; i < jobs.size(); ++i) RC_ASSERT(jobs[i].end == expected[i]);
}

}  // namespace
