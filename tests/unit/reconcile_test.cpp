// SPDX-License-Identifier: BSD-3-Clause
// reconcile_test.cpp - reconciling: everything follows from the owner words, in any order, any number of times.
#include "shmem/reconcile.hpp"

#include <cstring>
#include <vector>

#include "memory_table.hpp"
#include "property.hpp"
#include "shmem/invariants.hpp"

namespace {

using namespace drom;
using drom::test::holds;
using drom::test::MemoryTable;

constexpr uint32_t kCpus = 10;
constexpr uint32_t kClients = 4;

/// Any words that the invariants allow: owners and next owners living, dead and gone, homes anywhere, requests at any
/// stage.
struct Mess {
    MemoryTable table{kCpus, kClients};
    std::vector<uint32_t> slots;
    std::vector<Owner::Name> names{Owner::none()};

    Mess() {
        for (int i = 0; i < 3; ++i) {
            const uint32_t slot = table.join();
            slots.push_back(slot);
            names.push_back(table.name(slot));
        }
        names.push_back({slots[0], (table.name(slots[0]).gen + 7) & 0xfff});  // a former user of the slot
        names.push_back({kClients - 1, 1});                                   // a free slot
        for (uint32_t cpu = 0; cpu < kCpus; ++cpu) word(cpu);
        for (uint32_t slot : slots) mailbox(slot);
        if (*rc::gen::inRange(0, 3) == 0) table.die(slots[2]);
    }
    void word(uint32_t cpu) {
        const Owner::Name owner = any_name();
        const bool leaving = !(owner == Owner::none()) && *rc::gen::arbitrary<bool>();
        const Owner::Name next = leaving ? any_name() : Owner::none();
        uint64_t flags = leaving ? Owner::kOffered : 0;
        if (leaving && *rc::gen::inRange(0, 4) == 0) flags |= Owner::kFast;
        if ((leaving || owner == Owner::none()) && next == Owner::none() && *rc::gen::inRange(0, 5) == 0)
            flags |= Owner::kDrained;
        table.ledger.owner(cpu).store(Owner{0}.with(owner, next, flags).bits);
        if (*rc::gen::inRange(0, 3) == 0)
            table.ledger.home(cpu).store(home_of(table.ledger, slots[*rc::gen::inRange<size_t>(0, 3)]));
    }
    void mailbox(uint32_t slot) {
        for (uint64_t seq = 0; seq < *rc::gen::inRange<uint64_t>(0, 3); ++seq) {
            CpuSet mask = CpuSet::range(*rc::gen::inRange(0U, kCpus), 1);
            mask = mask | owned_cpus(table.ledger, table.name(slot));
            post_request(table.ledger, table.name(slot), seq, mask);
        }
        const uint64_t newest = table.ledger.mailbox(slot).newest.load();
        table.release(slot, *rc::gen::inRange<uint64_t>(0, newest + 1));
    }
    Owner::Name any_name() { return names[*rc::gen::inRange<size_t>(0, names.size())]; }
};

bool same_ledger(const MemoryTable& a, const MemoryTable& b) {
    const Header& h = a.ledger.header();
    for (uint32_t slot = 0; slot < kClients; ++slot) {
        if (a.ledger.mailbox(slot).newest.load() != b.ledger.mailbox(slot).newest.load()) return false;
        if (a.ledger.slot(slot).state.load() != b.ledger.slot(slot).state.load()) return false;
        if (!(a.posted(slot) == b.posted(slot))) return false;
    }
    return std::memcmp(a.ledger.base + h.owners_at, b.ledger.base + h.owners_at, h.locations_at - h.owners_at) == 0;
}

TEST(Reconcile, TheSecondTimeFindsNothingToDo) {
    EXPECT_TRUE(holds("idempotent", [] {
        Mess mess;
        reconcile_all(mess.table.ledger, mess.table.pages);
        const MemoryTable once(mess.table);
        RC_ASSERT(!reconcile_all(mess.table.ledger, mess.table.pages));
        RC_ASSERT(same_ledger(once, mess.table));
    }));
}

TEST(Reconcile, LeavesALegalTable) {
    EXPECT_TRUE(holds("legal", [] {
        Mess mess;
        drom_error error{};
        RC_ASSERT(check_invariants(mess.table.ledger, &error) == DROM_OK);
        reconcile_all(mess.table.ledger, mess.table.pages);
        RC_ASSERT(check_invariants(mess.table.ledger, &error) == DROM_OK);
        mess.table.finish();
        RC_ASSERT(check_invariants(mess.table.ledger, &error) == DROM_OK);
        for (uint32_t cpu = 0; cpu < kCpus; ++cpu) {
            const Owner word = mess.table.word(cpu);
            RC_ASSERT(word.owner() == Owner::none() || is_live(mess.table.ledger, word.owner()));
        }
    }));
}

TEST(Reconcile, NeverGivesAwayWhatItsLivingOwnerHasNotReleased) {
    EXPECT_TRUE(holds("exclusive", [] {
        Mess mess;
        const MemoryTable before(mess.table);
        reconcile_all(mess.table.ledger, mess.table.pages);
        for (uint32_t cpu = 0; cpu < kCpus; ++cpu) {
            const Owner::Name owner = before.word(cpu).owner();
            if (owner == Owner::none() || !is_live(before.ledger, owner)) continue;
            Request posted{};
            const bool told = read_request(before.ledger, owner.slot, posted);
            const bool released =
                !told || (confined_seq(before.ledger, owner.slot) == posted.seq && !posted.mask.has(cpu));
            if (!released) RC_ASSERT(mess.table.word(cpu).owner() == owner);
        }
    }));
}

TEST(Reconcile, NumbersNeverGoBack) {
    EXPECT_TRUE(holds("sequence", [] {
        Mess mess;
        const MemoryTable before(mess.table);
        mess.table.finish();
        for (uint32_t slot = 0; slot < kClients; ++slot)
            RC_ASSERT(mess.table.ledger.mailbox(slot).newest.load() >= before.ledger.mailbox(slot).newest.load());
    }));
}

TEST(Reconcile, PostsExactlyWhatTheWordsSpell) {
    EXPECT_TRUE(holds("derived", [] {
        Mess mess;
        reconcile_all(mess.table.ledger, mess.table.pages);
        for (uint32_t slot : mess.slots) {
            const Owner::Name name = mess.table.name(slot);
            const CpuSet usable = usable_cpus(mess.table.ledger, name);
            if (is_live(mess.table.ledger, name) && !usable.none()) RC_ASSERT(mess.table.posted(slot) == usable);
        }
    }));
}

TEST(Reconcile, RetiringTwiceIsRetiringOnce) {
    EXPECT_TRUE(holds("retire", [] {
        Mess mess;
        retire(mess.table.ledger, mess.table.pages, "/nonexistent", mess.slots[0],
               mess.table.ledger.slot(mess.slots[0]).state.load(), DROM_EVENT_REAP);
        RC_ASSERT(state_of(mess.table.ledger.slot(mess.slots[0])).phase == phase::kFree);
        const MemoryTable once(mess.table);
        retire(mess.table.ledger, mess.table.pages, "/nonexistent", mess.slots[0],
               mess.table.ledger.slot(mess.slots[0]).state.load(), DROM_EVENT_REAP);
        RC_ASSERT(same_ledger(once, mess.table));
        for (uint32_t cpu = 0; cpu < kCpus; ++cpu) RC_ASSERT(mess.table.word(cpu).owner().slot != mess.slots[0]);
    }));
}

}  // namespace
