// SPDX-License-Identifier: BSD-3-Clause
// resizing_test.cpp - programs whose number of nodes changes, in virtual time.
#include "workload/models/resizing.hpp"

#include <cmath>
#include <map>

#include "engine/engine.hpp"
#include "engine/metrics.hpp"
#include "engine/settings.hpp"
#include "policy/resize/scenarios.hpp"
#include "property.hpp"
#include "random_site.hpp"
#include "report/digest.hpp"
#include "report/idle_policy.hpp"

namespace {

using namespace drom::sim;
using drom::test::holds;
namespace policy = drom::policy;

Outcome simulated(const Workload& workload, const std::string& setting) {
    const auto parameters = read_setting(setting, {});
    EXPECT_TRUE(parameters.has_value()) << parameters.error();
    const int nodes = static_cast<int>(workload.nodes);
    EngineRules rules = engine_rules_of(*parameters, nodes, static_cast<int>(workload.processors) / nodes);
    rules.window_to = 100'000'000;  // every stretch is recorded
    Outcome outcome = simulate(workload, *parameters->policy.scheduler(), rules);
    outcome.setting.nodes = nodes;
    outcome.setting.policy = parameters->policy.row().name;
    outcome.setting.parameters = values_of(*parameters);
    return outcome;
}

Workload preset(const std::string& name, std::uint64_t seed = 1) { return *resizing_workload(name, 0, seed); }

/// Returns the numbers of nodes that a job had, in order.
std::vector<int> sizes_of(const Outcome& outcome, std::size_t job) {
    std::map<Seconds, int> sizes;
    for (const Stretch& stretch : outcome.stretches)
        if (stretch.job == job) sizes[stretch.from] = stretch.nodes.count();
    std::vector<int> list;
    for (const auto& [from, size] : sizes)
        if (list.empty() || list.back() != size) list.push_back(size);
    return list;
}

TEST(Resizing, Reshape120IsTheMixOfTheThesis) {
    const Workload workload = preset("reshape-120");
    std::map<std::int64_t, int> sizes;
    for (const LogJob& job : workload.jobs) ++sizes[job.processors];
    EXPECT_EQ(sizes, (std::map<std::int64_t, int>{{32, 4}, {35, 36}, {64, 4}, {81, 36}, {128, 4}, {136, 36}}));
    EXPECT_EQ(workload.jobs.front().program, 0);
    EXPECT_EQ(preset("reshape-120", 7).jobs, preset("reshape-120", 7).jobs);
    EXPECT_EQ(resizing_workload("reshape-121", 0, 1), std::nullopt);
}

TEST(Resizing, GaussShrinksAndCannonGrowsAsPublished) {
    const Outcome outcome = simulated(preset("cannon4096"), "efficiency");
    EXPECT_EQ(sizes_of(outcome, 0), (std::vector<int>{16, 8, 4, 2, 1}));
    EXPECT_EQ(sizes_of(outcome, 1), (std::vector<int>{16, 23, 28, 31})) << "31 of them in the fifth minute";
}

TEST(Resizing, CannonIsHeldOnTheOtherHardware) {
    const Outcome outcome = simulated(preset("gauss4096"), "efficiency");
    EXPECT_EQ(sizes_of(outcome, 0), (std::vector<int>{16, 8, 4, 2, 1}));
    EXPECT_EQ(sizes_of(outcome, 1), (std::vector<int>{16}));
}

TEST(Resizing, SmallCannonShrinksToTwo) {
    EXPECT_EQ(sizes_of(simulated(preset("cannon1024"), "efficiency"), 0), (std::vector<int>{16, 8, 4, 2}));
    EXPECT_EQ(sizes_of(simulated(preset("cannon1024"), "efficiency:upper=0.5"), 0), (std::vector<int>{16}));
}

// Elastic MPI, section 10.3.
TEST(Resizing, BalancingShortensTheWaitOfTheThirdCannonAndTheMakespan) {
    const Outcome balanced = simulated(preset("cannon-3"), "efficiency"),
                  held = simulated(preset("cannon-3"), "efficiency:balance=no");
    EXPECT_EQ(held.jobs[2].start, held.jobs[0].end) << "it waits for the first to end";
    EXPECT_EQ(balanced.jobs[2].start, 60) << "at the first tick";
    EXPECT_EQ(sizes_of(balanced, 0), (std::vector<int>{16, 5}));
    EXPECT_EQ(sizes_of(balanced, 1), (std::vector<int>{16, 11}));
    EXPECT_EQ(sizes_of(balanced, 2), (std::vector<int>{16}));
    EXPECT_LT(measure(balanced).makespan, measure(held).makespan);
    EXPECT_EQ(measure(balanced).killed, 0U);
}

std::string random_policy() {
    const std::string policy = *rc::gen::element<std::string>("reshape", "reshape", "efficiency", "equipartition");
    if (policy == "efficiency") return policy + ":tick=" + std::to_string(*rc::gen::inRange(1, 100));
    if (policy == "equipartition")
        return policy + ":max=64,min=" + std::to_string(*rc::gen::inRange(1, 4)) +
               ",min_gap=" + *rc::gen::element<std::string>("0", "10", "100", "inf") +
               ",patience=" + *rc::gen::element<std::string>("1", "60");
    const auto scenario = static_cast<std::size_t>(*rc::gen::inRange<int>(0, int(policy::scenarios().size())));
    return policy + ":scenario=" + std::string(policy::scenarios()[scenario].name) +
           ",step=" + std::to_string(*rc::gen::inRange(1, 9));
}

constexpr int kNodes = 24;

Workload random_mix() {
    Workload workload;
    workload.nodes = workload.processors = kNodes;
    Seconds now = 0;
    for (int i = *rc::gen::inRange(1, 25); i > 0; --i) {
        LogJob job;
        now += *rc::gen::inRange<Seconds>(0, 60);
        job.submit = now;
        job.processors = *rc::gen::inRange(1, kNodes + 1);
        job.run = *rc::gen::inRange(0, 200);
        job.request = 200;
        if (*rc::gen::weightedElement<bool>({{4, true}, {1, false}})) {
            const Program program = random_program(static_cast<int>(job.processors), kNodes);
            job.run = std::llround(program.iteration * program.iterations);
            job.request = 1'000'000;
            job.program = static_cast<int>(workload.programs.size());
            workload.programs.push_back(program);
        }
        workload.jobs.push_back(job);
    }
    return workload;
}

/// Looks at the cluster after each pass.
class Watched final : public policy::Scheduler {
public:
    explicit Watched(std::unique_ptr<policy::Scheduler> inner) : inner_(std::move(inner)) {}
    void submit(const policy::Job& job) override { inner_->submit(job); }
    bool cancel(policy::JobId id) override { return inner_->cancel(id); }
    void iterated(const policy::Iteration& iteration) override { inner_->iterated(iteration); }
    void shrunk(int partition, int slot) override { inner_->shrunk(partition, slot); }
    policy::Seconds wake() const override { return inner_->wake(); }
    std::size_t waiting() const override { return inner_->waiting(); }
    void pass(std::span<policy::Cluster> partitions, Seconds now, bool ended, policy::Changes& changes) override {
        inner_->pass(partitions, now, ended, changes);
        if (trouble.empty()) trouble = partitions.front().inconsistency();
        if (changes.started.empty()) taken_back += pairs_of(changes.resized);
    }
    std::string trouble;
    int taken_back = 0;  ///< changes that the same pass took back though it started no job

private:
    static int pairs_of(const std::vector<policy::Resize>& resized) {
        int pairs = 0;
        for (std::size_t i = 1; i < resized.size(); ++i) {
            const policy::Resize &a = resized[i - 1], &b = resized[i];
            pairs += a.slot == b.slot && a.from == b.to && a.to == b.from;
        }
        return pairs;
    }

