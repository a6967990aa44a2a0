// SPDX-License-Identifier: BSD-3-Clause
// unwind_table.hpp - what the compiler wrote down for unwinding: where a function ends, and where its calls go on when they throw.
//
// For code that is followed: a call that is the last instruction of its function does not come back, and one that throws may come back
// at a landing pad. Reads .eh_frame_hdr, .eh_frame and the language's table (LSDA) in the forms that GCC and the linkers write on
// x86-64; of anything else it says that it does not know. Pure: looks at memory and nothing else.
#pragma once

#include <cstdint>

namespace drom {

/// The code that one entry of the table is about: a function, or the cold part of one.
struct CodePart {
    uintptr_t low = 0, high = 0;
    uintptr_t handlers = 0;  ///< its LSDA; 0: calls that throw do not come back here
};

enum class Unwinding : uint8_t {
    kNone,     ///< the table has nothing about this
    kFound,    ///< it has, and says what is returned
    kUnknown,  ///< it is written in a form that is not understood
};

class UnwindTable {
public:
    /// `header`: the object's .eh_frame_hdr (PT_GNU_EH_FRAME); 0: it has none. The object lies in [low, high).
    UnwindTable(uintptr_t header, uintptr_t low, uintptr_t high) noexcept : header_(header), low_(low), high_(high) {}

    /// The part that holds the instruction at `at`.
    Unwinding part_of(uintptr_t at, CodePart& part) const noexcept;

    /// Where the call at `at` goes on when it throws.
    Unwinding landing_pad(const CodePart& part, uintptr_t at, uintptr_t& pad) const noexcept;

private:
    uintptr_t header_, low_, high_;
};

}  // namespace drom
