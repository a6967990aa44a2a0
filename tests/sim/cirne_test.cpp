// SPDX-License-Identifier: BSD-3-Clause
// cirne_test.cpp - the Cirne-Berman model against its published checks and against outputs of its authors' users.
//
// Two-sample Kolmogorov-Smirnov tests at alpha 0.01; the seeds are fixed.
#include "workload/models/cirne.hpp"

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
const std::string kSamples = std::string(WORKLOADS) + "/cirne-samples/";

#define NEED_SAMPLES() NEEDS_LOGS(kSamples);

/// Returns parameters of the samples that BSC published, with so many jobs that only the sample's own size limits the
/// test.
CirneParameters of_samples(std::int64_t nodes) {
    CirneParameters parameters;
    parameters.jobs = 10'000;
    parameters.nodes = nodes;
    parameters.cores_per_node = 1;
    parameters.max_nodes = nodes;
    parameters.size_f = 0.1;
    parameters.size_c = 0.4;
    parameters.accuracy_scale = CirneParameters::kAccuracyScaleOfSamples;
    return parameters;
}

void expect_same_law(const char* what, const std::vector<double>& sample, const std::vector<double>& model) {
    const double distance = ks_distance(sample, model), limit = ks_limit(kAlpha, sample.size(), model.size());
    EXPECT_LT(distance, limit) << what;
    testing::Test::RecordProperty(what, std::to_string(distance) + " of " + std::to_string(limit));
}

void expect_same_laws(const Workload& sample, const Workload& model) {
    expect_same_law("widths", test::widths(sample), test::widths(model));
    expect_same_law("requests", test::requests(sample), test::requests(model));
    expect_same_law("runs", test::runs(sample), test::runs(model));
    expect_same_law("accuracies", test::accuracies(sample), test::accuracies(model));
    expect_same_law("gaps", test::gaps(sample), test::gaps(model));
}

TEST(Cirne, IsTheModelOfTheSampleOfTenNodes) {
    NEED_SAMPLES();
    const auto sample = read_swf(kSamples + "cirne.sys10n.maxjob8n.anl.100.1.1.swf");
    ASSERT_TRUE(sample) << sample.error();
    // The name says at most 8 nodes; a quarter of the rows have 10: the law is cut by the machine alone.
    expect_same_laws(sample->workload, cirne(of_samples(10), 1));
}

TEST(Cirne, IsTheModelOfTheSampleOfFiftyNodes) {
    NEED_SAMPLES();
    const auto sample = read_swf(kSamples + "test_cm_part.swf");
    ASSERT_TRUE(sample) << sample.error();
    CirneParameters parameters = of_samples(50);
    parameters.power_of_two = 0.75;  // the share of the model's text; the arrivals say 50 nodes
    expect_same_laws(sample->workload, cirne(parameters, 1));
}

/// The times of this one are those of real programs: only its widths are of the model.
TEST(Cirne, IsTheModelOfTheWidthsOfTheRealRun) {
    NEED_SAMPLES();
    const auto sample = read_swf(kSamples + "ascii.cirne.10n.maxjob8n.anl.200.sim");
    ASSERT_TRUE(sample) << sample.error();
    CirneParameters parameters = of_samples(10);
    parameters.cores_per_node = 48;
    parameters.max_nodes = 8;
    parameters.size_f = 0.2;
    parameters.power_of_two = 1;
    expect_same_law("widths", test::widths(sample->workload), test::widths(cirne(parameters, 1)));
}

TEST(Cirne, SamplesRejectOtherParameters) {
    NEED_SAMPLES();
    const auto sample = read_swf(kSamples + "cirne.sys10n.maxjob8n.anl.100.1.1.swf");
    ASSERT_TRUE(sample) << sample.error();
    const Workload& real = sample->workload;
    const double limit = ks_limit(kAlpha, 100, 10'000);
    CirneParameters parameters = of_samples(10);
    parameters.size_c = 0.2;
    parameters.time_factor = 2;
    parameters.accuracy_scale = 1 / 0.6;  // the law as the text has it
    parameters.arrival_factor = 1.2;
    const Workload wrong = cirne(parameters, 1);
    EXPECT_GT(ks_distance(test::widths(real), test::widths(wrong)), limit);
    EXPECT_GT(ks_distance(test::runs(real), test::runs(wrong)), limit);
    EXPECT_GT(ks_distance(test::accuracies(real), test::accuracies(wrong)), limit);
    EXPECT_GT(ks_distance(test::gaps(real), test::gaps(wrong)), limit);
}

TEST(Cirne, FiveThousandJobsOfAnlOn1024NodesSpan519Kiloseconds) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        const Workload workload = cirne(cirne_w1(), seed);
        ASSERT_EQ(workload.jobs.size(), 5000U);
        const Seconds span = workload.jobs.back().submit - workload.jobs.front().submit;
        EXPECT_NEAR(static_cast<double>(span), 519'500, 1000);
        EXPECT_EQ(workload.processors, 49152);
    }
}

