// SPDX-License-Identifier: BSD-3-Clause
// x86_code_test.cpp - lengths, registers and flow of single instructions, as an assembler wrote them.
#if defined(__x86_64__)

#include "ompt/x86_code.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace drom::x86 {
namespace {

constexpr Registers kRax = 1, kRcx = 2, kRdx = 4, kRbx = 8, kRbp = 32, kRsi = 64, kR12 = 1 << 12, kR13 = 1 << 13;

struct Row {
    const char* text;
    std::vector<uint8_t> bytes;
    Flow flow;
    Registers reads, writes;
};

const Row kRows[] = {
    {"mov %eax,%r12d", {0x41, 0x89, 0xc4}, Flow::kNext, kRax, kR12},
    {"movslq %eax,%rbx", {0x48, 0x63, 0xd8}, Flow::kNext, kRax, kRbx},
    {"idiv %r12d", {0x41, 0xf7, 0xfc}, Flow::kNext, kRax | kRdx | kR12, kRax | kRdx},
    {"cltd", {0x99}, Flow::kNext, kRax, kRdx},
    {"xor %edx,%edx", {0x31, 0xd2}, Flow::kNext, 0, kRdx},
    {"pop %rbx", {0x5b}, Flow::kNext, 0, kRbx},
    {"push %r12", {0x41, 0x54}, Flow::kNext, kR12, 0},
    {"mov 0x8(%rbp,%rcx,4),%esi", {0x8b, 0x74, 0x8d, 0x08}, Flow::kNext, kRbp | kRcx, kRsi},
    {"mov %ax,%r12w", {0x66, 0x41, 0x89, 0xc4}, Flow::kNext, kRax, 0},
    {"mov $0x5555555555555556,%rax",
     {0x48, 0xb8, 0x56, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55},
     Flow::kNext,
     0,
     kRax},
    {"lea -0x2(%rbx),%eax", {0x8d, 0x43, 0xfe}, Flow::kNext, kRbx, kRax},
    {"mov %bh,%al", {0x88, 0xf8}, Flow::kNext, 0x80 | kRax | kRbx, 0},
    {"call +0", {0xe8, 0, 0, 0, 0}, Flow::kCall, 0, 0},
    {"addr32 call +0", {0x67, 0xe8, 0, 0, 0, 0}, Flow::kCall, 0, 0},
    {"call *0(%rip)", {0xff, 0x15, 0, 0, 0, 0}, Flow::kCall, 0, 0},
    {"jmp *%rax", {0xff, 0xe0}, Flow::kAnywhere, kRax, 0},
    {"ret", {0xc3}, Flow::kReturn, 0, 0},
    {"ud2", {0x0f, 0x0b}, Flow::kStop, 0, 0},
    {"vmovsd (%rdx),%xmm12", {0xc5, 0x7b, 0x10, 0x22}, Flow::kNext, kRdx, 0},
    {"cvtsi2sd %r12d,%xmm0", {0xf2, 0x41, 0x0f, 0x2a, 0xc4}, Flow::kNext, kR12, 0},
    {"vmovq %r13,%xmm1", {0xc4, 0xc1, 0xf9, 0x6e, 0xcd}, Flow::kNext, kR13, 0},
    {"vpbroadcastd %ebx,%zmm0", {0x62, 0xf2, 0x7d, 0x48, 0x7c, 0xc3}, Flow::kNext, kRbx, 0},
    {"endbr64", {0xf3, 0x0f, 0x1e, 0xfa}, Flow::kNext, 0, 0},
    {"nopw 0x0(%rax,%rax,1)", {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00}, Flow::kNext, 0, 0},
};

TEST(X86Code, LengthsRegistersAndFlowAreThoseOfTheManual) {
    for (const Row& row : kRows) {
        std::vector<uint8_t> code = row.bytes;
        code.resize(code.size() + 16, 0x90);
        const Instruction got = decode(code.data(), code.data() + code.size());
        EXPECT_EQ(got.length, row.bytes.size()) << row.text;
        EXPECT_EQ(got.flow, row.flow) << row.text;
        EXPECT_EQ(got.reads, row.reads) << row.text;
        EXPECT_EQ(got.writes, row.writes) << row.text;
    }
}

TEST(X86Code, AnInstructionThatIsCutOffIsUnknown) {
    for (const Row& row : kRows)
        for (size_t size = 0; size < row.bytes.size(); ++size) {
            const std::vector<uint8_t> code(row.bytes.begin(), row.bytes.begin() + static_cast<std::ptrdiff_t>(size));
            EXPECT_EQ(decode(code.data(), code.data() + size).flow, Flow::kUnknown) << row.text << " of " << size;
        }
}

TEST(X86Code, BranchesGoWhereTheySay) {
    const uint8_t code[] = {0x7c, 0x05, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90};
    const Instruction less = decode(code, code + sizeof code);
    EXPECT_EQ(less.flow, Flow::kBranch);
    EXPECT_EQ(less.form, Form::kLess);
    EXPECT_EQ(less.target, reinterpret_cast<uintptr_t>(code + 7));
    const uint8_t back[] = {0xeb, 0xfe, 0x90};
    EXPECT_EQ(decode(back, back + sizeof back).target, reinterpret_cast<uintptr_t>(back));
}

TEST(X86Code, BytesThatAreNoInstructionHereAreUnknown) {
    const std::vector<uint8_t> rows[] = {{0x06, 0x90}, {0x0f, 0x05}, {0x0f, 0xa2},
                                         {0x0f, 0x31}, {0xcc, 0x90}, {0xf4, 0x90}};
    for (const auto& code : rows) EXPECT_EQ(decode(code.data(), code.data() + code.size()).flow, Flow::kUnknown);
}

}  // namespace
}  // namespace drom::x86

#endif
