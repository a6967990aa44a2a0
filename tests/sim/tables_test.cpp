// SPDX-License-Identifier: BSD-3-Clause
// tables_test.cpp - tables and JSON can be read: whatever the names, also of nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "file_text.hpp"
#include "property.hpp"
#include "report/jobs_csv.hpp"
#include "report/summary_csv.hpp"
#include "report/summary_json.hpp"
#include "report/text_file.hpp"
#include "sample_outcomes.hpp"
#include "temp_dir.hpp"

namespace drom::sim {
namespace {

using drom::test::file_text;
using drom::test::holds;
using drom::test::TempDir;

/// Records of a table as RFC 4180 has them.
std::vector<std::vector<std::string>> records(const std::string& text) {
    std::vector<std::vector<std::string>> all(1, {""});
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::string& field = all.back().back();
        if (quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"')
            field += text[i++];
        else if (text[i] == '"')
            quoted = !quoted;
        else if (quoted || (text[i] != ',' && text[i] != '\n'))
            field += text[i];
        else if (text[i] == ',')
            all.back().emplace_back();
        else
            all.push_back({""});
    }
    all.pop_back();
    return all;
}

std::string field(const std::vector<std::vector<std::string>>& table, std::size_t row, const std::string& column) {
    const auto& heads = table.front();
    const auto at = static_cast<std::size_t>(std::find(heads.begin(), heads.end(), column) - heads.begin());
    return row < table.size() && at < table[row].size() ? table[row][at] : "no such field";
}

TEST(JobsCsv, HasANumberForEveryColumnThatAJobHas) {
    const TempDir folder;
    const Outcome baseline = baseline_outcome(), outcome = shared_outcome();
    ASSERT_TRUE(write_jobs_csv(folder.path() + "/jobs.csv", outcome, &baseline));
    const auto table = records(file_text(folder.path() + "/jobs.csv"));
    ASSERT_EQ(table.size(), 4U);
    for (const auto& row : table) EXPECT_EQ(row.size(), table.front().size());
    EXPECT_EQ(field(table, 2, "how"), "shared");
    EXPECT_EQ(field(table, 2, "mates"), "1");
    EXPECT_EQ(field(table, 2, "lent_cores"), "2");
    EXPECT_EQ(field(table, 2, "pi"), "1.3000");
    EXPECT_EQ(field(table, 2, "limit"), "inf");
    EXPECT_EQ(field(table, 2, "static_start"), "240");
    EXPECT_EQ(field(table, 2, "slowdown"), "2.0000");
    EXPECT_EQ(field(table, 2, "slowdown_stretched"), "1.0000");
    EXPECT_EQ(field(table, 1, "worse"), "1");
    EXPECT_EQ(field(table, 2, "worse"), "0");
    EXPECT_EQ(field(table, 1, "guests"), "1");
    EXPECT_EQ(field(table, 3, "refusal"), "no mates");
    EXPECT_EQ(field(table, 3, "mates"), "");
}

TEST(JobsCsv, HasDatesWhereTheLogsZeroIsKnown) {
    const TempDir folder;
    Outcome outcome = baseline_outcome();
    outcome.setting.provenance.zero = 1283292000;
    outcome.jobs[2].end = -1;
    ASSERT_TRUE(write_jobs_csv(folder.path() + "/jobs.csv", outcome));
    const auto table = records(file_text(folder.path() + "/jobs.csv"));
    EXPECT_EQ(field(table, 2, "submit_date"), "2010-08-31T22:00:10Z");
    EXPECT_EQ(field(table, 2, "start_date"), "2010-08-31T22:01:40Z");
    EXPECT_EQ(field(table, 3, "start_date"), "2010-09-01T23:00:00Z");
    EXPECT_EQ(field(table, 3, "end_date"), "");
}

TEST(JobsCsv, LeavesOutWhatHasNotHappened) {
    const TempDir folder;
    Outcome outcome = baseline_outcome();
    outcome.jobs[0].end = -1;
    outcome.jobs[1].start = outcome.jobs[1].end = -1;
    ASSERT_TRUE(write_jobs_csv(folder.path() + "/jobs.csv", outcome));
    const auto table = records(file_text(folder.path() + "/jobs.csv"));
    EXPECT_EQ(field(table, 1, "end"), "");
    EXPECT_EQ(field(table, 1, "wait"), "0");
    EXPECT_EQ(field(table, 1, "slowdown"), "");
    EXPECT_EQ(field(table, 2, "start"), "");
    EXPECT_EQ(field(table, 2, "wait"), "");
    EXPECT_EQ(field(table, 2, "how"), "");
    EXPECT_EQ(field(table, 3, "worse"), "");
    for (const auto& row : table) EXPECT_EQ(row.size(), table.front().size());
}

TEST(JobsCsv, HasTheNodesThatWereKept) {
    const TempDir folder;
    Outcome outcome = baseline_outcome();
    const auto written = [&] {
        EXPECT_TRUE(write_jobs_csv(folder.path() + "/jobs.csv", outcome));
        return records(file_text(folder.path() + "/jobs.csv"));
    };
    EXPECT_EQ(field(written(), 1, "node_list"), "");
    outcome.nodes = {policy::NodeSet(0, 2), policy::NodeSet(3, 1), policy::NodeSet(1, 1)};
    outcome.nodes[1].insert(policy::NodeSet(8, 4));
    outcome.jobs[2].start = outcome.jobs[2].end = -1;
    const auto table = written();
    EXPECT_EQ(field(table, 1, "node_list"), "0-1");
    EXPECT_EQ(field(table, 2, "node_list"), "3,8-11");
    EXPECT_EQ(field(table, 3, "node_list"), "");
}

TEST(JobsCsv, KeepsItsDecimalsForAnyNumber) {
    EXPECT_TRUE(holds("decimals", [] {
        const TempDir folder;
        Outcome outcome = baseline_outcome();
        outcome.jobs.resize(1);
        outcome.jobs[0].run = *rc::gen::inRange<Seconds>(0, 1000000);
        outcome.jobs[0].end = outcome.jobs[0].start + *rc::gen::inRange<Seconds>(0, 100000000);
        RC_ASSERT(write_jobs_csv(folder.path() + "/jobs.csv", outcome).has_value());
        const auto table = records(file_text(folder.path() + "/jobs.csv"));
        const double wanted = static_cast<double>(outcome.jobs[0].response()) /
                              static_cast<double>(std::max<Seconds>(1, outcome.jobs[0].run));
        RC_ASSERT(std::abs(std::stod(field(table, 1, "slowdown")) - wanted) <= 0.5001e-4);
    }));
}

TEST(DecisionsCsv, SaysWhyInOneSentence) {
    const TempDir folder;
    ASSERT_TRUE(write_decisions_csv(folder.path() + "/decisions.csv", shared_outcome()));
    const auto table = records(file_text(folder.path() + "/decisions.csv"));
    ASSERT_EQ(table.size(), 4U);
    EXPECT_EQ(field(table, 2, "decision"),
              "job 2 (2 nodes, 50 s requested) joined job 1 after 0 s, on 2 of 4 cores of each node; alone it was to "
              "start 230 s later, at 240; "
              "PI 1.30, without a limit");
    EXPECT_EQ(field(table, 3, "decision"),
              "job 3 (1 node, 300 s requested) started in order after 0 s; did not share before: no mates");
}

TEST(DecisionsCsv, KnowsWhenNoStartAloneWasInSight) {
    Outcome outcome = shared_outcome();
    outcome.jobs[1].joined.edit().static_start = policy::kNever;
    EXPECT_NE(decision_sentence(outcome.jobs[1], outcome.setting).find("; no start alone was in sight;"),
              std::string::npos);
}

TEST(SummaryCsv, HasARowPerSettingAndAColumnPerParameter) {
    const Outcome baseline = baseline_outcome();
    const std::vector<SummaryRow> rows = {
        {"slurm", "slurm", "", digest(baseline)},
        {"sd:max_slowdown=10,max_mates=2", "sd", "7", digest(shared_outcome(), &baseline)},
        {"none", "", "", digest(Outcome())}};
    const auto table = records(summary_csv(rows));
    ASSERT_EQ(table.size(), 4U);
    for (const auto& row : table) EXPECT_EQ(row.size(), table.front().size());
    EXPECT_EQ(field(table, 2, "setting"), "sd:max_slowdown=10,max_mates=2");
    EXPECT_EQ(field(table, 2, "workload_seed"), "7");
    EXPECT_EQ(field(table, 2, "makespan"), "90300");
    EXPECT_EQ(field(table, 2, "slowdown_mean"), "1.5");
    EXPECT_EQ(field(table, 2, "max_slowdown"), "10");
    EXPECT_EQ(field(table, 1, "max_slowdown"), "");
    EXPECT_EQ(field(table, 1, "worse_wait"), "");
    EXPECT_EQ(field(table, 2, "worse_wait"), "0");
    EXPECT_EQ(field(table, 3, "jobs"), "0");
    EXPECT_EQ(field(table, 3, "wait_mean"), "");
}

TEST(Files, ThatCannotBeWrittenAreASentence) {
    const auto nowhere = write_jobs_csv("/nowhere/jobs.csv", baseline_outcome());
    ASSERT_FALSE(nowhere);
    EXPECT_EQ(nowhere.error(),
              "drom-sim: write /nowhere/jobs.csv: No such file or directory; make the folder first, or write somewhere "
              "else with --out");
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
    const auto full = write_jobs_csv("/dev/full", baseline_outcome());
    ASSERT_FALSE(full);
    EXPECT_EQ(
        full.error(),
        "drom-sim: write /dev/full: No space left on device; free some space, or write somewhere else with --out");
    EXPECT_FALSE(write_text("/dev/full", "text"));
}

// ---- JSON ------------------------------------------------------------------------------------------------------

TEST(SummaryJson, HasTheNumbersUnderTheirNames) {
    const Outcome baseline = baseline_outcome();
    const auto json = nlohmann::json::parse(summary_json(digest(shared_outcome(), &baseline)));
    for (const char* key :
         {"wait_mean", "response_mean", "slowdown_mean", "bounded_slowdown_mean", "makespan", "utilisation"})
        EXPECT_TRUE(json.at(key).is_number()) << key;
    EXPECT_EQ(json.at("malleable_starts"), 1);
    EXPECT_EQ(json.at("mates"), 1);
    EXPECT_EQ(json.at("jobs"), 3);
    EXPECT_EQ(json.at("makespan"), 90300);
    EXPECT_DOUBLE_EQ(json.at("slowdown_mean"), (1.5 + 2 + 1) / 3);
    EXPECT_EQ(json.at("slowdown").at("p50"), 1.5);
    EXPECT_DOUBLE_EQ(json.at("worse").at("slowdown"), 1.0 / 3);
    EXPECT_EQ(json.at("interrupted"), false);
    EXPECT_EQ(json.at("setting").at("parameters").at("max_slowdown"), "10");
    EXPECT_EQ(json.at("setting").at("command"), "drom-sim --swf log --policy sd --max_slowdown 10");
}

TEST(SummaryJson, OfNothingHasNulls) {
    const auto json = nlohmann::json::parse(summary_json(digest(Outcome())));
    for (const char* key : {"wait_mean", "response_mean", "slowdown_mean", "bounded_slowdown_mean", "makespan",
                            "utilisation", "slowdown"})
        EXPECT_TRUE(json.at(key).is_null()) << key;
    EXPECT_EQ(json.at("jobs"), 0);
    EXPECT_EQ(json.at("malleable_starts"), 0);
}

TEST(SummaryJson, NamesTheInputAndTheProgram) {
    Outcome outcome = baseline_outcome();
    const auto unknown = nlohmann::json::parse(summary_json(digest(outcome))).at("provenance");
    for (const char* key : {"program_sha256", "log_sha256", "unix_start"})
        EXPECT_TRUE(unknown.at(key).is_null()) << key;
    outcome.setting.provenance = {"0.1.0", "aa", "bb", {"1 job is odd"}, 1283292000};
    const auto known = nlohmann::json::parse(summary_json(digest(outcome))).at("provenance");
    EXPECT_EQ(known.at("version"), "0.1.0");
    EXPECT_EQ(known.at("program_sha256"), "aa");
    EXPECT_EQ(known.at("log_sha256"), "bb");
    EXPECT_EQ(known.at("unix_start"), 1283292000);
    EXPECT_EQ(known.at("repairs").at(0), "1 job is odd");
}

TEST(SummaryJson, TakesNamesThatAreNoText) {
    Outcome outcome = baseline_outcome();
    outcome.setting.workload = "log \xff\xfe \"quoted\"";
    EXPECT_TRUE(nlohmann::json::accept(summary_json(digest(outcome))));
}

TEST(SummaryJson, OfSeveralIsAnArray) {
    const std::vector<Digest> digests = {digest(baseline_outcome()), digest(shared_outcome())};
    EXPECT_EQ(nlohmann::json::parse(summaries_json(digests)).size(), 2U);
}

}  // namespace
}  // namespace drom::sim
