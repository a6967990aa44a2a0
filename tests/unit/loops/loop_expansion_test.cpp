// SPDX-License-Identifier: BSD-3-Clause
// loop_expansion_test.cpp - GCC's own question in a static loop is recognised, and no answer that a program keeps is taken for it.
//
// This program is the OpenMP runtime of its guests: each question it is asked shows the call site it has to judge.
#include <gtest/gtest.h>
#include <link.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "guests.h"
#include "ompt/loop_expansion.hpp"

extern "C" {
extern const char __executable_start, etext, end;  // the linker's: where this program and its code lie
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
    {"C++ -O1", guests_throw_o1},
    {"C++ -O2", guests_throw_o2},
    {"C++ -O3", guests_throw_o3},
    {"C++ -O2 -fPIC -fno-plt", guests_throw_no_plt},
};

/// This program's own.
drom::UnwindTable unwinding() {
    uintptr_t header = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* found) {
            for (const auto* part = info->dlpi_phdr; part != info->dlpi_phdr + info->dlpi_phnum; ++part)
                if (part->p_type == PT_GNU_EH_FRAME) *static_cast<uintptr_t*>(found) = info->dlpi_addr + part->p_vaddr;
            return 1;  // the program comes first
        },
        &header);
    return {header, reinterpret_cast<uintptr_t>(&__executable_start), reinterpret_cast<uintptr_t>(&end)};
}

class LoopExpansion : public testing::TestWithParam<Level> {};

/// The call sites that the guest asks from, each with the verdict on it.
std::set<std::pair<const void*, bool>> judged(const guest& guest) {
    sites.clear();
    std::ranges::fill(data, 1.0);  // so that no guest finds a reason to end
    guest.run(64);
    std::set<std::pair<const void*, bool>> verdicts;
    for (const void* site : sites)
        verdicts.emplace(site, drom::is_loop_expansion(site, reinterpret_cast<uintptr_t>(&__executable_start),
                                                       reinterpret_cast<uintptr_t>(&etext), unwinding()));
    return verdicts;
}

TEST_P(LoopExpansion, OfGccItselfIsRecognisedAtEverySite) {
    for (const guest* guest = GetParam().guests; guest->run != nullptr; ++guest) {
        if (guest->keeps != 0) continue;
        const auto verdicts = judged(*guest);
        EXPECT_FALSE(verdicts.empty()) << guest->name << " " << GetParam().flags;
        for (const auto& [site, expansion] : verdicts) EXPECT_TRUE(expansion) << guest->name << " " << GetParam().flags;
    }
}

TEST_P(LoopExpansion, AnAnswerThatIsKeptIsNeverTakenForOne) {
    for (const guest* guest = GetParam().guests; guest->run != nullptr; ++guest) {
        if (guest->keeps == 0) continue;
        bool all = true;
        for (const auto& [site, expansion] : judged(*guest)) all = all && expansion;
        EXPECT_FALSE(all) << guest->name << " " << GetParam().flags;
    }
}

/// The verdicts on the one guest of that name.
bool is_expansion(const guest* guests, const std::string& name) {
    while (guests->name != name) ++guests;
    const auto verdicts = judged(*guests);
    return std::ranges::all_of(verdicts, [](const auto& verdict) { return verdict.second; });
}

TEST(LoopExpansionOfUsers, AProgramWhoseLoopsMayExitWasHeldForEver) {
    EXPECT_TRUE(is_expansion(guests_o2, "exits"));
    EXPECT_TRUE(is_expansion(guests_o2, "runs_out_of_registers"));
    EXPECT_TRUE(is_expansion(guests_throw_o2, "throws"));
}

TEST(LoopExpansionOfUsers, AnAnswerThatOnlyAHandlerUsedWasThoughtLost) {
    EXPECT_FALSE(is_expansion(guests_throw_o2, "keeps_in_a_handler"));
}

TEST(LoopExpansionBounds, CodeThatEndsInTheMiddleIsNotFollowed) {
    for (const void* site : {static_cast<const void*>(&__executable_start)}) {
        const auto at = reinterpret_cast<uintptr_t>(site);
        for (uintptr_t size = 0; size < 64; ++size)
            EXPECT_FALSE(drom::is_loop_expansion(site, at, at + size, unwinding()));
    }
    sites.clear();
    guests_o2[0].run(64);
    for (const void* site : sites) {
        const auto at = reinterpret_cast<uintptr_t>(site);
        for (uintptr_t size = 0; size < 16; ++size)
            EXPECT_FALSE(drom::is_loop_expansion(site, at, at + size, unwinding())) << size;
    }
}

struct Between {
    const char* text;
    std::vector<uint8_t> bytes;
    bool expansion;
};

const Between kBetween[] = {
    {"nothing", {}, true},
    {"mov %eax,%r12d", {0x41, 0x89, 0xc4}, true},
    {"mov %eax,0x1c(%rsp)", {0x89, 0x44, 0x24, 0x1c}, true},
    {"movsd %xmm0,0x8(%rsp)", {0xf2, 0x0f, 0x11, 0x44, 0x24, 0x08}, true},
    {"mov $0,%ebx", {0xbb, 0, 0, 0, 0}, true},
    {"mov %ebx,0x1c(%rsp)", {0x89, 0x5c, 0x24, 0x1c}, false},
    {"mov %ebx,%r12d", {0x41, 0x89, 0xdc}, false},
    {"movd %ebx,%xmm0", {0x66, 0x0f, 0x6e, 0xc3}, false},
    {"add $1,%eax", {0x83, 0xc0, 0x01}, false},
    {"xor %eax,%eax", {0x31, 0xc0}, false},
    {"call +0", {0xe8, 0, 0, 0, 0}, false},
};

TEST(LoopExpansionBranch, OnlyMovesThatLeaveTheAnswerAloneStandBetweenComparisonAndBranch) {
    for (const Between& row : kBetween) {
        // mov %eax,%ebx; call +0; mov %eax,%ecx; mov 0x8(%rbp),%eax; cltd; idiv %ebx; cmp %edx,%ecx
        std::vector<uint8_t> code{0x89, 0xc3, 0xe8, 0,    0,    0,    0,    0x89, 0xc1,
                                  0x8b, 0x45, 0x08, 0x99, 0xf7, 0xfb, 0x39, 0xd1};
        code.insert(code.end(), row.bytes.begin(), row.bytes.end());
        const uint8_t rest[] = {0x7c, 0x00, 0x5b, 0xc3};  // jl +0; pop %rbx; ret
        code.insert(code.end(), std::begin(rest), std::end(rest));
        const auto low = reinterpret_cast<uintptr_t>(code.data()), high = low + code.size();
        EXPECT_EQ(drom::is_loop_expansion(code.data(), low, high, {0, low, high}), row.expansion) << row.text;
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
void may_throw(int value) { data[value] += 1; }
}
