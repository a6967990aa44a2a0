// SPDX-License-Identifier: BSD-3-Clause
// app_mix_test.cpp - applications drawn for jobs.
#include "workload/models/app_mix.hpp"

#include <cmath>
#include <map>

#include "property.hpp"
#include "workload/models/cirne.hpp"

namespace {

using namespace drom::sim;

constexpr int kNumbers[] = {1, 2, 3, 4, 5, 6, 7, 8};

std::map<int, double> percentages(std::string_view mix, std::uint64_t seed = 1) {
    Workload workload = cirne(cirne_w1(), seed);
    const auto read = read_app_mix(mix);
    EXPECT_TRUE(read) << mix;
    EXPECT_TRUE(draw_applications(workload, *read, kNumbers, seed));
    std::map<int, double> found;
    for (const LogJob& job : workload.jobs) found[job.application] += 100.0 / static_cast<double>(workload.jobs.size());
    return found;
}

TEST(AppMix, SharesAreThoseAskedFor) {
    const std::pair<const char*, double> rows[] = {{"13", 12.5}, {"even", 12.5}, {"33", 33}, {"50", 50}, {"8:75", 75}};
    for (const auto& [mix, percent] : rows) {
        const auto found = percentages(mix);
        // 5000 draws: three standard errors.
        EXPECT_NEAR(found.at(8), percent, 3 * std::sqrt(percent * (100 - percent) / 5000)) << mix;
        for (int other = 1; other < 8; ++other) EXPECT_NEAR(found.at(other), (100 - percent) / 7, 1.5) << mix;
    }
    const auto both = percentages("1:60,2:40");
    EXPECT_EQ(both.size(), 2U);
}

TEST(AppMix, SameSeedSameApplicationsAndTheSameJobs) {
    Workload a = cirne(cirne_w1(), 3), b = a, c = a;
    ASSERT_TRUE(draw_applications(a, {}, kNumbers, 3));
    ASSERT_TRUE(draw_applications(b, {}, kNumbers, 3));
    ASSERT_TRUE(draw_applications(c, {}, kNumbers, 4));
    EXPECT_EQ(a.jobs, b.jobs);
    EXPECT_NE(a.jobs, c.jobs);
    for (std::size_t i = 0; i < a.jobs.size(); ++i) EXPECT_EQ(a.jobs[i].run, c.jobs[i].run);
}

TEST(AppMix, MistakesAreSentences) {
    const std::pair<const char*, const char*> rows[] = {
        {"", "'' is no share of an application; mixes look like even, or 8:33,1:10 (NUMBER:PERCENT)"},
        {"8:x", "'8:x' is no share of an application; mixes look like even, or 8:33,1:10 (NUMBER:PERCENT)"},
        {"8:-1", "'8:-1' is no share of an application; mixes look like even, or 8:33,1:10 (NUMBER:PERCENT)"},
        {"8:50,", "'' is no share of an application; mixes look like even, or 8:33,1:10 (NUMBER:PERCENT)"},
        {"8:60,1:50", "the shares in '8:60,1:50' sum up to 110 %"},
        {"8:1,8:2", "application 8 is given twice"},
    };
    for (const auto& [text, sentence] : rows) {
        const auto read = read_app_mix(text);
        ASSERT_FALSE(read) << text;
        EXPECT_EQ(read.error(), sentence);
    }
    Workload workload = cirne(cirne_w1(), 1);
    EXPECT_EQ(draw_applications(workload, {{9, 5}}, kNumbers, 1).error(), "there is no application 9 in the table");
    const int two[] = {1, 2};
    EXPECT_EQ(draw_applications(workload, {{1, 5}, {2, 5}}, two, 1).error(),
              "the shares of all applications sum up to 10 %");
}

}  // namespace
