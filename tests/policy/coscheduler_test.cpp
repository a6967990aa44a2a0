// SPDX-License-Identifier: BSD-3-Clause
// coscheduler_test.cpp - a controller's memory of sharing: restored from the list of loans, it decides the same.
#include "policy/sharing/coscheduler.hpp"

#include <sstream>

#include "property.hpp"
#include "random_cluster.hpp"

namespace {

using namespace drom::policy;
using namespace drom::test;

Job job(JobId id, Seconds request, int nodes, Seconds submit = 0) {
    Job made;
    made.id = id;
    made.submit = submit;
    made.request = request;
    made.nodes = nodes;
    return made;
}

SlowdownRules rules(double max_slowdown = 10) {
    SlowdownRules made;
    made.limit = SlowdownRules::Limit::kNumber;
    made.max_slowdown = max_slowdown;
    return made;
}

/// Reads a line of which no name matters.
tl::expected<Line, std::string> read_line(std::string_view line) {
    JobNames names;
    return parse_line(line, names);
}

Coscheduler four_nodes() { return {{{8, NodeSet(0, 4)}}, rules()}; }

int cores_on(const Coscheduler& c, JobId id, int node) {
    for (const Held& held : c.cores_of(id))
        if (held.nodes.contains(node)) return held.cores;
    return 0;
}

/// Returns all that the coscheduler says about running jobs, as text.
std::string picture(const Coscheduler& c, JobId most) {
    std::ostringstream text;
    for (JobId id = 1; id <= most; ++id) {
        const RunningJob* running = c.find(id);
        if (running == nullptr) continue;
        text << id << " from " << running->start << " to " << running->end << ':';
        for (int node = 0; node < 20; ++node) text << ' ' << cores_on(c, id, node);
        for (const JobId other : c.co_runners(id)) text << " with " << other;
        text << '\n';
    }
    return text.str();
}

TEST(Coscheduler, AGuestTakesHalfOfItsMatesAndGivesItBack) {
    Coscheduler c = four_nodes();
    ASSERT_TRUE(c.start(job(1, 1000, 2), NodeSet(0, 2), 0));
    const Event proposal = c.propose(job(2, 100, 2, 10), NodeSet(0, 4), 1000, 10);
    ASSERT_EQ(proposal.refusal, Refusal::kNone);
    EXPECT_EQ(proposal.mates, std::vector<JobId>{1});
    EXPECT_EQ(proposal.cores, 4);
    EXPECT_EQ(proposal.guest_end, 210);
    EXPECT_EQ(proposal.mate_ends, std::vector<Seconds>{1100});
    ASSERT_TRUE(c.share(proposal.job, proposal.mates, proposal.cores, 10));
    EXPECT_EQ(c.co_runners(1), std::vector<JobId>{2});
    EXPECT_EQ(cores_on(c, 1, 1), 4);
    EXPECT_EQ(c.find(1)->end, 1100);
    c.finish(2, 110);
    EXPECT_EQ(c.changed(), std::vector<JobId>{1});
    EXPECT_EQ(cores_on(c, 1, 1), 8);
    EXPECT_EQ(c.find(1)->end, 1050);
    c.finish(1, 1050);
    EXPECT_EQ(c.loans().find("job="), std::string::npos) << "no job that shared runs any more";
}

TEST(Coscheduler, JobsThatShareAreEndedTogetherOrNotAtAll) {
    Coscheduler c({{8, NodeSet(0, 8)}}, rules());
    ASSERT_TRUE(c.start(job(1, 1000, 2), NodeSet(0, 2), 0));
    ASSERT_TRUE(c.start(job(2, 1000, 2), NodeSet(2, 2), 0));
    ASSERT_TRUE(c.start(job(3, 1000, 2), NodeSet(4, 2), 0));
    ASSERT_TRUE(c.share(job(4, 100, 4), {1, 2}, 4, 0)) << "1 and 2 are bound by 4";
    EXPECT_EQ(c.whole_groups({2, 4, 3, 1}), (std::vector<JobId>{2, 4, 3, 1}));
    EXPECT_EQ(c.whole_groups({4, 3, 1}), std::vector<JobId>{3});
    EXPECT_EQ(c.whole_groups({1, 4, 3}), std::vector<JobId>{3}) << "1 has all its co-runners here, but 4 has not";
    EXPECT_EQ(c.whole_groups({1, 2}), std::vector<JobId>{});
    EXPECT_EQ(c.whole_groups({9}), std::vector<JobId>{9}) << "it is not known, and shares with no job";
}

TEST(Coscheduler, NoMateHasNodesThatTheJobMayNotHave) {
    Coscheduler c = four_nodes();
    ASSERT_TRUE(c.start(job(1, 1000, 2), NodeSet(0, 2), 0));
    EXPECT_EQ(c.propose(job(2, 100, 2, 10), NodeSet(1, 3), 1000, 10).refusal, Refusal::kNoMates);
    EXPECT_EQ(c.propose(job(2, 100, 2, 10), NodeSet(0, 4), 1000, 10).refusal, Refusal::kNone);
    c.occupy(NodeSet(1, 1));
    EXPECT_EQ(c.propose(job(2, 100, 2, 10), NodeSet(0, 4), 1000, 10).refusal, Refusal::kNoMates);
    c.vacate(NodeSet(1, 1));
    EXPECT_EQ(c.propose(job(2, 100, 2, 10), NodeSet(0, 4), 1000, 10).refusal, Refusal::kNone);
}

Job with_memory(Job job, std::int64_t mb) {
    job.filter.memory_mb = mb;
    return job;
}

TEST(Coscheduler, AMateLeavesItsGuestTheMemoryThatItDoesNotHaveItself) {
    Coscheduler c({{8, NodeSet(0, 4), {{1000, NodeSet(0, 2)}, {3000, NodeSet(2, 2)}}}}, rules());
    ASSERT_TRUE(c.start(with_memory(job(1, 9000, 2), 600), NodeSet(0, 2), 0));
    ASSERT_TRUE(c.start(with_memory(job(2, 1000, 2), 600), NodeSet(2, 2), 0));
    const auto mates = [&c](std::int64_t mb) {
        return c.propose(with_memory(job(3, 100, 2, 10), mb), NodeSet(0, 4), kNever, 10).mates;
    };
    EXPECT_EQ(mates(400), std::vector<JobId>{1}) << "of the longer job, which loses less";
    EXPECT_EQ(mates(401), std::vector<JobId>{2});
    EXPECT_EQ(mates(2400), std::vector<JobId>{2});
    EXPECT_TRUE(mates(2401).empty());
    EXPECT_EQ(mates(400), std::vector<JobId>{1}) << "what was refused before was another demand";
    ASSERT_TRUE(c.share(with_memory(job(3, 100, 2, 10), 400), {1}, 4, 10));
    Coscheduler again(c.pools(), rules());
    const std::vector<Placed> running = {{job(1, 9000, 2), NodeSet(0, 2), 0, 4},
                                         {job(3, 100, 2, 10), NodeSet(0, 2), 10, 4}};
    ASSERT_TRUE(again.restore(c.loans(), running, 20));
    EXPECT_EQ(again.find(3)->job.filter.memory_mb, 400);
}

TEST(Coscheduler, LoansAreBelievedAlsoIfNodesHaveMoreMemoryNow) {
    Coscheduler c({{8, NodeSet(0, 4), {{1000, NodeSet(0, 4)}}}}, rules());
    ASSERT_TRUE(c.start(job(1, 9000, 4), NodeSet(0, 4), 0));
    ASSERT_TRUE(c.share(job(2, 100, 4, 10), {1}, 4, 10));
    Coscheduler again({{8, NodeSet(0, 4), {{2000, NodeSet(0, 4)}}}}, rules());
    EXPECT_TRUE(again.restore(
        c.loans(), {{job(1, 9000, 4), NodeSet(0, 4), 0, 4}, {job(2, 100, 4, 10), NodeSet(0, 4), 10, 4}}, 20));
}

TEST(Coscheduler, NodesOfAnotherSizeAreAnotherPool) {
    Coscheduler c({{8, NodeSet(0, 2)}, {16, NodeSet(2, 2)}}, rules());
    ASSERT_TRUE(c.start(job(1, 1000, 2), NodeSet(2, 2), 0));
    EXPECT_FALSE(c.start(job(3, 1000, 2), NodeSet(1, 2), 0)) << "one node of each size";
    const Event proposal = c.propose(job(2, 100, 2, 10), NodeSet(0, 4), 1000, 10);
    ASSERT_EQ(proposal.refusal, Refusal::kNone);
    EXPECT_EQ(proposal.cores, 8);
    EXPECT_EQ(proposal.nodes.text(), "2-3");
}

TEST(Coscheduler, WhatCannotBeChangesNothing) {
    Coscheduler c = four_nodes();
    ASSERT_TRUE(c.start(job(1, 1000, 2), NodeSet(0, 2), 0));
    EXPECT_FALSE(c.start(job(1, 1000, 1), NodeSet(3, 1), 0)) << "it runs";
    EXPECT_FALSE(c.start(job(2, 1000, 1), NodeSet(1, 1), 0)) << "a job is there";
    EXPECT_FALSE(c.start(job(2, 1000, 1), NodeSet(7, 1), 0)) << "there is no such node";
    EXPECT_FALSE(c.share(job(2, 10, 2), {7}, 4, 5)) << "no such mate";
    EXPECT_FALSE(c.share(job(2, 10, 2), {}, 4, 5));
    EXPECT_FALSE(c.share(job(2, 10, 4), {1, 1}, 4, 5)) << "twice the same mate";
    EXPECT_FALSE(c.share(job(2, 10, 2), {1}, 5, 5)) << "more than the factor";
    EXPECT_FALSE(c.share(job(2, 10, 1), {1}, 4, 5)) << "not its number of nodes";
    c.finish(9, 5);
    EXPECT_EQ(picture(c, 9), "1 from 0 to 1000: 8 8 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
    ASSERT_TRUE(c.share(job(2, 10, 2), {1}, 4, 5));
    EXPECT_FALSE(c.share(job(3, 10, 2), {1}, 2, 5)) << "it hosts a guest";
}

TEST(Coscheduler, ARefusalIsToldOnceUntilItChanges) {
    Coscheduler c = four_nodes();
    ASSERT_TRUE(c.start(job(1, 1000, 2), NodeSet(0, 2), 0));
    std::vector<std::string> lines;
    c.write_to([&lines](const std::string& line) { lines.push_back(line); });
    ASSERT_EQ(lines.size(), 3U) << "rules, pool, start";
    for (Seconds now = 10; now < 20; ++now) c.propose(job(2, 100, 3), NodeSet(0, 4), 1000, now);
    EXPECT_EQ(lines.size(), 4U);
    c.propose(job(2, 110, 3), NodeSet(0, 4), 30, 20);
    EXPECT_EQ(lines.size(), 5U);
    EXPECT_EQ(lines.back(),
              "consider at=20 job=2 submit=0 request=110 count=3 min_cores=1 within=0-3 static=30 limit=10 "
              "outcome=waiting-is-sooner");
}

TEST(Coscheduler, AProposalThatIsNotFollowedIsToldOnce) {
    Coscheduler c = four_nodes();
    ASSERT_TRUE(c.start(job(1, 1000, 2), NodeSet(0, 2), 0));
    std::vector<std::string> lines;
    c.write_to([&lines](const std::string& line) { lines.push_back(line); });
    for (Seconds now = 10; now < 20; ++now) {
        EXPECT_EQ(c.propose(job(2, 100, 2), NodeSet(0, 4), 1000, now).refusal, Refusal::kNone);
        EXPECT_EQ(c.propose(job(2, 100, 2), NodeSet(), 1000, now).refusal, Refusal::kNoMates)
            << "no nodes are left to try";
    }
    EXPECT_EQ(lines.size(), 4U);
}

TEST(Coscheduler, AJobThatWasChangedIsNotRefusedForWhatItWas) {
    Coscheduler c = four_nodes();
    ASSERT_TRUE(c.start(job(1, 1000, 2), NodeSet(0, 2), 0));
    EXPECT_EQ(c.propose(job(2, 3000, 2), NodeSet(0, 4), kNever, 10).refusal, Refusal::kNoMates);
    EXPECT_EQ(c.propose(job(2, 100, 2), NodeSet(0, 4), kNever, 11).refusal, Refusal::kNone);
}

TEST(Coscheduler, WhoIsRefusedAgainKeepsTheLimitThatWasInForce) {
    Coscheduler c = four_nodes();
    ASSERT_TRUE(c.start(job(1, 1000, 2), NodeSet(0, 2), 0));
    for (Seconds now = 10; now < 14; ++now) {
        const Event refused = c.propose(job(2, 100, 3), NodeSet(0, 4), kNever, now);
        EXPECT_EQ(refused.refusal, Refusal::kNoMates);
        EXPECT_EQ(refused.limit, 10);
        EXPECT_EQ(refused.nodes.text(), "0-3");
    }
}

TEST(Coscheduler, AMateThatComesToAnyPoolIsSeen) {
    Coscheduler c({{8, NodeSet(0, 4)}, {16, NodeSet(4, 4)}}, rules());
    for (const JobId mate : {JobId{1}, JobId{2}}) {
        for (Seconds now = 10; now < 13; ++now)
            EXPECT_EQ(c.propose(job(9, 100, 2), NodeSet(0, 8), kNever, now).refusal, Refusal::kNoMates);
        ASSERT_TRUE(c.start(job(mate, 1000, 2), NodeSet(mate == 1 ? 0 : 4, 2), 13));
        EXPECT_EQ(c.propose(job(9, 100, 2), NodeSet(0, 8), kNever, 14).mates, std::vector<JobId>{mate});
        c.finish(mate, 15);
    }
}

// ---- restored ----------------------------------------------------------------------------------------------------

struct Story {
    Coscheduler c;
    std::vector<std::string> lines;
    std::vector<Placed> running;
    Seconds now = 0;
    JobId last = 0;
    int shared = 0;
    std::vector<JobId> numbers = {};  ///< the numbers of jobs that have ended
};

/// Returns a new number, or one that was used: a requeued job keeps its number, and a controller that lost its last
/// jobs gives their numbers away again.
JobId next_number(Story& s) {
    if (s.numbers.empty() || !*rc::gen::weightedElement<bool>({{1, true}, {3, false}})) return ++s.last;
    const auto chosen = s.numbers.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, std::ssize(s.numbers));
    const JobId number = *chosen;
    s.numbers.erase(chosen);
    return number;
}

void step(Story& s) {
    s.now += *rc::gen::inRange<Seconds>(0, 60);
    if (!s.running.empty() && *rc::gen::weightedElement<bool>({{1, true}, {2, false}})) {
        const auto gone = s.running.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, std::ssize(s.running));
        s.c.finish(gone->job.id, s.now);
        s.numbers.push_back(gone->job.id);
        s.running.erase(gone);
        return;
    }
    const int all = s.c.pools().front().nodes.count();
    const Job come = random_job(next_number(s), s.now, std::max(1, all / 2));
    const NodeSet nodes(*rc::gen::inRange(0, all - come.nodes + 1), come.nodes);
    if (s.c.start(come, nodes, s.now)) {
        s.running.push_back({come, nodes, s.now, 8});
        return;
    }
    const Event proposal = s.c.propose(come, NodeSet(0, all), s.now + 2000, s.now);
    if (proposal.refusal != Refusal::kNone) return;
    RC_ASSERT(s.c.share(come, proposal.mates, proposal.cores, s.now));
    NodeSet shared;
    for (const Held& held : s.c.cores_of(come.id)) shared.insert(held.nodes);
    s.running.push_back({come, shared, s.now, proposal.cores});
    ++s.shared;
}

