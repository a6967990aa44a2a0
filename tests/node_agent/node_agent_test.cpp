// SPDX-License-Identifier: GPL-2.0-or-later
// node_agent_test.cpp - steps arrive on a virtual node of 2 x 24 cores, end, and are killed, and so are the step
// daemons that launch them.
#include "node_agent/node_agent.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "agent_fixture.hpp"
#include "common/small_file.hpp"
#include "node_agent/ended_jobs.hpp"
#include "node_agent/step_hooks.hpp"
#include "property.hpp"

namespace drom::slurm {
namespace {

using test::Child;

TEST_F(Agent, AGuestGetsThePackageItWasGrantedAndTheOwnerGetsItBack) {
    const Launch owner = launch(1, 2, kNode);
    ASSERT_EQ(arrive(owner), "");
    EXPECT_EQ(wanted(owner.tasks[0]), CpuSet::range(0, 24));
    EXPECT_EQ(wanted(owner.tasks[1]), CpuSet::range(24, 24));

    const Launch guest = launch(2, 1, CpuSet::range(24, 24));
    ASSERT_EQ(arrive(guest), "");
    EXPECT_EQ(wanted(guest.tasks[0]), CpuSet::range(24, 24));
    EXPECT_EQ(wanted(owner.tasks[0]) | wanted(owner.tasks[1]), CpuSet::range(0, 24));
    EXPECT_EQ(wanted(owner.tasks[0]).count(), 12U);

    ASSERT_TRUE(agent().leave(guest.tasks).has_value());
    EXPECT_EQ(wanted(owner.tasks[0]), CpuSet::range(0, 24));
    EXPECT_EQ(wanted(owner.tasks[1]), CpuSet::range(24, 24));
}

TEST_F(Agent, AStepWhoseMateEndsWhileItIsOnItsWayHasTheWholeNode) {
    std::filesystem::create_directories(settings_.table);
    ASSERT_TRUE(note_end_of_job(settings_.table, 2, {{1, 1, {}}}));
    const Launch step = shared(1, 1, CpuSet::range(0, 24));
    arrive(step);
    EXPECT_EQ(wanted(step.tasks[0]), kNode);
}

/// The end of any job here would have let it take the CPUs of the one that it shares the node with.
TEST_F(Agent, AStepBesideAnotherJobHasNoMoreThanItsGrantWhenAThirdJobEndsMeanwhile) {
    const Launch mate = shared(1, 1, CpuSet::range(0, 24));
    arrive(mate);
    ASSERT_TRUE(note_end_of_job(settings_.table, 3, {{2, 1, {}}}));
    const Launch guest = shared(2, 1, CpuSet::range(36, 12));
    arrive(guest);
    EXPECT_EQ(wanted(mate.tasks[0]), CpuSet::range(0, 24));
    EXPECT_EQ(wanted(guest.tasks[0]), CpuSet::range(36, 12));
}

TEST_F(Agent, GuestsThatEndAtTheSameMomentLeaveTheOwnerTheWholeNode) {
    for (const bool the_first_calls : {false, true}) {
        const Launch owner = launch(1, 1, kNode);
        const Launch guest = launch(2, 1, kNode);
        const Launch another = launch(3, 1, kNode);
        for (const Launch& each : {owner, guest, another}) ASSERT_EQ(arrive(each), "");
        for (std::size_t i = 1; i <= 2; ++i) tasks_[tasks_.size() - i].stop();
        const Launch& caller = the_first_calls ? guest : another;
        ASSERT_TRUE(agent().leave(caller.tasks).has_value());
        EXPECT_EQ(wanted(owner.tasks[0]), kNode);
        ASSERT_TRUE(agent().leave(owner.tasks).has_value());
    }
}

TEST_F(Agent, GuestsThatDieTogetherLeaveTheOwnerTheWholeNodeWhenTheNextStepHasEnded) {
    for (const uint32_t core : {0U, 12U, 24U, 47U}) {
        const Launch owner = launch(1, 1, kNode);
        for (const Launch& each : {owner, launch(2, 1, kNode), launch(3, 1, kNode)}) ASSERT_EQ(arrive(each), "");
        for (std::size_t i = 1; i <= 2; ++i) tasks_[tasks_.size() - i].stop();
        const Launch next = launch(4, 1, CpuSet::range(core, 1));
        ASSERT_EQ(arrive(next), "");
        EXPECT_EQ(wanted(owner.tasks[0]), kNode - next.granted);
        ASSERT_TRUE(agent().leave(next.tasks).has_value());
        EXPECT_EQ(wanted(owner.tasks[0]), kNode) << core;
        ASSERT_TRUE(agent().leave(owner.tasks).has_value());
    }
}

TEST_F(Agent, TasksThatAreMoreThanTheirCpusShareThemUntilThereIsRoomForEach) {
    Launch owner = launch(1, 1, CpuSet::range(0, 24));
    owner.min_cpus = 24;
    ASSERT_EQ(arrive(owner), "");
    const Launch guest = launch(2, 48, kNode);
    auto arrived = agent().arrive(guest);
    ASSERT_TRUE(arrived);
    EXPECT_EQ(
        arrived->news,
        "drom: no room: its CPUs 0-47 are what running steps keep at least, one per task or as --malleable=MIN says; "
        "its tasks share CPUs 24-47");
    for (const CpuSet& mask : arrived->masks) EXPECT_EQ(mask, CpuSet::range(24, 24));
    EXPECT_EQ(wanted(guest.tasks[0]), CpuSet::range(24, 24)) << "the first has them for all";
    EXPECT_EQ(wanted(owner.tasks[0]), CpuSet::range(0, 24));
    ASSERT_TRUE(agent().leave({guest.tasks[0]}));
    EXPECT_EQ(wanted(guest.tasks[1]), CpuSet::range(24, 24)) << "the next has them for all";
    ASSERT_TRUE(agent().leave(owner.tasks));
    for (std::size_t i = 1; i < guest.tasks.size(); ++i) EXPECT_GE(wanted(guest.tasks[i]).count(), 1U) << i;
}

TEST_F(Agent, AStepWhoseCpusAreAllNeededRunsOnThoseThatTheControllerNames) {
    ASSERT_EQ(arrive(launch(1, 48, kNode)), "");
    const Launch guest = shared(2, 2, CpuSet::range(24, 24));
    auto arrived = agent().arrive(guest);
    ASSERT_TRUE(arrived);
    for (const CpuSet& mask : arrived->masks) EXPECT_EQ(mask, guest.granted);
    EXPECT_TRUE(wanted(guest.tasks[0]).none());
    tasks_.erase(tasks_.begin() + 40, tasks_.begin() + 48);
    ASSERT_TRUE(agent().reconcile().value());
    EXPECT_EQ((wanted(guest.tasks[0]) | wanted(guest.tasks[1])), CpuSet::range(40, 8)) << "those that became free";
}

/// A guest may die after the node agent has looked which tasks live: the table still keeps a CPU for it.
TEST_F(Agent, APlanThatTheTableRefusedIsTriedAgainAndNoMaskIsTakenForSetByHand) {
    const Launch owner = launch(1, 1, kNode);
    ASSERT_EQ(arrive(owner), "");
    const Launch guest = launch(2, 1, CpuSet::range(24, 24));
    ASSERT_EQ(Child::run([&] { return arrive(guest).empty() ? 0 : 1; }).wait(), 0);
    const std::string path = settings_.table + "/agent.record";
    auto state = read_state(contents(path));
    ASSERT_TRUE(state.has_value());
    state->tasks.resize(1);
    state->tasks[0].mask = kNode;
    state->applied = false;
    ASSERT_TRUE(replace(path, to_text(*state)));
    ASSERT_TRUE(agent().reconcile().has_value());
    EXPECT_EQ(wanted(owner.tasks[0]), CpuSet::range(0, 24));
    EXPECT_FALSE(read_state(contents(path))->applied);
    tasks_.back().stop();
    ASSERT_TRUE(agent().reconcile().has_value());
    EXPECT_EQ(wanted(owner.tasks[0]), kNode);
    EXPECT_TRUE(read_state(contents(path))->applied);
}

/// The plan gave the guest more CPUs, and was not carried out for it any more: guests may end within a moment.
TEST_F(Agent, AGuestThatDiedBeforeItWasToldOfMoreCpusLosesNoneForItsOwner) {
    const Launch owner = launch(1, 1, kNode);
    const Launch guest = launch(2, 1, CpuSet::range(24, 24));
    ASSERT_EQ(arrive(owner), "");
    ASSERT_EQ(arrive(guest), "");
    const CpuSet fewer = CpuSet::range(24, 12);
    drom_table* table = nullptr;
    ASSERT_EQ(drom_open(&table, settings_.table.c_str(), nullptr, nullptr), DROM_OK);
    ASSERT_GE(drom_set_mask(table, guest.tasks[0], fewer.words, CpuSet::kWords, nullptr, nullptr), 0);
    drom_close(table);
    const ProcessIdentity identity = process_of(guest);
    tasks_.back().kill();  // a zombie until it is waited for, as under a step daemon
    while (liveness(identity) != Liveness::kDead) usleep(1000);
    ASSERT_TRUE(agent().reconcile().has_value());
    EXPECT_EQ(wanted(owner.tasks[0]), kNode);
}

TEST_F(Agent, WhenTheOwnerEndsFirstItsGuestInherits) {
    const Launch owner = launch(1, 1, kNode);
    const Launch guest = launch(2, 1, CpuSet::range(24, 24));
    ASSERT_EQ(arrive(owner), "");
    ASSERT_EQ(arrive(guest), "");
    ASSERT_TRUE(agent().leave(owner.tasks).has_value());
    EXPECT_EQ(wanted(guest.tasks[0]), kNode);
}

TEST_F(Agent, TasksThatAreKilledGiveTheirCpusBackAtTheNextCallOfAnyStep) {
    const Launch owner = launch(1, 1, kNode);
    const Launch guest = launch(2, 1, CpuSet::range(0, 24));
    ASSERT_EQ(arrive(owner), "");
    ASSERT_EQ(arrive(guest), "");
    tasks_.back().stop();
    const auto found = agent().reconcile();
    ASSERT_TRUE(found.has_value()) << found.error();
    EXPECT_TRUE(*found);
    EXPECT_EQ(wanted(owner.tasks[0]), kNode);
    EXPECT_FALSE(agent().reconcile().value());
}

TEST_F(Agent, AJobWithoutMalleableKeepsWhatItHasAndAGuestRunsBesideIt) {
    const Launch rigid = launch(1, 2, kNode, false);
    ASSERT_EQ(arrive(rigid), "");
    const Launch guest = launch(2, 1, CpuSet::range(0, 24));
    EXPECT_EQ(
        arrive(guest),
        "drom: no room: of its CPUs 0-23, 0-23 are step 1.0's, which is not malleable; its tasks share CPUs 0-23");
    EXPECT_EQ(wanted(rigid.tasks[0]) | wanted(rigid.tasks[1]), kNode);
    EXPECT_TRUE(wanted(guest.tasks[0]).none());
    ASSERT_TRUE(agent().leave(rigid.tasks).has_value());
    EXPECT_EQ(wanted(guest.tasks[0]), CpuSet::range(0, 24));
}

TEST_F(Agent, AStepThatFindsSomeOfItsCpusTakenForGoodHasTheOthers) {
    ASSERT_EQ(arrive(launch(1, 1, CpuSet::range(0, 4), false)), "");
    const Launch guest = launch(2, 1, CpuSet::range(0, 24));
    EXPECT_EQ(arrive(guest),
              "drom: no room: of its CPUs 0-23, 0-3 are step 1.0's, which is not malleable; its tasks share CPUs 4-23");
    EXPECT_EQ(wanted(guest.tasks[0]), CpuSet::range(4, 20));
}

TEST_F(Agent, JobsThatWereGrantedTheSameCpusDivideThem) {
    const Launch first = launch(1, 1, kNode);
    const Launch second = launch(2, 1, kNode);
    ASSERT_EQ(arrive(first), "");
    ASSERT_EQ(arrive(second), "");
    EXPECT_EQ(wanted(first.tasks[0]).count(), 24U);
    EXPECT_EQ(wanted(second.tasks[0]).count(), 24U);
    ASSERT_TRUE(agent().leave(first.tasks).has_value());
    EXPECT_EQ(wanted(second.tasks[0]), kNode);
}

TEST_F(Agent, StepsOfABatchScriptHaveItsCpusAlthoughAnotherDaemonReservedForIt) {
    const Launch script = script_of(1);
    ASSERT_EQ(Child::run([&] { return arrive(script).empty() ? 0 : 1; }).wait(), 0);
    EXPECT_EQ(wanted(script.tasks[0]), kNode);
    const Launch step = launch(1, 1, kNode);
    ASSERT_EQ(arrive(step), "");
    EXPECT_TRUE(wanted(script.tasks[0]).none());
    EXPECT_EQ(wanted(step.tasks[0]), kNode);
    ASSERT_EQ(Child::run([&] { return agent().leave(step.tasks).has_value() ? 0 : 1; }).wait(), 0);
    EXPECT_EQ(wanted(script.tasks[0]), kNode);
}

TEST_F(Agent, AScriptComesBackToWhatItsLastStepHadAndTroublesNoOtherJob) {
    const Launch script = script_of(1);
    ASSERT_EQ(arrive(script), "");
    const Launch step = launch(1, 1, kNode);
    ASSERT_EQ(arrive(step), "");
    const Launch rigid = launch(2, 1, CpuSet::range(0, 24), false);
    ASSERT_EQ(arrive(rigid), "");
    tasks_[1].stop();
    ASSERT_TRUE(agent().reconcile().has_value());
    EXPECT_EQ(wanted(script.tasks[0]), CpuSet::range(24, 24));
    ASSERT_EQ(arrive(launch(3, 1, CpuSet::range(24, 24))), "");
    EXPECT_EQ(wanted(script.tasks[0]).count(), 12U);
    ASSERT_TRUE(agent().leave(rigid.tasks).has_value());
}

TEST_F(Agent, AScriptWhoseStepGotEverythingWhileItWaitedHasEverythingAfterwards) {
    const Launch other = launch(2, 1, kNode);
    ASSERT_EQ(arrive(other), "");
    const Launch script = script_of(1);
    ASSERT_EQ(arrive(script), "");
    EXPECT_EQ(wanted(script.tasks[0]).count(), 24U);
    const Launch step = launch(1, 1, kNode);
    ASSERT_EQ(arrive(step), "");
    ASSERT_TRUE(agent().leave(other.tasks).has_value());
    EXPECT_EQ(wanted(step.tasks[0]), kNode);
    ASSERT_TRUE(agent().leave(step.tasks).has_value());
    EXPECT_EQ(wanted(script.tasks[0]), kNode);
}

TEST_F(Agent, ABatchScriptsStepsRunOnItsCpusAndItHasThemAgainAfterwards) {
    const Launch script = script_of(1);
    ASSERT_EQ(arrive(script), "");
    EXPECT_EQ(wanted(script.tasks[0]), kNode);
    const Launch step = launch(1, 2, kNode);
    ASSERT_EQ(arrive(step), "");
    EXPECT_TRUE(wanted(script.tasks[0]).none());
    EXPECT_EQ(wanted(step.tasks[1]), CpuSet::range(24, 24));
    ASSERT_TRUE(agent().leave({step.tasks[0]}).has_value());
    EXPECT_TRUE(wanted(script.tasks[0]).none());
    ASSERT_TRUE(agent().leave({step.tasks[1]}).has_value());
    EXPECT_EQ(wanted(script.tasks[0]), kNode);
    ASSERT_TRUE(agent().leave(script.tasks).has_value());
    EXPECT_EQ(arrive(launch(2, 1, kNode, false)), "");
}

TEST_F(Agent, WhatAGuestsScriptAndStepsBorrowedGoesBackToTheOwner) {
    const Launch script = script_of(1);
    ASSERT_EQ(arrive(script), "");
    const Launch owner = launch(1, 1, kNode);
    ASSERT_EQ(arrive(owner), "");
    const Launch guests_script = script_of(2);
    ASSERT_EQ(arrive(guests_script), "");
    const Launch guest = launch(2, 1, kNode);
    ASSERT_EQ(arrive(guest), "");
    EXPECT_EQ(wanted(guest.tasks[0]).count(), 24U);
    ASSERT_TRUE(agent().leave(guests_script.tasks).has_value());
    ASSERT_TRUE(agent().leave(guest.tasks).has_value());
    EXPECT_EQ(wanted(owner.tasks[0]), kNode);
}

TEST_F(Agent, OfTwoJobsThatStartAtTheSameMomentTheOneThatStaysGetsEverything) {
    std::vector<Launch> scripts;
    for (const uint32_t job : {1U, 2U}) {
        scripts.push_back(script_of(job));
        ASSERT_EQ(arrive(scripts.back()), "");
    }
    const Launch first = launch(1, 1, kNode);
    const Launch second = launch(2, 1, kNode);
    ASSERT_EQ(arrive(first), "");
    ASSERT_EQ(arrive(second), "");
    EXPECT_EQ(wanted(first.tasks[0]).count(), 24U);
    EXPECT_EQ(wanted(second.tasks[0]).count(), 24U);
    ASSERT_TRUE(agent().leave(scripts[0].tasks).has_value());
    ASSERT_TRUE(agent().leave(first.tasks).has_value());
    EXPECT_EQ(wanted(second.tasks[0]), kNode);
}

TEST_F(Agent, TheSecondHookFindsThatTheTasksHaveArrived) {
    const Launch step = launch(1, 2, kNode);
    const auto first = agent().arrive(step);
    const auto second = agent().arrive(step);
    ASSERT_TRUE(first.has_value() && second.has_value());
    EXPECT_EQ(first->masks, second->masks);
    ASSERT_TRUE(agent().leave({step.tasks[0]}).has_value());
    EXPECT_EQ(wanted(step.tasks[1]), kNode);
}

TEST_F(Agent, ASuspendedJobsCpusAreForOthersUntilItGoesOn) {
    for (const bool malleable : {true, false}) {
        const Launch stopped = launch(1, 2, kNode, malleable);
        ASSERT_EQ(arrive(stopped), "");
        ASSERT_TRUE(agent().suspend(1).has_value());
        EXPECT_TRUE(wanted(stopped.tasks[0]).none());
        ASSERT_TRUE(agent().suspend(1).has_value());  // a second call changes nothing
        const Launch other = launch(2, 1, kNode);
        ASSERT_EQ(arrive(other), "");
        EXPECT_EQ(wanted(other.tasks[0]), kNode);
        ASSERT_TRUE(agent().leave(other.tasks).has_value());
        const auto resumed = agent().resume(1);
        ASSERT_TRUE(resumed.has_value()) << resumed.error();
        EXPECT_EQ(wanted(stopped.tasks[0]), CpuSet::range(0, 24));
        EXPECT_EQ(wanted(stopped.tasks[1]), CpuSet::range(24, 24));
        ASSERT_TRUE(agent().leave(stopped.tasks).has_value());
    }
}

TEST_F(Agent, AJobThatEndsWhileItIsSuspendedLeavesNothingBehind) {
    const Launch stopped = launch(1, 1, kNode);
    ASSERT_EQ(arrive(stopped), "");
    ASSERT_TRUE(agent().suspend(1).has_value());
    tasks_.back().stop();
    ASSERT_TRUE(agent().reconcile().value());
    ASSERT_TRUE(agent().resume(1).has_value());
    EXPECT_EQ(arrive(launch(2, 1, kNode, false)), "");
}

TEST_F(Agent, WhoComesBackToATakenPlaceIsToldSo) {
    const Launch stopped = launch(1, 1, kNode, false);
    ASSERT_EQ(arrive(stopped), "");
    ASSERT_TRUE(agent().suspend(1).has_value());
    ASSERT_EQ(arrive(launch(2, 1, kNode, false)), "");
    const auto resumed = agent().resume(1);
    ASSERT_FALSE(resumed.has_value());
    EXPECT_EQ(resumed.error(),
              "step 1.0: drom: no room: of its CPUs 0-47, 0-47 are step 2.0's, which is not malleable; it goes on "
              "as without drom");
}

TEST_F(Agent, AMalleableJobThatComesBackToATakenPlaceSharesIt) {
    const Launch stopped = launch(1, 1, kNode);
    ASSERT_EQ(arrive(stopped), "");
    ASSERT_TRUE(agent().suspend(1).has_value());
    const Launch rigid = launch(2, 1, kNode, false);
    ASSERT_EQ(arrive(rigid), "");
    EXPECT_EQ(agent().resume(1).error(),
              "step 1.0: drom: no room: of its CPUs 0-47, 0-47 are step 2.0's, which is not malleable; its tasks share "
              "CPUs 0-47");
    ASSERT_TRUE(agent().suspend(2).has_value());
    EXPECT_EQ(wanted(stopped.tasks[0]), kNode);
}

TEST_F(Agent, TasksThatDoNotFitInTheGrantAreToldSo) {
    Launch wide = launch(1, 2, CpuSet::range(0, 3));
    wide.min_per_rank = 2;
    EXPECT_EQ(
        arrive(wide),
        "drom: no room: its tasks need 4 CPUs at least, and have CPUs 0-2 of this node; its tasks share CPUs 0-2");
    EXPECT_EQ(wanted(wide.tasks[0]), wide.granted);
}

TEST_F(Agent, ATaskFindsItsReservation) {
    const Launch step = launch(1, 2, kNode);
    ASSERT_EQ(arrive(step), "");
    const std::string pid = std::to_string(step.tasks[1]);
    EXPECT_EQ(environment_of(settings_.table, step.tasks[1]).value(),
              (Variables{{"DROM_TABLE", settings_.table}, {"DROM_SLOT", "1:1:" + pid}, {"DROM_START_CPUS", "24-47"}}));
    EXPECT_TRUE(environment_of(settings_.table, getpid())->empty());
    EXPECT_TRUE(environment_of(settings_.table + "/nothing", getpid())->empty());
}

TEST_F(Agent, AMaskThatWasSetByHandIsKept) {
    const Launch owner = launch(1, 1, CpuSet::range(0, 24));
    ASSERT_EQ(arrive(owner), "");
    drom_table* table = nullptr;
    ASSERT_EQ(drom_open(&table, settings_.table.c_str(), nullptr, nullptr), DROM_OK);
    const CpuSet by_hand = CpuSet::range(4, 8);
    ASSERT_GE(drom_set_mask(table, owner.tasks[0], by_hand.words, CpuSet::kWords, nullptr, nullptr), 0);
    drom_close(table);
    EXPECT_NE(arrive(launch(2, 1, CpuSet::range(4, 8))), "");
    EXPECT_EQ(wanted(owner.tasks[0]), by_hand);
    EXPECT_EQ(arrive(launch(3, 1, CpuSet::range(12, 12))), "");
    EXPECT_EQ(wanted(owner.tasks[0]), by_hand);
}

TEST_F(Agent, ADamagedRecordIsPutAsideAndSaidOnce) {
    ASSERT_EQ(arrive(launch(1, 1, CpuSet::range(0, 24))), "");
    const std::string path = settings_.table + "/agent.record";
    FILE* file = fopen(path.c_str(), "w");
    ASSERT_NE(file, nullptr);
    fputs("drom node agent 1\ntask 1 2", file);
    fclose(file);
    // A call that only looks leaves the report to another call.
    EXPECT_TRUE(agent().before_step(step_of(1), kNode).has_value());
    const auto first = agent().reconcile();
    ASSERT_FALSE(first.has_value());
    EXPECT_NE(first.error().find("is damaged: line 2 is no task"), std::string::npos) << first.error();
    EXPECT_TRUE(agent().reconcile().has_value());
    EXPECT_EQ(access((path + ".damaged").c_str(), F_OK), 0);
}

TEST_F(Agent, ARecordThatContradictsItselfDoesNotStopTheNode) {
    ASSERT_EQ(arrive(launch(1, 1, kNode)), "");
    tasks_.push_back(Child::sleeper());
    tasks_.push_back(Child::sleeper());
    AgentState state;
    for (const Child& child : tasks_) {
        TaskState& task = state.tasks.emplace_back();
        task.step = step_of(7);
        ASSERT_TRUE(identify(child.upid(), task.identity));
        task.malleable = true;
        task.mask = task.home = CpuSet::range(0, 8);
    }
    FILE* file = fopen((settings_.table + "/agent.record").c_str(), "w");
    ASSERT_NE(file, nullptr);
    fputs(to_text(state).c_str(), file);
    fclose(file);
    tasks_.back().stop();
    const auto first = agent().reconcile();
    ASSERT_FALSE(first.has_value());
    EXPECT_NE(first.error().find("agent.record is damaged"), std::string::npos) << first.error();
    EXPECT_EQ(arrive(launch(2, 1, CpuSet::range(24, 24))), "");
}

TEST_F(Agent, CoresAreCountedAsSlurmDoes) {
    settings_.topology = "package:2 core:4 pu:2";
    const NodeAgent smt = agent();
    EXPECT_EQ(smt.cpus_of_cores(CpuSet::range(1, 2)), CpuSet::range(2, 4));
    EXPECT_TRUE(smt.cpus_of_cores(CpuSet::range(8, 4)).none());
}

/// No CPU belongs to two tasks, and every living task has the CPUs that the last plan gave it.
TEST_F(Agent, WhoeverIsKilledInTheMiddleOfALaunchTheNextCallFinishesIt) {
    std::vector<std::vector<pid_t>> steps;
    for (uint32_t round = 1; round <= 60; ++round) {
        const Launch next = launch(round, 1 + round % 2, CpuSet::range(round * 7 % 40, 6));
        Child daemon = Child::run([&] { return agent().arrive(next).has_value() ? 0 : 1; });
        if (round % 3 == 0) {
            daemon.wait();
        } else {
            usleep(round * 397 % 9000);
            daemon.stop();
        }
        steps.push_back(next.tasks);
        if (round % 4 == 0) {
            for (Child& task : tasks_)
                if (std::find(steps[round / 4].begin(), steps[round / 4].end(), task.pid()) != steps[round / 4].end())
                    task.stop();
        }
        const auto reconciled = agent().reconcile();
        ASSERT_TRUE(reconciled.has_value()) << reconciled.error();
        CpuSet seen{};
        for (const Child& task : tasks_) {
            if (task.pid() == 0) continue;
            const CpuSet mask = wanted(task.pid());
            EXPECT_FALSE(mask.intersects(seen)) << "round " << round;
            seen = seen | mask;
        }
    }
}

TEST(StateFile, IsReadBackAsItWasWritten) {
    EXPECT_TRUE(test::holds("state", [] {
        AgentState state;
        state.applied = *rc::gen::arbitrary<bool>();
        const int count = *rc::gen::inRange(0, 5);
        for (int i = 0; i < count; ++i) {
            TaskState& task = state.tasks.emplace_back();
            task.step = {*rc::gen::arbitrary<uint32_t>(), *rc::gen::arbitrary<uint32_t>()};
            task.identity = {*rc::gen::inRange<uint32_t>(1, 1 << 22), *rc::gen::arbitrary<uint64_t>(),
                             *rc::gen::arbitrary<uint64_t>()};
            task.user = *rc::gen::arbitrary<uint32_t>();
            task.min_cpus = *rc::gen::arbitrary<uint32_t>();
            task.malleable = *rc::gen::arbitrary<bool>();
            task.parked = *rc::gen::element(Parked::kNot, Parked::kForSteps, Parked::kSuspended);
            for (CpuSet* set : {&task.mask, &task.home, &task.whole})
                for (const uint32_t cpu :
                     *rc::gen::container<std::vector<uint32_t>>(rc::gen::inRange<uint32_t>(0, kMaxCpus)))
                    set->add(cpu);
        }
        const std::string text = to_text(state);
        const auto read = read_state(text);
        RC_ASSERT(read.has_value());
        RC_ASSERT(*read == state);
        const auto cut = *rc::gen::inRange<std::size_t>(0, text.size());
        RC_ASSERT(!read_state(text.substr(0, cut)).has_value() || cut + 1 == text.size());
    }));
}

}  // namespace
}  // namespace drom::slurm
