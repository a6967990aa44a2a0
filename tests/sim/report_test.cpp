// SPDX-License-Identifier: BSD-3-Clause
// report_test.cpp - pages can be read: whatever the names, also of nothing, and the same each time.
#include "report/report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "property.hpp"
#include "report/axis.hpp"
#include "report/figure.hpp"
#include "report/labels.hpp"
#include "report/numbers.hpp"
#include "report/summary_json.hpp"
#include "report/svg.hpp"
#include "sample_outcomes.hpp"

namespace drom::sim {
namespace {

using drom::test::holds;

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

/// Returns the tag that begins at `at`, up to its `>`; empty when a `<` or the end of the page comes before that.
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

/// Returns whether every attribute has a value in quotes.
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

/// Returns what is wrong, or nothing: tags that do not match, an attribute without quotes, a bare ampersand.
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

/// Returns the first attribute of a drawing that is no number where it should be one.
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
                             "Slowdown and malleable starts per day", "Nodes of each job over time",
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

TEST(Report, JoinsOnlyNumbersInASweep) {
    const Outcome baseline = baseline_outcome();
    ReportInput input;
    input.varied = "max_slowdown";
    input.cases = {case_of(baseline)};
    const auto lines = [&] {
        const std::string html = html_report(input), sweep = html.substr(html.find("<title>Sweep over"));
        const std::string figure = sweep.substr(0, sweep.find("</svg>"));
        std::size_t count = 0;
        for (std::size_t at = 0; (at = figure.find("<polyline", at)) != std::string::npos; ++at) ++count;
        return count;
    };
    for (const char* value : {"5", "inf", "dynamic"}) {
        input.cases.push_back(case_of(shared_outcome(value), &baseline, 0));
        input.cases.back().value = value;
    }
    EXPECT_EQ(lines(), 0U);
    input.cases.push_back(case_of(shared_outcome("10"), &baseline, 0));
    input.cases.back().value = "10";
    EXPECT_EQ(lines(), 2U);  // one per panel
}

TEST(Report, PalesCellsOfFewJobs) {
    Outcome outcome = baseline_outcome();
    EXPECT_TRUE(has(html_report({"", "", {case_of(outcome)}, "", {}}), "fill-opacity"));
    const std::vector<JobOutcome> few = outcome.jobs;
    for (int i = 0; i < 9; ++i) outcome.jobs.insert(outcome.jobs.end(), few.begin(), few.end());
    EXPECT_FALSE(has(html_report({"", "", {case_of(outcome)}, "", {}}), "fill-opacity"));
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

TEST(Report, HasDatesWhereTheLogsZeroIsKnown) {
    ReportInput input = compared();
    EXPECT_TRUE(has(html_report(input), "day since the log"));
    for (Case& of : input.cases) of.digest.setting.provenance.zero = 1283292000;
    const std::string html = html_report(input);
    expect_sound(html);
    EXPECT_TRUE(has(html, "4 cores, 2010-08-31 to 2010-09-01 (UTC); 2 simulations"));
    EXPECT_TRUE(has(html, ">2010-08-31 to 2010-09-01 (UTC)<") && has(html, "1 Sep"));
    EXPECT_FALSE(has(html, "since the log"));
}

TEST(Report, ShowsDistributionsAndUtilisation) {
    const std::string html = html_report(compared());
    EXPECT_TRUE(has(html, "% of the jobs with at most this wait") &&
                has(html, "% of the jobs with at most this slowdown"));
    EXPECT_TRUE(has(html, "% of the nodes that had a job"));
    ReportInput many = compared();
    while (many.cases.size() < 8) many.cases.push_back(many.cases.back());
    EXPECT_TRUE(has(html_report(many), "Shown are the first 6 simulations."));
}

TEST(Report, PaintsABaselineAlike) {
    const std::string svg = distributions_figure(compared())->svg;
    const std::size_t baseline = svg.find("<polyline"), other = svg.find("<polyline", baseline + 1);
    EXPECT_EQ(svg.find("stroke=\"#8793a0\"", baseline), svg.find("stroke=", baseline));
    EXPECT_EQ(svg.find("stroke=\"#2f6fb0\"", other), svg.find("stroke=", other));
}

ReportInput labelled(const std::string& baseline, const std::string& shared) {
    ReportInput input = compared();
    input.cases[0].label = baseline;
    input.cases[1].label = shared;
    return input;
}

TEST(Report, ShowsTheEndsOfLongLabels) {
    const std::string name = "sd:max_slowdown=inf,sharing_factor=0.3,max_mates=4,model=";
    const std::string svg = comparison_figure(labelled(name + "ideal", name + "worst"))->svg;
    EXPECT_NE(svg.find(">" + name + "ideal</text>"), std::string::npos);
    EXPECT_NE(svg.find(">" + name + "worst</text>"), std::string::npos);
}

// A second partition was drawn on the rows of the first.
TEST(Report, DrawsOnePartitionBelowTheOther) {
    Outcome outcome = baseline_outcome();
    outcome.setting.nodes = 6;
    outcome.setting.partitions = {{"p<1>", 2, 100, 4}, {"p2", 4, 100, 1}};
    outcome.stretches = {{0, policy::NodeSet(0, 2), 4, 0, 100, 0}, {1, policy::NodeSet(0, 4), 1, 0, 100, 1}};
    ReportInput input;
    input.cases = {case_of(outcome)};
    const Figure figure = *gantt_figure(input, 0);
    for (const char* part : {">p&lt;1&gt;: 2 nodes of 4 cores<", ">p2: 4 nodes of 1 core<"})
        EXPECT_TRUE(has(figure.svg, part)) << part;
    // Half a pixel around a box is its border: the first partition is 54 pixels high, from 46 on.
    EXPECT_TRUE(has(figure.svg, "<title>job 1: 2 nodes, from 0 s to 100 s</title><path d=\"M70 46.3h"));
    EXPECT_TRUE(has(figure.svg, "<title>job 2: 2 nodes, from 100 s to 150 s</title><path d=\"M70 126.3h"));
    EXPECT_TRUE(has(figure.caption, "The height of a node is its cores:"));
    expect_sound(html_report(input));
    EXPECT_TRUE(has(html_report(input), "3 jobs on 6 nodes of 1 to 4 cores"));
    EXPECT_FALSE(has(gantt_figure(compared(), 0).value_or(Figure{}).svg, " nodes of "));
}

TEST(Report, KeepsTheBoldLabelOfABaselineOnThePage) {
    const std::string label = "slurm:bf_max_job_test=1000";
    const std::string svg = comparison_figure(labelled(label, "sd"))->svg;
    const std::size_t at = svg.rfind("<text x=\"", svg.find(">" + label + "</text>"));
    ASSERT_NE(at, std::string::npos);
    const double end = std::stod(svg.substr(at + std::strlen("<text x=\"")));
    EXPECT_GE(end, bold_width(label));
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

TEST(Report, OfAGeneratedWorkloadNamesItsSeed) {
    Outcome outcome = baseline_outcome();
    outcome.setting.seed = 17;
    ReportInput input;
    input.cases = {case_of(outcome)};
    EXPECT_TRUE(has(html_report(input), ", workload seed 17</p>"));
    EXPECT_FALSE(has(html_report(compared()), "workload seed"));
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
