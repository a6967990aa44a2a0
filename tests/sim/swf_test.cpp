// SPDX-License-Identifier: BSD-3-Clause
// swf_test.cpp - logs of every dialect become jobs, what is wrong with them is said or counted, and what is written can
// be read.
#include "workload/swf/swf.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "logs.hpp"
#include "property.hpp"
#include "repairs_of.hpp"
#include "temp_dir.hpp"

namespace drom::sim {
namespace {

const std::string kGood = "1 0 5 60 4 -1 -1 4 100 -1 1 7 8 9 2 3 -1 -1\n";

Log read(const std::string& text, const ReadOptions& options = {}) {
    auto log = read_swf_text(text, "log", options);
    if (log) return *std::move(log);
    ADD_FAILURE() << log.error() << "\nin:\n" << text;
    return {};
}

std::string error_of(const std::string& text, const ReadOptions& options = {}) {
    const auto log = read_swf_text(text, "log", options);
    return log ? "no error" : log.error();
}

/// Returns the only job.
LogJob job_of(const std::string& text, const ReadOptions& options = {}) {
    const Log log = read(text, options);
    EXPECT_EQ(log.workload.jobs.size(), 1U) << text;
    return log.workload.jobs.empty() ? LogJob() : log.workload.jobs.front();
}

void expect_every_line_counted(const Repairs& repairs) {
    EXPECT_EQ(repairs.lines, repairs.comments + repairs.blanks + repairs.jobs + repairs.left_out());
}

constexpr LogJob kGoodJob = {1, 0, 5, 60, 100, 4, -1, 7, 8, 9, 2, 3, 1};

TEST(SwfDialects, EveryOneGivesTheSameJob) {
    const std::vector<std::pair<std::string, std::string>> dialects = {
        {"18 fields", kGood},
        {"tabs and blanks in front", "\t 1\t0 5  60\t\t4 -1 -1 4 100 -1 1 7 8 9 2 3 -1 -1 \n"},
        {"CRLF", "1 0 5 60 4 -1 -1 4 100 -1 1 7 8 9 2 3 -1 -1\r\n"},
        {"no newline at the end", "1 0 5 60 4 -1 -1 4 100 -1 1 7 8 9 2 3 -1 -1"},
        {"semicolons", "1;0;5;60;4;-1;-1;4;100;-1;1;7;8;9;2;3;-1;-1\n"},
        {"semicolons and blanks", "1 ; 0 ; 5 ; 60 ; 4 ; -1 ; -1 ; 4 ; 100 ; -1 ; 1 ; 7 ; 8 ; 9 ; 2 ; 3 ; -1 ; -1\n"},
        {"a semicolon after each", "1;0;5;60;4;-1;-1;4;100;-1;1;7;8;9;2;3;-1;-1;\n"},
        {"17 fields", "1;0;5;60;4;-1;-1;4;100;-1;1;7;8;9;2;3;-1\n"},
        {"a module list behind", "1;0;5;60;4;-1;-1;4;100;-1;1;7;8;9;2;3;-1;-1;esb,dam\n"},
        {"an index in front", "0 1 0 5 60 4 -1 -1 4 100 -1 1 7 8 9 2 3 -1 -1\n"},
        {"columns behind", "1 0 5 60 4 -1 -1 4 100 -1 1 7 8 9 2 3 -1 -1 0.5 x y\n"},
        {"fractions", "1 0.4 4.7 59.5 4.0 -1 -1 4 1e2 -1 1 7 8 9 2 3 -1 -1\n"},
        {"field 5 only", "1 0 5 60 4 -1 -1 -1 100 -1 1 7 8 9 2 3 -1 -1\n"},
        {"field 8 only", "1 0 5 60 0 -1 -1 4 100 -1 1 7 8 9 2 3 -1 -1\n"},
        {"a comment behind", "1 0 5 60 4 -1 -1 4 100 -1 1 7 8 9 2 3 -1 -1 ; the first\n"},
        {"a comment close behind", "1 0 5 60 4 -1 -1 4 100 -1 1 7 8 9 2 3 -1 -1; the first\n"},
        {"empty fields", "1;0;5;60;4;;;4;100;;1;7;8;9;2;3;;\n"},
        {"UTF-8 mark", "\xef\xbb\xbf" + kGood},
        {"comments and empty lines", "; Version: 2.2\n\n# mine\n   \n" + kGood + ";\n"},
    };
    for (const auto& [what, text] : dialects) {
        const Log log = read(text);
        ASSERT_EQ(log.workload.jobs.size(), 1U) << what;
        EXPECT_EQ(log.workload.jobs[0], kGoodJob) << what;
        expect_every_line_counted(log.repairs);
    }
}

TEST(SwfDialects, NamesAreNumberedAfterTheNumbersOfTheirColumn) {
    const Log log = read(
        "-1;10;-1;326;6;-1;-1;-1;4706;-1;1;ann;-1;-1;1;cm;-1;-1\n"
        "-1;20;-1;28;2;-1;-1;-1;306;-1;1;41;blue;-1;normal;12;-1;-1\n"
        "-1;30;-1;28;2;-1;-1;-1;306;-1;1;bob;red;-1;normal;cm;-1;-1\n"
        "-1;40;-1;28;2;-1;-1;-1;306;-1;1;ann;-1;-1;1;-1;-1;-1\n");
    const auto& jobs = log.workload.jobs;
    ASSERT_EQ(jobs.size(), 4U);
    EXPECT_EQ(jobs[0].user, 42);
    EXPECT_EQ(jobs[1].user, 41);
    EXPECT_EQ(jobs[2].user, 43);
    EXPECT_EQ(jobs[3].user, 42);
    EXPECT_EQ(jobs[1].group, 1);
    EXPECT_EQ(jobs[2].group, 2);
    EXPECT_EQ(jobs[3].group, -1);
    EXPECT_EQ(jobs[1].queue, 2);
    EXPECT_EQ(log.workload.header.back(), (std::pair<std::string, std::string>("Queue", "2 normal")));
    EXPECT_EQ(log.workload.partitions, (std::vector<std::string>{"cm", "12"}));
    EXPECT_EQ(jobs[0].partition, 0);
    EXPECT_EQ(jobs[1].partition, 1);
    EXPECT_EQ(jobs[3].partition, -1);
    EXPECT_EQ(jobs[3].id, 4);
    EXPECT_EQ(repairs_of(log), "name 4, one-width 4, no-id 4");
}

TEST(SwfDialects, SimRowsHaveTheirLimitInMinutesAndTasksOfManyCpus) {
    const Log log = read("4;tester;17;5;8;8;normal;1000;48;1\n5;tester;20;19;1;1;normal;1000;48;1\n");
    ASSERT_EQ(log.workload.jobs.size(), 2U);
    const LogJob& job = log.workload.jobs[0];
    EXPECT_EQ(job.id, 4);
    EXPECT_EQ(job.submit, 17);
    EXPECT_EQ(job.run, 5);
    EXPECT_EQ(job.request, 480);
    EXPECT_EQ(job.processors, 384);
    EXPECT_EQ(job.user, 1);
    EXPECT_EQ(job.group, 1000);
    EXPECT_EQ(log.workload.partitions, (std::vector<std::string>{"normal"}));
    EXPECT_EQ(repairs_of(log), "name 2");
}

TEST(SwfDialects, ModularRowsAreComponents) {
    const std::string row =
        "12;2;climate;900;30;3600;2;1;ocean;31;1800;1;-1;booster;5;8;6;-1;-1;-1;-1;-1;-1;-1;-1;-1;2;booster;4;8;6;-1;-"
        "1;-1;-1;-1;-1;-1;-1;"
        "-1;-1\n";
    const Log log = read(row + row);
    ASSERT_EQ(log.workload.jobs.size(), 2U);
    const LogJob& job = log.workload.jobs[0];
    EXPECT_EQ(job.id, 12);
    EXPECT_EQ(job.submit, 900);
    EXPECT_EQ(job.wait, 30);
    EXPECT_EQ(job.run, 1800);
    EXPECT_EQ(job.request, 3600);
    EXPECT_EQ(job.processors, 5 * 8 * 6);
    EXPECT_EQ(job.status, 1);
    EXPECT_EQ(log.workload.partitions, (std::vector<std::string>{"booster"}));
    EXPECT_EQ(repairs_of(log), "two-widths 2, same-id 1");
}

struct Repaired {
    const char* what;
    std::string text;
    const char* repairs;
    std::string sentence;  // of the first repair
    ReadOptions options;
};

ReadOptions with(void (*change)(ReadOptions&)) {
    ReadOptions options;
    change(options);
    return options;
}

TEST(SwfRepairs, EachIsCountedWithItsLines) {
    const std::vector<Repaired> cases = {
        {"request -1",
         kGood + "2 0 5 60 4 -1 -1 4 -1 -1 1 7 8 9 2 3 -1 -1\n",
         "no-request 1",
         "1 job has no requested time: the run time is taken, at least 1 s (line 2)",
         {}},
        {"run above request",
         kGood + "2 0 5 101 4 -1 -1 4 100 -1 1 7 8 9 2 3 -1 -1\n",
         "overrun 1",
         "1 job ran longer than it asked for: cut at the limit (line 2)",
         {}},
        {"kept", kGood + "2 0 5 101 4 -1 -1 4 100 -1 1 7 8 9 2 3 -1 -1\n", "overrun-kept 1",
         "1 job ran longer than it asked for: kept (line 2)",
         with([](auto& o) { o.overrun = ReadOptions::Overrun::kKeep; })},
        {"cancelled",
         kGood + "2 0 5 60 4 -1 -1 4 100 -1 5 7 8 9 2 3 -1 -1\n",
         "cancelled 1",
         "1 job was cancelled while it ran: kept (line 2)",
         {}},
        {"cancelled, not wanted", kGood + "2 0 5 60 4 -1 -1 4 100 -1 5 7 8 9 2 3 -1 -1\n", "cancelled 1",
         "1 job was cancelled while it ran: left out (line 2)", with([](auto& o) { o.keep_cancelled = false; })},
        {"never ran",
         kGood + "2 0 5 -1 4 -1 -1 4 100 -1 5 7 8 9 2 3 -1 -1\n",
         "unrun 1",
         "1 job has no run time: kept with 0 s (line 2)",
         {}},
        {"never ran, not wanted", kGood + "2 0 5 0 4 -1 -1 4 100 -1 5 7 8 9 2 3 -1 -1\n", "unrun 1",
         "1 job has no run time: left out (line 2)", with([](auto& o) { o.keep_unrun = false; })},
        {"no processors",
         kGood + "2 0 5 60 -1 -1 -1 0 100 -1 1 7 8 9 2 3 -1 -1\n",
         "no-width 1",
         "1 job does not say its processors: 1 is assumed (line 2)",
         {}},
        {"no processors, not wanted", kGood + "2 0 5 60 -1 -1 -1 0 100 -1 1 7 8 9 2 3 -1 -1\n", "no-width 1",
         "1 job does not say its processors: left out (line 2)",
         with([](auto& o) { o.keep_without_processors = false; })},
        {"too wide",
         "1 0 5 60 4 -1 -1 8 100 -1 1 7 8 9 2 3 -1 -1\n" + kGood + "3 0 5 60 8 -1 -1 -1 100 -1 1 7 8 9 2 3 -1 -1\n",
         "too-wide 2", "2 jobs are wider than the machine: left out (lines 1, 3)",
         with([](auto& o) { o.max_processors = 7; })},
        {"negative submit",
         "1 -9 5 60 4 -1 -1 4 100 -1 1 7 8 9 2 3 -1 -1\n",
         "negative-submit 1",
         "1 job was submitted before the log's zero: moved to zero (line 1)",
         {}},
        {"absurd",
         kGood + "2 1000000000001 5 60 4\n3 0 5 99999999999999999999 4\n4 0 0 1 1000000001\n5 -1e30 0 1 1\n",
         "absurd 4",
         "4 jobs have a time or a width that cannot be right: left out (lines 2, 3, 4, 5)",
         {}},
        {"absurd wait, memory, status, user",
         "1 0 1e13 60 4 -1 -1 4 100 1e40 99999999 1e10 8 9 2 3 -1 -1\n",
         "fraction 1, out-of-range 1",
         "1 line has numbers with a fraction: rounded (line 1)",
         {}},
        {"the same number",
         kGood + kGood + kGood,
         "same-id 2",
         "2 jobs have the number of an earlier one: kept (lines 2, 3)",
         {}},
        {"out of order",
         "1 50 5 60 4 -1 -1 4 100 -1 1 7 8 9 2 3 -1 -1\n2 40 5 60 4 -1 -1 4 100 -1 1 7 8 9 2 3 -1 -1\n",
         "out-of-order 1",
         "1 job was submitted before the one above it: sorted (line 2)",
         {}},
        {"cut off",
         kGood + kGood + "2 0 5 60 4 -1 -",
         "same-id 1, truncated 1",
         "1 job has the number of an earlier one: kept (line 2)",
         {}},
        {"cut off in a word", kGood + "2 0", "truncated 1", "1 line is cut off: left out (line 2)", {}},
        {"no data", kGood + "oops\n1 2 3 x 5\n\x01\x02\x03 4 5 6 7\n", "bad-line 3",
         "3 lines are no data: left out (lines 2, 3, 4)", with([](auto& o) { o.skip_bad_lines = true; })},
        {"many",
         kGood + std::string("2 0 5 60 4\n2 0 5 60 4\n2 0 5 60 4\n2 0 5 60 4\n2 0 5 60 4\n2 0 5 60 4\n"),
         "few-fields 6, one-width 6, no-request 6, same-id 5",
         "6 lines have fewer than 18 fields: the missing ones are unknown (lines 2, 3, 4, 5, 6, ...)",
         {}},
    };
    for (const Repaired& c : cases) {
        const Log log = read(c.text, c.options);
        EXPECT_EQ(repairs_of(log), c.repairs) << c.what;
        ASSERT_FALSE(log.repairs.list().empty()) << c.what;
        EXPECT_EQ(log.repairs.list()[0].sentence(), c.sentence) << c.what;
        expect_every_line_counted(log.repairs);
    }
}

TEST(SwfRepairs, FieldsAreUsableAfterwards) {
    EXPECT_EQ(job_of("1 0 5 60 4 -1 -1 4 -1\n").request, 60);
    EXPECT_EQ(job_of("1 0 5 0 4 -1 -1 4 -1\n").request, 1);
    EXPECT_EQ(job_of("1 0 5 60 4 -1 -1 4 -1\n", with([](auto& o) { o.missing_request = 3600; })).request, 3600);
    EXPECT_EQ(job_of("1 0 5 60 4 -1 -1 4 -1\n", with([](auto& o) { o.missing_request = 30; })).run, 30);
    EXPECT_EQ(job_of("1 0 5 60 4 -1 -1 4 30\n").run, 30);
    EXPECT_EQ(job_of("1 0 5 60 4 -1 -1 4 30\n", with([](auto& o) { o.overrun = ReadOptions::Overrun::kKeep; })).run,
              60);
    const auto width = [](const std::string& text, ReadOptions::Width from) {
        ReadOptions options;
        options.width = from;
        return job_of(text, options).processors;
    };
    using Width = ReadOptions::Width;
    EXPECT_EQ(job_of("1 0 5 60 9 -1 -1 4 100\n").processors, 4);
    EXPECT_EQ(width("1 0 5 60 9 -1 -1 4 100\n", Width::kRequested), 4);
    EXPECT_EQ(width("1 0 5 60 9 -1 -1 4 100\n", Width::kAllocated), 9);
    EXPECT_EQ(width("1 0 5 60 9 -1 -1 4 100\n", Width::kLarger), 9);
    EXPECT_EQ(width("1 0 5 60 4 -1 -1 9 100\n", Width::kLarger), 9);
    EXPECT_EQ(width("1 0 5 60 9 -1 -1 -1 100\n", Width::kRequested), 9);
    EXPECT_EQ(width("1 0 5 60 0 -1 -1 4 100\n", Width::kAllocated), 4);
    EXPECT_EQ(job_of("1 0 -7 -3 -1\n"), (LogJob{.id = 1}));
    EXPECT_EQ(job_of("1 0.5 5.49 60.51 4 -1 -1 4 99.5\n"),
              (LogJob{.id = 1, .submit = 1, .wait = 5, .run = 61, .request = 100, .processors = 4}));
}

TEST(SwfRepairs, JobsOfOneSecondStayInTheOrderOfTheLog) {
    const Log log = read("5 10 0 1 1\n4 10 0 1 1\n3 5 0 1 1\n2 10 0 1 1\n1 5 0 1 1\n");
    std::vector<std::int64_t> ids;
    for (const LogJob& job : log.workload.jobs) ids.push_back(job.id);
    EXPECT_EQ(ids, (std::vector<std::int64_t>{3, 1, 5, 4, 2}));
}

TEST(SwfHeader, IsKeptAndSaysTheMachine) {
    const Log log = read(
        "; Version: 2.2\n;   continued: here\n;\n; MaxNodes: 5040 (in two halls)\n;MaxProcs:80640\n; see http://x\n" +
        kGood);
    const std::vector<std::pair<std::string, std::string>> header = {
        {"Version", "2.2"},     {"", "   continued: here"}, {"", ""}, {"MaxNodes", "5040 (in two halls)"},
        {"", "MaxProcs:80640"}, {"", " see http://x"}};
    EXPECT_EQ(log.workload.header, header);
    EXPECT_EQ(log.workload.nodes, 5040);
    EXPECT_EQ(log.workload.processors, 5040) << "one processor a node, when the log does not say";
    EXPECT_EQ(read("; MaxNodes: -1\n; MaxProcs: 338\n" + kGood).workload.nodes, 0);
    EXPECT_EQ(read("; MaxNodes: -1\n; MaxProcs: 338\n" + kGood).workload.processors, 338);
    EXPECT_EQ(read("; MaxNodes: 99999999999999999999\n" + kGood).workload.nodes, 0);
}

TEST(Swf, AHeaderThatContradictsItselfIsKept) {
    struct Row {
        const char* header;
        const char* mistake;
    };
    const Row rows[] = {
        {"; MaxNodes: 4\n; MaxProcs: 16\n; MaxNodes: 4\n", ""},
        {"; MaxNodes: -1\n; MaxNodes: 4 (two racks)\n; MaxProcs:\n", ""},
        {"; MaxNodes: 4\n; MaxProcs: 16\n; MaxNodes: 8\n", "line 3: MaxNodes is 8, and 4 in line 1"},
        {"; MaxProcs: 4\n; MaxNodes: 8\n", "line 1: MaxProcs is 4, fewer than the 8 of MaxNodes in line 2"},
        {"; MaxNodes: many\n", "line 1: MaxNodes 'many' is no number from 1 to 1000000000"},
        {"; MaxNodes: 1,024\n", "line 1: MaxNodes '1,024' is no number from 1 to 1000000000"},
        {"; MaxNodes: 0\n", "line 1: MaxNodes '0' is no number from 1 to 1000000000"},
        {"; MaxProcs: -5\n; MaxProcs: x\n", "line 1: MaxProcs '-5' is no number from 1 to 1000000000"},
        {"; MaxNodes: 99999999999999999999\n",
         "line 1: MaxNodes '99999999999999999999' is no number from 1 to 1000000000"},
    };
    for (const Row& row : rows) EXPECT_EQ(read(row.header + kGood).workload.machine_mistake, row.mistake) << row.header;
}

TEST(SwfErrors, AreOneSentenceWithLineAndColumn) {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"", "drom-sim: read log: there is no job in it; name a log in the Standard Workload Format"},
        {"; Version: 2\n\n", "drom-sim: read log: there is no job in it; name a log in the Standard Workload Format"},
        {kGood + "2 10 x7 60 4\n",
         "drom-sim: read log: line 2, column 6: 'x7' stands where the wait time (field 3) should be a number; "
         "--skip-bad-lines "
         "leaves such lines out"},
        {kGood + "2;10\n",
         "drom-sim: read log: line 2, column 1: 2 fields where a job has 18, beginning with '2'; --skip-bad-lines "
         "leaves such "
         "lines out"},
        {"hello\n",
         "drom-sim: read log: line 1, column 1: 1 field where a job has 18, beginning with 'hello'; --skip-bad-lines "
         "leaves such "
         "lines out"},
        {"#!/bin/sh\n\nset -euo pipefail for ever\n",
         "drom-sim: read log: line 3, column 1: 'set' stands where the job number (field 1) should be a number; "
         "--skip-bad-lines "
         "leaves such lines out"},
        {std::string("\x7f"
                     "ELF\x02\x01\x01\0\0 \0\0 \x03 \x01 x\n",
                     19),
         "drom-sim: read log: line 1, column 1: '.ELF.....' stands where the job number (field 1) should be a number; "
         "--skip-bad-lines leaves such lines out"},
        {"0 1 0 5 60 4 -1 -1 x 100 -1 1 7 8 9 2 3 -1 -1\n",
         "drom-sim: read log: line 1, column 20: 'x' stands where the number of requested processors (field 9) should "
         "be a "
         "number; --skip-bad-lines leaves such lines "
         "out"},
        {"1;0;5;60;4;-1;-1;4;100;-1;1;a\x01"
         "b;8;9;2;3;-1;-1\n",
         "drom-sim: read log: line 1, column 29: 'a.b' is no user (field 12); --skip-bad-lines leaves such lines out"},
        {"1,0,5,60,4,-1,-1,4,100,-1,1,7,8,9,2,3,-1,-1\n",
         "drom-sim: read log: line 1, column 1: 1 field where a job has 18, beginning with "
         "'1,0,5,60,4,-1,-1,4,100,-...'; "
         "--skip-bad-lines leaves such lines out"},
        {" \t1 nan 5 60 4\n",
         "drom-sim: read log: line 1, column 5: 'nan' stands where the submit time (field 2) should be a number; "
         "--skip-bad-lines leaves such lines out"},
    };
    for (const auto& [text, sentence] : cases) EXPECT_EQ(error_of(text), sentence);
}

