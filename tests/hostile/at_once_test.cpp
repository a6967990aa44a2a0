// SPDX-License-Identifier: BSD-3-Clause
// at_once_test.cpp - an administrator that may run at once confines clients itself. It must not harm them or itself,
// nor leave anything behind.
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <atomic>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/confine.hpp"
#include "base/run_at_once.hpp"
#include "shmem/mailbox.hpp"
#include "shmem/slots.hpp"
#include "skip.hpp"
#include "table_fixture.hpp"
#include "two_cpus.hpp"

namespace {

using namespace drom::test;
using drom::CpuSet;
using drom::RunAtOnce;

RunAtOnce::Attributes scheduling() {
    RunAtOnce::Attributes attributes{};
    EXPECT_EQ(syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0), 0);
    return attributes;
}

bool may_run_at_once() { return RunAtOnce(true).granted(); }

TEST(Urgency, LastsAsLongAsTheWork) {
    const RunAtOnce::Attributes before = scheduling();
    ASSERT_EQ(before.policy, uint32_t{SCHED_OTHER});
    {
        const RunAtOnce unwanted(false);
        EXPECT_EQ(scheduling().policy, before.policy);
        EXPECT_FALSE(unwanted.granted());
    }
    {
        const RunAtOnce wanted(true);
        EXPECT_EQ(scheduling().policy, static_cast<uint32_t>(wanted.granted() ? SCHED_FIFO : SCHED_OTHER));
    }
    const RunAtOnce::Attributes after = scheduling();
    EXPECT_EQ(after.policy, before.policy);
    EXPECT_EQ(after.nice, before.nice);
    EXPECT_EQ(after.flags, before.flags);
    EXPECT_EQ(after.runtime, before.runtime);
}

TEST(Urgency, LeavesAThreadWithAPolicyOfItsOwnAlone) {
    Child child = Child::run([] {
        const sched_param none{};
        if (sched_setscheduler(0, SCHED_BATCH, &none) != 0) return 1;
        const RunAtOnce wanted(true);
        return scheduling().policy == SCHED_BATCH && !wanted.granted() ? 0 : 2;
    });
    EXPECT_EQ(child.wait(), 0);
}

TEST(Urgency, StandsWhereItMayAndGoesBack) {
    CpuSet before{};
    ASSERT_TRUE(drom::get_affinity(0, before));
    CpuSet now{};
    {
        const drom::StandOn nowhere(CpuSet::empty());
        ASSERT_TRUE(drom::get_affinity(0, now));
        EXPECT_TRUE(now == before);
    }
    {
        const drom::StandOn place(CpuSet::range(before.first(), before.first() + 1));
        ASSERT_TRUE(drom::get_affinity(0, now));
        EXPECT_EQ(now.count(), 1U);
    }
    ASSERT_TRUE(drom::get_affinity(0, now));
    EXPECT_TRUE(now == before);
}

constexpr uint32_t kLong_ms = 60'000;  ///< longer than any machine is too busy

/// A client with CPUs 0-1 that runs `body` again and again.
class AtOnce : public WithTable {
protected:
    void start(bool async, const std::function<void()>& prepare, const std::function<void()>& body) {
        Gate joined;
        client_ = Child::run([&] {
            setenv("DROM_TABLE", path_.c_str(), 1);
            CpuSet cpus = CpuSet::range(0, 2);
            const drom::client::JoinOptions options{&cpus, DROM_ENTRY_EXPLICIT, async, "busy", nullptr, 1, 0, false};
            const int status = drom::client::join(options, nullptr);
            prepare();
            joined.open();
            while (status == DROM_OK) body();
            return 1;
        });
        joined.pass();
    }
    int set_and_wait(uint64_t mask, uint32_t timeout_ms) {
        drom_options wait = options_with(DROM_WAIT_RELEASED);
        wait.timeout_ms = timeout_ms;
        return drom_set_mask(table_, client_.pid(), &mask, 1, &wait, &error_);
    }
    void TearDown() override {
        client_.stop();
        WithTable::TearDown();
    }
    Child client_;
};

void nothing() {}

/// 15 ms are less than the grace period, so only the administrator can have moved it. A busy machine may need more now
/// and then, but not each time.
TEST_F(AtOnce, AClientThatNeverAnswersIsOffItsCpuWithoutGrace) {
    NEED_TWO_CPUS();
    if (!may_run_at_once()) DROM_SKIP("no real-time priority for us here");
    start(false, nothing, [] { usleep(1000); });
    for (const uint64_t mask : {1U, 3U, 2U, 3U}) {
        const uint64_t other = mask == 1 ? 2 : 1;
        int status = DROM_PENDING;
        for (int tries = 0; tries < 200 && status == DROM_PENDING; ++tries) {
            ASSERT_GE(set_and_wait(other, kLong_ms), 0) << error_.text;
            status = set_and_wait(mask, 15);
        }
        ASSERT_EQ(status, DROM_OK) << error_.text;
        CpuSet now{};
        ASSERT_TRUE(drom::get_affinity(client_.upid(), now));
        EXPECT_EQ(now.words[0], mask);
    }
}

