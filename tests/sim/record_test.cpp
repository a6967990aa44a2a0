// SPDX-License-Identifier: BSD-3-Clause
// record_test.cpp - a record of passes: told again it is the same under every policy, and what was changed in it is
// found.
#include "policy/record/recording.hpp"

#include <nlohmann/json.hpp>

#include "engine/record_replay.hpp"
#include "random_site.hpp"
#include "report/record_text.hpp"
#include "report/summary_json.hpp"

namespace drom::sim {
namespace {

using drom::test::holds;

/// Takes the lines of a record as one text.
policy::RecordSink into(std::string& text) {
    return [&text](const std::string& line) { text += line + '\n'; };
}

std::string record_of(const Site& site, const Parameters& asked) {
    Parameters parameters = asked;
    tell_site(parameters.policy, site);
    std::string text;
    const bool takes_model = policy::takes_energy_model(parameters.policy.row());
    const auto scheduler = recording(parameters.policy, takes_model ? site.energy.get() : nullptr, into(text));
    simulate(site.workload, *scheduler, rules_of(site, parameters));
    return text;
}

/// Returns the record of four nodes of eight cores and three jobs, of which the last one waits.
std::string story(const std::string& setting = "easy") {
    Site site;
    site.partitions = {policy::Machine::uniform(4, 8)};
    for (const int nodes : {2, 2, 3}) {
        LogJob job;
        job.id = job.submit = static_cast<Seconds>(site.workload.jobs.size());
        job.processors = std::int64_t{8} * nodes;
        job.run = 60;
        job.request = 100;
        site.workload.jobs.push_back(job);
    }
    return record_of(site, *read_setting(setting, {}));
}

ReplayedRecord replayed(const std::string& text) {
    auto told = replay_record(text);
    EXPECT_TRUE(told) << told.error() << '\n' << text;
    return told ? std::move(*told) : ReplayedRecord();
}

std::string complaint(const std::string& text) {
    const auto told = replay_record(text);
    return told ? "none" : told.error();
}

std::string spoiled(std::string text, const std::string& before, const std::string& after) {
    const std::size_t at = text.find(before);
    EXPECT_NE(at, std::string::npos) << before << " is not in\n" << text;
    return at == std::string::npos ? text : text.replace(at, before.size(), after);
}

TEST(Record, SaysWhatAPolicyIsToldAndWhatItDecides) {
    EXPECT_EQ(story(), R"(drom-record 1 easy:prediction=request,correction=double,safety=0
partition nodes=4 cores=8
class partition=0 nodes=0-3 features=0 memory=0
submit at=0 job=0 submit=0 request=100 count=2 min_cores=1 kind=malleable limit=0 reserve_limit=no partition=-1 qos=-1 application=-1 user=-1 features=0 memory=0 contiguous=no law=none
pass at=0 ended=no
start at=0 job=0 partition=0 slot=0 nodes=0-1 how=in-order end=100
after at=0 waiting=0 wake=never
submit at=1 job=1 submit=1 request=100 count=2 min_cores=1 kind=malleable limit=0 reserve_limit=no partition=-1 qos=-1 application=-1 user=-1 features=0 memory=0 contiguous=no law=none
pass at=1 ended=no
start at=1 job=1 partition=0 slot=1 nodes=2-3 how=in-order end=101
after at=1 waiting=0 wake=never
submit at=2 job=2 submit=2 request=100 count=3 min_cores=1 kind=malleable limit=0 reserve_limit=no partition=-1 qos=-1 application=-1 user=-1 features=0 memory=0 contiguous=no law=none
pass at=2 ended=no
after at=2 waiting=1 wake=never
end at=60 job=0 run=60
pass at=60 ended=yes
after at=60 waiting=1 wake=never
end at=61 job=1 run=60
pass at=61 ended=yes
start at=61 job=2 partition=0 slot=1 nodes=0-2 how=in-order end=161
after at=61 waiting=0 wake=never
end at=121 job=2 run=60
pass at=121 ended=yes
after at=121 waiting=0 wake=never
)");
}

TEST(Record, ToldAgainItIsTheSameUnderEveryPolicy) {
    EXPECT_TRUE(holds_for_every_policy("the same decisions", [](const policy::PolicyRow& row) {
        const Site site = random_site(row);
        Parameters parameters{policy::Policy(row), {}};
        draw_options(parameters.policy);
        const std::string text = record_of(site, parameters);
        const auto told = replay_record(text);
        if (!told) RC_FAIL(told.error() + '\n' + text);
        if (told->difference) RC_FAIL(record_summary(*told) + text);
        RC_ASSERT(!told->cut.has_value());
        RC_ASSERT(told->setting == setting_of(parameters.policy));
        RC_ASSERT(told->submits == site.workload.jobs.size());
        RC_ASSERT(told->starts >= told->ends);
    }));
}

TEST(Record, ASettingHasEveryOption) {
    EXPECT_TRUE(holds_for_every_policy("read back", [](const policy::PolicyRow& row) {
        policy::Policy policy(row);
        draw_options(policy);
        const auto parameters = read_setting(setting_of(policy), {});
        RC_ASSERT(parameters.has_value());
        for (const policy::OptionRow& option : row.options)
            RC_ASSERT(parameters->policy.get(option) == policy.get(option));
    }));
}

TEST(Record, ADecisionThatWasChangedIsNamedWithItsLine) {
    const ReplayedRecord told = replayed(spoiled(story(), "nodes=2-3 how", "nodes=1-2 how"));
    ASSERT_TRUE(told.difference);
    EXPECT_EQ(told.difference->line, 10U);
    EXPECT_EQ(told.difference->recorded, "start at=1 job=1 partition=0 slot=1 nodes=1-2 how=in-order end=101");
    EXPECT_EQ(told.difference->decided, "start at=1 job=1 partition=0 slot=1 nodes=2-3 how=in-order end=101");
    EXPECT_EQ(told.lines, 10U) << "nothing after it means anything";
}

TEST(Record, AStartThatIsMissingOrTooMuchIsNamed) {
    const std::string start = "start at=1 job=1 partition=0 slot=1 nodes=2-3 how=in-order end=101\n";
    const ReplayedRecord missing = replayed(spoiled(story(), start, ""));
    ASSERT_TRUE(missing.difference);
    EXPECT_EQ(missing.difference->recorded, "after at=1 waiting=0 wake=never");
    const ReplayedRecord twice = replayed(spoiled(story(), start, start + start));
    ASSERT_TRUE(twice.difference);
    EXPECT_EQ(twice.difference->line, 11U);
    EXPECT_EQ(twice.difference->decided, "after at=1 waiting=0 wake=never");
}

TEST(Record, AnotherOptionOfThePolicyIsFound) {
    const std::string text = story("slurm:bf_interval=30,main_scheduler=no");
    EXPECT_FALSE(replayed(text).difference);
    EXPECT_TRUE(replayed(spoiled(text, "bf_interval=30", "bf_interval=10")).difference);
}

TEST(Record, ACutRecordIsCheckedUpToThere) {
    const std::string text = story();
    const ReplayedRecord in_line = replayed(text.substr(0, text.size() - 5));
    EXPECT_EQ(in_line.cut, 24U);
    EXPECT_FALSE(in_line.difference);
    const ReplayedRecord in_pass = replayed(text.substr(0, text.find("start at=61")));
    EXPECT_EQ(in_pass.cut, 19U) << "its decisions are missing";
    EXPECT_EQ(in_pass.passes, 5U);
    EXPECT_FALSE(replayed(text.substr(0, text.find("end at=121"))).cut) << "the end of a pass";
}

TEST(Record, CancelledJobsAreInIt) {
    std::string text;
    const auto scheduler = recording(policy::Policy(*policy::find_policy("easy")), nullptr, into(text));
    std::vector<policy::Cluster> clusters{policy::Cluster(policy::Machine::uniform(2, 1))};
    policy::Changes changes;
    policy::Job job;
    for (job.id = 1; job.id <= 3; ++job.id) {
        job.nodes = 2;
        scheduler->submit(job);
    }
    scheduler->pass(clusters, 0, false, changes);
    EXPECT_TRUE(scheduler->cancel(2));
    scheduler->pass(clusters, 5, false, changes);
    clusters[0].finish(0, 7);
    scheduler->ended(1, 7);
    scheduler->pass(clusters, 7, true, changes);
    EXPECT_EQ(changes.started.size(), 2U) << "what a caller has gathered stays";
    EXPECT_EQ(changes.started.back().job.id, 3);
    EXPECT_NE(text.find("cancel at=5 job=2\npass at=5 ended=no\nafter at=5 waiting=1 wake=never\n"), std::string::npos);
    EXPECT_FALSE(replayed(text).difference);
    EXPECT_EQ(complaint(spoiled(text, "cancel at=5 job=2", "cancel at=5 job=1")),
              "line 10 takes back job 1, which does not wait");
}

TEST(Record, ClassesOfNodesAndFiltersAreInIt) {
    policy::Machine machine{4, 8, {{policy::NodeSet(0, 2), 0, 1000}, {policy::NodeSet(2, 2), 3, 64000}}};
    std::string text;
    const auto scheduler = recording(policy::Policy(*policy::find_policy("slurm")), nullptr, into(text));
    std::vector<policy::Cluster> clusters{policy::Cluster(machine)};
    policy::Changes changes;
    policy::Job job;
    job.filter = {2, 32000, true, nullptr};
    scheduler->submit(job);
    scheduler->pass(clusters, 0, false, changes);
    EXPECT_NE(text.find("class partition=0 nodes=2-3 features=3 memory=64000\n"), std::string::npos) << text;
    EXPECT_NE(text.find("nodes=2 how"), std::string::npos) << text;
    EXPECT_FALSE(replayed(text).difference);
    EXPECT_TRUE(replayed(spoiled(text, "features=3", "features=1")).difference) << "the job does not fit then";
}

TEST(Record, WhatCannotBeReadIsSaidWithItsLine) {
    const std::string text = story();
    EXPECT_EQ(complaint(""), "there is not one whole line in it");
    EXPECT_EQ(complaint("drom-record 1 easy"), "there is not one whole line in it");
    EXPECT_EQ(complaint("start at=1\n"), "line 1 is not the beginning of a record, drom-record 1 SETTING");
    EXPECT_EQ(complaint(spoiled(text, "record 1", "record 2")), "line 1 is not of version 1");
    EXPECT_EQ(complaint(spoiled(text, " easy", " eazy")),
              "line 1 has a setting that cannot be used: there is no policy 'eazy'; did you mean easy? (drom-sim "
              "policies lists them)");
    EXPECT_EQ(complaint(spoiled(text, "partition nodes=4 cores=8\n", "")), "line 2 is of a partition that has no line");
    EXPECT_EQ(complaint(spoiled(text, "nodes=0-3 features", "nodes=0-4 features")),
              "line 3 has nodes that its partition does not have");
    EXPECT_EQ(complaint(spoiled(text, "nodes=0-3 features", "nodes=0-2 features")),
              "line 4 comes before every node is in a class");
    EXPECT_EQ(complaint(spoiled(text, "count=2", "count=5")), "line 4 submits job 0, wider than every partition");
    EXPECT_EQ(complaint(spoiled(text, "job=1 submit", "job=0 submit")),
              "line 8 submits job 0, which waits or runs already");
    EXPECT_EQ(complaint(spoiled(text, "pass at=1", "pass at=0")), "line 9 is earlier than the line before it");
    EXPECT_EQ(complaint(spoiled(text, "end at=60 job=0", "end at=60 job=2")), "line 15 ends job 2, which does not run");
    EXPECT_EQ(complaint(spoiled(text, "end at=60", "start at=60")), "line 15 is a decision of no pass");
    EXPECT_EQ(complaint(spoiled(text, "end at=60", "iteration at=60 partition=0 slot=0 seconds=1 mtct=0\nend at=60")),
              "line 15 is of a slot without such a program");
    EXPECT_EQ(complaint(spoiled(text, "end at=60", "partition nodes=1 cores=1\nend at=60")),
              "line 15 is about the machine, behind what happened there");
    EXPECT_EQ(complaint(spoiled(text, "class",
                                "partition nodes=1 cores=1\nclass partition=1 nodes=0 features=0 "
                                "memory=0\nclass")),
              "line 6 is of several partitions, and policy easy uses one");
}

// A record without the numbers of names was told again without the limits, and every decision they made seemed changed.
TEST(Record, LimitsOfPartitionsAndQosHoldWhenItIsToldAgain) {
    Site site;
    site.partitions = {policy::Machine::uniform(4, 8)};
    for (const int queue : {2, 1}) {
        LogJob job;
        job.id = job.submit = static_cast<Seconds>(site.workload.jobs.size());
        job.processors = 32;
        job.run = job.request = queue == 2 ? 10'000 : 100;
        job.queue = queue;
        site.workload.jobs.push_back(job);
    }
    const auto text = [&site](const std::string& options) {
        return record_of(site, *read_setting("sd:bf_interval=0,max_slowdown=inf" + options, {}));
    };
    const std::string shared = text(""), limited = text(",qos_max_slowdown=2:1.01/1:3,partition_max_slowdown=4:2");
    const std::string ordered = text(",qos=strict,qos_order=1/2");
    EXPECT_NE(shared.find("how=shared"), std::string::npos) << shared;
    EXPECT_EQ(limited.find("how=shared"), std::string::npos) << "the limit of the mate's QOS";
    EXPECT_EQ(ordered.find("how=shared"), std::string::npos) << "the guest's QOS is below that of the mate";
    EXPECT_NE(limited.find("\nlabel of=qos number=1 name=1\nlabel of=qos number=2 name=2\npartition "),
              std::string::npos)
        << "no partition 4 has jobs\n"
        << limited;
    for (const std::string& record : {shared, limited, ordered}) EXPECT_FALSE(replayed(record).difference) << record;
    EXPECT_TRUE(replayed(spoiled(limited, "number=2 name=2", "number=3 name=2")).difference)
        << "the jobs have no limit";
}

TEST(Record, ALabelThatCannotBeIsRefused) {
    const std::string label = "label of=qos number=2 name=2\n";
    const auto with = [](const std::string& setting, const std::string& lines) {
        return complaint(spoiled(story(setting), "partition nodes", lines + "partition nodes"));
    };
    EXPECT_EQ(with("sd", label), "none");
    EXPECT_EQ(with("sd", label + label), "line 3 gives 2 a second number");
    EXPECT_EQ(with("sd", "label of=user number=2 name=2\n"), "line 2 has a of= that cannot be read: user");
    EXPECT_EQ(with("sd", "label of=qos number=-1 name=2\n"), "line 2 has a number= that cannot be read: -1");
    EXPECT_EQ(with("sd", "label of=qos number=2 name=\n"), "line 2 has a name= that cannot be read: ");
    EXPECT_EQ(with("easy", label), "line 5 comes after a line label, and policy easy has no limits by name");
}

// A run time of 0 ended the program.
TEST(Record, AnEnergyModelThatCannotBeIsRefused) {
    const policy::PolicyRow& row = *policy::find_policy("eamc");
    Site site;
    site.partitions = {policy::Machine::uniform(4, 8)};
    policy::EnergyModel model = drom::test::thesis_model();
    model.partitions = {{4, {{2, {}}, {3, {}}}, 1, 100, policy::PowerCurve{}}};
    model.applications.resize(1);
    model.applications[0].number = 7;
    model.applications[0].on = {policy::Signature{100, 300, 0, 0, 0}};
    site.energy = std::make_shared<const policy::EnergyModel>(model);
    LogJob job;
    job.application = 7;
    site.workload.jobs = {job};
    const std::string text = record_of(site, {policy::Policy(row), {}});
    EXPECT_FALSE(replayed(text).difference);
    const std::string before = "line 9 comes after an energy model that has ";
    EXPECT_EQ(complaint(spoiled(text, "seconds=100 ", "seconds=0 ")),
              before + "an application with a time or a power that cannot be right");
    EXPECT_EQ(complaint(spoiled(text, "watts=300 ", "watts=-300 ")),
              before + "an application with a time or a power that cannot be right");
    const std::string larger =
        "larger nodes=3\nsignature partition=0 seconds=1 watts=0 cpi=0 tpi=0 slope=0\npartition nodes";
    EXPECT_EQ(
        complaint(spoiled(text, "partition nodes", larger)),
        "line 11 comes after an energy model that has an application with a time or a power that cannot be right");
    EXPECT_EQ(complaint(spoiled(text, "application number", "larger nodes=3\napplication number")),
              "line 5 is of no application; a line application comes before it");
    EXPECT_EQ(complaint(spoiled(text, "ghz=2 ", "ghz=4 ")), before + "frequencies that do not ascend from above 0");
    EXPECT_EQ(complaint(spoiled(text, "nominal=1 ", "nominal=2 ")),
              before + "a partition without a line state of its nominal frequency");
}

/// Changes a byte, or the value of one word.
std::string damaged(std::string text) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size() - 1);
    const std::size_t equals = text.find('=', at);
    if (*rc::gen::arbitrary<bool>() || equals == std::string::npos) {
        text[at] = *rc::gen::inRange<char>(' ', '~');
        return text;
    }
    const auto value = *rc::gen::element<std::string>("0", "-1", "1", "3", "1e-300", "1e300", "999999999", "16777215",
                                                      "1099511627776", "9223372036854775807", "never", "yes", "none");
    return text.replace(equals + 1, text.find_first_of(" \n", equals) - equals - 1, value);
}

TEST(Record, NoDamagedByteOrWordEndsTheProgram) {
    EXPECT_TRUE(holds_for_every_policy("damaged", [](const policy::PolicyRow& row) {
        const std::string text = damaged(record_of(random_site(row, 12), {policy::Policy(row), {}}));
        const auto told = replay_record(text);
        RC_ASSERT((told ? !record_summary(*told).empty() : told.error().starts_with("line ")));
    }));
}

TEST(Record, JsonHasCountsAndTheFirstDifference) {
    const auto same = nlohmann::json::parse(record_json(replayed(story())));
    EXPECT_EQ(same["passes"], 6);
    EXPECT_EQ(same["difference"], nullptr);
    const auto json = nlohmann::json::parse(record_json(replayed(spoiled(story(), "nodes=2-3 how", "nodes=1-2 how"))));
    EXPECT_EQ(json["difference"]["line"], 10);
}

}  // namespace
}  // namespace drom::sim
