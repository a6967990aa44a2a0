// SPDX-License-Identifier: BSD-3-Clause
// waiting_test.cpp - reasons for which a job waits: each has a sentence, and the one that is missing last is named.
#include <gtest/gtest.h>

#include <set>

#include "policy/sharing/waiting.hpp"

namespace drom::policy {
namespace {

TEST(WaitingReasons, EachHasOneWordASentenceAndHelp) {
    std::set<std::string_view> words;
    for (const WaitingReason& reason : waiting_reasons()) {
        EXPECT_TRUE(words.insert(reason.word).second) << reason.word;
        EXPECT_EQ(reason.word.find_first_of(" _=,"), std::string_view::npos) << reason.word;
        EXPECT_FALSE(reason.sentence.empty() || reason.sentence.ends_with('.')) << reason.word;
        EXPECT_TRUE(reason.help.ends_with('.')) << reason.word;
        EXPECT_EQ(find_waiting_reason(reason.word), &reason);
    }
    EXPECT_EQ(find_waiting_reason("of-nothing"), nullptr);
}

TEST(WaitingReasons, EachRefusalAndWhatWasLeftOutHasOne) {
    for (const Refusal refusal : {Refusal::kTooFewCores, Refusal::kWaitingIsSooner, Refusal::kNoMates, Refusal::kHarm})
        for (int out = 0; out < 8; ++out)
            EXPECT_NE(find_waiting_reason(waiting_word(refusal, {(out & 1) != 0, (out & 2) != 0, (out & 4) != 0})),
                      nullptr);
}

TEST(WaitingReasons, WhatIsMissingLastIsNamed) {
    EXPECT_EQ(waiting_word(Refusal::kNoMates, {}), "no-mates");
    EXPECT_EQ(waiting_word(Refusal::kNoMates, {true, false, false}), "promised");
    EXPECT_EQ(waiting_word(Refusal::kNoMates, {true, true, false}), "mates-limit");
    EXPECT_EQ(waiting_word(Refusal::kNoMates, {true, true, true}), "no-room");
    EXPECT_EQ(waiting_word(Refusal::kHarm, {true, false, false}), "mates-lose-more");
    EXPECT_EQ(waiting_word(Refusal::kWaitingIsSooner, {true, true, true}), "waiting-is-sooner");
    EXPECT_EQ(waiting_word(Refusal::kTooFewCores, {true, true, true}), "too-few-cores");
}

}  // namespace
}  // namespace drom::policy
