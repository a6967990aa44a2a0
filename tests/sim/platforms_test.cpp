// SPDX-License-Identifier: BSD-3-Clause
// platforms_test.cpp - three partitions of 256 cores and 1000 jobs: what choosing by effective supply gains.
#include "policy/placement/platforms.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <random>

#include "engine/engine.hpp"

namespace {

using namespace drom::sim;
using Choice = drom::policy::PlatformRules::Choice;

constexpr int kJobs = 1000, kCores = 256, kPartitions = 3;
constexpr double kArrivals = 2 * 3600;  // seconds

/// Draws arrivals of a Poisson process, sizes of powers of two, exponential run times, each of five applications as
/// often.
Workload thousand_jobs(double times, std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    const auto uniform = [&] { return (static_cast<double>(generator() >> 11) + 0.5) * 0x1.0p-53; };
    Workload workload;
    double at = 0;
    for (int id = 1; id <= kJobs; ++id) {
        LogJob job;
        job.id = id;
        at -= kArrivals / kJobs * std::log(uniform());
        job.submit = static_cast<Seconds>(at);
        job.processors = std::int64_t{1} << static_cast<int>(9 * uniform());
        job.run = std::max<Seconds>(1, std::llround(-52 * times * std::log(uniform())));
        job.request = job.run;
        job.application = static_cast<int>(5 * uniform());
        workload.jobs.push_back(job);
    }
    return workload;
}

struct Result {
    double makespan = 0, done_in_an_hour = 0, response = 0;
};

Result simulated(Choice choice, double times) {
    Result sum;
    constexpr int kSeeds = 5;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        drom::policy::PlatformRules rules;
        rules.choice = choice;
        rules.map = {1, 0, 0, 2, 1};
        const auto scheduler = drom::policy::platforms(std::move(rules));
        EngineRules engine;
        engine.partitions.assign(kPartitions, drom::policy::Machine::uniform(kCores, 1));
        engine.malleable_share = 0;
        const Outcome outcome = simulate(thousand_jobs(times, seed), *scheduler, engine);
        Seconds last = 0;
        for (const JobOutcome& job : outcome.jobs) {
            EXPECT_FALSE(job.killed);
            last = std::max(last, job.end);
            sum.done_in_an_hour += job.end <= 3600 ? 1.0 / kSeeds : 0;
            sum.response += static_cast<double>(job.end - job.submit) / kJobs / kSeeds;
        }
        sum.makespan += static_cast<double>(last) / kSeeds;
    }
    return sum;
}

TEST(Platforms, ChoosingBySupplyGainsMoreTheHigherTheLoad) {
    const std::pair<const char*, Choice> rules[] = {
        {"first-partition", Choice::kFirst},  {"ejs", Choice::kSupply},
        {"best-first", Choice::kBestFirst},   {"most-free", Choice::kMostFree},
        {"round-robin", Choice::kRoundRobin}, {"scale", Choice::kBySize},
        {"app", Choice::kByApplication}};
    std::map<double, double> makespan_gain, done_gain;
    for (const double times : {0.5, 1.0, 2.0}) {
        const Result first = simulated(Choice::kFirst, times);
        for (const auto& [name, choice] : rules) {
            const Result result = simulated(choice, times);
            const double makespan = first.makespan / result.makespan;
            const double done = result.done_in_an_hour / first.done_in_an_hour;
            std::printf("| x%g | `%s` | %.0f | %.0f | %.2f | %.0f | %.2f |\n", times, name, result.response,
                        result.makespan, makespan, result.done_in_an_hour, done);
            if (choice != Choice::kSupply) continue;
            makespan_gain[times] = makespan;
            done_gain[times] = done;
        }
    }
    EXPECT_GT(makespan_gain[0.5], 0.98);
    EXPECT_GT(makespan_gain[1], makespan_gain[0.5]);
    EXPECT_GT(makespan_gain[2], makespan_gain[1]);
    EXPECT_GE(done_gain[0.5], 1);
    EXPECT_GT(done_gain[1], done_gain[0.5]);
    EXPECT_GT(done_gain[2], done_gain[1]);
}

}  // namespace
