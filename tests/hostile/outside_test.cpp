// SPDX-License-Identifier: BSD-3-Clause
// outside_test.cpp - clients that do not answer and are confined from outside: the reports about that are right.
#include <sched.h>
#include <vector>

#include "base/clock.hpp"
#include "skip.hpp"
#include "table_fixture.hpp"

namespace {

using namespace drom::test;
using Outside = WithTable;

TEST_F(Outside, TheTimeOfAReleaseFromOutsideIsKnown) {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || !CPU_ISSET(0, &allowed) || !CPU_ISSET(1, &allowed))
        DROM_SKIP("CPUs 0 and 1 are needed");
    const Child client = reserve(0x03);
    drom_options options = options_with(DROM_WAIT_RELEASED);
    options.grace_ms = DROM_GRACE_AT_ONCE;
    uint64_t last = 0;
    for (const uint64_t mask : {1ULL, 3ULL, 2ULL}) {
        const uint64_t before = drom::now_ns();
        ASSERT_EQ(drom_set_mask(table_, client.pid(), &mask, 1, &options, &error_), DROM_OK) << error_.text;
        drom_client_info info{};
        info.size = sizeof info;
        size_t count = 1;
        ASSERT_EQ(drom_clients(table_, &info, &count, &error_), DROM_OK) << error_.text;
        EXPECT_EQ(info.released_seq, info.request_seq);
        EXPECT_EQ(info.confined_seq, info.request_seq);
        EXPECT_GE(info.posted_ns, before);
        EXPECT_GE(info.released_ns, info.posted_ns);
        EXPECT_LE(info.released_ns, drom::now_ns());
        EXPECT_GT(info.released_ns, last);
        last = info.released_ns;
    }
}

cpu_set_t affinity_of(pid_t pid) {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(pid, sizeof set, &set);
    return set;
}

TEST_F(Outside, AReservationThatEndsMovesNoProcessThatWasNotMovedBefore) {
    const cpu_set_t allowed = affinity_of(0);
    if (!CPU_ISSET(0, &allowed) || !CPU_ISSET(1, &allowed)) DROM_SKIP("CPUs 0 and 1 are needed");
    const Child bystander = reserve(0x01);
    const Child leaver = reserve(0x02);
    ASSERT_EQ(drom_release(table_, leaver.pid(), nullptr, &error_), DROM_OK) << error_.text;
    const cpu_set_t left = affinity_of(bystander.pid());
    EXPECT_TRUE(CPU_EQUAL(&left, &allowed)) << "its program has not started, and no request was posted to it";
    drom_client_info info{};
    info.size = sizeof info;
    size_t count = 1;
    ASSERT_EQ(drom_clients(table_, &info, &count, &error_), DROM_OK) << error_.text;
    EXPECT_EQ(info.confined_seq, 0U);
}

}  // namespace