Story random_story() {
    SlowdownRules chosen;
    chosen.limit = *rc::gen::element(SlowdownRules::Limit::kDynamic, SlowdownRules::Limit::kInfinite);
    chosen.sharing.jobs_per_node = *rc::gen::weightedElement<int>({{4, 2}, {1, 3}});
    Story story{Coscheduler({{8, NodeSet(0, *rc::gen::inRange(2, 12))}}, chosen), {}, {}};
    return story;
}

TEST(Coscheduler, TheJournalToldAgainDecidesTheSame) {
    int shared = 0;
    EXPECT_TRUE(holds("replay", [&shared] {
        Story story = random_story();
        const int before = *rc::gen::inRange(0, 20);
        for (int i = 0; i < before; ++i) step(story);
        story.c.write_to([&story](const std::string& line) { story.lines.push_back(line); });
        for (int i = 0; i < 20; ++i) step(story);
        shared += story.shared;

        const auto names = std::make_shared<JobNames>();
        Coscheduler again(story.c.pools(), story.c.rules(), names);
        for (const std::string& line : story.lines) {
            const auto parsed = parse_line(line, *names);
            RC_ASSERT(parsed.has_value());
            const auto* event = std::get_if<Event>(&*parsed);
            if (event == nullptr) continue;
            RC_ASSERT(text_of(*event, *names) == line);
            RC_ASSERT(again.apply(*event));
            if (event->what != Event::What::kConsider) continue;
            const Event now = again.propose(event->job, event->nodes, event->static_start, event->at);
            RC_ASSERT(text_of(now, *names) == line);
        }
        RC_ASSERT(picture(again, story.last) == picture(story.c, story.last));
    }));
    EXPECT_GT(shared, cases_a_property() / 2) << "the stories hardly share";
}

