// SPDX-License-Identifier: BSD-3-Clause
// engine_test.cpp - what must hold for every workload under every policy.
#include "engine/engine.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "engine/job_labels.hpp"
#include "engine/metrics.hpp"
#include "engine/settings.hpp"
#include "property.hpp"

namespace {

using namespace drom::sim;
using drom::test::holds;
namespace policy = drom::policy;

/// Passes on to another scheduler and looks at the cluster after each pass.
class Watched final : public policy::Scheduler {
public:
    explicit Watched(std::unique_ptr<policy::Scheduler> inner) : inner_(std::move(inner)) {}

    void submit(const policy::Job& job) override { inner_->submit(job); }
    bool cancel(policy::JobId id) override { return inner_->cancel(id); }
    void pass(std::span<policy::Cluster> partitions, Seconds now, bool ended, policy::Changes& changes) override {
        const policy::Cluster& cluster = partitions.front();
        const std::vector<policy::Start>& started = changes.started;
        const std::size_t before = started.size();
        inner_->pass(partitions, now, ended, changes);
        if (trouble.empty()) trouble = cluster.inconsistency();
        // Equation 5.3, and step 6: the mates' nodes are the guest's, and it ends inside their limits. A later start of
        // the same pass may have moved the mates again, only further.
        for (std::size_t i = before; i < started.size(); ++i) {
            const policy::Decision& decision = started[i].decision;
            if (decision.how != policy::How::kShared) continue;
            int nodes = decision.mate_set.free_nodes;
            for (const policy::Mate& mate : decision.mate_set.mates) nodes += mate.nodes;
            if (nodes != started[i].job.nodes) trouble = "the mates' nodes are not those of the guest";
            for (const policy::Mate& mate : decision.mate_set.mates)
                if (cluster.running(decision.slot).end > cluster.running(mate.slot).end)
                    trouble = "a guest outlives its mate";
        }
        if (watch_mates) watch_mates(cluster, {started.begin() + static_cast<std::ptrdiff_t>(before), started.end()});
    }
    void ended(policy::JobId id, Seconds run) override { inner_->ended(id, run); }
    Seconds wake() const override { return inner_->wake(); }
    std::size_t waiting() const override { return inner_->waiting(); }

