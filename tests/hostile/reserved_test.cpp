// SPDX-License-Identifier: BSD-3-Clause
// reserved_test.cpp - what a process that is no client itself reads of its reservation when something is in the way.
#include "client/reserved.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <cstdlib>
#include <functional>

#include "base/confine.hpp"
#include "memory_table.hpp"
#include "shmem/mailbox.hpp"
#include "table_fixture.hpp"

namespace {

using namespace drom::test;
using drom::CpuSet;

class Reserved : public WithTable {
protected:
    /// Runs `body` in a process whose environment names the reservation of a sleeping one.
    int inside(const std::function<int()>& body) {
        const Child task = reserve(0x3);
        drom_client_info info{};
        info.size = sizeof info;
        size_t count = 1;
        EXPECT_EQ(drom_clients(table_, &info, &count, &error_), DROM_OK) << error_.text;
        Child program = Child::run([&] {
            setenv("DROM_TABLE", path_.c_str(), 1);
            setenv("DROM_SLOT", (std::to_string(info.slot) + ':' + std::to_string(info.generation)).c_str(), 1);
            return body();
        });
        return program.wait();
    }
};

void allow_descriptors(rlim_t count) {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = count;
    setrlimit(RLIMIT_NOFILE, &limit);
}

TEST_F(Reserved, ATableThatCannotBeOpenedNowIsOpenedLater) {
    EXPECT_EQ(inside([] {
                  rlimit before{};
                  getrlimit(RLIMIT_NOFILE, &before);
                  allow_descriptors(0);
                  if (drom::client::reserved().seq != 0) return 1;
                  allow_descriptors(before.rlim_cur);
                  return drom::client::reserved().mask == CpuSet::range(0, 2) ? 0 : 2;
              }),
              0);
}

TEST_F(Reserved, ItsCpusAreCountedOnlyWhereTheProgramHasChosenNoOthers) {
    EXPECT_EQ(inside([] {
                  CpuSet start{};
                  CpuSet affinity{};
                  drom::get_affinity(0, affinity);
                  if (drom::client::start_cpus(start)) return 1;  // the variable is not set
                  char text[drom::kLongestCpus];
                  setenv("DROM_START_CPUS", drom::to_text(affinity, text, sizeof text), 1);
                  if (!drom::client::start_cpus(start) || !(start == affinity)) return 2;
                  cpu_set_t one;
                  CPU_ZERO(&one);
                  CPU_SET(affinity.first(), &one);
                  if (sched_setaffinity(0, sizeof one, &one) != 0) return 3;
                  setenv("DROM_START_CPUS", "0-1", 1);
                  if (drom::client::start_cpus(start)) return 4;  // no request gave it just this CPU
                  setenv("DROM_START_CPUS", "what", 1);
                  return drom::client::start_cpus(start) ? 5 : 0;
              }),
              0);
}

TEST(UnreadableRequest, AThreadStaysInsideWhileARequestCannotBeRead) {
    MemoryTable table(200, 1);
    CpuSet affinity{};
    ASSERT_TRUE(drom::get_affinity(0, affinity));
    drom::Request posted{};
    EXPECT_FALSE(drom::client::read_latest(table.ledger, 0, posted));
    ASSERT_TRUE(drom::post_request(table.ledger, table.name(0), 0, CpuSet::range(100, 50)));
    ASSERT_TRUE(drom::client::read_latest(table.ledger, 0, posted));
    EXPECT_EQ(posted.mask, CpuSet::range(100, 50));
    table.ledger.half(0, 1).checksum.store(0);  // as an administrator leaves it that dies here
    ASSERT_TRUE(drom::client::read_latest(table.ledger, 0, posted));
    EXPECT_EQ(posted.seq, 1U);
    EXPECT_EQ(posted.mask, affinity);
}

}  // namespace
