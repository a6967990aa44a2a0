// SPDX-License-Identifier: BSD-3-Clause
// cpuset_test.cpp - a mask that goes beyond what the kernel allows the process (cpuset cgroup) is applied as the intersection and said.
#include <sys/stat.h>
#include <cstring>
#include <fstream>

#include "confine.hpp"
#include "skip.hpp"
#include "table_fixture.hpp"

namespace {

using namespace drom::test;
using drom::CpuSet;

bool write_text(const std::string& path, const std::string& text) {
    std::ofstream out(path);
    out << text << std::flush;
    return static_cast<bool>(out);
}

/// A cpuset cgroup (version 1) that allows CPU 0 only; empty when there is none to be had.
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
    [[nodiscard]] bool enter(pid_t pid) const { return write_text(path_ + "/cgroup.procs", std::to_string(pid)); }

private:
    std::string path_;
    bool usable_;
};

using Limited = WithTable;

/// Joins with CPUs 0-1 and adopts every request until it is killed.
Child adopting(const std::string& path, const Gate& joined) {
    return Child::run([&] {
        setenv("DROM_TABLE", path.c_str(), 1);
        CpuSet cpus = CpuSet::range(0, 2);
        const drom::client::JoinOptions options{&cpus, DROM_DOOR_EXPLICIT, true, "limited", nullptr, 1, 0, false};
        const int status = drom::client::join(options, nullptr);
        joined.open();
        if (status != DROM_OK) return 1;
        for (;;) pause();
        return 0;
    });
}

#define NEED_TWO_CPUS()                                                         \
    do {                                                                        \
        CpuSet mine{};                                                          \
        drom::get_affinity(0, mine);                                            \
        if (!mine.has(0) || !mine.has(1)) DROM_SKIP("CPUs 0 and 1 are needed"); \
    } while (false)

TEST_F(Limited, AMaskBeyondTheCpusetIsAppliedAsTheIntersectionAndSaid) {
    NEED_TWO_CPUS();
    const OneCpu group;
    if (!group.usable()) DROM_SKIP("no cpuset cgroup can be made here (version 1, root)");
    Gate joined;
    Child client = adopting(path_, joined);
    joined.pass();
    ASSERT_TRUE(group.enter(client.pid()));
    drom_options wait = options_with(DROM_WAIT_RELEASED);
    wait.timeout_ms = 3000;
    uint64_t mask = 0x7;
    EXPECT_EQ(drom_set_mask(table_, client.pid(), &mask, 1, &wait, &error_), DROM_OK) << error_.text;
    CpuSet now{};
    ASSERT_TRUE(drom::get_affinity(client.upid(), now));
    EXPECT_TRUE(now == CpuSet::range(0, 1));
    drom_client_info info{};
    info.size = sizeof info;
    size_t count = 1;
    ASSERT_EQ(drom_clients(table_, &info, &count, &error_), DROM_OK);
    EXPECT_EQ(info.limited, 1U) << "the list does not say that the cpuset allows less";
    EXPECT_EQ(wanted(client.pid()), 0x7U);
    client.stop();
}

TEST_F(Limited, AMaskThatTheCpusetAllowsNothingOfIsNotAcknowledged) {
    NEED_TWO_CPUS();
    const OneCpu group;
    if (!group.usable()) DROM_SKIP("no cpuset cgroup can be made here (version 1, root)");
    Gate joined;
    Child client = adopting(path_, joined);
    joined.pass();
    ASSERT_TRUE(group.enter(client.pid()));
    drom_options wait = options_with(DROM_WAIT_RELEASED);
    wait.timeout_ms = 300;
    uint64_t mask = 0x2;
    EXPECT_EQ(drom_set_mask(table_, client.pid(), &mask, 1, &wait, &error_), DROM_PENDING) << error_.text;
    EXPECT_TRUE(says("has not released")) << error_.text;
    mask = 0x1;
    wait.timeout_ms = 3000;
    EXPECT_EQ(drom_set_mask(table_, client.pid(), &mask, 1, &wait, &error_), DROM_OK) << error_.text;
    client.stop();
}

/// From outside: a process that never joined follows its reservation, there and back again.
TEST_F(Limited, AProcessThatNeverJoinedGrowsBackAfterRequestsThatNobodyWaitedFor) {
    NEED_TWO_CPUS();
    const Child child = reserve(0x3);
    drom_options wait = options_with(DROM_WAIT_RELEASED);
    wait.timeout_ms = 3000;
    uint64_t mask = 0x1;
    ASSERT_EQ(drom_set_mask(table_, child.pid(), &mask, 1, &wait, &error_), DROM_OK) << error_.text;
    CpuSet now{};
    drom::get_affinity(child.upid(), now);
    EXPECT_TRUE(now == CpuSet::range(0, 1));
    // Replaced before anybody confined the process to it.
    EXPECT_GE(set(child.pid(), 0x5), 0);
    mask = 0x3;
    ASSERT_EQ(drom_set_mask(table_, child.pid(), &mask, 1, &wait, &error_), DROM_OK) << error_.text;
    drom::get_affinity(child.upid(), now);
    EXPECT_TRUE(now == CpuSet::range(0, 2)) << "it owns CPU 1 and is never let onto it";
}

/// A client without the agent's thread, in a long serial phase, was confined by the administrator; then it polls again.
TEST_F(Limited, AClientThatWasConfinedFromOutsideGrowsBackByItsOwnPoll) {
    NEED_TWO_CPUS();
    Gate joined;
    Gate asked;
    Child client = Child::run([&] {
        setenv("DROM_TABLE", path_.c_str(), 1);
        CpuSet cpus = CpuSet::range(0, 2);
        const drom::client::JoinOptions options{&cpus, DROM_DOOR_EXPLICIT, false, "serial", nullptr, 1, 0, false};
        if (drom::client::join(options, nullptr) != DROM_OK) return 1;
        joined.open();
        asked.pass();
        drom::client::Wanted wanted{};
        if (!drom::client::newest(wanted) || !drom::client::release(wanted)) return 2;
        CpuSet now{};
        drom::get_affinity(0, now);
        return now == CpuSet::range(0, 2) ? 0 : 3;
    });
    joined.pass();
    drom_options wait = options_with(DROM_WAIT_RELEASED);
    wait.timeout_ms = 3000;
    const uint64_t mask = 0x1;
    ASSERT_EQ(drom_set_mask(table_, client.pid(), &mask, 1, &wait, &error_), DROM_OK) << error_.text;
    EXPECT_EQ(set(client.pid(), 0x3), DROM_PENDING) << error_.text;
    asked.open();
    EXPECT_EQ(client.wait(), 0) << "it owns CPU 1 and does not let itself onto it";
}

}  // namespace