    std::string trouble;
    std::function<void(const policy::Cluster&, std::vector<policy::Start>)> watch_mates;

private:
    std::unique_ptr<policy::Scheduler> inner_;
};

constexpr int kNodes = 12, kCores = 4;

Workload random_workload(bool exact) {
    Workload workload;
    Seconds now = 0;
    const int count = *rc::gen::inRange(1, 80);
    for (int i = 0; i < count; ++i) {
        LogJob job;
        now += *rc::gen::weightedElement<Seconds>({{1, 0}, {3, *rc::gen::inRange<Seconds>(0, 60)}});
        job.id = i + 1;
        job.submit = now;
        job.processors = *rc::gen::inRange(1, kNodes * kCores + 1);
        job.request = *rc::gen::inRange<Seconds>(1, 500);
        job.run = exact ? job.request : *rc::gen::inRange<Seconds>(0, job.request + 1);
        job.user = exact ? -1 : *rc::gen::inRange(0, 3);
        job.partition = *rc::gen::inRange(-1, 4);  // logs number them from 1
        job.queue = *rc::gen::inRange(-1, 3);
        workload.jobs.push_back(job);
    }
    return workload;
}

std::string random_setting() {
    std::string setting = *rc::gen::element<std::string>(
        "easy", "easy:prediction=last2", "slurm", "slurm:prediction=knn", "sd", "sd:base=easy", "sd+", "sd-deep",
        "sd-deep:bf_max_job_test=1,gain=0", "eamc", "energy", "best-partition", "sd-eamc", "ejs");
    if (!setting.starts_with("sd") || setting == "sd-eamc") return setting;
    setting += setting.find(':') == std::string::npos ? ':' : ',';
    setting += "max_slowdown=" + *rc::gen::element<std::string>("inf", "dynamic", "2", "10");
    setting += ",sharing_factor=" + *rc::gen::element<std::string>("0.25", "0.5", "0.75");
    setting += ",max_mates=" + *rc::gen::element<std::string>("1", "2", "3");
    setting += ",jobs_per_node=" + *rc::gen::element<std::string>("2", "2", "3");
    setting += ",add_free_nodes=" + *rc::gen::element<std::string>("yes", "no");
    setting += ",parts=" + *rc::gen::element<std::string>("yes", "no");
    setting += ",keep=" + *rc::gen::element<std::string>("none", "first", "all");
    const auto of_sharing = *rc::gen::element<std::string>("request", "last2", "knn", "user2");
    const auto of_all = *rc::gen::element<std::string>("request", "request", "knn");
    setting += ",sd_prediction=" + of_sharing + ",prediction=" + of_all;
    setting += ",correction=" + *rc::gen::element<std::string>("double", "request");
    if (of_sharing != "request" && of_all == "request")
        setting += ",sd_plan=" + *rc::gen::element<std::string>("request", "prediction");
    return setting;
}

Outcome simulated(const Workload& workload, const std::string& setting, const std::string& model = "ideal",
                  std::string* trouble = nullptr) {
    auto parameters = read_setting(setting, {{"model", model}});
    RC_ASSERT(parameters.has_value());
    RC_ASSERT(set_job_numbers(parameters->policy, workload).has_value());
    EngineRules rules = engine_rules_of(*parameters, kNodes, kCores);
    rules.window_to = 1'000'000;  // every stretch is recorded: the work that was done can be counted
    Watched scheduler(parameters->policy.scheduler());
    Outcome outcome = simulate(workload, scheduler, rules);
    if (trouble != nullptr) *trouble = scheduler.trouble;
    return outcome;
}

bool same(const Outcome& a, const Outcome& b) {
    return std::equal(
        a.jobs.begin(), a.jobs.end(), b.jobs.begin(), b.jobs.end(), [](const JobOutcome& x, const JobOutcome& y) {
            return x.start == y.start && x.end == y.end && x.how == y.how && x.joined->mates == y.joined->mates &&
                   x.limit_end == y.limit_end && x.guests == y.guests;
        });
}

TEST(Engine, EveryJobRunsOnceAfterItsSubmitAndNoNodeIsOverFull) {
    EXPECT_TRUE(holds("all run", [] {
        const Workload workload = random_workload(false);
        std::string trouble;
        const Outcome outcome = simulated(
            workload, random_setting(), *rc::gen::element<std::string>("ideal", "worst", "downey", "amdahl"), &trouble);
        RC_ASSERT(trouble == "");
        RC_ASSERT(outcome.jobs.size() == workload.jobs.size());
        for (const JobOutcome& job : outcome.jobs) {
            RC_ASSERT(job.start >= job.submit && job.end >= job.start + job.run);
            RC_ASSERT(!job.killed);
        }
    }));
}

TEST(Engine, NoJobEndsAfterItsExtendedLimit) {
    EXPECT_TRUE(holds("limits", [] {
        const Outcome outcome = simulated(random_workload(false), random_setting(),
                                          *rc::gen::element<std::string>("ideal", "worst", "downey", "amdahl"));
        for (const JobOutcome& job : outcome.jobs) RC_ASSERT(job.end <= job.limit_end);
    }));
}

// A job's stretches, with the ideal model: cores times seconds are its run time times its cores, but for the rounding
// up of its last second.
TEST(Engine, WorkIsConserved) {
    EXPECT_TRUE(holds("work", [] {
        const Outcome outcome = simulated(random_workload(false), random_setting());
        std::vector<std::int64_t> done(outcome.jobs.size(), 0);
        for (const Stretch& s : outcome.stretches) done[s.job] += s.nodes.count() * s.cores * (s.to - s.from);
        for (std::size_t i = 0; i < done.size(); ++i) {
            const std::int64_t all = outcome.jobs[i].nodes * kCores;
            RC_ASSERT(done[i] >= outcome.jobs[i].run * all);
            RC_ASSERT(done[i] < outcome.jobs[i].run * all + all);
        }
    }));
}

TEST(Engine, AtNoTimeDoesANodeGiveMoreCoresThanItHas) {
    EXPECT_TRUE(holds("cores", [] {
        const Outcome outcome = simulated(random_workload(false), random_setting());
        std::map<Seconds, std::int64_t> changes[kNodes];
        for (const Stretch& s : outcome.stretches)
            for (const policy::NodeRange& range : s.nodes.ranges())
                for (int node = range.first; node <= range.last; ++node) {
                    changes[node][s.from] += s.cores;
                    changes[node][s.to] -= s.cores;
                }
        for (const auto& of_node : changes) {
            std::int64_t cores = 0;
            for (const auto& [time, change] : of_node) {
                cores += change;
                RC_ASSERT(cores <= kCores && cores >= 0);
            }
        }
    }));
}

// Policies.md, section 1: no owner ends under a guest when no job ends early, so all shares stay equal.
TEST(Engine, WorstCaseEqualsIdealWhenRequestsAreExact) {
    EXPECT_TRUE(holds("models", [] {
        const Workload workload = random_workload(true);
        std::string setting = random_setting();
        // Free nodes of a guest and nodes that a mate does not lend stay whole: there the mean is above the minimum.
        for (const std::string whole : {"add_free_nodes=yes", "parts=yes"})
            if (const auto at = setting.find(whole); at != std::string::npos)
                setting.replace(at + whole.find('=') + 1, 3, "no");
        if (setting == "sd-eamc") setting += ":add_free_nodes=no";
        RC_ASSERT(same(simulated(workload, setting, "ideal"), simulated(workload, setting, "worst")));
    }));
}

TEST(Engine, TheSameSeedGivesTheSameOutcome) {
    EXPECT_TRUE(holds("deterministic", [] {
        const Workload workload = random_workload(false);
        const std::string setting = random_setting();
        RC_ASSERT(same(simulated(workload, setting), simulated(workload, setting)));
    }));
}

TEST(Engine, NoJobSharesWhenNoneIsMalleable) {
    EXPECT_TRUE(holds("rigid", [] {
        const Workload workload = random_workload(false);
        const auto parameters = read_setting("sd:malleable_share=0,max_slowdown=inf", {});
        const auto scheduler = parameters->policy.scheduler();
        const Outcome shared = simulate(workload, *scheduler, engine_rules_of(*parameters, kNodes, kCores));
        RC_ASSERT(same(shared, simulated(workload, "slurm")));
    }));
}

// ---- limits per partition and QOS ----------------------------------------------------------------------------------

/// Returns a workload with a job of every partition and QOS, so that all of them can be named.
Workload workload_of_all() {
    Workload workload = random_workload(false);
    for (int i = 0; i < 3; ++i) {
        LogJob last = workload.jobs.back();
        last.partition = i + 1;
        last.queue = i;
        workload.jobs.push_back(last);
    }
    return workload;
}

/// Limits as a test knows them; 0: none.
struct Own {
    double of_partition[3] = {};
    double of_qos[3] = {};
    double general = 0;

