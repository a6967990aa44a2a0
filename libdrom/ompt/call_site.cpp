// SPDX-License-Identifier: BSD-3-Clause
// call_site.cpp - did the program ask omp_get_num_threads, or did GCC ask in its name?
#include "call_site.hpp"

#include <cstring>

namespace drom {

#if defined(__x86_64__)

namespace {

enum class Kind : uint8_t { Other, Copy, Compute, Spill, Store, Divide, Compare, Branch, Call, CallSlot };

/// One decoded instruction: just enough to follow a value through registers. Register numbers as in the encoding.
struct Instruction {
    Kind kind = Kind::Other;
    uint8_t length = 0;
    int8_t to = -1;        ///< register that is written
    int8_t from = -1;      ///< register that is copied, divided by or spilled; kSlot: the stack
    uint32_t address = 0;  ///< registers that make up the address of a memory operand
    int32_t offset = 0;
};
constexpr int8_t kSlot = 16;

/// The bytes after an opcode: register, and register or memory.
struct Operands {
    uint8_t length;
    int8_t reg;
    int8_t rm;  ///< -1: memory
    bool on_stack;
    uint8_t extension;
    uint32_t address;
};

Operands read_operands(const uint8_t* at, uint8_t rex) noexcept {
    const uint8_t mod = *at >> 6;
    const uint8_t rm = *at & 7;
    Operands operands{
        1, static_cast<int8_t>((*at >> 3 & 7) | (rex & 4) << 1), -1, false, static_cast<uint8_t>(*at >> 3 & 7), 0};
    if (mod == 3) {
        operands.rm = static_cast<int8_t>(rm | (rex & 1) << 3);
        return operands;
    }
    const bool scaled = rm == 4;
    const uint8_t base = scaled ? at[1] & 7 : rm;
    operands.on_stack = scaled && base == 4 && (rex & 1) == 0;
    operands.length = static_cast<uint8_t>(operands.length + (scaled ? 1 : 0) + (mod == 1 ? 1 : mod == 2 ? 4 : 0));
    if (mod == 0 && base == 5) operands.length = static_cast<uint8_t>(operands.length + 4);
    if (mod != 0 || base != 5) operands.address |= 1u << (base | (rex & 1) << 3);
    const int index = scaled ? (at[1] >> 3 & 7) | (rex & 2) << 2 : 4;  // 4: none
    if (index != 4) operands.address |= 1u << index;
    return operands;
}

int32_t read_offset(const uint8_t* at) noexcept {
    int32_t offset = 0;
    memcpy(&offset, at, sizeof offset);
    return offset;
}

/// Instructions with two operands, the second one written if it is a register.
void to_memory_or_register(Instruction& now, const Operands& operands, bool copies) noexcept {
    now.address = operands.address;
    now.to = operands.rm;
    now.from = copies ? operands.reg : int8_t{-1};
    now.kind = copies ? Kind::Copy : Kind::Compute;
    if (operands.rm >= 0) return;
    now.kind = !operands.on_stack ? Kind::Store : copies ? Kind::Spill : Kind::Other;
}

void to_register(Instruction& now, const Operands& operands, bool copies) noexcept {
    now.address = operands.address;
    now.kind = copies ? Kind::Copy : Kind::Compute;
    now.to = operands.reg;
    if (copies) now.from = operands.rm >= 0 ? operands.rm : operands.on_stack ? kSlot : int8_t{-1};
}

/// Opcode groups whose operation is in the operand byte.
void group(Instruction& now, const Operands& operands, uint8_t opcode) noexcept {
    const bool divides = opcode == 0xf7 && operands.extension >= 6;
    if (divides) {
        now.kind = Kind::Divide;
        now.from = operands.rm >= 0 ? operands.rm : operands.on_stack ? kSlot : int8_t{-1};
    } else if (opcode == 0xf7 && operands.extension < 2) {
        now.kind = Kind::Other;  // test: its immediate is not decoded
    } else if ((opcode == 0x83 || opcode == 0x81) && operands.extension == 7) {
        now.kind = Kind::Other;  // a comparison with a constant
    } else {
        to_memory_or_register(now, operands, false);
    }
}

bool one_of(uint8_t opcode, const char* set, size_t n) noexcept { return memchr(set, opcode, n) != nullptr; }

void decode_two_byte(Instruction& now, const uint8_t* at, uint8_t rex) noexcept {
    const uint8_t opcode = at[1];
    if (opcode >= 0x80 && opcode <= 0x8f) {
        now.kind = Kind::Branch;
        now.length = 6;
        return;
    }
    const bool conditional_move = opcode >= 0x40 && opcode <= 0x4f;
    const bool to_vector = one_of(opcode, "\x10\x28\x2a\x57\x6f\xef", 6);  // loads, conversions, clearing
    if (!conditional_move && !to_vector && !one_of(opcode, "\xaf\xb6\xb7\xbe\xbf", 5)) return;
    const Operands operands = read_operands(at + 2, rex);
    now.length = static_cast<uint8_t>(2 + operands.length);
    to_register(now, operands, false);
    if (to_vector) now.to = -1;
}

void decode_opcode(Instruction& now, const uint8_t* at, uint8_t rex) noexcept {
    const uint8_t opcode = at[0];
    if (opcode == 0x0f) return decode_two_byte(now, at, rex);
    if (opcode == 0xe8) {
        now = {Kind::Call, 5, -1, -1, 0, read_offset(at + 1)};
    } else if (opcode == 0xff && at[1] == 0x15) {
        now = {Kind::CallSlot, 6, -1, -1, 0, read_offset(at + 2)};
    } else if (opcode >= 0x70 && opcode <= 0x7f) {
        now = {Kind::Branch, 2};
    } else if (opcode == 0x99) {  // cltd, cqto
        now = {Kind::Compute, 1, 2};
    } else if (opcode == 0x98) {  // cltq
        now = {Kind::Copy, 1, 0, 0};
    } else if (opcode >= 0xb8 && opcode <= 0xbf) {
        const uint8_t length = (rex & 8) != 0 ? 9 : 5;
        now = {Kind::Compute, length, static_cast<int8_t>((opcode & 7) | (rex & 1) << 3)};
    } else if (one_of(opcode, "\x01\x09\x21\x29\x31\x89", 6)) {
        const Operands operands = read_operands(at + 1, rex);
        now.length = static_cast<uint8_t>(1 + operands.length);
        to_memory_or_register(now, operands, opcode == 0x89);
    } else if (one_of(opcode, "\x03\x0b\x23\x2b\x33\x63\x8b\x8d\x69\x6b", 10)) {
        const Operands operands = read_operands(at + 1, rex);
        now.length = static_cast<uint8_t>(1 + operands.length + (opcode == 0x69 ? 4 : opcode == 0x6b ? 1 : 0));
        to_register(now, operands, opcode == 0x8b || opcode == 0x63);
    } else if (opcode == 0x39 || opcode == 0x3b) {
        const Operands operands = read_operands(at + 1, rex);
        now.length = static_cast<uint8_t>(1 + operands.length);
        now.kind = operands.rm >= 0 ? Kind::Compare : Kind::Other;
    } else if (one_of(opcode, "\x81\x83\xc1\xd1\xf7", 5)) {
        const Operands operands = read_operands(at + 1, rex);
        const int immediate = opcode == 0x81 ? 4 : opcode == 0x83 || opcode == 0xc1 ? 1 : 0;
        now.length = static_cast<uint8_t>(1 + operands.length + immediate);
        group(now, operands, opcode);
    }
}

/// Kind::Other: not understood, or nothing that belongs here.
Instruction decode(const uint8_t* at) noexcept {
    Instruction now;
    const uint8_t* opcode = at;
    const bool vector = *opcode == 0x66 || *opcode == 0xf2 || *opcode == 0xf3;
    if (vector) ++opcode;
    const uint8_t rex = (*opcode & 0xf0) == 0x40 ? *opcode++ : 0;
    if (vector && *opcode != 0x0f) return now;
    decode_opcode(now, opcode, rex);
    now.length = static_cast<uint8_t>(now.length + (opcode - at));
    return now;
}

/// Follows the count from the call on.
class Walk {
public:
    Walk(const uint8_t* code, size_t size) noexcept : at_(code), left_(size) {}

