// SPDX-License-Identifier: BSD-3-Clause
// node_set_test.cpp - a NodeSet, which stores ranges, behaves as a set of numbers.
#include <set>

#include "policy/job/node_set.hpp"
#include "property.hpp"

namespace {

using namespace drom::policy;
using drom::test::holds;

NodeSet of(const std::set<int>& numbers) {
    NodeSet set;
    for (const int n : numbers) set.insert({n, 1});
    return set;
}

std::set<int> numbers(const NodeSet& set) {
    std::set<int> all;
    for (const NodeRange& range : set.ranges())
        for (int n = range.first; n <= range.last; ++n) all.insert(n);
    return all;
}

bool has_gaps_between_ranges(const NodeSet& set) {
    for (std::size_t i = 1; i < set.ranges().size(); ++i)
        if (set.ranges()[i].first <= set.ranges()[i - 1].last + 1) return false;
    return true;
}

TEST(NodeSet, IsWrittenAsALineOfRanges) {
    EXPECT_EQ(of({0, 1, 2, 3, 8}).text(), "0-3,8");
    EXPECT_EQ(NodeSet().text(), "");
    EXPECT_EQ(NodeSet(5, 1).text(), "5");
    EXPECT_EQ(NodeSet(5, 0).count(), 0);
}

TEST(NodeSet, IsReadAsItIsWritten) {
    for (const char* text : {"", "5", "0-3,8", "7,9-10,12"}) EXPECT_EQ(NodeSet::parse(text).value().text(), text);
    EXPECT_EQ(NodeSet::parse("3,1-2").value().text(), "1-3");
    for (const char* text : {",", "1,", "-1", "1-", "3-1", "1 2", "x", "1-2x", "99999999999", "0-2147483647", "1--2"})
        EXPECT_FALSE(NodeSet::parse(text)) << text;
}

TEST(NodeSet, AdjacentNodesAreTheLowestRunThatIsLongEnough) {
    EXPECT_EQ(of({0, 1, 3, 4, 5, 7, 8, 9}).adjacent(3).text(), "3-5");
    EXPECT_TRUE(of({0, 2, 4}).adjacent(2).empty());
}

TEST(NodeSet, OperationsAreThoseOfSets) {
    EXPECT_TRUE(holds("insert, erase, common and contains", [] {
        const auto some = rc::gen::container<std::set<int>>(rc::gen::inRange(0, 40));
        const std::set<int> a = *some, b = *some;
        std::set<int> both = a, rest = a, common;
        both.insert(b.begin(), b.end());
        for (const int n : b) rest.erase(n);
        for (const int n : a)
            if (b.count(n) != 0) common.insert(n);
        NodeSet inserted = of(a), erased = of(a);
        inserted.insert(of(b));
        erased.erase(of(b));
        RC_ASSERT(numbers(inserted) == both && inserted.count() == static_cast<int>(both.size()));
        RC_ASSERT(numbers(erased) == rest && erased.count() == static_cast<int>(rest.size()));
        RC_ASSERT(numbers(of(a).common(of(b))) == common);
        RC_ASSERT(has_gaps_between_ranges(inserted) && has_gaps_between_ranges(erased));
        for (int n = -1; n < 41; ++n) RC_ASSERT(of(a).contains(n) == (a.count(n) != 0));
    }));
}

TEST(NodeSet, TakingTheFirstLeavesTheRest) {
    EXPECT_TRUE(holds("take_first", [] {
        const std::set<int> all = *rc::gen::container<std::set<int>>(rc::gen::inRange(0, 40));
        const int count = *rc::gen::inRange(0, 45);
        NodeSet rest = of(all);
        const NodeSet taken = rest.take_first(count);
        RC_ASSERT(taken.count() == std::min(count, static_cast<int>(all.size())));
        RC_ASSERT(rest.count() + taken.count() == static_cast<int>(all.size()));
        if (!taken.empty() && !rest.empty()) RC_ASSERT(taken.ranges().back().last < rest.ranges().front().first);
        NodeSet again = rest;
        again.insert(taken);
        RC_ASSERT(again == of(all));
    }));
}

}  // namespace
