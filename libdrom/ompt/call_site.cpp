// SPDX-License-Identifier: BSD-3-Clause
// call_site.cpp - did the program ask omp_get_num_threads, or did GCC ask in its name?
#include "call_site.hpp"

#include <cstring>

namespace drom {

#if defined(__x86_64__)

namespace {

/// One decoded instruction, as far as we need it.
struct Instruction {
    uint8_t opcode;  ///< last opcode byte
    bool two_bytes;  ///< behind 0f
    bool has_modrm;
    uint8_t reg;         ///< ModRM.reg with its REX bit
    uint8_t operand[8];  ///< what ModRM names, normalised: REX.B, mod and rm, SIB, displacement
    uint8_t operand_size;
    uint8_t base, index;  ///< registers of a memory operand's address; kNoRegister: none
    uint32_t immediate_size;
    uint32_t length;
};

constexpr uint8_t kRexB = 1, kRexX = 2, kRexR = 4, kNoRegister = 0xff;

bool in(uint8_t value, uint8_t first, uint8_t last) noexcept { return value >= first && value <= last; }

/// Opcodes that take a ModRM byte and what immediate follows. False: not one that occurs between the calls and the division.
bool known_one_byte(uint8_t opcode, bool& modrm, uint32_t& immediate) noexcept {
    modrm = true;
    immediate = 0;
    switch (opcode) {
        case 0x01:
        case 0x03:
        case 0x09:
        case 0x0b:
        case 0x21:
        case 0x23:
        case 0x29:
        case 0x2b:
        case 0x31:
        case 0x33:
        case 0x39:
        case 0x3b:
        case 0x63:
        case 0x85:
        case 0x89:
        case 0x8b:
        case 0x8d:
        case 0xd1:
        case 0xf7:
        case 0xff: return true;
        case 0x6b:
        case 0x83:
        case 0xc1: immediate = 1; return true;
        case 0x69:
        case 0x81:
        case 0xc7: immediate = 4; return true;
        case 0xe8:
            modrm = false;
            immediate = 4;
            return true;
        case 0x98:
        case 0x99: modrm = false; return true;
        default: break;
    }
    modrm = false;
    if (in(opcode, 0xb8, 0xbf)) immediate = 4;
    return in(opcode, 0xb8, 0xbf);
}

bool known_two_byte(uint8_t opcode) noexcept {
    return opcode == 0xaf || in(opcode, 0x40, 0x4f) || opcode == 0xb6 || opcode == 0xb7 || opcode == 0x1f;
}

uint8_t numbered(uint8_t low, int extended) noexcept {
    return static_cast<uint8_t>((low & 7) | (extended != 0 ? 8 : 0));
}

/// Reads ModRM, SIB and displacement. False when the code ends first.
bool read_operand(const uint8_t* code, size_t size, uint8_t rex, Instruction& out) noexcept {
    if (size == 0) return false;
    const uint8_t modrm = code[0];
    const uint8_t mod = modrm >> 6;
    const uint8_t rm = modrm & 7;
    uint32_t length = 1;
    uint32_t displacement = mod == 1 ? 1 : mod == 2 ? 4 : 0;
    if (mod != 3 && rm == 4) {
        if (size < 2) return false;
        if (mod == 0 && (code[1] & 7) == 5) displacement = 4;
        ++length;
        out.base = numbered(code[1], rex & kRexB);
        out.index = numbered(static_cast<uint8_t>(code[1] >> 3), rex & kRexX);
    } else if (mod != 3 && (mod != 0 || rm != 5)) {
        out.base = numbered(rm, rex & kRexB);
    }
    if (mod == 0 && rm == 5) displacement = 4;
    length += displacement;
    if (length > size || length > sizeof out.operand - 1) return false;
    out.reg = static_cast<uint8_t>((modrm >> 3 & 7) | ((rex & kRexR) != 0 ? 8 : 0));
    out.operand[0] = rex & kRexB;
    out.operand[1] = modrm & 0xc7;
    memcpy(out.operand + 2, code + 1, length - 1);
    out.operand_size = static_cast<uint8_t>(length + 1);
    out.length += length;
    return true;
}

bool decode(const uint8_t* code, size_t size, Instruction& out) noexcept {
    out = Instruction{};
    out.base = out.index = kNoRegister;
    uint8_t rex = 0;
    if (out.length < size && in(code[out.length], 0x40, 0x4f)) rex = code[out.length++];
    if (out.length + 1 >= size) return false;
    out.opcode = code[out.length++];
    if (out.opcode == 0x0f) {
        out.two_bytes = true;
        out.opcode = code[out.length++];
        out.has_modrm = true;
        if (!known_two_byte(out.opcode)) return false;
    } else if (!known_one_byte(out.opcode, out.has_modrm, out.immediate_size)) {
        return false;
    }
    if (in(out.opcode, 0xb8, 0xbf) && !out.two_bytes && (rex & 8) != 0) out.immediate_size = 8;
    if (out.has_modrm && !read_operand(code + out.length, size - out.length, rex, out)) return false;
    if (out.opcode == 0xf7 && out.reg % 8 < 2) out.immediate_size = 4;  // test
    out.length += out.immediate_size;
    return out.length <= size;
}

/// Where the answer is kept: an operand that ModRM can name.
struct Kept {
    uint8_t operand[8];
    uint8_t size;