TEST(SwfErrors, NoJobLeftSaysWhy) {
    EXPECT_EQ(error_of(kGood + kGood, with([](auto& o) { o.max_processors = 3; })),
              "drom-sim: read log: no job is left: 2 jobs are wider than the machine: left out (lines 1, 2); other "
              "options would keep some");
}

std::string file_error(const std::string& path) {
    const auto log = read_swf(path);
    return log ? "no error" : log.error();
}

TEST(SwfFiles, PlainAndCompressedAreToldByTheirContent) {
    const test::TempDir folder;
    const Workload workload = read("; Version: 2\n" + kGood).workload;
    const std::string packed = folder.path() + "/a.swf.gz", plain = folder.path() + "/a.swf",
                      renamed = folder.path() + "/b.swf";
    ASSERT_TRUE(write_swf(packed, workload));
    ASSERT_TRUE(write_swf(plain, workload));
    std::filesystem::copy_file(packed, renamed);
    EXPECT_NE(std::filesystem::file_size(packed), std::filesystem::file_size(plain));
    for (const std::string& path : {packed, plain, renamed}) {
        const auto log = read_swf(path);
        ASSERT_TRUE(log) << log.error();
        EXPECT_EQ(log->workload.jobs, workload.jobs);
        EXPECT_EQ(log->workload.name, path);
    }
}

