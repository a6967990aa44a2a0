// SPDX-License-Identifier: BSD-3-Clause
// lublin_test.cpp - the Lublin-Feitelson model against an output of its authors' program.
//
// Two-sample Kolmogorov-Smirnov tests at alpha 0.01; the seeds are fixed. The time of day is not among them. That
// program adds up whole seconds, so its clock loses half a second per job against its own half hours: an hour and a
// half over this log.
#include "workload/models/lublin.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "ks.hpp"
#include "logs.hpp"
#include "workload/swf/swf.hpp"

namespace drom::sim {
namespace {

using test::ks_distance;
using test::ks_limit;

constexpr double kAlpha = 0.01;
const std::string kLog = std::string(WORKLOADS) + "/lublin_256.swf.gz";

#define NEED_LOG() NEEDS_LOGS(kLog);

LublinParameters of_log(LublinJobs kind = LublinJobs::kAll) {
    LublinParameters parameters;
    parameters.nodes = 256;
    parameters.kind = kind;
    return parameters;
}

TEST(Lublin, IsTheModelOfTheLog) {
    NEED_LOG();
    const auto log = read_swf(kLog);
    ASSERT_TRUE(log) << log.error();
    const Workload model = lublin(of_log(), 1);
    const double limit = ks_limit(kAlpha, 10'000, 10'000);
    EXPECT_LT(ks_distance(test::widths(log->workload), test::widths(model)), limit);
    EXPECT_LT(ks_distance(test::runs(log->workload), test::runs(model)), limit);
    EXPECT_LT(ks_distance(test::gaps(log->workload), test::gaps(model)), limit);
}

TEST(Lublin, TheLogRejectsTheOtherClasses) {
    NEED_LOG();
    const auto log = read_swf(kLog);
    ASSERT_TRUE(log) << log.error();
    const double limit = ks_limit(kAlpha, 10'000, 10'000);
    for (const LublinJobs kind : {LublinJobs::kBatch, LublinJobs::kInteractive, LublinJobs::kBoth}) {
        const Workload wrong = lublin(of_log(kind), 1);
        EXPECT_GT(ks_distance(test::widths(log->workload), test::widths(wrong)), limit);
        EXPECT_GT(ks_distance(test::runs(log->workload), test::runs(wrong)), limit);
        EXPECT_GT(ks_distance(test::gaps(log->workload), test::gaps(wrong)), limit);
    }
    LublinParameters halved = of_log();
    halved.nodes = 128;
    EXPECT_GT(ks_distance(test::widths(log->workload), test::widths(lublin(halved, 1))), limit);
}

TEST(Lublin, ClassesHaveTheSizesOfTheModel) {
    struct Case {
        LublinJobs kind;
        double serial;
        double max;
    };
    for (const Case& c : {Case{LublinJobs::kAll, 0.244, 128}, Case{LublinJobs::kBatch, 0.2927, 128},
                          Case{LublinJobs::kInteractive, 0.1541, 45}}) {
        LublinParameters parameters;
        parameters.jobs = 40'000;
        parameters.kind = c.kind;
        const auto widths = test::widths(lublin(parameters, 2));
        EXPECT_NEAR(test::share(widths, [](double width) { return width == 1; }), c.serial, 0.012);
        // Interactive jobs end at 2^5.5 nodes.
        EXPECT_EQ(*std::max_element(widths.begin(), widths.end()), c.max);
    }
}

TEST(Lublin, BothClassesAreMergedInOrder) {
    const Workload workload = lublin(of_log(LublinJobs::kBoth), 3);
    std::array<int, 2> of_class{};
    for (const LogJob& job : workload.jobs) ++of_class.at(static_cast<std::size_t>(job.queue));
    EXPECT_GT(of_class[0], 3 * of_class[1]);
    EXPECT_GT(of_class[1], 500);
    EXPECT_TRUE(std::is_sorted(workload.jobs.begin(), workload.jobs.end(),
                               [](const LogJob& a, const LogJob& b) { return a.submit < b.submit; }));
}

/// The fewest jobs arrive at five in the morning, most around noon, wherever the log's zero is.
TEST(Lublin, ArrivalsFollowTheDay) {
    for (const double start : {0.0, 6.5, 18.0}) {
        LublinParameters parameters;
        parameters.jobs = 100'000;
        parameters.start_hour = start;
        const Workload workload = lublin(parameters, 4);
        const auto hours = test::each(
            workload, [&](const LogJob& job) { return (job.submit / 3600 + static_cast<Seconds>(start)) % 24; });
        EXPECT_LT(test::share(hours, [](double hour) { return hour == 4 || hour == 5; }), 0.03);
        EXPECT_GT(test::share(hours, [](double hour) { return hour >= 11 && hour <= 15; }), 0.33);
    }
}

TEST(Lublin, RequestsAreExactUnlessAskedForOtherwise) {
    LublinParameters parameters;
    for (const LogJob& job : lublin(parameters, 5).jobs) ASSERT_EQ(job.request, job.run);
    parameters.requests = LublinParameters::Requests::kInaccurate;
    const Workload workload = lublin(parameters, 5);
    for (const LogJob& job : workload.jobs) {
        ASSERT_GE(job.request, job.run);
        ASSERT_LE(job.request, 162'754);
    }
    EXPECT_NEAR(test::share(test::accuracies(workload), [](double a) { return a == 1; }), 0.33, 0.05);
}

TEST(Lublin, TheSameSeedGivesTheSameBytesOnEveryMachine) {
    const auto bytes = [](const LublinParameters& parameters, std::uint64_t seed) {
        std::ostringstream text;
        EXPECT_TRUE(write_swf(text, lublin(parameters, seed)));
        return text.str();
    };
    EXPECT_EQ(bytes(of_log(), 8), bytes(of_log(), 8));
    EXPECT_NE(bytes(of_log(), 8), bytes(of_log(), 9));
    EXPECT_EQ(test::fingerprint(bytes(of_log(), 1)), 13428721272773044546U);
    EXPECT_EQ(test::fingerprint(bytes(of_log(LublinJobs::kBoth), 1)), 8499951558695195469U);
}

TEST(Lublin, SmallMachinesHaveSmallJobs) {
    for (const std::int64_t nodes : {1, 2, 3, 5}) {
        for (const LublinJobs kind : {LublinJobs::kAll, LublinJobs::kBatch, LublinJobs::kInteractive}) {
            LublinParameters parameters;
            parameters.nodes = nodes;
            parameters.jobs = 1000;
            parameters.kind = kind;
            for (const LogJob& job : lublin(parameters, 6).jobs) {
                ASSERT_GE(job.processors, 1);
                ASSERT_LE(job.processors, nodes);
            }
        }
    }
}

}  // namespace
}  // namespace drom::sim
