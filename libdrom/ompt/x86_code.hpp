// SPDX-License-Identifier: BSD-3-Clause
// x86_code.hpp - enough of x86-64 to follow code: how long an instruction is, which registers it reads and writes, where it goes.
//
// Pure: bytes in, values out. What it does not know it says so; nothing is guessed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace drom::x86 {

/// Bit n: the general register with number n (0 rax, 1 rcx, 2 rdx, 3 rbx, 4 rsp, 5 rbp, 6 rsi, 7 rdi, 8-15).
using Registers = uint16_t;

enum class Flow : uint8_t {
    kNext,      ///< goes on behind itself
    kJump,      ///< goes to `target`
    kBranch,    ///< goes on, or to `target`
    kCall,      ///< comes back behind itself
    kReturn,    ///< leaves the function
    kAnywhere,  ///< a jump that only the running program knows
    kStop,      ///< ends the program
    kUnknown,   ///< not an instruction that this file knows
};

enum class Form : uint8_t {
    kOther,
    kCopy,     ///< register to register: `from` to `to`, sign-extended or not
    kDivide,   ///< rdx:rax by register `from`
    kCompare,  ///< registers `from` and `to`
    kLess,     ///< a branch on less or greater, signed or not
};

struct Instruction {
    uint8_t length;  ///< 0 when flow is kUnknown
    Flow flow;
    Form form;
    uint8_t from, to;
    Registers reads;   ///< at least these: where it is not sure it says too many
    Registers writes;  ///< wholly replaced: where it is not sure it says too few
    uintptr_t target;
    bool keeps_flags = false;  ///< a plain move: what a comparison before it found still stands
};

/// The instruction at `at`; never looks at or beyond `end`.
Instruction decode(const uint8_t* at, const uint8_t* end) noexcept;

}  // namespace drom::x86
