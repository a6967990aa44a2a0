// SPDX-License-Identifier: BSD-3-Clause
// runtime_waiting_test.cpp - the words by which OpenMP runtimes wait: which ones are found, changed, and put back.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

#include "client/runtime_waiting.hpp"

using namespace drom;

namespace {

class Library {
public:
    explicit Library(const std::string& name)
        : handle_(dlopen((FAKE_RUNTIMES "/" + name + ".so").c_str(), RTLD_NOW | RTLD_LOCAL)) {}
    ~Library() { dlclose(handle_); }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    [[nodiscard]] std::vector<uint32_t> llvm() const { return words<uint32_t>("llvm", 8); }
    [[nodiscard]] std::vector<uint64_t> libgomp() const { return words<uint64_t>("libgomp", 5); }

private:
    template <class Word>
    std::vector<Word> words(const char* symbol, size_t count) const {
        const auto* first = static_cast<const Word*>(dlsym(handle_, symbol));
        return first == nullptr ? std::vector<Word>{} : std::vector<Word>(first, first + count);
    }
    void* handle_;
};

const std::vector<uint32_t> kLlvm{0x7fffffff, 1, 1, 1, 1024, 512, 1, 0}, kLlvmYields{0x7fffffff, 1, 1, 1, 2, 2, 1, 0};
const std::vector<uint64_t> kGomp{7, 100, 300000, 0, 9}, kGompYields{7, 0, 0, 0, 9};

TEST(RuntimeWaiting, BothRuntimesOfAProcessYieldAndWaitAsBefore) {
    const Library llvm("libomp-fake");
    const Library libgomp("libgomp-fake");
    for (int round = 0; round < 3; ++round) {
        ASSERT_TRUE(waiting::yield(true));
        EXPECT_EQ(llvm.llvm(), kLlvmYields);
        EXPECT_EQ(libgomp.libgomp(), kGompYields);
        ASSERT_TRUE(waiting::yield(false));
        EXPECT_EQ(llvm.llvm(), kLlvm);
        EXPECT_EQ(libgomp.libgomp(), kGomp);
    }
}

TEST(RuntimeWaiting, ARuntimeThatIsLoadedLaterIsFoundWhenOneLooksAgain) {
    const Library llvm("libomp-fake");
    ASSERT_TRUE(waiting::yield(true));
    const Library libgomp("libgomp-fake");
    EXPECT_EQ(libgomp.libgomp(), kGomp);
    ASSERT_TRUE(waiting::yield(true));
    EXPECT_EQ(libgomp.libgomp(), kGompYields);
    ASSERT_TRUE(waiting::yield(false));
    EXPECT_EQ(llvm.llvm(), kLlvm);
    EXPECT_EQ(libgomp.libgomp(), kGomp);
}

TEST(RuntimeWaiting, ARuntimeThatWentAwayIsNotWrittenTo) {
    {
        const Library libgomp("libgomp-fake");
        ASSERT_TRUE(waiting::yield(true));
    }
    const Library another("libomp-fake");
    ASSERT_TRUE(waiting::yield(false));
    EXPECT_EQ(another.llvm(), kLlvm);
    ASSERT_TRUE(waiting::yield(true));
    EXPECT_EQ(another.llvm(), kLlvmYields);
    ASSERT_TRUE(waiting::yield(false));
}

TEST(RuntimeWaiting, WordsThatLookSoInTwoPlacesAreLeftAlone) {
    const Library twice("libomp-twice");
    ASSERT_TRUE(waiting::yield(true));
    EXPECT_EQ(twice.llvm(), kLlvm);
    ASSERT_TRUE(waiting::yield(false));
}

TEST(RuntimeWaiting, OtherLibrariesAreLeftAlone) {
    const Library other("libother");
    ASSERT_TRUE(waiting::yield(true));
    EXPECT_EQ(other.llvm(), kLlvm);
    EXPECT_EQ(other.libgomp(), kGomp);
    ASSERT_TRUE(waiting::yield(false));
}

// ---- beside fork --------------------------------------------------------------------------------------------------

std::atomic<int> forks{0};

void fork_here(int) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    if (child > 0) waitpid(child, nullptr, 0);
    ++forks;
}

void* disturb(void* thread) {
    constexpr int kForks = 50;
    while (forks < kForks) {
        pthread_kill(*static_cast<pthread_t*>(thread), SIGUSR1);
        const timespec pause{0, 1'000'000};
        nanosleep(&pause, nullptr);
    }
    return nullptr;
}

void watch_forks() { pthread_atfork(waiting::before_fork, waiting::after_fork, waiting::after_fork_in_child); }

/// Looks again and again while a handler on this thread forks.
[[noreturn]] void look_until_disturbed() {
    watch_forks();
    struct sigaction action{};
    action.sa_handler = fork_here;
    sigaction(SIGUSR1, &action, nullptr);
    pthread_t looker = pthread_self();
    pthread_t thread{};
    pthread_create(&thread, nullptr, disturb, &looker);
    for (bool on = true; forks < 50; on = !on) waiting::yield(on);
    _exit(0);
}

void* look(void* looks) {
    static_cast<std::atomic<bool>*>(looks)->store(true);
    waiting::yield(true);
    return nullptr;
}

/// Runs inside the callback, which holds the loader's lock, for which the other thread waits.
int fork_in_callback(dl_phdr_info*, size_t, void*) {
    static std::atomic<bool> looks{false};
    pthread_t looker{};
    pthread_create(&looker, nullptr, look, &looks);
    while (!looks) sched_yield();
    const timespec pause{0, 20'000'000};
    nanosleep(&pause, nullptr);
    const pid_t child = fork();
    if (child == 0) _exit(0);  // the C library does not let the child ask the loader
    int status = -1;
    waitpid(child, &status, 0);
    return status == 0 ? 1 : 2;
}

[[noreturn]] void fork_where_the_loader_is_locked() {
    watch_forks();
    const int result = dl_iterate_phdr(fork_in_callback, nullptr);
    _exit(result == 1 ? 0 : 1);
}

void expect_end(void (*body)()) {
    const pid_t child = fork();
    if (child == 0) body();
    int status = -1;
    pid_t ended = 0;
    for (int tenths = 0; ended == 0 && tenths < 600; ++tenths) {
        const timespec pause{0, 100'000'000};
        nanosleep(&pause, nullptr);
        ended = waitpid(child, &status, WNOHANG);
    }
    if (ended == 0) kill(child, SIGKILL);
    EXPECT_EQ(ended, child) << "it hangs";
    EXPECT_EQ(status, 0);
}

TEST(RuntimeWaiting, AHandlerThatForksDoesNotWaitForTheThreadThatItInterrupts) { expect_end(look_until_disturbed); }

TEST(RuntimeWaiting, AForkInACallbackOfTheLoaderDoesNotWaitForAThreadThatWaitsForIt) {
    expect_end(fork_where_the_loader_is_locked);
}

}  // namespace
