// SPDX-License-Identifier: BSD-3-Clause
// job_labels_test.cpp - limits name partitions and QOS as the log does, and nothing that no job has.
#include "engine/job_labels.hpp"

#include <gtest/gtest.h>

#include "engine/settings.hpp"

namespace drom::sim {
namespace {

LogJob job(int partition, int queue) {
    LogJob made;
    made.partition = partition;
    made.queue = queue;
    return made;
}

/// Returns jobs of partitions 1 and 3 and of queues 0 and 2, and jobs without.
Workload numbered() {
    Workload workload;
    workload.name = "log.swf";
    workload.jobs = {job(1, 0), job(3, 2), job(-1, -1), job(1, 2)};
    workload.header = {{"Queue", "2 high  for short jobs"}, {"Queue", "7 unused"}, {"Queue", "x"}, {"Note", "0 low"}};
    return workload;
}

Workload named() {
    Workload workload = numbered();
    workload.partitions = {"debug", "long"};
    workload.jobs = {job(0, 0), job(1, 2), job(-1, -1)};
    return workload;
}

std::string complaint(const std::string& setting, const Workload& workload) {
    auto parameters = read_setting(setting, {});
    EXPECT_TRUE(parameters) << parameters.error();
    const auto set = set_job_numbers(parameters->policy, workload);
    return set ? "none" : set.error();
}

TEST(JobLabels, AreTheNumbersOfTheLogAndTheNamesThatItHas) {
    EXPECT_EQ(labels_of(numbered()).partitions, (policy::Numbers{{"1", 0}, {"3", 2}}));
    EXPECT_EQ(labels_of(numbered()).qos, (policy::Numbers{{"0", 0}, {"2", 2}, {"high", 2}}));
    EXPECT_EQ(labels_of(named()).partitions, (policy::Numbers{{"1", 0}, {"2", 1}, {"debug", 0}, {"long", 1}}));
}

TEST(JobLabels, ANameThatLooksLikeANumberIsTheName) {
    Workload workload = named();
    workload.partitions = {"2", "long"};
    EXPECT_EQ(labels_of(workload).partitions, (policy::Numbers{{"1", 0}, {"2", 0}, {"long", 1}}));
}

TEST(JobLabels, WhatNoJobHasIsRefusedWithASentence) {
    EXPECT_EQ(complaint("sd:partition_max_slowdown=1:2/3:inf,qos_max_slowdown=0:5/high:9", numbered()), "none");
    EXPECT_EQ(complaint("sd:partition_max_slowdown=debug:2/2:3", named()), "none");
    EXPECT_EQ(complaint("sd:partition_max_slowdown=2:2", numbered()),
              "partition_max_slowdown: log.swf has no jobs of partition '2'; it has jobs of partition 1, 3");
    EXPECT_EQ(complaint("sd+:partition_max_slowdown=fat:2", named()),
              "partition_max_slowdown: log.swf has no jobs of partition 'fat'; it has jobs of partition debug, long");
    EXPECT_EQ(complaint("sd:qos_max_slowdown=unused:2", numbered()),
              "qos_max_slowdown: log.swf has no jobs of QOS 'unused'; it has jobs of QOS 0, high");
    EXPECT_EQ(complaint("sd:qos_max_slowdown=low:2", Workload()),
              "qos_max_slowdown:  has no jobs of QOS 'low'; its jobs have no QOS");
    EXPECT_EQ(complaint("sd:qos_max_slowdown=2:2/high:3", numbered()),
              "qos_max_slowdown: '2' and 'high' are the same QOS");
    EXPECT_EQ(complaint("slurm", numbered()), "none");
    EXPECT_EQ(complaint("eamc", numbered()), "none");
}

TEST(JobLabels, TheSameUserIsRefusedWhereNoJobHasOne) {
    Workload workload = numbered();
    EXPECT_EQ(complaint("sd:same=user", workload),
              "same=user: jobs of log.swf have no user, so that none would share; leave it out");
    EXPECT_EQ(complaint("sd-deep:same=account", workload),
              "same=account: jobs of log.swf have no account; there are same=user and same=any");
    EXPECT_EQ(complaint("sd:same=any", workload), "none");
    workload.jobs.back().user = 7;
    EXPECT_EQ(complaint("sd:same=user", workload), "none");
}

TEST(JobLabels, AnOrderHasEveryQosOfTheJobs) {
    EXPECT_EQ(complaint("sd:qos=strict,qos_order=0/high", numbered()), "none");
    EXPECT_EQ(complaint("sd:qos=strict,qos_order=spare/0/2", numbered()), "none") << "a QOS of the site without jobs";
    EXPECT_EQ(complaint("sd:qos=strict", numbered()),
              "qos=strict needs qos_order, which lists every QOS from the lowest to the highest");
    EXPECT_EQ(complaint("sd-deep:qos=strict,qos_order=0", numbered()),
              "qos_order lacks QOS high of jobs of log.swf; it has to list every QOS of the jobs");
    EXPECT_EQ(complaint("sd:qos_order=0/2/high", numbered()), "qos_order: '2' and 'high' are the same QOS");
}

}  // namespace
}  // namespace drom::sim