TEST(SwfFiles, WhatCannotBeReadIsOneSentence) {
    const test::TempDir folder;
    const std::string missing = folder.path() + "/none.swf", packed = folder.path() + "/a.swf.gz",
                      broken = folder.path() + "/b.swf.gz";
    EXPECT_EQ(file_error(missing),
              "drom-sim: read " + missing + ": No such file or directory; name a log in the Standard Workload Format");
    EXPECT_EQ(file_error(folder.path()), "drom-sim: read " + folder.path() + ": is a folder; name a file in it");
    EXPECT_EQ(file_error("/dev/null"),
              "drom-sim: read /dev/null: there is no job in it; name a log in the Standard Workload Format");

    Workload workload = read(kGood).workload;
    workload.jobs.resize(5000, workload.jobs[0]);
    for (std::size_t i = 0; i < workload.jobs.size(); ++i)
        workload.jobs[i].id = static_cast<std::int64_t>(i * i * 7919 % 104729);
    ASSERT_TRUE(write_swf(packed, workload));
    std::ostringstream bytes;
    bytes << std::ifstream(packed, std::ios::binary).rdbuf();
    const auto write = [&](const std::string& content) { std::ofstream(broken, std::ios::binary) << content; };
    for (const std::size_t kept : {bytes.str().size() / 2, bytes.str().size() - 3}) {
        write(bytes.str().substr(0, kept));
        EXPECT_EQ(file_error(broken),
                  "drom-sim: read " + broken + ": the compressed file ends too early; fetch it again")
            << kept;
    }
    std::string flipped = bytes.str();
    flipped[flipped.size() - 6] = static_cast<char>(flipped[flipped.size() - 6] ^ 1);  // of the checksum
    write(flipped);
    EXPECT_EQ(file_error(broken).find("drom-sim: read " + broken + ": the compressed file is damaged ("), 0U)
        << file_error(broken);
}

