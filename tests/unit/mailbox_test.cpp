// SPDX-License-Identifier: BSD-3-Clause
// mailbox_test.cpp - requests: complete or not at all, the last one wins, numbers only grow, acknowledgements are not
// trusted.
#include "shmem/mailbox.hpp"

#include <algorithm>
#include <vector>

#include "memory_table.hpp"
#include "property.hpp"
#include "shmem/invariants.hpp"

namespace {

using namespace drom;
using drom::test::holds;
using drom::test::MemoryTable;

constexpr uint32_t kCpus = 200;

CpuSet any_mask() {
    CpuSet mask{};
    mask.add(*rc::gen::inRange(0U, kCpus));
    for (uint32_t cpu : *rc::gen::container<std::vector<uint32_t>>(rc::gen::inRange(0U, kCpus))) mask.add(cpu);
    return mask;
}

TEST(Mailbox, TheLastPostedIsRead) {
    EXPECT_TRUE(holds("post, read", [] {
        const MemoryTable table(kCpus, 2);
        Request posted{};
        RC_ASSERT(!read_request(table.ledger, 1, posted));
        const auto count = *rc::gen::inRange<uint64_t>(1, 6);
        for (uint64_t seq = 1; seq <= count; ++seq) {
            const CpuSet mask = any_mask();
            RC_ASSERT(post_request(table.ledger, table.name(1), seq - 1, mask));
            RC_ASSERT(read_request(table.ledger, 1, posted));
            RC_ASSERT(posted.seq == seq);
            RC_ASSERT(posted.mask == mask);
        }
        RC_ASSERT(!read_request(table.ledger, 0, posted));
    }));
}

TEST(Mailbox, AnOvertakenPosterIsTold) {
    EXPECT_TRUE(holds("overtaken", [] {
        const MemoryTable table(kCpus, 1);
        const CpuSet winner = any_mask();
        RC_ASSERT(post_request(table.ledger, table.name(0), 0, any_mask()));
        RC_ASSERT(post_request(table.ledger, table.name(0), 1, winner));
        const auto stale = *rc::gen::inRange<uint64_t>(0, 2);
        RC_ASSERT(!post_request(table.ledger, table.name(0), stale, any_mask()));
        RC_ASSERT(table.ledger.mailbox(0).newest.load() == 2U);
        // It may have written into the half that is being read: then nothing is read, never a mixture.
        Request posted{};
        if (read_request(table.ledger, 0, posted)) RC_ASSERT(posted.seq == 2U && posted.mask == winner);
    }));
}

TEST(Mailbox, AnAffinityOfTheLastTwoRequestsCameFromThem) {
    EXPECT_TRUE(holds("requested", [] {
        const MemoryTable table(kCpus, 1);
        const CpuSet chosen = any_mask();
        RC_ASSERT(!was_requested(table.ledger, 0, chosen));
        std::vector<CpuSet> masks;
        const auto count = *rc::gen::inRange<uint64_t>(1, 6);
        for (uint64_t seq = 1; seq <= count; ++seq) {
            masks.push_back(any_mask());
            RC_ASSERT(post_request(table.ledger, table.name(0), seq - 1, masks.back()));
        }
        masks.erase(masks.begin(), masks.end() - std::min<std::ptrdiff_t>(2, std::ssize(masks)));
        for (const CpuSet& mask : masks) RC_ASSERT(was_requested(table.ledger, 0, mask));
        RC_ASSERT(was_requested(table.ledger, 0, chosen) == (std::ranges::find(masks, chosen) != masks.end()));
    }));
}

TEST(Mailbox, AnAffinityThatAnAdministratorSetCameFromARequest) {
    const MemoryTable table(kCpus, 1);
    const CpuSet asked = CpuSet::range(0, 4);
    const CpuSet part = CpuSet::range(0, 2);
    ASSERT_TRUE(post_request(table.ledger, table.name(0), 0, asked));
    note_outside(table.ledger, 0, state_of(table.ledger.slot(0)).generation, {1, part});
    EXPECT_TRUE(was_requested(table.ledger, 0, part));
    EXPECT_FALSE(was_requested(table.ledger, 0, CpuSet::range(0, 1)));
}

TEST(Mailbox, AMaskWithCpusThatTheTableHasNotIsNotBelieved) {
    const MemoryTable table(kCpus, 1);
    CpuSet mask = CpuSet::range(0, 2);
    mask.add(kCpus);
    post_request(table.ledger, table.name(0), 0, mask);
    Request posted{};
    EXPECT_FALSE(read_request(table.ledger, 0, posted));
}

TEST(Mailbox, WhatAnOvertakenPosterStillWritesIsNotBelieved) {
    EXPECT_TRUE(holds("late stores", [] {
        const MemoryTable table(kCpus, 1);
        const CpuSet winner = any_mask();
        RC_ASSERT(post_request(table.ledger, table.name(0), 0, winner));
        // A complete, correctly summed request 1 of another administrator, except that its writer lost the half in
        // between.
        const MemoryTable other(table);
        const CpuSet loser = any_mask();
        other.ledger.mailbox(0).newest.store(0);
        RC_ASSERT(post_request(other.ledger, other.name(0), 0, loser));
        RequestHalf& half = table.ledger.half(0, 1);
        const RequestHalf& late = other.ledger.half(0, 1);
        const uint32_t words = table.ledger.header().mask_words;
        const auto stores = *rc::gen::inRange(0U, words + 2);
        for (uint32_t i = 0; i < std::min(stores, words); ++i) half.words[i].store(late.words[i]);
        if (stores == words + 1) half.checksum.store(late.checksum);
        Request posted{};
        if (read_request(table.ledger, 0, posted)) RC_ASSERT(posted.mask == winner);
    }));
}

TEST(Mailbox, AMaskForASlotsFormerUserNeverReachesTheNextOne) {
    EXPECT_TRUE(holds("former user", [] {
        const MemoryTable table(kCpus, 1);
        const Owner::Name former = table.name(0);
        RC_ASSERT(post_request(table.ledger, former, 0, any_mask()));
        RC_ASSERT(claim_slot(table.ledger) == 0U);
        RC_ASSERT(!post_request(table.ledger, former, *rc::gen::inRange<uint64_t>(0, 3), any_mask()));
        Request posted{};
        RC_ASSERT(!read_request(table.ledger, 0, posted));
        // The former user's administrator was between its last store and the publishing one.
        table.ledger.mailbox(0).newest.store(1);
        RC_ASSERT(!read_request(table.ledger, 0, posted));
    }));
}

TEST(Mailbox, WhatWasConfinedOfASlotsFormerUserIsNotBelievedOfTheNextOne) {
    EXPECT_TRUE(holds("late confinement", [] {
        MemoryTable table(kCpus, 1);
        const uint32_t slot = table.join();
        const uint32_t former = state_of(table.ledger.slot(slot)).generation;
        const Request old{*rc::gen::inRange<uint64_t>(1, 9), any_mask()};
        // All stores of an administrator for the former user, as if the slot had the same user still.
        const MemoryTable other(table);
        note_outside(other.ledger, slot, former, old);
        RC_ASSERT(confined_seq(other.ledger, slot) == old.seq);
        Request outside{};
        RC_ASSERT(read_outside(other.ledger, slot, outside) && outside.seq == old.seq && outside.mask == old.mask);
        // Meanwhile the former user ends and another one gets the slot, with as many requests.
        move_slot(table.ledger, slot, former, phase::kFree, 0);
        RC_ASSERT(table.join() == slot);
        for (uint64_t seq = 0; seq < old.seq; ++seq)
            RC_ASSERT(post_request(table.ledger, table.name(slot), seq, any_mask()));
        note_outside(table.ledger, slot, former, old);
        RC_ASSERT(table.ledger.mailbox(slot).confined.load() == 0U);
        // The administrator had looked before the slot got its new user, and its stores come now: any of them, in their
        // order.
        const auto stores = *rc::gen::inRange(0U, 3U);
        RequestHalf& half = table.ledger.outside(slot);
        const RequestHalf& late = other.ledger.outside(slot);
        if (stores > 0) {
            for (uint32_t i = 0; i < table.ledger.mask_words(); ++i) half.words[i].store(late.words[i]);
            half.checksum.store(late.checksum);
            half.stamp.store(late.stamp);
        }
        if (stores > 1) table.ledger.mailbox(slot).confined.store(other.ledger.mailbox(slot).confined);
        RC_ASSERT(confined_seq(table.ledger, slot) == 0U);
        RC_ASSERT(released_seq(table.ledger, table.pages, slot) == 0U);
        RC_ASSERT(!read_outside(table.ledger, slot, outside));
        note_begun(table.ledger, slot, former, old.seq);
        RC_ASSERT(table.ledger.mailbox(slot).begun.load() == 0U);
        table.ledger.mailbox(slot).begun.store(confined_mark(former, old.seq));
        const Request none{0, CpuSet::empty()};
        RC_ASSERT(begun_since(table.ledger, slot, nullptr, none, old.seq).none());
        RC_ASSERT(check_invariants(table.ledger, nullptr) == DROM_OK);
        // And the present user's own confinement counts, after any such stores.
        const uint32_t present = state_of(table.ledger.slot(slot)).generation;
        note_outside(table.ledger, slot, present, {1, any_mask()});
        RC_ASSERT(confined_seq(table.ledger, slot) == 1U);
    }));
}

TEST(Mailbox, WhereThreadsMayHaveBeenMovedIsTheRequestSinceTheLastReleaseThatAMoveBeganWith) {
    EXPECT_TRUE(holds("begun", [] {
        const MemoryTable table(kCpus, 1);
        const uint32_t generation = state_of(table.ledger.slot(0)).generation;
        const auto posts = *rc::gen::inRange<uint64_t>(1, 6);
        CpuSet last = CpuSet::empty(), before;
        for (uint64_t seq = 0; seq < posts; ++seq) {
            before = last;
            last = any_mask();
            RC_ASSERT(post_request(table.ledger, table.name(0), seq, last));
        }
        const auto began = *rc::gen::inRange<uint64_t>(0, posts + 1);
        const auto since = *rc::gen::inRange<uint64_t>(0, posts + 1);
        if (began > 0) note_begun(table.ledger, 0, generation, began);
        note_begun(table.ledger, 0, generation, *rc::gen::inRange<uint64_t>(0, began + 1));  // it never goes back
        const CpuSet released = CpuSet::range(0, kCpus);
        Page page{};
        page.began.store(*rc::gen::inRange<uint64_t>(0, posts + 1));
        const bool outside = began > since && posts - 1 > since;
        const bool any = std::max(began, page.began.load()) > since && posts - 1 > since;
        RC_ASSERT(begun_since(table.ledger, 0, nullptr, {since, released}, posts) == (outside ? before : released));
        RC_ASSERT(begun_since(table.ledger, 0, &page, {since, released}, posts) == (any ? before : released));
    }));
}

TEST(Mailbox, ATornHalfIsNeverBelieved) {
    EXPECT_TRUE(holds("torn", [] {
        const MemoryTable table(kCpus, 1);
        const CpuSet first = any_mask();
        RC_ASSERT(post_request(table.ledger, table.name(0), 0, first));
        RequestHalf& half = table.ledger.half(0, 1);
        // Any subset of the words of another request is written over it, with or without its checksum and number.
        const CpuSet other = any_mask();
        const auto written = *rc::gen::inRange(0U, 1U << 4);
        for (uint32_t i = 0; i < table.ledger.header().mask_words; ++i)
            if ((written >> i & 1) != 0) half.words[i].store(other.words[i]);
        Request posted{};
        if (read_request(table.ledger, 0, posted)) RC_ASSERT(posted.mask == first);
        half.stamp.store(*rc::gen::inRange<uint64_t>(0, 9));
        if (read_request(table.ledger, 0, posted)) RC_ASSERT(posted.mask == first && posted.seq == 1U);
    }));
}

TEST(Mailbox, ADeadPostersHalfWrittenRequestDoesNotExist) {
    EXPECT_TRUE(holds("prefix of a post", [] {
        const MemoryTable table(kCpus, 1);
        const CpuSet first = any_mask();
        RC_ASSERT(post_request(table.ledger, table.name(0), 0, first));
        // The other half, up to and including its number, but not published.
        const CpuSet other = any_mask();
        RequestHalf& half = table.ledger.half(0, 2);
        for (uint32_t i = 0; i < *rc::gen::inRange(0U, table.ledger.header().mask_words + 1); ++i)
            half.words[i].store(other.words[i]);
        half.stamp.store(2);
        Request posted{};
        RC_ASSERT(read_request(table.ledger, 0, posted));
        RC_ASSERT(posted.seq == 1U && posted.mask == first);
        const CpuSet third = any_mask();
        RC_ASSERT(post_request(table.ledger, table.name(0), 1, third));
        RC_ASSERT(read_request(table.ledger, 0, posted));
        RC_ASSERT(posted.seq == 2U && posted.mask == third);
    }));
}

/// Pages of a table on disk, because acknowledgements come through files.
class Acknowledged : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(create_ledger(directory_.table().c_str(), {64, 4, kModeUser}, &error_), DROM_OK) << error_.text;
        ASSERT_EQ(open_ledger(directory_.table().c_str(), false, ledger_, &error_), DROM_OK) << error_.text;
        path_ = directory_.table();
        ASSERT_TRUE(pages_.open(&ledger_, path_.c_str()));
        slot_ = claim_slot(ledger_);
        const uint32_t generation = state_of(ledger_.slot(slot_)).generation;
        page_ = create_page(ledger_, path_.c_str(), slot_, generation, geteuid(), &error_);
        ASSERT_NE(page_, nullptr) << error_.text;
        ASSERT_TRUE(post_request(ledger_, name_of(ledger_, slot_), 0, CpuSet::range(0, 2)));
        ASSERT_TRUE(post_request(ledger_, name_of(ledger_, slot_), 1, CpuSet::range(0, 3)));
    }
    void TearDown() override {
        unmap_page(page_);
        pages_.clear();
        close_ledger(ledger_);
    }
    drom::test::TempDir directory_;
    std::string path_;
    Ledger ledger_;
    Pages pages_;
    Page* page_ = nullptr;
    uint32_t slot_ = 0;
    drom_error error_{};
};

