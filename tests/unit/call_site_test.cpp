// SPDX-License-Identifier: BSD-3-Clause
// call_site_test.cpp - GCC's own question for the team size is told from the program's.
#include "ompt/call_site.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

std::vector<uint8_t> bytes(const std::string& hex) {
    std::vector<uint8_t> out;
    for (size_t i = 0; i + 1 < hex.size(); i += 2)
        out.push_back(static_cast<uint8_t>(std::strtoul(hex.substr(i, 2).c_str(), nullptr, 16)));
    return out;
}

bool any_call(const uint8_t*, const void*) { return true; }
bool no_call(const uint8_t*, const void*) { return false; }

bool cuts_a_loop(const std::vector<uint8_t>& code, drom::IsThreadNum is_thread_num = any_call) {
    return drom::cuts_a_loop(code.data(), code.size(), is_thread_num, nullptr);
}

struct Row {
    const char* what;
    const char* code;  ///< what follows `call omp_get_num_threads`, from gcc 12 on x86-64
    bool loop;
};

constexpr Row kRows[] = {
    {"gcc -O0, int", "89c3e883fcffff89c64489e099f7fb89c14489e099f7fb89d039c67c67", true},
    {"gcc -O0, step of two, long",
     "4863d8e815fbffff4863f8498d4424fe4889c248c1ea3f4801d048d1f84889c64889f0489948f7fb4889c14889f0489948f7fb4889d04839c"
     "77c10",
     true},
    {"gcc -O0, collapse(2)", "4189c6e8e4f9ffff89c14489e0ba0000000041f7f689c64489e0ba0000000041f7f689d039c10f828e000000",
     true},
    {"gcc -O0, size_t", "4c63e0e834f8ffff4863f04889d8ba0000000049f7f44889c14889d8ba0000000049f7f44889d04839c6725c",
     true},
    {"gcc -O1, size_t, answer kept twice",
     "4189c54c63f0e83ffcffff89c34863c84889e8ba0000000049f7f64889c64889d74839d10f8293000000", true},
    {"gcc -O2, int", "89c5e80bfeffff89c18b431099f7fd39d17c3f0fafc801ca01d039c27d2a", true},
    {"gcc -O2, long", "4863e8e809fdffff4863c8488b4308488d50fe4889d048c1e83f4801d048d1f8489948f7fd4839d17c67", true},
    {"gcc -O2, collapse(2)", "4189c4e83dfcffff31d289c189d841f7f489c639d10f828a000000", true},
    {"gcc -O2, size_t", "4189c5e869fbffff31d24863c84963f54889e848f7f64889cb4839d10f82af000000", true},
    {"gcc -O2, simd", "4189c4e8e5f9ffff31d289c7b8e803000041f7fc39d70f8cd1000000", true},
    {"gcc -Os, long", "4c63e0e861fdffffbe020000004863c8488b43084883e802489948f7fe489949f7fc4839d17c5b", true},
    {"kept in a variable, -O2", "8905482700004883c408c30f1f004883ec08e837f7ffff84c0740be84ef7ffff", false},
    {"kept in a variable, -O0", "890530250000ebecc9c3554889e5", false},
    {"kept by thread 0, -O0", "8945fce80bf5ffff8945f8837df80075098b45fc89050125000090c9c3", false},
    {"divided by and kept, -O2", "89c3e873f7ffff31d24863f0b8e8030000f7fb488b15682700008904b285f67506891d632700005bc390",
     false},
    {"divided by and kept, -O0",
     "8945fce8ddf4ffff8945f8b8e803000099f77dfc8945f4488b15d72400008b45f8489848c1e0024801d08b55f48910837df80075098b45fc8"
     "905c0240000",
     false},
    {"schedule(static,4): not recognised, so cautious", "4189c4e899fdffff8d0c85000000008d510439ea0f4fd539cd7e5c",
     false},
    {"answer used as an address", "89c3e8000000008b0403f7fb39d17c3f", false},
    {"two calls before the division", "89c5e80bfeffffe80bfeffff89c199f7fd39d17c3f", false},
    {"the code ends", "89c5e80bfeffff89c18b4310", false},
    {"gcc -O3, a vector register is loaded in between",
     "89c3e8000000008b4c2408f20f104c241089c64489e099f7fb39d64189c47c10", true},
    {"gcc -O2, a vector's size",
     "4863d8e80000000048baabaaaaaaaaaaaaaa4863c8498b4424084829e848c1f802480fafc2489948f7fb4839d17c35", true},
    {"cyclic, and kept by thread 0", "89c3e80000000085c07506891d0000000039c57e2c", false},
    {"a store to somebody else's memory on the way", "89c5e80bfeffff89c1890a8b431099f7fd39d17c3f0fafc8", false},
    {"nothing", "", false},
};

#if defined(__x86_64__)
TEST(CallSite, LoopsThatGccCutsBindNobodyAndKeptAnswersDo) {
    for (const Row& row : kRows) {
        const auto code = bytes(row.code);
        EXPECT_EQ(row.loop, cuts_a_loop(code)) << row.what;
    }
}

TEST(CallSite, AnyOtherCallThanForTheThreadsNumberIsAQuestion) {
    for (const Row& row : kRows) EXPECT_FALSE(cuts_a_loop(bytes(row.code), no_call)) << row.what;
}

TEST(CallSite, StubsLeadToTheirTarget) {
    // endbr64; bnd jmp *2(%rip); then the slot two bytes on
    std::vector<uint8_t> stub = bytes("f30f1efaf2ff250200000000009090");
    const void* target = &stub;
    stub.resize(13);
    stub.insert(stub.end(), reinterpret_cast<const uint8_t*>(&target), reinterpret_cast<const uint8_t*>(&target + 1));
    EXPECT_EQ(drom::stub_target(stub.data()), target);
    EXPECT_EQ(drom::stub_target(bytes("e80bfeffff89c18b431099f7fd39d17c3f").data()), nullptr);
}

TEST(CallSite, StoringTheAnswerAnywhereBeforeTheDivisionIsAQuestion) {
    for (const Row& row : kRows) {
        if (!row.loop) continue;
        auto code = bytes(row.code);
        size_t call = 0;
        while (code[call] != 0xe8) ++call;
        const std::vector<uint8_t> store = {0x89, 0x05, 0,   1,
                                            0,    0,    0x90};  // mov %eax, variable; then an opcode we do not know
        code.insert(code.begin() + static_cast<long>(call), store.begin(), store.end());
        EXPECT_FALSE(cuts_a_loop(code)) << row.what;
    }
}
#endif

RC_GTEST_PROP(CallSite, NeverReadsBeyondTheEnd, (const std::vector<uint8_t>& tail, uint8_t rowIndex, uint8_t cut)) {
    auto code = bytes(kRows[rowIndex % (sizeof kRows / sizeof kRows[0])].code);
    code.resize(std::min<size_t>(code.size(), cut % 64));
    code.insert(code.end(), tail.begin(), tail.end());
    // Exactly sized on the heap: AddressSanitizer sees a byte too many.
    const std::vector<uint8_t> exact(code.begin(), code.end());
    cuts_a_loop(exact);
}

}  // namespace