    [[nodiscard]] bool is(const Instruction& instruction) const noexcept {
        return instruction.has_modrm && instruction.operand_size == size &&
               memcmp(instruction.operand, operand, size) == 0;
    }
    [[nodiscard]] bool is_register() const noexcept { return operand[1] >> 6 == 3; }
    [[nodiscard]] uint8_t number() const noexcept { return static_cast<uint8_t>((operand[1] & 7) | operand[0] << 3); }
    /// The stack slot of this call, not a variable that others see.
    [[nodiscard]] bool is_private() const noexcept {
        const bool on_stack =
            (operand[1] & 7) == 4 ? (operand[2] & 7) == 4 : (operand[1] & 7) == 5 && operand[1] >> 6 != 0;
        return is_register() ? number() != 0 : operand[0] == 0 && on_stack;
    }
};

Kept in_register(uint8_t number) noexcept {
    return {{static_cast<uint8_t>(number >> 3), static_cast<uint8_t>(0xc0 | (number & 7))}, 2};
}

/// `mov %eax, kept` or `movslq %eax, kept`.
bool keeps_answer(const Instruction& instruction, Kept& kept) noexcept {
    if (instruction.two_bytes || !instruction.has_modrm) return false;
    if (instruction.opcode == 0x89 && instruction.reg == 0) {
        memcpy(kept.operand, instruction.operand, sizeof kept.operand);
        kept.size = instruction.operand_size;
        return kept.is_private();
    }
    const bool from_eax = instruction.operand[0] == 0 && instruction.operand[1] == 0xc0;
    if (instruction.opcode != 0x63 || !from_eax) return false;
    kept = in_register(instruction.reg);
    return kept.is_private();
}

/// `movslq kept, register`, or from %eax as long as the answer is still there: a loop that counts in 64 bits divides by the wider copy.
bool widens(const Instruction& i, const Kept& kept, bool called) noexcept {
    const bool from_eax = !called && i.operand[0] == 0 && i.operand[1] == 0xc0;
    return !i.two_bytes && i.opcode == 0x63 && (from_eax || kept.is(i));
}

bool is_call(const Instruction& i) noexcept {
    return !i.two_bytes && (i.opcode == 0xe8 || (i.opcode == 0xff && i.reg % 8 == 2));
}

bool divides_by(const Instruction& i, const Kept& kept) noexcept {
    return !i.two_bytes && i.opcode == 0xf7 && i.reg % 8 >= 6 && kept.is(i);
}

/// Anything but a division that names where the answer is: it may be copied, and kept.
bool touches(const Instruction& i, const Kept& kept) noexcept {
    if (kept.is(i)) return true;
    if (!kept.is_register()) return false;
    if (i.has_modrm && i.reg == kept.number() && i.opcode != 0xf7 && i.opcode != 0xc1 && i.opcode != 0x83) return true;
    return i.base == kept.number() || i.index == kept.number();
}

bool is_compare(const Instruction& i) noexcept { return !i.two_bytes && (i.opcode == 0x39 || i.opcode == 0x3b); }

bool jumps_if_less(const uint8_t* code, size_t size) noexcept {
    if (size < 2) return false;
    const uint8_t near = code[0] == 0x0f ? static_cast<uint8_t>(code[1] - 0x10) : code[0];
    return near == 0x7c || near == 0x72 || near == 0x7f || near == 0x77;  // less or greater, signed or not
}

}  // namespace

bool cuts_a_loop(const uint8_t* code, size_t size) noexcept {
    constexpr int kLongest = 24;
    Instruction now{};
    Kept kept{};
    if (!decode(code, size, now) || !keeps_answer(now, kept)) return false;
    bool called = false;
    bool divided = false;
    size_t at = now.length;
    for (int n = 0; n < kLongest && decode(code + at, size - at, now); ++n) {
        at += now.length;
        if (is_call(now)) {
            if (called) return false;
            called = true;
        } else if (divides_by(now, kept)) {
            if (!called) return false;
            divided = true;
        } else if (!divided && widens(now, kept, called)) {
            kept = in_register(now.reg);
        } else if (divided && is_compare(now)) {
            return jumps_if_less(code + at, size - at);
        } else if (touches(now, kept)) {
            return false;
        }
    }
    return false;
}

#else

bool cuts_a_loop(const uint8_t*, size_t) noexcept { return false; }

#endif

}  // namespace drom
