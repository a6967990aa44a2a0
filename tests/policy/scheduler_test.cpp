// SPDX-License-Identifier: BSD-3-Clause
// scheduler_test.cpp - the start times of jobs.
#include "policy/backfill/scheduler.hpp"

#include <map>

#include "property.hpp"
#include "random_cluster.hpp"

namespace {

using namespace drom::policy;
using namespace drom::test;

struct Timed {
    Job job;
    Seconds run = 1;
};

struct Log {
    std::map<JobId, Seconds> starts;
    std::map<JobId, How> how;
    friend bool operator==(const Log&, const Log&) = default;
};

/// Replays jobs in order of submit. A job runs for its real run time, and a job that shares runs to its predicted end.
Log replay(const std::vector<Timed>& jobs, Scheduler& scheduler, const Machine& machine) {
    Cluster cluster(machine);
    Log log;
    std::map<int, Seconds> ends;  // the end of each slot's job
    std::size_t submitted = 0;
    for (;;) {
        Seconds now = scheduler.wake();
        for (const auto& [slot, end] : ends) now = std::min(now, end);
        if (submitted < jobs.size()) now = std::min(now, jobs[submitted].job.submit);
        if (now == kNever) return log;
        bool ended = false;
        for (auto it = ends.begin(); it != ends.end();) {
            if (it->second > now) {
                ++it;
                continue;
            }
            cluster.finish(it->first, now);
            it = ends.erase(it);
            ended = true;
        }
        for (; submitted < jobs.size() && jobs[submitted].job.submit <= now; ++submitted)
            scheduler.submit(jobs[submitted].job);
        Changes changes;
        scheduler.pass({&cluster, 1}, now, ended, changes);
        for (const Start& start : changes.started) {
            log.starts[start.job.id] = now;
            log.how[start.job.id] = start.decision.how;
            ends[start.decision.slot] = now + jobs[static_cast<std::size_t>(start.job.id)].run;
        }
    }
}

std::vector<Timed> random_jobs(int nodes) {
    std::vector<Timed> jobs;
    Seconds now = 0;
    const int count = *rc::gen::inRange(1, 60);
    for (JobId id = 0; id < count; ++id) {
        now += *rc::gen::weightedElement<Seconds>({{2, 0}, {3, *rc::gen::inRange<Seconds>(0, 40)}});
        Job job = random_job(id, now, nodes);
        job.submit = now;
        jobs.push_back({job, *rc::gen::inRange<Seconds>(1, job.request + *rc::gen::element<Seconds>(1, 1, 30))});
    }
    return jobs;
}

TEST(Easy, DecidesAsTheGeneralBackfillWithOneReservation) {
    EXPECT_TRUE(holds("easy() equals backfill(easy)", [] {
        const int nodes = *rc::gen::inRange(1, 20);
        const std::vector<Timed> jobs = random_jobs(nodes);
        const auto fast = easy();
        const auto slow = backfill(BackfillRules::easy());
        RC_ASSERT(replay(jobs, *fast, Machine::uniform(nodes, 4)) == replay(jobs, *slow, Machine::uniform(nodes, 4)));
    }));
}

TEST(Easy, EveryJobStartsAndTheFirstInTheQueueIsNeverDelayed) {
    EXPECT_TRUE(holds("all start", [] {
        const int nodes = *rc::gen::inRange(1, 20);
        const std::vector<Timed> jobs = random_jobs(nodes);
        const auto scheduler = easy();
        const Log log = replay(jobs, *scheduler, Machine::uniform(nodes, 4));
        RC_ASSERT(log.starts.size() == jobs.size());
        RC_ASSERT(scheduler->waiting() == 0U);
        for (const Timed& timed : jobs) RC_ASSERT(log.starts.at(timed.job.id) >= timed.job.submit);
    }));
}

Timed timed(JobId id, Seconds submit, int nodes, Seconds request, Seconds run) {
    Timed made;
    made.job.id = id;
    made.job.submit = submit;
    made.job.nodes = nodes;
    made.job.request = request;
    made.run = run;
    return made;
}

// Of 10 nodes job 0 has 6 until 100. Job 1 wants 8 and is first in the queue.
TEST(Easy, BackfillsWhatEndsInTimeOrDoesNotMatter) {
    struct Row {
        const char* what;
        int nodes;
        Seconds request;
        Seconds start;
    };
    const Row rows[] = {
        {"ends before the reservation", 4, 90, 10}, {"ends with it", 4, 90, 10}, {"would delay it", 4, 91, 200},
        {"leaves enough for it", 2, 1000, 10},      {"does not", 3, 1000, 200},  {"does not fit", 5, 10, 200},
    };
    for (const Row& row : rows) {
        const std::vector<Timed> jobs = {timed(0, 0, 6, 100, 100), timed(1, 5, 8, 100, 100),
                                         timed(2, 10, row.nodes, row.request, row.request)};
        const auto scheduler = easy();
        const Log log = replay(jobs, *scheduler, Machine::uniform(10, 4));
        EXPECT_EQ(log.starts.at(1), 100) << row.what;
        EXPECT_EQ(log.starts.at(2), row.start) << row.what;
    }
}

TEST(Backfill, ReservationsOfAllEarlierJobsAreKept) {
    BackfillRules rules = BackfillRules::easy();
    rules.reservations = 0;
    // Job 3 would delay job 2, whose reservation EASY does not know.
    const std::vector<Timed> jobs = {timed(0, 0, 6, 100, 100), timed(1, 1, 8, 100, 100), timed(2, 2, 10, 100, 100),
                                     timed(3, 3, 2, 300, 300)};
    const auto conservative = backfill(rules);
    EXPECT_EQ(replay(jobs, *conservative, Machine::uniform(10, 4)).starts.at(3), 300);
    const auto aggressive = easy();
    EXPECT_EQ(replay(jobs, *aggressive, Machine::uniform(10, 4)).starts.at(3), 3);
}

TEST(Backfill, LooksNoDeeperThanAllowedAndOnlyOnItsGrid) {
    BackfillRules rules = BackfillRules::easy();
    rules.interval = 30;
    rules.depth = 1;
    const std::vector<Timed> jobs = {timed(0, 1, 6, 100, 100), timed(1, 2, 8, 100, 100), timed(2, 3, 1, 10, 10)};
    const auto shallow = backfill(rules);
    const Log log = replay(jobs, *shallow, Machine::uniform(10, 4));
    EXPECT_EQ(log.starts.at(0), 30);
    EXPECT_EQ(log.starts.at(2), 180);  // one pass after job 1, which starts at the first pass after 130
    rules.depth = 2;
    const auto deeper = backfill(rules);
    EXPECT_EQ(replay(jobs, *deeper, Machine::uniform(10, 4)).starts.at(2), 60);
}

TEST(Backfill, TheMainSchedulerStartsJobsInOrderBetweenPasses) {
    BackfillRules rules;
    const std::vector<Timed> jobs = {timed(0, 1, 6, 100, 100), timed(1, 2, 8, 100, 100), timed(2, 3, 1, 10, 10)};
    const auto slurm = backfill(rules);
    const Log log = replay(jobs, *slurm, Machine::uniform(10, 4));
    EXPECT_EQ(log.starts.at(0), 1);
    EXPECT_EQ(log.starts.at(1), 101);
    EXPECT_EQ(log.starts.at(2), 30);
}

TEST(Backfill, WeightsPutSmallJobsFirst) {
    BackfillRules rules = BackfillRules::easy();
    rules.priority.size = 1000;
    rules.priority.favor_small = true;
    const std::vector<Timed> jobs = {timed(0, 0, 10, 100, 100), timed(1, 1, 10, 100, 100), timed(2, 2, 1, 100, 100)};
    const auto scheduler = backfill(rules);
    const Log log = replay(jobs, *scheduler, Machine::uniform(10, 4));
    EXPECT_EQ(log.starts.at(2), 100);
    EXPECT_EQ(log.starts.at(1), 200);
}

TEST(Backfill, ACancelledJobIsForgottenAndItsReservationWithIt) {
    const auto scheduler = easy();
    Cluster cluster(Machine::uniform(10, 4));
    Changes changes;
    for (const Timed& t : {timed(0, 0, 6, 100, 100), timed(1, 0, 8, 100, 100), timed(2, 0, 4, 500, 500)})
        scheduler->submit(t.job);
    scheduler->pass({&cluster, 1}, 0, false, changes);
    ASSERT_EQ(changes.started.size(), 1U);
    EXPECT_TRUE(scheduler->cancel(1));
    EXPECT_FALSE(scheduler->cancel(1));
    scheduler->pass({&cluster, 1}, 1, false, changes);
    ASSERT_EQ(changes.started.size(), 2U);
    EXPECT_EQ(changes.started.back().job.id, 2);
}

// ---- sharing ---------------------------------------------------------------------------------------------------

Log shared(const std::vector<Timed>& jobs, const SlowdownRules& sharing, int nodes = 10) {
    const auto scheduler = backfill(BackfillRules::easy(), sharing);
    return replay(jobs, *scheduler, Machine::uniform(nodes, 4));
}

TEST(Slowdown, AJobThatWouldWaitLongerThanItLosesSharesAtOnce) {
    SlowdownRules rules;
    rules.limit = SlowdownRules::Limit::kInfinite;
    const std::vector<Timed> jobs = {timed(0, 0, 10, 1000, 1000), timed(1, 5, 10, 100, 200)};
    const Log log = shared(jobs, rules);
    EXPECT_EQ(log.starts.at(1), 5);
    EXPECT_EQ(log.how.at(1), How::kShared);
}

TEST(Slowdown, AJobThatWouldLoseMoreThanItWaitsForWaits) {
    SlowdownRules rules;
    rules.limit = SlowdownRules::Limit::kInfinite;
    const std::vector<Timed> jobs = {timed(0, 0, 10, 100, 100),
                                     timed(1, 5, 10, 95, 95)};  // alone: ends at 195; shared: at 195, too
    EXPECT_EQ(shared(jobs, rules).how.at(1), How::kInOrder);
}

TEST(Slowdown, RigidJobsNeitherShareNorAreShared) {
    SlowdownRules rules;
    rules.limit = SlowdownRules::Limit::kInfinite;
    for (const JobId rigid : {0, 1}) {
        std::vector<Timed> jobs = {timed(0, 0, 10, 1000, 1000), timed(1, 5, 10, 100, 200)};
        jobs[static_cast<std::size_t>(rigid)].job.kind = Kind::kRigid;
        EXPECT_EQ(shared(jobs, rules).starts.at(1), 1000) << rigid;
    }
}

// Job 1, which is rigid, is first in the queue and wants all nodes when job 0 ends at 1000.
std::vector<Timed> behind_a_wide_job(const Timed& last) {
    std::vector<Timed> jobs = {timed(0, 0, 10, 1000, 1000), timed(1, 5, 10, 100, 100), last};
    jobs[1].job.kind = Kind::kRigid;
    return jobs;
}

TEST(Slowdown, JobsBeyondTheDepthOfTheBackfillShareWhereTheRulesSaySo) {
    BackfillRules rules = BackfillRules::easy();
    rules.depth = 1;
    SlowdownRules sharing;
    sharing.limit = SlowdownRules::Limit::kInfinite;
    sharing.sharing.parts = true;
    const std::vector<Timed> jobs = behind_a_wide_job(timed(2, 6, 4, 50, 100));
    const auto how = [&](int depth) {
        sharing.depth = depth;
        const auto scheduler = backfill(rules, sharing);
        return replay(jobs, *scheduler, Machine::uniform(10, 4)).how.at(2);
    };
    EXPECT_EQ(how(0), How::kShared);
    EXPECT_EQ(how(2), How::kShared);
    EXPECT_EQ(how(1), How::kInOrder);
    EXPECT_EQ(how(SlowdownRules::kAsBackfill), How::kInOrder);
}

TEST(Slowdown, NoMateDelaysTheFirstReservationWhereTheRulesSaySo) {
    SlowdownRules sharing;
    sharing.limit = SlowdownRules::Limit::kInfinite;
    sharing.sharing.parts = true;
    const std::vector<Timed> jobs = behind_a_wide_job(timed(2, 6, 4, 50, 100));
    EXPECT_EQ(shared(jobs, sharing).how.at(2), How::kShared);
    sharing.keep = SlowdownRules::Keep::kFirst;
    EXPECT_NE(shared(jobs, sharing).how.at(2), How::kShared);
}

TEST(Slowdown, NoMateDelaysAnyReservationWhereTheRulesSaySo) {
    // Job 2 is to start on the nodes of job 1 at 500, job 3 on those of job 0 at 1000. The guest would keep those to
    // 1050.
    std::vector<Timed> jobs = {timed(0, 0, 4, 1000, 1000), timed(1, 0, 6, 500, 500), timed(2, 1, 6, 1000, 1000),
                               timed(3, 2, 4, 100, 100), timed(4, 3, 4, 50, 100)};
    for (const std::size_t rigid : {1U, 2U, 3U}) jobs[rigid].job.kind = Kind::kRigid;
    BackfillRules rules = BackfillRules::easy();
    rules.reservations = 0;
    SlowdownRules sharing;
    sharing.limit = SlowdownRules::Limit::kInfinite;
    const auto how = [&](SlowdownRules::Keep keep) {
        sharing.keep = keep;
        return replay(jobs, *backfill(rules, sharing), Machine::uniform(10, 4)).how.at(4);
    };
    EXPECT_EQ(how(SlowdownRules::Keep::kNone), How::kShared);
    EXPECT_EQ(how(SlowdownRules::Keep::kFirst), How::kShared);
    EXPECT_EQ(how(SlowdownRules::Keep::kAll), How::kInOrder);
}

/// Returns whether job 4 starts beside others at 0, where reservations are kept so. It asks for a node, and job 3
/// before it for `wide` nodes.
bool shares_behind(Cluster cluster, SlowdownRules sharing, SlowdownRules::Keep keep, int wide) {
    sharing.keep = keep;
    BackfillRules rules = BackfillRules::easy();
    rules.reservations = 0;
    const auto scheduler = backfill(rules, sharing);
    Job reserved = timed(3, 0, wide, 100, 0).job;
    reserved.kind = Kind::kRigid;
    scheduler->submit(reserved);
    scheduler->submit(timed(4, 0, 1, 30, 0).job);
    Changes changes;
    scheduler->pass({&cluster, 1}, 0, false, changes);
    return !changes.started.empty();
}

SlowdownRules lending_three_of_four() {
    SlowdownRules sharing;
    sharing.limit = SlowdownRules::Limit::kInfinite;
    sharing.sharing.sharing_factor = 0.75;
    return sharing;
}

// Job 2 has 3 of 4 cores of node 0, which job 1 lends it until 80, and all of node 1. A guest on node 1 would hold it
// up until 107, and so job 1, whose node job 3 is promised for 260.
TEST(Slowdown, NoGuestDelaysAJobThatIsPromisedTheNodeOfItsMatesHost) {
    Cluster cluster(Machine::uniform(2, 4));
    const int host = cluster.start(timed(1, 0, 1, 200, 0).job, NodeSet(0, 1), 0);
    cluster.share(timed(2, 0, 2, 60, 0).job, {{host}, 3, NodeSet(1, 1)}, 0);
    ASSERT_EQ(cluster.running(host).end, 260);
    SlowdownRules sharing = lending_three_of_four();
    sharing.sharing.parts = true;
    EXPECT_TRUE(shares_behind(cluster, sharing, SlowdownRules::Keep::kNone, 2));
    EXPECT_FALSE(shares_behind(cluster, sharing, SlowdownRules::Keep::kFirst, 2));
    EXPECT_FALSE(shares_behind(cluster, sharing, SlowdownRules::Keep::kAll, 2));
}

// The same with a third job on the only node: it takes cores of job 2, which has them of job 1.
TEST(Slowdown, NoGuestOfAGuestDelaysAJobThatIsPromisedTheirNode) {
    Cluster cluster(Machine::uniform(1, 4));
    const int host = cluster.start(timed(1, 0, 1, 200, 0).job, NodeSet(0, 1), 0);
    cluster.share(timed(2, 0, 1, 60, 0).job, {{host}, 3, {}}, 0);
    ASSERT_EQ(cluster.running(host).end, 260);
    SlowdownRules sharing = lending_three_of_four();
    sharing.sharing.jobs_per_node = 3;
    EXPECT_TRUE(shares_behind(cluster, sharing, SlowdownRules::Keep::kNone, 1));
    EXPECT_FALSE(shares_behind(cluster, sharing, SlowdownRules::Keep::kAll, 1));
}

/// Returns the starts that all waiting jobs are promised on nodes of their own, in the order of the queue.
std::map<JobId, Seconds> promised(const Cluster& cluster, const std::vector<Job>& queue, Seconds now) {
    std::map<JobId, Seconds> starts;
    Availability map(cluster, now, 1);
    for (const Job& job : queue) {
        const Seconds start = starts[job.id] = map.earliest(job, now);
        map.reserve(job, start, start + job.request);
    }
    return starts;
}

// Jobs after the first guest may move: the reservation of the guest itself is free.
TEST(SlowdownProperties, NoGuestDelaysAJobBeforeItWhereAllReservationsAreKept) {
    EXPECT_TRUE(holds("kept", [] {
        BackfillRules rules = BackfillRules::easy();
        rules.reservations = 0;
        SlowdownRules sharing;
        sharing.limit = SlowdownRules::Limit::kInfinite;
        sharing.keep = SlowdownRules::Keep::kAll;
        sharing.sharing.parts = *rc::gen::arbitrary<bool>();
        sharing.sharing.sharing_factor = *rc::gen::element(0.5, 0.25, 0.75);
        sharing.sharing.jobs_per_node = *rc::gen::element(2, 3);
        const auto scheduler = backfill(rules, sharing);
        Seconds now = 0;
        Cluster cluster = random_cluster(Machine::uniform(12, 4), sharing.sharing, now, 20);
        std::vector<Job> queue;
        for (JobId id = 100, end = 100 + *rc::gen::inRange(1, 12); id < end; ++id) {
            queue.push_back(random_job(id, now, 8));
            queue.back().kind = *rc::gen::element(Kind::kRigid, Kind::kMalleable);
            scheduler->submit(queue.back());
        }
        const std::map<JobId, Seconds> before = promised(cluster, queue, now);
        Changes changes;
        scheduler->pass({&cluster, 1}, now, false, changes);
        const auto started = [&changes](const Job& job, bool shared) {
            return std::ranges::any_of(changes.started, [&](const Start& start) {
                return start.job.id == job.id && (!shared || start.decision.how == How::kShared);
            });
        };
        queue.erase(std::ranges::find_if(queue, [&](const Job& job) { return started(job, true); }), queue.end());
        for (const Job& job : queue) RC_ASSERT(started(job, false) == (before.at(job.id) <= now));
        std::erase_if(queue, [&](const Job& job) { return started(job, false); });
        for (const auto& [id, start] : promised(cluster, queue, now)) RC_ASSERT(start == before.at(id));
    }));
}

TEST(Slowdown, TheDynamicLimitIsTheMeanOfWhatRuns) {
    Cluster cluster(Machine::uniform(10, 4));
    cluster.start(timed(0, 0, 2, 100, 0).job, NodeSet(0, 2), 100);  // (100 + 100) / 100
    cluster.start(timed(1, 100, 2, 100, 0).job, NodeSet(2, 2), 100);
    EXPECT_DOUBLE_EQ(slowdown_limit(cluster, {}), 1.5);
}

TEST(Slowdown, ARefusalSaysWhy) {
    Cluster cluster(Machine::uniform(10, 4));
    cluster.start(timed(0, 0, 10, 1000, 0).job, NodeSet(0, 10), 0);
    const Availability map(cluster, 0, 1);
    SlowdownRules rules;
    const auto why = [&](Job job) { return consider(cluster, map, job, 1000, 1e9, rules, 0).refusal; };
    Job job = timed(1, 0, 10, 100, 0).job;
    EXPECT_EQ(why(job), Refusal::kNone);
    job.nodes = 9;
    EXPECT_EQ(why(job), Refusal::kNoMates);
    job.request = 1000;
    EXPECT_EQ(why(job), Refusal::kWaitingIsSooner);
    job.min_cores = 3;
    EXPECT_EQ(why(job), Refusal::kTooFewCores);
    job.kind = Kind::kRigid;
    EXPECT_EQ(why(job), Refusal::kNotMalleable);
}

}  // namespace