    std::unique_ptr<policy::Scheduler> inner_;
};

TEST(Resizing, EveryJobRunsOnceOnNodesOfItsOwn) {
    EXPECT_TRUE(holds("all run, none twice on a node, sizes within bounds, sums equal", [] {
        const Workload workload = random_mix();
        const auto parameters = read_setting(random_policy(), {});
        RC_ASSERT(parameters.has_value());
        EngineRules rules = engine_rules_of(*parameters, kNodes, 1);
        rules.window_to = 100'000'000;
        Watched scheduler(parameters->policy.scheduler());
        const Outcome outcome = simulate(workload, scheduler, rules);
        RC_ASSERT(scheduler.trouble == "");
        RC_ASSERT(scheduler.waiting() == 0U);
        RC_ASSERT(scheduler.taken_back == 0);
        std::vector<double> node_seconds(outcome.jobs.size(), 0);
        for (const Stretch& s : outcome.stretches) {
            node_seconds[s.job] += static_cast<double>(s.nodes.count()) * static_cast<double>(s.to - s.from);
            const JobOutcome& job = outcome.jobs[s.job];
            if (job.program < 0) {
                RC_ASSERT(s.nodes.count() == job.nodes);
            } else {
                const policy::ResizeTraits& traits = workload.programs[std::size_t(job.program)].traits;
                RC_ASSERT(s.nodes.count() >= traits.sizes.min && s.nodes.count() <= traits.sizes.max);
                if (!traits.resizable) RC_ASSERT(s.nodes.count() == job.nodes);
            }
        }
        for (std::size_t i = 0; i < outcome.jobs.size(); ++i) {
            const JobOutcome& job = outcome.jobs[i];
            RC_ASSERT(job.start >= job.submit && job.end >= job.start && !job.killed);
            double held = 0;
            for (const BusyNodes& h : job.history->held)
                held += static_cast<double>(h.nodes) * static_cast<double>(h.to - h.from);
            if (job.program >= 0) RC_ASSERT(held == node_seconds[i]);
        }
    }));
}

TEST(Resizing, JobsNeverRunBelowTheirStartUnderReshape) {
    EXPECT_TRUE(holds("at least the size that was asked for", [] {
        const Workload workload = random_mix();
        const auto scenario = static_cast<std::size_t>(*rc::gen::inRange<int>(0, int(policy::scenarios().size())));
        const Outcome outcome =
            simulated(workload, "reshape:scenario=" + std::string(policy::scenarios()[scenario].name));
        for (const Stretch& s : outcome.stretches) RC_ASSERT(s.nodes.count() >= outcome.jobs[s.job].nodes);
    }));
}

TEST(Resizing, ReshapeWithoutResizingIsEasy) {
    EXPECT_TRUE(holds("the same starts", [] {
        Workload workload = random_mix();
        for (Program& program : workload.programs) program.traits.rank = policy::JobClass::kGold;
        const Outcome easy = simulated(workload, "easy");
        const Outcome still = simulated(workload, "reshape:scenario=static,queue_factor=0,queue_wait=1");
        for (std::size_t i = 0; i < easy.jobs.size(); ++i) {
            RC_ASSERT(still.jobs[i].start == easy.jobs[i].start);
            RC_ASSERT(still.jobs[i].end == easy.jobs[i].end);
        }
    }));
}

TEST(Resizing, ReshapeMakesExecutionShorter) {
    double still = 0, resized = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const Workload workload = preset("reshape-120", seed);
        const Outcome before = simulated(workload, "reshape:scenario=static");
        const Outcome after = simulated(workload, "reshape:scenario=max-b");
        for (const JobOutcome& job : before.jobs) still += static_cast<double>(job.stretched());
        for (const JobOutcome& job : after.jobs) resized += static_cast<double>(job.stretched());
    }
    EXPECT_NEAR(still / 1200, 140, 1e-9) << "whole seconds";
    EXPECT_NEAR(100 * (resized / still - 1), -9.3, 2) << "ReSHAPE, table 4.2";
}