TEST(Coscheduler, WhatItRemembersMakesNoOtherDecision) {
    EXPECT_TRUE(holds("what if", [] {
        Story story = random_story();
        for (int i = 0; i < 30; ++i) step(story);
        const Job asked = random_job(++story.last, story.now, 5);
        const NodeSet all = story.c.pools().front().nodes;
        const Event fresh = story.c.what_if(story.c.rules(), asked, all, story.now + 2000, story.now);
        RC_ASSERT(text_of(story.c.propose(asked, all, story.now + 2000, story.now)) == text_of(fresh));
        RC_ASSERT(story.c.propose(asked, all, story.now + 2000, story.now).refusal == fresh.refusal);
    }));
}

TEST(Coscheduler, OtherRulesAreAskedWithoutAConsequence) {
    Coscheduler c = four_nodes();
    ASSERT_TRUE(c.start(job(1, 1000, 2), NodeSet(0, 2), 0));
    std::vector<std::string> lines;
    c.write_to([&lines](const std::string& line) { lines.push_back(line); });
    SlowdownRules other = rules();
    other.sharing.sharing_factor = 0.25;
    EXPECT_EQ(c.what_if(other, job(2, 100, 2), NodeSet(0, 4), 1000, 10).cores, 2);
    EXPECT_EQ(c.what_if(rules(1.05), job(2, 100, 2), NodeSet(0, 4), 1000, 10).refusal, Refusal::kNoMates);
    EXPECT_EQ(lines.size(), 3U) << "rules, pool, start";
    EXPECT_EQ(c.propose(job(2, 100, 2), NodeSet(0, 4), 1000, 10).cores, 4);
}

