// SPDX-License-Identifier: BSD-3-Clause
// molding_test.cpp - sizes of moldable jobs, and which of them a job starts on.
#include "policy/molding/moldable.hpp"

#include "policy/job/runtime_model.hpp"
#include "property.hpp"

namespace {

using namespace drom::policy;
using drom::test::holds;

const MoldRules kGrowing{.max = 2};

Job asks(JobId id, int nodes, Seconds request, Kind kind = Kind::kMoldable) {
    Job job;
    job.id = id;
    job.nodes = nodes;
    job.request = request;
    job.kind = kind;
    return job;
}

std::vector<Start> passed(Scheduler& scheduler, Cluster& cluster, Seconds now) {
    Changes changes;
    scheduler.pass({&cluster, 1}, now, true, changes);
    return changes.started;
}

// A is 8 cores, sigma 1: speedup 16 n / (n + 15), 5.565 on the 8 cores that the job asks for.
TEST(MoldSizes, FollowDowneysCurve) {
    const std::vector<Size> sizes = mold_sizes(4, 100, 2, kGrowing);
    ASSERT_EQ(sizes.size(), 8U);
    EXPECT_EQ(sizes.front().nodes, 1);
    EXPECT_EQ(sizes.back().nodes, 8);
    EXPECT_EQ(mold_sizes(4, 100, 2, {.max = 10}).back().nodes, 8) << "on 18 cores the speedup is 8 still";
    EXPECT_DOUBLE_EQ(sizes[3].time_factor, 1);
    EXPECT_DOUBLE_EQ(sizes[0].time_factor, (16 * 8 / 23.0) / (16 * 2 / 17.0));
    EXPECT_DOUBLE_EQ(sizes[6].time_factor, (16 * 8 / 23.0) / (16 * 14 / 29.0));
}

TEST(MoldSizes, RoundingTakesNoSizeFromAJobOfPerfectSpeedup) {
    MoldRules rules;
    rules.parallelism = 0.3;
    rules.sigma = 0;
    rules.min_efficiency = 1;
    const std::vector<Size> sizes = mold_sizes(24, 200, 1, rules);  // its speedup is its cores up to 7.2 of them
    ASSERT_EQ(sizes.size(), 3U);
    EXPECT_EQ(sizes[0].nodes, 6);
    EXPECT_EQ(sizes[1].nodes, 7);
    EXPECT_EQ(sizes[2].nodes, 24);
}

TEST(MoldSizes, KeepToTheirBoundsAndTheMachine) {
    EXPECT_TRUE(holds("sizes", [] {
        MoldRules rules;
        rules.parallelism = *rc::gen::element(0.1, 0.5, 1.0, 4.0);
        rules.sigma = *rc::gen::element(0.0, 0.5, 1.0, 3.0);
        rules.min_efficiency = *rc::gen::element(0.0, 0.3, 0.5, 0.9, 1.0);
        rules.min = *rc::gen::element(0.0, 0.25, 1.0);
        rules.max = *rc::gen::element(1.0, 2.0, 50.0);
        const int machine = *rc::gen::inRange(1, 200), cores = *rc::gen::inRange(1, 9);
        const int asked = *rc::gen::inRange(1, machine + 1);
        const std::vector<Size> sizes = mold_sizes(asked, machine, cores, rules);
        const double parallelism = std::max(1.0, rules.parallelism * asked * cores);
        RC_ASSERT(sizes.size() <= 33U);
        bool has_asked = false;
        int before = 0;
        for (const Size& size : sizes) {
            RC_ASSERT(size.nodes > before);
            before = size.nodes;
            RC_ASSERT(size.nodes <= machine);
            has_asked = has_asked || size.nodes == asked;
            if (size.nodes == asked) continue;
            const double all = size.nodes * cores;
            RC_ASSERT(downey_speedup(all, parallelism, rules.sigma) / all > rules.min_efficiency - 1e-9);
            RC_ASSERT(size.nodes >= rules.min * asked && size.nodes <= rules.max * asked);
        }
        RC_ASSERT(has_asked);
    }));
}

// Of 8 nodes 5 are free until 1000. On 3 of them the job ends before it would on 4 of its own.
TEST(Moldable, TheFirstJobStartsSmallerWhereThatEndsSooner) {
    Cluster cluster(Machine::uniform(8, 1));
    cluster.start(asks(0, 5, 1000, Kind::kRigid), NodeSet(0, 5), 0);
    const auto scheduler = moldable(kGrowing);
    scheduler->submit(asks(1, 4, 300));
    const std::vector<Start> started = passed(*scheduler, cluster, 0);
    ASSERT_EQ(started.size(), 1U);
    EXPECT_EQ(started[0].job.nodes, 3);
    const double factor = downey_speedup(4, 4, 1) / downey_speedup(3, 4, 1);
    EXPECT_DOUBLE_EQ(started[0].decision.point.time_factor, factor);
    EXPECT_EQ(cluster.running(started[0].decision.slot).end, static_cast<Seconds>(std::ceil(300 * factor)));
}

TEST(Moldable, TheFirstJobWaitsWhereThatEndsSooner) {
    Cluster cluster(Machine::uniform(8, 1));
    cluster.start(asks(0, 5, 10, Kind::kRigid), NodeSet(0, 5), 0);
    const auto scheduler = moldable(kGrowing);
    scheduler->submit(asks(1, 4, 300));
    EXPECT_TRUE(passed(*scheduler, cluster, 0).empty());
    cluster.finish(0, 10);
    const std::vector<Start> started = passed(*scheduler, cluster, 10);
    ASSERT_EQ(started.size(), 1U);
    EXPECT_EQ(started[0].job.nodes, 7) << "all that is efficient enough is free";
}

// 4 of 8 nodes are free for 100 s; then the first job needs 6. 2 nodes are not enough to end in time.
TEST(Moldable, NoLaterJobDelaysTheReservation) {
    Cluster cluster(Machine::uniform(8, 1));
    cluster.start(asks(0, 4, 100, Kind::kRigid), NodeSet(0, 4), 0);
    const auto scheduler = moldable(kGrowing);
    scheduler->submit(asks(1, 6, 500, Kind::kRigid));
    scheduler->submit(asks(2, 2, 100));
    const std::vector<Start> started = passed(*scheduler, cluster, 0);
    ASSERT_EQ(started.size(), 1U);
    EXPECT_EQ(started[0].job.id, 2);
    EXPECT_EQ(started[0].decision.how, How::kBackfilled);
    EXPECT_EQ(started[0].job.nodes, 3) << "4 would be less efficient than a half, 3 end in 80 s";
    EXPECT_EQ(scheduler->waiting(), 1U);
    EXPECT_TRUE(scheduler->cancel(1));
    EXPECT_FALSE(scheduler->cancel(1));
}

TEST(Moldable, ALimitLastsAsMuchLongerAsTheRequest) {
    Job job = asks(0, 4, 100);
    job.limit = 1000;
    const Job other = molded(job, {2, 1.5});
    EXPECT_EQ(other.nodes, 2);
    EXPECT_EQ(other.request, 150);
    EXPECT_EQ(other.limit, 1500);
    EXPECT_EQ(molded(job, {4, 1}).request, 100);
}

TEST(Moldable, WithoutMoldableJobsItDecidesAsEasy) {
    EXPECT_TRUE(holds("moldable() equals easy()", [] {
        const int nodes = *rc::gen::inRange(1, 20);
        Cluster here(Machine::uniform(nodes, 4)), there(Machine::uniform(nodes, 4));
        const auto molding = moldable({}), plain = easy();
        Seconds now = 0;
        std::vector<int> running;
        for (JobId id = 0; id < 40; ++id) {
            now += *rc::gen::inRange<Seconds>(0, 40);
            bool ended = false;
            if (!running.empty() && *rc::gen::arbitrary<bool>()) {
                const auto which = *rc::gen::inRange<std::size_t>(0, running.size());
                here.finish(running[which], now);
                there.finish(running[which], now);
                running.erase(running.begin() + static_cast<std::ptrdiff_t>(which));
                ended = true;
            }
            const Job job = asks(id, *rc::gen::inRange(1, nodes + 1), *rc::gen::inRange<Seconds>(1, 200),
                                 *rc::gen::element(Kind::kRigid, Kind::kMalleable));
            molding->submit(job);
            plain->submit(job);
            Changes ours, theirs;
            molding->pass({&here, 1}, now, ended, ours);
            plain->pass({&there, 1}, now, ended, theirs);
            RC_ASSERT(ours.started.size() == theirs.started.size());
            for (std::size_t i = 0; i < ours.started.size(); ++i) {
                RC_ASSERT(ours.started[i].job.id == theirs.started[i].job.id);
                RC_ASSERT(ours.started[i].decision.how == theirs.started[i].decision.how);
                RC_ASSERT(ours.started[i].decision.slot == theirs.started[i].decision.slot);
                running.push_back(ours.started[i].decision.slot);
            }
        }
    }));
}

/// Decides as moldable() is described, by looking at every waiting job in every pass.
class EveryJob {
public:
    explicit EveryJob(const MoldRules& rules) : rules_(rules) {}

