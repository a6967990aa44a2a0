// SPDX-License-Identifier: BSD-3-Clause
// repin_test.cpp - the CPU that each thread of a team gets.
#include "openmp/repin.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>
#include <vector>

namespace {

using drom::CpuSet;
using drom::kNoCpu;
using drom::repin;

constexpr uint16_t kNo = kNoCpu;

CpuSet set_of(const std::vector<uint32_t>& cpus) {
    CpuSet set{};
    for (uint32_t cpu : cpus) set.add(cpu);
    return set;
}

struct Row {
    const char* what;
    std::vector<uint16_t> before;
    std::vector<uint32_t> mask;
    std::vector<uint16_t> after;  ///< empty: no thread is pinned
};

const Row kRows[] = {
    {"threads keep the CPUs they are on", {0, 1, 2}, {0, 1, 2, 3}, {0, 1, 2}},
    {"the order of numbers does not matter", {3, 0}, {0, 1, 2, 3}, {3, 0}},
    {"a thread whose CPU is gone takes a free one", {0, 1, 2}, {0, 2, 5}, {0, 5, 2}},
    {"two threads on one CPU: the first keeps it", {4, 4}, {4, 9}, {4, 9}},
    {"unknown threads take what is left, ascending", {kNo, 7, kNo}, {5, 6, 7}, {5, 7, 6}},
    {"everybody moves", {0, 1}, {62, 63, 64, 65}, {62, 63}},
    {"one thread", {1}, {0}, {0}},
    {"the last CPU of all", {kNo}, {4095}, {4095}},
    {"more threads than CPUs: no pin", {0, 1}, {1}, {}},
    {"no CPU: no pin", {0}, {}, {}},
    {"no thread: no pin", {}, {0, 1}, {}},
};

TEST(Repin, Rows) {
    for (const Row& row : kRows) {
        std::vector<uint16_t> cpu = row.before;
        const bool pinned = repin(cpu.data(), static_cast<uint32_t>(cpu.size()), set_of(row.mask));
        EXPECT_EQ(pinned, !row.after.empty()) << row.what;
        EXPECT_EQ(cpu, row.after.empty() ? row.before : row.after) << row.what;
    }
}

struct Case {
    std::vector<uint16_t> before;
    CpuSet mask;
};

Case any_case() {
    Case any{};
    const auto cpus = *rc::gen::container<std::vector<uint32_t>>(rc::gen::inRange(0U, 96U));
    any.mask = set_of(cpus);
    any.before = *rc::gen::container<std::vector<uint16_t>>(
        rc::gen::oneOf(rc::gen::inRange<uint16_t>(0, 96), rc::gen::just(kNo)));
    return any;
}

TEST(Repin, GivesEachThreadACpuOfItsOwnOrNoThreadOne) {
    EXPECT_TRUE(rc::check([] {
        const Case any = any_case();
        std::vector<uint16_t> cpu = any.before;
        const auto team = static_cast<uint32_t>(cpu.size());
        const bool pinned = repin(cpu.data(), team, any.mask);
        RC_ASSERT(pinned == (team != 0 && team <= any.mask.count()));
        if (!pinned) {
            RC_ASSERT(cpu == any.before);
            return;
        }
        for (uint16_t c : cpu) RC_ASSERT(any.mask.has(c));
        RC_ASSERT(std::set<uint16_t>(cpu.begin(), cpu.end()).size() == cpu.size());
    }));
}

TEST(Repin, MovesNoThreadThatCouldStay) {
    EXPECT_TRUE(rc::check([] {
        const Case any = any_case();
        std::vector<uint16_t> cpu = any.before;
        if (!repin(cpu.data(), static_cast<uint32_t>(cpu.size()), any.mask)) return;
        std::set<uint16_t> taken;
        for (size_t i = 0; i < cpu.size(); ++i) {
            const uint16_t was = any.before[i];
            const bool could_stay = any.mask.has(was) && taken.insert(was).second;
            if (could_stay) RC_ASSERT(cpu[i] == was);
        }
    }));
}

TEST(Repin, DoingItTwiceChangesNothing) {
    EXPECT_TRUE(rc::check([] {
        const Case any = any_case();
        std::vector<uint16_t> cpu = any.before;
        const auto team = static_cast<uint32_t>(cpu.size());
        if (!repin(cpu.data(), team, any.mask)) return;
        std::vector<uint16_t> again = cpu;
        RC_ASSERT(repin(again.data(), team, any.mask));
        RC_ASSERT(again == cpu);
    }));
}

}  // namespace