TEST(Coscheduler, AKilledControllerComesBackFromItsLoans) {
    EXPECT_TRUE(holds("restore", [] {
        Story story = random_story();
        for (int i = 0; i < 30; ++i) step(story);
        Coscheduler again(story.c.pools(), story.c.rules());
        // Slurm's own state is as old as its last save: a job of the list of loans may be gone, or be there still.
        RC_ASSERT(again.restore(story.c.loans(), story.running, story.now).has_value());
        RC_ASSERT(picture(again, story.last) == picture(story.c, story.last));
        RC_ASSERT(again.loans() == story.c.loans());
    }));
}

TEST(Coscheduler, WithoutItsLoansItInfersWhoIsWhoseGuest) {
    EXPECT_TRUE(holds("infer", [] {
        Story story = random_story();
        RC_PRE(story.c.rules().sharing.jobs_per_node == 2);
        for (int i = 0; i < 30; ++i) step(story);
        // The cores of a mate that has ended are taken for cores of its guest: without the list of loans they look the
        // same.
        Coscheduler again(story.c.pools(), story.c.rules());
        RC_ASSERT(again.restore("", story.running, story.now).has_value());
        for (const Placed& seen : story.running)
            for (const Held& held : again.cores_of(seen.job.id)) RC_ASSERT(held.cores >= 1 && held.cores <= 8);
        for (int node = 0; node < 12; ++node) {
            int cores = 0;
            for (const Placed& seen : story.running) cores += cores_on(again, seen.job.id, node);
            RC_ASSERT(cores == 0 || cores == 8);
        }
    }));
}

