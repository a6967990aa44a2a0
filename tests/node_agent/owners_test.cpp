// SPDX-License-Identifier: GPL-2.0-or-later
// owners_test.cpp - CPUs that are a job's although it does not use them now: they are given to no other.
#include "agent_fixture.hpp"
#include "node_agent/step_hooks.hpp"

namespace drom::slurm {
namespace {

const CpuSet kLower = CpuSet::range(0, 24);
const CpuSet kUpper = CpuSet::range(24, 24);

TEST_F(Agent, AStepOfAJobThatTheControllerShrunkHasItsGrantAndTheWholeNodeOnlyAsTheLastJob) {
    StepOnNode step;
    step.step = step_of(7);
    step.range = MalleableRange{};
    step.cores = step.job_cores = "24-47";
    const auto has = [&](const CpuSet& granted, const CpuSet& whole) {
        const Launch launch = launch_of(step, agent());
        return launch.granted == granted && launch.whole == whole;
    };
    step.job_cpus = 48;
    EXPECT_TRUE(has(kUpper, kNode));
    step.job_cpus = 24;
    EXPECT_TRUE(has(kUpper, CpuSet{})) << "the job asked for half of the node";
    step.job_cpus = 0;
    EXPECT_TRUE(has(kUpper, CpuSet{})) << "it is not known";
    step.job_cpus = 48;
    step.cores = "24-25";
    EXPECT_TRUE(has(CpuSet::range(24, 2), CpuSet::range(24, 2))) << "the step asked for a part of the job";
    step.cores = step.job_cores;
    step.range.reset();
    EXPECT_TRUE(has(kUpper, CpuSet{})) << "it is not malleable";
}

TEST_F(Agent, AGuestKeepsToItsGrantWhereItsMateHasNoStepYet) {
    const Launch guest = shared(2, 1, kUpper);
    EXPECT_EQ(arrive(guest), "the job with which it shares this node has no step here; it keeps to CPUs 24-47");
    EXPECT_EQ(wanted(guest.tasks[0]), kUpper);
    const Launch mate = shared(1, 1, kLower);
    ASSERT_EQ(arrive(mate), "");
    EXPECT_EQ(wanted(mate.tasks[0]), kLower);
    ASSERT_TRUE(agent().leave(guest.tasks));
    EXPECT_EQ(wanted(mate.tasks[0]), kNode);
}

/// A step that was launched as its mate ended kept to its part of a node that has a core for the system.
TEST_F(Agent, AGuestThatComesWhenItsMateHasLeftHasAllCoresButTheSystems) {
    const CpuSet of_jobs = CpuSet::range(0, 47);
    const auto come = [&](uint32_t job, const CpuSet& granted) {
        Launch step = launch(job, 1, granted);
        step.alone = of_jobs.count();
        arrive(step);
        return step;
    };
    const auto go = [&](const Launch& step) {
        const uint32_t job = step.step.job;
        ASSERT_TRUE(agent().leave(step.tasks));
        ASSERT_TRUE(agent().job_has_ended(job, {{job + 1, 1, {}}}));
    };
    const Launch mate = come(1, of_jobs);
    go(mate);
    const Launch guest = come(2, CpuSet::range(24, 23));
    EXPECT_EQ(wanted(guest.tasks[0]), of_jobs);
    go(guest);
    const Launch half = come(3, CpuSet::range(0, 24));
    EXPECT_EQ(wanted(half.tasks[0]), of_jobs);
    go(half);
    Launch part = launch(4, 1, CpuSet::range(0, 24));  // of a job that asked for that
    arrive(part);
    EXPECT_EQ(wanted(part.tasks[0]), CpuSet::range(0, 24));
    go(part);
    const Launch unlike = come(5, CpuSet::range(12, 12));
    EXPECT_EQ(wanted(unlike.tasks[0]), CpuSet::range(12, 12)) << "the job before had not the whole node";
}

TEST_F(Agent, AGuestThatRunsWhereItsMateHadNoStepHasTheWholeNodeWhenTheMateHasEnded) {
    const Launch guest = shared(2, 2, kUpper);
    arrive(guest);
    ASSERT_TRUE(agent().job_has_ended(1, {}));
    EXPECT_EQ(wanted(guest.tasks[0]) | wanted(guest.tasks[1]), kNode);
    ASSERT_EQ(arrive(shared(3, 1, kLower)), "");
    EXPECT_EQ(wanted(guest.tasks[0]) | wanted(guest.tasks[1]), kUpper);
}

TEST_F(Agent, AGuestWhoseStepWasOnItsWayWhenItsMateEndedHasTheWholeNode) {
    const Launch mate = shared(1, 1, kNode);
    ASSERT_EQ(arrive(mate), "");
    ASSERT_TRUE(agent().leave(mate.tasks));
    ASSERT_TRUE(agent().job_has_ended(1, {{2, 1, {kExternStep}}}));
    ASSERT_TRUE(agent().job_has_ended(3, {})) << "another end in between changes nothing";
    const Launch place = extern_of(2, kUpper);  // signed before the mate had ended
    ASSERT_EQ(arrive(place), "");
    EXPECT_EQ(wanted(place.tasks[0]), kNode);
    const Launch step = shared(2, 1, kUpper);
    ASSERT_EQ(arrive(step), "");
    EXPECT_EQ(wanted(step.tasks[0]), kNode);
}

TEST_F(Agent, AStepWhoseCredentialWasSignedAfterTheEndOfAMateKeepsToIt) {
    ASSERT_TRUE(agent().job_has_ended(1, {{2, 0, {kBatchStep, kExternStep}}, {3, 1, {}}}));
    const Launch guest = shared(2, 1, kUpper);
    EXPECT_EQ(arrive(guest), "the job with which it shares this node has no step here; it keeps to CPUs 24-47");
    EXPECT_EQ(wanted(guest.tasks[0]), kUpper);
}

TEST_F(Agent, AJobThatRunsHereAgainAfterItsOwnEndKeepsToItsCredentials) {
    ASSERT_TRUE(agent().job_has_ended(1, {{2, 1, {}}, {3, 1, {}}}));
    ASSERT_TRUE(agent().job_has_ended(2, {}));
    const Launch again = shared(2, 1, kUpper);
    arrive(again);
    EXPECT_EQ(wanted(again.tasks[0]), kUpper);
    ASSERT_TRUE(agent().leave(again.tasks));
    const Launch other = shared(3, 1, kUpper);
    arrive(other);
    EXPECT_EQ(wanted(other.tasks[0]), kNode);
}

TEST_F(Agent, OfVeryManyJobsWhoseStepsNeverArriveTheLatestAreRemembered) {
    for (uint32_t job = 10; job < 300; ++job) ASSERT_TRUE(agent().job_has_ended(1, {{job, 1, {}}}));
    const Launch latest = shared(299, 1, kUpper);
    arrive(latest);
    EXPECT_EQ(wanted(latest.tasks[0]), kNode);
    ASSERT_TRUE(agent().leave(latest.tasks));
    const Launch first = shared(10, 1, kUpper);
    arrive(first);
    EXPECT_EQ(wanted(first.tasks[0]), kUpper);
}

TEST_F(Agent, WhileTwoJobsAreHereNeitherGetsWhatAThirdHad) {
    const Launch first = shared(1, 1, kLower);
    const Launch second = shared(2, 1, CpuSet::range(24, 12));
    arrive(first);
    arrive(second);
    ASSERT_TRUE(agent().job_has_ended(3, {}));
    EXPECT_EQ(wanted(first.tasks[0]), kLower);
    EXPECT_EQ(wanted(second.tasks[0]), CpuSet::range(24, 12));
}

TEST_F(Agent, AMateThatHasOnlyItsExternStepKeepsWhatTheControllerLeftIt) {
    const Launch place = extern_of(1, kNode);
    ASSERT_EQ(arrive(place), "");
    const Launch guests_place = extern_of(2, kUpper);
    ASSERT_EQ(arrive(guests_place), "");
    const Launch guest = shared(2, 1, kUpper);
    ASSERT_EQ(arrive(guest), "");
    EXPECT_EQ(wanted(place.tasks[0]), kLower);
    EXPECT_EQ(wanted(guest.tasks[0]), kUpper);
    ASSERT_TRUE(agent().leave(guest.tasks));
    EXPECT_EQ(wanted(guests_place.tasks[0]), kUpper) << "the guest's place is still its own";
    ASSERT_TRUE(agent().leave(guests_place.tasks));
    EXPECT_EQ(wanted(place.tasks[0]), kNode);
}

TEST_F(Agent, AGuestDoesNotGetWhatItsMatesStepsLeaveWhileTheMateIsHere) {
    const Launch place = extern_of(1, kNode);
    ASSERT_EQ(arrive(place), "");
    const Launch mate = shared(1, 2, kNode);
    ASSERT_EQ(arrive(mate), "");
    const Launch guest = shared(2, 2, kUpper);
    ASSERT_EQ(arrive(guest), "");
    const auto guest_has = [&] { return wanted(guest.tasks[0]) | wanted(guest.tasks[1]); };
    ASSERT_TRUE(agent().leave({mate.tasks[0]}));
    EXPECT_EQ(guest_has(), kUpper);
    EXPECT_EQ(wanted(mate.tasks[1]), kLower) << "what its other task had";
    ASSERT_TRUE(agent().leave({mate.tasks[1]}));
    EXPECT_EQ(guest_has(), kUpper);
    EXPECT_EQ(wanted(place.tasks[0]), kLower);
    ASSERT_TRUE(agent().leave(place.tasks));
    EXPECT_EQ(guest_has(), kNode);
}

TEST_F(Agent, AStepOfTheLastJobHasWhatItsScriptHasWhateverItsCredentialSays) {
    const Launch mate = extern_of(1, kNode);
    ASSERT_EQ(arrive(mate), "");
    const Launch place = extern_of(2, kUpper);
    ASSERT_EQ(arrive(place), "");
    ASSERT_TRUE(agent().leave(mate.tasks));
    EXPECT_EQ(wanted(place.tasks[0]), kNode);
    const Launch step = shared(2, 1, kUpper);  // signed before the mate had ended
    ASSERT_EQ(arrive(step), "");
    EXPECT_EQ(wanted(step.tasks[0]), kNode);
    ASSERT_EQ(arrive(extern_of(3, kUpper)), "");
    EXPECT_EQ(wanted(step.tasks[0]), kLower);
}

/// Its script had no room: the node's partition had given the CPUs that the controller granted it to its mate.
TEST_F(Agent, AGuestThatWasMovedByALateMateHasRoomForItsStepsWhereItIs) {
    const Launch before = extern_of(1, kNode);
    ASSERT_EQ(arrive(before), "");
    const Launch place = extern_of(2, kUpper);
    ASSERT_EQ(arrive(place), "");
    ASSERT_TRUE(agent().leave(before.tasks));
    ASSERT_EQ(wanted(place.tasks[0]), kNode);
    const Launch mate = shared(3, 24, kNode);  // no task of it can do with less
    ASSERT_EQ(arrive(mate), "");
    ASSERT_EQ(wanted(place.tasks[0]), kLower);
    const Launch step = shared(2, 1, kUpper);
    EXPECT_EQ(arrive(step), "");
    EXPECT_EQ(wanted(step.tasks[0]), kLower);
    EXPECT_EQ(wanted(mate.tasks[0]).count(), 1U);
}

TEST_F(Agent, OfAGrantThatRunningStepsNeedInPartAGuestHasTheRest) {
    ASSERT_EQ(arrive(shared(1, 30, kNode)), "");
    const Launch guest = shared(2, 1, kUpper);
    ASSERT_EQ(arrive(guest), "");
    EXPECT_EQ(wanted(guest.tasks[0]).count(), 18U);
    EXPECT_TRUE(kUpper.contains(wanted(guest.tasks[0])));
}

TEST_F(Agent, OfThreeJobsNoneGetsWhatTheFirstLeaves) {
    const Launch mate = extern_of(1, kNode);
    ASSERT_EQ(arrive(mate), "");
    const Launch guest = extern_of(2, kUpper);
    ASSERT_EQ(arrive(guest), "");
    const CpuSet quarter = CpuSet::range(12, 12);
    const Launch another = extern_of(3, quarter);
    ASSERT_EQ(arrive(another), "");
    ASSERT_TRUE(agent().leave(mate.tasks));
    EXPECT_EQ(wanted(guest.tasks[0]), kUpper) << "the controller may have given it to either";
    EXPECT_EQ(wanted(another.tasks[0]), quarter);
    ASSERT_TRUE(agent().leave(guest.tasks));
    EXPECT_EQ(wanted(another.tasks[0]), kNode);
}

TEST_F(Agent, TheCpusOfAScriptsStepsAreItsOwnAgainAndTheExternStepsWhenItHasEnded) {
    const Launch place = extern_of(1, kNode);
    ASSERT_EQ(arrive(place), "");
    const Launch script = script_of(1);
    ASSERT_EQ(arrive(script), "");
    EXPECT_TRUE(wanted(place.tasks[0]).none());
    const Launch step = launch(1, 2, kNode);
    ASSERT_EQ(arrive(step), "");
    EXPECT_TRUE(wanted(script.tasks[0]).none());
    ASSERT_TRUE(agent().leave(step.tasks));
    EXPECT_EQ(wanted(script.tasks[0]), kNode);
    EXPECT_TRUE(wanted(place.tasks[0]).none());
    ASSERT_TRUE(agent().leave(script.tasks));
    EXPECT_EQ(wanted(place.tasks[0]), kNode);
}

TEST_F(Agent, TheExternStepOfAJobThatIsNotMalleableIsWrittenDownAndKeepsItsCpus) {
    Launch place = extern_of(1, kUpper);
    place.malleable = false;
    place.whole = CpuSet{};
    ASSERT_EQ(arrive(place), "");
    EXPECT_EQ(
        arrive(launch(2, 1, kNode)),
        "drom: no room: of its CPUs 0-47, 24-47 are step 1.extern's, which is not malleable; its tasks share CPUs "
        "0-23");
    EXPECT_EQ(wanted(place.tasks[0]), kUpper);
}

TEST_F(Agent, TheShellOfSallocLendsItsCpusToItsStepsAndKeepsAGuestOffTheRest) {
    Launch shell = launch(1, 1, kNode);
    shell.step.step = kInteractiveStep;
    ASSERT_EQ(arrive(shell), "");
    const Launch guest = launch(2, 1, CpuSet::range(24, 24));
    ASSERT_EQ(arrive(guest), "");
    EXPECT_EQ(wanted(shell.tasks[0]), CpuSet::range(0, 24));
    const Launch step = launch(1, 2, CpuSet::range(0, 24));
    ASSERT_EQ(arrive(step), "");
    EXPECT_TRUE(wanted(shell.tasks[0]).none());
    EXPECT_EQ(wanted(guest.tasks[0]), CpuSet::range(24, 24));
    ASSERT_TRUE(agent().leave(step.tasks));
    EXPECT_EQ(wanted(shell.tasks[0]), CpuSet::range(0, 24));
}

TEST_F(Agent, AJobThatStartedOnTheCpusOfASuspendedOneHasThemWhenThatEnds) {
    const CpuSet half = CpuSet::range(24, 24);
    const Launch mate = launch(1, 1, kNode);
    ASSERT_EQ(arrive(mate), "");
    Launch guest = launch(2, 1, half);
    guest.min_cpus = 24;  // as one that follows requests, and lends none of these while it is stopped
    ASSERT_EQ(arrive(guest), "");
    const Launch rigid = launch(3, 1, half, false);
    EXPECT_EQ(arrive(rigid),
              "drom: no room: its CPUs 24-47 are what running steps keep at least, one per task or as --malleable=MIN "
              "says; it runs as without drom");
    EXPECT_EQ(wanted(guest.tasks[0]), half);
    ASSERT_TRUE(agent().leave(guest.tasks));
    EXPECT_EQ(wanted(rigid.tasks[0]), half);
    EXPECT_EQ(wanted(mate.tasks[0]), CpuSet::range(0, 24)) << "it is beside the job that is not malleable";
    ASSERT_TRUE(agent().leave(rigid.tasks));
    EXPECT_EQ(wanted(mate.tasks[0]), kNode);
}

}  // namespace
}  // namespace drom::slurm