    /// Straight on to the call of the thread's number.
    bool reaches_thread_num(IsThreadNum is_thread_num, const void* arg) noexcept {
        for (int step = 0; step < kSteps && next(); ++step) {
            if (now_.kind == Kind::Call || now_.kind == Kind::CallSlot) {
                holds_ &= kPreserved;
                return holds_ != 0 && is_thread_num(callee(), arg);
            }
            if (!is_arithmetic()) return false;
        }
        return false;
    }

    /// Straight on to a division by the count.
    bool reaches_division() noexcept {
        for (int step = 0; step < kSteps && next(); ++step) {
            if (now_.kind == Kind::Divide && now_.from >= 0 && (holds_ >> now_.from & 1) != 0) return true;
            if (!is_arithmetic()) return false;
        }
        return false;
    }

    /// Straight on to a comparison of two registers that is branched on.
    bool reaches_branch() noexcept {
        bool compared = false;
        for (int step = 0; step < kSteps && next(); ++step) {
            if (now_.kind == Kind::Branch) return compared;
            compared = now_.kind == Kind::Compare || (compared && now_.kind == Kind::Copy);
            if (!compared && !is_arithmetic()) return false;
        }
        return false;
    }

private:
    static constexpr int kSteps = 16;
    static constexpr size_t kLongest = 16;
    static constexpr uint32_t kPreserved = 1u << 3 | 1u << 5 | 0xf000u | 1u << kSlot;  // rbx rbp r12-r15, the stack

