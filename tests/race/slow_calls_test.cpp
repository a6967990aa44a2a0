// SPDX-License-Identifier: BSD-3-Clause
// slow_calls_test.cpp - the promises of a client hold however long the system calls between two of its steps take.
//
// Two steps are a few instructions apart, so other threads seldom come in between. Here the call between them takes
// milliseconds, by a `syscall` of this test that is linked instead of libc's.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <atomic>
#include <cstdarg>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "child.hpp"
#include "client/client.hpp"
#include "drom/drom.h"
#include "fork_as.hpp"
#include "options.hpp"
#include "temp_dir.hpp"
#include "watchdog_per_test.hpp"

namespace {
std::atomic<long> slow_call{-1};
constexpr useconds_t kSlow_us = 1000;
/// The agent's thread falls asleep no sooner than this process has left its table. The first counts that thread's tries
/// to sleep, the second the times that the process has left.
std::atomic<int> tries{0};
std::atomic<int> times_left{0};
thread_local bool is_agent = false;

/// Happens right after a look at this client by its descriptor, once.
std::function<void()> after_look;
pid_t client_looked_at = 0;

bool is_of_client(long descriptor) {
    std::ifstream info("/proc/self/fdinfo/" + std::to_string(descriptor));
    for (std::string word; info >> word;)
        if (word == "Pid:") return info >> word && word == std::to_string(client_looked_at);
    return false;
}

bool is_slow(long number, const long (&a)[6]) {
    return number == slow_call.load() && (number != SYS_futex || a[1] == FUTEX_WAIT);
}
}  // namespace