    void submit(const Job& job) { queue_.push_back(job); }

    std::vector<std::pair<Job, How>> pass(const Cluster& cluster, Seconds now) {
        std::vector<std::pair<Job, How>> started;
        Availability map(cluster, now, 1);
        int reserved = 0;
        std::vector<Job> kept;
        for (const Job& job : queue_) {
            const bool now_only = rules_.reservations > 0 && reserved == rules_.reservations;
            const auto [best, start] = choice(cluster, map, job, now, now_only);
            if (start < kNever) map.reserve(best, start, start + best.request);
            if (start <= now) {
                started.emplace_back(best, kept.empty() ? How::kInOrder : How::kBackfilled);
                continue;
            }
            reserved += start < kNever ? 1 : 0;
            kept.push_back(job);
        }
        queue_ = kept;
        return started;
    }

private:
    std::pair<Job, Seconds> choice(const Cluster& cluster, const Availability& map, const Job& job, Seconds now,
                                   bool now_only) const {
        std::pair<Job, Seconds> best{job, kNever};
        const Machine& machine = cluster.machine();
        std::vector<Size> sizes = {{job.nodes, 1}};
        if (job.kind == Kind::kMoldable) sizes = mold_sizes(job.nodes, machine.nodes, machine.cores_per_node, rules_);
        for (const Size& size : sizes) {
            const Job other = molded(job, size);
            const Seconds start = map.earliest(other, now);
            if (start >= kNever || (now_only && start > now)) continue;
            const Seconds end = start + other.request, before = best.second + best.first.request;
            const bool same = best.second < kNever && end == before;
            if (same ? other.request * other.nodes < best.first.request * best.first.nodes : end < before)
                best = {other, start};
        }
        return best;
    }