// A harvest that let no job start was followed by growth: 320 pairs, which a program would have carried out.
TEST(Resizing, ReshapeToldAJobToShrinkAndToGrowBackInOnePass) {
    const Workload workload = preset("reshape-120", 3);
    const auto parameters = read_setting("reshape", {});
    ASSERT_TRUE(parameters.has_value());
    Watched scheduler(parameters->policy.scheduler());
    const Outcome outcome = simulate(workload, scheduler, engine_rules_of(*parameters, 400, 1));
    EXPECT_EQ(scheduler.taken_back, 0);
    EXPECT_EQ(scheduler.trouble, "");
    const Metrics metrics = measure(outcome);
    EXPECT_NEAR(metrics.wait.mean, 495.7, 0.05) << "as with the pairs: no other decision changes";
    EXPECT_NEAR(metrics.response.mean, 626.4, 0.05);
}

// The default of at least four nodes kept such programs waiting for ever, and the simulation ended without them.
TEST(Resizing, EquipartitionStartsProgramsThatCannotHaveFourNodes) {
    Workload workload;
    workload.nodes = workload.processors = 9;
    for (const auto& [nodes, most] : {std::pair{1, 2}, std::pair{2, 3}, std::pair{1, 8}}) {
        Program program;
        program.iterations = 10;
        program.traits.sizes.max = most;
        LogJob job;
        job.processors = program.start = nodes;
        job.run = 10;
        job.request = 1000;
        job.program = static_cast<int>(workload.programs.size());
        workload.programs.push_back(program);
        workload.jobs.push_back(job);
    }
    const Outcome outcome = simulated(workload, "equipartition");
    for (const JobOutcome& job : outcome.jobs) EXPECT_EQ(job.start, 0) << job.program;
    EXPECT_EQ(sizes_of(outcome, 0).front(), 2);
    EXPECT_EQ(sizes_of(outcome, 1).front(), 3);
    workload.nodes = workload.processors = 3;
    EXPECT_EQ(sizes_of(simulated(workload, "equipartition"), 2).front(), 3) << "the whole machine, once it is free";
}

