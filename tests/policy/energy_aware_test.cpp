// SPDX-License-Identifier: BSD-3-Clause
// energy_aware_test.cpp - entries on several partitions: what starts where, and that it is EASY where there is one.
#include "policy/energy/energy_aware.hpp"

#include <map>
#include <queue>
#include <tuple>

#include "property.hpp"
#include "thesis_energy.hpp"

namespace {

using namespace drom::policy;
using drom::test::holds;
using drom::test::thesis_model;

struct Arrival {
    Job job;
    double run = 1;  ///< share of the request
};

struct Ran {
    int partition = 0;
    Seconds start = 0;
    Decision decision;
};

/// A site in virtual time.
class Site {
public:
    Site(Scheduler& scheduler, std::vector<int> nodes) : scheduler_(scheduler) {
        for (const int count : nodes) partitions.emplace_back(Machine::uniform(count, 8));
    }

    /// Calls `look` after each pass.
    void play(const std::vector<Arrival>& arrivals, const std::function<void(Seconds)>& look = {}) {
        std::size_t next = 0;
        while (next < arrivals.size() || !ends_.empty()) {
            Seconds now = ends_.empty() ? kNever : std::get<0>(ends_.begin()->first);
            if (next < arrivals.size()) now = std::min(now, arrivals[next].job.submit);
            const bool ended = end(now);
            for (; next < arrivals.size() && arrivals[next].job.submit <= now; ++next) {
                share_of_[arrivals[next].job.id] = arrivals[next].run;
                scheduler_.submit(arrivals[next].job);
            }
            Changes changes;
            scheduler_.pass(partitions, now, ended, changes);
            for (const Start& start : changes.started) begin(start, now);
            if (look) look(now);
        }
    }

    std::vector<Cluster> partitions;
    std::map<JobId, Ran> ran;
    bool twice = false;

private:
    bool end(Seconds now) {
        bool any = false;
        while (!ends_.empty() && std::get<0>(ends_.begin()->first) <= now) {
            const auto [partition, slot] = ends_.begin()->second;
            partitions[static_cast<std::size_t>(partition)].finish(slot, now);
            ends_.erase(ends_.begin());
            any = true;
        }
        return any;
    }

    void begin(const Start& start, Seconds now) {
        const int partition = start.decision.point.partition;
        twice = twice || ran.count(start.job.id) != 0;
        ran[start.job.id] = {partition, now, start.decision};
        const auto run = std::max<Seconds>(
            1, static_cast<Seconds>(share_of_[start.job.id] * static_cast<double>(start.job.request)));
        ends_[{now + run, start.job.id}] = {partition, start.decision.slot};
    }

