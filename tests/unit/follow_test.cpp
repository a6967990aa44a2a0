// SPDX-License-Identifier: BSD-3-Clause
// follow_test.cpp - the reasons for which a team may change, and its number of threads then.
#include "openmp/follow.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace drom::follow;

Facts nothing_said(Resize said) { return {said, false, false, false, false, false, false}; }

TEST(Follow, AProgramKeepsItsTeamWhereNothingWasSaid) {
    const Answer answer = judge(nothing_said(resize_of(nullptr)));
    EXPECT_FALSE(answer.follows);
    EXPECT_FALSE(answer.allowed);
    EXPECT_EQ(std::string(answer.why), "a change of its team was not allowed; --resize=follow allows it");
    EXPECT_FALSE(judge(nothing_said(resize_of("turbo"))).follows) << "an unknown word is auto";
}

TEST(Follow, TheUsersWordForOpenMPIsEnough) {
    Facts facts = nothing_said(Resize::Auto);
    facts.dynamic = true;
    EXPECT_TRUE(judge(facts).follows);
    facts.said = Resize::Keep;
    EXPECT_FALSE(judge(facts).follows) << "what is said to drom comes before it";
}

TEST(Follow, TheEnvironmentAllowsChangesBeforeTheProgramStarts) {
    struct Row {
        const char* resize;
        const char* dynamic;
        bool allowed;
    };
    const Row rows[] = {{nullptr, nullptr, false}, {"", "", false},           {nullptr, "true", true},
                        {nullptr, "TRUE", true},   {nullptr, "True", true},   {"auto", "1", true},
                        {"turbo", "true", true},   {nullptr, "false", false}, {nullptr, "yes", false},
                        {"keep", "true", false},   {"follow", nullptr, true}, {"follow", "false", true}};
    for (const auto& [resize, dynamic, allowed] : rows)
        EXPECT_EQ(is_allowed_from_outside(resize, dynamic), allowed)
            << (resize != nullptr ? resize : "unset") << ", " << (dynamic != nullptr ? dynamic : "unset");
}

TEST(Follow, TheProgramsWordIsEnough) {
    Facts facts = nothing_said(resize_of("auto"));
    facts.called_for = true;
    EXPECT_TRUE(judge(facts).follows);
    facts.said = resize_of("keep");
    EXPECT_FALSE(judge(facts).follows);
}

TEST(Follow, WhatTheProgramSaysOfItsTeamIsObeyedUnderFollow) {
    Facts facts = nothing_said(resize_of("follow"));
    EXPECT_TRUE(judge(facts).follows);
    facts.own_number = true;
    EXPECT_FALSE(judge(facts).follows);
    EXPECT_TRUE(judge(facts).allowed);
    facts.own_number = false;
    facts.leagues = true;
    EXPECT_FALSE(judge(facts).follows);
    facts.leagues = false;
    facts.by_itself = true;
    EXPECT_FALSE(judge(facts).follows) << "it polls, and adapts there";
}

TEST(Follow, ARegionOfOpenBLASThatWouldWaitForEverKeepsItsThreads) {
    Facts facts = nothing_said(resize_of("follow"));
    facts.blas = true;
    EXPECT_FALSE(judge(facts).follows);
    EXPECT_TRUE(judge(facts).allowed);
}

TEST(Follow, ATeamHasAsManyThreadsAsCpusAndNeverMoreThanItsOwn) {
    for (uint32_t own = 1; own <= 8; ++own) {
        for (uint32_t cpus = 1; cpus <= 16; ++cpus) {
            EXPECT_EQ(threads_of(own, cpus), own < cpus ? own : cpus);
            EXPECT_GE(threads_of(own, cpus), 1U);
        }
        EXPECT_EQ(threads_of(own, UINT32_MAX), own) << "before the first request";
        EXPECT_EQ(threads_of(own, 0), own) << "a mask that cannot be: left alone";
    }
}

}  // namespace
