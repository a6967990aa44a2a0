// SPDX-License-Identifier: BSD-3-Clause
// input_test.cpp - wrong arguments: masks, pids, flags, limits. Each is refused with a sentence and changes nothing.
#include <cstring>
#include <vector>

#include "table_fixture.hpp"

namespace {

using namespace drom::test;

struct Input : WithTable {
    void SetUp() override {
        WithTable::SetUp();
        a = reserve(0x0f);
        b = reserve(0x70);
    }
    /// Checks that the call was refused so, and that no client's CPUs have changed.
    void refused(int got, int status, const char* words) {
        EXPECT_EQ(got, status) << error_.text;
        EXPECT_EQ(error_.status, status);
        EXPECT_TRUE(says(words)) << error_.text;
        EXPECT_EQ(wanted(a.pid()), 0x0fU);
        EXPECT_EQ(wanted(b.pid()), 0x70U);
        EXPECT_EQ(std::strncmp(error_.text, "drom: ", 6), 0) << error_.text;
    }
    Child a, b;
};

TEST_F(Input, Masks) {
    const drom_options plain = options_with(0);
    const uint64_t none = 0;
    const uint64_t two[2] = {1, 1};
    std::vector<uint64_t> huge(80, 0);
    huge[79] = 1;
    refused(drom_set_mask(table_, a.pid(), &none, 1, &plain, &error_), DROM_E_INVAL, "empty");
    refused(drom_set_mask(table_, a.pid(), nullptr, 0, &plain, &error_), DROM_E_INVAL, "empty");
    refused(drom_set_mask(table_, a.pid(), nullptr, 1, &plain, &error_), DROM_E_INVAL, "empty");
    refused(set(a.pid(), 0x101), DROM_E_NOCPU, "CPU 8 is beyond");
    refused(drom_set_mask(table_, a.pid(), two, 2, &plain, &error_), DROM_E_NOCPU, "CPU 64 is beyond");
    refused(drom_set_mask(table_, a.pid(), huge.data(), huge.size(), &plain, &error_), DROM_E_NOCPU, "beyond 4095");
    refused(drom_drain(table_, &none, 1, &plain, &error_), DROM_E_INVAL, "empty");
    refused(drom_restore(table_, two, 2, &plain, &error_), DROM_E_NOCPU, "CPU 64 is beyond");
    refused(drom_reserve(table_, getpid(), &none, 1, &plain, nullptr, &error_), DROM_E_INVAL, "empty");
    huge[79] = 0;
    huge[0] = 0x0f;
    EXPECT_GE(drom_set_mask(table_, a.pid(), huge.data(), huge.size(), &plain, &error_), 0)
        << "clear words beyond are no CPUs";
}

TEST_F(Input, ForeignCpus) {
    refused(set(a.pid(), 0x1f), DROM_E_BUSY, "CPU 4 belongs to client");
    refused(set(a.pid(), 0x7f, DROM_TAKE), DROM_E_BUSY, "would be left with 0 CPUs");
    const uint64_t taken = 0x10;
    const drom_options plain = options_with(0);
    const Child c = Child::sleeper();
    refused(drom_reserve(table_, c.pid(), &taken, 1, &plain, nullptr, &error_), DROM_E_BUSY, "belongs to client");
    size_t count = 0;
    EXPECT_EQ(drom_clients(table_, nullptr, &count, nullptr), DROM_E_FULL);
    EXPECT_EQ(count, 2U) << "a refused reservation left its slot behind";
}

TEST_F(Input, CpusToAddOrToRemove) {
    refused(set(a.pid(), 0x18, DROM_ADD), DROM_E_BUSY, "CPU 4 belongs to client");
    refused(set(a.pid(), 0x100, DROM_ADD), DROM_E_NOCPU, "CPU 8 is beyond");
    refused(set(a.pid(), 0x81, DROM_REMOVE), DROM_E_NOCPU, "CPU 7 is not one of client");
    refused(set(a.pid(), 0x0f, DROM_REMOVE), DROM_E_INVAL, "nothing would be left of CPUs 0-3");
    refused(set(a.pid(), 0, DROM_REMOVE), DROM_E_INVAL, "empty");
    refused(set(a.pid(), 1, DROM_REMOVE | DROM_ADD), DROM_E_INVAL, "exclude each other");
    EXPECT_GE(set(a.pid(), 0x80, DROM_ADD), 0) << error_.text;
    EXPECT_EQ(wanted(a.pid()), 0x8fU);
    EXPECT_EQ(set(a.pid(), 0x81, DROM_ADD), DROM_PENDING) << "it has them, and has not released its last request";
    EXPECT_GE(set(a.pid(), 0x82, DROM_REMOVE), 0) << error_.text;
    EXPECT_EQ(wanted(a.pid()), 0x0dU);
}

TEST_F(Input, PidsThatAreNoClients) {
    const Child stranger = Child::sleeper();
    refused(set(stranger.pid(), 1), DROM_E_NOPROC, "no client");
    Child dead = Child::sleeper();
    const pid_t gone = dead.pid();
    dead.stop();
    refused(set(gone, 1), DROM_E_NOPROC, "no such process");
    for (const int32_t pid : {0, -1, INT32_MIN, INT32_MAX}) refused(set(pid, 1), DROM_E_NOPROC, "");
    const drom_options plain = options_with(0);
    uint64_t mask = 1;
    refused(drom_get_mask(table_, gone, &mask, &mask, 1, &error_), DROM_E_NOPROC, "no such process");
    refused(drom_shrink(table_, gone, 1, &plain, &error_), DROM_E_NOPROC, "no such process");
    refused(drom_release(table_, gone, &plain, &error_), DROM_E_NOPROC, "no client");
    refused(drom_reserve(table_, gone, &mask, 1, &plain, nullptr, &error_), DROM_E_NOPROC, "no such process");
    refused(drom_wait(table_, gone, 0, 10, &error_), DROM_E_NOPROC, "no such process");
    refused(drom_reserve(table_, a.pid(), &mask, 1, &plain, nullptr, &error_), DROM_E_BUSY, "client already");
    refused(drom_release(table_, getppid(), &plain, &error_), DROM_E_NOPROC, "no client");
}

TEST_F(Input, AClientThatHasEnded) {
    a.stop();
    EXPECT_EQ(set(b.pid(), 0x71), DROM_E_BUSY) << "its launcher, this process, lives: its CPUs are reserved";
    EXPECT_TRUE(says("belongs to client")) << error_.text;
}

TEST_F(Input, UnknownFlagsAndSizes) {
    const uint64_t mask = 1;
    drom_options options = options_with(1ULL << 40);
    refused(drom_set_mask(table_, a.pid(), &mask, 1, &options, &error_), DROM_E_INVAL, "0x10000000000");
    refused(drom_shrink(table_, a.pid(), 1, &options, &error_), DROM_E_INVAL, "unknown");
    refused(drom_expand(table_, a.pid(), 5, &options, &error_), DROM_E_INVAL, "unknown");
    refused(drom_drain(table_, &mask, 1, &options, &error_), DROM_E_INVAL, "unknown");
    refused(drom_check(table_, &options, &error_), DROM_E_INVAL, "unknown");
    options = options_with(DROM_CREATE);
    refused(drom_set_mask(table_, a.pid(), &mask, 1, &options, &error_), DROM_E_INVAL, "mean nothing here");
    options = options_with(0);
    options.size = 3;
    refused(drom_set_mask(table_, a.pid(), &mask, 1, &options, &error_), DROM_E_INVAL, "size is 3");
    options.size = sizeof options + 8;
    refused(drom_check(table_, &options, &error_), DROM_E_INVAL, "sizeof(drom_options)");
    options = options_with(0);
    options.reserved[3] = 1ULL << 56;
    refused(drom_set_mask(table_, a.pid(), &mask, 1, &options, &error_), DROM_E_INVAL, "reserved is not 0");
    options.size -= sizeof options.reserved[3];
    EXPECT_GE(drom_check(table_, &options, &error_), DROM_OK) << "as long as the caller knew it: " << error_.text;
}

TEST_F(Input, MasksOfSeveral) {
    const drom_options plain = options_with(0);
    const uint64_t first = 0x01;
    const uint64_t second = 0x10;
    const uint64_t none = 0;
    drom_client_mask masks[] = {{a.pid(), 0, &first, 1}, {b.pid(), 0, &second, 1}};
    const auto set_both = [&] { return drom_set_masks(table_, masks, 2, &plain, &error_); };
    masks[1].reserved = 1;
    refused(set_both(), DROM_E_INVAL, "reserved is 1; set it to 0");
    masks[1] = {b.pid(), 0, &first, 1};
    refused(set_both(), DROM_E_INVAL, "a CPU has one owner");
    masks[1] = {a.pid(), 0, &second, 1};
    refused(set_both(), DROM_E_INVAL, "twice");
    masks[1] = {b.pid(), 0, &none, 1};
    refused(set_both(), DROM_E_INVAL, "empty");
    masks[1] = {b.pid(), 0, nullptr, 1};
    refused(set_both(), DROM_E_INVAL, "empty");
    masks[1] = {getpid(), 0, &second, 1};
    refused(set_both(), DROM_E_NOPROC, "no client");
    refused(drom_set_masks(table_, nullptr, 2, &plain, &error_), DROM_E_INVAL, "masks is NULL");
    refused(drom_set_masks(table_, masks, 0, &plain, &error_), DROM_E_INVAL, "");
    masks[1] = {b.pid(), 0, &second, 1};
    EXPECT_GE(set_both(), 0) << error_.text;
    EXPECT_EQ(wanted(a.pid()), first);
    EXPECT_EQ(wanted(b.pid()), second);
}

TEST_F(Input, NullTables) {
    const uint64_t mask = 1;
    uint64_t out = 0;
    size_t count = 0;
    EXPECT_EQ(drom_set_mask(nullptr, 1, &mask, 1, nullptr, nullptr), DROM_E_INVAL);
    EXPECT_EQ(drom_shrink(nullptr, 1, 1, nullptr, nullptr), DROM_E_INVAL);
    EXPECT_EQ(drom_expand(nullptr, 1, 1, nullptr, nullptr), DROM_E_INVAL);
    EXPECT_EQ(drom_reserve(nullptr, 1, &mask, 1, nullptr, nullptr, nullptr), DROM_E_INVAL);
    EXPECT_EQ(drom_release(nullptr, 1, nullptr, nullptr), DROM_E_INVAL);
    EXPECT_EQ(drom_drain(nullptr, &mask, 1, nullptr, nullptr), DROM_E_INVAL);
    EXPECT_EQ(drom_restore(nullptr, &mask, 1, nullptr, nullptr), DROM_E_INVAL);
    EXPECT_EQ(drom_check(nullptr, nullptr, nullptr), DROM_E_INVAL);
    EXPECT_EQ(drom_wait(nullptr, 1, 0, 0, nullptr), DROM_E_INVAL);
    EXPECT_EQ(drom_clients(nullptr, nullptr, &count, nullptr), DROM_E_INVAL);
    EXPECT_EQ(drom_clients(table_, nullptr, nullptr, nullptr), DROM_E_INVAL);
    EXPECT_EQ(drom_get_mask(nullptr, 1, &out, &out, 1, nullptr), DROM_E_INVAL);
    EXPECT_EQ(drom_events(table_, nullptr, nullptr, nullptr, 0, nullptr), DROM_E_INVAL);
    drom_close(nullptr);
    EXPECT_STREQ(drom_table_path(nullptr), "");
}

TEST_F(Input, WhatIsMissingIsNamed) {
    const drom_options plain = options_with(0);
    const uint64_t none = 0;
    uint64_t next = 0;
    drom_event event{};
    refused(drom_clients(table_, nullptr, nullptr, &error_), DROM_E_INVAL, "list: n is NULL");
    refused(drom_descendants(table_, a.pid(), nullptr, nullptr, &error_), DROM_E_INVAL, "descendants: n is NULL");
    refused(drom_events(table_, &next, &event, nullptr, 0, &error_), DROM_E_INVAL, "events: next, out or n is NULL");
    refused(drom_drain(table_, &none, 1, &plain, &error_), DROM_E_INVAL, "drain: the mask is empty");
    refused(drom_shrink(table_, -1, 1, &plain, &error_), DROM_E_NOPROC, "shrink -1:");
    drom_table* other = nullptr;
    const drom_options both = options_with(DROM_CREATE | DROM_READONLY);
    refused(drom_open(&other, "/nowhere", &both, &error_), DROM_E_INVAL, "exclude each other");
}

TEST_F(Input, ShrinkAndExpandTheWrongWay) {
    const drom_options plain = options_with(0);
    const drom_options take = options_with(DROM_TAKE);
    refused(drom_shrink(table_, a.pid(), 0, &plain, &error_), DROM_E_INVAL, "at least one CPU");
    refused(drom_shrink(table_, a.pid(), 5, &plain, &error_), DROM_E_INVAL, "use expand");
    refused(drom_expand(table_, a.pid(), 3, &plain, &error_), DROM_E_INVAL, "use shrink");
    refused(drom_expand(table_, a.pid(), 6, &plain, &error_), DROM_E_NOCPU, "only 1 more");
    refused(drom_expand(table_, a.pid(), 9, &take, &error_), DROM_E_NOCPU, "others need theirs");
}

TEST_F(Input, LocationsOfAllCpusOrOfNone) {
    std::vector<drom_location> list(8);
    size_t count = 7;
    refused(drom_table_locations(table_, list.data(), &count, &error_), DROM_E_FULL, "8 CPUs, but room for 7");
    EXPECT_EQ(count, 8U);
    refused(drom_table_locations(table_, nullptr, &count, &error_), DROM_E_INVAL, "out");
    refused(drom_table_locations(table_, list.data(), nullptr, &error_), DROM_E_INVAL, "n");
    refused(drom_table_locations(nullptr, list.data(), &count, &error_), DROM_E_INVAL, "table");
    ASSERT_EQ(drom_table_locations(table_, list.data(), &count, &error_), DROM_OK) << error_.text;
    EXPECT_EQ(list[7].core, 7U) << "each CPU of a virtual node is a core";
    EXPECT_EQ(list[7].l3, UINT16_MAX);
    EXPECT_EQ(list[7].package, 0U);
}

TEST_F(Input, AnArrayThatIsTooSmall) {
    std::vector<drom_client_info> list(1);
    list[0].size = sizeof list[0];
    size_t count = 1;
    EXPECT_EQ(drom_clients(table_, list.data(), &count, &error_), DROM_E_FULL);
    EXPECT_EQ(count, 2U);
    EXPECT_EQ(list[0].pid, a.pid());
    list[0].size = 8;
    count = 1;
    EXPECT_EQ(drom_clients(table_, list.data(), &count, &error_), DROM_E_INVAL);
    EXPECT_TRUE(says("drom_client_info.size is 8; set it to sizeof(drom_client_info)")) << error_.text;
}

/// For programs that were compiled with an older or a newer drom.h.
TEST_F(Input, AnArrayOfOlderOrNewerStructures) {
    struct Older {
        size_t size;
        int32_t pid;
        uint32_t slot;
    };
    struct Newer {
        drom_client_info info;
        uint64_t news[2];
    };
    Older older[2] = {{sizeof(Older), 0, 9}, {0, 0, 9}};
    size_t count = 2;
    ASSERT_EQ(drom_clients(table_, reinterpret_cast<drom_client_info*>(older), &count, &error_), DROM_OK);
    EXPECT_EQ(older[0].pid, a.pid());
    EXPECT_EQ(older[1].pid, b.pid());
    EXPECT_EQ(older[1].size, sizeof(Older));
    std::vector<Newer> newer(2);
    newer[0].info.size = sizeof newer[0];
    newer[1].news[0] = newer[1].news[1] = 7;
    ASSERT_EQ(drom_clients(table_, &newer[0].info, &count, &error_), DROM_OK) << error_.text;
    EXPECT_EQ(newer[1].info.pid, b.pid());
    EXPECT_EQ(newer[1].info.wanted_cpus, 3U);
    EXPECT_EQ(newer[1].news[0] + newer[1].news[1], 0U) << "what this library does not know is not left as it was";
}

TEST_F(Input, AMaskThatDoesNotFitTheReadersWords) {
    drom_close(table_);
    table_ = nullptr;
    path_ = directory_.path() + "/large";
    create(200, 4, 0);
    const Child c = Child::sleeper();
    const uint64_t mask[4] = {1, 0, 0, 1};
    const drom_options plain = options_with(0);
    ASSERT_GE(drom_reserve(table_, c.pid(), mask, 4, &plain, nullptr, &error_), 0) << error_.text;
    uint64_t out[4] = {};
    EXPECT_EQ(drom_get_mask(table_, c.pid(), out, nullptr, 3, &error_), DROM_E_INVAL);
    EXPECT_TRUE(says("CPU 192")) << error_.text;
    EXPECT_EQ(drom_get_mask(table_, c.pid(), out, nullptr, 4, &error_), DROM_OK);
    EXPECT_EQ(out[3], 1U);
}

TEST_F(Input, LimitsAndRigidClients) {
    const Child c = reserve(0x80, DROM_RIGID);
    EXPECT_EQ(set(a.pid(), 0x8f, DROM_TAKE), DROM_E_BUSY);
    EXPECT_TRUE(says("rigid")) << error_.text;
    b.stop();
    const drom_options plain = options_with(0);
    EXPECT_EQ(drom_shrink(table_, a.pid(), 2, &plain, &error_), DROM_PENDING);
    const Child d = reserve(0x0c, 0, 2, 3);
    EXPECT_EQ(set(d.pid(), 0x04), DROM_E_INVAL);
    EXPECT_TRUE(says("at least 2")) << error_.text;
    EXPECT_EQ(set(a.pid(), 0x07, DROM_TAKE), DROM_E_BUSY);
    EXPECT_TRUE(says("needs 2")) << error_.text;
    EXPECT_EQ(set(d.pid(), 0x0f, DROM_TAKE), DROM_E_INVAL);
    EXPECT_TRUE(says("at most 3")) << error_.text;
}

TEST_F(Input, AReadOnlyTableCanBeLookedAtAndNothingElse) {
    drom_table* looking = nullptr;
    const drom_options read_only = options_with(DROM_READONLY);
    ASSERT_EQ(drom_open(&looking, path_.c_str(), &read_only, &error_), DROM_OK) << error_.text;
    uint64_t mask = 0;
    EXPECT_EQ(drom_get_mask(looking, a.pid(), &mask, nullptr, 1, &error_), DROM_OK);
    EXPECT_EQ(mask, 0x0fU);
    size_t count = 0;
    EXPECT_EQ(drom_clients(looking, nullptr, &count, &error_), DROM_E_FULL);
    const drom_options plain = options_with(0);
    EXPECT_EQ(drom_set_mask(looking, a.pid(), &mask, 1, &plain, &error_), DROM_E_PERM);
    EXPECT_TRUE(says(("drom: set: table " + path_ + " was opened read-only").c_str())) << error_.text;
    EXPECT_EQ(drom_check(looking, &plain, &error_), DROM_E_PERM);
    EXPECT_EQ(drom_drain(looking, &mask, 1, &plain, &error_), DROM_E_PERM);
    EXPECT_EQ(drom_reserve(looking, getpid(), &mask, 1, &plain, nullptr, &error_), DROM_E_PERM);
    EXPECT_EQ(drom_release(looking, a.pid(), &plain, &error_), DROM_E_PERM);
    EXPECT_EQ(drom_wait(looking, a.pid(), 0, 10, &error_), DROM_E_PERM);
    drom_event events[4];
    uint64_t next = UINT64_MAX;
    size_t n = 4;
    EXPECT_EQ(drom_events(looking, &next, events, &n, 30, &error_), DROM_UNCHANGED);
    drom_close(looking);
}

TEST_F(Input, ATableThatIsToBeMadeCannotBeReadOnly) {
    EXPECT_EQ(open_status(path_ + ".other", DROM_CREATE | DROM_READONLY, error_), DROM_E_INVAL);
    EXPECT_TRUE(says("DROM_CREATE and DROM_READONLY exclude each other")) << error_.text;
    EXPECT_NE(access((path_ + ".other").c_str(), F_OK), 0);
}

TEST_F(Input, MoreClientsThanATableHas) {
    std::vector<drom_client_mask> many(1025);
    const drom_options plain = options_with(0);
    refused(drom_set_masks(table_, many.data(), many.size(), &plain, &error_), DROM_E_INVAL,
            "1025 clients are named; a table has at most 1024");
    drom_close(table_);
    table_ = nullptr;
    path_ = directory_.path() + "/small";
    create(8, 1, 0);
    const Child first = reserve(1);
    const Child second = Child::sleeper();
    const uint64_t mask = 2;
    EXPECT_EQ(drom_reserve(table_, second.pid(), &mask, 1, &plain, nullptr, &error_), DROM_E_FULL);
    EXPECT_TRUE(says(("no slot of table " + path_ + " is free; it has 1 slot").c_str())) << error_.text;
    EXPECT_EQ(wanted(first.pid()), 1U);
}

TEST_F(Input, LimitsOfAProcessThatIsNoClient) {
    EXPECT_EQ(drom_limits(1, 2, &error_), DROM_E_NOINIT);
    EXPECT_TRUE(says("this process is not a client; call drom_init first")) << error_.text;
}

TEST_F(Input, AWaitForARequestThatWasNeverPostedIsRefused) {
    EXPECT_EQ(drom_wait(table_, a.pid(), 99999, 10, &error_), DROM_E_INVAL);
    EXPECT_TRUE(says("request 99999 has not been posted; the newest is 1")) << error_.text;
    EXPECT_EQ(drom_wait(table_, a.pid(), 1, 1000, &error_), DROM_OK) << error_.text;
}

TEST_F(Input, AShrinkOrExpansionToWhatIsThereIsNoError) {
    const drom_options waits = options_with(DROM_WAIT_RELEASED);
    ASSERT_EQ(drom_wait(table_, a.pid(), 0, 1000, &error_), DROM_OK) << error_.text;
    EXPECT_EQ(drom_shrink(table_, a.pid(), 4, &waits, &error_), DROM_UNCHANGED) << error_.text;
    EXPECT_EQ(drom_expand(table_, a.pid(), 4, &waits, &error_), DROM_UNCHANGED) << error_.text;
}

TEST_F(Input, AWaitHasADeadline) {
    // The client is stopped and may not be confined: it cannot answer.
    a.kill(SIGSTOP);
    drom_options options = options_with(DROM_WAIT_RELEASED | DROM_NEVER_CONFINE);
    options.timeout_ms = 50;
    const uint64_t mask = 1;
    EXPECT_EQ(drom_set_mask(table_, a.pid(), &mask, 1, &options, &error_), DROM_PENDING);
    EXPECT_TRUE(says("has not released")) << error_.text;
    options.flags = DROM_WAIT_RELEASED;
    options.grace_ms = DROM_GRACE_AT_ONCE;
    EXPECT_EQ(drom_wait_for(table_, a.pid(), 0, &options, &error_), DROM_OK)
        << "a stopped process can be confined: " << error_.text;
}

TEST_F(Input, ALargeNodeIsReallyUsed) {
    drom_close(table_);
    table_ = nullptr;
    path_ = directory_.path() + "/large";
    create(4096, 1024, 0);
    ASSERT_EQ(drom_table_cpus(table_), 4096U);
    ASSERT_EQ(drom_table_clients(table_), 1024U);
    constexpr int kChildren = 24;
    std::vector<Child> children;
    std::vector<uint64_t> mask(64);
    const drom_options plain = options_with(0);
    const drom_options take = options_with(DROM_TAKE);
    for (int i = 0; i < kChildren; ++i) {
        children.push_back(Child::sleeper());
        std::fill(mask.begin(), mask.end(), 0);
        mask[static_cast<size_t>(i) * 2] = mask[static_cast<size_t>(i) * 2 + 1] = UINT64_MAX;
        ASSERT_GE(drom_reserve(table_, children.back().pid(), mask.data(), 64, &plain, nullptr, &error_), 0)
            << error_.text;
    }
    std::fill(mask.begin(), mask.end(), 0);
    mask[63] = 1ULL << 63;
    const Child last = Child::sleeper();
    ASSERT_GE(drom_reserve(table_, last.pid(), mask.data(), 64, &plain, nullptr, &error_), 0) << error_.text;
    EXPECT_GE(drom_expand(table_, last.pid(), 2000, &take, &error_), 0) << error_.text;
    uint64_t now[64];
    ASSERT_EQ(drom_get_mask(table_, last.pid(), nullptr, now, 64, &error_), DROM_OK);
    unsigned count = 0;
    for (const uint64_t word : now) count += static_cast<unsigned>(__builtin_popcountll(word));
    EXPECT_EQ(count, 2000U);
    EXPECT_TRUE((now[63] >> 63 & 1) != 0) << "CPU 4095 was lost";
    EXPECT_GE(drom_check(table_, &plain, &error_), 0) << error_.text;
}

TEST_F(Input, EverySlotCanBeTakenAndTheNextClientIsToldSo) {
    drom_close(table_);
    table_ = nullptr;
    path_ = directory_.path() + "/slots";
    create(64, 40, 0);
    std::vector<Child> children;
    const drom_options plain = options_with(0);
    for (unsigned i = 0; i < 40; ++i) {
        children.push_back(Child::sleeper());
        const uint64_t mask = 1ULL << i;
        ASSERT_GE(drom_reserve(table_, children.back().pid(), &mask, 1, &plain, nullptr, &error_), 0)
            << i << error_.text;
    }
    const Child more = Child::sleeper();
    const uint64_t mask = 1ULL << 50;
    EXPECT_EQ(drom_reserve(table_, more.pid(), &mask, 1, &plain, nullptr, &error_), DROM_E_FULL);
    EXPECT_TRUE(says("is free; it has 40 slots")) << error_.text;
    const pid_t first = children[7].pid();
    children[7].stop();
    EXPECT_EQ(drom_release(table_, first, &plain, &error_), DROM_OK) << error_.text;
    EXPECT_GE(drom_reserve(table_, more.pid(), &mask, 1, &plain, nullptr, &error_), 0) << error_.text;
}

}  // namespace
