// SPDX-License-Identifier: BSD-3-Clause
// moves_test.cpp - a mover of a client's processes knows which of them another mover may have moved.
#include "shmem/moves.hpp"

#include <gtest/gtest.h>

#include "base/process_identity.hpp"
#include "memory_table.hpp"
#include "shmem/mailbox.hpp"

namespace {

using namespace drom;
using drom::test::MemoryTable;

constexpr uint64_t kReleased = 3, kPosted = 4;
constexpr uint64_t kLater = 100;  // ticks

class MovesOfAClient : public testing::Test {
protected:
    [[nodiscard]] Moves administrator() const { return {table_.ledger, 0, &page_, kReleased}; }
    void note_attempt() const { note_begun(table_.ledger, 0, state_of(table_.ledger.slot(0)).generation, kPosted); }

    MemoryTable table_{8, 1};
    Page page_{};
    uint64_t before_ = ticks_since_boot();
};

TEST_F(MovesOfAClient, ItsOwnAreNotThoseOfAnother) {
    Moves own = administrator();
    EXPECT_FALSE(own.may_include(before_));
    own.announce();
    own.announce();
    EXPECT_FALSE(own.may_include(before_));
}

TEST_F(MovesOfAClient, AnotherAdministratorsAreSeenAtOnce) {
    Moves own = administrator();
    Moves other = administrator();
    own.announce();
    EXPECT_TRUE(other.may_include(before_));
    EXPECT_FALSE(own.may_include(before_));
    other.announce();
    EXPECT_TRUE(own.may_include(before_));
    own.announce();
    EXPECT_TRUE(own.may_include(before_)) << "the announcement since hides it";
    EXPECT_TRUE(own.may_include(0)) << "the start of the process is not known";
}

TEST_F(MovesOfAClient, AProcessThatWasBornAfterThemIsInNone) {
    Moves own = administrator();
    administrator().announce();
    EXPECT_TRUE(own.may_include(ticks_since_boot()));
    EXPECT_FALSE(own.may_include(ticks_since_boot() + kLater));
}

TEST_F(MovesOfAClient, AnAttemptThatDidNotEndInAReleaseCounts) {
    administrator().announce();
    EXPECT_FALSE(administrator().may_include(before_)) << "they ended in the last release";
    note_attempt();
    EXPECT_TRUE(administrator().may_include(before_));
    EXPECT_FALSE(administrator().may_include(ticks_since_boot() + kLater));
}

TEST_F(MovesOfAClient, TheClientAndAnAdministratorSeeOneAnother) {
    Moves outside = administrator();
    Moves inside(table_.ledger, 0, page_, kReleased, kPosted);
    inside.announce();
    EXPECT_TRUE(outside.may_include(before_));
    EXPECT_FALSE(inside.may_include(before_));
    outside.announce();
    EXPECT_TRUE(inside.may_include(before_));
}

TEST_F(MovesOfAClient, AnAttemptOfTheClientCounts) {
    Moves(table_.ledger, 0, page_, kReleased, kPosted).announce();
    EXPECT_TRUE(administrator().may_include(before_));
    EXPECT_TRUE(Moves(table_.ledger, 0, page_, kReleased, kPosted).may_include(before_)) << "its own, too";
    EXPECT_FALSE(Moves(table_.ledger, 0, &page_, kPosted).may_include(before_)) << "it ended in a release";
}

}  // namespace