    double of(const policy::Job& mate) const {
        const double one = mate.partition < 0 ? 0 : of_partition[mate.partition];
        const double other = mate.qos < 0 ? 0 : of_qos[mate.qos];
        if (one == 0 && other == 0) return general;
        return one == 0 || other == 0 ? std::max(one, other) : std::min(one, other);
    }
};

std::string list_of(const double (&limits)[3], int first) {
    std::string text;
    for (int i = 0; i < 3; ++i)
        if (limits[i] != 0)
            text += (text.empty() ? "" : "/") + std::to_string(first + i) + ':' +
                    (std::isinf(limits[i]) ? "inf" : policy::text_of(limits[i]));
    return text.empty() ? "none" : text;
}

TEST(Limits, NoMateIsPredictedToEndBeyondItsOwn) {
    int shared = 0;
    EXPECT_TRUE(holds("limits of mates", [&shared] {
        const Workload workload = workload_of_all();
        const double infinite = std::numeric_limits<double>::infinity();
        Own own;
        for (double& limit : own.of_partition) limit = *rc::gen::element(0.0, 1.5, 4.0, infinite);
        for (double& limit : own.of_qos) limit = *rc::gen::element(0.0, 2.0, 8.0, infinite);
        own.general = *rc::gen::element(2.0, infinite);
        const bool strict = *rc::gen::arbitrary<bool>();
        const std::string base =
            *rc::gen::element<std::string>("sd:base=easy,", "sd:", "sd+:gain=0,", "sd-deep:gain=0,");
        const auto parameters =
            read_setting(base + "max_slowdown=" + (std::isinf(own.general) ? "inf" : "2") + ",partition_max_slowdown=" +
                             list_of(own.of_partition, 1) + ",qos_max_slowdown=" + list_of(own.of_qos, 0) +
                             ",sd_prediction=request,qos_order=1/0/2,qos=" + (strict ? "strict" : "any"),
                         {});
        RC_ASSERT(parameters.has_value());
        policy::Policy asked = parameters->policy;
        RC_ASSERT(set_job_numbers(asked, workload).has_value());
        Watched scheduler(asked.scheduler());
        std::set<policy::JobId> mates;
        scheduler.watch_mates = [&](const policy::Cluster& cluster, const std::vector<policy::Start>& started) {
            constexpr int kPlaces[] = {1, 0, 2};
            const auto place = [&](const policy::Job& job) { return job.qos < 0 ? -1 : kPlaces[job.qos]; };
            for (const policy::Start& start : started)
                for (const policy::Mate& mate : start.decision.mate_set.mates) {
                    ++shared;
                    mates.insert(mate.id);
                    const policy::Job& lender = cluster.running(mate.slot).job;
                    RC_ASSERT(mate.slowdown < own.of(lender));
                    RC_ASSERT(!strict || place(lender) <= place(start.job));
                }
            // Not only at the decision. Whole seconds are rounded up where a mate in parts has several guests.
            for (int slot = 0; slot < cluster.slots() && base != "sd-deep:gain=0,"; ++slot) {
                const policy::RunningJob& running = cluster.running(slot);
                if (running.runs && mates.contains(running.job.id))
                    RC_ASSERT(policy::slowdown(running.job, running.end) < own.of(running.job));
            }
        };
        simulate(workload, scheduler, engine_rules_of(*parameters, kNodes, kCores));
        RC_ASSERT(scheduler.trouble == "");
    }));
    EXPECT_GT(shared, drom::test::cases_a_property() / 2) << "the workloads hardly share";
}

TEST(Limits, ThatAreInfiniteForAllChangeNothing) {
    EXPECT_TRUE(holds("inf", [] {
        Workload workload = workload_of_all();
        const bool by_qos = *rc::gen::arbitrary<bool>();
        for (LogJob& job : workload.jobs) (by_qos ? job.queue : job.partition) = 1 + std::abs(job.queue % 2);
        workload.jobs.back().queue = workload.jobs.back().partition = 1;
        workload.jobs.front().queue = workload.jobs.front().partition = 2;
        const std::string base = *rc::gen::element<std::string>("sd:base=easy", "sd:bf_interval=7", "sd-deep:gain=0");
        const std::string common = base + *rc::gen::element<std::string>(",jobs_per_node=3", ",add_free_nodes=yes", "");
        const std::string option = by_qos ? ",qos_max_slowdown=1:inf/2:inf" : ",partition_max_slowdown=1:inf/2:inf";
        const Outcome today = simulated(workload, common + ",max_slowdown=inf");
        RC_ASSERT(same(today, simulated(workload, common + ",max_slowdown=1" + option)));
        RC_ASSERT(same(today, simulated(workload, common + ",max_slowdown=inf" + option)));
        RC_ASSERT(same(today, simulated(workload, common + ",max_slowdown=inf,qos_order=0/1/2")));
    }));
}

LogJob job(std::int64_t id, Seconds submit, int nodes, Seconds run, Seconds request) {
    LogJob made;
    made.id = id;
    made.submit = submit;
    made.processors = nodes * kCores;
    made.run = run;
    made.request = request;
    return made;
}

Outcome simulated_with(const Workload& workload, const std::string& setting) {
    const auto parameters = read_setting(setting, {});
    const auto scheduler = parameters->policy.scheduler();
    return simulate(workload, *scheduler, engine_rules_of(*parameters, kNodes, kCores));
}

// Job 1 teaches that its user's jobs take 100 s. Job 3 is one of them, asks for 2000 s, and joins job 2.
TEST(Engine, LimitsAreExtendedByPredictionsWhereThePlanGoesByThem) {
    Workload workload;
    workload.jobs = {job(1, 0, kNodes, 100, 1000), job(2, 200, kNodes, 900, 1000), job(3, 210, kNodes, 40, 2000),
                     job(4, 220, kNodes, 10, 1000)};
    workload.jobs[0].user = workload.jobs[2].user = 1;
    const std::string setting = "sd:base=easy,max_slowdown=inf,sd_prediction=last2";
    const Outcome by_request = simulated_with(workload, setting);
    const Outcome by_prediction = simulated_with(workload, setting + ",sd_plan=prediction");
    for (const Outcome* outcome : {&by_request, &by_prediction}) {
        ASSERT_TRUE(outcome->jobs[2].shared());
        EXPECT_EQ(outcome->jobs[2].end, 290) << "40 s at half the speed";
        EXPECT_EQ(outcome->jobs[1].end, 1140);
        EXPECT_FALSE(outcome->jobs[1].killed);
    }
    EXPECT_EQ(by_request.jobs[2].limit_end, 210 + 2 * 990 + 1010) << "until job 2 has had its request, then alone";
    EXPECT_EQ(by_prediction.jobs[2].limit_end, 210 + 2 * 100 + 1900) << "the prediction, and the rest of the request";
    workload.jobs[2].run = 1900;
    const Outcome outrun = simulated_with(workload, setting + ",sd_plan=prediction");
    EXPECT_FALSE(outrun.jobs[2].killed);
    EXPECT_EQ(outrun.jobs[2].end, 210 + 2 * 890 + 1010) << "beyond the limit that it had at first";
}

TEST(Engine, AtEqualTimesEndsComeBeforeStarts) {
    Workload workload;
    workload.jobs = {job(1, 0, kNodes, 100, 100), job(2, 100, kNodes, 50, 50)};
    const Outcome outcome = simulated_with(workload, "easy");
    EXPECT_EQ(outcome.jobs[1].start, 100);
}

TEST(Engine, AGuestAndItsMateTakeTheTimesOfTheThesis) {
    Workload workload;
    workload.jobs = {job(1, 0, kNodes, 1000, 1000), job(2, 10, kNodes, 50, 100)};
    const Outcome outcome = simulated_with(workload, "sd:base=easy,max_slowdown=inf");
    ASSERT_TRUE(outcome.jobs[1].shared());
    EXPECT_EQ(outcome.jobs[1].start, 10);
    EXPECT_EQ(outcome.jobs[1].end, 10 + 2 * 50);
    EXPECT_EQ(outcome.jobs[0].end, 1000 + 50);
    EXPECT_EQ(outcome.jobs[0].guests, 1);
    EXPECT_EQ(outcome.jobs[1].joined->mates, std::vector<std::int64_t>{1});
}

// A lends to B, and B lends to C nodes that A has none of. While C runs, B is slower, and A waits longer for its cores.
TEST(Engine, AMateOfAMateIsNotKilledAtTheLimitItHadBefore) {
    Workload workload;
    workload.jobs = {job(1, 0, 8, 70, 70), job(2, 1, 10, 100, 100), job(3, 2, 4, 150, 150)};
    const Outcome outcome = simulated_with(
        workload, "sd:model=worst,base=easy,max_slowdown=inf,sharing_factor=0.75,add_free_nodes=yes,parts=yes");
    ASSERT_EQ(outcome.jobs[1].joined->mates, std::vector<std::int64_t>{1});
    ASSERT_EQ(outcome.jobs[2].joined->mates, std::vector<std::int64_t>{2});
    EXPECT_FALSE(outcome.jobs[0].killed);
    // B has 3, 1 and 3 of 4 cores, for 1, 200 and 66 seconds. A has one until B ends; then it has 9 core-seconds left.
    EXPECT_EQ(outcome.jobs[1].end, 1 + 1 + 200 + 66);
    EXPECT_EQ(outcome.jobs[0].end, outcome.jobs[1].end + 3);
}

TEST(Engine, AJobThatDoesNotEndIsKilledAtItsLimitOrNot) {
    Workload workload;
    workload.jobs = {job(1, 0, 1, 500, 100), job(2, 0, kNodes, 10, 10)};
    const Outcome killed = simulated_with(workload, "easy");
    EXPECT_TRUE(killed.jobs[0].killed);
    EXPECT_EQ(killed.jobs[0].end, 100);
    const Outcome kept = simulated_with(workload, "easy:kill=no");
    EXPECT_FALSE(kept.jobs[0].killed);
    EXPECT_EQ(kept.jobs[0].end, 500);
    EXPECT_EQ(kept.jobs[1].start, 500);
}

/// Starts of jobs of partitions `first`, `second` and of none, submitted in this order while the machine is full.
std::vector<Seconds> starts_of_partitions(Workload workload, int first, int second, const std::string& factors) {
    workload.jobs = {job(1, 0, kNodes, 100, 100), job(2, 1, kNodes, 100, 100), job(3, 2, kNodes, 100, 100),
                     job(4, 3, kNodes, 100, 100)};
    workload.jobs[1].partition = first;
    workload.jobs[2].partition = second;
    workload.jobs[3].partition = -1;
    const Outcome outcome = simulated_with(workload, "slurm:weight_partition=1000,partition_factors=" + factors);
    return {outcome.jobs[1].start, outcome.jobs[2].start, outcome.jobs[3].start};
}

TEST(Engine, PartitionsGoInTheOrderOfTheirFactors) {
    const Workload numbered;
    EXPECT_EQ(starts_of_partitions(numbered, 1, 2, "1/1"), (std::vector<Seconds>{100, 200, 300}));
    EXPECT_EQ(starts_of_partitions(numbered, 1, 2, "0.5/0.75"), (std::vector<Seconds>{300, 200, 100}));
    Workload named;
    named.partitions = {"thin", "fat"};
    EXPECT_EQ(starts_of_partitions(named, 0, 1, "0.5/0.75"), (std::vector<Seconds>{300, 200, 100}));
    EXPECT_EQ(starts_of_partitions(named, 1, 0, "0.5/0.75"), (std::vector<Seconds>{200, 300, 100}));
}

TEST(Engine, JobsWiderThanTheMachineAreCountedAndDelayNoJob) {
    Workload workload;
    workload.jobs = {job(1, 0, kNodes + 1, 500, 500), job(2, 0, kNodes, 10, 10)};
    const Outcome outcome = simulated_with(workload, "easy");
    EXPECT_EQ(outcome.too_wide, 1U);
    ASSERT_EQ(outcome.jobs.size(), 1U);
    EXPECT_EQ(outcome.jobs[0].start, 0);
}

TEST(Engine, StoppedEarlyItTellsWhatThereIsSoFar) {
    Workload workload;
    for (int i = 0; i < 10; ++i) workload.jobs.push_back(job(i, 1000 * i, 1, 10, 10));
    std::atomic<bool> stop{true};
    EngineRules rules = engine_rules_of({}, kNodes, kCores);
    rules.stop = &stop;
    const auto scheduler = policy::easy();
    const Outcome outcome = simulate(workload, *scheduler, rules);
    EXPECT_TRUE(outcome.interrupted);
    EXPECT_EQ(outcome.jobs.size(), 10U);
    EXPECT_FALSE(outcome.jobs[0].ended());
}

}  // namespace