TEST_F(AtOnce, ItsAgentAcknowledgesAllTheSame) {
    NEED_TWO_CPUS();
    start(true, nothing, [] { pause(); });
    ASSERT_EQ(set_and_wait(0x1, kLong_ms), DROM_OK) << error_.text;
    drom_client_info info{};
    info.size = sizeof info;
    for (int i = 0; i < 60'000 && info.released_seq < info.request_seq + (info.request_seq == 0); ++i) {
        size_t count = 1;
        ASSERT_EQ(drom_clients(table_, &info, &count, &error_), DROM_OK);
        usleep(1000);
    }
    EXPECT_EQ(info.released_seq, info.request_seq) << "no thread woke it";
}

TEST_F(AtOnce, AClientThatHasDisabledAdoptionKeepsItsGrace) {
    NEED_TWO_CPUS();
    start(true, [] { drom::client::disable(); }, [] { pause(); });
    EXPECT_EQ(set_and_wait(0x1, 5), DROM_PENDING) << error_.text;
    EXPECT_EQ(set_and_wait(0x1, kLong_ms), DROM_UNCHANGED) << error_.text;
}

TEST_F(AtOnce, AnAdministratorThatAskedForGraceGivesIt) {
    NEED_TWO_CPUS();
    start(false, nothing, [] { pause(); });
    drom_options wait = options_with(DROM_WAIT_RELEASED);
    wait.timeout_ms = 5;
    wait.grace_ms = 1000;
    const uint64_t mask = 0x1;
    EXPECT_EQ(drom_set_mask(table_, client_.pid(), &mask, 1, &wait, &error_), DROM_PENDING) << error_.text;
    CpuSet now{};
    ASSERT_TRUE(drom::get_affinity(client_.upid(), now));
    EXPECT_EQ(now.words[0], 0x3U);
}

/// The administrator dies between posting and waking: the agent's thread looks by itself now and then.
TEST_F(AtOnce, ARequestForWhichTheAgentWasNotWokenIsReleased) {
    NEED_TWO_CPUS();
    start(true, nothing, [] { pause(); });
    drom::Ledger ledger;
    ASSERT_EQ(drom::open_ledger(path_.c_str(), false, ledger, &error_), DROM_OK) << error_.text;
    const drom::Owner::Name client = drom::name_of(ledger, 0);
    const uint64_t base = ledger.mailbox(0).newest.load();
    ASSERT_TRUE(drom::post_request(ledger, client, base, CpuSet::range(0, 1)));
    CpuSet now{};
    for (int i = 0; i < 60'000 && now.words[0] != 0x1; ++i, usleep(1000)) drom::get_affinity(client_.upid(), now);
    EXPECT_EQ(now.words[0], 0x1U);
    drom::close_ledger(ledger);
}

constexpr unsigned kPlacing = 32;          // threads
constexpr unsigned kBetween_us = 1000000;  // two placements of a thread
constexpr uint64_t kToLookTwice_ms = 800;  // a thread that looks a second time has moved by then, on a busy machine too

/// Returns how many threads stay outside of `mask`.
unsigned outside(pid_t pid, const CpuSet& mask) {
    unsigned found = 0;
    for (pid_t tid = pid; tid < pid + 2 * static_cast<pid_t>(kPlacing); ++tid) {
        const uint64_t end = drom::deadline_in_ms(kToLookTwice_ms);
        CpuSet now{};
        const auto strays = [&] {
            return syscall(SYS_tgkill, pid, tid, 0) == 0 && drom::get_affinity(static_cast<uint32_t>(tid), now) &&
                   !mask.contains(now);
        };
        while (strays() && drom::now_ns() < end) usleep(100);
        found += strays() ? 1U : 0U;
    }
    return found;
}

/// Places as the agent does, but slowly: preempted between reading the mask and setting it.
void place_slowly(unsigned number) {
    for (usleep(number * (kBetween_us / kPlacing));; usleep(kBetween_us))
        drom::client::set_allowed([](const drom::Request& allowed) {
            usleep(2000);
            return drom::set_affinity(0, allowed.mask);
        });
}

/// Such a thread took a CPU back that the administrator had just reported as released.
TEST_F(AtOnce, AThreadThatPlacesItselfDoesNotStayOutsideTheMaskThatWasReported) {
    NEED_TWO_CPUS();
    const auto start_threads = [] {
        for (unsigned i = 0; i < kPlacing; ++i) std::thread(place_slowly, i).detach();
    };
    start(false, start_threads, [] { pause(); });
    drom_options wait = options_with(DROM_WAIT_RELEASED);
    wait.grace_ms = DROM_GRACE_AT_ONCE;
    wait.timeout_ms = kLong_ms;
    unsigned strays = 0;
    for (unsigned round = 0; round < 300; ++round) {
        const uint64_t mask = round % 2 == 0 ? 1 : 2;
        ASSERT_EQ(drom_set_mask(table_, client_.pid(), &mask, 1, &wait, &error_), DROM_OK) << error_.text;
        usleep(2000);
        CpuSet kept{};
        kept.words[0] = mask;
        strays += outside(client_.pid(), kept);
        ASSERT_GE(set_and_wait(3, kLong_ms), 0) << error_.text;
    }
    EXPECT_EQ(strays, 0U) << "in 300 requests";
}

}  // namespace
