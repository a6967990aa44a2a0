// SPDX-License-Identifier: BSD-3-Clause
// stats_json_test.cpp - reports are read as they were written; any other bytes are refused with their place; nodes
// merge.
#include "output/stats_json.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "metrics/loss.hpp"
#include "random_program.hpp"
#include "verbs/stats_merge.hpp"

namespace drom::command {

namespace {

StatsReport report_of(const std::string& node, double useful, const std::string& job = "7") {
    StatsReport report{{node}, 10, true, 0.001, {}};
    StatsProcess process{
        node, "heat.0", 42, 0, 1, 2000, 10, 0.5, metrics::budget_of({10, 1, {{useful, 10 - useful, 0}}})};
    report.applications.push_back({job, "heat", true, {process}});
    return report;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string refusal_of(const std::string& text) {
    const auto read = read_stats(text);
    return read ? "none" : read.error().text;
}

}  // namespace

TEST(StatsJson, WhatWasWrittenIsRead) {
    metrics::test::RandomProgram random(5);
    for (int i = 0; i < 200; ++i) {
        StatsReport report = report_of("n1", 3);
        for (const metrics::Share& share : random.program())
            report.applications[0].processes.push_back({"n2", "h", 100 + i, {}, 3, 9, 1, 2, share.budget});
        const auto read = read_stats(stats_json(report));
        ASSERT_TRUE(read) << read.error().text;
        const auto before = metrics::factors_of(shares_of(report.applications[0]));
        const auto after = metrics::factors_of(shares_of(read->applications[0]));
        EXPECT_NEAR(before.parallel_efficiency, after.parallel_efficiency, 1e-6);
        EXPECT_NEAR(before.mpi_load_balance_between_nodes, after.mpi_load_balance_between_nodes, 1e-6);
        EXPECT_EQ(read->applications[0].processes[0].rank, 0U);
    }
}

TEST(StatsJson, AReportWithoutSamplesHasNoFactors) {
    StatsReport report = report_of("n1", 3);
    report.applications[0].sampled = false;
    const std::string text = stats_json(report);
    EXPECT_NE(text.find("\"factors\":null,\"loss\":null"), std::string::npos) << text;
    const auto read = read_stats(text);
    ASSERT_TRUE(read) << read.error().text;
    EXPECT_FALSE(read->applications[0].sampled);
    EXPECT_NEAR(read->applications[0].processes[0].budget.owned, 10, 1e-9);
}

TEST(StatsJson, AMissingKeyOrAWrongTypeIsNamedWithItsPlace) {
    const std::string good = stats_json(report_of("n1", 3));
    const std::string process = "/applications/0/processes/0/";
    EXPECT_EQ(refusal_of(good), "none");
    EXPECT_EQ(refusal_of(replaced(good, "\"mpi_ns\"", "\"mpi\"")), process + "mpi_ns: it is missing");
    EXPECT_EQ(refusal_of(replaced(good, "drom.stats/1", "drom.list/1")), "/schema: it is not drom.stats/1");
    EXPECT_EQ(refusal_of(replaced(good, "\"pid\":42", "\"pid\":-1")),
              process + "pid: it is no whole number from 0 to 2147483647");
    EXPECT_EQ(refusal_of(replaced(good, "\"pid\":42", "\"pid\":4.5")),
              process + "pid: it is no whole number from 0 to 2147483647");
    EXPECT_EQ(refusal_of(replaced(good, "\"pid\":42", "\"pid\":99999999999999999999999")),
              process + "pid: it is no whole number from 0 to 2147483647");
    EXPECT_EQ(refusal_of(replaced(good, "\"mpi_ns\":7000000000", "\"mpi_ns\":18446744073709551615")),
              process + "mpi_ns: it is no whole number from 0 to 1000000000000000000");
    EXPECT_EQ(refusal_of(replaced(good, "\"mpi_ns\":7000000000", "\"mpi_ns\":6")),
              process + "owned_ns: it is not the sum of its parts");
    EXPECT_EQ(refusal_of(replaced(good, "\"sampled\":true", "\"sampled\":1")),
              "/applications/0/sampled: it is neither true nor false");
    EXPECT_EQ(refusal_of(replaced(good, "[\"n1\"]", "[7]")), "/nodes/0: it is no text");
    EXPECT_EQ(refusal_of(replaced(good, "\"job\":\"7\"", "\"job\":\"" + std::string(1000, 'x') + "\"")),
              "/applications/0/job: it is no text of at most 256 characters");
    for (const char* other : {"{}", "[]", "7", "null", "\"drom.stats/1\"", "{\"schema\":\"drom.stats/1\"}",
                              "{\"schema\":\"drom.stats/"
                              "1\",\"window_ns\":1,\"kernel\":true,\"cost_ns\":1,\"nodes\":[],\"applications\":[7]}"})
        EXPECT_NE(refusal_of(other), "none") << other;
}

TEST(StatsJson, BytesThatAreNoJsonAreNamedByLineAndColumn) {
    EXPECT_EQ(refusal_of(R"({"schema":"drom.stats/1","tables":[]})"),
              "/tables: it is of all users; give merge a file per table");
    EXPECT_EQ(refusal_of("{\n  \"schema\": NaN\n}"), "2:13: it is no JSON, or has a number that is too large");
    EXPECT_EQ(refusal_of("{\"window_ns\": 1e999}").substr(0, 5), "1:19:") << refusal_of("{\"window_ns\": 1e999}");
    for (const char* text : {"", "{", "}", "\"", "{\"a\":Infinity}", "\xff\xfe", "{\"a\":\"\xc3\"}", "nul"})
        EXPECT_NE(refusal_of(text).find("it is no JSON"), std::string::npos) << text;
    const std::string deep(2'000'000, '[');
    EXPECT_EQ(refusal_of(deep), "1:1: it is nested deeper than 16 levels");
    EXPECT_EQ(refusal_of("{\"x\":" + std::string(100, '[') + std::string(100, ']') + "}"),
              "1:1: it is nested deeper than 16 levels");
}

TEST(StatsJson, AnyChangeOfBytesIsReadOrRefused) {
    const std::string good = stats_json(report_of("n1", 3));
    std::mt19937 random(11);
    for (int i = 0; i < 5'000; ++i) {
        std::string text = good;
        for (unsigned changes = random() % 4 + 1; changes > 0; --changes)
            text[random() % text.size()] = static_cast<char>(random());
        const auto read = read_stats(text);
        if (!read) continue;
        for (const StatsApplication& application : read->applications) metrics::losses_of(shares_of(application));
        EXPECT_FALSE(stats_text(*read, 80).empty() && !read->applications.empty());
    }
}

TEST(StatsMerge, TheProgramOfTwoNodesHasTheirBalance) {
    const auto whole = merged({{"a", report_of("n1", 5)}, {"b", report_of("n2", 10)}});
    ASSERT_TRUE(whole) << whole.error().text;
    EXPECT_EQ(whole->nodes, (std::vector<std::string>{"n1", "n2"}));
    ASSERT_EQ(whole->applications.size(), 1U);
    const auto factors = metrics::factors_of(shares_of(whole->applications[0]));
    EXPECT_NEAR(factors.mpi_load_balance_between_nodes, 0.75, 1e-9);
    EXPECT_NEAR(factors.mpi_load_balance_within_nodes, 1, 1e-9);
    EXPECT_NE(stats_text(*whole, 80).find("between nodes"), std::string::npos);
    EXPECT_EQ(stats_text(*whole, 80).find("heat (job 7): 2 processes with 2.0 CPUs on 2 nodes, seen for 10.0 s\n"), 0U);
}

TEST(StatsMerge, OtherProgramsStayApart) {
    const auto whole = merged({{"a", report_of("n1", 5, "7")},
                               {"b", report_of("n2", 10, "8")},
                               {"c", report_of("n3", 1, "")},
                               {"d", report_of("n4", 1, "")}});
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->applications.size(), 3U);
}

TEST(StatsMerge, TheSameFileTwiceIsRefused) {
    const auto whole = merged({{"a", report_of("n1", 5)}, {"b", report_of("n1", 5)}});
    ASSERT_FALSE(whole);
    EXPECT_EQ(whole.error().text, "b: /applications/0/processes/0: process 42 of node n1 is there a second time");
}

TEST(StatsText, FitsEightyColumnsWhateverTheNames) {
    StatsReport report = report_of(std::string(64, 'n'), 3);
    report.applications[0].name = std::string(31, 'x');
    report.applications[0].processes[0].client = "a name\n\033[31m";
    const std::string text = stats_text(report, 80);
    EXPECT_EQ(text.find('\033'), std::string::npos);
    for (size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
        EXPECT_LE(end - begin, 80U) << text;
}

TEST(StatsCsv, AFieldWithACommaIsQuoted) {
    StatsReport report = report_of("n1", 3);
    report.applications[0].name = "a,\"b\"";
    const std::string text = stats_csv(report);
    EXPECT_NE(text.find("7,\"a,\"\"b\"\"\",1,1,10.000,10.000,10.000,0.3000,0.3000,"), std::string::npos) << text;
}

}  // namespace drom::command