extern "C" long syscall(long number, ...) {
    using Call = long (*)(long, long, long, long, long, long, long);
    static const auto libc_s = reinterpret_cast<Call>(dlsym(RTLD_NEXT, "syscall"));
    va_list list;
    va_start(list, number);
    long a[6];
    for (long& argument : a) argument = va_arg(list, long);
    va_end(list);
    is_agent |= number == SYS_close_range;  // its first call, which no other thread makes
    if (number == SYS_pidfd_send_signal && after_look != nullptr && is_of_client(a[0])) {
        const long result = libc_s(number, a[0], a[1], a[2], a[3], a[4], a[5]);
        std::exchange(after_look, nullptr)();
        return result;
    }
    if (is_slow(number, a)) {
        const int before = times_left.load();
        if (is_agent) tries.fetch_add(1);
        do usleep(kSlow_us);
        while (is_agent && number == SYS_futex && times_left.load() == before);
    }
    return libc_s(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

namespace {
using namespace drom::test;

class SlowCalls : public testing::Test {
protected:
    void SetUp() override { setenv("DROM_TABLE", dir_.table().c_str(), 1); }
    void TearDown() override {
        slow_call.store(-1);
        times_left.fetch_add(1);
        after_look = nullptr;
    }
    TempDir dir_;
};

int join_with_agent(drom_error* error) {
    drom::client::JoinOptions options{};
    options.async = true;
    return drom::client::join(options, error);
}

/// The agent's thread checks whether it is to stop, and then sleeps until there is a request. A thread that leaves sets
/// the stop flag, and then wakes the agent's thread.
TEST_F(SlowCalls, WhoJoinsAgainIsNotRefusedBecauseAThreadOfItsFirstTimeFallsAsleep) {
    constexpr int kTimes = 8;
    slow_call.store(SYS_futex);
    drom_error error{};
    for (int time = 0; time < kTimes; ++time) {
        const int before = tries.load();
        ASSERT_EQ(join_with_agent(&error), DROM_OK) << "time " << time << ": " << error.text;
        while (tries.load() == before) usleep(kSlow_us);
        ASSERT_EQ(drom::client::leave(&error), DROM_OK) << error.text;
        times_left.fetch_add(1);
    }
}

std::vector<uint32_t> allowed_cpus() {
    cpu_set_t set;
    std::vector<uint32_t> cpus;
    sched_getaffinity(0, sizeof set, &set);
    for (uint32_t cpu = 0; cpu < 64; ++cpu)
        if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
    return cpus;
}

/// Returns the CPUs on which a thread of the process may run, of all threads together.
uint64_t cpus_of_threads(pid_t pid) {
    uint64_t all = 0;
    for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
        cpu_set_t set;
        CPU_ZERO(&set);
        if (sched_getaffinity(std::stoi(task.path().filename()), sizeof set, &set) != 0) continue;
        for (uint32_t cpu = 0; cpu < 64; ++cpu) all |= CPU_ISSET(cpu, &set) ? uint64_t{1} << cpu : 0;
    }
    return all;
}

/// Starts a client that creates one thread after the other, of which about thirty live; its agent's thread moves them,
/// slowly. At no time are all of them known.
Child slow_client(Gate& joined) {
    return Child::run([&joined] {
        if (join_with_agent(nullptr) != DROM_OK) return 1;
        slow_call.store(SYS_sched_setaffinity);
        joined.open();
        for (;;) {
            std::thread([] { usleep(30 * kSlow_us); }).detach();
            usleep(kSlow_us);
        }
        return 0;
    });
}

TEST_F(SlowCalls, ACpuIsNotGivenUpWhileAThreadCanRunThere) {
    const std::vector<uint32_t> cpus = allowed_cpus();
    if (cpus.size() < 2) GTEST_SKIP() << "one CPU is too few to leave one";
    const uint64_t one = uint64_t{1} << cpus[0];
    const uint64_t both = one | uint64_t{1} << cpus[1];
    Gate joined;
    const Child client = slow_client(joined);
    joined.pass();
    drom_table* table = nullptr;
    drom_error error{};
    ASSERT_EQ(drom_open(&table, nullptr, nullptr, &error), DROM_OK) << error.text;
    drom_options options = options_with(DROM_WAIT_RELEASED, 5000);
    options.grace_ms = 5000;  // the client releases by itself, not from outside
    for (int time = 0; time < 20; ++time) {
        const uint64_t mask = time % 2 == 0 ? one : both;
        ASSERT_EQ(drom_set_mask(table, client.pid(), &mask, 1, &options, &error), DROM_OK) << error.text;
        ASSERT_EQ(cpus_of_threads(client.pid()) & ~mask, 0U) << "time " << time;
    }
    drom_close(table);
}

/// Starts a process that reserves CPUs for the client. The strangers of this process are none of its descendants.
Child launcher_of(const Child& client, uint64_t mask, Gate& reserved) {
    return Child::run([&client, mask, &reserved] {
        drom_table* table = nullptr;
        if (drom_open(&table, nullptr, nullptr, nullptr) != DROM_OK) return 1;
        if (drom_reserve(table, client.pid(), &mask, 1, nullptr, nullptr, nullptr) < 0) return 1;
        reserved.open();
        for (;;) pause();
        return 0;
    });
}

/// 1. An administrator finds the client alive, by its descriptor.
/// 2. The client dies, and another process gets its number.
/// 3. The administrator moves the threads of the client: there are none.
TEST_F(SlowCalls, AStrangerIsNotMovedInPlaceOfAClientWhoseNumberItGot) {
    NEED_SET_TID();
    const std::vector<uint32_t> cpus = allowed_cpus();
    if (cpus.size() < 2) GTEST_SKIP() << "one CPU is too few to leave one";
    const uint64_t one = uint64_t{1} << cpus[0];
    const uint64_t both = one | uint64_t{1} << cpus[1];
    drom_table* table = nullptr;
    drom_error error{};
    drom_options options = options_with(DROM_CREATE);
    ASSERT_EQ(drom_open(&table, nullptr, &options, &error), DROM_OK) << error.text;
    Child client = Child::sleeper();
    Gate reserved;
    const Child launcher = launcher_of(client, both, reserved);
    reserved.pass();
    options = options_with(DROM_WAIT_RELEASED, 5000);
    options.grace_ms = DROM_GRACE_AT_ONCE;
    // Now the administrator has a descriptor of the client.
    ASSERT_EQ(drom_set_mask(table, client.pid(), &one, 1, &options, &error), DROM_OK) << error.text;
    ASSERT_EQ(drom_set_mask(table, client.pid(), &both, 1, &options, &error), DROM_OK) << error.text;
    client_looked_at = client.pid();
    Child stranger;
    after_look = [&] {
        client.stop();
        usleep(20 * kSlow_us);  // start times are in ticks of 10 ms
        stranger = Child(fork_as(client_looked_at));
    };
    drom_set_mask(table, client_looked_at, &one, 1, &options, &error);
    ASSERT_EQ(stranger.pid(), client_looked_at) << "the client was looked at, and its number is a stranger's";
    EXPECT_EQ(cpus_of_threads(stranger.pid()) & both, both);
    drom_close(table);
}

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    return run_all_tests(280);
}