    bool next() noexcept {
        if (left_ == 0) return false;
        uint8_t window[kLongest] = {};
        memcpy(window, at_, left_ < kLongest ? left_ : kLongest);
        now_ = decode(window);
        if (now_.kind == Kind::Other || now_.length > left_) return false;
        at_ += now_.length;
        left_ -= now_.length;
        return true;
    }

    /// Tracks which registers hold the count. False for stores, calls, branches, and when the count makes up an address.
    bool is_arithmetic() noexcept {
        if (now_.kind == Kind::Store || now_.kind >= Kind::Branch || (now_.address & holds_) != 0) return false;
        const bool copies_count = now_.from >= 0 && (holds_ >> now_.from & 1) != 0;
        if (now_.kind == Kind::Spill && copies_count) holds_ |= 1u << kSlot;
        if (now_.kind == Kind::Divide) holds_ &= ~(1u | 1u << 2);  // rax, rdx
        if (now_.to < 0) return true;
        holds_ &= ~(1u << now_.to);
        if (now_.kind == Kind::Copy && copies_count) holds_ |= 1u << now_.to;
        return true;
    }

    [[nodiscard]] const uint8_t* callee() const noexcept {
        const uint8_t* target = at_ + now_.offset;
        if (now_.kind == Kind::Call) return target;
        const uint8_t* slot = nullptr;
        memcpy(&slot, target, sizeof slot);
        return slot;
    }

    const uint8_t* at_;
    size_t left_;
    Instruction now_;
    uint32_t holds_ = 1;  ///< rax
};

}  // namespace

bool cuts_a_loop(const uint8_t* code, size_t size, IsThreadNum is_thread_num, const void* arg) noexcept {
    Walk walk(code, size);
    return walk.reaches_thread_num(is_thread_num, arg) && walk.reaches_division() && walk.reaches_branch();
}

const void* stub_target(const uint8_t* stub) noexcept {
    constexpr uint8_t kEndbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
    if (memcmp(stub, kEndbr, sizeof kEndbr) == 0) stub += sizeof kEndbr;
    if (*stub == 0xf2) ++stub;  // bnd
    if (stub[0] != 0xff || stub[1] != 0x25) return nullptr;
    const void* target = nullptr;
    memcpy(&target, stub + 6 + read_offset(stub + 2), sizeof target);
    return target;
}

#else

bool cuts_a_loop(const uint8_t*, size_t, IsThreadNum, const void*) noexcept { return false; }

const void* stub_target(const uint8_t*) noexcept { return nullptr; }

#endif

}  // namespace drom
