// SPDX-License-Identifier: GPL-2.0-or-later
// select_test.cpp - the parts of select/malleable that need no Slurm: options, the choice of cores, words in comments,
// what is remembered of jobs that share, the loans file.
#include <filesystem>
#include <fstream>

#include "common/admin_comment.hpp"
#include "policy/registry/backfill_rows.hpp"
#include "property.hpp"
#include "select_malleable/books/core_sets.hpp"
#include "select_malleable/search/no_room.hpp"
#include "select_malleable/state/counters.hpp"
#include "select_malleable/state/journal_file.hpp"
#include "select_malleable/state/loans_file.hpp"
#include "select_malleable/state/select_options.hpp"
#include "select_malleable/state/shared_jobs.hpp"
#include "temp_dir.hpp"

namespace {

using namespace drom::slurm;
using drom::test::holds;
using Limit = drom::policy::SlowdownRules::Limit;

// ---- options -----------------------------------------------------------------------------------------------------

TEST(SelectOptions, AreTheThesissWhereNothingIsSaid) {
    const auto options = read_scheduler_parameters("bf_interval=30,batch_sched_delay=0");
    ASSERT_TRUE(options);
    EXPECT_EQ(options->rules.limit, Limit::kDynamic);
    EXPECT_EQ(options->rules.sharing.sharing_factor, 0.5);
    EXPECT_EQ(options->rules.sharing.max_mates, 2);
    EXPECT_EQ(options->rules.sharing.jobs_per_node, 2);
    EXPECT_EQ(options->delay_max, 0);
    EXPECT_EQ(options->log, "");
    EXPECT_TRUE(read_scheduler_parameters(""));
}

TEST(SelectOptions, StandBetweenSlurmsOwn) {
    const auto options = read_scheduler_parameters(
        "bf_interval=30,sd_max_slowdown=7.5,sd_sharing_factor=0.25,,sd_max_mates=3,sd_max_jobs_per_node=4,sd_log=/var/"
        "log/sd");
    ASSERT_TRUE(options) << options.error();
    EXPECT_EQ(options->rules.limit, Limit::kNumber);
    EXPECT_EQ(options->rules.max_slowdown, 7.5);
    EXPECT_EQ(options->rules.sharing.sharing_factor, 0.25);
    EXPECT_EQ(options->rules.sharing.max_mates, 3);
    EXPECT_EQ(options->rules.sharing.jobs_per_node, 4);
    EXPECT_EQ(options->log, "/var/log/sd");
    EXPECT_EQ(read_scheduler_parameters("sd_max_slowdown=inf")->rules.limit, Limit::kInfinite);
    EXPECT_EQ(read_scheduler_parameters("sd_delay_max=90")->delay_max, 90);
    EXPECT_EQ(read_scheduler_parameters("sd_delay_max=inf")->delay_max, drom::policy::kNever);
}

TEST(SelectOptions, SayWhatIsBetterThanTheThesisAndLimitPartitionsAndQos) {
    const auto options = read_scheduler_parameters(
        "sd_gain=1,sd_add_free_nodes=yes,sd_max_slowdown_partition=debug:2/long:inf,sd_max_slowdown_qos=low:10,"
        "sd_qos=strict,sd_qos_order=low/normal/high");
    ASSERT_TRUE(options) << options.error();
    EXPECT_EQ(options->rules.gain, 1);
    EXPECT_TRUE(options->rules.sharing.add_free_nodes);
    const drom::policy::MateLimits& limits = options->rules.sharing.limits;
    EXPECT_EQ(drom::policy::text_of(limits.partitions), "debug:2/long:inf");
    EXPECT_EQ(drom::policy::text_of(limits.qos), "low:10");
    EXPECT_EQ(drom::policy::text_of(limits.qos_order), "low/normal/high");
    EXPECT_TRUE(limits.strict);
    EXPECT_FALSE(read_scheduler_parameters("sd_add_free_nodes=no")->rules.sharing.add_free_nodes);
    EXPECT_FALSE(read_scheduler_parameters("")->rules.sharing.add_free_nodes);
}

TEST(SelectOptions, SayWhichJobsShare) {
    const auto options = read_scheduler_parameters(
        "sd_only_partition=a/b,sd_not_partition=c,sd_only_qos=d,sd_not_qos=e,sd_only_account=f,sd_not_account=g/h,"
        "sd_same=account");
    ASSERT_TRUE(options) << options.error();
    const drom::policy::MateLimits& limits = options->rules.sharing.limits;
    using Names = std::vector<std::string>;
    EXPECT_EQ(limits.share_partitions.only, (Names{"a", "b"}));
    EXPECT_EQ(limits.share_partitions.no, Names{"c"});
    EXPECT_EQ(limits.share_qos.only, Names{"d"});
    EXPECT_EQ(limits.share_qos.no, Names{"e"});
    EXPECT_EQ(limits.share_accounts.only, Names{"f"});
    EXPECT_EQ(limits.share_accounts.no, (Names{"g", "h"}));
    EXPECT_EQ(limits.same, drom::policy::Same::kAccount);
    EXPECT_EQ(read_scheduler_parameters("sd_same=group").error(),
              "SchedulerParameters: sd_same=group: it has to be any, user or account");
    EXPECT_EQ(read_scheduler_parameters("sd_not_qos=a/").error(),
              "SchedulerParameters: sd_not_qos=a/: it has to be NAME/NAME; the list has a name that is empty");
    EXPECT_EQ(read_scheduler_parameters("sd_metrics=sd.prom").error(),
              "SchedulerParameters: sd_metrics=sd.prom: it has to be a path that begins with /");
}

TEST(SelectOptions, SayThatAControllerOnlyDecides) {
    EXPECT_TRUE(read_scheduler_parameters("sd_dry_run=yes,sd_log=/sd")->rules.dry_run);
    EXPECT_FALSE(read_scheduler_parameters("sd_dry_run=no")->rules.dry_run);
    EXPECT_FALSE(read_scheduler_parameters("")->rules.dry_run);
}

TEST(SelectOptions, AreNamedWhenTheyAreWrong) {
    const auto why = [](const char* text) {
        const auto options = read_scheduler_parameters(text);
        return options ? "nothing is wrong" : options.error();
    };
    EXPECT_EQ(
        why("sd_maxslowdown=3"),
        "SchedulerParameters: sd_maxslowdown=3: there is no such option; there are sd_max_slowdown, "
        "sd_sharing_factor, sd_max_mates, sd_max_jobs_per_node, sd_delay_max, sd_gain, sd_add_free_nodes, "
        "sd_max_slowdown_partition, sd_max_slowdown_qos, sd_qos, sd_qos_order, sd_only_partition, "
        "sd_not_partition, sd_only_qos, sd_not_qos, sd_only_account, sd_not_account, sd_same, sd_dry_run, sd_log, "
        "sd_metrics");
    for (const char* value : {"", "0.9", "0", "-3", "x", "3x", "nan", "1e999", "infinite", "Dynamic"})
        EXPECT_EQ(why(("bf_window=9,sd_max_slowdown=" + std::string(value)).c_str()),
                  "SchedulerParameters: sd_max_slowdown=" + std::string(value) +
                      ": it has to be a number of 1 or more, inf, or dynamic");
    for (const char* value : {"", "0", "1", "-0.5", "0,5", "nan"})
        EXPECT_NE(why(("sd_sharing_factor=" + std::string(value)).c_str()).find("from 0.01 to 0.99"),
                  std::string::npos);
    EXPECT_EQ(why("sd_max_mates=0"), "SchedulerParameters: sd_max_mates=0: it has to be a number from 1 to 16");
    EXPECT_EQ(why("sd_max_mates"), "SchedulerParameters: sd_max_mates: it has to be a number from 1 to 16");
    EXPECT_EQ(why("sd_max_jobs_per_node=1"),
              "SchedulerParameters: sd_max_jobs_per_node=1: it has to be a number from 2 to 64");
    for (const char* value : {"", "-1", "x", "5m", "31536001"})
        EXPECT_EQ(why(("sd_delay_max=" + std::string(value)).c_str()),
                  "SchedulerParameters: sd_delay_max=" + std::string(value) +
                      ": it has to be a number of seconds up to a year, or inf");
    for (const char* value : {"", "-1", "x", "inf", "nan", "1e7"})
        EXPECT_EQ(why(("sd_gain=" + std::string(value)).c_str()),
                  "SchedulerParameters: sd_gain=" + std::string(value) + ": it has to be a number from 0 to 1000000");
    EXPECT_EQ(why("sd_add_free_nodes=1"), "SchedulerParameters: sd_add_free_nodes=1: it has to be yes or no");
    EXPECT_EQ(why("sd_qos=low"), "SchedulerParameters: sd_qos=low: it has to be any or strict");
    EXPECT_EQ(why("sd_qos=strict"),
              "SchedulerParameters: sd_qos=strict needs sd_qos_order, which lists the QOS from the lowest to the "
              "highest");
    EXPECT_EQ(why("sd_qos_order=low/low"),
              "SchedulerParameters: sd_qos_order=low/low: it has to be NAME/NAME, from the lowest QOS to the highest; "
              "the list names 'low' twice");
    EXPECT_EQ(why("sd_max_slowdown_partition=debug"),
              "SchedulerParameters: sd_max_slowdown_partition=debug: it has to be NAME:LIMIT/NAME:LIMIT, each limit a "
              "number of 1 or more, or inf; the list has 'debug', which is no NAME:LIMIT; limits look like 2:10/5:inf");
    EXPECT_NE(why("sd_max_slowdown_qos=low:0.5").find("which is out of range"), std::string::npos);
    EXPECT_EQ(why("sd_dry_run=1,sd_log=/sd"), "SchedulerParameters: sd_dry_run=1: it has to be yes or no");
    EXPECT_EQ(why("sd_dry_run=yes"),
              "SchedulerParameters: sd_dry_run=yes needs sd_log, which says what would have been shared");
    EXPECT_EQ(why("sd_log=sd.log"), "SchedulerParameters: sd_log=sd.log: it has to be a path that begins with /");
}

TEST(SelectOptions, TakeTheSameNumbersAsThoseOfTheSimulator) {
    const std::pair<const char*, const char*> names[] = {{"sd_max_slowdown", "max_slowdown"},
                                                         {"sd_sharing_factor", "sharing_factor"},
                                                         {"sd_max_mates", "max_mates"},
                                                         {"sd_max_jobs_per_node", "jobs_per_node"},
                                                         {"sd_gain", "gain"},
                                                         {"sd_add_free_nodes", "add_free_nodes"},
                                                         {"sd_qos", "qos"},
                                                         {"sd_same", "same"}};
    for (const auto& [controller, simulator] : names)
        for (const char* value : {"-1",  "0",   "0.005", "0.01",    "0.5", "0.99",   "0.995", "1",      "2",    "8",
                                  "9",   "16",  "17",    "64",      "65",  "1e6",    "1e7",   "1e12",   "1e13", "inf",
                                  "nan", "yes", "no",    "dynamic", "any", "strict", "user",  "account"}) {
            const std::string setting = controller + std::string("=") + value;
            const std::string beside = value == std::string("strict") ? ",sd_qos_order=low/high" : "";
            drom::policy::Policy sd(*drom::policy::find_policy("sd"));
            EXPECT_EQ(read_scheduler_parameters(setting + beside).has_value(),
                      sd.set(*sd.find(simulator), value).has_value())
                << setting;
        }
}

TEST(SelectOptions, HaveTheDefaultsOfTheSimulator) {
    const drom::policy::SlowdownRules ours = read_scheduler_parameters("")->rules;
    const drom::policy::Policy sd(*drom::policy::find_policy("sd"));
    const drom::policy::SlowdownRules& theirs = sd.rules<drom::policy::BackfillPolicy>().sharing;
    EXPECT_EQ(ours.limit, theirs.limit);
    EXPECT_EQ(ours.gain, theirs.gain);
    EXPECT_EQ(ours.sharing.sharing_factor, theirs.sharing.sharing_factor);
    EXPECT_EQ(ours.sharing.max_mates, theirs.sharing.max_mates);
    EXPECT_EQ(ours.sharing.jobs_per_node, theirs.sharing.jobs_per_node);
    EXPECT_EQ(ours.sharing.add_free_nodes, theirs.sharing.add_free_nodes);
}

// ---- refusals ----------------------------------------------------------------------------------------------------

TEST(NoRoom, HoldsForTheSameDemandForFiveMinutes) {
    NoRoom refused;
    drom::policy::Job job;
    job.id = 7;
    job.nodes = 2;
    using drom::policy::NodeSet;
    refused.note(job, NodeSet(0, 2), 100);
    refused.note(job, NodeSet(4, 2), 200);
    NodeSet both(0, 2);
    both.insert(NodeSet(4, 2));
    EXPECT_EQ(refused.nodes_without(job, 400), both);
    EXPECT_TRUE(refused.nodes_without(job, 401).empty());
    drom::policy::Job other = job;
    other.id = 8;
    EXPECT_TRUE(refused.nodes_without(other, 200).empty());
    job.filter.memory_mb = 1;
    EXPECT_TRUE(refused.nodes_without(job, 200).empty());
    refused.note(job, NodeSet(1, 1), 200);
    EXPECT_EQ(refused.nodes_without(job, 200), NodeSet(1, 1));
    refused.forget();
    EXPECT_TRUE(refused.nodes_without(job, 200).empty());
}

// ---- cores -------------------------------------------------------------------------------------------------------

std::vector<bool> cores(const std::string& text) {
    std::vector<bool> set;
    for (const char c : text) set.push_back(c == '#');
    return set;
}

std::string text(const std::vector<bool>& set) {
    std::string text;
    for (const bool core : set) text += core ? '#' : '.';
    return text;
}

TEST(CoreSets, AGuestGetsTheLastCoresOfItsMateAndTheMateGetsThemBack) {
    std::vector<Share> shares = {{cores("########"), 4}, {cores("........"), 4}};
    EXPECT_TRUE(redistribute(shares));
    EXPECT_EQ(text(shares[0].cores), "####....");
    EXPECT_EQ(text(shares[1].cores), "....####");
    shares.pop_back();
    shares[0].wanted = 8;
    EXPECT_TRUE(redistribute(shares));
    EXPECT_EQ(text(shares[0].cores), "########");
}

TEST(CoreSets, WhoGainsGetsCoresBesideItsOwn) {
    std::vector<Share> shares = {{cores("##......"), 4}, {cores("......##"), 3}};
    EXPECT_TRUE(redistribute(shares));
    EXPECT_EQ(text(shares[0].cores), "####....");
    EXPECT_EQ(text(shares[1].cores), ".....###");
}

TEST(CoreSets, TooFewFreeOnesAreSaid) {
    std::vector<Share> shares = {{cores("###."), 3}, {cores("...."), 2}};
    EXPECT_FALSE(redistribute(shares));
    EXPECT_EQ(text(shares[1].cores), "...#");
}

TEST(CoreSets, NoCoreIsGivenTwiceAndNoneMovesThatNeedNot) {
    EXPECT_TRUE(holds("redistribution", [] {
        const auto size = static_cast<std::size_t>(*rc::gen::inRange(1, 20));
        const int jobs = *rc::gen::inRange(1, 4);
        std::vector<Share> shares(static_cast<std::size_t>(jobs), {std::vector<bool>(size, false), 0});
        for (std::size_t core = 0; core < size; ++core)
            if (const int owner = *rc::gen::inRange(-1, jobs); owner >= 0)
                shares[static_cast<std::size_t>(owner)].cores[core] = true;
        int left = static_cast<int>(size);
        for (Share& share : shares) left -= share.wanted = *rc::gen::inRange(0, left + 1);
        const std::vector<Share> before = shares;
        RC_ASSERT(redistribute(shares));
        for (std::size_t i = 0; i < shares.size(); ++i) {
            const auto had = std::count(before[i].cores.begin(), before[i].cores.end(), true);
            int kept = 0;
            for (std::size_t core = 0; core < size; ++core) kept += before[i].cores[core] && shares[i].cores[core];
            RC_ASSERT(std::count(shares[i].cores.begin(), shares[i].cores.end(), true) == shares[i].wanted);
            RC_ASSERT(kept == std::min<long>(had, shares[i].wanted));
        }
        for (std::size_t core = 0; core < size; ++core) {
            int owners = 0;
            for (const Share& share : shares) owners += share.cores[core];
            RC_ASSERT(owners <= 1);
        }
    }));
}

// ---- comments ----------------------------------------------------------------------------------------------------

TEST(AdminComment, WordsAreReplacedAndWhatAnAdministratorWroteStays) {
    EXPECT_EQ(with_value("", "sharing", "5"), "sharing=5");
    EXPECT_EQ(with_value("ask  Ann malleable=2", "sharing", "5"), "ask  Ann malleable=2 sharing=5");
    EXPECT_EQ(with_value("sharing=5 malleable=2", "sharing", "6,7"), "malleable=2 sharing=6,7");
    EXPECT_EQ(with_value("a sharing=5 b", "sharing", ""), "a b");
    EXPECT_EQ(with_value("a b", "sharing", ""), "a b");
    EXPECT_EQ(value_of("sharing=5 sharing=6", "sharing"), "6");
    EXPECT_EQ(value_of("nosharing=5 sharingx=6 sharing", "sharing"), std::nullopt);
}

TEST(SystemComment, SaysWhyAJobWaitsAndSinceWhen) {
    const std::string first = with_reason("mine", "no-mates", "", "10:00");
    EXPECT_EQ(first, "mine unshared=no-mates unshared_since=10:00");
    EXPECT_EQ(with_reason(first, "no-mates", "", "11:00"), first);
    const std::string second = with_reason(first, "own-limit", "MaxTime of partition p", "12:00");
    EXPECT_EQ(second, "mine unshared=own-limit unshared_by=MaxTime_of_partition_p unshared_since=12:00");
    EXPECT_EQ(with_reason(second, "own-limit", "MaxTime of partition q", "13:00"),
              "mine unshared=own-limit unshared_by=MaxTime_of_partition_q unshared_since=13:00");
    EXPECT_EQ(with_reason(second, "", "", ""), "mine");
    EXPECT_EQ(with_reason("", "", "", ""), "");
}

// ---- jobs that share ---------------------------------------------------------------------------------------------

/// Returns a job of 32 CPUs that started at 1000.
SharedJob job_of_32() {
    SharedJob job;
    job.whole = job.cpus = 32;
    job.counted = job.record_start = 1000;
    return job;
}

TEST(SharedJob, CountsWhatItHadAndWhatOthersHad) {
    SharedJob job = job_of_32();
    job.change(16, 1050);
    job.change(32, 1100);
    job.count(1110);
    job.count(1105);  // a time that is over
    EXPECT_EQ(job.ran, 110);
    EXPECT_EQ(job.had, 50 * 32 + 50 * 16 + 10 * 32);
    EXPECT_EQ(job.lent, 50 * 16);
}

TEST(SharedJob, HasNothingWhileItIsSuspended) {
    SharedJob job = job_of_32();
    job.count(1010);
    job.paused = 1;
    job.count(1020);
    job.paused = 0;
    job.count(1030);
    EXPECT_EQ(job.ran, 20);
    EXPECT_EQ(job.had, 20 * 32);
}

TEST(SharedJob, IsChargedExactlyWhereARecordBeginsWithEachNumberOfCpus) {
    SharedJob job = job_of_32();
    job.change(16, 1047);
    job.end_record();
    job.begin_record(7);
    EXPECT_EQ(job.before, 32);
    EXPECT_EQ(job.previous, 7);
    EXPECT_EQ(job.record_start, 1047);
    job.count(1101);
    EXPECT_EQ(job.mean_cpus(), 16);
}

TEST(SharedJob, IsChargedForTheMeanUntilARecordCanBegin) {
    SharedJob job = job_of_32();
    job.change(16, 1010);
    job.end_record();  // slurmdbd has not told the number of the record yet
    job.change(32, 1020);
    job.end_record();
    EXPECT_EQ(job.cut, 1010) << "the first end stays";
    job.begin_record(7);
    EXPECT_EQ(job.before, 32);
    EXPECT_EQ(job.record_start, 1010);
    job.count(1040);
    EXPECT_EQ(job.mean_cpus(), 27) << "10 s with 16 and 20 s with 32";
}

TEST(SharedJob, NeedsNoNewRecordInTheSecondOfItsStart) {
    SharedJob job = job_of_32();
    job.change(16, 1000);
    job.end_record();
    EXPECT_EQ(job.cut, 0);
    EXPECT_EQ(job.unsaid, 1);
    EXPECT_EQ(job.mean_cpus(), 16);
}

TEST(SharedJob, IsSaidAgainAfterHalfAnHour) {
    SharedJob job = job_of_32();
    job.change(16, 1010);
    job.end_record();
    job.begin_record(7);
    job.say_again(1010 + 1799);
    EXPECT_EQ(job.unsaid, 0);
    job.say_again(1010 + 1800);
    EXPECT_EQ(job.unsaid, 1);
}

TEST(SharedJob, TellsItsOwnLimitFromWhatSharingAdded) {
    SharedJob job;
    EXPECT_EQ(job.own_part(10), 10U);
    job.note_limit(10, 1);
    job.note_limit(10, 2);
    EXPECT_EQ(job.own_part(12), 10U);
    EXPECT_EQ(job.own_part(11), 11U) << "an administrator set it";
    EXPECT_EQ(job.own_part(30), 30U);
    job.go_back_to(11);  // a slurmctld that was killed comes back with it
    EXPECT_EQ(job.own_part(11), 10U);
    job.note_limit(10, 0);
    EXPECT_EQ(job.own_part(11), 11U);
}

TEST(SharedJobs, AreReadAsTheyWereWritten) {
    SharedJobs jobs;
    jobs[5].note_limit(10, 1);
    jobs[5].note_limit(10, 2);
    jobs[5].delayed = 60;
    jobs[7] = job_of_32();
    jobs[7].change(16, 1050);
    jobs[7].end_record();
    jobs[7].begin_record(0xC060'0000'0000'0007);  // the cluster's number has the top bit in half of all clusters
    SharedJobs read;
    ASSERT_TRUE(read.read(jobs.text()));
    EXPECT_EQ(read.text(), jobs.text());
    EXPECT_EQ(read.ids(), (std::vector<drom::policy::JobId>{5, 7}));
    EXPECT_EQ(*read.find(5), *jobs.find(5));
    EXPECT_EQ(*read.find(7), *jobs.find(7));
    EXPECT_EQ(read.find(6), nullptr);
}

TEST(SharedJobs, OfAFileThatCannotBeReadAreNone) {
    SharedJobs jobs;
    jobs[5].note_limit(10, 1);
    const std::string text = jobs.text();
    EXPECT_EQ(jobs.read(text + "job id=6\n").error(), "its line 2 is of no job that has shared");
    EXPECT_TRUE(jobs.ids().empty());
    for (const std::string wrong : {"start at=1 job=2\n", "job\n", "job id=x\n", "\n"})
        EXPECT_FALSE(jobs.read(wrong)) << wrong;
    std::string negative = text;
    negative.replace(negative.find("own=10"), 6, "own=-1");
    EXPECT_FALSE(jobs.read(negative));
    EXPECT_TRUE(jobs.read(""));
}

// ---- counters and the journal's file -----------------------------------------------------------------------------

TEST(CountersFile, IsOpenMetricsThatIsReplacedAsAWhole) {
    const drom::test::TempDir temporary;
    const std::string path = std::filesystem::path(temporary.path()) / "sd.prom";
    Counters counters;
    counters.answers = {{"share", 2}, {"no-mates", 7}};
    counters.shared_starts = 1;
    counters.extended_minutes = 2;
    counters.search_seconds = 0.25;
    counters.sharing_jobs = 3;
    ASSERT_EQ(write_counters(path, "old"), "");
    ASSERT_EQ(write_counters(path, text_of(counters)), "");
    std::ifstream in(path);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    for (const char* sample : {"\ndrom_sd_answers_total{outcome=\"no-mates\"} 7\n", "\ndrom_sd_shared_starts_total 1\n",
                               "\ndrom_sd_extended_seconds_total 120\n", "\ndrom_sd_search_seconds_total 0.250000\n",
                               "\ndrom_sd_sharing_jobs 3\n# EOF\n"})
        EXPECT_NE(text.find(sample), std::string::npos) << sample << text;
    EXPECT_EQ(write_counters("/nowhere/sd.prom", ""), "write /nowhere/sd.prom.new: No such file or directory");
}

TEST(JournalFile, SeesThatItWasRenamedRemovedOrEmptied) {
    const drom::test::TempDir temporary;
    const std::filesystem::path path = std::filesystem::path(temporary.path()) / "sd.log";
    JournalFile journal;
    EXPECT_FALSE(journal.was_rotated());
    ASSERT_TRUE(journal.open(path));
    ASSERT_TRUE(journal.append("one"));
    EXPECT_FALSE(journal.was_rotated());
    std::filesystem::rename(path, path.string() + ".1");
    EXPECT_TRUE(journal.was_rotated());
    std::ofstream(path) << "another program's\n";
    EXPECT_TRUE(journal.was_rotated());
    ASSERT_TRUE(journal.open(path));
    ASSERT_TRUE(journal.append("two"));
    EXPECT_FALSE(journal.was_rotated());
    std::filesystem::resize_file(path, 0);
    EXPECT_TRUE(journal.was_rotated());
    ASSERT_TRUE(journal.open(path));
    ASSERT_TRUE(journal.append("three"));
    EXPECT_FALSE(journal.was_rotated());
    std::ifstream in(path);
    EXPECT_EQ((std::string{std::istreambuf_iterator<char>(in), {}}), "three\n");
    EXPECT_FALSE(journal.open("/nowhere/sd.log"));
    EXPECT_FALSE(journal.was_rotated());
}

// ---- the loans file -------------------------------------------------------------------------------------------

class LoansFile : public testing::Test {
protected:
    drom::test::TempDir temporary_;
    std::filesystem::path directory_ = temporary_.path();
    std::filesystem::path path_ = directory_ / "malleable.loans";
};

TEST_F(LoansFile, IsReadAsItWasWritten) {
    ASSERT_EQ(write_loans(path_, "one\ntwo\n"), "");
    EXPECT_EQ(read_loans(path_).value(), "one\ntwo\n");
    ASSERT_EQ(write_loans(path_, ""), "");
    EXPECT_EQ(read_loans(path_).value(), "");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_), {}), 1) << "nothing else is left there";
}

