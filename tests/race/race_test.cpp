// SPDX-License-Identifier: BSD-3-Clause
// race_test.cpp - threads as actors on one table, for ThreadSanitizer: it checks the declared orders, not those of this
// CPU.
//
// Also a stress test without it: no request is seen torn, no slot is claimed twice, no CPU is in two masks, no event is
// mixed up.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/confine.hpp"
#include "client/client.hpp"
#include "client/regions.hpp"
#include "memory_table.hpp"
#include "shmem/admin_lock.hpp"
#include "shmem/events.hpp"
#include "shmem/invariants.hpp"
#include "watchdog_per_test.hpp"

namespace {

using namespace drom;
using drom::test::MemoryTable;

constexpr unsigned kActors = 8;

unsigned rounds() {
    const char* text = std::getenv("DROM_RACE_ROUNDS");
    return text != nullptr ? static_cast<unsigned>(std::atoi(text)) : 2000;
}

/// Runs `body(actor)` in eight threads that start together.
void together(const std::function<void(unsigned)>& body) {
    std::atomic<unsigned> ready{0};
    std::vector<std::thread> threads;
    for (unsigned actor = 0; actor < kActors; ++actor)
        threads.emplace_back([&, actor] {
            ready.fetch_add(1);
            while (ready.load() < kActors) std::this_thread::yield();
            body(actor);
        });
    for (std::thread& thread : threads) thread.join();
}

/// Counts the actors that write, so that readers continue until the last word is written. On a machine with few CPUs
/// all readers may end their rounds before the first writer runs.
class Writers {
public:
    explicit Writers(unsigned count) : left_(count) {}
    void one_is_done() { left_.fetch_sub(1); }
    bool done() const { return left_.load() == 0; }

private:
    std::atomic<unsigned> left_;
};

/// Returns a mask that can be recognised: the same bit in every word.
CpuSet pattern(uint64_t seed) {
    CpuSet mask{};
    for (uint32_t word = 0; word < 4; ++word) mask.words[word] = uint64_t{1} << seed % 64;
    return mask;
}

TEST(Race, ARequestIsSeenCompletelyOrNotAtAll) {
    const MemoryTable table(256, 1);
    Writers writers(3);
    std::atomic<unsigned> saw_the_newest{0};
    std::atomic<unsigned> torn{0};
    std::atomic<unsigned> back{0};
    const auto write = [&](unsigned actor) {
        for (unsigned i = 0; i < rounds(); ++i) {
            const uint64_t base = table.ledger.mailbox(0).newest.load();
            post_request(table.ledger, table.name(0), base, pattern(base + actor));
        }
        writers.one_is_done();
    };
    const auto read = [&] {
        uint64_t last = 0;
        for (bool settled = false; !settled;) {
            settled = writers.done();  // read first: a value that is read after it is the last one
            Request posted{};
            if (!read_request(table.ledger, 0, posted)) continue;
            if (posted.mask.count() != 4 || posted.mask.words[0] != posted.mask.words[3]) torn.fetch_add(1);
            if (posted.seq < last) back.fetch_add(1);
            last = posted.seq;
        }
        if (last == table.ledger.mailbox(0).newest.load()) saw_the_newest.fetch_add(1);
    };
    together([&](unsigned actor) { actor < 3 ? write(actor) : read(); });
    EXPECT_EQ(torn.load(), 0U);
    EXPECT_EQ(back.load(), 0U);
    EXPECT_EQ(saw_the_newest.load(), kActors - 3);
}

TEST(Race, ASlotIsClaimedByOne) {
    MemoryTable table(4, 6);
    std::atomic<int> holders[6] = {};
    std::atomic<unsigned> twice{0};
    std::atomic<unsigned> claimed{0};
    together([&](unsigned actor) {
        for (unsigned i = 0; i < rounds() / 4; ++i) {
            const uint32_t slot = claim_slot(table.ledger);
            if (slot == kNoSlot) continue;
            claimed.fetch_add(1);
            if (holders[slot].fetch_add(1) != 0) twice.fetch_add(1);
            Slot& s = table.ledger.slot(slot);
            write_identity(s.client, self());
            const uint32_t generation = state_of(s).generation;
            if (actor % 2 == 0) move_slot(table.ledger, slot, generation, phase::kLive, 0);
            find_pid(table.ledger, self().pid);
            holders[slot].fetch_sub(1);
            move_slot(table.ledger, slot, generation, phase::kFree, 0);
        }
    });
    EXPECT_EQ(twice.load(), 0U);
    EXPECT_GT(claimed.load(), 0U);
}

TEST(Race, WordsChangeHandsAndNoCpuIsInTwoMasks) {
    MemoryTable table(32, 4);
    for (int i = 0; i < 4; ++i) table.join();
    for (uint32_t slot = 0; slot < 4; ++slot) table.give(slot, CpuSet::range(slot * 8, 8));
    together([&](unsigned actor) {
        Pages pages;  // every administrator has its own
        pages.open(&table.ledger, "/nonexistent");
        std::vector<Change> changes(32);
        uint64_t random = actor * 7919 + 1;
        for (unsigned i = 0; i < rounds() / 4; ++i) {
            random = random * 6364136223846793005U + 1442695040888963407U;
            const auto slot = static_cast<uint32_t>(random >> 40) % 4;
            if (actor < 4) {  // clients obey
                table.release(actor);
                continue;
            }
            CpuSet mask{};
            mask.words[0] = (random | 1) & 0xffffffff;
            Plan plan{changes.data(), 0, {}};
            const PlanRules rules{true, (random >> 50 & 1) != 0, false, "drom: race"};
            if (plan_mask(table.ledger, table.name(slot), mask, rules, plan, nullptr) != DROM_OK) continue;
            for (uint32_t c = 0; c < plan.count; ++c)
                change_owner(table.ledger, changes[c].cpu, changes[c].from, changes[c].to);
            reconcile(table.ledger, pages, plan.touched);
        }
    });
    table.finish();
    drom_error error{};
    EXPECT_EQ(check_invariants(table.ledger, &error), DROM_OK) << error.text;
    CpuSet seen{};
    for (uint32_t slot = 0; slot < 4; ++slot) {
        EXPECT_FALSE(seen.intersects(table.owned(slot)));
        seen = seen | table.owned(slot);
    }
}

TEST(Race, EventsAreNotMixed) {
    const MemoryTable table(2, 1);
    Writers writers(4);
    std::atomic<unsigned> mixed{0};
    std::atomic<uint64_t> read{0};
    const auto write = [&](unsigned actor) {
        for (unsigned i = 0; i < rounds(); ++i) {
            const uint32_t value = actor * 1'000'000 + i;
            record(table.ledger,
                   {.type = DROM_EVENT_POST, .slot = actor, .cpu = value, .seq = value, .value = value, .pid = value});
        }
        writers.one_is_done();
    };
    const auto follow = [&] {
        uint64_t next = 0;
        std::vector<drom_event> out(64);
        for (bool settled = false; !settled;) {
            settled = writers.done();
            const size_t count = copy_events(table.ledger, next, out.data(), out.size());
            for (size_t e = 0; e < count; ++e)
                if (out[e].cpu != out[e].value || out[e].seq != out[e].value || out[e].slot != out[e].value / 1'000'000)
                    mixed.fetch_add(1);
            read.fetch_add(count);
        }
    };
    together([&](unsigned actor) { actor < 4 ? write(actor) : follow(); });
    EXPECT_EQ(mixed.load(), 0U);
    EXPECT_GT(read.load(), 0U);
}

/// This process is a client: an administrator posts, several threads release, others place themselves under the guard.
TEST(Race, ReleasesAndGuardedPlacement) {
    const drom::test::TempDir directory;
    setenv("DROM_TABLE", directory.table().c_str(), 1);
    drom_table* table = nullptr;
    drom_options create{};
    create.size = sizeof create;
    create.flags = DROM_CREATE;
    create.cpus = 8;
    drom_error error{};
    ASSERT_EQ(drom_open(&table, nullptr, &create, &error), DROM_OK) << error.text;
    CpuSet all = CpuSet::range(0, 8);
    ASSERT_EQ(client::join({&all, DROM_ENTRY_EXPLICIT, true, "race", nullptr, 1, 0, false}, &error), DROM_OK)
        << error.text;
    std::atomic<unsigned> outside{0};
    together([&](unsigned actor) {
        drom_options plain{};
        plain.size = sizeof plain;
        for (unsigned i = 0; i < rounds() / 10; ++i) {
            Request wanted{};
            if (actor == 0) {
                const uint64_t mask = i % 2 == 0 ? 0x1 : 0xff;
                drom_set_mask(table, getpid(), &mask, 1, &plain, nullptr);
            } else if (actor < 4) {
                if (client::pending() && client::newest(wanted) && client::release(wanted) && actor == 1)
                    client::acknowledge_resize(wanted.seq, actor, DROM_RESIZE_CALLER, "race");
            } else {
                const client::AffinityGuard guard;
                if (set_affinity(0, guard.mask()) != 0) outside.fetch_add(1);
            }
        }
    });
    EXPECT_EQ(outside.load(), 0U);
    EXPECT_EQ(client::leave(&error), DROM_OK) << error.text;
    drom_close(table);
}

TEST(Race, TheTurnIsOneAdministratorsAtATime) {
    const MemoryTable table(2, 1);
    // All actors are one process here, so the word cannot tell them apart: the test asks only that no thread waits for
    // ever.
    std::atomic<unsigned> turns{0};
    together([&](unsigned) {
        for (unsigned i = 0; i < rounds() / 10; ++i) {
            const AdminLock lock(table.ledger.header(), deadline_in_ms(60'000));
            turns.fetch_add(1);
        }
    });
    EXPECT_EQ(turns.load(), kActors * (rounds() / 10));
    EXPECT_EQ(table.ledger.header().admin_lock.load(), 0U);
}

TEST(Race, RegionsLoseNoBeginAndNoEnd) {
    RegionFigures last{};
    std::atomic<unsigned> wrong{0};
    const uint64_t begin = now_ns();
    together([&](unsigned actor) {
        RegionFigures figures{};
        for (unsigned i = 0; i < rounds(); ++i) {
            if (actor == 0) client::regions::note_cpus(1 + i % 4);
            if (client::regions::begin("all actors") != DROM_OK) wrong.fetch_add(1);
            const int status = client::regions::figures_of("all actors", figures);
            if (status == DROM_OK && (figures.open == 0 || figures.elapsed_ns > now_ns() - begin)) wrong.fetch_add(1);
            if (status != DROM_OK && status != DROM_E_BUSY) wrong.fetch_add(1);
            if (client::regions::end("all actors") != DROM_OK) wrong.fetch_add(1);
        }
    });
    EXPECT_EQ(wrong.load(), 0U);
    ASSERT_EQ(client::regions::figures_of("all actors", last), DROM_OK);
    EXPECT_EQ(last.count, kActors * rounds());
    EXPECT_EQ(last.open, 0U);
    EXPECT_LE(last.elapsed_ns, now_ns() - begin);
    EXPECT_LE(last.available_ns, 4 * last.elapsed_ns);
}

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    const int result = drom::test::run_all_tests(580 + rounds() / 10);
    printf("race: %u threads, %u rounds each\n", kActors, rounds());
    return result;
}