    const MoldRules rules_;
    std::vector<Job> queue_;
};

MoldRules random_rules() {
    MoldRules rules;
    rules.parallelism = *rc::gen::element(0.3, 1.0, 4.0);
    rules.min_efficiency = *rc::gen::element(0.0, 0.5, 0.9);
    rules.max = *rc::gen::element(1.0, 2.0);
    rules.reservations = *rc::gen::element(1, 1, 2, 5, 0);
    return rules;
}

TEST(Moldable, AJobThatIsNotLookedAtCouldNotHaveStarted) {
    int backfilled = 0;
    EXPECT_TRUE(holds(
        "moldable() equals a look at every job",
        [&backfilled] {
            const int nodes = *rc::gen::inRange(1, 30);
            const MoldRules rules = random_rules();
            Cluster cluster(Machine::uniform(nodes, 2));
            const auto fast = moldable(rules);
            EveryJob slow(rules);
            Seconds now = 0;
            std::vector<int> running;
            JobId id = 0;
            for (int step = 0; step < 40; ++step) {
                now += *rc::gen::inRange<Seconds>(0, 60);
                if (!running.empty() && *rc::gen::arbitrary<bool>()) {
                    const auto which = *rc::gen::inRange<std::size_t>(0, running.size());
                    cluster.finish(running[which], now);
                    running.erase(running.begin() + static_cast<std::ptrdiff_t>(which));
                }
                for (int count = *rc::gen::inRange(0, 4); count > 0; --count) {
                    const Job job = asks(id++, *rc::gen::inRange(1, nodes + 3), *rc::gen::inRange<Seconds>(1, 200),
                                         *rc::gen::element(Kind::kRigid, Kind::kMoldable, Kind::kMoldable));
                    fast->submit(job);
                    slow.submit(job);
                }
                const auto expected = slow.pass(cluster, now);
                const std::vector<Start> started = passed(*fast, cluster, now);
                RC_ASSERT(started.size() == expected.size());
                for (std::size_t i = 0; i < started.size(); ++i) {
                    RC_ASSERT(started[i].job.id == expected[i].first.id);
                    RC_ASSERT(started[i].job.nodes == expected[i].first.nodes);
                    RC_ASSERT(started[i].decision.how == expected[i].second);
                    running.push_back(started[i].decision.slot);
                    backfilled += expected[i].second == How::kBackfilled ? 1 : 0;
                }
            }
        },
        drom::test::cases_a_property() / 4));
    EXPECT_GT(backfilled, 0);
}

}  // namespace
