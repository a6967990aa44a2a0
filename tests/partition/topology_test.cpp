// SPDX-License-Identifier: BSD-3-Clause
// topology_test.cpp - the locations of CPUs that hwloc tells: this machine, captured and made-up ones, and refusals.
#include "partition/topology.hpp"

#include <unistd.h>

#include <set>
#include <string>

#include "base/error.hpp"
#include "machines.hpp"

namespace {

using namespace drom;
using namespace drom::test;

struct Row {
    const char* machine;
    const char* cpus;
    size_t packages, numa_nodes, caches, cores;
};

// lstopo wrote all captured machines. numa-vm is a running virtual machine, three of whose CPUs were offline. The
// others are hwloc's synthetic ones; lstopo --restrict removed CPUs of holes and big-little.
const Row kRows[] = {
    {"2x24", "0-47", 2, 2, 2, 48},
    {"2x64-smt2", "0-255", 2, 8, 16, 128},
    {"8-numa", "0-47", 2, 8, 8, 48},
    {"big-little", "0-8,10,12,14", 1, 1, 2, 8},
    {"holes", "0-4,7-22,24-29,36-47", 2, 2, 2, 39},
    {"numa-vm", "0-4,6-13,16-23", 2, 4, 4, 11},
};

size_t count(const Topology& topology, uint16_t Location::* level) {
    std::set<uint16_t> numbers;
    for (const uint16_t cpu : topology.order) numbers.insert(topology.location(cpu).*level);
    return numbers.size();
}

TEST(Topology, OfCapturedMachines) {
    for (const Row& row : kRows) {
        const Topology topology = captured(row.machine);
        EXPECT_STREQ(CpuText(topology.cpus).text, row.cpus) << row.machine;
        EXPECT_EQ(count(topology, &Location::package), row.packages) << row.machine;
        EXPECT_EQ(count(topology, &Location::numa), row.numa_nodes) << row.machine;
        EXPECT_EQ(count(topology, &Location::l3), row.caches) << row.machine;
        EXPECT_EQ(count(topology, &Location::core), row.cores) << row.machine;
    }
}

TEST(Topology, NumbersCountFromZeroInListOrderAndLevelsAreNested) {
    for (const Row& row : kRows) {
        const Topology topology = captured(row.machine);
        ASSERT_EQ(topology.order.size(), topology.cpus.count());
        Location last{};
        for (const uint16_t cpu : topology.order) {
            const Location& location = topology.location(cpu);
            for (const auto level : {&Location::core, &Location::l3, &Location::numa, &Location::package}) {
                EXPECT_GE(location.*level, last.*level) << row.machine << " " << cpu;
                EXPECT_LE(location.*level, last.*level + 1) << row.machine << " " << cpu;
            }
            EXPECT_TRUE(location.package == last.package || location.numa != last.numa) << row.machine;
            EXPECT_TRUE(location.numa == last.numa || location.l3 != last.l3) << row.machine;
            EXPECT_TRUE(location.l3 == last.l3 || location.core != last.core) << row.machine;
            last = location;
        }
        EXPECT_EQ(topology.location(topology.order.front()).core, 0);
    }
}

TEST(Topology, ThreadsOfACoreAreSideBySide) {
    const Topology topology = captured("2x64-smt2");
    EXPECT_EQ(topology.order[0], 0);
    EXPECT_EQ(topology.order[1], 128);
    EXPECT_EQ(topology.location(0).core, topology.location(128).core);
    EXPECT_NE(topology.location(0).core, topology.location(1).core);
}

TEST(Topology, WithoutL3TheLastSharedCacheStandsForIt) {
    const Topology topology = captured("big-little");
    EXPECT_EQ(topology.location(0).l3, topology.location(6).l3);
    EXPECT_NE(topology.location(0).l3, topology.location(8).l3);
}

TEST(Topology, AnL4AroundThemDoesNotJoinL3s) {
    const Topology topology = synthetic("package:1 l4:1 l3:2 core:2 pu:1");
    EXPECT_EQ(count(topology, &Location::l3), 2U);
}

TEST(Topology, CoresBesideAnL3HaveTheirOwnGroup) {
    // Hybrid processors have low-power cores outside the L3: here are two clusters, of which one has an L3 around it.
    const Topology topology = captured("l3-and-cluster");
    EXPECT_STREQ(CpuText(topology.cpus).text, "0-5");
    EXPECT_EQ(topology.location(0).l3, topology.location(3).l3);
    EXPECT_NE(topology.location(0).l3, topology.location(4).l3);
    EXPECT_EQ(topology.location(4).l3, topology.location(5).l3);
}

TEST(Topology, WithoutCachesAndPackagesEverythingIsTogether) {
    const Topology topology = synthetic("core:4 pu:2");
    EXPECT_EQ(count(topology, &Location::package), 1U);
    EXPECT_EQ(count(topology, &Location::numa), 1U);
    EXPECT_EQ(count(topology, &Location::l3), 1U);
    EXPECT_EQ(count(topology, &Location::core), 4U);
}

TEST(Topology, TwoKindsOfMemoryAtOnePlaceAreOneNode) {
    const Topology topology = synthetic("package:2 [numa(memory=96GB)] [numa(memory=16GB)] core:4 pu:1");
    EXPECT_EQ(count(topology, &Location::numa), 2U);
    EXPECT_EQ(topology.location(0).numa, topology.location(3).numa);
    EXPECT_NE(topology.location(3).numa, topology.location(4).numa);
}

TEST(Topology, MemoryOfTheWholeMachineJoinsNothing) {
    const Topology topology = captured("memory-beside");
    EXPECT_EQ(count(topology, &Location::numa), 2U);
    EXPECT_EQ(count(topology, &Location::package), 1U);
}

TEST(Topology, OfThisMachineHasTheCpusThatMayBeUsed) {
    Topology topology;
    drom_error error{};
    ASSERT_EQ(read_machine(topology, &error), DROM_OK) << error.text;
    EXPECT_FALSE(topology.cpus.none());
    EXPECT_LE(topology.cpus.count(), static_cast<uint32_t>(sysconf(_SC_NPROCESSORS_CONF)));
    EXPECT_EQ(topology.order.size(), topology.cpus.count());
}

TEST(Topology, RawNumbersMayRepeatInEachPackageAndBeUnknown) {
    CpuSet cpus{};
    for (const uint32_t cpu : {0U, 1U, 2U, 5U}) cpus.add(cpu);
    Location raw[6] = {};
    raw[0] = {7, UINT16_MAX, UINT16_MAX, 3};
    raw[1] = {7, UINT16_MAX, UINT16_MAX, 9};
    raw[2] = {7, UINT16_MAX, UINT16_MAX, 3};
    raw[5] = {8, UINT16_MAX, UINT16_MAX, 3};
    const Topology topology = arrange(cpus, raw);
    EXPECT_EQ(topology.order, (std::vector<uint16_t>{0, 2, 5, 1}));
    EXPECT_EQ(topology.location(2).core, 0);
    EXPECT_EQ(topology.location(5).core, 1);
    EXPECT_EQ(topology.location(1).core, 2);
    EXPECT_EQ(topology.location(1).package, 1);
    EXPECT_EQ(topology.location(1).numa, 1);
    EXPECT_EQ(topology.location(1).l3, 1);
    EXPECT_TRUE(arrange(CpuSet::empty(), raw).order.empty());
}

TEST(Topology, WhatIsNotATopologyIsRefusedWithASentence) {
    Topology topology = synthetic("core:2 pu:1");
    drom_error error{};
    EXPECT_EQ(read_topology_xml("/nonexistent/machine.xml", topology, &error), DROM_E_OS);
    EXPECT_NE(std::string(error.text).find("/nonexistent/machine.xml: hwloc cannot read it"), std::string::npos);
    EXPECT_EQ(read_synthetic("core:many", topology, &error), DROM_E_OS);
    EXPECT_NE(std::string(error.text).find("core:many"), std::string::npos);
    EXPECT_EQ(read_synthetic("core:2 pu:1(indexes=0,5000)", topology, &error), DROM_E_NOCPU);
    EXPECT_STREQ(error.text, "CPU 5000 is beyond the 4096 that drom knows");
    EXPECT_EQ(topology.cpus.count(), 2U);
}

}  // namespace
