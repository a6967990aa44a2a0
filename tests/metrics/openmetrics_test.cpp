// SPDX-License-Identifier: BSD-3-Clause
// openmetrics_test.cpp - every loss has its series, and no series is there twice or without a measurement.
#include "output/openmetrics.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "output/replaced_file.hpp"
#include "random_program.hpp"

namespace drom::command {

namespace {

NodeMetrics one_process(const std::string& client, const std::string& job) {
    NodeMetrics metrics;
    metrics.clients = {{client, job, 42, {}, 3, 0.5}};
    metrics.report = {{"n1"}, 10, true, 0.001, {}};
    StatsProcess process{"n1", client, 42, {}, 1, 2000, 10, 0.5, metrics::budget_of({10, 2, {{12, 1, 2}}})};
    metrics.report.applications.push_back({job, client, true, {process}});
    return metrics;
}

/// Returns the values by series, name and labels. A series that is there twice is a failure.
std::map<std::string, double> series_of(const std::string& text) {
    std::map<std::string, double> found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with('#')) continue;
        const size_t end = line.rfind(' ');
        EXPECT_TRUE(found.emplace(line.substr(0, end), std::stod(line.substr(end + 1))).second) << line;
    }
    return found;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST(OpenMetrics, NamesOfProgramsAreQuoted) {
    const std::string text = openmetrics_text(one_process("a\"b\\c\nd", "7.0"));
    EXPECT_TRUE(has(text, R"(drom_cpus_owned{job="7.0",client="a\"b\\c?d",pid="42"} 2)")) << text;
    EXPECT_TRUE(text.ends_with("# EOF\n"));
}

TEST(OpenMetrics, ARequestThatIsNotReleasedHasNoTime) {
    NodeMetrics metrics = one_process("heat", "");
    EXPECT_TRUE(has(openmetrics_text(metrics), R"(drom_last_release_seconds{job="",client="heat",pid="42"} 0.5)"));
    metrics.clients[0].release_s.reset();
    const std::string text = openmetrics_text(metrics);
    EXPECT_FALSE(has(text, "drom_last_release_seconds{")) << text;
    EXPECT_TRUE(has(text, R"(drom_requests_total{job="",client="heat",pid="42"} 3)")) << text;
}

TEST(OpenMetrics, AProgramThatCouldNotBeSampledHasItsCpuUseOnly) {
    NodeMetrics metrics = one_process("heat", "7");
    metrics.report.applications[0].sampled = false;
    const std::string text = openmetrics_text(metrics);
    EXPECT_TRUE(has(text, "drom_cpus_busy{"));
    for (const char* name : {"drom_cpus_useful{", "drom_cpus_lost{", "drom_cpus_awaited{", "efficiency{", "balance{"})
        EXPECT_FALSE(has(text, name)) << text;
}

TEST(OpenMetrics, TextsOfUsersAreOneWithEachFamilyOnce) {
    const std::string ana = openmetrics_text(one_process("heat", "7.0"));
    const std::string ben = openmetrics_text(one_process("cold", ""));
    const std::string text = openmetrics_of_users({{"ana", ana}, {"b\"n", ben}, {"eve", ""}});
    EXPECT_TRUE(has(text, R"(drom_table_up{user="eve"} 0)")) << text;
    EXPECT_TRUE(has(text, R"(drom_table_up{user="ana"} 1)"));
    EXPECT_TRUE(has(text, R"(drom_clients{user="ana"} 1)"));
    EXPECT_TRUE(has(text, R"(drom_cpus_owned{user="b\"n",job="",client="cold",pid="42"} 2)"));
    EXPECT_EQ(series_of(text).size(), 3 + series_of(ana).size() + series_of(ben).size());
    std::istringstream lines(text);
    std::set<std::string> headings;
    std::string family;
    for (std::string line; std::getline(lines, line);) {
        const bool heads = line.starts_with('#');
        if (line.starts_with("# TYPE ")) family = line.substr(7, line.find(' ', 7) - 7);
        EXPECT_TRUE(heads ? headings.insert(line).second : line.starts_with(family)) << line;
    }
    EXPECT_TRUE(text.ends_with("\n# EOF\n"));
    EXPECT_TRUE(openmetrics_of_users({}).ends_with("\n# EOF\n"));
}

TEST(OpenMetrics, UsefulAndLostCpusAreThoseOwned) {
    metrics::test::RandomProgram random(7);
    for (int i = 0; i < 300; ++i) {
        NodeMetrics metrics = one_process("heat", "7");
        pid_t pid = 100;
        for (const metrics::Share& share : random.program()) {
            metrics::Budget budget = share.budget;
            budget.owned -= budget.serialization;  // is not seen from outside
            budget.serialization = 0;
            metrics.report.applications[0].processes.push_back({"n1", "heat", pid++, {}, 3, 9, 1, 2, budget});
        }
        std::map<std::string, double> sums;
        std::smatch found;
        for (const auto& [series, value] : series_of(openmetrics_text(metrics))) {
            if (!std::regex_search(series, found, std::regex("^drom_cpus_(owned|useful|lost).*pid=\"([0-9]+)\"")))
                continue;
            sums[found[2]] += found[1] == "owned" ? value : -value;
        }
        ASSERT_EQ(sums.size(), metrics.report.applications[0].processes.size());
        for (const auto& [name, rest] : sums) EXPECT_NEAR(rest, 0, 1e-6) << name;
    }
}

TEST(OpenMetrics, TwoProgramsOfOneNameAreTwoSeries) {
    NodeMetrics metrics = one_process("heat", "");
    metrics.report.applications.push_back(metrics.report.applications[0]);
    metrics.report.applications[1].processes[0].pid = 43;
    metrics.clients.push_back({"heat", "", 43, 1, 0, {}});
    EXPECT_TRUE(has(openmetrics_text(metrics), R"(drom_requests_total{job="",client="heat",pid="43",rank="1"} 0)"));
    series_of(openmetrics_text(metrics));
}

class ReplacedFile : public ::testing::Test {
protected:
    void SetUp() override {
        char folder[] = "/tmp/drom-replaced-XXXXXX";
        ASSERT_NE(mkdtemp(folder), nullptr);
        folder_ = folder;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::string path() const { return folder_ + "/drom.prom"; }
    [[nodiscard]] std::string contents() const {
        std::ifstream file(path());
        return {std::istreambuf_iterator<char>(file), {}};
    }
    [[nodiscard]] size_t files() const {
        size_t count = 0;
        for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_)) ++count;
        return count;
    }

    std::string folder_;
};

TEST_F(ReplacedFile, IsReplacedAsAWholeForAllToRead) {
    const mode_t before = umask(077);
    ASSERT_TRUE(replace_file(path(), "one\n", kForAllToRead));
    ASSERT_TRUE(replace_file(path(), "two\n", kForAllToRead));
    umask(before);
    struct stat info{};
    ASSERT_EQ(stat(path().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0644U);
    EXPECT_EQ(contents(), "two\n");
    EXPECT_EQ(files(), 1U);
}

TEST_F(ReplacedFile, APlaceThatIsNoFileIsRefusedAndLeftAlone) {
    EXPECT_EQ(replace_file(folder_, "one\n", kForAllToRead).error().text,
              folder_ + ": it is no regular file; name one that may be replaced");
    EXPECT_EQ(can_replace(folder_ + "/none/drom.prom").error().text,
              folder_ + "/none/drom.prom: it cannot be written: No such file or directory");
    EXPECT_EQ(files(), 0U);
}

}  // namespace drom::command