TEST(Cirne, TimesAreWithinTheLawsOfTheModel) {
    CirneParameters parameters = cirne_w1();
    parameters.jobs = 100'000;
    const Workload workload = cirne(parameters, 4);
    for (const LogJob& job : workload.jobs) {
        ASSERT_GE(job.request, 181);
        ASSERT_LE(job.request, 185'364);
        ASSERT_GE(job.run, 1);
        ASSERT_LE(job.run, job.request);
        ASSERT_GE(job.processors, 48);
        ASSERT_LE(job.processors, 128 * 48);
        ASSERT_EQ(job.processors % 48, 0);
    }
    EXPECT_NEAR(test::mean(test::requests(workload)), 26'400, 400);
    EXPECT_NEAR(test::mean(test::runs(workload)), 14'500, 300);
    EXPECT_NEAR(test::share(test::widths(workload), [](double width) { return width == 48; }), 0.38, 0.01);
    EXPECT_TRUE(std::is_sorted(workload.jobs.begin(), workload.jobs.end(),
                               [](const LogJob& a, const LogJob& b) { return a.submit < b.submit; }));
}

TEST(Cirne, WorkloadTwoIsWorkloadOneWithExactRequests) {
    for (const auto& [inexact, exact] :
         {std::pair(cirne_w1(), cirne_w2()), std::pair(cirne_w1_samples(), cirne_w2_samples())}) {
        const Workload one = cirne(inexact, 5), two = cirne(exact, 5);
        ASSERT_EQ(one.jobs.size(), two.jobs.size());
        for (std::size_t i = 0; i < one.jobs.size(); ++i) {
            LogJob expected = one.jobs[i];
            expected.request = expected.run;
            ASSERT_EQ(two.jobs[i], expected);
        }
    }
}

/// The published makespan, if all 49 nodes had been used all the time.
TEST(Cirne, WorkloadFiveHasThePublishedWork) {
    CirneParameters parameters = cirne_w5();
    EXPECT_EQ(parameters.jobs, 2000);
    parameters.jobs = 300'000;
    const Workload workload = cirne(parameters, 6);
    const auto work = test::each(workload, [](const LogJob& job) { return job.processors / 48 * job.run; });
    EXPECT_NEAR(test::mean(work), 159'313.0 * 49 / 2000, 0.02 * 3903);
    EXPECT_LE(*std::max_element(work.begin(), work.end()), 16 * 48.0 * 3600);
}

TEST(Cirne, TheYearHasAMillionJobsAndALoadOfFourFifths) {
    CirneParameters parameters = cirne_year();
    EXPECT_EQ(parameters.jobs, 1'000'000);
    parameters.jobs = 100'000;
    const Workload workload = cirne(parameters, 1);
    double work = 0;
    for (const LogJob& job : workload.jobs)
        work += static_cast<double>(job.run) * static_cast<double>(job.processors) / 192;
    const auto span = static_cast<double>(workload.jobs.back().submit);
    EXPECT_NEAR(span / 86400, 36.5, 0.5);
    EXPECT_NEAR(work / (10'000 * span), 0.8, 0.04);
}

TEST(Cirne, EveryPatternHasItsOwnDay) {
    std::vector<std::vector<double>> samples;
    for (const auto pattern :
         {ArrivalPattern::kAnl, ArrivalPattern::kCtc, ArrivalPattern::kKth, ArrivalPattern::kSdsc}) {
        CirneParameters parameters;
        parameters.pattern = pattern;
        parameters.jobs = 20'000;
        parameters.nodes = 120;
        const Workload workload = cirne(parameters, 7);
        samples.push_back(test::each(workload, [](const LogJob& job) { return job.submit % 86400; }));
    }
    for (std::size_t i = 0; i < samples.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            EXPECT_GT(ks_distance(samples[i], samples[j]), ks_limit(kAlpha, 20'000, 20'000));
}

TEST(Cirne, TheSameSeedGivesTheSameBytesOnEveryMachine) {
    const auto bytes = [](const CirneParameters& parameters, std::uint64_t seed) {
        std::ostringstream text;
        EXPECT_TRUE(write_swf(text, cirne(parameters, seed)));
        return text.str();
    };
    EXPECT_EQ(bytes(cirne_w1(), 8), bytes(cirne_w1(), 8));
    EXPECT_NE(bytes(cirne_w1(), 8), bytes(cirne_w1(), 9));
    EXPECT_EQ(test::fingerprint(bytes(cirne_w1(), 1)), 1698244928709455569U);
    EXPECT_EQ(test::fingerprint(bytes(cirne_w5(), 1)), 14958085613801859292U);
}

TEST(Cirne, FewerJobsAreTheFirstOnes) {
    CirneParameters parameters = cirne_w1();
    const Workload all = cirne(parameters, 10);
    parameters.jobs = 100;
    const Workload some = cirne(parameters, 10);
    EXPECT_TRUE(std::equal(some.jobs.begin(), some.jobs.end(), all.jobs.begin()));
}

TEST(Cirne, PresetsAreFoundByName) {
    for (const char* name : {"w1", "w2", "w1-samples", "w2-samples", "w5", "year", "eamc"}) {
        const auto parameters = cirne_preset(name);
        ASSERT_TRUE(parameters) << name;
        EXPECT_EQ(parameters->name, std::string("cirne-") + name);
    }
    EXPECT_EQ(
        cirne_preset("w3").error(),
        "there is no preset w3; there are w1, w2, w1-samples, w2-samples, w5, year, eamc, lublin, "
        "platforms-x0.5, platforms-x1, platforms-x2, reshape-120, reshape-nas, cannon4096, gauss4096, cannon1024, "
        "cannon-3, equipartition-5, equipartition-60, equipartition-60-mask");
}

// The published means are 18.29 nodes and 3.65 h.
TEST(Cirne, TheWorkloadOfChapterSixHasNearlyItsMeans) {
    double nodes = 0, hours = 0;
    for (const std::uint64_t seed : {1U, 2U, 3U})
        for (const LogJob& job : cirne(cirne_eamc(), seed).jobs) {
            nodes += static_cast<double>(job.processors / 48) / 15000;
            hours += static_cast<double>(job.run) / 3600 / 15000;
        }
    EXPECT_NEAR(nodes, 18.29, 1);
    EXPECT_NEAR(hours, 3.65, 0.15);
    std::printf("mean nodes %.2f, mean run %.2f h\n", nodes, hours);
}

}  // namespace
}  // namespace drom::sim
