// SPDX-License-Identifier: BSD-3-Clause
// replay_test.cpp - a controller's log of decisions: told again it is the same, and what was changed in it is found.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "engine/replayed.hpp"
#include "property.hpp"
#include "report/replay_text.hpp"
#include "report/summary_json.hpp"
#include "temp_dir.hpp"

namespace drom::sim {
namespace {

using drom::test::holds;
using drom::test::TempDir;
using policy::Coscheduler;
using policy::Event;
using policy::Job;
using policy::JobId;
using policy::NodeSet;
using policy::Refusal;
using policy::SlowdownRules;

Job job(JobId id, Seconds request, int nodes, Seconds submit) {
    Job made;
    made.id = id;
    made.submit = submit;
    made.request = request;
    made.nodes = nodes;
    return made;
}

SlowdownRules limit(double max_slowdown) {
    SlowdownRules rules;
    rules.limit = SlowdownRules::Limit::kNumber;
    rules.max_slowdown = max_slowdown;
    return rules;
}

/// A controller of four nodes of 8 cores that writes a log, as long as it lives.
class Controller {
public:
    Controller(std::string& log, const SlowdownRules& rules) : coscheduler_({{8, NodeSet(0, 4)}}, rules), log_(log) {}
    /// Restores the loans. The jobs that it finds when it comes up are in the log, too.
    void come_up(const std::string& loans, std::vector<policy::Placed> running, Seconds now) {
        ASSERT_TRUE(coscheduler_.restore(loans, std::move(running), now));
        coscheduler_.write_to([this](const std::string& line) { log_ += line + '\n'; });
    }
    void start(const Job& job, const NodeSet& nodes, Seconds now) { ASSERT_TRUE(coscheduler_.start(job, nodes, now)); }
    void decide(const Job& job, Seconds static_start, Seconds now) {
        EXPECT_EQ(coscheduler_.propose(job, NodeSet(0, 4), static_start, now).refusal, Refusal::kNone);
    }
    /// Asks for a proposal. The job shares if that is what is proposed.
    Refusal ask(const Job& job, Seconds static_start, Seconds now) {
        const Event proposal = coscheduler_.propose(job, NodeSet(0, 4), static_start, now);
        if (proposal.refusal != Refusal::kNone) return proposal.refusal;
        EXPECT_TRUE(coscheduler_.share(job, proposal.mates, proposal.cores, now));
        return Refusal::kNone;
    }
    void finish(JobId id, Seconds now) { coscheduler_.finish(id, now); }
    std::string loans() const { return coscheduler_.loans(); }

private:
    Coscheduler coscheduler_;
    std::string& log_;
};

/// Returns the log of shared starts, ends and refusals; then the controller is killed, and comes back with another
/// limit.
std::string story() {
    std::string log;
    Controller first(log, limit(10));
    first.come_up("", {}, 0);
    first.start(job(1, 1000, 2, 0), NodeSet(0, 2), 0);
    first.start(job(2, 800, 2, 5), NodeSet(2, 2), 5);
    EXPECT_EQ(first.ask(job(3, 100, 2, 10), 800, 10), Refusal::kNone);
    EXPECT_EQ(first.ask(job(4, 60, 3, 20), 1000, 20), Refusal::kNoMates);
    EXPECT_EQ(first.ask(job(5, 400, 2, 30), 100, 30), Refusal::kWaitingIsSooner);
    EXPECT_EQ(first.ask(job(6, 50, 2, 40), 900, 40), Refusal::kNone);
    first.finish(6, 100);

    Controller second(log, SlowdownRules());
    second.come_up(first.loans(),
                   {{job(1, 1000, 2, 0), NodeSet(0, 2), 0, 4},
                    {job(2, 800, 2, 5), NodeSet(2, 2), 5, 8},
                    {job(3, 100, 2, 10), NodeSet(0, 2), 10, 4}},
                   200);
    second.finish(3, 220);
    EXPECT_EQ(second.ask(job(7, 500, 4, 230), 300, 230), Refusal::kWaitingIsSooner);
    second.finish(1, 1100);
    return log;
}

Replayed replayed(const std::string& log, const Assignments& others = {}) {
    auto told = replay_log(log, others);
    EXPECT_TRUE(told) << told.error() << '\n' << log;
    return told ? std::move(*told) : Replayed();
}

std::string complaint(const std::string& log) {
    const auto told = replay_log(log);
    return told ? "none" : told.error();
}

/// Returns the log with `after` in the n-th place of `before`.
std::string spoiled(std::string log, const std::string& before, const std::string& after, int n = 1) {
    std::size_t at = log.find(before);
    for (; n > 1 && at != std::string::npos; --n) at = log.find(before, at + 1);
    EXPECT_NE(at, std::string::npos) << before << " is not in\n" << log;
    return at == std::string::npos ? log : log.replace(at, before.size(), after);
}

TEST(Replay, ALogOfAControllerThatWasKilledTellsTheSameAgain) {
    const Replayed told = replayed(story());
    EXPECT_EQ(told.clusters, 2U);
    EXPECT_EQ(told.lines, static_cast<std::size_t>(std::ranges::count(story(), '\n')));
    EXPECT_EQ(told.differing(), 0U) << replay_summary(told);
    EXPECT_TRUE(told.astray.empty());
    EXPECT_EQ(told.decisions.size(), 5U);
    EXPECT_EQ(told.with(Refusal::kNone, false), 2U);
    EXPECT_EQ(told.with(Refusal::kNone, true), 2U);
    EXPECT_EQ(told.with(Refusal::kNoMates, true), 1U);
    EXPECT_NE(replay_summary(told).find("Every decision is what the policy decides now."), std::string::npos);
}

TEST(Replay, ADecisionThatFoundNoRoomIsCountedAndIsNoDifference) {
    std::string log;
    Coscheduler controller({{8, NodeSet(0, 2), {{1000, NodeSet(0, 2)}}}}, limit(10));
    controller.write_to([&log](const std::string& line) { log += line + '\n'; });
    ASSERT_TRUE(controller.start(job(1, 1000, 2, 0), NodeSet(0, 2), 0));
    controller.no_room(controller.propose(job(2, 100, 2, 10), NodeSet(0, 2), 1000, 10));
    const Replayed told = replayed(log);
    EXPECT_EQ(told.no_room, 1U);
    EXPECT_EQ(told.differing(), 0U);
    EXPECT_NE(
        replay_summary(told).find("1 decision to share found no room beside the mates, as the controller says.\n"),
        std::string::npos);
    EXPECT_EQ(nlohmann::json::parse(replay_json(told, false))["no_room"], 1);
    EXPECT_EQ(replay_summary(replayed(story())).find("no room"), std::string::npos);
}

/// Returns the log of a controller that names partitions and QOS, and gives idle nodes to guests.
std::string named_story() {
    std::string log;
    SlowdownRules rules = limit(10);
    rules.sharing.add_free_nodes = true;
    rules.sharing.limits.partitions = {{"debug", 1.5}};
    rules.sharing.limits.strict = true;
    rules.sharing.limits.qos_order = {"low", "high"};
    Coscheduler c({{8, NodeSet(0, 6)}}, rules);
    c.write_to([&log](const std::string& line) { log += line + '\n'; });
    Job mate = job(1, 1000, 2, 0);
    mate.partition = c.names()->partitions.number("long");
    mate.qos = c.names()->qos.number("low");
    EXPECT_TRUE(c.start(mate, NodeSet(0, 2), 0));
    Job guest = job(2, 100, 3, 10);
    guest.qos = c.names()->qos.number("high");
    const Event proposal = c.propose(guest, NodeSet(0, 6), 1000, 10, {{NodeSet(3, 1), 200}, {NodeSet(4, 2), 300}});
    EXPECT_EQ(proposal.refusal, Refusal::kNone);
    EXPECT_TRUE(c.share(guest, proposal.mates, proposal.cores, 10, proposal.free));
    return log;
}

TEST(Replay, ALogOfADryRunIsDecidedAgainAndSaidToBeOne) {
    std::string log;
    SlowdownRules rules = limit(10);
    rules.dry_run = true;
    Controller controller(log, rules);
    controller.come_up("", {}, 0);
    controller.start(job(1, 1000, 2, 0), NodeSet(0, 2), 0);
    controller.decide(job(2, 100, 2, 10), 1000, 10);
    controller.finish(1, 900);
    controller.start(job(2, 100, 2, 10), NodeSet(0, 2), 900);
    const Replayed told = replayed(log);
    EXPECT_EQ(told.dry_runs, 1U);
    EXPECT_EQ(told.with(Refusal::kNone, true), 1U);
    EXPECT_EQ(told.shared_starts, 0U);
    EXPECT_TRUE(told.astray.empty());
    EXPECT_NE(
        replay_summary(told).find("In 1 of 1 cluster the controller only decided (sd_dry_run), and no job shared."),
        std::string::npos);
    EXPECT_EQ(replayed(story()).dry_runs, 0U);
}

TEST(Replay, NamesAndIdleNodesOfALogAreDecidedAgain) {
    const std::string log = named_story();
    EXPECT_NE(log.find(" idle=3:200/4-5:300 limit=10 outcome=share cores=4 mates=1 free=4 end=210\n"),
              std::string::npos)
        << log;
    const Replayed told = replayed(log);
    EXPECT_EQ(told.differing(), 0U) << replay_summary(told);
    EXPECT_TRUE(told.astray.empty());
    EXPECT_EQ(told.shared_starts, 1U);
    EXPECT_NE(decisions_table(told).find("same"), std::string::npos);

    EXPECT_EQ(replayed(log, {{"add_free_nodes", "no"}}).with(Refusal::kNoMates, true), 1U);
    EXPECT_EQ(replayed(log, {{"partition_max_slowdown", "long:1.05"}}).with(Refusal::kNoMates, true), 1U);
    EXPECT_EQ(replayed(log, {{"partition_max_slowdown", "none"}}).differing(), 0U);
    EXPECT_EQ(replayed(log, {{"qos_order", "high/low"}}).with(Refusal::kNoMates, true), 1U);
}

TEST(Replay, OtherIdleNodesAreFound) {
    const Replayed told = replayed(spoiled(named_story(), "free=4 end", "free=5 end"));
    EXPECT_EQ(told.differing(), 1U) << replay_summary(told);
    ASSERT_EQ(told.astray.size(), 1U) << "it started with node 4";
    EXPECT_NE(replay_summary(told).find("of job 1 and idle node 5 until 210 at the latest; the policy decides now: "
                                        "share 4 cores per node of job 1 and idle node 4 until 210"),
              std::string::npos)
        << replay_summary(told);
    EXPECT_EQ(complaint(spoiled(named_story(), "mates=1 free=4\n", "mates=1 free=1\n")),
              "line 5 starts job 2 on 4 cores per node of job 1 and free nodes 1: these cannot be lent, or it runs "
              "already");
}

TEST(Replay, AnotherMateIsFound) {
    const Replayed told = replayed(spoiled(story(), "mates=1 end", "mates=2 end"));
    ASSERT_EQ(told.differing(), 1U);
    EXPECT_NE(
        replay_summary(told).find("job 3 (2 nodes, 100 s requested), at 10: the controller decided: share 4 cores per "
                                  "node of job 2 until 210 at the latest; the policy decides now: share 4 cores per "
                                  "node of job 1 until 210 at the latest\n"),
        std::string::npos)
        << replay_summary(told);
    ASSERT_EQ(told.astray.size(), 1U) << "it started with job 1";
    EXPECT_EQ(told.astray[0].decided_line, told.decisions[0].line);
}

TEST(Replay, AnotherNumberOfCoresIsFound) {
    const Replayed told = replayed(spoiled(story(), "cores=4 mates=1", "cores=3 mates=1"));
    EXPECT_EQ(told.differing(), 1U) << replay_summary(told);
    EXPECT_EQ(told.astray.size(), 1U);
}

TEST(Replay, AStartThatWasNotDecidedSoIsFound) {
    const Replayed told = replayed(spoiled(story(), "cores=4 mates=2\n", "cores=3 mates=2\n"));
    EXPECT_EQ(told.differing(), 0U) << replay_summary(told);
    ASSERT_EQ(told.astray.size(), 1U);
    EXPECT_NE(
        replay_summary(told).find("job 6 started at 40 on 3 cores per node of job 2; line 9 decided: share 4 cores"),
        std::string::npos)
        << replay_summary(told);
}

TEST(Replay, ALimitThatDiffersIsSaid) {
    const std::string text = replay_summary(replayed(spoiled(story(), " limit=10 outcome", " limit=9 outcome")));
    EXPECT_NE(text.find("at the latest, limit 9; the policy decides now: "), std::string::npos) << text;
    EXPECT_NE(text.find("at the latest, limit 10\n"), std::string::npos) << text;
}

TEST(Replay, OnlyTheFirstDifferencesAreListed) {
    Replayed told = replayed(spoiled(story(), "mates=1 end", "mates=2 end"));
    told.decisions.insert(told.decisions.end(), 30, told.decisions[0]);
    const std::string text = replay_summary(told);
    EXPECT_NE(text.find("  and 11 more; "), std::string::npos) << text;
    EXPECT_EQ(nlohmann::json::parse(replay_json(told, false))["differing_decisions"].size(), 31U);
}

TEST(Replay, OtherParametersAreTriedOnWhatReallyHappened) {
    const Replayed strict = replayed(story(), {{"max_slowdown", "1.05"}});
    EXPECT_EQ(strict.with(Refusal::kNone, true), 0U);
    EXPECT_EQ(strict.differing(), 2U);
    EXPECT_EQ(strict.shared_starts, 4U) << "the second controller tells two again";
    EXPECT_NE(replay_summary(strict).find("2 of 5 decisions would have been others with max_slowdown=1.05:\n"),
              std::string::npos)
        << replay_summary(strict);
    // Mates that lend half of their cores lend more than these parameters allow: what happened is believed all the
    // same.
    const Replayed small = replayed(story(), {{"sharing_factor", "0.25"}});
    EXPECT_EQ(small.decisions[0].now.cores, 2);
    EXPECT_EQ(replayed(story(), {{"max_slowdown", "inf"}}).differing(), 0U) << "a limit alone is no difference";
}

TEST(Replay, AnUnfinishedLineIsLeftOut) {
    const std::string log = story();
    const Replayed cut = replayed(log + "consider at=2000 jo");
    EXPECT_EQ(cut.unfinished, std::vector<std::size_t>{cut.lines});
    EXPECT_EQ(cut.differing(), 0U);
    // Without its end a line may still be one, of something else.
    EXPECT_EQ(replayed(log + "finish at=2000 job=9").unfinished.size(), 1U);
    // The successor wrote on behind it, with or without a new line.
    EXPECT_EQ(replayed(spoiled(log, "sd-policy", "finish at=2sd-policy", 2)).unfinished.size(), 1U);
    const Replayed between = replayed(spoiled(log, "sd-policy", "finish at=2\nsd-policy", 2));
    EXPECT_EQ(between.unfinished.size(), 1U);
    EXPECT_EQ(between.clusters, 2U);
}

TEST(Replay, CommentsAndEmptyLinesAreLeftOut) {
    const Replayed told = replayed("# since Monday\n\n" + story() + "  \n# sd-policy 1\n#");
    EXPECT_EQ(told.differing(), 0U);
    EXPECT_EQ(told.clusters, 2U);
    EXPECT_TRUE(told.unfinished.empty());
}

TEST(Replay, WhatCannotBeReadIsSaidWithItsLine) {
    const std::string head = "sd-policy 1 limit=10 sharing_factor=0.5 max_mates=2 jobs_per_node=2 gain=0\n";
    const std::string pool = "pool cores=8 nodes=0-3\n";
    const std::string job = " submit=0 request=100 count=2 min_cores=1 ";
    const std::string start = "start at=1 job=1" + job + "kind=malleable nodes=0-1\n";
    const char* nothing = "there is not one whole line in it; name a log of decisions, a record or a journal";
    EXPECT_EQ(complaint(""), nothing);
    EXPECT_EQ(complaint("# nothing\n"), nothing);
    EXPECT_EQ(complaint("sd-policy 1"), nothing);
    EXPECT_EQ(complaint(start), "line 1 is not in a cluster; a log begins with a line sd-policy");
    EXPECT_EQ(complaint(head + pool + "finish at=1\n"), "line 3 has no job= where it should be");
    EXPECT_EQ(complaint(head + pool + "\n# hm\nend at=1\n"), "line 5 begins with a word that is not known: end");
    EXPECT_EQ(complaint(head + pool + pool), "line 3 has nodes of the pool before it");
    EXPECT_EQ(complaint(head + "pool cores=0 nodes=0-3\n"), "line 2 has a cores= that cannot be read: 0");
    EXPECT_EQ(complaint(head + pool + start + "pool cores=8 nodes=4\n"),
              "line 4 is a pool behind what happened; pools follow line sd-policy");
    EXPECT_EQ(complaint(head + pool + start + start),
              "line 4 starts job 1 on nodes 0-1, which are not free nodes of one pool, or it runs already");
    EXPECT_EQ(complaint(head + pool + start + "share at=2 job=2" + job + "cores=5 mates=1\n"),
              "line 4 starts job 2 on 5 cores per node of job 1: these cannot be lent, or it runs already");
    EXPECT_EQ(complaint(head + pool + start + "finish at=2 job=2\n"), "line 4 ends job 2, which does not run");
    EXPECT_EQ(complaint(head), "none") << "nothing has happened yet";
}

TEST(Replay, EveryDecisionIsALineOfTheCsv) {
    const TempDir folder;
    const std::string path = folder.path() + "/decisions.csv";
    ASSERT_TRUE(write_redecided_csv(path, replayed(spoiled(story(), "mates=1 end", "mates=2 end"))));
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    const auto commas = std::ranges::count(line, ',');
    std::getline(file, line);
    EXPECT_EQ(line, "5,10,3,2,share,2,4,10,800,210,share,1,4,10,210,1,,");
    int lines = 1;
    for (; std::getline(file, line); ++lines) EXPECT_EQ(std::ranges::count(line, ','), commas) << line;
    EXPECT_EQ(lines, 5) << "decisions";
}

TEST(Replay, JsonHasCountsAndWhatDiffers) {
    const auto json =
        nlohmann::json::parse(replay_json(replayed(spoiled(story(), "mates=1 end", "mates=2 end")), false));
    EXPECT_EQ(json["clusters"], 2);
    EXPECT_EQ(json["decisions"], 5);
    EXPECT_EQ(json["differing"], 1);
    EXPECT_EQ(json["then"]["share"], 2);
    ASSERT_EQ(json["differing_decisions"].size(), 1U);
    EXPECT_EQ(json["differing_decisions"][0]["then"]["mates"], nlohmann::json::array({2}));
    EXPECT_EQ(json["differing_decisions"][0]["now"]["mates"], nlohmann::json::array({1}));
    EXPECT_EQ(json["astray"].size(), 1U);
    const auto all = nlohmann::json::parse(replay_json(replayed(story()), true));
    EXPECT_EQ(all["all_decisions"].size(), 5U);
}

TEST(Replay, NoDamagedByteEndsTheProgram) {
    const std::string log = story();
    EXPECT_TRUE(holds("damaged", [&log] {
        std::string damaged = log;
        const auto at = *rc::gen::inRange<std::size_t>(0, log.size() - 1);
        damaged[at] = *rc::gen::inRange<char>(' ', '~');
        const auto told = replay_log(damaged);
        RC_ASSERT((told ? !replay_summary(*told).empty() : told.error().starts_with("line ")));
    }));
}

}  // namespace
}  // namespace drom::sim