TEST(Coscheduler, LoansThatDoNotFitWhatRunsAreNotBelieved) {
    Coscheduler c = four_nodes();
    ASSERT_TRUE(c.start(job(1, 1000, 2), NodeSet(0, 2), 0));
    ASSERT_TRUE(c.share(job(2, 100, 2), {1}, 3, 10));
    const std::string loans = c.loans();
    std::vector<Placed> running = {{job(1, 1000, 2), NodeSet(0, 2), 0, 5}, {job(2, 100, 2), NodeSet(0, 2), 10, 3}};
    ASSERT_TRUE(four_nodes().restore(loans, running, 50));

    running[0].nodes = NodeSet(1, 2);
    EXPECT_EQ(four_nodes().restore(loans, running, 50).error(), "job 1 is on other nodes than it says");
    running[0].nodes = NodeSet(0, 2);
    const std::string damaged = std::string(loans).replace(loans.find("mates=1"), 7, "mates=x");
    Coscheduler inferred = four_nodes();
    EXPECT_EQ(inferred.restore(damaged, running, 50).error(), "its line 4 has a mates= that cannot be read: x");
    EXPECT_EQ(cores_on(inferred, 1, 0), 5);
    EXPECT_EQ(cores_on(inferred, 2, 1), 3);
    EXPECT_EQ(Coscheduler({{8, NodeSet(0, 3)}}, rules()).restore(loans, running, 50).error(),
              "it is of a cluster with other nodes");
    EXPECT_EQ(
        four_nodes().restore("share at=1 job=2 submit=0 request=5 count=1 min_cores=1 cores=4 mates=1", {}, 50).error(),
        "it is of a cluster with other nodes");
}

