// SPDX-License-Identifier: BSD-3-Clause
// owner_test.cpp - the owner word: each field is read as it was written, and no two changes look alike.
#include "property.hpp"
#include "shmem/layout.hpp"

namespace {

using drom::Owner;
using drom::test::holds;

Owner::Name any_name() {
    if (*rc::gen::inRange(0, 5) == 0) return Owner::none();
    return {*rc::gen::inRange(0U, drom::kMaxClients), *rc::gen::inRange(0U, 4096U)};
}

TEST(OwnerWord, WhatGoesInComesOut) {
    EXPECT_TRUE(holds("pack", [] {
        const Owner::Name owner = any_name();
        const Owner::Name next = any_name();
        const auto flags = *rc::gen::inRange<uint64_t>(0, 64);
        const Owner word = Owner{*rc::gen::arbitrary<uint64_t>()}.with(owner, next, flags);
        RC_ASSERT(word.owner() == owner);
        RC_ASSERT(word.next() == next);
        RC_ASSERT(word.flags() == flags);
    }));
}

TEST(OwnerWord, AChangeToTheSameIsStillAChange) {
    EXPECT_TRUE(holds("stamp", [] {
        const Owner first = Owner{*rc::gen::arbitrary<uint64_t>()};
        Owner word = first.with(first.owner(), first.next(), first.flags());
        const Owner once = word;
        for (auto changes = *rc::gen::inRange(1, 1023); changes > 0; --changes) {
            word = word.with(word.owner(), word.next(), word.flags());
            RC_ASSERT(word.bits != once.bits);
        }
    }));
}

TEST(OwnerWord, OnlyTheLowBitsOfAGenerationCount) {
    const Owner word = Owner{0}.with({3, 0x12345}, {4, 0xffffffff}, 0);
    EXPECT_EQ(word.owner(), (Owner::Name{3, 0x345}));
    EXPECT_EQ(word.next(), (Owner::Name{4, 0xfff}));
}

TEST(OwnerWord, ZeroIsFree) {
    EXPECT_EQ(Owner{0}.owner(), Owner::none());
    EXPECT_EQ(Owner{0}.next(), Owner::none());
    EXPECT_EQ(Owner{0}.flags(), 0U);
}

}  // namespace
