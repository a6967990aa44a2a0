// SPDX-License-Identifier: BSD-3-Clause
// cpuset_test.cpp - a mask beyond the cpuset cgroup of a process is applied as the intersection, and the client is
// listed as limited.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <atomic>
#include <cstring>
#include <fstream>
#include <functional>

#include "base/confine.hpp"
#include "skip.hpp"
#include "table_fixture.hpp"
#include "two_cpus.hpp"

namespace {

using namespace drom::test;
using drom::CpuSet;

bool write_text(const std::string& path, const std::string& text) {
    std::ofstream out(path);
    out << text << std::flush;
    return static_cast<bool>(out);
}

/// A cpuset cgroup (version 1) that allows CPU 0 only; not usable where none can be made.
class OneCpu {
public:
    OneCpu() : path_("/sys/fs/cgroup/cpuset/drom-test-" + std::to_string(getpid())) {
        usable_ = mkdir(path_.c_str(), 0755) == 0 && write_text(path_ + "/cpuset.mems", "0") &&
                  write_text(path_ + "/cpuset.cpus", "0");
    }
    ~OneCpu() { rmdir(path_.c_str()); }
    OneCpu(const OneCpu&) = delete;
    OneCpu& operator=(const OneCpu&) = delete;
    [[nodiscard]] bool usable() const { return usable_; }
    [[nodiscard]] bool widen() const { return write_text(path_ + "/cpuset.cpus", "0-1"); }
    [[nodiscard]] bool narrow() const { return write_text(path_ + "/cpuset.cpus", "0"); }
    [[nodiscard]] bool enter(pid_t pid) const { return write_text(path_ + "/cgroup.procs", std::to_string(pid)); }

private:
    std::string path_;
    bool usable_;
};

int join_with_two(const std::string& path, bool async) {
    setenv("DROM_TABLE", path.c_str(), 1);
    CpuSet cpus = CpuSet::range(0, 2);
    const drom::client::JoinOptions options{&cpus, DROM_ENTRY_EXPLICIT, async, "limited", nullptr, 1, 0, false};
    return drom::client::join(options, nullptr);
}

class Limited : public WithTable {
protected:
    int set_and_wait(pid_t pid, uint64_t mask, uint32_t timeout_ms = 60'000) {
        drom_options wait = options_with(DROM_WAIT_RELEASED);
        wait.timeout_ms = timeout_ms;
        return drom_set_mask(table_, pid, &mask, 1, &wait, &error_);
    }
    /// Returns the info of the only client.
    drom_client_info info_of(pid_t pid) {
        drom_client_info info{};
        info.size = sizeof info;
        size_t count = 1;
        EXPECT_EQ(drom_clients(table_, &info, &count, &error_), DROM_OK) << error_.text;
        EXPECT_EQ(info.pid, pid);
        return info;
    }
};

/// A client that joined with CPUs 0-1 and is in a cpuset of CPU 0 since; it runs `body` all the time.
class InOneCpu : public Limited {
protected:
    void SetUp() override {
        NEED_TWO_CPUS();
        if (!group_.usable()) DROM_SKIP("no cpuset cgroup can be made here (version 1, root)");
        Limited::SetUp();
    }
    void start(bool async, const std::function<void()>& body) {
        Gate joined;
        client_ = Child::run([&] {
            const int status = join_with_two(path_, async);
            joined.open();
            while (status == DROM_OK) body();
            return 1;
        });
        joined.pass();
        ASSERT_TRUE(group_.enter(client_.pid()));
    }
    void TearDown() override {
        client_.stop();
        Limited::TearDown();
    }
    const OneCpu group_;
    Child client_;
};

TEST_F(InOneCpu, AMaskBeyondTheCpusetIsAppliedAsTheIntersectionAndSaid) {
    start(true, [] { pause(); });
    EXPECT_EQ(set_and_wait(client_.pid(), 0x7), DROM_OK) << error_.text;
    CpuSet now{};
    ASSERT_TRUE(drom::get_affinity(client_.upid(), now));
    EXPECT_TRUE(now == CpuSet::range(0, 1));
    EXPECT_EQ(info_of(client_.pid()).limited, 1U) << "the list does not say that the cpuset allows less";
    EXPECT_EQ(wanted(client_.pid()), 0x7U);
}

/// The list showed this only once the client had looked as well, long after the request was reported released.
TEST_F(Limited, AProcessThatNeverJoinedIsSaidToBeLimitedByItsCpuset) {
    NEED_TWO_CPUS();
    const OneCpu group;
    if (!group.usable()) DROM_SKIP("no cpuset cgroup can be made here (version 1, root)");
    const Child child = reserve(0x3);
    ASSERT_TRUE(group.enter(child.pid()));
    ASSERT_EQ(set_and_wait(child.pid(), 0x7), DROM_OK) << error_.text;
    EXPECT_EQ(info_of(child.pid()).limited, 1U);
    ASSERT_TRUE(group.widen());
    ASSERT_EQ(set_and_wait(child.pid(), 0x3), DROM_OK) << error_.text;
    CpuSet now{};
    ASSERT_TRUE(drom::get_affinity(child.upid(), now));
    EXPECT_TRUE(now == CpuSet::range(0, 2)) << "it owns CPU 1, its cpuset allows it, and it is never let onto it";
    EXPECT_EQ(info_of(child.pid()).limited, 0U);
}

TEST_F(InOneCpu, AClientGrowsOnceItsCpusetDoes) {
    for (const bool async : {true, false}) {
        start(async, [] { pause(); });
        ASSERT_EQ(set_and_wait(client_.pid(), 0x7), DROM_OK) << error_.text;
        EXPECT_EQ(info_of(client_.pid()).limited, 1U);
        ASSERT_TRUE(group_.widen());
        ASSERT_EQ(set_and_wait(client_.pid(), 0x3), DROM_OK) << error_.text;
        CpuSet now{};
        // If it was confined from outside, the agent's thread moves it back.
        for (int i = 0; i < 60'000 && !(now == CpuSet::range(0, 2)); ++i, usleep(1000))
            ASSERT_TRUE(drom::get_affinity(client_.upid(), now));
        EXPECT_TRUE(now == CpuSet::range(0, 2)) << (async ? "with" : "without") << " the agent's thread";
        client_.stop();
        ASSERT_TRUE(group_.narrow());
    }
}

TEST_F(InOneCpu, AMaskThatTheCpusetAllowsNothingOfIsNotAcknowledged) {
    start(true, [] { pause(); });
    EXPECT_EQ(set_and_wait(client_.pid(), 0x2, 300), DROM_PENDING) << error_.text;
    EXPECT_TRUE(says("has not released")) << error_.text;
    EXPECT_EQ(set_and_wait(client_.pid(), 0x1), DROM_OK) << error_.text;
}

/// A cpuset may grow: a request that could not be released is tried again now and then.
TEST_F(InOneCpu, AMaskThatTheCpusetAllowsLaterIsAdoptedThen) {
    start(true, [] { pause(); });
    EXPECT_EQ(set_and_wait(client_.pid(), 0x2, 100), DROM_PENDING) << error_.text;
    ASSERT_TRUE(group_.widen());
    EXPECT_EQ(drom_wait(table_, client_.pid(), 0, 3000, &error_), DROM_OK) << error_.text;
}

/// Every safe point of the program waited a millisecond for a release that could not come.
TEST_F(InOneCpu, APendingRequestThatCannotBeReleasedDoesNotSlowTheProgramDown) {
    for (const bool async : {true, false}) {
        auto* polls = static_cast<std::atomic<uint64_t>*>(
            mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
        ASSERT_NE(polls, MAP_FAILED);
        start(async, [polls] {
            drom::Request wanted{};
            if (drom::client::newest(wanted)) drom::client::release(wanted);
            polls->fetch_add(1);
        });
        EXPECT_EQ(set_and_wait(client_.pid(), 0x2, 20), DROM_PENDING) << error_.text;
        const uint64_t before = polls->load();
        // One per millisecond when each waits for the agent's thread, thousands when none does.
        for (int i = 0; i < 3000 && polls->load() - before <= 10'000U; ++i) usleep(1000);
        EXPECT_GT(polls->load() - before, 10'000U) << (async ? "with" : "without") << " the agent's thread";
        client_.stop();
        munmap(polls, 4096);
    }
}

/// From outside: a process that never joined follows its reservation, both ways.
TEST_F(Limited, AProcessThatNeverJoinedGrowsBackAfterRequestsThatWereNotWaitedFor) {
    NEED_TWO_CPUS();
    const Child child = reserve(0x3);
    ASSERT_EQ(set_and_wait(child.pid(), 0x1), DROM_OK) << error_.text;
    CpuSet now{};
    drom::get_affinity(child.upid(), now);
    EXPECT_TRUE(now == CpuSet::range(0, 1));
    // Replaced before any administrator confined the process to it.
    EXPECT_GE(set(child.pid(), 0x5), 0);
    ASSERT_EQ(set_and_wait(child.pid(), 0x3), DROM_OK) << error_.text;
    drom::get_affinity(child.upid(), now);
    EXPECT_TRUE(now == CpuSet::range(0, 2)) << "it owns CPU 1 and is never let onto it";
}

/// The client released by itself, then got two requests: its threads have the mask of the release, not of the first
/// request.
TEST_F(Limited, AClientGrowsBackFromOutsideAfterARequestWithoutAnAnswer) {
    NEED_TWO_CPUS();
    Gate joined, asked, released;
    Child client = Child::run([&] {
        if (join_with_two(path_, false) != DROM_OK) return 1;
        joined.open();
        asked.pass();
        drom::Request wanted{};
        if (!drom::client::newest(wanted) || !drom::client::release(wanted)) return 2;
        released.open();
        for (;;) pause();
    });
    joined.pass();
    EXPECT_EQ(set(client.pid(), 0x1), DROM_PENDING) << error_.text;
    asked.open();
    released.pass();
    EXPECT_EQ(set(client.pid(), 0x5), DROM_PENDING) << error_.text;
    ASSERT_EQ(set_and_wait(client.pid(), 0x3), DROM_OK) << error_.text;
    CpuSet now{};
    drom::get_affinity(client.upid(), now);
    EXPECT_TRUE(now == CpuSet::range(0, 2)) << "it owns CPU 1 and is never let onto it";
}

/// A client without the agent's thread, in a long serial phase, was confined by the administrator; then it polls again.
TEST_F(Limited, AClientThatWasConfinedFromOutsideGrowsBackByItsOwnPoll) {
    NEED_TWO_CPUS();
    Gate joined;
    Gate asked;
    Child client = Child::run([&] {
        if (join_with_two(path_, false) != DROM_OK) return 1;
        joined.open();
        asked.pass();
        drom::Request wanted{};
        if (!drom::client::newest(wanted) || !drom::client::release(wanted)) return 2;
        CpuSet now{};
        drom::get_affinity(0, now);
        return now == CpuSet::range(0, 2) ? 0 : 3;
    });
    joined.pass();
    ASSERT_EQ(set_and_wait(client.pid(), 0x1), DROM_OK) << error_.text;
    EXPECT_EQ(set(client.pid(), 0x3), DROM_PENDING) << error_.text;
    asked.open();
    EXPECT_EQ(client.wait(), 0) << "it owns CPU 1 and does not let itself onto it";
}

}  // namespace