    Scheduler& scheduler_;
    std::map<JobId, double> share_of_;
    std::map<std::pair<Seconds, JobId>, std::pair<int, int>> ends_;
};

Arrival arrival(JobId id, Seconds submit, int nodes, Seconds request, int application) {
    Arrival arrival;
    arrival.job.id = id;
    arrival.job.submit = submit;
    arrival.job.nodes = nodes;
    arrival.job.request = request;
    arrival.job.application = application;
    return arrival;
}

constexpr int kLu = 0, kStream = 7;

TEST(EnergyAware, JobsGoWhereTheyAreBestAndElsewhereWhenThatIsFull) {
    const auto scheduler = energy_aware(thesis_model(), {});
    Site site(*scheduler, {4, 4});
    site.play({arrival(1, 0, 4, 100, kStream), arrival(2, 0, 4, 100, kLu), arrival(3, 10, 4, 1000, kStream)});
    EXPECT_EQ(site.ran[1].partition, 1);
    EXPECT_EQ(site.ran[1].decision.point.ghz, 1.2);
    EXPECT_EQ(site.ran[2].partition, 0);
    EXPECT_EQ(site.ran[2].decision.point.ghz, 2.4);
    // Partition 2 is free first: 100 s x 0.76; at 2.4 GHz lu.C takes longer than 100 s.
    EXPECT_EQ(site.ran[3].partition, 1);
    EXPECT_LT(site.ran[3].start, 100);
}

TEST(EnergyAware, RequestsCountForThePrimaryPartitionAtNominalFrequency) {
    EnergyRules rules{Aim::kNominal, EntryOrder::kBestPartition, 1, 0.35, 0};
    const auto scheduler = energy_aware(thesis_model(), rules);
    Site site(*scheduler, {4, 4});
    site.play({arrival(1, 0, 1, 10000, kStream)}, [&](Seconds now) {
        if (now == 0) {
            EXPECT_EQ(site.partitions[1].running(0).job.request, 7572);  // 10000 x 81.437 / 107.548
        }
    });
    EXPECT_NEAR(site.ran[1].decision.point.time_factor, 0.7572, 0.0001);
}

TEST(EnergyAware, OrdersDiffer) {
    // Both partitions are taken until 100; then job 3 and 4, of one node each, meet one free node on p1 and none on p2.
    const auto first_on = [](EntryOrder order) {
        EnergyRules rules;
        rules.order = order;
        const auto scheduler = energy_aware(thesis_model(), rules);
        Site site(*scheduler, {1, 1});
        site.play({arrival(1, 0, 1, 100, kLu), arrival(2, 0, 1, 100000, kStream), arrival(3, 1, 1, 10, kStream),
                   arrival(4, 2, 1, 10, kLu)});
        return site.ran[3].start < site.ran[4].start ? 3 : 4;
    };
    EXPECT_EQ(first_on(EntryOrder::kReorder), 3);      // STREAM came first, and p1 is its second preference
    EXPECT_EQ(first_on(EntryOrder::kPriorityInc), 4);  // p1 is the first preference of lu.C
}

TEST(EnergyAware, AWaitingJobIsTakenBack) {
    const auto scheduler = energy_aware(thesis_model(), {});
    Site site(*scheduler, {1, 1});
    scheduler->submit(arrival(1, 0, 1, 10, kLu).job);
    EXPECT_EQ(scheduler->waiting(), 1U);
    EXPECT_TRUE(scheduler->cancel(1));
    EXPECT_FALSE(scheduler->cancel(1));
    site.play({arrival(2, 0, 1, 10, kLu)});
    EXPECT_EQ(site.ran.size(), 1U);
}

TEST(EnergyAware, AReservationThatIsWithdrawnHoldsNoJobBack) {
    // Job 3 reserves p1 and starts on p2 in the same pass: job 4, too long for that reservation, starts on p1 at once.
    EnergyRules rules;
    rules.order = EntryOrder::kReorder;
    const auto scheduler = energy_aware(thesis_model(), rules);
    Site site(*scheduler, {4, 4});
    site.play({arrival(1, 0, 2, 100, kLu), arrival(3, 1, 3, 100, kLu), arrival(4, 1, 2, 100000, kLu)});
    EXPECT_EQ(site.ran[3].partition, 1);
    EXPECT_EQ(site.ran[4].partition, 0);
    EXPECT_EQ(site.ran[4].start, 1);
}

// Job 4 waited for the next end, although nothing was in its way.
TEST(EnergyAware, AReservationOfAJobThatThenSharesHoldsNoJobBack) {
    // Job 3 would start at 2000, and shares the nodes of job 1. Job 4 would have delayed it, and starts on the free
    // node.
    EnergyModel model = thesis_model();
    model.partitions.resize(1);
    for (Application& application : model.applications) application.on.resize(1);
    EnergyRules rules;
    rules.order = EntryOrder::kReorder;
    SlowdownRules sharing;
    sharing.limit = SlowdownRules::Limit::kInfinite;
    const auto scheduler = energy_aware(model, rules, sharing);
    Site site(*scheduler, {4});
    Arrival rigid = arrival(2, 0, 1, 2000, -1);
    rigid.job.kind = Kind::kRigid;
    site.play({arrival(1, 0, 2, 10000, -1), rigid, arrival(3, 1, 2, 500, -1), arrival(4, 1, 1, 100000, -1)});
    EXPECT_EQ(site.ran[3].decision.how, How::kShared);
    EXPECT_EQ(site.ran[3].start, 1);
    EXPECT_EQ(site.ran[4].start, 1);
}

std::vector<Arrival> random_arrivals(int max_nodes) {
    std::vector<Arrival> arrivals;
    Seconds now = 0;
    for (JobId id = 1, jobs = *rc::gen::inRange(1, 40); id <= jobs; ++id) {
        now += *rc::gen::inRange<Seconds>(0, 40);
        Arrival one = arrival(id, now, *rc::gen::inRange(1, max_nodes + 1), *rc::gen::inRange<Seconds>(1, 300),
                              *rc::gen::inRange(-1, 8));
        one.run = *rc::gen::inRange(0, 11) / 10.0;
        arrivals.push_back(one);
    }
    return arrivals;
}

EnergyRules random_rules() {
    EnergyRules rules;
    rules.aim = *rc::gen::element(Aim::kBalance, Aim::kTime, Aim::kEnergy, Aim::kNominal);
    rules.order = *rc::gen::element(EntryOrder::kConfigured, EntryOrder::kReorder, EntryOrder::kPriorityInc,
                                    EntryOrder::kPriorityIncV, EntryOrder::kBestPartition);
    rules.depth = 0;
    return rules;
}

TEST(EnergyAwareProperties, OnOnePartitionItIsEasy) {
    EXPECT_TRUE(holds("easy", [] {
        EnergyModel model = thesis_model();
        model.partitions.resize(1);
        for (Application& application : model.applications) application.on.resize(1);
        EnergyRules rules = random_rules();
        rules.aim = Aim::kNominal;
        const int nodes = *rc::gen::inRange(1, 12);
        const auto arrivals = random_arrivals(nodes);
        const auto ours = energy_aware(model, rules), plain = easy();
        Site a(*ours, {nodes}), b(*plain, {nodes});
        a.play(arrivals);
        b.play(arrivals);
        for (const Arrival& one : arrivals) RC_ASSERT(a.ran[one.job.id].start == b.ran[one.job.id].start);
    }));
}

TEST(EnergyAwareProperties, EveryJobRunsOnceAndNoPartitionIdlesBesideAJobThatFits) {
    EXPECT_TRUE(holds("site", [] {
        const EnergyModel model = thesis_model(*rc::gen::arbitrary<bool>());
        const EnergyRules rules = random_rules();
        const int nodes = *rc::gen::inRange(2, 10);
        const auto arrivals = random_arrivals(nodes);
        const auto sharing = *rc::gen::arbitrary<bool>() ? std::optional(SlowdownRules{}) : std::nullopt;
        const auto scheduler = energy_aware(model, rules, sharing);
        Site site(*scheduler, {nodes, nodes});
        site.play(arrivals, [&](Seconds now) {
            for (const Cluster& cluster : site.partitions) RC_ASSERT(cluster.inconsistency() == "");
            if (rules.order != EntryOrder::kConfigured && rules.order != EntryOrder::kReorder) return;
            // The job that came first, of those that wait, fits nowhere.
            for (const Arrival& one : arrivals) {
                if (one.job.submit > now) break;
                if (site.ran.count(one.job.id) != 0) continue;
                for (const Cluster& cluster : site.partitions) RC_ASSERT(cluster.free().count() < one.job.nodes);
                break;
            }
        });
        RC_ASSERT(!site.twice);
        RC_ASSERT(site.ran.size() == arrivals.size());
        RC_ASSERT(scheduler->waiting() == 0);
    }));
}

}  // namespace
