// SPDX-License-Identifier: BSD-3-Clause
// loop_expansion_test.cpp - GCC's own question in a static loop is recognised, and no answer that a program keeps is taken for it.
//
// This program is the OpenMP runtime of its guests: each question it is asked shows the call site it has to judge.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "guests.h"
#include "ompt/loop_expansion.hpp"

extern "C" {
extern const char __executable_start, etext;  // the linker's: where this program's code lies
int kept;
int per_thread[64];
double data[4096];
}

namespace {

std::set<const void*> sites;

struct Level {
    const char* flags;
    const guest* guests;
};

const Level kLevels[] = {
    {"-Og", guests_og},
    {"-O1", guests_o1},
    {"-O2", guests_o2},
    {"-O3", guests_o3},
    {"-Os", guests_os},
    {"-O2 -fPIC -fno-plt", guests_no_plt},
    {"-O3 -march=x86-64-v3", guests_v3},
};

class LoopExpansion : public testing::TestWithParam<Level> {};

/// The call sites that the guest asks from, each with the verdict on it.
std::set<std::pair<const void*, bool>> judged(const guest& guest) {
    sites.clear();
    guest.run(64);
    std::set<std::pair<const void*, bool>> verdicts;
    for (const void* site : sites)
        verdicts.emplace(site, drom::is_loop_expansion(site, reinterpret_cast<uintptr_t>(&__executable_start),
                                                       reinterpret_cast<uintptr_t>(&etext)));
    return verdicts;
}

TEST_P(LoopExpansion, OfGccItselfIsRecognisedAtEverySite) {
    for (const guest* guest = GetParam().guests; guest->run != nullptr; ++guest) {
        if (guest->keeps != 0) continue;
        const auto verdicts = judged(*guest);
        EXPECT_FALSE(verdicts.empty()) << guest->name;
        for (const auto& [site, expansion] : verdicts) EXPECT_TRUE(expansion) << guest->name;
    }
}

TEST_P(LoopExpansion, AnAnswerThatIsKeptIsNeverTakenForOne) {
    for (const guest* guest = GetParam().guests; guest->run != nullptr; ++guest) {
        if (guest->keeps == 0) continue;
        bool all = true;
        for (const auto& [site, expansion] : judged(*guest)) all = all && expansion;
        EXPECT_FALSE(all) << guest->name;
    }
}

TEST(LoopExpansionBounds, CodeThatEndsInTheMiddleIsNotFollowed) {
    for (const void* site : {static_cast<const void*>(&__executable_start)}) {
        const auto at = reinterpret_cast<uintptr_t>(site);
        for (uintptr_t size = 0; size < 64; ++size) EXPECT_FALSE(drom::is_loop_expansion(site, at, at + size));
    }
    sites.clear();
    guests_o2[0].run(64);
    for (const void* site : sites) {
        const auto at = reinterpret_cast<uintptr_t>(site);
        for (uintptr_t size = 0; size < 16; ++size) EXPECT_FALSE(drom::is_loop_expansion(site, at, at + size)) << size;
    }
}

INSTANTIATE_TEST_SUITE_P(Levels, LoopExpansion, testing::ValuesIn(kLevels),
                         [](const auto& level) { return "Level" + std::to_string(level.index); });

}  // namespace

extern "C" {
int omp_get_num_threads() {
    sites.insert(__builtin_extract_return_addr(__builtin_return_address(0)));
    return 1;
}
int omp_get_thread_num() { return 0; }
void GOMP_parallel(void (*function)(void*), void* arguments, unsigned, unsigned) { function(arguments); }
void GOMP_barrier() {}
bool GOMP_single_start() { return true; }
void GOMP_atomic_start() {}
void GOMP_atomic_end() {}
void sink(int value) { kept = value; }
void sink_at(double* where) { *where += 1; }
}