TEST(Resizing, EquipartitionUsesTheWholeMachine) {
    const Outcome outcome = simulated(preset("equipartition-5"), "equipartition:min_gap=100");
    const Metrics metrics = measure(outcome);
    EXPECT_GT(metrics.allocated, 0.97);
    EXPECT_NEAR(static_cast<double>(metrics.makespan), 2672, 60) << "HPC in the cloud, table 6.4";
}

// A gap of 5 s was taken for what had been simulated.
TEST(Resizing, EquipartitionSaysThatItRaisedTheGap) {
    const auto said = [](const char* setting) {
        return raised_gap(digest(simulated(preset("equipartition-5"), setting))).value_or("");
    };
    EXPECT_EQ(said("equipartition:min_gap=5"),
              "equipartition raised min_gap from 5 to 30 s, ten times the longest shrink (raise_gap).");
    EXPECT_EQ(said("equipartition:min_gap=5,raise_gap=no"), "");
    EXPECT_EQ(said("equipartition:min_gap=30"), "") << "it is as long as it has to be";
    EXPECT_EQ(said("equipartition:min_gap=inf"), "");
    EXPECT_EQ(said("easy"), "");
}

TEST(Resizing, SharesOfResizableAndPlatinumJobsAreDrawn) {
    const Workload workload = with_shares(preset("reshape-120"), 0.25, 0.5, 3);
    int resizable = 0, platinum = 0;
    for (const Program& program : workload.programs) {
        resizable += program.traits.resizable;
        platinum += program.traits.rank == policy::JobClass::kPlatinum;
    }
    EXPECT_NEAR(resizable, 30, 15);
    EXPECT_NEAR(platinum, 60, 20);
}

}  // namespace
