// SPDX-License-Identifier: BSD-3-Clause
// as_user_test.cpp - what root learns of a child that a user stops, kills, or makes fail.
#include "verbs/as_user.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <vector>

namespace {

using namespace drom::command;
using std::chrono::milliseconds;

constexpr uid_t kUser = 64321;
constexpr auto kLong = milliseconds(60'000);

class AsUser : public testing::Test {
protected:
    void SetUp() override {
        if (geteuid() != 0) GTEST_SKIP() << "not root, so there is no other user to be";
    }
    static Answer answer_of(const std::function<int()>& work, milliseconds limit = kLong) {
        return as_user(kUser, work, limit, nullptr);
    }
};

testing::AssertionResult fails(const Answer& answer, const std::string& text) {
    const bool so =
        answer.status == kRefused && answer.output.empty() && answer.failure.find(text) != std::string::npos;
    return so ? testing::AssertionSuccess() : testing::AssertionFailure() << answer.output << "; " << answer.failure;
}

TEST_F(AsUser, AChildAnswersWithTheRightsOfTheUserOnly) {
    const Answer answer = answer_of([] {
        print("seen");
        return getuid() == kUser && geteuid() == kUser && getgid() == kUser && setuid(0) != 0 ? 7 : 8;
    });
    EXPECT_EQ(answer.status, 7);
    EXPECT_EQ(answer.output, "seen");
    EXPECT_EQ(answer.failure, "");
}

TEST_F(AsUser, AChildThatIsStoppedForEverDoesNotKeepRoot) {
    const auto stops = [] {
        print("half");
        for (;;) raise(SIGSTOP);
        return 0;
    };
    EXPECT_TRUE(fails(answer_of(stops, milliseconds(200)), "was stopped again and again for 0.2 s"));
}

TEST_F(AsUser, AChildThatIsStoppedOnceAnswersAllTheSame) {
    const Answer answer = answer_of([] { return raise(SIGSTOP); });
    EXPECT_EQ(answer.status, 0);
    EXPECT_EQ(answer.failure, "");
}

TEST_F(AsUser, AChildThatDoesNotEndDoesNotKeepRoot) {
    const auto sleeps = [] {
        for (;;) pause();
        return 0;
    };
    EXPECT_TRUE(fails(answer_of(sleeps, milliseconds(200)), "has not ended after 0.2 s"));
}

TEST_F(AsUser, AChildThatIsKilledIsToldOf) {
    EXPECT_TRUE(fails(answer_of([] { return raise(SIGKILL); }), "was ended by signal 9 (Killed)"));
    const auto reads_what_was_cut = [] {
        std::signal(SIGBUS, SIG_DFL);  // AddressSanitizer's handler ends the process by itself
        return raise(SIGBUS);
    };
    EXPECT_TRUE(fails(answer_of(reads_what_was_cut), "signal 7 (Bus error): the table was cut meanwhile"));
}

TEST_F(AsUser, AChildIsWaitedForWhereTheCreatorIgnoresChildren) {
    std::signal(SIGCHLD, SIG_IGN);
    EXPECT_EQ(answer_of([] { return 7; }).status, 7);
}

TEST_F(AsUser, ChildrenAtOnceAnswerInTheirOrderWhateverOneOfThemDoes) {
    const auto slow = [] { return usleep(300'000), print("slow"), 7; };
    const auto stops_once = [] { return raise(SIGSTOP), print("stopped"), 8; };
    const auto stops = [] {
        for (;;) raise(SIGSTOP);
        return 0;
    };
    const auto killed = [] { return raise(SIGKILL); };
    const auto begin = std::chrono::steady_clock::now();
    const std::vector<Answer> answers = as_users(
        {{kUser, stops}, {kUser, slow}, {kUser + 1, slow}, {kUser, stops_once}, {kUser, killed}}, milliseconds(2000));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(5000));
    ASSERT_EQ(answers.size(), 5U);
    EXPECT_TRUE(fails(answers[0], "was stopped again and again for 2 s"));
    for (const size_t i : {1U, 2U}) EXPECT_EQ(answers[i].status, 7) << answers[i].failure;
    EXPECT_EQ(answers[2].output, "slow");
    EXPECT_EQ(answers[3].output, "stopped") << answers[3].failure;
    EXPECT_TRUE(fails(answers[4], "was ended by signal 9"));
    EXPECT_TRUE(as_users({}, kLong).empty());
}

TEST_F(AsUser, ASignalThatIsKeptCutsTheWaitAndTakesEffectAfterwards) {
    const auto interrupted = [] {
        const KeptSignals kept;
        raise(SIGTERM);
        if (!kept.arrived()) _exit(1);
        const auto start = std::chrono::steady_clock::now();
        const Answer answer = as_user(kUser, [] { return pause(); }, kLong, &kept);
        if (std::chrono::steady_clock::now() - start >= kLong) _exit(2);
        if (answer.failure.find("was killed for the signal that has arrived") == std::string::npos) _exit(3);
    };
    EXPECT_EXIT((interrupted(), _exit(4)), testing::KilledBySignal(SIGTERM), "");
}

TEST_F(AsUser, AnIgnoredSignalCutsNothing) {
    const auto ignored = [] {
        std::signal(SIGTERM, SIG_IGN);
        const KeptSignals kept;
        raise(SIGTERM);
        return kept.arrived();
    };
    EXPECT_EXIT(_exit(ignored() ? 1 : 0), testing::ExitedWithCode(0), "");
}

}  // namespace
