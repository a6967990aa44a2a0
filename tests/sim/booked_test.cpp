// SPDX-License-Identifier: BSD-3-Clause
// booked_test.cpp - jobs on nodes that are reserved for later: how long they run once they have left them.
#include <cmath>

#include "engine/engine.hpp"
#include "engine/metrics.hpp"
#include "engine/settings.hpp"
#include "policy/job/runtime_model.hpp"
#include "random_site.hpp"

namespace {

using namespace drom::sim;

Outcome simulated(const std::string& setting) {
    Workload workload;
    LogJob job;
    job.id = 1;
    job.processors = 16;
    job.run = job.request = 1500;
    workload.jobs = {job};
    const auto parameters = read_setting(setting, {});
    EXPECT_TRUE(parameters.has_value()) << (parameters ? "" : parameters.error());
    const auto scheduler = parameters->policy.scheduler();
    Outcome outcome = simulate(workload, *scheduler, engine_rules_of(*parameters, 4, 4));
    outcome.setting.nodes = 4;
    return outcome;
}

// Half of its nodes are reserved from 1000 on. It leaves them at 940, when 560 s of its 1500 are left.
TEST(Booked, AJobThatLeavesNodesRunsAsMuchLongerAsItHasFewer) {
    for (const char* model : {"ideal", "worst"}) {
        const Outcome outcome = simulated(std::string("slurm:reserved=1000-2000:2,leave_lead=60,model=") + model);
        const JobOutcome& job = outcome.jobs[0];
        EXPECT_EQ(job.start, 0) << model;
        EXPECT_EQ(job.end, 940 + 2 * 560) << model;
        EXPECT_EQ(job.limit_end, 940 + 2 * 560) << model;
        EXPECT_EQ(job.history->resizes, 1) << model;
        EXPECT_FALSE(job.killed) << model;
        EXPECT_DOUBLE_EQ(job.node_seconds, 4 * 940 + 2 * 1120) << model;
        EXPECT_DOUBLE_EQ(measure(outcome).allocated, (4 * 940 + 2 * 1120) / (4.0 * 2060)) << model;
    }
}

// Its limit grows as if it had no such curve.
TEST(Booked, AJobWithACurveRunsLongerByItsCurve) {
    for (const std::string model : {"downey", "amdahl"}) {
        const JobOutcome job = simulated("slurm:reserved=1000-2000:2,leave_lead=60,model=" + model).jobs[0];
        const double longer = model == "downey"
                                  ? drom::policy::downey_speedup(16, 64, 1) / drom::policy::downey_speedup(8, 64, 1)
                                  : drom::policy::amdahl_speedup(16, 0.01) / drom::policy::amdahl_speedup(8, 0.01);
        EXPECT_EQ(job.end, 940 + static_cast<Seconds>(std::ceil(560 * longer))) << model;
        EXPECT_LT(job.end, 940 + 2 * 560) << model;
        EXPECT_EQ(job.limit_end, 940 + 2 * 560) << model;
    }
}

TEST(Booked, WithoutMalleableJobsTheNodesAreHeldEmpty) {
    EXPECT_EQ(simulated("slurm:reserved=1000-2000:2,leave_lead=60,malleable_share=0").jobs[0].start, 2000);
    EXPECT_EQ(simulated("slurm:reserved=1000-2000:2").jobs[0].start, 2000);
    EXPECT_EQ(simulated("slurm:reserved=1500-3000:2").jobs[0].start, 0) << "it ends as the reservation begins";
    EXPECT_EQ(simulated("slurm:reserved=1499-3000:2").jobs[0].start, 3000);
}

/// Returns up to three reservations, as the option takes them, that may overlap.
std::string random_reservations(int nodes) {
    std::vector<drom::policy::Booking> all(static_cast<std::size_t>(*rc::gen::inRange(1, 4)));
    for (drom::policy::Booking& one : all) {
        one.from = *rc::gen::inRange<Seconds>(0, 1500);
        one.to = one.from + *rc::gen::inRange<Seconds>(1, 400);
        one.nodes = *rc::gen::inRange(1, nodes + 1);
    }
    return drom::policy::text_of(all);
}

struct Drawn {
    Parameters parameters{drom::policy::Policy(*drom::policy::find_policy("slurm")), {}};
    drom::policy::Machine machine;
    drom::policy::ModelKind model;
    Outcome outcome;
};

Drawn simulated_with_reservations(const char* policy_name) {
    Drawn drawn;
    drawn.parameters.policy = drom::policy::Policy(*drom::policy::find_policy(policy_name));
    drom::policy::Policy& policy = drawn.parameters.policy;
    Site site = random_site(policy.row());
    for (LogJob& job : site.workload.jobs) job.program = -1;
    drawn.machine = site.partitions.front();
    draw_options(policy);
    const auto set = [&policy](const char* name, const std::string& value) {
        RC_ASSERT(policy.set(*policy.find(name), value).has_value());
    };
    set("reserved", random_reservations(drawn.machine.nodes));
    if (policy.find("jobs_per_node") != nullptr) set("jobs_per_node", *rc::gen::element<std::string>("2", "3"));
    set("leave_lead", *rc::gen::element<std::string>("none", "0", "1", "60", "300"));
    EngineRules rules = rules_of(site, drawn.parameters);
    rules.window_to = 100'000'000;  // every stretch is recorded
    rules.malleable_share = *rc::gen::element(0.5, 1.0);
    using drom::policy::ModelKind;
    drawn.model = *rc::gen::element(ModelKind::kIdeal, ModelKind::kIdeal, ModelKind::kWorstCase, ModelKind::kDowney);
    rules.execution.kind = drawn.model;
    const auto scheduler = policy.scheduler();
    drawn.outcome = simulate(site.workload, *scheduler, rules);
    return drawn;
}

void check_nodes(const Drawn& drawn) {
    std::vector<drom::policy::Booking> bookings;
    const drom::policy::Policy& policy = drawn.parameters.policy;
    RC_ASSERT(drom::policy::read_bookings(bookings, policy.get(*policy.find("reserved"))).has_value());
    for (const Stretch& s : drawn.outcome.stretches)
        for (const drom::policy::Booking& one : bookings)
            if (s.from < one.to && one.from < s.to)
                RC_ASSERT(s.nodes.ranges().back().last < drawn.machine.nodes - one.nodes);
}

void check_work(const Drawn& drawn) {
    std::vector<std::int64_t> done(drawn.outcome.jobs.size());
    for (const Stretch& s : drawn.outcome.stretches)
        done[s.job] += std::int64_t{s.nodes.count()} * s.cores * (s.to - s.from);
    for (std::size_t i = 0; i < done.size(); ++i) {
        const JobOutcome& job = drawn.outcome.jobs[i];
        RC_ASSERT(job.ended() && !job.killed);
        const std::int64_t all = std::int64_t{job.nodes} * drawn.machine.cores_per_node;
        // Downey's curve is flatter than a line: on fewer nodes less is needed.
        if (drawn.model != drom::policy::ModelKind::kDowney) RC_ASSERT(done[i] >= job.run * all);
        RC_ASSERT(done[i] < job.run * all + (1 + job.history->resizes) * all);
        RC_ASSERT(job.history->resizes == 0 || (job.malleable && 2 * job.history->shrunk >= job.nodes));
    }
}

TEST(Booked, NoJobIsOnReservedNodesAndNoneLosesWorkOrIsKilled) {
    int left = 0;
    EXPECT_TRUE(drom::test::holds("reserved nodes", [&left] {
        const Drawn drawn = simulated_with_reservations("slurm");
        check_nodes(drawn);
        check_work(drawn);
        for (const JobOutcome& job : drawn.outcome.jobs) left += job.history->resizes;
    }));
    EXPECT_GT(left, 0);
}

// The limits of a guest and of its mates are what they are told when it comes, and no later end makes them longer.
TEST(Booked, NoGuestAndNoMateIsOnReservedNodesOrRunsBeyondItsLimit) {
    for (const char* name : {"sd", "sd+", "sd-deep"}) {
        std::size_t shared = 0;
        EXPECT_TRUE(drom::test::holds("guests beside reservations", [&] {
            const Drawn drawn = simulated_with_reservations(name);
            check_nodes(drawn);
            for (const JobOutcome& job : drawn.outcome.jobs) {
                RC_ASSERT(job.ended() && job.end <= job.limit_end);
                if (job.shared()) ++shared;
            }
        })) << name;
        EXPECT_GT(shared, 0U) << name;
    }
}

TEST(Booked, ReservationsStayWhereTheStaticPartIsGivenBehindThem) {
    const auto parameters = read_setting("sd:reserved=5-10:2,leave_lead=3,base=easy", {});
    ASSERT_TRUE(parameters.has_value());
    const drom::policy::Policy& policy = parameters->policy;
    EXPECT_EQ(policy.get(*policy.find("reserved")), "5-10:2");
    EXPECT_EQ(policy.get(*policy.find("leave_lead")), "3");
    EXPECT_EQ(policy.get(*policy.find("base")), "easy");
}

}  // namespace
