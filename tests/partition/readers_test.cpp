// SPDX-License-Identifier: BSD-3-Clause
// readers_test.cpp - the three readers of this machine's topology see the same cores, NUMA nodes and packages.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "base/error.hpp"
#include "command_units.hpp"
#include "partition/topology.hpp"
#include "shmem/segment.hpp"
#include "temp_dir.hpp"

namespace {

using namespace drom;
using namespace drom::test;

Units units(const Topology& topology, uint16_t Location::* level) {
    std::map<uint16_t, std::set<unsigned>> by_number;
    for (const uint16_t cpu : topology.order) by_number[topology.location(cpu).*level].insert(cpu);
    Units all;
    for (const auto& [number, cpus] : by_number) all.insert(cpus);
    return all;
}

class Readers : public testing::Test {
protected:
    void SetUp() override {
        drom_error error{};
        ASSERT_EQ(read_machine(agent_, &error), DROM_OK) << error.text;
        const std::string path = directory_.table();
        ASSERT_EQ(create_ledger(path.c_str(), {0, 4, kModeUser}, &error), DROM_OK) << error.text;
        Ledger ledger;
        ASSERT_EQ(open_ledger(path.c_str(), true, ledger, &error), DROM_OK) << error.text;
        table_ = arrange(agent_.cpus, &ledger.location(0));
        close_ledger(ledger);
        ASSERT_EQ(command_.trouble, "");
    }

    TempDir directory_;
    Topology agent_, table_;
    const CommandUnits command_ = command_units();
};

TEST_F(Readers, SeeTheSameCores) {
    EXPECT_EQ(units(table_, &Location::core), command_.cores);
    EXPECT_EQ(units(agent_, &Location::core), command_.cores);
}

TEST_F(Readers, SeeTheSameNumaNodes) {
    EXPECT_EQ(units(table_, &Location::numa), command_.numa_nodes);
    EXPECT_EQ(units(agent_, &Location::numa), command_.numa_nodes);
}

TEST_F(Readers, SeeTheSamePackages) {
    EXPECT_EQ(units(table_, &Location::package), command_.packages);
    EXPECT_EQ(units(agent_, &Location::package), command_.packages);
}

}  // namespace
