// SPDX-License-Identifier: BSD-3-Clause
// policies_test.cpp - the registry of policies: what can be named, and that a policy from outside is as good as the
// project's own.
#include <gtest/gtest.h>

#include "engine/settings.hpp"
#include "shortest_first.hpp"

namespace {

using namespace drom::sim;
namespace policy = drom::policy;

LogJob job(std::int64_t id, std::int64_t nodes, Seconds run) {
    LogJob made;
    made.id = id;
    made.run = made.request = run;
    made.processors = nodes;
    return made;
}

// Job 1 has the machine until 100; the others wait for it, the long one of them first.
std::vector<Seconds> starts_of(const std::string& setting) {
    Workload workload;
    workload.jobs = {job(1, 4, 100), job(2, 4, 50), job(3, 4, 10)};
    const auto parameters = read_setting(setting, {});
    EXPECT_TRUE(parameters.has_value());
    const auto scheduler = parameters->policy.scheduler();
    std::vector<Seconds> starts;
    for (const JobOutcome& did : simulate(workload, *scheduler, engine_rules_of(*parameters, 4, 1)).jobs)
        starts.push_back(did.start);
    return starts;
}

TEST(Policies, OneFromOutsideIsNamedListedAndSimulatedAsTheOthers) {
    ASSERT_EQ(policy::find_policy("shortest-first"), nullptr);
    ASSERT_TRUE(policy::add_policy(shortest_first_row()).has_value());
    EXPECT_EQ(starts_of("shortest-first"), (std::vector<Seconds>{60, 10, 0}));
    EXPECT_EQ(starts_of("easy"), (std::vector<Seconds>{0, 100, 150}));
    EXPECT_EQ(read_setting("shortest-first:patience=-1", {}).error(),
              "patience '-1' is out of range; 0 to 1000000000 can be meant");
    EXPECT_EQ(read_setting("easy:patience=5", {}).error(), "policy easy has no parameter 'patience'");
    EXPECT_TRUE(has_parameter("shortest-first", "patience"));
    EXPECT_EQ(policy::add_policy(shortest_first_row()).error(), "policy 'shortest-first' is there already");
}

TEST(Policies, EveryOptionReadsItsOwnDefault) {
    for (const policy::PolicyRow& row : policy::policies())
        for (const policy::OptionRow& option : row.options) {
            policy::Policy one(row);
            EXPECT_TRUE(one.set(option, option.get(row.defaults)).has_value()) << row.name << ' ' << option.name;
            EXPECT_FALSE(one.set(option, "?").has_value()) << row.name << ' ' << option.name;
        }
}

TEST(Policies, EveryRowSaysWhatItDoesAndWhereThatIsWritten) {
    for (const policy::PolicyRow& row : policy::policies()) {
        EXPECT_FALSE(std::string(row.text).empty() || std::string(row.text).ends_with('.')) << row.name;
        EXPECT_FALSE(std::string(row.source).empty() || std::string(row.source).ends_with('.')) << row.name;
        for (const policy::OptionRow& option : row.options)
            EXPECT_EQ(std::string(option.name).find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"),
                      std::string::npos)
                << option.name;
    }
}

}  // namespace