TEST_F(LoansFile, ThatIsNotThereIsEmpty) { EXPECT_EQ(read_loans(path_).value(), ""); }

TEST_F(LoansFile, ThatWasChangedOrCutIsNotBelieved) {
    ASSERT_EQ(write_loans(path_, "start at=1 job=2\nfinish at=3 job=2\n"), "");
    std::ifstream in(path_);
    const std::string whole{std::istreambuf_iterator<char>(in), {}};
    for (std::size_t size = 0; size < whole.size(); ++size) {
        std::ofstream(path_, std::ios::trunc) << whole.substr(0, size);
        EXPECT_FALSE(read_loans(path_)) << size << " bytes of it";
    }
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string changed = whole;
        changed[at] ^= 1;
        std::ofstream(path_, std::ios::trunc) << changed;
        EXPECT_FALSE(read_loans(path_)) << "byte " << at;
    }
}

TEST_F(LoansFile, ThatCannotBeWrittenIsSaidAndTheOldOneStays) {
    ASSERT_EQ(write_loans(path_, "old\n"), "");
    const std::string nowhere = directory_ / "missing" / "malleable.loans";
    EXPECT_EQ(write_loans(nowhere, "new\n"), "write " + nowhere + ".new: No such file or directory");
    std::filesystem::create_directory(path_.string() + ".new");
    EXPECT_EQ(write_loans(path_, "new\n"), "write " + path_.string() + ".new: Is a directory");
    EXPECT_EQ(read_loans(path_).value(), "old\n");
}

}  // namespace
