// SPDX-License-Identifier: BSD-3-Clause
// series_test.cpp - sums over steps are those of single seconds, and days and steps become rows.
#include "report/series_csv.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "file_text.hpp"
#include "property.hpp"
#include "report/step_sums.hpp"
#include "sample_outcomes.hpp"
#include "temp_dir.hpp"

namespace drom::sim {
namespace {

using drom::test::file_text;
using drom::test::holds;
using drom::test::TempDir;

TEST(StepSums, AreThoseOfSingleSeconds) {
    EXPECT_TRUE(holds("steps", [] {
        const Seconds begin = *rc::gen::inRange<Seconds>(-50, 50), step = *rc::gen::inRange<Seconds>(1, 12);
        const Seconds end = begin + *rc::gen::inRange<Seconds>(0, 100);
        StepSums sums(begin, step, end);
        std::vector<double> naive(static_cast<std::size_t>((end - begin + step - 1) / step));
        const int count = *rc::gen::inRange(0, 8);
        for (int i = 0; i < count; ++i) {
            const Seconds from = *rc::gen::inRange<Seconds>(-80, 180), to = *rc::gen::inRange<Seconds>(-80, 180);
            const int amount = *rc::gen::inRange(-3, 9);
            sums.add(from, to, amount);
            for (Seconds now = std::max(from, begin); now < std::min(to, end); ++now)
                naive[static_cast<std::size_t>((now - begin) / step)] += amount;
        }
        RC_ASSERT(sums.each() == naive);
    }));
}

TEST(SeriesCsv, HasARowPerStep) {
    const TempDir folder;
    Outcome outcome = baseline_outcome();
    outcome.setting.provenance.zero = 1283292000;
    outcome.jobs.pop_back();  // the other two: 2 nodes of 2 from 0 to 150, one job waits from 10 to 100
    const Digest all = digest(outcome);
    ASSERT_TRUE(write_series_csv(folder.path() + "/series.csv", outcome, all));
    const std::string text = file_text(folder.path() + "/series.csv");
    EXPECT_TRUE(
        text.starts_with("from,to,allocated,busy_nodes,running,waiting,waiting_nodes,watts,watts_with_idle,from_date\n"
                         "0,1,1.0000,2.0000,1.0000,0.0000,0.0000,,,2010-08-31T22:00:00Z\n"))
        << text;
    EXPECT_NE(text.find("\n99,100,1.0000,2.0000,1.0000,1.0000,2.0000,,,"), std::string::npos);
    EXPECT_NE(text.find("\n149,150,1.0000,2.0000,1.0000,0.0000,0.0000,,,"), std::string::npos);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 151);
    ASSERT_TRUE(write_series_csv(folder.path() + "/none.csv", Outcome(), digest(Outcome())));
    EXPECT_EQ(file_text(folder.path() + "/none.csv"), text.substr(0, text.find('\n') + 1));
}

// A simulation that was stopped: one job runs on, and another one has not started.
TEST(SeriesCsv, HasJobsThatDidNotEnd) {
    const TempDir folder;
    Outcome outcome = baseline_outcome();
    outcome.jobs = {job(1, 0, 0, 100, 1), job(2, 10, 20, 0, 1), job(3, 50, 0, 0, 1)};
    outcome.jobs[1].end = outcome.jobs[2].start = outcome.jobs[2].end = -1;
    ASSERT_TRUE(write_series_csv(folder.path() + "/series.csv", outcome, digest(outcome)));
    const std::string text = file_text(folder.path() + "/series.csv");
    EXPECT_NE(text.find("\n19,20,0.5000,1.0000,1.0000,1.0000,1.0000,"), std::string::npos) << text;
    EXPECT_NE(text.find("\n99,100,1.0000,2.0000,2.0000,1.0000,1.0000,"), std::string::npos);
}

TEST(DaysCsv, HasARowPerDayOfTheCalendar) {
    const TempDir folder;
    Outcome outcome = shared_outcome();
    ASSERT_TRUE(write_days_csv(folder.path() + "/days.csv", digest(outcome)));
    EXPECT_EQ(file_text(folder.path() + "/days.csv"),
              "from,jobs,slowdown,malleable_starts,from_date\n0,2,1.7500,1,\n86400,1,1.0000,0,\n");
    outcome.setting.provenance.zero = 1283292000;  // at 22:00
    ASSERT_TRUE(write_days_csv(folder.path() + "/days.csv", digest(outcome)));
    EXPECT_EQ(file_text(folder.path() + "/days.csv"),
              "from,jobs,slowdown,malleable_starts,from_date\n-79200,2,1.7500,1,2010-08-31T00:00:00Z\n"
              "7200,1,1.0000,0,2010-09-01T00:00:00Z\n");
}

}  // namespace
}  // namespace drom::sim
