// SPDX-License-Identifier: BSD-3-Clause
// bounds_test.cpp - until when limits may be extended.
#include <gtest/gtest.h>

#include "policy/bounds.hpp"

namespace {

using namespace drom::policy;

NodeSet nodes(int first, int count) {
    NodeSet set;
    set.insert({first, count});
    return set;
}

Reservation reservation(Seconds start, Seconds end) { return {"ours", start, end, nodes(0, 4), false}; }

TEST(Bounds, AJobEndsWithItsOwnReservation) {
    const auto bound = bound_in(reservation(100, 200), 0);
    ASSERT_TRUE(bound);
    EXPECT_EQ(passed({*bound}, 200), nullptr);
    ASSERT_NE(passed({*bound}, 201), nullptr);
    EXPECT_EQ(passed({*bound}, 201)->what, "the end of its reservation ours");
}

TEST(Bounds, AJobMayOverrunItsReservationAsLongAsTheSiteSays) {
    EXPECT_EQ(bound_in(reservation(100, 200), 60)->until, 260);
    EXPECT_FALSE(bound_in(reservation(100, 200), kNever)) << "for ever";
}

TEST(Bounds, AFlexibleReservationEndsNoJob) {
    Reservation flexible = reservation(100, 200);
    flexible.flexible = true;
    EXPECT_FALSE(bound_in(flexible, 0));
}

TEST(Bounds, AJobEndsBeforeAnotherReservationBeginsOnItsNodes) {
    const Reservation other = reservation(100, 200);
    EXPECT_EQ(bound_before(other, nodes(3, 2), 50)->until, 100);
    EXPECT_EQ(bound_before(other, nodes(3, 2), 50)->what, "the beginning of reservation ours");
    EXPECT_FALSE(bound_before(other, nodes(4, 2), 50)) << "it is elsewhere";
    EXPECT_FALSE(bound_before(other, nodes(3, 2), 200)) << "it is over";
    EXPECT_EQ(passed({*bound_before(other, nodes(3, 2), 150)}, 151)->until, 100) << "it has begun";
}

TEST(Bounds, TheFirstThatIsPassedIsNamed) {
    const std::vector<Bound> bounds = {{300, "a"}, {200, "b"}, {100, "c"}};
    EXPECT_EQ(passed(bounds, 250)->what, "b");
    EXPECT_EQ(passed(bounds, 100), nullptr);
    EXPECT_EQ(passed({}, kNever), nullptr);
}

}  // namespace