TEST(SwfFiles, WhatCannotBeWrittenIsOneSentence) {
    const Workload workload = read(kGood).workload;
    EXPECT_EQ(write_swf("/nonexistent/a.swf", workload).error(),
              "drom-sim: write /nonexistent/a.swf: No such file or directory");
    EXPECT_EQ(write_swf("/dev/full", workload).error(), "drom-sim: write /dev/full: No space left on device");
}

TEST(SwfWriter, PutsGivenWaitsIntoFieldThree) {
    const Workload workload = read(kGood + kGood).workload;
    const std::vector<Seconds> waits = {11, 22};
    std::ostringstream text;
    ASSERT_TRUE(write_swf(text, workload, waits));
    EXPECT_EQ(text.str(),
              "1 0 11 60 4 -1 -1 4 100 -1 1 7 8 9 2 3 -1 -1\n"
              "1 0 22 60 4 -1 -1 4 100 -1 1 7 8 9 2 3 -1 -1\n");
}

LogJob arbitrary_job(Seconds submit) {
    LogJob job;
    job.id = *rc::gen::inRange<std::int64_t>(0, 1'000'000);
    job.submit = submit;
    job.wait = *rc::gen::inRange<Seconds>(-1, 1'000'000);
    job.request = *rc::gen::inRange<Seconds>(1, 1'000'000);
    job.run = *rc::gen::inRange<Seconds>(0, job.request + 1);
    job.processors = *rc::gen::inRange<std::int64_t>(1, 1'000'000);
    job.memory_kb = *rc::gen::inRange<std::int64_t>(-1, 1'000'000'000'000);
    const auto label = rc::gen::inRange(-1, 1'000'000);
    job.user = *label;
    job.group = *label;
    job.application = *label;
    job.queue = *label;
    job.partition = *label;
    job.status = *rc::gen::inRange(-1, 6);
    return job;
}

