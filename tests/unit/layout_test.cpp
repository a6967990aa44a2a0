// SPDX-License-Identifier: BSD-3-Clause
// layout_test.cpp - tables of builds with different layouts are told apart.
#include <algorithm>
#include <iterator>

#include "memory_table.hpp"
#include "property.hpp"

namespace {

using namespace drom;

TEST(Layout, EveryFactDecides) {
    uint64_t facts[std::size(kLayoutFacts)];
    std::copy(std::begin(kLayoutFacts), std::end(kLayoutFacts), facts);
    ASSERT_EQ(hash_of_facts(facts), kLayoutHash);
    for (uint64_t& fact : facts)
        for (const uint64_t difference : {1U, 4U, 8U, 64U, 4096U}) {
            fact += difference;
            EXPECT_NE(hash_of_facts(facts), kLayoutHash) << "fact " << &fact - facts << " and " << difference;
            fact -= difference;
        }
}

TEST(Layout, TwoFieldsThatChangePlacesAreNoticed) {
    uint64_t facts[std::size(kLayoutFacts)];
    for (size_t i = 1; i < std::size(facts); ++i) {
        std::copy(std::begin(kLayoutFacts), std::end(kLayoutFacts), facts);
        if (facts[i - 1] == facts[i]) continue;
        std::swap(facts[i - 1], facts[i]);
        EXPECT_NE(hash_of_facts(facts), kLayoutHash) << "facts " << i - 1 << " and " << i;
    }
}

TEST(Layout, ATableSaysWhichItHas) {
    const drom::test::MemoryTable table(8, 4);
    EXPECT_EQ(table.ledger.header().layout_hash, kLayoutHash);
    EXPECT_EQ(table.ledger.header().layout_version, kLayoutVersion);
}

}  // namespace
