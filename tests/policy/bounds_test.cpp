// SPDX-License-Identifier: BSD-3-Clause
// bounds_test.cpp - until when limits may be extended.
#include <gtest/gtest.h>

#include "policy/job/bounds.hpp"

namespace {

using namespace drom::policy;

NodeSet nodes(int first, int count) {
    NodeSet set;
    set.insert({first, count});
    return set;
}

AdvanceReservation reservation(Seconds start, Seconds end) { return {"ours", start, end, nodes(0, 4), false}; }

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
    AdvanceReservation flexible = reservation(100, 200);
    flexible.flexible = true;
    EXPECT_FALSE(bound_in(flexible, 0));
}

TEST(Bounds, AJobEndsBeforeAnotherReservationBeginsOnItsNodes) {
    const AdvanceReservation other = reservation(100, 200);
    EXPECT_EQ(bound_before(other, nodes(3, 2), 50)->until, 100);
    EXPECT_EQ(bound_before(other, nodes(3, 2), 50)->what, "the beginning of reservation ours");
    EXPECT_FALSE(bound_before(other, nodes(4, 2), 50)) << "it is elsewhere";
    EXPECT_FALSE(bound_before(other, nodes(3, 2), 200)) << "it is over";
    EXPECT_EQ(passed({*bound_before(other, nodes(3, 2), 150)}, 151)->until, 100) << "it has begun";
}

TEST(Bounds, NoJobStaysOnNodesBeyondThePromisedStartOfAnother) {
    const Promise promise{7, 500, nodes(2, 4)};
    EXPECT_EQ(bound_by(promise, nodes(0, 3), 0)->until, 500);
    EXPECT_EQ(bound_by(promise, nodes(0, 3), 0)->what, "the start that job 7 is promised");
    EXPECT_FALSE(bound_by(promise, nodes(0, 2), 0)) << "it starts on other nodes";
    EXPECT_EQ(move_of(promise, nodes(0, 3), 620), 120);
    EXPECT_EQ(move_of(promise, nodes(0, 3), 500), 0);
    EXPECT_EQ(move_of(promise, nodes(0, 2), 620), 0);
}

TEST(Bounds, APromiseIsMovedByNoMoreThanTheSiteAllowsOverAllGuests) {
    Promise promise{7, 500, nodes(0, 4)};
    Seconds start = 500;
    for (const Seconds wanted : {40, 40, 40, 40}) {
        const Seconds end = *promise.start + wanted;
        if (bound_by(promise, nodes(0, 1), 100)->until < end) continue;
        promise.moved += move_of(promise, nodes(0, 1), end);
        promise.start = start = end;
    }
    EXPECT_EQ(start, 580);
    promise.moved = kNever;
    EXPECT_EQ(bound_by(promise, nodes(0, 1), 100)->until, 580) << "never less than was promised";
    EXPECT_FALSE(bound_by(promise, nodes(0, 1), kNever)) << "the site has no bound";
}

TEST(Bounds, WhatIsNotKnownToBePromisedIsNotMoved) {
    const Promise promise{7, {}, nodes(0, 4)};
    EXPECT_NE(passed({*bound_by(promise, nodes(0, 1), 3600)}, 0), nullptr);
    EXPECT_EQ(bound_by(promise, nodes(0, 1), 0)->what, "the start of job 7, which is not planned yet");
    EXPECT_FALSE(bound_by(promise, nodes(4, 1), 0));
}

TEST(Bounds, NodesThatArePromisedSoonAreNotLookedAt) {
    const std::vector<Promise> promises = {{7, 500, nodes(0, 2)}, {8, 900, nodes(2, 2)}, {9, {}, nodes(6, 1)}};
    EXPECT_EQ(free_of(promises, nodes(0, 8), 0, 600).ranges(), (std::vector<NodeRange>{{2, 5}, {7, 7}}));
    EXPECT_EQ(free_of(promises, nodes(0, 8), 100, 600).count(), 7);
    EXPECT_EQ(free_of(promises, nodes(0, 8), kNever, 600).count(), 8);
}

TEST(Bounds, TheFirstThatIsPassedIsNamed) {
    const std::vector<Bound> bounds = {{300, "a"}, {200, "b"}, {100, "c"}};
    EXPECT_EQ(passed(bounds, 250)->what, "b");
    EXPECT_EQ(passed(bounds, 100), nullptr);
    EXPECT_EQ(passed({}, kNever), nullptr);
}

}  // namespace
