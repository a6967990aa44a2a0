// SPDX-License-Identifier: BSD-3-Clause
// run_queue_test.cpp - the order of programs that wait for CPUs, and what is left of one that was killed.
#include "table/run_queue.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "temp_dir.hpp"

namespace {

using drom::command::queued_programs;
using drom::command::QueuedProgram;
using drom::command::QueuePlace;
using drom::test::TempDir;

/// A process that holds a place until it is killed.
class Waiter {
public:
    Waiter(const std::string& table, const char* name, unsigned priority) {
        int ready[2];
        if (pipe2(ready, O_CLOEXEC) != 0) return;
        pid_ = fork();
        if (pid_ == 0) wait_for_ever(table, name, priority, ready[1]);
        close(ready[1]);
        char byte = 0;
        EXPECT_EQ(read(ready[0], &byte, 1), 1) << name;
        close(ready[0]);
    }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter() { end(); }

    void signal(int number) const { kill(pid_, number); }
    void stop() const {
        signal(SIGSTOP);
        waitpid(pid_, nullptr, WUNTRACED);
    }
    void end() {
        if (pid_ <= 0) return;
        signal(SIGKILL);
        waitpid(pid_, nullptr, 0);
        pid_ = 0;
    }

private:
    [[noreturn]] static void wait_for_ever(const std::string& table, const char* name, unsigned priority, int ready) {
        const auto place = QueuePlace::take(table, {name, getpid(), 1, priority, 0});
        if (place && write(ready, "", 1) == 1) pause();
        _exit(1);
    }

    pid_t pid_ = 0;
};

class RunQueue : public testing::Test {
protected:
    [[nodiscard]] QueuePlace take(const char* name, unsigned priority = 0) const {
        auto place = QueuePlace::take(table_.path(), {name, getpid(), 2, priority, 5});
        EXPECT_TRUE(place) << place.error().text;
        return *std::move(place);
    }

    [[nodiscard]] std::string order() const {
        std::string names;
        for (const QueuedProgram& program : queued_programs(table_.path())) names += program.name + " ";
        return names;
    }

    TempDir table_;
};

TEST_F(RunQueue, ATableWithoutAQueueHasNoProgramsThatWait) { EXPECT_EQ(order(), ""); }

TEST_F(RunQueue, ProgramsStartInTheOrderOfTheirPrioritiesThenOfTheirArrival) {
    const QueuePlace first = take("first");
    const QueuePlace second = take("second");
    const QueuePlace urgent = take("urgent", 7);
    const QueuePlace third = take("third");
    EXPECT_EQ(order(), "urgent first second third ");
    EXPECT_EQ(urgent.before(), 0U);
    EXPECT_EQ(first.before(), 1U);
    EXPECT_EQ(second.before(), 2U);
    EXPECT_EQ(third.before(), 3U);
}

TEST_F(RunQueue, WhatAProgramSaidOfItselfIsToldToOthers) {
    const QueuePlace place = take("render", 3);
    const auto programs = queued_programs(table_.path());
    ASSERT_EQ(programs.size(), 1U);
    EXPECT_EQ(programs[0].name, "render");
    EXPECT_EQ(programs[0].pid, getpid());
    EXPECT_EQ(programs[0].cpus, 2U);
    EXPECT_EQ(programs[0].priority, 3U);
    EXPECT_EQ(programs[0].since_s, 5);
}

TEST_F(RunQueue, ANewcomerDoesNotOvertakeThoseWhosePredecessorsLeft) {
    auto first = std::make_unique<QueuePlace>(take("first"));
    const QueuePlace second = take("second");
    first.reset();
    const QueuePlace third = take("third");
    EXPECT_EQ(order(), "second third ");
    EXPECT_EQ(second.before(), 0U);
    EXPECT_EQ(third.before(), 1U);
}

TEST_F(RunQueue, AKilledProgramLeavesItsPlace) {
    Waiter killed(table_.path(), "killed", 9);
    const QueuePlace place = take("next");
    EXPECT_EQ(place.before(), 1U);
    killed.end();
    EXPECT_EQ(place.before(), 0U);
    EXPECT_EQ(order(), "next ");
}

TEST_F(RunQueue, AStoppedProgramIsPassedOverUntilItGoesOn) {
    const Waiter stopped(table_.path(), "stopped", 0);
    const QueuePlace place = take("next");
    stopped.stop();
    EXPECT_EQ(place.before(), 0U);
    stopped.signal(SIGCONT);
    while (place.before() == 0) usleep(1000);
    EXPECT_EQ(place.before(), 1U);
    EXPECT_EQ(order(), "stopped next ");
}

TEST_F(RunQueue, AProgramThatWasStoppedAsItCameHoldsUpNoOther) {
    // It has the lock of newcomers, and no place yet.
    const std::string path = table_.path() + "/queue";
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    struct flock lock{};
    lock.l_type = F_WRLCK;
    lock.l_start = off_t{QueuePlace::kPlaces} * 128;
    lock.l_len = 1;
    ASSERT_EQ(fcntl(file, F_OFD_SETLK, &lock), 0);
    const auto place = QueuePlace::take(table_.path(), {"next", getpid(), 1, 0, 0});
    ASSERT_FALSE(place);
    EXPECT_NE(place.error().text.find("is it stopped?"), std::string::npos) << place.error().text;
    close(file);
    EXPECT_EQ(take("next").before(), 0U);
}

TEST_F(RunQueue, NoMoreProgramsWaitThanThereArePlaces) {
    std::vector<QueuePlace> places;
    for (unsigned i = 0; i < QueuePlace::kPlaces; ++i) places.push_back(take("one"));
    EXPECT_EQ(places.back().before(), QueuePlace::kPlaces - 1);
    const auto none = QueuePlace::take(table_.path(), {"one too many", getpid(), 1, 0, 0});
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().status, DROM_E_BUSY);
    EXPECT_NE(none.error().text.find("256 programs wait already"), std::string::npos) << none.error().text;
    places.erase(places.begin());
    EXPECT_EQ(take("another").before(), QueuePlace::kPlaces - 1);
}

TEST_F(RunQueue, GarbageInTheFileIsNoProgram) {
    std::ofstream(table_.path() + "/queue") << std::string(100'000, '\xff');
    EXPECT_EQ(order(), "");
    EXPECT_EQ(take("first").before(), 0U);
}

TEST_F(RunQueue, AFolderInPlaceOfTheFileIsRefused) {
    ASSERT_EQ(mkdir((table_.path() + "/queue").c_str(), 0700), 0);
    EXPECT_FALSE(QueuePlace::take(table_.path(), {"first", getpid(), 1, 0, 0}));
    EXPECT_EQ(order(), "");
}

TEST_F(RunQueue, ALimitOfFileSizesIsAnErrorAndEndsNoProcess) {
    const pid_t child = fork();
    if (child == 0) {
        const rlimit none{0, 0};
        setrlimit(RLIMIT_FSIZE, &none);
        const auto place = QueuePlace::take(table_.path(), {"first", getpid(), 1, 0, 0});
        _exit(!place && place.error().status == DROM_E_OS ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    EXPECT_EQ(order(), "");
}

}  // namespace
