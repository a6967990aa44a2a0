// SPDX-License-Identifier: BSD-3-Clause
// settings_test.cpp - settings are read as they are written, and nothing that cannot be meant is accepted.
#include "engine/settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "policy/registry/backfill_rows.hpp"

namespace {

using namespace drom::sim;

std::string complaint(const std::string& setting) {
    const auto read = read_setting(setting, {});
    return read ? "none" : read.error();
}

TEST(Settings, WhatCannotBeMeantIsRefusedWithASentence) {
    struct Row {
        const char* setting;
        const char* sentence;
    };
    const Row rows[] = {
        {"esay", "there is no policy 'esay'; did you mean easy? (drom-sim policies lists them)"},
        {"", "there is no policy '' (drom-sim policies lists them)"},
        {"sd:max_slowdwn=3", "there is no parameter 'max_slowdwn'; drom-sim --help lists them"},
        {"easy:max_slowdown=3", "policy easy has no parameter 'max_slowdown'"},
        {"sd+:bf_window=3", "policy sd+ has no parameter 'bf_window'"},
        {"sd:max_slowdown",
         "'max_slowdown' in 'sd:max_slowdown' is no NAME=VALUE; settings look like sd:max_slowdown=10,max_mates=2"},
        {"sd:", "'' in 'sd:' is no NAME=VALUE; settings look like sd:max_slowdown=10,max_mates=2"},
        {"sd:gain=1,", "'' in 'sd:gain=1,' is no NAME=VALUE; settings look like sd:max_slowdown=10,max_mates=2"},
        {"sd:gain=1,gain=1", "'sd:gain=1,gain=1' gives gain twice; leave one of them out"},
        {"efficiency:upper=0.005",
         "lower 0.01 is above upper 0.005; a job between them would have to shrink and to grow"},
        {"scale:sizes=16/64", "sizes '16/64' has to fall: each bound is smaller than the one before it"},
        {"sd:max_slowdown=x", "max_slowdown 'x' is not a number; nor inf, nor dynamic"},
        {"sd:max_slowdown=0.5",
         "max_slowdown '0.5' is out of range; 1 to 1000000000000 can be meant; nor inf, nor dynamic"},
        {"sd:max_slowdown=nan",
         "max_slowdown 'nan' is out of range; 1 to 1000000000000 can be meant; nor inf, nor dynamic"},
        {"sd:sharing_factor=1", "sharing_factor '1' is out of range; 0.01 to 0.99 can be meant"},
        {"sd:max_mates=0", "max_mates '0' is out of range; 1 to 16 can be meant"},
        {"slurm:bf_interval=-1", "bf_interval '-1' is out of range; 0 to 1000000000 can be meant"},
        {"slurm:bf_interval=3s", "bf_interval '3s' is not a whole number"},
        {"slurm:bf_interval=99999999999999999999",
         "bf_interval '99999999999999999999' is out of range; 0 to 1000000000 can be meant"},
        {"slurm:main_scheduler=1", "main_scheduler '1' is neither yes nor no"},
        {"slurm:partition_factors=1//1", "partition_factors '1//1' has '', which is not a number"},
        {"slurm:partition_factors=1/2", "partition_factors '1/2' has '2', which is out of range; 0 to 1 can be meant"},
        {"sd:partition_max_slowdown=2",
         "partition_max_slowdown '2' has '2', which is no NAME:LIMIT; limits look like 2:10/5:inf"},
        {"sd+:qos_max_slowdown=low:0.5",
         "qos_max_slowdown 'low:0.5' has the limit '0.5', which is out of range; 1 to 1000000000000 can be meant; nor "
         "inf"},
        {"sd:qos=weak", "qos 'weak' is neither any nor strict"},
        {"sd:qos_order=low/low", "qos_order 'low/low' names 'low' twice"},
        {"slurm:qos=strict", "policy slurm has no parameter 'qos'"},
        {"easy:model=fast", "model 'fast' is no runtime model; there are ideal, worst, downey and amdahl"},
        {"moldable:min_efficiency=1.5", "min_efficiency '1.5' is out of range; 0 to 1 can be meant"},
        {"moldable:mold_max=0.5", "mold_max '0.5' is out of range; 1 to 1000000 can be meant"},
        {"slurm:reserved=10-5:2", "reserved '10-5:2' has '10-5:2', which ends before it begins"},
        {"slurm:reserved=10:2",
         "reserved '10:2' has '10:2', which is no FROM-TO:NODES; bookings look like 3600-7200:16"},
        {"slurm:leave_lead=soon", "leave_lead 'soon' is not a whole number; nor none"},
        {"urgent:reserved=5-10:2", "policy urgent has no parameter 'reserved'"},
        {"sd:reserved=5-10:2,jobs_per_node=4",
         "jobs_per_node 4 does not go with reserved; with more than 3 jobs on a node, one that ends early can make "
         "another end later"},
        {"sd:sd_plan=limit", "sd_plan 'limit' is neither request nor prediction"},
        {"sd:sd_plan=prediction",
         "sd_plan prediction is for jobs that share by predictions while others go by requests; give sd_prediction "
         "last2, knn or user2, and prediction request"},
        {"sd-deep:sd_plan=prediction,prediction=knn",
         "sd_plan prediction is for jobs that share by predictions while others go by requests; give sd_prediction "
         "last2, knn or user2, and prediction request"},
        {"sd-deep:sd_plan=prediction,reserved=5-10:2",
         "sd_plan prediction does not go with reserved; a job that outruns its prediction would still be there"},
        {"easy:correction=triple", "correction 'triple' is neither double nor request"},
        {"easy:mold_max=2", "policy easy has no parameter 'mold_max'"},
        {"moldable:moldable_share=-1", "moldable_share '-1' is out of range; 0 to 1 can be meant"},
        {"easy:malleable_share=1.5", "malleable_share '1.5' is out of range; 0 to 1 can be meant"},
    };
    for (const Row& row : rows) EXPECT_EQ(complaint(row.setting), row.sentence);
}

TEST(Settings, EveryValueIsReadBackAsItIsPrinted) {
    for (const char* policy : {"easy", "slurm", "sd", "sd+", "sd-deep", "moldable"}) {
        const auto defaults = read_setting(policy, {{"partition_factors", "0.5/1/0"}});
        ASSERT_TRUE(defaults.has_value());
        const Assignments values = values_of(*defaults);
        const auto again = read_setting(policy, values);
        ASSERT_TRUE(again.has_value()) << again.error();
        EXPECT_EQ(values_of(*again), values) << policy;
    }
}

TEST(Settings, ASettingsOwnParametersComeAfterTheCommonOnes) {
    const auto read = read_setting("sd:bf_max_job_test=7", {{"bf_max_job_test", "50"}, {"max_mates", "3"}});
    ASSERT_TRUE(read.has_value());
    const auto& rules = read->policy.rules<drom::policy::BackfillPolicy>();
    EXPECT_EQ(rules.backfill.depth, 7);
    EXPECT_EQ(rules.sharing.sharing.max_mates, 3);
}

// Options before it were set anew, without a word.
TEST(Settings, ABaseSetsNothingThatTheSameSettingGives) {
    for (const char* setting : {"sd:base=easy,bf_interval=60", "sd:bf_interval=60,base=easy"}) {
        const auto read = read_setting(setting, {{"bf_window", "9"}});
        ASSERT_TRUE(read.has_value());
        const auto& rules = read->policy.rules<drom::policy::BackfillPolicy>();
        EXPECT_TRUE(rules.easy_base) << setting;
        EXPECT_EQ(rules.backfill.interval, 60) << setting;
        EXPECT_EQ(rules.backfill.window, drom::policy::BackfillRules::easy().window) << setting;
    }
}

drom::policy::BackfillPolicy rules_of(const char* policy) {
    return drom::policy::Policy(*drom::policy::find_policy(policy)).rules<drom::policy::BackfillPolicy>();
}

TEST(Settings, TheDefaultsAreSlurmsAndTheThesiss) {
    const auto slurm = rules_of("slurm");
    EXPECT_EQ(slurm.backfill.interval, 30);
    EXPECT_EQ(slurm.backfill.window, 24 * 3600);
    EXPECT_EQ(slurm.backfill.resolution, 60);
    const auto sd = rules_of("sd");
    EXPECT_EQ(sd.sharing.sharing.max_mates, 2);
    EXPECT_DOUBLE_EQ(sd.sharing.sharing.sharing_factor, 0.5);
    EXPECT_EQ(sd.sharing.limit, drom::policy::SlowdownRules::Limit::kDynamic);
}

TEST(Settings, RequestsCanBeMadeExact) {
    Workload workload;
    workload.jobs.resize(1);
    workload.jobs[0].run = 100;
    workload.jobs[0].request = 300;
    EXPECT_EQ(with_requests(workload, 0).jobs[0].request, 100);
    EXPECT_EQ(with_requests(workload, 0.5).jobs[0].request, 200);
    EXPECT_EQ(with_requests(workload, 1).jobs[0].request, 300);
    EXPECT_EQ(with_requests(workload, 2).jobs[0].request, 500);
}

}  // namespace