Workload arbitrary_workload() {
    const auto word = rc::gen::nonEmpty(rc::gen::string<std::string>());
    const auto clean = [](std::string text) {
        std::erase_if(text, [](char c) { return c <= ' ' || c == ';' || c > '~'; });
        return "x" + text;
    };
    Workload workload;
    workload.name = "log";
    workload.nodes = *rc::gen::inRange(0, 5000);
    workload.processors = workload.nodes * *rc::gen::inRange(1, 200);
    workload.header = {{"Version", "2.2"}, {"", "  a line: of its own"}, {"Note", clean(*word)}};
    if (workload.nodes > 0) workload.header.emplace_back("MaxNodes", std::to_string(workload.nodes));
    if (workload.processors > 0) workload.header.emplace_back("MaxProcs", std::to_string(workload.processors));
    const int names = *rc::gen::inRange(0, 4);
    for (int i = 0; i < names; ++i) workload.partitions.push_back(clean(*word) + std::to_string(i));
    const int jobs = *rc::gen::inRange(1, 20);
    for (Seconds i = 0, submit = 0; i < jobs; ++i) {
        submit += *rc::gen::inRange<Seconds>(0, 100'000);
        workload.jobs.push_back(arbitrary_job(submit));
        if (names > 0) workload.jobs.back().partition = *rc::gen::inRange(-1, names);
    }
    return workload;
}

TEST(SwfProperties, WhatIsWrittenIsRead) {
    EXPECT_TRUE(test::holds("read(write(w)) == w", [] {
        const Workload workload = arbitrary_workload();
        std::ostringstream text;
        RC_ASSERT(static_cast<bool>(write_swf(text, workload)));
        const auto log = read_swf_text(text.str(), "log");
        RC_ASSERT(log.has_value());
        RC_ASSERT(log->workload.jobs == workload.jobs);
        RC_ASSERT(log->workload.header == workload.header);
        RC_ASSERT(log->workload.partitions == workload.partitions);
        RC_ASSERT(log->workload.nodes == workload.nodes);
        RC_ASSERT(log->workload.processors == workload.processors);
    }));
}

/// Any bytes give a log whose fields are in range and whose lines are all accounted for, or a sentence; never anything
/// else.
TEST(SwfProperties, AnyTextIsReadOrRefused) {
    EXPECT_TRUE(test::holds("any text", [] {
        const auto piece = rc::gen::oneOf(
            rc::gen::just(std::string("\n")), rc::gen::just(std::string(" ")), rc::gen::just(std::string(";")),
            rc::gen::just(std::string("1 2 3 4 5 ")), rc::gen::just(std::string("-1;9;a;")),
            rc::gen::just(std::string("99999999999999999999")), rc::gen::string<std::string>());
        std::string text;
        for (const std::string& part : *rc::gen::container<std::vector<std::string>>(piece)) text += part;
        ReadOptions options;
        options.skip_bad_lines = *rc::gen::arbitrary<bool>();
        const auto log = read_swf_text(text, "log", options);
        if (!log) {
            RC_ASSERT(log.error().starts_with("drom-sim: read log: "));
            RC_ASSERT(log.error().find('\n') == std::string::npos);
            return;
        }
        const Repairs& repairs = log->repairs;
        RC_ASSERT(repairs.lines == repairs.comments + repairs.blanks + repairs.jobs + repairs.left_out());
        for (const LogJob& job : log->workload.jobs)
            RC_ASSERT(job.processors >= 1 && job.submit >= 0 && job.run >= 0 && job.run <= job.request);
    }));
}

struct RealLog {
    const char* file;
    std::size_t jobs;
    std::int64_t nodes, processors;
    const char* repairs;
};

TEST(SwfRealLogs, HaveTheJobsThatTheirSourcesSay) {
    const std::string folder = std::string(WORKLOADS) + "/";
    NEEDS_LOGS(folder);
    const std::vector<RealLog> logs = {
        {"KTH-SP2-1996-2.1-cln.swf.gz", 28476, 100, 100, "two-widths 219, no-width 1, overrun 475, unrun 8"},
        {"RICC-2010-2.swf.gz", 447794, 1024, 8192,
         "one-width 2, two-widths 6974, no-request 2, overrun 7092, cancelled 16237, unrun 10"},
        {"NASA-iPSC-1993-3.1-cln.swf.gz", 18239, 128, 128, "one-width 18239, no-request 18239, unrun 173"},
        {"RICC-2010-2-midseptember.raw-semicolon.swf.gz", 9978, 0, 0, "few-fields 9978, one-width 9978, cancelled 36"},
        {"RICC-sept-2010.swf.gz", 9978, 1024, 8192, "cancelled 36"},
        {"CEA-Curie-2012.pyss-easy.swf.gz", 295540, 0, 80640, "out-of-order 100175"},
        {"CTC-SP2-1996.pyss-easy.swf.gz", 77199, 0, 338, "out-of-order 29952"},
        {"SDSC-SP2-1998.pyss-easy.swf.gz", 54006, 0, 128, "out-of-order 15537"},
        {"KTH-SP2-1996.pyss-easy.swf.gz", 28481, 0, 100, "out-of-order 9415"},
        {"lublin_256.swf.gz", 10000, 256, 256, "one-width 10000, no-request 10000"},
        {"cirne-samples/cirne.sys10n.maxjob8n.anl.100.1.1.swf", 100, 0, 0, "name 100, one-width 100, no-id 100"},
        {"cirne-samples/test_cm_part.swf", 100, 0, 0, "name 100, one-width 100, no-id 100"},
        {"cirne-samples/ascii.cirne.10n.maxjob8n.anl.200.sim", 200, 0, 0, "name 200"},
    };
    for (const RealLog& real : logs) {
        const auto log = read_swf(folder + real.file);
        ASSERT_TRUE(log) << log.error();
        EXPECT_EQ(log->workload.jobs.size(), real.jobs) << real.file;
        EXPECT_EQ(log->workload.nodes, real.nodes) << real.file;
        EXPECT_EQ(log->workload.processors, real.processors) << real.file;
        EXPECT_EQ(repairs_of(*log), real.repairs) << real.file;
        expect_every_line_counted(log->repairs);
    }
}

/// Two renderings of the same 9978 jobs.
TEST(SwfRealLogs, SemicolonsAndBlanksGiveTheSameJobs) {
    const std::string folder = std::string(WORKLOADS) + "/";
    NEEDS_LOGS(folder);
    const auto raw = read_swf(folder + "RICC-2010-2-midseptember.raw-semicolon.swf.gz"),
               log = read_swf(folder + "RICC-sept-2010.swf.gz");
    ASSERT_TRUE(raw && log);
    EXPECT_EQ(raw->workload.jobs, log->workload.jobs);
}

/// The derived logs were cut at the requested times and rid of jobs without run time or processors: with the same
/// options the original log has the same jobs, but for what its cleaning took out.
TEST(SwfRealLogs, OptionsOfPyssGiveItsJobs) {
    const std::string folder = std::string(WORKLOADS) + "/";
    NEEDS_LOGS(folder);
    const ReadOptions as_pyss = with([](auto& o) { o.keep_unrun = o.keep_without_processors = false; });
    const auto ours = read_swf(folder + "KTH-SP2-1996-2.1-cln.swf.gz", as_pyss),
               theirs = read_swf(folder + "KTH-SP2-1996.pyss-easy.swf.gz");
    ASSERT_TRUE(ours && theirs);
    EXPECT_EQ(ours->workload.jobs.size(), 28476U - 9);
    std::map<std::int64_t, LogJob> by_id;
    for (const LogJob& job : theirs->workload.jobs) by_id[job.id] = job;
    for (const LogJob& job : ours->workload.jobs) {
        const auto found = by_id.find(job.id);
        ASSERT_NE(found, by_id.end()) << job.id;
        ASSERT_EQ(found->second.submit, job.submit) << job.id;
        ASSERT_EQ(found->second.run, job.run) << job.id;
        ASSERT_EQ(found->second.request, job.request) << job.id;
        ASSERT_EQ(found->second.processors, job.processors) << job.id;
    }
}

TEST(SwfRealLogs, AreTheSameAfterWritingAndReading) {
    const std::string folder = std::string(WORKLOADS) + "/";
    NEEDS_LOGS(folder);
    const test::TempDir there;
    for (const char* file : {"KTH-SP2-1996-2.1-cln.swf.gz", "lublin_256.swf.gz", "cirne-samples/test_cm_part.swf",
                             "CTC-SP2-1996.pyss-easy.swf.gz"}) {
        const auto log = read_swf(folder + file);
        ASSERT_TRUE(log) << log.error();
        ASSERT_TRUE(write_swf(there.path() + "/copy.swf.gz", log->workload));
        const auto copy = read_swf(there.path() + "/copy.swf.gz");
        ASSERT_TRUE(copy) << copy.error();
        EXPECT_EQ(copy->workload.jobs, log->workload.jobs) << file;
        EXPECT_EQ(copy->workload.header, log->workload.header) << file;
        EXPECT_EQ(copy->workload.partitions, log->workload.partitions) << file;
        EXPECT_EQ(copy->workload.processors, log->workload.processors) << file;
    }
}

}  // namespace
}  // namespace drom::sim
