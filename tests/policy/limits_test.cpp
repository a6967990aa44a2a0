// SPDX-License-Identifier: BSD-3-Clause
// limits_test.cpp - which limit a mate has, and whose guest it may be.
#include "policy/job/limits.hpp"

#include "policy/backfill/scheduler.hpp"
#include "property.hpp"
#include "random_cluster.hpp"

namespace {

using namespace drom::policy;
using namespace drom::test;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

Job job_of(int partition, int qos, double max_slowdown = kInfinite) {
    Job job;
    job.partition = partition;
    job.qos = qos;
    job.max_slowdown = max_slowdown;
    return job;
}

/// Returns limits where partitions are debug 0 and long 1, and QOS are low 0 and high 1.
MateLimits limits_of(const char* partitions, const char* qos, const char* order = "none") {
    MateLimits limits;
    EXPECT_TRUE(read_limits(limits.partitions, partitions));
    EXPECT_TRUE(read_limits(limits.qos, qos));
    EXPECT_TRUE(read_names(limits.qos_order, order));
    limits.strict = !limits.qos_order.empty();
    limits.set_numbers({{"debug", 0}, {"long", 1}}, {{"low", 0}, {"high", 1}});
    return limits;
}

TEST(Limits, AMateHasTheSmallestOfThoseOfItsPartitionAndItsQos) {
    const MateLimits limits = limits_of("debug:2/long:inf", "low:20/high:1.5");
    EXPECT_EQ(limits.of(job_of(-1, -1), 5), 5) << "neither has one";
    EXPECT_EQ(limits.of(job_of(2, 7), 5), 5);
    EXPECT_EQ(limits.of(job_of(0, -1), 5), 2);
    EXPECT_EQ(limits.of(job_of(1, -1), 5), kInfinite) << "its own instead of the general one";
    EXPECT_EQ(limits.of(job_of(-1, 0), 5), 20);
    EXPECT_EQ(limits.of(job_of(0, 0), 5), 2);
    EXPECT_EQ(limits.of(job_of(0, 1), 5), 1.5);
    EXPECT_EQ(limits.of(job_of(1, 0), 5), 20);
}

TEST(Limits, AUsersOwnBoundOnlyLowersTheLimit) {
    const MateLimits limits = limits_of("debug:2/long:inf", "none");
    EXPECT_EQ(limits.of(job_of(-1, -1, 3), 5), 3);
    EXPECT_EQ(limits.of(job_of(-1, -1, 9), 5), 5);
    EXPECT_EQ(limits.of(job_of(1, -1, 9), 5), 9);
    EXPECT_EQ(limits.of(job_of(0, -1, 9), 5), 2);
}

/// Returns a job of the user 5 in this account.
Job of_account(int account, int partition = -1, int qos = -1) {
    Job job = job_of(partition, qos);
    job.account = account;
    job.user = 5;
    return job;
}

TEST(Limits, OnlyJobsThatAreAdmittedShare) {
    MateLimits limits;
    limits.share_partitions.only = {"debug", "unknown"};
    limits.share_qos.no = {"low"};
    limits.share_accounts.only = {"physics", "biology"};
    limits.share_accounts.no = {"biology"};
    EXPECT_TRUE(limits.admits(Job())) << "nothing is numbered yet";
    limits.set_numbers({{"debug", 0}, {"long", 1}}, {{"low", 0}, {"high", 1}}, {{"physics", 0}, {"biology", 1}});
    EXPECT_TRUE(limits.admits(of_account(0, 0, 1)));
    EXPECT_TRUE(limits.admits(of_account(0, 0))) << "no QOS";
    EXPECT_FALSE(limits.admits(of_account(0, 1, 1)));
    EXPECT_FALSE(limits.admits(of_account(0, -1, 1))) << "no partition, where only some are admitted";
    EXPECT_FALSE(limits.admits(of_account(0, 0, 0)));
    EXPECT_FALSE(limits.admits(of_account(1, 0, 1))) << "named twice: left out";
    EXPECT_FALSE(limits.admits(of_account(2, 0, 1)));
    EXPECT_TRUE(limits.may_take(of_account(2, 1), of_account(0, 0, 1))) << "the guest is asked about elsewhere";
    EXPECT_FALSE(limits.may_take(of_account(0, 0, 1), of_account(0, 1)));
}

TEST(Limits, JobsOfTheSameUserOrAccountShare) {
    MateLimits limits;
    Job other = of_account(1);
    EXPECT_TRUE(limits.may_take(of_account(0), other));
    limits.same = Same::kUser;
    EXPECT_TRUE(limits.may_take(of_account(0), other));
    other.user = 6;
    EXPECT_FALSE(limits.may_take(of_account(0), other));
    limits.same = Same::kAccount;
    EXPECT_FALSE(limits.may_take(of_account(0), other));
    EXPECT_TRUE(limits.may_take(of_account(1), other));
    for (const Same same : {Same::kAny, Same::kUser, Same::kAccount}) {
        Same read = Same::kAny;
        EXPECT_TRUE(read_same(read, text_of(same)));
        EXPECT_EQ(read, same);
    }
    Same kept = Same::kUser;
    EXPECT_FALSE(read_same(kept, "group"));
    EXPECT_EQ(kept, Same::kUser);
}

TEST(Limits, NoGuestTakesCoresFromAHigherQos) {
    const MateLimits limits = limits_of("none", "none", "low/high");
    EXPECT_TRUE(limits.may_take(job_of(0, 1), job_of(0, 0)));
    EXPECT_TRUE(limits.may_take(job_of(0, 0), job_of(0, 0)));
    EXPECT_FALSE(limits.may_take(job_of(0, 0), job_of(0, 1)));
    EXPECT_FALSE(limits.may_take(job_of(0, -1), job_of(0, 0))) << "without QOS is below all";
    EXPECT_FALSE(limits.may_take(job_of(0, 5), job_of(0, 0))) << "that is not in the order, too";
    EXPECT_TRUE(limits.may_take(job_of(0, 0), job_of(0, -1)));
    EXPECT_TRUE(limits.may_take(job_of(0, -1), job_of(0, -1)));
    MateLimits any = limits;
    any.strict = false;
    EXPECT_TRUE(any.may_take(job_of(0, 0), job_of(0, 1)));
}

TEST(Limits, WhatCannotBeMeantIsSaidAndChangesNothing) {
    std::vector<NamedLimit> limits{{"kept", 3}};
    const auto why = [&limits](const char* text) { return read_limits(limits, text).error(); };
    EXPECT_EQ(why("debug"), "has 'debug', which is no NAME:LIMIT; limits look like 2:10/5:inf");
    EXPECT_EQ(why("debug:2/"), "has '', which is no NAME:LIMIT; limits look like 2:10/5:inf");
    EXPECT_EQ(why(":2"), "has a name that is empty");
    EXPECT_EQ(why("debug:2/debug:3"), "names 'debug' twice");
    EXPECT_EQ(why("debug:x"), "has the limit 'x', which is not a number; nor inf");
    EXPECT_EQ(why("debug:0.9"), "has the limit '0.9', which is out of range; 1 to 1000000000000 can be meant; nor inf");
    EXPECT_EQ(text_of(limits), "kept:3");
    std::vector<std::string> names{"kept"};
    EXPECT_EQ(read_names(names, "low//high").error(), "has a name that is empty");
    EXPECT_EQ(read_names(names, "low/high/low").error(), "names 'low' twice");
    EXPECT_EQ(read_names(names, "low/?").error(), "has the name '?', which has no letter or digit");
    EXPECT_EQ(read_names(names, "lo w").error(),
              "has the name 'lo w', which has a blank or a comma; write %20 and %2C for them");
    EXPECT_EQ(read_names(names, "a,b").error(),
              "has the name 'a,b', which has a blank or a comma; write %20 and %2C for them");
    for (const std::string name : {"50%", "a%2", "a%zz", "a%0Ab", "a%7F"})
        EXPECT_EQ(read_names(names, name).error(),
                  "has the name '" + name + "', where % does not stand for a letter as in %2F; %25 is a percent sign");
    EXPECT_EQ(read_names(names, "a%2Fb/a%2fb").error(), "names 'a%2fb' twice");
    EXPECT_EQ(text_of(names), "kept");
}

TEST(Limits, ANameMayHaveALetterThatMeansSomethingInAnOption) {
    std::vector<std::string> names;
    ASSERT_TRUE(read_names(names, "bio%2Fchem/day%20and%20night/a%2Cb/100%25/%41"));
    EXPECT_EQ(names, (std::vector<std::string>{"bio/chem", "day and night", "a,b", "100%", "A"}));
    EXPECT_EQ(text_of(names), "bio%2Fchem/day%20and%20night/a%2Cb/100%25/A");
    std::vector<NamedLimit> limits;
    ASSERT_TRUE(read_limits(limits, "bio%2Fchem:2"));
    EXPECT_EQ(limits.front().name, "bio/chem");
}

TEST(Limits, AreReadAsTheyArePrinted) {
    for (const char* text : {"none", "debug:2", "debug:2/long:inf", "a:b:1.25/7:1", "a%2Fb:2/c%20d:inf"}) {
        std::vector<NamedLimit> limits;
        ASSERT_TRUE(read_limits(limits, text));
        EXPECT_EQ(text_of(limits), text);
    }
    std::vector<std::string> names;
    ASSERT_TRUE(read_names(names, "low/2/high"));
    EXPECT_EQ(text_of(names), "low/2/high");
}

/// Asks for a guest that would slow the machine's only running job down to 1.1.
Refusal asked(const Job& mate, const Job& guest, const SlowdownRules& rules) {
    Cluster cluster(Machine::uniform(2, 4));
    Job running = mate;
    running.request = 1000;
    running.nodes = 2;
    cluster.start(running, NodeSet(0, 2), 0);
    Job come = guest;
    come.id = 1;
    come.request = 100;
    come.nodes = 2;
    const Availability map(cluster, 0, 1);
    return consider(cluster, map, come, 1000, slowdown_limit(cluster, rules), rules, 0).refusal;
}

TEST(Limits, HoldWhereAJobIsConsidered) {
    SlowdownRules rules;
    rules.limit = SlowdownRules::Limit::kInfinite;
    rules.sharing.limits = limits_of("debug:1.1/long:1.2", "none", "low/high");
    EXPECT_EQ(asked(job_of(-1, 0), job_of(0, 0), rules), Refusal::kNone);
    EXPECT_EQ(asked(job_of(0, 0), job_of(1, 0), rules), Refusal::kNoMates) << "that of the mate counts";
    EXPECT_EQ(asked(job_of(1, 0), job_of(0, 0), rules), Refusal::kNone);
    EXPECT_EQ(asked(job_of(1, 1), job_of(0, 0), rules), Refusal::kNoMates) << "of a higher QOS";
    EXPECT_EQ(asked(job_of(1, 0, 1.1), job_of(0, 0), rules), Refusal::kNoMates) << "its user does not accept that";
    EXPECT_EQ(asked(job_of(1, 0, 1.11), job_of(0, 0), rules), Refusal::kNone);
    rules.sharing.parts = true;
    EXPECT_EQ(asked(job_of(0, 0), job_of(1, 0), rules), Refusal::kNoMates);
    EXPECT_EQ(asked(job_of(1, 1), job_of(0, 0), rules), Refusal::kNoMates);
    EXPECT_EQ(asked(job_of(1, 0, 1.1), job_of(0, 0), rules), Refusal::kNoMates);
    EXPECT_EQ(asked(job_of(1, 0, 1.11), job_of(0, 0), rules), Refusal::kNone);
}

TEST(Limits, TheDynamicOneIsThatOfMatesWithoutAnother) {
    SlowdownRules rules;
    rules.sharing.limits = limits_of("long:1.2", "none");
    EXPECT_EQ(asked(job_of(0, -1), job_of(0, -1), rules), Refusal::kNoMates) << "the mean is 1";
    EXPECT_EQ(asked(job_of(1, -1), job_of(0, -1), rules), Refusal::kNone);
}

TEST(Limits, NoMateOfAnyClusterIsBeyondItsOwn) {
    EXPECT_TRUE(holds("mates within their limits", [] {
        SharingRules rules;
        rules.parts = *rc::gen::arbitrary<bool>();
        rules.add_free_nodes = *rc::gen::arbitrary<bool>();
        rules.jobs_per_node = rules.parts ? 2 : *rc::gen::inRange(2, 4);
        Seconds now = 0;
        Cluster cluster = random_cluster(Machine::uniform(12, 4), rules, now, 20);
        rules.limits = limits_of(*rc::gen::element("none", "debug:2/long:inf", "debug:1.5"),
                                 *rc::gen::element("none", "low:4/high:1.2"), *rc::gen::element("none", "low/high"));
        Job guest = random_job(99, now, 8);
        guest.qos = *rc::gen::inRange(-1, 2);
        const double general = *rc::gen::element(1.5, 3.0, kInfinite);
        const auto chosen = choose_mates(cluster, Availability(cluster, now, 1), guest, general, rules, now);
        if (!chosen) return;
        for (const Mate& mate : chosen->mates) {
            const Job& job = cluster.running(mate.slot).job;
            RC_ASSERT(mate.slowdown < rules.limits.of(job, general));
            RC_ASSERT(!rules.limits.strict || job.qos <= guest.qos);
        }
    }));
}

}  // namespace
