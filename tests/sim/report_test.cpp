// SPDX-License-Identifier: BSD-3-Clause
// report_test.cpp - what is written can be read: tables, JSON, pages; whatever the names, also of nothing, and the same
// each time.
#include "report/report.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "job_outcome.hpp"
#include "property.hpp"
#include "report/axis.hpp"
#include "report/jobs_csv.hpp"
#include "report/labels.hpp"
#include "report/numbers.hpp"
#include "report/summary_csv.hpp"
#include "report/summary_json.hpp"
#include "report/svg.hpp"
#include "report/text_file.hpp"
#include "temp_dir.hpp"

namespace drom::sim {
namespace {

using drom::test::holds;
using drom::test::TempDir;

Outcome baseline_outcome() {
    Outcome outcome;
    outcome.setting = {"log", "slurm", "drom-sim --swf log --policy slurm",
                       2,     4,       {{"bf_interval", "30"}, {"model", "ideal"}}};
    outcome.jobs = {job(1, 0, 0, 100, 2), job(2, 10, 100, 150, 2), job(3, 90000, 90000, 90300, 1)};
    return outcome;
}

/// Job 2 joined job 1.
Outcome shared_outcome(const std::string& limit = "10", const std::string& model = "ideal") {
    Outcome outcome = baseline_outcome();
    outcome.setting.policy = "sd";
    outcome.setting.command = "drom-sim --swf log --policy sd --max_slowdown " + limit;
    outcome.setting.parameters = {{"bf_interval", "30"}, {"max_slowdown", limit}, {"model", model}};
    outcome.jobs[0].end = 150;
    outcome.jobs[0].hosted = true;
    outcome.jobs[0].guests = 1;
    JobOutcome& guest = outcome.jobs[1];
    guest.start = 10;
    guest.end = 110;
    guest.how = policy::How::kShared;
    guest.mates = {1};
    guest.lent_cores = 2;
    guest.index = 1.3;
    guest.limit = std::numeric_limits<double>::infinity();
    guest.static_start = 240;
    outcome.jobs[2].refusal = policy::Refusal::kNoMates;
    outcome.stretches = {{0, policy::NodeSet(0, 2), 4, 0, 10},
                         {0, policy::NodeSet(0, 2), 2, 10, 110},
                         {1, policy::NodeSet(0, 2), 2, 10, 110},
                         {0, policy::NodeSet(0, 2), 4, 110, 150}};
    return outcome;
}

Case case_of(const Outcome& outcome, const Outcome* baseline = nullptr,
             std::optional<std::size_t> number = std::nullopt) {
    Case of;
    of.digest = digest(outcome, baseline);
    of.baseline = number;
    return of;
}

ReportInput compared() {
    const Outcome baseline = baseline_outcome();
    ReportInput input;
    input.command = "drom-sim compare --swf log";
    input.cases = {case_of(baseline), case_of(shared_outcome(), &baseline, 0)};
    return input;
}

std::string text_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

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

/// The tag that begins at `at`, up to its `>`; a `<` or the end of the page before that: empty.
std::string tag_at(const std::string& html, std::size_t at) {
    char quote = 0;
    for (std::size_t i = at + 1; i < html.size(); ++i) {
        if (html[i] == '<') return {};
        if (quote != 0)
            quote = html[i] == quote ? '\0' : quote;
        else if (html[i] == '"' || html[i] == '\'')
            quote = html[i];
        else if (html[i] == '>')
            return html.substr(at, i - at + 1);
    }
    return {};
}

/// Every attribute has a value in quotes.
bool attributes_are_sound(const std::string& tag) {
    bool inside = false;
    for (std::size_t i = 0; i < tag.size(); ++i) {
        if (tag[i] == '"')
            inside = !inside;
        else if (!inside && tag[i] == '=' && tag[i + 1] != '"')
            return false;
        else if (!inside && tag[i] == ' ' && tag.find_first_of("= />", i + 1) != tag.find('=', i + 1))
            return false;
    }
    return !inside;
}

bool entity_at(const std::string& html, std::size_t at) {
    for (const char* entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"})
        if (html.compare(at, std::strlen(entity), entity) == 0) return true;
    return false;
}

/// Empty, or what is wrong: tags that do not match, an attribute without quotes, a bare ampersand.
std::string what_is_wrong(const std::string& html) {
    std::vector<std::string> open;
    for (std::size_t at = html.find_first_of("<&"); at != std::string::npos; at = html.find_first_of("<&", at + 1)) {
        const std::string here = "at " + std::to_string(at) + ": " + html.substr(at, 60);
        if (html[at] == '&' && !entity_at(html, at)) return here;
        if (html[at] == '&' || html.compare(at, 9, "<!DOCTYPE") == 0) continue;
        const std::string tag = tag_at(html, at);
        if (tag.size() < 3 || !attributes_are_sound(tag)) return here;
        const bool closes = tag[1] == '/';
        const std::string name =
            tag.substr(closes ? 2 : 1, tag.find_first_of(" \n/>", closes ? 2 : 1) - (closes ? 2 : 1));
        if (tag[tag.size() - 2] == '/') continue;
        if (!closes)
            open.push_back(name);
        else if (open.empty() || open.back() != name)
            return here;
        else
            open.pop_back();
    }
    return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

/// The first attribute of a drawing that is no number where it should be one.
std::string bad_number(const std::string& html) {
    static const std::set<std::string> kNumbers = {"x",  "y",  "x1", "x2",     "y1", "y2",      "width",    "height",
                                                   "cx", "cy", "r",  "points", "d",  "viewBox", "font-size"};
    for (std::size_t at = html.find("=\""); at != std::string::npos; at = html.find("=\"", at + 1)) {
        const std::size_t begin = html.rfind(' ', at) + 1, end = html.find('"', at + 2);
        if (!kNumbers.contains(html.substr(begin, at - begin))) continue;
        const std::string value = html.substr(at + 2, end - at - 2);
        if (value.empty() || value.find_first_not_of("-0123456789. ,Mhvz") != std::string::npos)
            return html.substr(begin, end - begin);
    }
    return {};
}

void expect_sound(const std::string& html) {
    EXPECT_EQ(what_is_wrong(html), "");
    EXPECT_EQ(bad_number(html), "");
    EXPECT_EQ(html.find("<script"), std::string::npos);
    for (const char* elsewhere : {" src=", " href=", "url(", "@import"})
        EXPECT_EQ(html.find(elsewhere), std::string::npos) << elsewhere;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// ---- tables ----------------------------------------------------------------------------------------------------

TEST(JobsCsv, HasANumberForEveryColumnThatAJobHas) {
    const TempDir folder;
    const Outcome baseline = baseline_outcome(), outcome = shared_outcome();
    ASSERT_TRUE(write_jobs_csv(folder.path() + "/jobs.csv", outcome, &baseline));
    const auto table = records(text_of(folder.path() + "/jobs.csv"));
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
    const auto table = records(text_of(folder.path() + "/jobs.csv"));
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
    const auto table = records(text_of(folder.path() + "/jobs.csv"));
    EXPECT_EQ(field(table, 1, "end"), "");
    EXPECT_EQ(field(table, 1, "wait"), "0");
    EXPECT_EQ(field(table, 1, "slowdown"), "");
    EXPECT_EQ(field(table, 2, "start"), "");
    EXPECT_EQ(field(table, 2, "wait"), "");
    EXPECT_EQ(field(table, 2, "how"), "");
    EXPECT_EQ(field(table, 3, "worse"), "");
    for (const auto& row : table) EXPECT_EQ(row.size(), table.front().size());
}

TEST(JobsCsv, KeepsItsDecimalsForAnyNumber) {
    EXPECT_TRUE(holds("decimals", [] {
        const TempDir folder;
        Outcome outcome = baseline_outcome();
        outcome.jobs.resize(1);
        outcome.jobs[0].run = *rc::gen::inRange<Seconds>(0, 1000000);
        outcome.jobs[0].end = outcome.jobs[0].start + *rc::gen::inRange<Seconds>(0, 100000000);
        RC_ASSERT(write_jobs_csv(folder.path() + "/jobs.csv", outcome).has_value());
        const auto table = records(text_of(folder.path() + "/jobs.csv"));
        const double wanted = static_cast<double>(outcome.jobs[0].response()) /
                              static_cast<double>(std::max<Seconds>(1, outcome.jobs[0].run));
        RC_ASSERT(std::abs(std::stod(field(table, 1, "slowdown")) - wanted) <= 0.5001e-4);
    }));
}

TEST(DecisionsCsv, SaysWhyInOneSentence) {
    const TempDir folder;
    ASSERT_TRUE(write_decisions_csv(folder.path() + "/decisions.csv", shared_outcome()));
    const auto table = records(text_of(folder.path() + "/decisions.csv"));
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
    outcome.jobs[1].static_start = policy::kNever;
    EXPECT_TRUE(has(decision_sentence(outcome.jobs[1], 4), "; no start alone was in sight;"));
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

// ---- numbers and marks -----------------------------------------------------------------------------------------

TEST(Numbers, AreAsPeopleReadThem) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(9999), "9999");
    EXPECT_EQ(grouped(10000), "10\u202f000");
    EXPECT_EQ(grouped(-1234567), "\u22121\u202f234\u202f567");
    EXPECT_EQ(grouped(std::numeric_limits<std::int64_t>::min()).substr(0, 3), "\u2212");
    EXPECT_EQ(readable(0.1234), "0.123");
    EXPECT_EQ(readable(1.005), "1.00");
    EXPECT_EQ(readable(12.34), "12.3");
    EXPECT_EQ(readable(999.7), "1000");
    EXPECT_EQ(readable(43537.2), "43\u202f537");
    EXPECT_EQ(readable(std::nan("")), "\u2013");
    EXPECT_EQ(duration(45), "45\u00a0s");
    EXPECT_EQ(duration(43537), "12\u00a0h");
    EXPECT_EQ(duration(90 * 60), "90\u00a0min");
    EXPECT_EQ(duration(21615111), "250\u00a0d");
    EXPECT_EQ(change(0.743), "\u221226\u00a0%");
    EXPECT_EQ(change(1.15), "+15\u00a0%");
    EXPECT_EQ(change(1), "\u00b10\u00a0%");
    EXPECT_EQ(ratio_text(5.69), "5.69");
    EXPECT_EQ(ratio_text(0.001), "<0.01");
}

TEST(Marks, AreRoundAndCoverTheRange) {
    EXPECT_TRUE(holds("marks", [] {
        const double max = *rc::gen::inRange(1, 1000000) / 100.0;
        const auto marks = marks_from_zero(max, 5);
        RC_ASSERT(marks.front().number == 0);
        RC_ASSERT(marks.back().number >= max * (1 - 1e-6));
        RC_ASSERT(marks.size() <= 7U);
    }));
    EXPECT_EQ(marks_from_zero(0, 5).size(), 2U);
    EXPECT_EQ(time_marks(0, 7200, 10)[1].text, "00:15");
    EXPECT_EQ(time_marks(86400 - 3600, 86400 + 3600, 10).front().text, "0 d 23:00");
}

// ---- drawings and pages ----------------------------------------------------------------------------------------

TEST(Svg, EscapesWhateverATextHolds) {
    EXPECT_EQ(escaped("<a href='x'>&\"</a>"), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;&lt;/a&gt;");
    EXPECT_EQ(escaped("\x01 \xff \xe2\x82 \u202f"), "\ufffd \ufffd \ufffd\ufffd \u202f");
    EXPECT_EQ(fitting("a long name", 1000), "a long name");
    EXPECT_EQ(fitting("\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4", 33), "\u00e4\u00e4\u2026");
}

TEST(Svg, NeverHoldsANumberThatIsNone) {
    Svg svg(std::nan(""), "title", "");
    svg.box(std::nan(""), 1, std::numeric_limits<double>::infinity(), -5, kInk);
    svg.text({std::nan(""), 0}, "text");
    EXPECT_EQ(bad_number(svg.finish(10)), "");
}

TEST(Soundness, IsNoticedWhenItIsMissing) {
    EXPECT_EQ(what_is_wrong("<p class=\"a\">1 &lt; 2<br/></p>"), "");
    for (const char* wrong :
         {"<p>", "</p>", "<p><b></p></b>", "<p a=b></p>", "<p a></p>", "1 & 2", "1 < 2", "<p a=\"<\"></p>"})
        EXPECT_NE(what_is_wrong(wrong), "") << wrong;
    EXPECT_EQ(bad_number("<rect x=\"nan\"/>"), "x=\"nan");
}

TEST(Report, ShowsWhatThereIsAndNothingElse) {
    const std::string html = html_report(compared());
    expect_sound(html);
    for (const char* part : {"Against the baseline", "Ratio of slowdown", "Ratio of wait",
                             "Slowdown and malleable starts per day", "Who had which nodes",
                             "drom-sim compare --swf log", "drom-sim --swf log --policy sd --max_slowdown 10", "p99"})
        EXPECT_TRUE(has(html, part)) << part;
    EXPECT_FALSE(has(html, "By the model of run times"));
    EXPECT_FALSE(has(html, "Sweep over"));
    EXPECT_FALSE(has(html, "Repairs of the log"));
}

TEST(Report, EveryFigureHasACommand) {
    const std::string html = html_report(compared());
    std::size_t figures = 0;
    for (std::size_t at = html.find("<figure>"); at != std::string::npos; at = html.find("<figure>", at + 1)) {
        ++figures;
        EXPECT_TRUE(has(html.substr(at, html.find("</figure>", at) - at), "<code><span>drom-sim</span>"))
            << html.substr(at, 80);
    }
    EXPECT_GE(figures, 6U);
}

TEST(Report, DrawsModelsAndSweeps) {
    const Outcome baseline = baseline_outcome();
    ReportInput input = compared();
    input.varied = "max_slowdown";
    input.cases[1].value = "10";
    input.cases.push_back(case_of(shared_outcome("inf"), &baseline, 0));
    input.cases.back().value = "inf";
    input.cases.push_back(case_of(shared_outcome("10", "worst"), &baseline, 0));
    const std::string html = html_report(input);
    expect_sound(html);
    EXPECT_TRUE(has(html, "Sweep over max_slowdown"));
    EXPECT_TRUE(has(html, "By the model of run times"));
    EXPECT_TRUE(has(html, "sd, max_slowdown inf, model ideal"));
}

TEST(Report, SweepsOverSeveralWorkloads) {
    ReportInput input;
    input.varied = "malleable_share";
    for (const char* workload : {"first", "second"}) {
        Outcome baseline = baseline_outcome();
        baseline.setting.workload = workload;
        const std::size_t number = input.cases.size();
        input.cases.push_back(case_of(baseline));
        for (const char* share : {"0", "0.5", "1"}) {
            Outcome outcome = shared_outcome();
            outcome.setting.workload = workload;
            input.cases.push_back(case_of(outcome, &baseline, number));
            input.cases.back().value = share;
        }
    }
    const std::string html = html_report(input);
    expect_sound(html);
    EXPECT_TRUE(has(html, "mean slowdown / baseline&#39;s"));
    EXPECT_TRUE(has(html, "first: sd"));
    EXPECT_TRUE(has(html, "second: sd"));
}

TEST(Report, OfNothingIsAPage) {
    expect_sound(html_report({}));
    ReportInput input;
    const Outcome empty;
    input.cases = {case_of(empty), case_of(empty, &empty, 0)};
    const std::string html = html_report(input);
    expect_sound(html);
    EXPECT_FALSE(has(html, "<figure>"));
}

TEST(Report, SaysThatItWasStopped) {
    ReportInput input = compared();
    input.cases[1].digest.interrupted = true;
    input.cases[1].digest.metrics.unended = 2;
    const std::string html = html_report(input);
    EXPECT_TRUE(has(html, "Stopped before the last job ended: 2 of 5 jobs"));
    EXPECT_FALSE(has(html, "Least slowdown"));
}

TEST(Report, EscapesEveryText) {
    const std::string evil = "<script>alert('&\"')</script>\xff\x01";
    Outcome baseline = baseline_outcome(), outcome = shared_outcome();
    for (Outcome* one : {&baseline, &outcome}) {
        one->setting.workload = one->setting.command = evil;
        one->setting.parameters = {{evil, evil + one->setting.policy}};
        one->setting.policy += evil;
    }
    ReportInput input;
    input.title = input.command = input.varied = evil;
    input.repairs = {evil};
    input.cases = {case_of(baseline), case_of(outcome, &baseline, 0), case_of(outcome, &baseline, 0)};
    input.cases[1].value = evil;
    input.cases[2].value = evil + "2";
    input.cases[2].label = evil;
    expect_sound(html_report(input));
}

TEST(Report, IsTheSameEachTime) {
    EXPECT_EQ(html_report(compared()), html_report(compared()));
    Outcome slower = shared_outcome();
    slower.seconds = 17;  // how long a simulation took is no result
    EXPECT_EQ(summary_json(digest(slower)), summary_json(digest(shared_outcome())));
}

TEST(Report, IsSoundForAnyTimes) {
    EXPECT_TRUE(holds("any times", [] {
        Outcome baseline = baseline_outcome(), outcome = shared_outcome();
        for (Outcome* one : {&baseline, &outcome})
            for (JobOutcome& of : one->jobs) {
                of.submit = *rc::gen::inRange<Seconds>(0, 1000000000000);
                of.start = of.submit + *rc::gen::inRange<Seconds>(0, 100000000);
                of.run = *rc::gen::inRange<Seconds>(0, 100000000);
                of.end = of.start + of.run;
                if (*rc::gen::inRange(0, 4) == 0) of.end = -1;
            }
        ReportInput input;
        input.cases = {case_of(baseline), case_of(outcome, &baseline, 0)};
        const std::string html = html_report(input);
        RC_ASSERT(bad_number(html) == "");
        RC_ASSERT(!has(html, ">nan<") && !has(html, ">inf<"));
    }));
}

TEST(Labels, NameWhatDiffers) {
    ReportInput input = compared();
    EXPECT_EQ(case_labels(input), (std::vector<std::string>{"slurm", "sd"}));
    input.cases.push_back(case_of(shared_outcome("inf")));
    input.cases.push_back(case_of(shared_outcome("inf")));
    EXPECT_EQ(case_labels(input), (std::vector<std::string>{"slurm", "sd, max_slowdown 10", "sd, max_slowdown inf",
                                                            "sd, max_slowdown inf (2)"}));
    input.cases[0].label = "as it was";
    EXPECT_EQ(case_labels(input).front(), "as it was");
}

}  // namespace
}  // namespace drom::sim
