// SPDX-License-Identifier: BSD-3-Clause
// prediction_test.cpp - what is predicted, and that a prediction changes plans but no limit.
#include "policy/prediction/predicting.hpp"

#include "policy/prediction/predictor.hpp"
#include "property.hpp"
#include "random_cluster.hpp"

namespace {

using namespace drom::policy;
using namespace drom::test;

Job job_of(int user, int nodes, Seconds request, JobId id = 1) {
    Job job;
    job.id = id;
    job.user = user;
    job.nodes = nodes;
    job.request = request;
    return job;
}

TEST(LastTwo, IsTheMeanOfTheUsersLastTwoOfTheSameClassOfSizes) {
    const auto predictor = last_two();
    EXPECT_EQ(predictor->predict(job_of(1, 4, 1000)), 1000) << "nothing is known";
    predictor->learn(job_of(1, 4, 1000), 100);
    EXPECT_EQ(predictor->predict(job_of(1, 4, 1000)), 100);
    predictor->learn(job_of(1, 5, 1000), 200);
    predictor->learn(job_of(1, 7, 1000), 301);
    EXPECT_EQ(predictor->predict(job_of(1, 6, 1000)), 251) << "of 100, 200 and 301 the last two, rounded up";
    predictor->learn(job_of(1, 64, 1000), 900);
    EXPECT_EQ(predictor->predict(job_of(1, 6, 1000)), 251) << "a job of another size";
    EXPECT_EQ(predictor->predict(job_of(1, 1, 1000)), 601) << "no job of this size: the user's last two";
    EXPECT_EQ(predictor->predict(job_of(2, 6, 1000)), 1000) << "another user";
}

TEST(LastTwoOfUser, IsTheMeanOfTheUsersLastTwoOfAnySize) {
    const auto predictor = last_two_of_user();
    predictor->learn(job_of(1, 4, 1000), 100);
    EXPECT_EQ(predictor->predict(job_of(1, 4, 1000)), 1000) << "one is too few";
    predictor->learn(job_of(1, 64, 1000), 301);
    EXPECT_EQ(predictor->predict(job_of(1, 4, 1000)), 201);
    EXPECT_EQ(predictor->predict(job_of(1, 4, 150)), 150);
    EXPECT_EQ(predictor->predict(job_of(2, 4, 1000)), 1000) << "another user";
}

TEST(Predictions, KnowNothingOfJobsWithoutAUser) {
    const std::unique_ptr<Predictor> all[] = {last_two(), nearest_jobs(), last_two_of_user()};
    for (const auto& predictor : all) {
        for (int i = 0; i < 2; ++i) predictor->learn(job_of(-1, 4, 1000), 100);
        for (int i = 0; i < 2; ++i) predictor->learn(job_of(1, 4, 1000), 100);
        EXPECT_EQ(predictor->predict(job_of(-1, 4, 1000)), 1000);
    }
}

TEST(NearestJobs, AreThoseOfTheSameUserAndRequest) {
    const auto predictor = nearest_jobs();
    EXPECT_EQ(predictor->predict(job_of(1, 4, 5000)), 5000);
    for (int i = 0; i < 20; ++i) {
        predictor->learn(job_of(1, 4, 1000), 64);
        predictor->learn(job_of(1, 4, 100000), 50000);
        predictor->learn(job_of(2, 4, 1000), 900);
    }
    EXPECT_EQ(predictor->predict(job_of(1, 4, 1000)), 64);
    EXPECT_NEAR(static_cast<double>(predictor->predict(job_of(1, 4, 100000))), 50000, 1);
}

TEST(Predictions, AreBetweenOneAndTheRequest) {
    EXPECT_TRUE(holds("clipped", [] {
        const auto predictor = *rc::gen::arbitrary<bool>() ? last_two() : nearest_jobs();
        const int jobs = *rc::gen::inRange(0, 20);
        for (int i = 0; i < jobs; ++i)
            predictor->learn(job_of(*rc::gen::inRange(-1, 3), *rc::gen::inRange(1, 9), *rc::gen::inRange(1, 5000)),
                             *rc::gen::inRange(0, 10000));
        const Job job = job_of(*rc::gen::inRange(-1, 3), *rc::gen::inRange(1, 9), *rc::gen::inRange(1, 5000));
        RC_ASSERT(predictor->predict(job) >= 1 && predictor->predict(job) <= job.request);
    }));
}

TEST(Safety, IsTheQuantileOfRunTimeOverPrediction) {
    Safety safety;
    EXPECT_EQ(safety.factor(0.9), 1);
    for (int i = 0; i < 80; ++i) safety.learn(100, 50);
    for (int i = 0; i < 15; ++i) safety.learn(100, 400);
    for (int i = 0; i < 5; ++i) safety.learn(100, 1600);
    EXPECT_EQ(safety.factor(0.5), 1);
    EXPECT_EQ(safety.factor(0.9), 4);
    EXPECT_EQ(safety.factor(1), 16);
}

// ---- in a cluster ----------------------------------------------------------------------------------------------

Job predicted(JobId id, int nodes, Seconds prediction, Seconds limit) {
    Job job = job_of(1, nodes, prediction, id);
    job.limit = limit;
    return job;
}

TEST(Cluster, AnOverrunPredictionIsDoubledUpToTheLimit) {
    Cluster cluster(Machine::uniform(4, 16));
    const int slot = cluster.start(predicted(1, 4, 100, 500), NodeSet(0, 4), 0);
    EXPECT_EQ(cluster.running(slot).end, 100);
    EXPECT_EQ(cluster.running(slot).limit_end, 500);
    EXPECT_FALSE(cluster.correct_predictions(99));
    EXPECT_TRUE(cluster.correct_predictions(100));
    EXPECT_EQ(cluster.running(slot).end, 200);
    EXPECT_TRUE(cluster.correct_predictions(450)) << "400 would not be enough";
    EXPECT_EQ(cluster.running(slot).end, 500);
    EXPECT_EQ(cluster.running(slot).limit_end, 500);
    EXPECT_FALSE(cluster.correct_predictions(500));
    EXPECT_EQ(cluster.inconsistency(), "");
}

TEST(Cluster, AnOverrunPredictionBecomesTheLimitWhereTheJobSaysSo) {
    Cluster cluster(Machine::uniform(4, 16));
    Job job = predicted(1, 4, 100, 500);
    job.correct_to_limit = true;
    const int slot = cluster.start(job, NodeSet(0, 4), 0);
    EXPECT_FALSE(cluster.correct_predictions(99));
    EXPECT_TRUE(cluster.correct_predictions(100));
    EXPECT_EQ(cluster.running(slot).end, 500);
    EXPECT_FALSE(cluster.correct_predictions(500));
    EXPECT_EQ(cluster.inconsistency(), "");
}

TEST(Cluster, LimitsOfJobsThatShareFollowWhatTheyAskedFor) {
    Cluster cluster(Machine::uniform(4, 16));
    const int mate = cluster.start(predicted(1, 4, 500, 1000), NodeSet(0, 4), 0);
    const int guest = cluster.share(predicted(2, 4, 10, 300), {{mate}, 8, {}, {}}, 100);
    EXPECT_EQ(cluster.running(guest).end, 120);
    EXPECT_EQ(cluster.running(mate).end, 510);
    EXPECT_EQ(cluster.running(guest).limit_end, 700);
    EXPECT_EQ(cluster.running(mate).limit_end, 1300);
}

TEST(Cluster, LimitsOfJobsThatShareFollowPredictionsWhereTheJobSaysSo) {
    Cluster cluster(Machine::uniform(4, 16));
    Job of_mate = predicted(1, 4, 500, 1000), of_guest = predicted(2, 4, 10, 300);
    of_mate.extend_as_predicted = of_guest.extend_as_predicted = true;
    const int mate = cluster.start(of_mate, NodeSet(0, 4), 0);
    EXPECT_EQ(cluster.running(mate).limit_end, 1000) << "alone it has what it asked for";
    const int guest = cluster.share(of_guest, {{mate}, 8, {}, {}}, 100);
    EXPECT_EQ(cluster.running(guest).limit_end, 120 + 290) << "by its request 700";
    EXPECT_EQ(cluster.running(mate).limit_end, 510 + 500) << "by its request 1300";
    EXPECT_EQ(cluster.next_overrun(100), 120);
    EXPECT_TRUE(cluster.correct_predictions(120));
    EXPECT_EQ(cluster.running(guest).end, 140) << "20 s predicted, at half the speed";
    EXPECT_EQ(cluster.running(guest).limit_end, 140 + 280);
    EXPECT_EQ(cluster.running(mate).limit_end, 520 + 500);
    Seconds now = 120;
    while (cluster.running(guest).job.request < 300) cluster.correct_predictions(now = cluster.next_overrun(now));
    EXPECT_EQ(cluster.running(guest).limit_end, 700) << "in the end it is the worst case of the request";
    EXPECT_EQ(cluster.inconsistency(), "");
}

TEST(Cluster, GuestsThatOutliveAMateAreCounted) {
    Cluster cluster(Machine::uniform(4, 16));
    const int a = cluster.start(predicted(1, 2, 500, 1000), NodeSet(0, 2), 0);
    const int b = cluster.start(predicted(2, 2, 500, 1000), NodeSet(2, 2), 0);
    const int guest = cluster.share(predicted(3, 4, 10, 300), {{a, b}, 8, {}, {}}, 100);
    cluster.finish(a, 110);
    EXPECT_EQ(cluster.outlived(), 1U);
    cluster.finish(guest, 120);
    cluster.finish(b, 300);
    EXPECT_EQ(cluster.outlived(), 1U);
}

TEST(Cluster, NodesAreReservedUntilTheLimitWhereTheJobSaysSo) {
    Cluster cluster(Machine::uniform(4, 16));
    Job job = predicted(1, 4, 100, 500);
    job.reserve_limit = true;
    const int slot = cluster.start(job, NodeSet(0, 4), 0);
    EXPECT_EQ(cluster.releases().front().at, 500);
    EXPECT_EQ(cluster.lender(slot).end, 100);
    EXPECT_TRUE(cluster.correct_predictions(100));
    EXPECT_EQ(cluster.lender(slot).end, 200);
    EXPECT_EQ(cluster.releases().front().at, 500);
}

/// Runs jobs to their ends, or to their limits, under a scheduler. Returns the starts.
std::map<JobId, Seconds> starts_of(const std::vector<std::pair<Job, Seconds>>& jobs, Scheduler& scheduler, int nodes) {
    std::vector<Cluster> machine{Cluster(Machine::uniform(nodes, 4))};
    std::map<JobId, Seconds> starts;
    std::map<int, std::pair<Seconds, std::size_t>> ends;
    std::size_t submitted = 0;
    for (;;) {
        Seconds now = scheduler.wake();
        for (const auto& [slot, end] : ends) now = std::min(now, end.first);
        if (submitted < jobs.size()) now = std::min(now, jobs[submitted].first.submit);
        if (now == kNever) return starts;
        bool ended = false;
        for (auto it = ends.begin(); it != ends.end();) {
            if (it->second.first > now) {
                ++it;
                continue;
            }
            const auto& [job, run] = jobs[it->second.second];
            RC_ASSERT(now <= machine.front().running(it->first).limit_end);
            machine.front().finish(it->first, now);
            scheduler.ended(job.id, run);
            it = ends.erase(it);
            ended = true;
        }
        for (; submitted < jobs.size() && jobs[submitted].first.submit <= now; ++submitted)
            scheduler.submit(jobs[submitted].first);
        Changes changes;
        scheduler.pass(machine, now, ended, changes);
        for (const Start& start : changes.started) {
            starts[start.job.id] = now;
            const auto place = static_cast<std::size_t>(start.job.id);
            ends[start.decision.slot] = {now + jobs[place].second, place};
        }
        RC_ASSERT(machine.front().inconsistency() == "");
    }
}

/// Makes jobs with their real run times, which are no longer than their requests.
std::vector<std::pair<Job, Seconds>> jobs_of_three_users(int nodes) {
    std::vector<std::pair<Job, Seconds>> jobs;
    Seconds now = 0;
    const int count = *rc::gen::inRange(1, 40);
    for (JobId id = 0; id < count; ++id) {
        now += *rc::gen::inRange<Seconds>(0, 60);
        Job job = random_job(id, now, nodes);
        job.submit = now;
        job.user = *rc::gen::inRange(0, 3);
        jobs.emplace_back(job, *rc::gen::inRange<Seconds>(1, job.request + 1));
    }
    return jobs;
}

TEST(Predicting, EveryJobStartsAndNoneIsCutShort) {
    EXPECT_TRUE(holds("predicting", [] {
        const int nodes = *rc::gen::inRange(1, 12);
        const auto jobs = jobs_of_three_users(nodes);
        PredictionRules rules;
        rules.kind = *rc::gen::element(PredictionRules::Kind::kLastTwo, PredictionRules::Kind::kNearest,
                                       PredictionRules::Kind::kUserTwo);
        rules.correct_to_limit = *rc::gen::arbitrary<bool>();
        rules.safety = *rc::gen::element(0.0, 0.9);
        rules.sharing_only = *rc::gen::arbitrary<bool>();
        const auto scheduler = predicting(backfill(BackfillRules::easy()), rules);
        RC_ASSERT(starts_of(jobs, *scheduler, nodes).size() == jobs.size());
        RC_ASSERT(scheduler->waiting() == 0U);
    }));
}

TEST(Predicting, ReservationsGoByRequestsWhereOnlySharingIsPredicted) {
    EXPECT_TRUE(holds("sharing only", [] {
        const int nodes = *rc::gen::inRange(1, 12);
        const auto jobs = jobs_of_three_users(nodes);
        PredictionRules rules;
        rules.kind = PredictionRules::Kind::kLastTwo;
        rules.sharing_only = true;
        const auto with = predicting(backfill(BackfillRules::easy()), rules);
        const auto without = backfill(BackfillRules::easy());
        RC_ASSERT(starts_of(jobs, *with, nodes) == starts_of(jobs, *without, nodes));
    }));
}

// Of 10 nodes job 1 has 6, asked for 1000 s and is known to take 100. Job 2 wants 8, job 3 wants 4 for 200 s.
TEST(Predicting, AShadowIsThatOfPredictions) {
    PredictionRules rules;
    rules.kind = PredictionRules::Kind::kLastTwo;
    const auto job = [](JobId id, Seconds submit, int user, int nodes, Seconds request) {
        Job made = job_of(user, nodes, request, id);
        made.submit = submit;
        return made;
    };
    const std::vector<std::pair<Job, Seconds>> jobs = {{job(0, 0, 1, 6, 1000), 100},
                                                       {job(1, 500, 1, 6, 1000), 100},
                                                       {job(2, 501, 2, 8, 100), 100},
                                                       {job(3, 502, 3, 4, 200), 200}};
    const auto with = predicting(easy(), rules);
    EXPECT_EQ(starts_of(jobs, *with, 10).at(3), 700) << "it would delay job 2, which is expected to start at 600";
    const auto without = predicting(easy(), {});
    EXPECT_EQ(starts_of(jobs, *without, 10).at(3), 502) << "it ends long before job 1 has to";
}

}  // namespace
