// SPDX-License-Identifier: BSD-3-Clause
// idle_nodes_test.cpp - idle nodes complete those of mates: never one that is not idle, never for longer than it is.
#include "policy/cluster/idle_nodes.hpp"

#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "policy/sharing/coscheduler.hpp"
#include "property.hpp"
#include "random_cluster.hpp"

namespace {

using namespace drom::policy;
using namespace drom::test;

Job job(JobId id, Seconds request, int nodes) {
    Job made;
    made.id = id;
    made.request = request;
    made.nodes = nodes;
    return made;
}

SlowdownRules free_nodes_rules() {
    SlowdownRules made;
    made.limit = SlowdownRules::Limit::kInfinite;
    made.sharing.add_free_nodes = true;
    return made;
}

/// Returns six nodes of 8 cores, with a mate on the first two.
Coscheduler with_a_mate(const SlowdownRules& rules = free_nodes_rules()) {
    Coscheduler c({{8, NodeSet(0, 6)}}, rules);
    EXPECT_TRUE(c.start(job(1, 1000, 2), NodeSet(0, 2), 0));
    return c;
}

NodeSet nodes_of(const char* text) { return NodeSet::parse(text).value_or(NodeSet()); }

int cores_on(const Coscheduler& c, JobId id, int node) {
    for (const Held& held : c.cores_of(id))
        if (held.nodes.contains(node)) return held.cores;
    return 0;
}

// ---- the map -----------------------------------------------------------------------------------------------------

TEST(IdleNodes, ANodeThatIsNamedTwiceIsIdleUntilTheEarlierTime) {
    const auto idle = idle_within({{NodeSet(0, 4), kNever}, {NodeSet(2, 4), 50}, {NodeSet(7, 1), 50}}, NodeSet(1, 6));
    ASSERT_EQ(idle.size(), 2U);
    EXPECT_EQ(idle[0], (IdleNodes{NodeSet(2, 4), 50}));
    EXPECT_EQ(idle[1], (IdleNodes{NodeSet(1, 1), kNever}));
}

TEST(IdleNodes, ANodeIsIdleUntilTheFirstStartThatIsPromisedOnIt) {
    const std::vector<IdleNodes> idle{{NodeSet(0, 2), 90}, {NodeSet(2, 4), kNever}};
    const auto left = until_promised(idle, {{1, 50, NodeSet(3, 2)}, {2, 40, NodeSet(4, 1)}, {3, 95, NodeSet(0, 1)}});
    ASSERT_EQ(left.size(), 4U);
    EXPECT_EQ(left[0], (IdleNodes{NodeSet(4, 1), 40}));
    EXPECT_EQ(left[1], (IdleNodes{NodeSet(3, 1), 50}));
    EXPECT_EQ(left[2], (IdleNodes{NodeSet(0, 2), 90}));
    EXPECT_EQ(left[3], (IdleNodes{nodes_of("2,5"), kNever}));
}

TEST(IdleNodes, ANodeOfAPromiseThatIsNotKnownIsNotIdle) {
    const auto left = until_promised({{NodeSet(0, 4), kNever}}, {{1, std::nullopt, NodeSet(1, 2)}});
    ASSERT_EQ(left.size(), 1U);
    EXPECT_EQ(left[0], (IdleNodes{nodes_of("0,3"), kNever}));
}

TEST(IdleNodes, ThoseAreWantedWhoseTimeIsBeforeTheEnd) {
    const std::vector<IdleNodes> idle{{NodeSet(0, 2), 50}, {NodeSet(2, 2), 90}, {NodeSet(4, 2), kNever}};
    EXPECT_EQ(wanted_before(idle, 50), NodeSet());
    EXPECT_EQ(wanted_before(idle, 51), NodeSet(0, 2));
    EXPECT_EQ(wanted_before(idle, 91), NodeSet(0, 4));
}

TEST(IdleNodes, TheMapSaysHowManyAreFreeForHowLong) {
    const NodeClass alike{NodeSet(0, 8), 0, 0};
    const Availability map =
        availability_of({{NodeSet(0, 1), 5}, {NodeSet(1, 2), 50}, {NodeSet(4, 3), kNever}}, alike, 10);
    EXPECT_EQ(map.min_free({}, 10, 50), 5);
    EXPECT_EQ(map.min_free({}, 10, 51), 3);
    EXPECT_EQ(availability_of({}, alike, 10).min_free({}, 10, 11), 0);
}

TEST(IdleNodes, ThoseThatAreWantedSoonestAreTakenFirst) {
    const std::vector<IdleNodes> idle = {{NodeSet(6, 2), 40}, {NodeSet(4, 2), 60}, {NodeSet(0, 4), kNever}};
    EXPECT_EQ(idle_until(idle, 50, 3).text(), "0,4-5");
    EXPECT_EQ(idle_until(idle, 60, 1).text(), "4");
    EXPECT_EQ(idle_until(idle, 61, 9).text(), "0-3");
    EXPECT_EQ(idle_until(idle, 10, 0).text(), "");
}

// ---- decisions ---------------------------------------------------------------------------------------------------

TEST(IdleNodes, CompleteThoseOfAMate) {
    Coscheduler c = with_a_mate();
    EXPECT_EQ(c.propose(job(2, 100, 3), NodeSet(0, 6), 1000, 10).refusal, Refusal::kNoMates);
    const Event proposal = c.propose(job(2, 100, 3), NodeSet(0, 6), 1000, 10, {{NodeSet(4, 2), kNever}});
    ASSERT_EQ(proposal.refusal, Refusal::kNone);
    EXPECT_EQ(proposal.mates, std::vector<JobId>{1});
    EXPECT_EQ(proposal.free.text(), "4");
    EXPECT_EQ(proposal.guest_end, 210);
    ASSERT_TRUE(c.share(proposal.job, proposal.mates, proposal.cores, 10, proposal.free));
    EXPECT_EQ(cores_on(c, 2, 0), 4);
    EXPECT_EQ(cores_on(c, 2, 4), 8);
    EXPECT_EQ(c.find(2)->end, 210) << "it is as slow as on its slowest node";
    EXPECT_FALSE(c.start(job(3, 10, 1), NodeSet(4, 1), 20)) << "a job is there";
    c.finish(2, 110);
    EXPECT_EQ(cores_on(c, 1, 0), 8);
    EXPECT_TRUE(c.start(job(3, 10, 1), NodeSet(4, 1), 120)) << "the idle node is free again";
}

TEST(IdleNodes, WithTooLittleMemoryAreNotTaken) {
    Coscheduler c({{8, NodeSet(0, 6), {{1000, NodeSet(4, 1)}, {4000, nodes_of("0-3,5")}}}}, free_nodes_rules());
    ASSERT_TRUE(c.start(job(1, 1000, 2), NodeSet(0, 2), 0));
    Job guest = job(2, 100, 3);
    guest.filter.memory_mb = 2000;
    const Event proposal = c.propose(guest, NodeSet(0, 6), 1000, 10, {{NodeSet(4, 2), kNever}});
    ASSERT_EQ(proposal.refusal, Refusal::kNone);
    EXPECT_EQ(proposal.free.text(), "5");
    guest.id = 3;
    EXPECT_EQ(c.propose(guest, NodeSet(0, 6), 1000, 10, {{NodeSet(4, 1), kNever}}).refusal, Refusal::kNoMates);
}

TEST(IdleNodes, AreLeftAloneWhereTheRulesSaySo) {
    SlowdownRules none = free_nodes_rules();
    none.sharing.add_free_nodes = false;
    Coscheduler c = with_a_mate(none);
    EXPECT_EQ(c.propose(job(2, 100, 3), NodeSet(0, 6), 1000, 10, {{NodeSet(4, 2), kNever}}).refusal, Refusal::kNoMates);
}

TEST(IdleNodes, ThatAreWantedBeforeTheGuestEndsAreNotTaken) {
    Coscheduler c = with_a_mate();
    const auto offer = [&c](Seconds until) {
        return c.propose(job(2, 100, 3), NodeSet(0, 6), 1000, 10, {{NodeSet(4, 1), until}}).refusal;
    };
    EXPECT_EQ(offer(209), Refusal::kNoMates);
    EXPECT_EQ(offer(210), Refusal::kNone) << "the guest has ended by then";
    EXPECT_EQ(offer(10), Refusal::kNoMates);
}

TEST(IdleNodes, ThatTheJobMayNotHaveOrThatHaveAJobAreNotTaken) {
    Coscheduler c = with_a_mate();
    ASSERT_TRUE(c.start(job(3, 1000, 1), NodeSet(3, 1), 0));
    c.occupy(NodeSet(4, 1));
    const std::vector<IdleNodes> all = {{NodeSet(0, 9), kNever}};
    const Event refused = c.propose(job(2, 100, 4), NodeSet(0, 5), 1000, 10, all);
    EXPECT_EQ(refused.refusal, Refusal::kNone);
    EXPECT_EQ(refused.mates, (std::vector<JobId>{1, 3})) << "the nodes of mates are not idle";
    EXPECT_EQ(refused.free.text(), "2");
    EXPECT_EQ(c.propose(job(2, 100, 5), NodeSet(0, 5), 1000, 10, all).refusal, Refusal::kNoMates);
}

TEST(IdleNodes, ThatAJobHasMeanwhileAreNotShared) {
    Coscheduler c = with_a_mate();
    ASSERT_TRUE(c.start(job(3, 1000, 1), NodeSet(4, 1), 5));
    EXPECT_FALSE(c.share(job(2, 100, 3), {1}, 4, 10, NodeSet(4, 1)));
    EXPECT_FALSE(c.share(job(2, 100, 3), {1}, 4, 10, NodeSet(9, 1))) << "there is no such node";
    EXPECT_FALSE(c.share(job(2, 100, 3), {1}, 4, 10, NodeSet(4, 2))) << "not its number of nodes";
    EXPECT_FALSE(c.share(job(2, 100, 2), {}, 4, 10, NodeSet(2, 2))) << "no mate at all";
    EXPECT_TRUE(c.share(job(2, 100, 3), {1}, 4, 10, NodeSet(5, 1)));
}

TEST(IdleNodes, ThatBecomeIdleLaterLetAJobStartThatWasRefused) {
    Coscheduler c = with_a_mate();
    for (Seconds now = 10; now < 13; ++now)
        EXPECT_EQ(c.propose(job(2, 100, 4), NodeSet(0, 6), 1000, now, {{NodeSet(4, 1), kNever}}).refusal,
                  Refusal::kNoMates);
    EXPECT_EQ(c.propose(job(2, 100, 4), NodeSet(0, 6), 1000, 13, {{NodeSet(4, 2), kNever}}).refusal, Refusal::kNone);
}

TEST(IdleNodes, AProposalWithOtherIdleNodesIsToldAnew) {
    Coscheduler c = with_a_mate();
    int lines = 0;
    c.write_to([&lines](const std::string&) { ++lines; });
    const int before = lines;
    for (Seconds now = 10; now < 13; ++now)
        c.propose(job(2, 100, 3), NodeSet(0, 6), 1000, now, {{NodeSet(4, 1), kNever}});
    EXPECT_EQ(lines, before + 1);
    c.propose(job(2, 100, 3), NodeSet(0, 6), 1000, 13, {{NodeSet(5, 1), kNever}});
    EXPECT_EQ(lines, before + 2);
}

TEST(Coscheduler, AJobWhoseQosWasRaisedIsNotRefusedForTheFormerOne) {
    SlowdownRules strict = free_nodes_rules();
    strict.sharing.limits.strict = true;
    strict.sharing.limits.qos_order = {"low", "high"};
    strict.sharing.limits.set_numbers({}, {{"low", 0}, {"high", 1}});
    Coscheduler c({{8, NodeSet(0, 6)}}, strict);
    Job mate = job(1, 1000, 2);
    mate.qos = 1;
    ASSERT_TRUE(c.start(mate, NodeSet(0, 2), 0));
    Job guest = job(2, 100, 2);
    guest.qos = 0;
    EXPECT_EQ(c.propose(guest, NodeSet(0, 6), 1000, 10).refusal, Refusal::kNoMates);
    guest.qos = 1;
    EXPECT_EQ(c.propose(guest, NodeSet(0, 6), 1000, 11).refusal, Refusal::kNone);
}

// ---- any cluster -------------------------------------------------------------------------------------------------

constexpr int kNodes = 12;

/// A controller with jobs that it knows and others.
struct Site {
    Coscheduler c;
    NodeSet taken;    ///< by any job
    NodeSet strange;  ///< by jobs of which it knows the nodes only
    Seconds now = 0;
    JobId last = 0;
};

SlowdownRules random_rules() {
    SlowdownRules rules = free_nodes_rules();
    rules.limit = *rc::gen::element(SlowdownRules::Limit::kDynamic, SlowdownRules::Limit::kInfinite);
    rules.sharing.jobs_per_node = *rc::gen::weightedElement<int>({{4, 2}, {1, 3}});
    rules.gain = *rc::gen::element(0.0, 1.0);
    return rules;
}

Site random_site(const SlowdownRules& rules) {
    Site site{Coscheduler({{8, NodeSet(0, kNodes)}}, rules), {}, {}};
    const int jobs = *rc::gen::inRange(1, 6);
    for (int i = 0; i < jobs; ++i) {
        site.now += *rc::gen::inRange<Seconds>(0, 60);
        const Job come = random_job(++site.last, site.now, 3);
        const NodeSet nodes(*rc::gen::inRange(0, kNodes - come.nodes + 1), come.nodes);
        if (!site.taken.common(nodes).empty()) continue;
        if (*rc::gen::weightedElement<bool>({{1, true}, {4, false}})) {
            site.c.occupy(nodes);
            site.strange.insert(nodes);
        } else {
            RC_ASSERT(site.c.start(come, nodes, site.now));
        }
        site.taken.insert(nodes);
    }
    return site;
}

/// Returns nodes that a resource manager says are idle, some of them wrongly.
std::vector<IdleNodes> random_idle(Seconds now) {
    std::vector<IdleNodes> idle(static_cast<std::size_t>(*rc::gen::inRange(0, 4)));
    for (IdleNodes& some : idle) {
        some.nodes = NodeSet(*rc::gen::inRange(0, kNodes), *rc::gen::inRange(1, 6));
        some.until = *rc::gen::oneOf(rc::gen::just(kNever), rc::gen::inRange<Seconds>(now - 10, now + 900));
    }
    return idle;
}

Seconds idle_until_when(const std::vector<IdleNodes>& idle, int node) {
    Seconds until = -1;
    for (const IdleNodes& some : idle)
        if (some.nodes.contains(node)) until = until < 0 ? some.until : std::min(until, some.until);
    return until;
}

TEST(IdleNodes, NoNodeIsTakenThatIsNotIdleUntilTheGuestsEnd) {
    int completed = 0;
    EXPECT_TRUE(holds("idle nodes", [&completed] {
        Site site = random_site(random_rules());
        const std::vector<IdleNodes> idle = random_idle(site.now);
        const NodeSet within(*rc::gen::inRange(0, 3), kNodes);
        const Job guest = random_job(++site.last, site.now, 6);
        const Event proposal = site.c.propose(guest, within, kNever, site.now, idle);
        if (proposal.refusal != Refusal::kNone) return RC_ASSERT(proposal.free.empty());
        int lent = 0;
        for (const JobId id : proposal.mates)
            for (const Held& held : site.c.cores_of(id)) lent += held.nodes.count();
        RC_ASSERT(lent > 0 && lent + proposal.free.count() == guest.nodes);
        RC_ASSERT(site.taken.common(proposal.free).empty());
        RC_ASSERT(within.common(proposal.free) == proposal.free);
        for (const NodeRange& range : proposal.free.ranges())
            for (int node = range.first; node <= range.last; ++node)
                RC_ASSERT(idle_until_when(idle, node) >= proposal.guest_end);
        RC_ASSERT(site.c.share(guest, proposal.mates, proposal.cores, site.now, proposal.free));
        RC_ASSERT(site.c.find(guest.id)->end <= proposal.guest_end);
        for (int node = 0; node < kNodes; ++node) {
            int cores = 0;
            for (JobId id = 1; id <= site.last; ++id) cores += cores_on(site.c, id, node);
            RC_ASSERT(cores == 0 || cores == 8);
        }
        completed += proposal.free.empty() ? 0 : 1;
    }));
    EXPECT_GT(completed, cases_a_property() / 250) << "idle nodes hardly ever complete a guest's";
}

TEST(IdleNodes, WithoutThemEveryDecisionIsWhatItWasWithoutTheRule) {
    EXPECT_TRUE(holds("no idle nodes", [] {
        SlowdownRules rules = random_rules();
        Site site = random_site(rules);
        rules.sharing.add_free_nodes = false;
        const Job guest = random_job(++site.last, site.now, 6);
        const NodeSet all(0, kNodes);
        const std::string before = text_of(site.c.what_if(rules, guest, all, site.now + 2000, site.now));
        RC_ASSERT(text_of(site.c.propose(guest, all, site.now + 2000, site.now)) == before);
        RC_ASSERT(text_of(site.c.propose(guest, all, site.now + 2000, site.now, {{site.taken, kNever}})) == before);
    }));
}

TEST(IdleNodes, WhatIsRememberedOfThemMakesNoOtherDecision) {
    EXPECT_TRUE(holds("remembered idle nodes", [] {
        Site site = random_site(random_rules());
        const Job guest = random_job(++site.last, site.now, 6);
        std::vector<IdleNodes> idle;
        for (int i = 0; i < 6; ++i) {
            if (*rc::gen::arbitrary<bool>()) idle = random_idle(site.now);
            site.now += *rc::gen::inRange<Seconds>(0, 30);
            const Event fresh =
                site.c.what_if(site.c.rules(), guest, NodeSet(0, kNodes), site.now + 2000, site.now, idle);
            const Event told = site.c.propose(guest, NodeSet(0, kNodes), site.now + 2000, site.now, idle);
            RC_ASSERT(text_of(told) == text_of(fresh));
            RC_ASSERT(told.free == fresh.free);
        }
    }));
}

// ---- coming back -------------------------------------------------------------------------------------------------

TEST(IdleNodes, OfAGuestAreInferredFromWhatItHas) {
    Coscheduler c = with_a_mate();
    const std::vector<Placed> running = {{job(1, 1000, 2), NodeSet(0, 2), 0, 4, {}},
                                         {job(2, 100, 3), nodes_of("0-1,4"), 10, 4, NodeSet(4, 1)}};
    ASSERT_TRUE(c.restore("", running, 20));
    EXPECT_EQ(cores_on(c, 1, 1), 4);
    EXPECT_EQ(cores_on(c, 2, 1), 4);
    EXPECT_EQ(cores_on(c, 2, 4), 8);
    std::vector<Placed> partly = running;
    partly[1].whole = {};
    ASSERT_TRUE(c.restore("", partly, 20));
    EXPECT_FALSE(c.knows(2)) << "it has some cores of a node that no job lent it";
}

// ---- the journal -------------------------------------------------------------------------------------------------

SlowdownRules limited_rules() {
    SlowdownRules rules = random_rules();
    MateLimits& limits = rules.sharing.limits;
    limits.partitions = {{"debug", *rc::gen::element(1.2, 3.0)}};
    limits.qos = {{"low", *rc::gen::element(1.5, 4.0)}};
    limits.qos_order = {"low", "high"};
    limits.strict = *rc::gen::arbitrary<bool>();
    return rules;
}

/// Makes jobs of the partitions "debug" and "long" and of the QOS "low" and "high" come, share and go.
void live(Site& site, int steps) {
    std::vector<JobId> running;
    site.c.names()->partitions.number("long");
    for (int i = 0; i < steps; ++i) {
        site.now += *rc::gen::inRange<Seconds>(0, 60);
        if (!running.empty() && *rc::gen::weightedElement<bool>({{1, true}, {2, false}})) {
            site.c.finish(running.back(), site.now);
            running.pop_back();
            continue;
        }
        Job come = random_job(++site.last, site.now, 4);
        come.max_slowdown = *rc::gen::element(std::numeric_limits<double>::infinity(), 2.5);
        const NodeSet nodes(*rc::gen::inRange(0, kNodes - come.nodes + 1), come.nodes);
        const Event proposal =
            site.c.propose(come, NodeSet(0, kNodes), site.now + 2000, site.now, random_idle(site.now));
        const bool came = proposal.refusal == Refusal::kNone
                              ? site.c.share(come, proposal.mates, proposal.cores, site.now, proposal.free)
                              : site.c.start(come, nodes, site.now);
        if (came) running.push_back(come.id);
    }
}

std::string picture(const Coscheduler& c, JobId most) {
    std::string text;
    for (JobId id = 1; id <= most; ++id) {
        const RunningJob* running = c.find(id);
        if (running == nullptr) continue;
        text += std::to_string(id) + " until " + std::to_string(running->end) + ':';
        for (int node = 0; node < kNodes; ++node) text += ' ' + std::to_string(cores_on(c, id, node));
        text += '\n';
    }
    return text;
}

TEST(IdleNodes, TheJournalToldAgainDecidesTheSameWithNamesAndIdleNodes) {
    int completed = 0, limited = 0;
    EXPECT_TRUE(holds("replay of idle nodes", [&] {
        Site site = random_site(limited_rules());
        std::vector<std::string> lines;
        site.c.write_to([&lines](const std::string& line) { lines.push_back(line); });
        live(site, 25);

        std::optional<Coscheduler> again;
        std::vector<Pool> pools;
        const auto names = std::make_shared<JobNames>();
        names->qos.number("another");
        for (const std::string& line : lines) {
            const auto parsed = parse_line(line, *names);
            RC_ASSERT(parsed.has_value());
            if (const auto* pool = std::get_if<Pool>(&*parsed)) pools.push_back(*pool);
            if (const auto* rules = std::get_if<RulesLine>(&*parsed)) {
                RC_ASSERT(text_of(rules->rules) == line);
                again.emplace(site.c.pools(), rules->rules, names);
            }
            const auto* event = std::get_if<Event>(&*parsed);
            if (event == nullptr) continue;
            RC_ASSERT(text_of(*event, *names) == line);
            RC_ASSERT(again->apply(*event));
            if (event->what != Event::What::kConsider) continue;
            const Event now = again->propose(event->job, event->nodes, event->static_start, event->at, event->idle);
            RC_ASSERT(text_of(now, *names) == line);
            completed += now.free.empty() ? 0 : 1;
            limited += line.find(" qos=") != std::string::npos ? 1 : 0;
        }
        RC_ASSERT(pools == site.c.pools());
        RC_ASSERT(picture(*again, site.last) == picture(site.c, site.last));
    }));
    EXPECT_GT(completed, cases_a_property() / 10) << "idle nodes hardly ever complete a guest's";
    EXPECT_GT(limited, cases_a_property()) << "hardly a job has a QOS";
}

TEST(IdleNodes, OfAGuestAreInTheListOfLoans) {
    Coscheduler c = with_a_mate();
    Job guest = job(2, 100, 3);
    guest.qos = c.names()->qos.number("high");
    guest.partition = c.names()->partitions.number("long");
    ASSERT_TRUE(c.share(guest, {1}, 4, 10, NodeSet(4, 1)));
    const std::vector<Placed> running = {{job(1, 1000, 2), NodeSet(0, 2), 0, 4, {}},
                                         {guest, nodes_of("0-1,4"), 10, 4, {}}};
    Coscheduler again({{8, NodeSet(0, 6)}}, free_nodes_rules());
    again.names()->qos.number("low");
    ASSERT_TRUE(again.restore(c.loans(), running, 20));
    EXPECT_EQ(picture(again, 3), picture(c, 3));
    EXPECT_EQ(again.loans(), c.loans());
    EXPECT_EQ(again.names()->qos.name(again.find(2)->job.qos), "high");
    c.finish(1, 30);
    EXPECT_EQ(cores_on(c, 2, 0), 8) << "it inherits, and keeps the idle node";
    EXPECT_EQ(cores_on(c, 2, 4), 8);
}

}  // namespace
