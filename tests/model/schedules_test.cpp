// SPDX-License-Identifier: BSD-3-Clause
// schedules_test.cpp - the real code along the schedules in which the model showed faults of an earlier version.
#include <gtest/gtest.h>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <atomic>
#include <string>

#include "base/confine.hpp"
#include "child.hpp"
#include "client/client.hpp"
#include "drom/drom.h"
#include "options.hpp"
#include "private.h"
#include "puppet.hpp"
#include "shmem/events.hpp"
#include "shmem/reconcile.hpp"
#include "shmem/slots.hpp"
#include "temp_dir.hpp"
#include "two_cpus.hpp"
#include "watchdog_per_test.hpp"

namespace {

using namespace drom;
using drom::test::Puppet;
using drom::test::TempDir;

constexpr uint64_t kOfTheClaimer = 2;
constexpr uint64_t kSeqMask = (uint64_t{1} << 40) - 1;

class Schedules : public testing::Test {
protected:
    void SetUp() override {
        drom_error error{};
        ASSERT_EQ(create_ledger(directory_.table().c_str(), {4, 4, kModeUser}, &error), DROM_OK) << error.text;
        ASSERT_EQ(open_ledger(directory_.table().c_str(), false, ledger_, &error), DROM_OK) << error.text;
        ASSERT_TRUE(pages_.open(&ledger_, directory_.table().c_str()));
    }
    void TearDown() override {
        pages_.clear();
        close_ledger(ledger_);
    }

    uint32_t join() {
        const uint32_t slot = claim_slot(ledger_);
        write_identity(ledger_.slot(slot).client, self());
        move_slot(ledger_, slot, state_of(ledger_.slot(slot)).generation, phase::kLive, 0);
        return slot;
    }
    void own(uint32_t cpu, uint32_t slot) { change(cpu, name(slot), Owner::none(), 0); }
    void offer(uint32_t cpu, uint32_t from, uint32_t to) { change(cpu, name(from), name(to), Owner::kOffered); }
    void change(uint32_t cpu, Owner::Name owner, Owner::Name next, uint64_t flags) {
        const Owner word = this->word(cpu);
        ASSERT_TRUE(change_owner(ledger_, cpu, word, word.with(owner, next, flags)));
    }
    void release(uint32_t slot) { confine(slot, newest(slot)); }
    void confine(uint32_t slot, uint64_t seq) {
        ledger_.mailbox(slot).confined.store(confined_mark(state_of(ledger_.slot(slot)).generation, seq));
    }
    /// Returns the body of an administrator that reconciles for `slot`.
    auto reconciles_for(uint32_t slot) {
        return [this, slot] {
            SlotSet touched;
            touched.add(slot);
            reconcile(ledger_, pages_, touched);
        };
    }

    Owner::Name name(uint32_t slot) const { return name_of(ledger_, slot); }
    Owner word(uint32_t cpu) const { return {ledger_.owner(cpu).load()}; }
    uint64_t newest(uint32_t slot) const { return ledger_.mailbox(slot).newest.load(); }
    /// Returns how often processes took a half of the page over since its slot was claimed.
    uint64_t attempts(uint32_t slot) const { return ledger_.mailbox(slot).attempts.load() - kOfTheClaimer; }
    uint64_t half_seq(uint32_t slot, uint64_t seq) const { return ledger_.half(slot, seq).stamp.load() & kSeqMask; }
    CpuSet posted(uint32_t slot) const {
        Request posted{};
        return read_request(ledger_, slot, posted) ? posted.mask : CpuSet::empty();
    }

