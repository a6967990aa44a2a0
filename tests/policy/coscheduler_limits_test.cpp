// SPDX-License-Identifier: BSD-3-Clause
// coscheduler_limits_test.cpp - jobs that may not share with one another, and decisions that limits forbid.
#include <gtest/gtest.h>

#include "policy/sharing/coscheduler.hpp"

namespace {

using namespace drom::policy;

Job job(JobId id, Seconds request, int nodes, Seconds submit) {
    Job made;
    made.id = id;
    made.request = request;
    made.nodes = nodes;
    made.submit = submit;
    return made;
}

TEST(Coscheduler, JobsOfAnotherUserAreNoMatesAndJobsThatAreNotAdmittedAreNotAskedAbout) {
    SlowdownRules rules;
    rules.limit = SlowdownRules::Limit::kInfinite;
    rules.sharing.limits.same = Same::kUser;
    rules.sharing.limits.share_partitions.no = {"debug"};
    const auto names = std::make_shared<JobNames>();
    Coscheduler c({{8, NodeSet(0, 4)}}, rules, names);
    Job mate = job(1, 1000, 2, 0), guest = job(2, 100, 2, 10);
    mate.user = guest.user = names->users.number("1000");
    ASSERT_TRUE(c.start(mate, NodeSet(0, 2), 0));
    Job stranger = guest;
    stranger.user = names->users.number("1001");
    EXPECT_EQ(c.propose(stranger, NodeSet(0, 4), 1000, 10).refusal, Refusal::kNoMates);
    EXPECT_EQ(c.propose(guest, NodeSet(0, 4), 1000, 10).refusal, Refusal::kNone);
    guest.partition = names->partitions.number("debug");
    EXPECT_EQ(c.propose(guest, NodeSet(0, 4), 1000, 10).refusal, Refusal::kNotAdmitted);
}

TEST(Coscheduler, ADecisionThatALimitForbidsIsNoDecisionToShareInTheJournal) {
    SlowdownRules rules;
    rules.limit = SlowdownRules::Limit::kInfinite;
    Coscheduler c({{8, NodeSet(0, 4)}}, rules);
    std::vector<std::string> lines;
    c.write_to([&lines](const std::string& line) { lines.push_back(line.substr(0, line.find(" submit"))); });
    ASSERT_TRUE(c.start(job(1, 1000, 2, 0), NodeSet(0, 2), 0));
    const std::size_t before = lines.size();
    for (Seconds now = 10; now < 13; ++now) {
        const Event plan = c.weigh(job(2, 100, 2, 10), NodeSet(0, 4), 1000, now);
        ASSERT_EQ(plan.refusal, Refusal::kNone);
        c.beyond_limit(plan, 1);
        c.beyond_limit(plan, 2);
        EXPECT_EQ(c.weigh(job(2, 100, 2, 10), NodeSet(2, 2), 1000, now).refusal, Refusal::kNoMates);
    }
    EXPECT_EQ(std::vector<std::string>(lines.begin() + static_cast<std::ptrdiff_t>(before), lines.end()),
              (std::vector<std::string>{"beyond-limit at=10 job=2 mates=1 whose=1",
                                        "beyond-limit at=10 job=2 mates=1 whose=2", "consider at=10 job=2"}));
    c.agreed(c.weigh(job(2, 100, 2, 10), NodeSet(0, 4), 1000, 13));
    EXPECT_EQ(lines.back(), "consider at=13 job=2");
}

}  // namespace
