// SPDX-License-Identifier: BSD-3-Clause
// slurm_log_test.cpp - the accounting of Slurm becomes jobs; each line that is none is counted, or refused with its
// place.
#include "workload/slurm/slurm_log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <sstream>

#include "property.hpp"
#include "repairs_of.hpp"
#include "workload/local_times.hpp"
#include "workload/models/cirne.hpp"
#include "workload/name_hash.hpp"
#include "workload/slurm/slurm_values.hpp"

namespace drom::sim {
namespace {

using slurm::Memory;

const std::string kHeader = "JobIDRaw|Submit|Start|End|Timelimit|NNodes|NCPUS|User|Partition|State|ReqMem|JobName\n";
const std::string kGood =
    "7|2026-03-01T10:00:00|2026-03-01T10:00:05|2026-03-01T10:01:05|00:10:00|2|16|ann|main|COMPLETED|4Gn|heat\n";

Log read(const std::string& text, const SlurmOptions& options = {}) {
    auto log = read_slurm_text(text, "log", options);
    if (log) return *std::move(log);
    ADD_FAILURE() << log.error() << "\nin:\n" << text;
    return {};
}

std::string error_of(const std::string& text, const SlurmOptions& options = {}) {
    const auto log = read_slurm_text(text, "log", options);
    return log ? "no error" : log.error();
}

LogJob job_of(const std::string& text, const SlurmOptions& options = {}) {
    const Log log = read(text, options);
    EXPECT_EQ(log.workload.jobs.size(), 1U) << text;
    return log.workload.jobs.empty() ? LogJob() : log.workload.jobs.front();
}

/// Returns the line of kGood with one field changed.
std::string with(std::size_t field, const std::string& value) {
    std::vector<std::string> cells;
    std::istringstream line(kGood.substr(0, kGood.size() - 1));
    for (std::string cell; std::getline(line, cell, '|');) cells.push_back(cell);
    cells[field] = value;
    return fmt::format("{}\n", fmt::join(cells, "|"));
}
enum : std::size_t { kId, kSubmit, kStart, kEnd, kLimit, kNodes, kCpus, kUser, kPartition, kState, kMemory, kName };

std::string header_of(const Log& log, std::string_view key) {
    for (const auto& [name, value] : log.workload.header)
        if (name == key) return value;
    return "none";
}

TEST(Sacct, OneLineIsAJob) {
    const Log log = read(kHeader + kGood);
    const LogJob& job = log.workload.jobs.at(0);
    EXPECT_EQ(job.id, 7);
    EXPECT_EQ(job.submit, 0);
    EXPECT_EQ(job.wait, 5);
    EXPECT_EQ(job.run, 60);
    EXPECT_EQ(job.request, 600);
    EXPECT_EQ(job.processors, 16);
    EXPECT_EQ(job.memory_kb, 4 * 1024 * 1024 * 2 / 16);
    EXPECT_EQ(job.status, 1);
    EXPECT_EQ(job.partition, 0);
    EXPECT_EQ(log.workload.partitions, std::vector<std::string>{"main"});
    EXPECT_EQ(log.workload.nodes, 2);
    EXPECT_EQ(log.workload.processors, 16);
    EXPECT_EQ(header_of(log, "UnixStartTime"), "1772359200");
    EXPECT_EQ(header_of(log, "TimeZoneString"), "UTC");
    EXPECT_EQ(repairs_of(log), "");
}

TEST(Sacct, ColumnsAreFoundByTheirNames) {
    const LogJob good = job_of(kHeader + kGood);
    EXPECT_EQ(job_of("State|JobName|User|Elapsed|NCPUS|NNodes|Timelimit|End|Start|Submit|JobIDRaw|Partition|ReqMem\n"
                     "COMPLETED|heat|ann|00:01:00|16|2|00:10:00|2026-03-01T10:01:05|2026-03-01T10:00:05|"
                     "2026-03-01T10:00:00|7|main|4Gn\n"),
              good);
    // As sacct -p has it, as other programs save it, and by the names of the same columns.
    EXPECT_EQ(job_of("\xef\xbb\xbf" + kHeader.substr(0, kHeader.size() - 1) + "|\r\n" +
                     kGood.substr(0, kGood.size() - 1) + "|\r\n"),
              good);
    EXPECT_EQ(job_of("jobid|submit|start|end|timelimitraw|allocnodes|alloccpus|user|partition|state|reqmem|jobname\n" +
                     with(kLimit, "10")),
              good);
}

TEST(Sacct, ANameMayHaveABarInTheLastColumn) {
    const std::string name = with(kName, "a|b|c");
    EXPECT_EQ(job_of(kHeader + name).application, NameHash("job", "").of("a|b|c"));
    EXPECT_EQ(error_of("JobName|" + kHeader + "a|b|" + kGood),
              "drom-sim: read log: line 2, column 108: 14 fields, where the line of names has 13; let JobName "
              "be the last, which may have a |; --skip-bad-lines leaves such lines out");
}

TEST(Sacct, LinesThatEndWithABarAreThoseOfSmallP) {
    const auto with_bars = [](std::string text) {
        for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.insert(at, "|");
        return text;
    };
    EXPECT_EQ(read(with_bars(kHeader + kGood)).workload.jobs, read(kHeader + kGood).workload.jobs);
    EXPECT_EQ(read(with_bars(kHeader + with(kName, "a|b"))).workload.jobs,
              read(kHeader + with(kName, "a|b")).workload.jobs);
    EXPECT_EQ(read(with_bars(kHeader + with(kName, ""))).workload.jobs, read(kHeader + with(kName, "")).workload.jobs);
}

TEST(Sacct, AQosThatWasAskedForIsTheQueueOfItsJobAndNamedInTheHeader) {
    const std::string header = "QOS|" + kHeader;
    const Log log = read(header + "normal|" + kGood + "high|" + kGood + "|" + kGood + "normal|" + kGood);
    std::vector<int> queues;
    for (const LogJob& job : log.workload.jobs) queues.push_back(job.queue);
    EXPECT_EQ(queues, (std::vector<int>{1, 2, -1, 1}));
    EXPECT_EQ(header_of(log, "Queue"), "1 normal");
    EXPECT_EQ(log.workload.header.back(), (std::pair<std::string, std::string>("Queue", "2 high")));
    EXPECT_NE(error_of(header + "nor\x01mal|" + kGood).find("column 1: QOS 'nor.mal' is no name of a QOS"),
              std::string::npos)
        << error_of(header + "nor\x01mal|" + kGood);
}

TEST(Sacct, MissingColumnsAreNamed) {
    EXPECT_EQ(error_of("JobIDRaw|Submit|Start|State|NNodes|Timelimit\n"),
              "drom-sim: read log: line 1, column 1: the columns End, NCPUS are missing; sacct -a -X -P -o "
              "JobIDRaw,Submit,Start,End,Timelimit,NNodes,NCPUS,User,Partition,State,ReqMem,JobName prints all");
    EXPECT_EQ(error_of(kGood).substr(0, 80),
              "drom-sim: read log: line 1, column 1: '7|2026-03-01T10:00:00|20...' is no line o");
    const LogJob job = job_of(
        "JobIDRaw|Submit|Start|End|Timelimit|NNodes|NCPUS|State\n"
        "7|2026-03-01T10:00:00|2026-03-01T10:00:05|2026-03-01T10:01:05|00:10:00|2|16|COMPLETED\n");
    EXPECT_EQ(job.user, -1);
    EXPECT_EQ(job.application, -1);
    EXPECT_EQ(job.partition, -1);
    EXPECT_EQ(job.memory_kb, -1);
}

TEST(Sacct, WhatIsNoJobIsCounted) {
    const Log log = read(kHeader + kGood + with(kId, "7.batch") + with(kId, "7.0") + with(kId, "7.extern") +
                         with(kState, "PENDING") + with(kState, "RUNNING") + with(kState, "SUSPENDED") +
                         with(kEnd, "Unknown") + with(kStart, "Unknown") + with(kStart, "None") +
                         with(kSubmit, "Unknown") + with(kEnd, "2026-03-01T09:00:00") + with(kCpus, "0") + "\n");
    EXPECT_EQ(log.workload.jobs.size(), 1U);
    EXPECT_EQ(repairs_of(log), "step 3, pending 1, running 3, never-ran 2, no-submit 1, backwards 1, no-processors 1");
    EXPECT_EQ(log.repairs.lines, log.repairs.comments + log.repairs.blanks + log.repairs.jobs + log.repairs.left_out());
    EXPECT_EQ(header_of(log, "Note"), "users and applications are hashed names");
}

TEST(Sacct, AJobThatWasCancelledWhileItWaitedNeverRan) {
    const std::string cancelled =
        "8|2026-03-01T10:00:00|2026-03-01T10:30:00|2026-03-01T10:30:00|00:10:00|2|0|ann|main|CANCELLED by 1000|4Gn|a\n";
    EXPECT_EQ(repairs_of(read(kHeader + kGood + cancelled)), "never-ran 1");
    EXPECT_EQ(job_of(kHeader + with(kState, "CANCELLED by 1000")).status, 5);
}

TEST(Sacct, StatesBecomeTheStatusOfTheFormat) {
    const std::map<std::string, int> states = {
        {"COMPLETED", 1},      {"FAILED", 0},     {"TIMEOUT", 0},       {"NODE_FAIL", 0}, {"CANCELLED", 5},
        {"CANCELLED by 0", 5}, {"CANCELLED+", 5}, {"OUT_OF_MEMORY", 0}, {"PREEMPTED", 5}, {"DEADLINE", 5}};
    for (const auto& [state, status] : states) EXPECT_EQ(job_of(kHeader + with(kState, state)).status, status) << state;
}

TEST(Sacct, TasksOfAnArrayAreJobs) {
    const Log log = read(kHeader + with(kId, "8_1") + with(kId, "9") + with(kId, "10+1"));
    ASSERT_EQ(log.workload.jobs.size(), 3U);
    EXPECT_EQ(log.workload.jobs[0].id, 8);
    EXPECT_EQ(log.workload.jobs[2].id, 10);
}

TEST(Sacct, AJobWithoutALimitHasAnUnknownOne) {
    for (const std::string text : {"UNLIMITED", "Partition_Limit", ""}) {
        const Log log = read(kHeader + with(kLimit, text));
        EXPECT_EQ(log.workload.jobs.at(0).request, -1) << text;
        EXPECT_EQ(repairs_of(log), "no-limit 1") << text;
    }
    SlurmOptions options;
    options.default_limit = 3600;
    EXPECT_EQ(job_of(kHeader + with(kLimit, "UNLIMITED"), options).request, 3600);
    EXPECT_EQ(job_of(kHeader + with(kLimit, "1-02:03:04"), options).request, 93784);
    options.partition_limits = {{"main", 7200}};
    EXPECT_EQ(job_of(kHeader + with(kLimit, "Partition_Limit"), options).request, 7200);
}

TEST(Sacct, TheMachineIsWhatWasInUseAtOnce) {
    // Two jobs at once, and one as the first ends.
    const std::string jobs =
        "1|2026-03-01T10:00:00|2026-03-01T10:00:00|2026-03-01T11:00:00|01:00:00|2|16|a|main|COMPLETED||x\n"
        "2|2026-03-01T10:00:00|2026-03-01T10:30:00|2026-03-01T11:30:00|01:00:00|1|8|a|main|COMPLETED||x\n"
        "3|2026-03-01T10:00:00|2026-03-01T11:00:00|2026-03-01T12:00:00|01:00:00|2|16|a|main|COMPLETED||x\n";
    Log log = read(kHeader + jobs);
    EXPECT_EQ(log.workload.nodes, 3);
    EXPECT_EQ(log.workload.processors, 24);
    SlurmOptions options;
    options.nodes = 10;
    options.cores = 48;
    log = read(kHeader + jobs, options);
    EXPECT_EQ(log.workload.nodes, 10);
    EXPECT_EQ(log.workload.processors, 480);
    EXPECT_EQ(repairs_of(log), "spread 2");
    options.whole_nodes = true;
    log = read(kHeader + jobs, options);
    EXPECT_EQ(log.workload.jobs.at(0).processors, 96);
    EXPECT_EQ(log.workload.jobs.at(1).processors, 48);
    EXPECT_EQ(repairs_of(log), "widened 2");
}

TEST(Sacct, ABadFieldIsRefusedWithItsPlace) {
    const std::string skip = "; --skip-bad-lines leaves such lines out";
    EXPECT_EQ(error_of(kHeader + kGood + with(kEnd, "later")),
              "drom-sim: read log: line 3, column 43: End 'later' is no time; SLURM_TIME_FORMAT=standard gives times "
              "like 2026-11-25T19:18:59" +
                  skip);
    EXPECT_EQ(error_of(kHeader + with(kCpus, "-3")),
              "drom-sim: read log: line 2, column 74: NCPUS '-3' is no number of CPUs" + skip);
    EXPECT_EQ(error_of(kHeader + with(kLimit, "soon")),
              "drom-sim: read log: line 2, column 63: Timelimit 'soon' is no limit like 1-12:00:00" + skip);
    EXPECT_EQ(error_of(kHeader + with(kId, "job")),
              "drom-sim: read log: line 2, column 1: JobIDRaw 'job' is no number of a job" + skip);
    EXPECT_EQ(error_of(kHeader + "7|8\n"),
              "drom-sim: read log: line 2, column 4: 2 fields, where the line of names has 12" + skip);
    SlurmOptions options;
    options.skip_bad_lines = true;
    EXPECT_EQ(repairs_of(read(kHeader + kGood + with(kEnd, "later"), options)), "bad-line 1");
    EXPECT_EQ(repairs_of(read(kHeader + kGood + "8|2026-03-0")), "truncated 1");
    EXPECT_EQ(repairs_of(read(kHeader + with(kMemory, "16?"))), "out-of-range 1");
}

TEST(Sacct, ALogWithoutAJobIsRefused) {
    EXPECT_EQ(error_of(""), "drom-sim: read log: there is no job in it that ran and ended");
    EXPECT_EQ(error_of(kHeader + with(kState, "PENDING")),
              "drom-sim: read log: there is no job in it that ran and ended: 1 job still waits: left out (line 2)");
}

TEST(Jobcomp, ALineIsAJob) {
    // A line of Slurm 22.05, but for the names.
    const std::string line =
        "JobId=7 UserId=ann(1000) GroupId=users(100) Name=a name=b JobState=COMPLETED Partition=main TimeLimit=10 "
        "StartTime=2026-03-01T10:00:05 EndTime=2026-03-01T10:01:05 NodeList=n[1-2] NodeCnt=2 ProcCnt=16 "
        "WorkDir=/scratch/an n ReservationName= Tres=cpu=16,mem=8G,node=2,billing=16 Account= QOS= WcKey= "
        "Cluster=unknown SubmitTime=2026-03-01T10:00:00 EligibleTime=2026-03-01T10:00:00 DerivedExitCode=0:0 "
        "ExitCode=0:0 \n";
    LogJob good = job_of(kHeader + kGood);
    good.application = NameHash("job", "").of("a name=b");
    EXPECT_EQ(job_of(line), good);
    std::string unlimited = line;
    unlimited.replace(unlimited.find("TimeLimit=10"), 12, "TimeLimit=UNLIMITED");
    EXPECT_EQ(job_of(unlimited).request, -1);
    std::string requeued = line;
    requeued.replace(requeued.find("JobState=COMPLETED"), 18, "JobState=PENDING");
    requeued.replace(requeued.find("NodeCnt=2"), 9, "NodeCnt=0");
    EXPECT_EQ(job_of(requeued).run, 60);
    std::string old = line;
    old.replace(old.find("SubmitTime="), 11, "Submitted=");
    EXPECT_EQ(error_of(line + old),
              "drom-sim: read log: line 2, column 1: the field SubmitTime is missing; --skip-bad-lines leaves such "
              "lines out");
    EXPECT_EQ(error_of(line + "JobID 8\n").substr(0, 83),
              "drom-sim: read log: line 2, column 1: 'JobID 8' stands where a job begins with JobI");
}

TEST(RealSlurm, SacctAndJobcompTellTheSameJobs) {
    SlurmOptions options;
    options.zone = "Europe/Madrid";
    const auto table = read_slurm(TEST_DATA "/sacct-22.05.txt", options);
    const auto lines = read_slurm(TEST_DATA "/jobcomp-22.05.txt", options);
    ASSERT_TRUE(table.has_value()) << table.error();
    ASSERT_TRUE(lines.has_value()) << lines.error();
    EXPECT_EQ(repairs_of(*table), "step 18, running 1, never-ran 1, no-limit 1, spread 2");
    EXPECT_EQ(repairs_of(*lines), "never-ran 3, no-limit 1, spread 2");
    std::map<std::int64_t, LogJob> jobs;
    for (const LogJob& job : table->workload.jobs) jobs.emplace(job.id, job);
    EXPECT_EQ(jobs.size(), 10U);
    EXPECT_EQ(header_of(*table, "UnixStartTime"), "1795635979");
    EXPECT_EQ(header_of(*lines, "UnixStartTime"), "1795635979");
    for (LogJob job : lines->workload.jobs) {
        constexpr std::int64_t kRequeued = 13;  // jobcomp tells its first end, too
        if (job.id == kRequeued && job.run == 2) continue;
        const std::string& name = lines->workload.partitions.at(static_cast<std::size_t>(job.partition));
        LogJob& same = jobs.at(job.id);
        EXPECT_EQ(table->workload.partitions.at(static_cast<std::size_t>(same.partition)), name);
        same.partition = job.partition;
        job.queue = -1;  // sacct was not asked for it
        EXPECT_EQ(job, same) << job.id;
        jobs.erase(job.id);
    }
    EXPECT_TRUE(jobs.empty());
    EXPECT_EQ(table->workload.jobs.back().run, 8);
}

TEST(SlurmTimes, SeveralFormsAreRead) {
    LocalTimes utc("UTC");
    const auto at = [&](std::string_view text) { return utc.read(text).at; };
    EXPECT_EQ(at("2026-03-01T10:00:00"), 1772359200);
    for (const char* same : {"1772359200", "2026-03-01 10:00:00", "2026-03-01T10:00", "2026-03-01T10:00:00.123",
                             "2026-03-01T10:00:00Z", "2026-03-01T11:00:00+01:00", "2026-03-01T05:30:00-0430"})
        EXPECT_EQ(at(same), 1772359200) << same;
    using Form = LocalTimes::Moment::Form;
    for (const char* word : {"Unknown", "None", "", "N/A", "0"}) EXPECT_EQ(utc.read(word).form, Form::kUnknown) << word;
    for (const char* bad :
         {"Mon 12:34:56", "12:34:56", "2026-02-30T10:00:00", "2026-13-01T10:00:00", "1969-12-31T10:00",
          "2026-03-01T24:00:00", "2026-03-01T10:00:00 PM", "99999999999999999999", "2026-03-01", "-5"})
        EXPECT_EQ(utc.read(bad).form, Form::kBad) << bad;
}

TEST(SlurmTimes, AnHourThatComesTwiceIsTheOneThatFits) {
    LocalTimes madrid("Europe/Madrid");
    const Seconds summer = madrid.read("2026-10-25T02:30:00").at;
    EXPECT_EQ(summer, 1792888200);  // 00:30 UTC
    EXPECT_EQ(madrid.read("2026-10-25T02:30:00", summer).at, summer);
    EXPECT_EQ(madrid.read("2026-10-25T02:10:00", summer).at, 1792890600);  // 01:10 UTC, in winter
    EXPECT_EQ(madrid.read("2026-10-25T03:00:00").at, 1792893600);
    EXPECT_EQ(madrid.read("2026-07-01T12:00:00").at, 1782900000);
    EXPECT_EQ(madrid.read("2026-01-01T12:00:00").at, 1767265200);
}

TEST(SlurmTimes, AnUnknownZoneIsRefused) {
    EXPECT_EQ(zone_mistake("UTC"), "");
    EXPECT_EQ(zone_mistake("Europe/Madrid"), "");
    EXPECT_EQ(zone_mistake("CET-1CEST,M3.5.0,M10.5.0/3"), "");
    EXPECT_EQ(zone_mistake("IST-5:30"), "");
    EXPECT_EQ(zone_mistake("CET-1CEST-2,J60/-2,300"), "");
    for (const char* zone : {"Europe/Nowhere", "", "../../etc/passwd", "madrid", "XX-1", "Europe", "CET-99", "CET-1,,,",
                             "CET1:99", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.5.0", "CET-1CEST:", "CET--1"})
        EXPECT_NE(zone_mistake(zone), "") << zone;
}

TEST(SlurmTimes, AnHourThatClocksSkipIsCountedOnAndSaid) {
    LocalTimes madrid("Europe/Madrid");
    const auto skipped = madrid.read("2026-03-29T02:30:00");
    EXPECT_TRUE(skipped.skipped);
    EXPECT_EQ(skipped.at, madrid.read("2026-03-29T03:30:00").at);
    EXPECT_FALSE(madrid.read("2026-03-29T03:30:00").skipped);
    EXPECT_FALSE(madrid.read("2026-03-29T01:59:59").skipped);
    EXPECT_FALSE(madrid.read("2026-10-25T02:30:00").skipped);
    SlurmOptions options;
    options.zone = "Europe/Madrid";
    const std::string line =
        "7|2026-03-29T01:50:00|2026-03-29T02:10:00|2026-03-29T02:40:00|00:50:00|2|16|ann|main|"
        "COMPLETED|4Gn|heat\n";
    const Log log = read(kHeader + line, options);
    EXPECT_EQ(log.workload.jobs.front().wait, 1200);
    EXPECT_EQ(log.workload.jobs.front().run, 1800);
    ASSERT_EQ(log.repairs.list().size(), 1U);
    EXPECT_EQ(
        log.repairs.list().front().sentence(),
        "1 line has a time in an hour that clocks skip in spring: counted on by the clock of the winter (line 2)");
}

TEST(SlurmTimes, TheZoneOfTheProcessComesBack) {
    setenv("TZ", "Asia/Tokyo", 1);
    { LocalTimes madrid("Europe/Madrid"); }
    EXPECT_STREQ(getenv("TZ"), "Asia/Tokyo");
    EXPECT_EQ(zone_here(), "Asia/Tokyo");
    unsetenv("TZ");
    { LocalTimes madrid("Europe/Madrid"); }
    EXPECT_EQ(getenv("TZ"), nullptr);
}

TEST(SlurmValues, Spans) {
    const std::map<std::string, Seconds> spans = {{"10", 600},           {"10:30", 630},  {"01:00:00", 3600},
                                                  {"1-00:00:00", 86400}, {"7-0", 604800}, {"1-12:30", 131400}};
    for (const auto& [text, seconds] : spans) EXPECT_EQ(slurm::read_span(text), seconds) << text;
    for (const char* bad : {"", "-", "1-", "a", "1:2:3:4", "1:", ":1", "-5", "1-2-3", "99999999999999", "1.5"})
        EXPECT_EQ(slurm::read_span(bad), std::nullopt) << bad;
}

TEST(SlurmValues, CountsAndMemory) {
    EXPECT_EQ(slurm::read_count("1536"), 1536);
    EXPECT_EQ(slurm::read_count("1.50K"), 1536);
    EXPECT_EQ(slurm::read_count("2K"), 2048);
    for (const char* bad : {"", "x", "-1", "2X", "nan", "inf", "1e3"})
        EXPECT_EQ(slurm::read_count(bad), std::nullopt) << bad;
    const auto per_processor = [](std::string_view text) { return slurm::read_memory(text)->per_processor(2, 8); };
    EXPECT_EQ(per_processor("4000M"), 512'000);
    EXPECT_EQ(per_processor("4000"), 512'000);
    EXPECT_EQ(per_processor("4Gn"), 1'048'576);
    EXPECT_EQ(per_processor("2000Mc"), 2'048'000);
    EXPECT_EQ(per_processor("1.50G"), 196'608);
    EXPECT_EQ(per_processor("0n"), -1);
    EXPECT_EQ(per_processor(""), -1);
    for (const char* bad : {"n", "16?", "4Gx", "-4G"}) EXPECT_EQ(slurm::read_memory(bad), std::nullopt) << bad;
}

TEST(NameHashes, TheSameNameHasTheSameNumber) {
    NameHash users("user", "salt"), again("user", "salt"), other("user", "pepper"), jobs("job", "salt");
    EXPECT_EQ(users.of("ann"), users.of("ann"));
    EXPECT_EQ(users.of("ann"), again.of("ann"));
    EXPECT_NE(users.of("ann"), users.of("bob"));
    EXPECT_NE(users.of("ann"), other.of("ann"));
    EXPECT_NE(users.of("ann"), jobs.of("ann"));
    EXPECT_EQ(users.of(""), -1);
    EXPECT_EQ(users.collisions(), 0U);
}

/// Returns the text that sacct would print, with the columns in this order; users and names are numbers.
std::string sacct_text(const Workload& workload, Seconds zero, const std::vector<int>& order) {
    const std::vector<std::string> names = {"JobIDRaw", "Submit", "Start",     "End",   "Timelimit", "NNodes",
                                            "NCPUS",    "User",   "Partition", "State", "ReqMem",    "JobName"};
    const auto line = [&](const std::vector<std::string>& cells) {
        std::vector<std::string> ordered;
        for (const int column : order) ordered.push_back(cells[static_cast<std::size_t>(column)]);
        return fmt::format("{}\n", fmt::join(ordered, "|"));
    };
    const auto time = [&](Seconds at) {
        const std::time_t unix_time = zero + at;
        std::tm fields{};
        gmtime_r(&unix_time, &fields);
        char text[32];
        std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &fields);
        return std::string(text);
    };
    std::string text = line(names);
    for (const LogJob& job : workload.jobs) {
        const Seconds start = job.submit + job.wait, hours = job.request / 3600;
        text +=
            line({std::to_string(job.id), time(job.submit), time(start), time(start + job.run),
                  fmt::format("{}-{:02}:{:02}:{:02}", hours / 24, hours % 24, job.request / 60 % 60, job.request % 60),
                  std::to_string(job.processors / 48), std::to_string(job.processors), "u" + std::to_string(job.user),
                  "p" + std::to_string(job.partition), "COMPLETED", fmt::format("{}Kc", job.memory_kb),
                  "j" + std::to_string(job.application)});
    }
    return text;
}

TEST(SlurmProperties, WhatWasGeneratedComesBackAsTheSameJobs) {
    CirneParameters parameters = cirne_w1();
    parameters.jobs = 40;
    EXPECT_TRUE(test::holds("sacct's text of a generated workload has its jobs", [&] {
        Workload workload = cirne(parameters, *rc::gen::inRange<std::uint64_t>(0, 1'000'000));
        std::vector<int> order(12);
        std::iota(order.begin(), order.end(), 0);
        for (std::size_t i = order.size(); i > 1; --i)
            std::swap(order[i - 1], order[*rc::gen::inRange<std::size_t>(0, i)]);
        const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
        const Seconds first = workload.jobs.front().submit;
        for (LogJob& job : workload.jobs) {
            const auto draw = static_cast<std::uint64_t>(job.id) * 2654435761U + seed;
            job.submit -= first;
            job.wait = static_cast<Seconds>(draw % 100'000);
            job.user = static_cast<int>(draw % 7);
            job.application = static_cast<int>(draw % 11);
            job.partition = static_cast<int>(draw % 3);
            job.memory_kb = static_cast<std::int64_t>(draw % 1000) + 1;
        }
        const auto log = read_slurm_text(sacct_text(workload, 1'700'000'000, order), "generated", {});
        RC_ASSERT(log.has_value());
        RC_ASSERT(log->workload.jobs.size() == workload.jobs.size());
        NameHash users("user", ""), names("job", "");
        for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
            LogJob job = workload.jobs[i];
            const LogJob& back = log->workload.jobs[i];
            job.user = users.of("u" + std::to_string(job.user));
            job.application = names.of("j" + std::to_string(job.application));
            job.status = 1;
            RC_ASSERT(log->workload.partitions.at(static_cast<std::size_t>(back.partition)) ==
                      "p" + std::to_string(job.partition));
            job.partition = back.partition;
            RC_ASSERT(back == job);
        }
        RC_ASSERT(log->repairs.list().empty());
    }));
}

TEST(SlurmProperties, AnyBytesGiveJobsOrASentence) {
    const auto piece = rc::gen::oneOf(
        rc::gen::elementOf(std::vector<std::string>{
            kHeader, kGood, "|", "\n", "Unknown", "7.batch", "JobId=1 ", "UserId=a(1) ", "JobState=", "TimeLimit=1 ",
            "2026-03-01T10:00:00", "UNLIMITED", "CANCELLED by 1", "4Gn", "9999999999999999999", ";", "\r"}),
        rc::gen::string<std::string>());
    EXPECT_TRUE(test::holds("any text is read or refused", [&] {
        std::string text;
        for (const std::string& part : *rc::gen::container<std::vector<std::string>>(piece)) text += part;
        if (*rc::gen::arbitrary<bool>()) text = kHeader + kGood + text;
        SlurmOptions options;
        options.skip_bad_lines = *rc::gen::arbitrary<bool>();
        const auto log = read_slurm_text(text, "log", options);
        if (!log) {
            RC_ASSERT(log.error().starts_with("drom-sim: read log: "));
            RC_ASSERT(log.error().find('\n') == std::string::npos);
            return;
        }
        const Repairs& repairs = log->repairs;
        RC_ASSERT(repairs.lines == repairs.comments + repairs.blanks + repairs.jobs + repairs.left_out());
        // The log that is written has the same jobs.
        std::ostringstream written;
        RC_ASSERT(write_swf(written, log->workload).has_value());
        ReadOptions keep;
        keep.overrun = ReadOptions::Overrun::kKeep;
        const auto again = read_swf_text(written.str(), "again", keep);
        RC_ASSERT(again.has_value());
        RC_ASSERT(again->workload.jobs.size() == log->workload.jobs.size());
        RC_ASSERT(again->workload.partitions == log->workload.partitions);
        for (std::size_t i = 0; i < again->workload.jobs.size(); ++i) {
            LogJob job = log->workload.jobs[i];
            if (job.request < 0) job.request = std::max<Seconds>(job.run, 1);
            RC_ASSERT(again->workload.jobs[i] == job);
        }
    }));
}

}  // namespace
}  // namespace drom::sim