TEST(Coscheduler, AJobOfTheLoansThatDoesNotRunAnyMoreHasEnded) {
    Coscheduler c = four_nodes();
    ASSERT_TRUE(c.start(job(1, 1000, 2), NodeSet(0, 2), 0));
    ASSERT_TRUE(c.share(job(2, 100, 2), {1}, 4, 10));
    const std::string loans = c.loans();
    Coscheduler mate = four_nodes();
    ASSERT_TRUE(mate.restore(loans, {{job(1, 1000, 2), NodeSet(0, 2), 0, 4}}, 50));
    EXPECT_EQ(cores_on(mate, 1, 0), 8);
    Coscheduler guest = four_nodes();
    ASSERT_TRUE(guest.restore(loans, {{job(2, 100, 2), NodeSet(0, 2), 10, 4}}, 50));
    EXPECT_EQ(cores_on(guest, 2, 0), 8);
    Coscheduler next = four_nodes();
    ASSERT_TRUE(next.restore(loans, {{job(3, 70, 2), NodeSet(0, 2), 40, 8}}, 50));
    EXPECT_EQ(picture(next, 9), "3 from 40 to 110: 8 8 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
}

/// The controller was killed some time after it had saved its jobs, and restores that older state.
TEST(Coscheduler, WhoRunsByAnOlderStateKeepsItsCores) {
    EXPECT_TRUE(holds("older state", [] {
        Story story = random_story();
        const int before = *rc::gen::inRange(1, 30);
        for (int i = 0; i < before; ++i) step(story);
        std::vector<Placed> saved = story.running;
        for (Placed& seen : saved) seen.cores = story.c.cores_of(seen.job.id).front().cores;
        const int lost = *rc::gen::inRange(0, 8);
        for (int i = 0; i < lost; ++i) step(story);
        Coscheduler again(story.c.pools(), story.c.rules());
        std::vector<std::string> lines;
        again.write_to([&lines](const std::string& line) { lines.push_back(line); });
        static_cast<void>(
            again.restore(story.c.loans(), saved, story.now));  // infers what contradicts the list of loans
        for (JobId id = 1; id <= story.last; ++id) {
            const auto seen =
                std::find_if(saved.begin(), saved.end(), [id](const Placed& s) { return s.job.id == id; });
            if (seen == saved.end()) {
                RC_ASSERT(!again.knows(id));
                continue;
            }
            if (!again.knows(id)) {
                // No job may share the nodes of an unknown job.
                const Job asked = random_job(story.last + 1, story.now, 1);
                RC_ASSERT(again.propose(asked, seen->nodes, kNever, story.now).refusal != Refusal::kNone);
                continue;
            }
            NodeSet nodes;
            for (const Held& held : again.cores_of(id)) nodes.insert(held.nodes);
            RC_ASSERT(nodes == seen->nodes);
        }
        for (int node = 0; node < 12; ++node) {
            int cores = 0;
            for (const Placed& seen : saved) cores += cores_on(again, seen.job.id, node);
            RC_ASSERT(cores <= 8);
        }
        Coscheduler told(story.c.pools(), story.c.rules());
        for (const std::string& line : lines) {
            const auto parsed = read_line(line);
            if (std::holds_alternative<RulesLine>(*parsed)) told = Coscheduler(story.c.pools(), story.c.rules());
            if (const auto* event = std::get_if<Event>(&*parsed)) RC_ASSERT(told.apply(*event));
        }
        RC_ASSERT(picture(told, story.last) == picture(again, story.last));
    }));
}

TEST(Coscheduler, AGuestThatHasEndedButRunsByAnOlderStateKeepsItsCoresUntilItIsMissed) {
    Coscheduler c = four_nodes();
    ASSERT_TRUE(c.start(job(1, 1000, 2), NodeSet(0, 2), 0));
    ASSERT_TRUE(c.share(job(2, 100, 2), {1}, 4, 10));
    const std::vector<Placed> saved = {{job(1, 1000, 2), NodeSet(0, 2), 0, 4}, {job(2, 100, 2), NodeSet(0, 2), 11, 4}};
    c.finish(2, 50);
    ASSERT_TRUE(c.share(job(3, 100, 2), {1}, 4, 60));
    Coscheduler again = four_nodes();
    ASSERT_TRUE(again.restore(c.loans(), saved, 70));
    EXPECT_EQ(picture(again, 9),
              "1 from 0 to 1100: 4 4 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 with 2\n"
              "2 from 10 to 210: 4 4 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 with 1\n");
    again.finish(2, 80);
    EXPECT_EQ(cores_on(again, 1, 0), 8);
}

TEST(Coscheduler, ARequeuedGuestThatRunsAloneIsNotForgottenByTheNextController) {
    Coscheduler c = four_nodes();
    ASSERT_TRUE(c.start(job(1, 1000, 2), NodeSet(0, 2), 0));
    ASSERT_TRUE(c.share(job(2, 100, 2), {1}, 4, 10));
    c.finish(2, 50);
    ASSERT_TRUE(c.start(job(2, 100, 2), NodeSet(2, 2), 60));
    Coscheduler again = four_nodes();
    ASSERT_TRUE(
        again.restore(c.loans(), {{job(1, 1000, 2), NodeSet(0, 2), 0, 8}, {job(2, 100, 2), NodeSet(2, 2), 60, 8}}, 70));
    EXPECT_EQ(picture(again, 9), picture(c, 9));
    EXPECT_EQ(cores_on(again, 2, 3), 8);
}

// ---- lines -------------------------------------------------------------------------------------------------------

TEST(Journal, ALineThatCannotBeReadSaysWhy) {
    const auto why = [](const char* line) {
        const auto parsed = read_line(line);
        return parsed ? "nothing is wrong with " + std::string(line) : parsed.error();
    };
    EXPECT_EQ(why(""), "begins with a word that is not known: ");
    EXPECT_EQ(why("ended at=1 job=2"), "begins with a word that is not known: ended");
    EXPECT_EQ(why("finish at=1"), "has no job= where it should be");
    EXPECT_EQ(why("finish at=1 job=x"), "has a job= that cannot be read: x");
    EXPECT_EQ(why("finish at=1 job=2 more"), "goes on where it should end: more");
    EXPECT_EQ(why("start at=1 job=2 submit=0 request=0 count=1 min_cores=1 kind=rigid nodes=0"),
              "has a job without time or nodes");
    EXPECT_EQ(why("start at=1 job=2 submit=0 request=5 count=1 min_cores=1 kind=soft nodes=0"),
              "has a kind= that cannot be read: soft");
    EXPECT_EQ(why("sd-policy 2 limit=inf"), "is not of version 1");
    EXPECT_EQ(why("pool cores=8 nodes=3-1"), "has a nodes= that cannot be read: 3-1");
    EXPECT_EQ(why("pool cores=0 nodes=3"), "has a cores= that cannot be read: 0");
    for (const std::string memory :
         {"", "5", "0:0-3", "5:0-2", "5:0-3/6:3", "5:0-4", "5:", ":0-3", "x:0-3", "9000000000000000000:0-3"})
        EXPECT_EQ(why(("pool cores=8 nodes=0-3 memory=" + memory).c_str()),
                  "has a memory= that cannot be read: " + memory);
    EXPECT_EQ(why("share at=1 job=2 submit=0 request=5 count=1 min_cores=1 memory=0 cores=1 mates=3"),
              "has a memory= that cannot be read: 0");
    EXPECT_EQ(why("no-room at=1 job=2"), "has no mates= where it should be");
    EXPECT_EQ(why("no-room at=1 job=2 free="), "has a free= that cannot be read: ");
    EXPECT_EQ(why("beyond-limit at=1 job=2 mates=3"), "has no whose= where it should be");
    EXPECT_EQ(why("sd-policy 1 limit=inf sharing_factor=1.5 max_mates=1 jobs_per_node=2 gain=0"),
              "has rules by which no job can share");
    EXPECT_EQ(why("share at=1 job=2 submit=0 request=9000000000000000 count=1 min_cores=1 cores=1 mates=3"),
              "has a job that asks for more time than there is");
    EXPECT_EQ(why("share at=1 job=2 submit=0 request=5 count=1 min_cores=1 partition= cores=1 mates=3"),
              "has a partition= that cannot be read: ");
    EXPECT_EQ(why("share at=1 job=2 submit=0 request=5 count=1 min_cores=1 cores=1 mates=3 free=x"),
              "has a free= that cannot be read: x");
    for (const char* idle : {"", "4", "4:", ":5", "4:5/", "4:5/6", "x:5", "4:x", "4:5,6:7"})
        EXPECT_EQ(why(("consider at=1 job=2 submit=0 request=5 count=1 min_cores=1 within=0 static=9 idle=" +
                       std::string(idle) + " limit=2 outcome=no-mates")
                          .c_str()),
                  "has a idle= that cannot be read: " + std::string(idle));
    const std::string rules = "sd-policy 1 limit=inf sharing_factor=0.5 max_mates=1 jobs_per_node=2 gain=0";
    EXPECT_EQ(why((rules + " qos=any").c_str()), "has a qos= that cannot be read: any");
    EXPECT_EQ(why((rules + " qos_max_slowdown=low:0.5").c_str()),
              "has a qos_max_slowdown= that cannot be read: low:0.5");
    EXPECT_EQ(why((rules + " qos_order=low qos=strict").c_str()), "goes on where it should end: qos=strict");
}

TEST(Journal, LinesAreReadAsTheyAreWritten) {
    for (const char* line : {"sd-policy 1 limit=dynamic sharing_factor=0.5 max_mates=2 jobs_per_node=2 gain=0",
                             "sd-policy 1 limit=inf sharing_factor=0.25 max_mates=3 jobs_per_node=4 gain=1.5",
                             "sd-policy 1 limit=7.1 sharing_factor=0.1 max_mates=1 jobs_per_node=2 gain=0",
                             "sd-policy 1 limit=7.1 sharing_factor=0.1 max_mates=1 jobs_per_node=2 gain=0 "
                             "add_free_nodes=yes partition_max_slowdown=debug:2/long:inf qos_max_slowdown=low:10 "
                             "qos=strict qos_order=low/high",
                             "sd-policy 1 limit=inf sharing_factor=0.5 max_mates=1 jobs_per_node=2 gain=0 "
                             "only_partition=a/b not_partition=c only_qos=d not_qos=e only_account=f not_account=g "
                             "same=account dry_run=yes",
                             "sd-policy 1 limit=inf sharing_factor=0.5 max_mates=1 jobs_per_node=2 gain=0 "
                             "dry_run=yes"}) {
        const auto parsed = read_line(line);
        ASSERT_TRUE(parsed) << parsed.error();
        EXPECT_EQ(text_of(std::get<RulesLine>(*parsed).rules), line);
    }
    const auto pool = read_line("pool cores=48 nodes=0-3,8");
    ASSERT_TRUE(pool);
    EXPECT_EQ(text_of(std::get<Pool>(*pool)), "pool cores=48 nodes=0-3,8");
    for (const char* line :
         {"pool cores=48 nodes=0-3,8 memory=1000:0-2/2000:3,8", "pool cores=1 nodes=7 memory=1125899906842624:7"})
        EXPECT_EQ(text_of(std::get<Pool>(read_line(line).value())), line);
    for (const char* line : {"no-room at=5 job=2 mates=1,7", "no-room at=330 job=14 free=4-5",
                             "beyond-limit at=340 job=15 mates=12,13 whose=15",
                             "consider at=1 job=2 submit=0 request=5 count=1 min_cores=1 within=0 static=9 limit=2 "
                             "outcome=not-admitted",
                             "share at=1 job=2 submit=0 request=5 count=1 min_cores=1 memory=800 cores=1 mates=3"})
        EXPECT_EQ(text_of(std::get<Event>(read_line(line).value())), line);
    const char* never =
        "consider at=5 job=2 submit=0 request=5 count=1 min_cores=1 within=0-4 static=never limit=inf "
        "outcome=share cores=4 mates=1,7 end=15";
    EXPECT_EQ(text_of(std::get<Event>(read_line(never).value())), never);
    for (const char* line :
         {"start at=5 job=2 submit=0 request=5 count=1 min_cores=1 partition=long qos=low "
          "max_slowdown=2.5 kind=malleable nodes=4",
          "start at=1 job=2 submit=0 request=5 count=1 min_cores=1 user=1000 account=physics kind=rigid nodes=0",
          "share at=5 job=2 submit=0 request=5 count=3 min_cores=1 qos=7 cores=4 mates=1 free=4,6",
          "consider at=5 job=2 submit=0 request=5 count=3 min_cores=1 partition=a=b within=0-6 "
          "static=never idle=4,6:90/5:never limit=inf outcome=share cores=4 mates=1 free=4,6 end=15"}) {
        JobNames names;
        EXPECT_EQ(text_of(std::get<Event>(parse_line(line, names).value()), names), line);
    }
}

}  // namespace