    TempDir directory_;
    Ledger ledger_;
    Pages pages_;
};

// 1. A client read request 1 and followed it. 2. Request 1 became another mask. 3. The client never looked at it again.
TEST_F(Schedules, ARequestThatWasReadNeverChanges) {
    const uint32_t a = join();
    const CpuSet first = CpuSet::range(0, 1);
    const CpuSet second = CpuSet::range(0, 2);
    Puppet quick([&] { post_request(ledger_, name(a), 0, first); });
    Puppet slow([&] { post_request(ledger_, name(a), 0, second); });
    ASSERT_TRUE(quick.run_until([&] { return half_seq(a, 1) == 1; }));  // filled, and not published yet
    ASSERT_TRUE(slow.run_until([&] { return attempts(a) == 2; }));      // has looked at all, and taken no half
    ASSERT_TRUE(quick.finish());
    ASSERT_EQ(newest(a), 1U);
    ASSERT_TRUE(posted(a) == first);
    ASSERT_TRUE(slow.finish());
    EXPECT_FALSE(newest(a) == 1 && posted(a) == second) << "request 1 was one mask and is another";
}

// A poster that had looked at an empty half finds that it was filled meanwhile, and leaves it.
TEST_F(Schedules, WhoComesTooLateTakesNothing) {
    const uint32_t a = join();
    const CpuSet first = CpuSet::range(0, 1);
    Puppet slow([&] { post_request(ledger_, name(a), 0, CpuSet::range(0, 2)); });
    ASSERT_TRUE(slow.run_until([&] { return attempts(a) == 1; }));
    ASSERT_TRUE(post_request(ledger_, name(a), 0, first));
    slow.finish();
    EXPECT_EQ(newest(a), 1U);
    EXPECT_TRUE(posted(a) == first) << "request 1 cannot be read any more";
}

// A poster has taken a half and lost it to another poster. It is stopped at every third instruction in between.
TEST_F(Schedules, WhoLostAHalfNeverFinishesIt) {
    const CpuSet first = CpuSet::range(0, 1);
    const CpuSet second = CpuSet::range(0, 2);
    const uint32_t a = join();
    unsigned lost = 0;
    for (unsigned more = 0; more < 400; more += 3) {
        const uint64_t base = newest(a), before = attempts(a);
        Puppet slow([&] { post_request(ledger_, name(a), base, second); });
        ASSERT_TRUE(slow.run_until([&] { return attempts(a) == before + 1 && half_seq(a, base + 1) == 0; }));
        if (!slow.steps(more) || newest(a) != base) break;  // the poster has come to its end by itself
        ASSERT_TRUE(post_request(ledger_, name(a), base, first));
        ASSERT_TRUE(posted(a) == first);
        slow.finish();
        ++lost;
        EXPECT_FALSE(newest(a) == base + 1 && posted(a) == second)
            << "request " << base + 1 << " was one mask and is another";
        post_request(ledger_, name(a), newest(a), first);
    }
    EXPECT_GT(lost, 20U);
}

// 1. An administrator looked for a client by its pid. 2. The client left. 3. The next client claimed the slot, in which
// the former pid was still written.
TEST_F(Schedules, WhoIsLookedForAndLeavesIsNotTakenForTheNextUserOfItsSlot) {
    auto* found =
        static_cast<User*>(mmap(nullptr, sizeof(User), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(found, MAP_FAILED);
    const uint32_t pid = self().pid;
    unsigned met = 0;
    for (unsigned instructions = 1; instructions < 4000; instructions += 19) {
        const uint32_t a = join();
        const uint32_t generation = state_of(ledger_.slot(a)).generation;
        Puppet looking([&] { *found = find_listed_user(ledger_, pid); });
        const bool is_looking = looking.steps(instructions);
        move_slot(ledger_, a, generation, phase::kFree, 0);
        ledger_.slot(a).state.store(pack_state({phase::kClaimed, 0, generation + 1}));  // not blanked yet
        looking.finish();
        if (!is_looking) break;
        EXPECT_TRUE(found->slot == kNoSlot || found->generation == generation) << "after " << instructions;
        met += found->slot == kNoSlot ? 1 : 0;
        move_slot(ledger_, a, generation + 1, phase::kFree, 0);
    }
    EXPECT_GT(met, 20U);
    munmap(found, sizeof *found);
}

// The client released a request without the CPU long ago, and a request with it is under way. An administrator that is
// about to notify the client is not enough: the CPU must not be handed over yet.
TEST_F(Schedules, ACpuIsToldWhenTheRequestIsThere) {
    const uint32_t b = join();
    const uint32_t a = join();
    own(0, a);
    own(2, b);
    reconcile_all(ledger_, pages_);
    release(a);
    release(b);
    own(1, a);
    Puppet stale(reconciles_for(a));
    ASSERT_TRUE(stale.run_until([&] { return half_seq(a, 2) == 2; }));  // derived with CPU 1, and not published yet
    offer(1, a, b);
    Puppet telling(reconciles_for(a));
    telling.run_until([&] { return word(1).is(Owner::kNotified); });
    Puppet administrator(reconciles_for(b));
    administrator.run_until([&] { return newest(b) == 2; });
    stale.finish();
    EXPECT_TRUE((posted(a) & posted(b)).none());
}

// The user's view of the same fault: a client got a CPU, was said to have released and resized, and never ran on it.
TEST_F(Schedules, AClientGetsWhatItWasGivenThoughTwoPostAtOnce) {
    const uint32_t a = join();
    own(0, a);
    Puppet quick(reconciles_for(a));
    ASSERT_TRUE(quick.run_until([&] { return half_seq(a, 1) == 1; }));
    own(1, a);
    Puppet slow(reconciles_for(a));
    ASSERT_TRUE(slow.run_until([&] { return attempts(a) == 2; }));
    ASSERT_TRUE(quick.finish());
    const CpuSet followed = posted(a);
    const uint64_t seq = newest(a);
    ASSERT_TRUE(slow.finish());
    EXPECT_TRUE(newest(a) > seq || posted(a) == followed) << "no request tells the client that it has CPU 1";
    EXPECT_TRUE(posted(a) == CpuSet::range(0, 2));
}

// 1. A joining client had two CPUs, and its first request was derived. 2. An administrator took one of the CPUs at
// once, because no request had been posted yet. 3. The derived request was posted: two clients ran on one CPU.
TEST_F(Schedules, ACpuIsNotTakenFromAClientWhoseFirstRequestIsUnderWay) {
    const uint32_t b = join();
    const uint32_t a = join();
    own(0, a);
    own(1, a);
    Puppet joining(reconciles_for(a));
    ASSERT_TRUE(joining.run_until([&] { return attempts(a) == 1; }));  // the mask is derived
    offer(1, a, b);
    Puppet administrator(reconciles_for(b));
    administrator.run_until([&] { return newest(b) == 1; });  // and is killed here
    joining.finish();
    EXPECT_TRUE((posted(a) & posted(b)).none());
    reconcile_all(ledger_, pages_);
    release(a);
    reconcile_all(ledger_, pages_);
    EXPECT_EQ(word(1).owner(), name(b));
    EXPECT_TRUE((posted(a) & posted(b)).none());
}

// 1. A process posted for an offer. 2. The offer was withdrawn. 3. The process marked the next offer as notified, for
// which no request had been posted.
TEST_F(Schedules, WhoPostedForAnotherOfferTellsNothing) {
    const uint32_t b = join();
    const uint32_t a = join();
    own(0, a);
    own(1, a);
    own(2, b);
    reconcile_all(ledger_, pages_);
    release(a);
    release(b);
    offer(1, a, b);
    Puppet first(reconciles_for(a));
    ASSERT_TRUE(first.run_until([&] { return newest(a) == 2; }));  // posted without CPU 1, and not marked yet
    release(a);
    own(1, a);  // the offer is withdrawn
    Puppet stale(reconciles_for(a));
    ASSERT_TRUE(stale.run_until([&] { return half_seq(a, 3) == 3; }));  // derived with CPU 1, and not published yet
    offer(1, a, b);
    first.finish();
    Puppet administrator(reconciles_for(b));
    administrator.run_until([&] { return newest(b) == 2; });
    stale.finish();
    EXPECT_TRUE((posted(a) & posted(b)).none());
}

/// Starts a process that joins when `begin` opens, and stays.
test::Child joins_when(test::Gate& begin, test::Gate& joined, const std::string& path) {
    return test::Child::run([&] {
        setenv("DROM_TABLE", path.c_str(), 1);
        begin.pass();
        if (client::join({nullptr, DROM_ENTRY_EXPLICIT, false, "joins", nullptr, 1, 0, false}, nullptr) != DROM_OK)
            return 1;
        joined.open();
        for (;;) pause();
    });
}

// A process joined while an administrator registered it through DLB's interface: it had two slots, and followed one.
TEST_F(Schedules, WhoJoinsWhileItIsRegisteredHasOneSlot) {
    const std::string path = directory_.table();
    test::Gate begin, joined;
    const test::Child client = joins_when(begin, joined, path);
    Puppet administrator([&] {
        drom_dlb_view* view = nullptr;
        drom_dlb_client registered{};
        if (drom_dlb_open(&view, path.c_str(), nullptr) != DROM_OK) _exit(1);
        _exit(drom_dlb_enrol(view, client.pid(), &registered, nullptr) == DROM_E_BUSY ? 0 : 2);
    });
    ASSERT_TRUE(administrator.run_until([&] { return state_of(ledger_.slot(0)).phase == phase::kClaimed; }));
    begin.open();
    joined.pass();
    EXPECT_TRUE(administrator.finish()) << "it is not told that the process has joined";
    const uint32_t slot = find_listed_pid(ledger_, client.upid());
    ASSERT_NE(slot, kNoSlot);
    EXPECT_EQ(find_other_slot(ledger_, client.upid(), slot), kNoSlot);
}

// A reader that copied an event while its place in the ring was used again would have got a mixture of two events.
TEST_F(Schedules, AnEventWhosePlaceIsUsedAgainWhileItIsCopiedIsNotTold) {
    struct Told {
        std::atomic<bool> begun;
        size_t count;
        drom_event event;
    };
    auto* told =
        static_cast<Told*>(mmap(nullptr, sizeof(Told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(told, MAP_FAILED);
    const auto happen = [&](uint32_t what) {
        record(ledger_, {.type = DROM_EVENT_POST, .slot = 0, .seq = what, .value = what, .time_ns = what});
    };
    unsigned refused = 0;
    for (unsigned instructions = 1; instructions < 300; ++instructions) {
        happen(instructions);
        const uint64_t last = ledger_.header().event_head.load() - 1;
        told->begun.store(false);
        Puppet reader([&] {
            uint64_t next = last;
            told->begun.store(true);
            told->count = copy_events(ledger_, next, &told->event, 1);
        });
        ASSERT_TRUE(reader.run_until([&] { return told->begun.load(); }));
        if (!reader.steps(instructions)) break;
        for (uint32_t i = 0; i < kEvents; ++i) happen(1000 + instructions);
        ASSERT_TRUE(reader.finish());
        refused += told->count == 0 ? 1 : 0;
        if (told->count == 0) continue;
        ASSERT_EQ(told->event.seq, told->event.value) << "after " << instructions << " instructions";
        ASSERT_EQ(told->event.time_ns, told->event.value) << "after " << instructions << " instructions";
    }
    EXPECT_GT(refused, 5U);
    munmap(told, sizeof *told);
}

// 1. A reader looked at an event before it was complete. 2. The event was completed. 3. The reader looked again, took
// the event for one of the past, and never returned it.
TEST_F(Schedules, AnEventThatIsCompletedWhileItIsLookedAtIsTold) {
    struct Follower {
        std::atomic<bool> begun;
        uint64_t next;
        size_t count;
    };
    auto* follower = static_cast<Follower*>(
        mmap(nullptr, sizeof(Follower), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(follower, MAP_FAILED);
    drom_event event{};
    unsigned later = 0;
    for (unsigned instructions = 1; instructions < 300; ++instructions) {
        const uint64_t index = ledger_.header().event_head.load();
        Puppet recorder([&] { record(ledger_, {.type = DROM_EVENT_POST, .slot = 0, .seq = 7}); });
        ASSERT_TRUE(recorder.run_until([&] { return ledger_.header().event_head.load() > index; }));
        follower->begun.store(false);
        follower->count = 0;
        follower->next = index;
        Puppet reader([&] {
            drom_event seen{};
            follower->begun.store(true);
            follower->count = copy_events(ledger_, follower->next, &seen, 1);
        });
        ASSERT_TRUE(reader.run_until([&] { return follower->begun.load(); }));
        const bool between = reader.steps(instructions);
        ASSERT_TRUE(recorder.finish());
        ASSERT_TRUE(!between || reader.finish());
        const size_t rest = copy_events(ledger_, follower->next, &event, 1);
        ASSERT_EQ(follower->count + rest, 1U) << "after " << instructions << " instructions";
        later += rest > 0 ? 1 : 0;
        if (!between) break;
    }
    EXPECT_GT(later, 0U) << "none was looked at too early";
    munmap(follower, sizeof *follower);
}

/// Sets the mask of `pid`. The CPUs are released when it returns, unless `flags` say otherwise.
int set_mask(const char* path, int32_t pid, uint64_t mask, uint64_t flags = DROM_WAIT_RELEASED) {
    drom_table* table = nullptr;
    drom_error error{};
    if (drom_open(&table, path, nullptr, &error) != DROM_OK) return error.status;
    drom_options options = test::options_with(flags, 3000);
    options.grace_ms = DROM_GRACE_AT_ONCE;
    const int status = drom_set_mask(table, pid, &mask, 1, &options, &error);
    drom_close(table);
    return status;
}

int reserve_two(const char* path, int32_t pid) {
    drom_table* table = nullptr;
    drom_error error{};
    if (drom_open(&table, path, nullptr, &error) != DROM_OK) return error.status;
    const uint64_t both = 3;
    const int status = drom_reserve(table, pid, &both, 1, nullptr, nullptr, &error);
    drom_close(table);
    return status;
}

// 1. An administrator was held up before it moved a client's threads. 2. The client was given another CPU.
// 3. The administrator moved the threads to a CPU that another client owned by then.
TEST_F(Schedules, WhoWasHeldUpBeforeItMovesThreadsMovesThemWhereTheyBelong) {
    NEED_TWO_CPUS();
    const std::string path = directory_.table();
    const test::Child client = test::Child::sleeper();
    ASSERT_GE(reserve_two(path.c_str(), client.pid()), DROM_OK);
    Puppet slow([&] { set_mask(path.c_str(), client.pid(), 2); });
    ASSERT_TRUE(slow.run_until_call(SYS_sched_setaffinity, client.upid()));
    ASSERT_EQ(set_mask(path.c_str(), client.pid(), 1), DROM_OK);
    slow.finish();
    CpuSet now{};
    ASSERT_TRUE(get_affinity(client.upid(), now));
    EXPECT_TRUE(now == CpuSet::range(0, 1)) << "it was put on a CPU that is not its own";
}

// 1. A process joined the CPUs that were being reserved for it. 2. One of the CPUs was not to be had, and the
// reservation was called off. 3. The process had no slot any more, and did not know it.
TEST_F(Schedules, WhoJoinsAReservationThatThenFailsIsAClientByItself) {
    NEED_TWO_CPUS();
    const std::string path = directory_.table();
    own(1, join());
    test::Gate begin, joined;
    const test::Child client = joins_when(begin, joined, path);
    Puppet administrator([&] { _exit(reserve_two(path.c_str(), client.pid()) == DROM_E_BUSY ? 0 : 1); });
    ASSERT_TRUE(administrator.run_until([&] { return state_of(ledger_.slot(1)).phase == phase::kReserved; }));
    begin.open();
    joined.pass();
    ASSERT_EQ(state_of(ledger_.slot(1)).phase, phase::kLive);
    EXPECT_TRUE(administrator.finish()) << "CPU 1 has an owner";
    ASSERT_EQ(find_listed_pid(ledger_, client.upid()), 1U) << "a living client has lost its slot";
    EXPECT_TRUE(wanted_cpus(ledger_, name(1)) == CpuSet::range(0, 1)) << "it has what is free of its CPUs";
}

/// Starts an administrator that sets the mask of `client`. It is killed when the client's thread has been moved, before
/// the ledger says so.
void move_and_die(const char* path, const test::Child& client, uint64_t mask) {
    Puppet killed([&] { set_mask(path, client.pid(), mask); });
    ASSERT_TRUE(killed.run_until_call(SYS_sched_setaffinity, client.upid()));
    ASSERT_TRUE(killed.run_until_call(SYS_sched_getaffinity, client.upid()));
    CpuSet now{};
    ASSERT_TRUE(get_affinity(client.upid(), now) && now.words[0] == mask);
}

// The client took the moved thread for one that its program had bound, and left it on CPU 0 for good.
TEST_F(Schedules, AClientWhoseThreadsWereMovedByAnAdministratorThatDiedUsesAllOfItsCpus) {
    NEED_TWO_CPUS();
    const std::string path = directory_.table();
    test::Gate joined, asked;
    test::Child client = test::Child::run([&] {
        setenv("DROM_TABLE", path.c_str(), 1);
        CpuSet both = CpuSet::range(0, 2);
        if (client::join({&both, DROM_ENTRY_EXPLICIT, false, "moved", nullptr, 1, 0, false}, nullptr) != DROM_OK)
            return 1;
        joined.open();
        asked.pass();
        Request wanted{};
        if (!client::newest(wanted) || !client::release(wanted)) return 2;
        CpuSet now{};
        return get_affinity(0, now) && now == both ? 0 : 3;
    });
    joined.pass();
    move_and_die(path.c_str(), client, 1);
    ASSERT_EQ(set_mask(path.c_str(), client.pid(), 3, 0), DROM_PENDING);
    asked.open();
    EXPECT_EQ(client.wait(), 0) << "it owns CPU 1 and does not let itself onto it";
}

TEST_F(Schedules, AProcessWhoseThreadsWereMovedByAnAdministratorThatDiedIsLetOntoAllOfItsCpus) {
    NEED_TWO_CPUS();
    const std::string path = directory_.table();
    const test::Child client = test::Child::sleeper();
    ASSERT_GE(reserve_two(path.c_str(), client.pid()), DROM_OK);
    ASSERT_EQ(set_mask(path.c_str(), client.pid(), 1), DROM_OK);
    ASSERT_EQ(set_mask(path.c_str(), client.pid(), 3), DROM_OK);
    move_and_die(path.c_str(), client, 1);
    ASSERT_EQ(set_mask(path.c_str(), client.pid(), 3), DROM_OK);
    CpuSet now{};
    ASSERT_TRUE(get_affinity(client.upid(), now));
    EXPECT_TRUE(now == CpuSet::range(0, 2)) << "it owns CPU 1 and is never let onto it";
}

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    return drom::test::run_all_tests(280);
}