TEST_F(Acknowledged, CountsUpToWhatWasPosted) {
    EXPECT_EQ(released_seq(ledger_, pages_, slot_), 0U);
    page_->released.store(1);
    EXPECT_EQ(released_seq(ledger_, pages_, slot_), 1U);
    page_->released.store(2);
    EXPECT_EQ(released_seq(ledger_, pages_, slot_), 2U);
}

TEST_F(Acknowledged, AClientThatLiesAheadIsNotBelieved) {
    for (uint64_t lie : {uint64_t{3}, uint64_t{1} << 32, UINT64_MAX}) {
        page_->released.store(lie);
        EXPECT_EQ(released_seq(ledger_, pages_, slot_), 0U) << lie;
    }
}

TEST_F(Acknowledged, ConfinedFromOutsideCountsAsReleased) {
    note_outside(ledger_, slot_, state_of(ledger_.slot(slot_)).generation, {2, CpuSet::range(0, 3)});
    EXPECT_EQ(released_seq(ledger_, pages_, slot_), 2U);
    EXPECT_NE(ledger_.mailbox(slot_).confined_ns.load(), 0U);
    note_outside(ledger_, slot_, state_of(ledger_.slot(slot_)).generation, {1, CpuSet::range(0, 2)});
    EXPECT_EQ(confined_seq(ledger_, slot_), 2U) << "an older request that was confined later counts for nothing";
    page_->released.store(1);
    EXPECT_EQ(released_seq(ledger_, pages_, slot_), 2U);
}

TEST_F(Acknowledged, AClientWithoutAPageHasReleasedNothing) {
    remove_page(ledger_, path_.c_str(), slot_, state_of(ledger_.slot(slot_)).generation);
    Pages fresh;
    ASSERT_TRUE(fresh.open(&ledger_, path_.c_str()));
    EXPECT_EQ(fresh.view(slot_), nullptr);
    EXPECT_EQ(released_seq(ledger_, fresh, slot_), 0U);
    fresh.wake_client(slot_);
}

}  // namespace
