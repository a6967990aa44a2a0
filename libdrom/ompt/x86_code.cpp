// SPDX-License-Identifier: BSD-3-Clause
// x86_code.cpp - instruction lengths and register effects, from the opcode maps of the architecture's manual.
#include "x86_code.hpp"

#include <cstring>

namespace drom::x86 {

namespace {

constexpr uint8_t kNone = 0xff;
constexpr Registers kRax = 1, kRcx = 2, kRdx = 4, kRbx = 8, kRbp = 32, kRsi = 64, kRdi = 128;

constexpr Registers bit(unsigned number) { return static_cast<Registers>(1U << number); }

/// What the prefixes and the opcode bytes say.
struct Opcode {
    unsigned map = 0;  ///< 0: one byte, 1: 0F, 2: 0F 38, 3: 0F 3A
    unsigned code = 0;
    bool vex = false;  ///< VEX or EVEX: three operands, vector registers
    bool evex = false;
    bool operand16 = false, f2 = false, f3 = false;
    bool rex = false, wide = false;
    unsigned r = 0, x = 0, b = 0;  ///< high bits of the register numbers
    unsigned v = 0;                ///< the third register of VEX
};

/// A ModRM byte with what follows it.
struct Operands {
    unsigned reg = 0;       ///< with its high bit
    unsigned digit = 0;     ///< without: the opcode's extension
    unsigned rm = 0;        ///< register number, when `direct`
    bool direct = false;    ///< mod 3
    Registers address = 0;  ///< registers of the memory operand
};

class Decoder {
public:
    Decoder(const uint8_t* at, const uint8_t* end) noexcept : start_(at), at_(at), end_(end) {}

    Instruction run() noexcept {
        out_.from = out_.to = kNone;
        if (!prefixes() || !operation() || !good_ || at_ - start_ > 15)
            return {0, Flow::kUnknown, Form::kOther, kNone, kNone, 0, 0, 0};
        out_.length = static_cast<uint8_t>(at_ - start_);
        if (has_target_) out_.target = reinterpret_cast<uintptr_t>(at_) + static_cast<uintptr_t>(displacement_);
        return out_;
    }

private:
    uint8_t next() noexcept {
        if (at_ < end_) return *at_++;
        good_ = false;
        return 0;
    }
    void skip(unsigned bytes) noexcept {
        if (static_cast<size_t>(end_ - at_) < bytes)
            good_ = false;
        else
            at_ += bytes;
    }
    void immediate32() noexcept { skip(op_.operand16 ? 2 : 4); }

    bool prefixes() noexcept {
        for (unsigned count = 0; count < 14; ++count) {
            const uint8_t byte = next();
            switch (byte) {
                case 0x66: op_.operand16 = true; continue;
                case 0xf2: op_.f2 = true; continue;
                case 0xf3: op_.f3 = true; continue;
                case 0x2e:
                case 0x36:
                case 0x3e:
                case 0x26:
                case 0x64:
                case 0x65:
                case 0x67:
                case 0xf0: continue;
                case 0xc5: return vex2();
                case 0xc4: return vex3();
                case 0x62: return evex();
                default: break;
            }
            return rest_of_opcode(byte);
        }
        return false;
    }

    bool rest_of_opcode(uint8_t byte) noexcept {
        if ((byte & 0xf0) == 0x40) {
            op_.rex = true;
            op_.wide = (byte & 8) != 0;
            op_.r = byte << 1 & 8;
            op_.x = byte << 2 & 8;
            op_.b = byte << 3 & 8;
            byte = next();
        }
        if (byte == 0x0f) {
            op_.map = 1;
            byte = next();
            if (byte == 0x38 || byte == 0x3a) {
                op_.map = byte == 0x38 ? 2 : 3;
                byte = next();
            }
        }
        op_.code = byte;
        return good_;
    }

    void vex_prefix(unsigned pp) noexcept {
        op_.vex = true;
        op_.operand16 = pp == 1;
        op_.f3 = pp == 2;
        op_.f2 = pp == 3;
        op_.code = next();
    }
    bool vex2() noexcept {
        const unsigned p = next();
        op_.r = (~p & 0x80) >> 4;
        op_.v = ~p >> 3 & 15;
        op_.map = 1;
        vex_prefix(p & 3);
        return good_;
    }
    bool vex3() noexcept {
        const unsigned p0 = next(), p1 = next();
        op_.r = (~p0 & 0x80) >> 4;
        op_.x = (~p0 & 0x40) >> 3;
        op_.b = (~p0 & 0x20) >> 2;
        op_.map = p0 & 0x1f;
        op_.wide = (p1 & 0x80) != 0;
        op_.v = ~p1 >> 3 & 15;
        vex_prefix(p1 & 3);
        return good_ && op_.map >= 1 && op_.map <= 3;
    }
    bool evex() noexcept {
        const unsigned p0 = next(), p1 = next();
        next();
        op_.evex = true;
        op_.r = (~p0 & 0x80) >> 4;
        op_.x = (~p0 & 0x40) >> 3;
        op_.b = (~p0 & 0x20) >> 2;
        op_.map = p0 & 7;
        op_.wide = (p1 & 0x80) != 0;
        op_.v = ~p1 >> 3 & 15;
        vex_prefix(p1 & 3);
        return good_ && op_.map >= 1 && op_.map <= 3;
    }

    /// ModRM, SIB and displacement.
    Operands operands() noexcept {
        Operands got;
        const unsigned modrm = next();
        const unsigned mod = modrm >> 6;
        got.digit = modrm >> 3 & 7;
        got.reg = got.digit | op_.r;
        if (mod == 3) {
            got.direct = true;
            got.rm = (modrm & 7) | op_.b;
            return got;
        }
        unsigned displacement = mod == 1 ? 1 : mod == 2 ? 4 : 0;
        if ((modrm & 7) == 4) {
            const unsigned sib = next();
            const unsigned index = (sib >> 3 & 7) | op_.x;
            if (index != 4) got.address |= bit(index);
            if ((sib & 7) == 5 && mod == 0)
                displacement = 4;
            else
                got.address |= bit((sib & 7) | op_.b);
        } else if ((modrm & 7) == 5 && mod == 0) {
            displacement = 4;  // relative to rip
        } else {
            got.address |= bit((modrm & 7) | op_.b);
        }
        skip(displacement);
        return got;
    }

    bool operation() noexcept {
        if (op_.vex) return vector_operation(true);
        if (op_.map == 0) return one_byte();
        if (op_.map == 1) return two_bytes();
        return vector_operation(false);
    }

    void reads(Registers set) noexcept { out_.reads |= set; }
    void writes(Registers set) noexcept { out_.writes |= set; }
    void moves() noexcept { out_.keeps_flags = true; }

    /// An operand of eight bits: without REX the numbers 4-7 are the second bytes of 0-3.
    [[nodiscard]] Registers narrow(unsigned number) const noexcept {
        const Registers itself = bit(number);
        return !op_.rex && number >= 4 && number < 8 ? itself | bit(number - 4) : itself;
    }
    /// The register a whole result goes to: a write of 16 bits leaves the rest as it was.
    [[nodiscard]] Registers whole(unsigned number) const noexcept { return op_.operand16 ? Registers{0} : bit(number); }

    /// Reads every register the operands name.
    void reads_all(const Operands& got, bool bytes) noexcept {
        reads(got.address);
        reads(bytes ? narrow(got.reg) : bit(got.reg));
        if (got.direct) reads(bytes ? narrow(got.rm) : bit(got.rm));
    }
    /// Reads the register or memory operand only.
    void reads_rm(const Operands& got, bool bytes) noexcept {
        reads(got.address);
        if (got.direct) reads(bytes ? narrow(got.rm) : bit(got.rm));
    }

    bool relative(unsigned bytes, Flow flow) noexcept {
        out_.flow = flow;
        has_target_ = true;
        if (static_cast<size_t>(end_ - at_) < bytes) return false;
        if (bytes == 1) {
            displacement_ = *at_ < 128 ? *at_ : *at_ - 256;
        } else {
            int32_t value = 0;
            memcpy(&value, at_, sizeof value);
            displacement_ = value;
        }
        at_ += bytes;
        return true;
    }
    bool branch(unsigned bytes) noexcept {
        const unsigned condition = op_.code & 15;
        // b ae be a; l ge le g
        if (condition == 2 || condition == 3 || condition == 6 || condition == 7 || condition >= 12)
            out_.form = Form::kLess;
        return relative(bytes, Flow::kBranch);
    }

    bool arithmetic() noexcept {
        const unsigned kind = op_.code & 7;
        if (kind == 4) return reads(kRax), skip(1), true;
        if (kind == 5) return reads(kRax), immediate32(), true;
        if (kind > 5) return false;
        const Operands got = operands();
        const bool zeroes = (op_.code & 0xfe) != 0 && got.direct && got.reg == got.rm && (kind == 1 || kind == 3) &&
                            ((op_.code & 0x38) == 0x30 || (op_.code & 0x38) == 0x28);
        if (zeroes) return writes(whole(got.rm)), true;
        reads_all(got, (kind & 1) == 0);
        if ((op_.code & 0x38) == 0x38 && got.direct && (kind & 1) != 0) {
            out_.form = Form::kCompare;
            out_.from = static_cast<uint8_t>(got.reg);
            out_.to = static_cast<uint8_t>(got.rm);
        }
        return true;
    }

    bool move(bool to_rm) noexcept {
        const Operands got = operands();
        reads(got.address);
        const unsigned from = to_rm ? got.reg : got.rm;
        const unsigned to = to_rm ? got.rm : got.reg;
        if (to_rm || got.direct) reads(bit(from));
        if (!to_rm || got.direct) writes(whole(to));
        if (got.direct && !op_.operand16) copy(from, to);
        return moves(), true;
    }
    void copy(unsigned from, unsigned to) noexcept {
        out_.form = Form::kCopy;
        out_.from = static_cast<uint8_t>(from);
        out_.to = static_cast<uint8_t>(to);
    }
    /// Widening or counting: all of `reg` is replaced.
    bool into_reg(bool bytes) noexcept {
        const Operands got = operands();
        reads_rm(got, bytes);
        writes(whole(got.reg));
        return true;
    }

    bool one_byte() noexcept {
        const unsigned code = op_.code;
        if (code < 0x40) return arithmetic();
        switch (code & 0xf8) {
            case 0x50: return reads(bit((code & 7) | op_.b)), true;
            case 0x58: return writes(bit((code & 7) | op_.b)), true;
            case 0x70:
            case 0x78: return branch(1);
            case 0x90: return code >= 0x98 ? one_byte_rest() : exchange();
            case 0xb0: return reads(narrow((code & 7) | op_.b)), skip(1), true;
            case 0xb8:
                return moves(), writes(whole((code & 7) | op_.b)), skip(op_.wide ? 8 : op_.operand16 ? 2 : 4), true;
            case 0xd8: return reads_rm(operands(), false), true;  // floating point: memory operands only
            default: return one_byte_rest();
        }
    }
    bool exchange() noexcept {
        const unsigned other = (op_.code & 7) | op_.b;
        if (other == 0) return true;  // nop, pause
        return reads(kRax | bit(other)), true;
    }

    bool one_byte_rest() noexcept {
        switch (op_.code) {
            case 0x63: return extend();
            case 0x68: return immediate32(), true;
            case 0x69: return into_reg(false) && (immediate32(), true);
            case 0x6a: return skip(1), true;
            case 0x6b: return into_reg(false) && (skip(1), true);
            case 0x80: return reads_rm(operands(), true), skip(1), true;
            case 0x81: return reads_rm(operands(), false), immediate32(), true;
            case 0x83: return reads_rm(operands(), false), skip(1), true;
            case 0x84:
            case 0x86:
            case 0x88:
            case 0x8a: return reads_all(operands(), true), true;
            case 0x85:
            case 0x87: return reads_all(operands(), false), true;
            case 0x89: return move(true);
            case 0x8b: return move(false);
            case 0x8d: return address();
            case 0x98: return reads(kRax), true;
            case 0x99: return reads(kRax), writes(op_.operand16 ? Registers{0} : kRdx), true;
            case 0xa4:
            case 0xa5:
            case 0xaa:
            case 0xab:
            case 0xa6:
            case 0xa7:
            case 0xae:
            case 0xaf: return reads(kRax | kRcx | kRsi | kRdi), true;
            case 0xa8: return reads(kRax), skip(1), true;
            case 0xa9: return reads(kRax), immediate32(), true;
            default: return one_byte_high();
        }
    }
    bool extend() noexcept {
        const Operands got = operands();
        reads_rm(got, false);
        writes(whole(got.reg));
        if (got.direct) copy(got.rm, got.reg);
        return moves(), true;
    }
    bool address() noexcept {
        const Operands got = operands();
        reads(got.address);
        writes(whole(got.reg));
        return moves(), !got.direct;
    }

    bool one_byte_high() noexcept {
        switch (op_.code) {
            case 0xc0: return reads_rm(operands(), true), skip(1), true;
            case 0xc1: return reads_rm(operands(), false), skip(1), true;
            case 0xc2:
                skip(2);
                out_.flow = Flow::kReturn;
                return true;
            case 0xc3: out_.flow = Flow::kReturn; return true;
            case 0xc6: return reads_rm(operands(), true), skip(1), true;
            case 0xc7: return store_constant();
            case 0xc9: return reads(kRbp), true;
            case 0xd0: return reads_rm(operands(), true), true;
            case 0xd1: return reads_rm(operands(), false), true;
            case 0xd2: return reads(kRcx), reads_rm(operands(), true), true;
            case 0xd3: return reads(kRcx), reads_rm(operands(), false), true;
            case 0xe8: return relative(4, Flow::kCall);
            case 0xe9: return relative(4, Flow::kJump);
            case 0xeb: return relative(1, Flow::kJump);
            case 0xf6: return unary(true);
            case 0xf7: return unary(false);
            case 0xfe: return reads_rm(operands(), true), true;
            case 0xff: return group5();
            default: return false;
        }
    }
    bool store_constant() noexcept {
        const Operands got = operands();
        reads(got.address);
        if (got.direct) writes(whole(got.rm));
        immediate32();
        return moves(), true;
    }
    bool unary(bool bytes) noexcept {
        const Operands got = operands();
        reads_rm(got, bytes);
        if (got.digit < 2) return bytes ? skip(1) : immediate32(), true;  // test
        if (got.digit < 4) return true;                                   // not, neg
        reads(kRax | (got.digit >= 6 ? kRdx : Registers{0}));
        if (!bytes && !op_.operand16) writes(kRax | kRdx);
        if (got.digit < 6 || bytes || op_.operand16 || !got.direct) return true;
        out_.form = Form::kDivide;
        out_.from = static_cast<uint8_t>(got.rm);
        return true;
    }
    bool group5() noexcept {
        const Operands got = operands();
        reads_rm(got, false);
        if (got.digit == 2) out_.flow = Flow::kCall;
        if (got.digit == 4) out_.flow = Flow::kAnywhere;
        return got.digit != 3 && got.digit != 5 && got.digit != 7;
    }

    bool two_bytes() noexcept {
        const unsigned code = op_.code;
        if (code >= 0x80 && code < 0x90) return branch(4);
        if (code >= 0x90 && code < 0xa0) return reads_rm(operands(), true), true;
        if (code >= 0x40 && code < 0x50) return reads_all(operands(), false), true;
        if (code >= 0xc8 && code < 0xd0) return reads(bit((code & 7) | op_.b)), true;
        switch (code) {
            case 0x0b: out_.flow = Flow::kStop; return true;
            case 0x0d:
            case 0x18:
            case 0x19:
            case 0x1a:
            case 0x1b:
            case 0x1c:
            case 0x1d:
            case 0x1e:
            case 0x1f: return operands(), true;  // hints: what they name is not used
            case 0xa3:
            case 0xab:
            case 0xb3:
            case 0xbb: return reads_all(operands(), false), true;
            case 0xa4:
            case 0xac: return reads_all(operands(), false), skip(1), true;
            case 0xa5:
            case 0xad: return reads(kRcx), reads_all(operands(), false), true;
            case 0xae: return reads_rm(operands(), false), true;
            case 0xaf: return reads_all(operands(), false), true;
            case 0xb0: return reads(kRax), reads_all(operands(), true), true;
            case 0xb1: return reads(kRax), reads_all(operands(), false), true;
            case 0xb6:
            case 0xbe: return into_reg(true);
            case 0xb7:
            case 0xbf: return into_reg(false);
            case 0xb8:
            case 0xbc:
            case 0xbd: return op_.f3 ? into_reg(false) : (reads_all(operands(), false), true);
            case 0xba: return reads_rm(operands(), false), skip(1), true;
            case 0xc0: return reads_all(operands(), true), true;
            case 0xc1:
            case 0xc3: return reads_all(operands(), false), true;
            default:
                return code == 0x05 || code == 0xa2 || code < 0x10 || (code >= 0x20 && code < 0x28) ||
                               (code >= 0x30 && code < 0x40) || (code >= 0xa0 && code < 0xc2) || code == 0xc7
                           ? false
                           : vector_operation(false);
        }
    }

    /// True when the opcode's register or memory operand can be a general register; `reg` likewise.
    [[nodiscard]] bool general_rm() const noexcept {
        const unsigned c = op_.code;
        if (op_.map == 1)
            return c == 0x2a || c == 0x6e || c == 0x7e || c == 0xc4 || (op_.vex && (c == 0x7b || c == 0x92));
        if (op_.map == 2) return c >= 0xf0 || (op_.evex && c >= 0x7a && c <= 0x7c);
        return (c >= 0x14 && c <= 0x17) || c == 0x20 || c == 0x22 || c == 0xf0;
    }
    [[nodiscard]] bool general_reg() const noexcept {
        const unsigned c = op_.code;
        if (op_.map == 1)
            return c == 0x2c || c == 0x2d || c == 0x50 || c == 0xc5 || c == 0xd7 ||
                   (op_.vex && (c == 0x93 || c == 0x78 || c == 0x79));
        if (op_.map == 2) return c >= 0xf0;
        return c == 0xf0;
    }
    [[nodiscard]] bool has_immediate() const noexcept {
        const unsigned c = op_.code;
        if (op_.map == 3) return true;
        if (op_.map == 2) return false;
        return (c >= 0x70 && c <= 0x73) || c == 0xc2 || (c >= 0xc4 && c <= 0xc6);
    }

    /// Loads, stores and copies, whatever the prefix.
    [[nodiscard]] bool vector_move() const noexcept {
        const unsigned c = op_.code;
        return op_.map == 1 && (c == 0x10 || c == 0x11 || c == 0x28 || c == 0x29 || c == 0x6e || c == 0x6f ||
                                c == 0x7e || c == 0x7f || c == 0xd6);
    }

    /// Vector instructions and the few that exchange with general registers.
    bool vector_operation(bool vex) noexcept {
        if (op_.map == 1 && op_.code == 0x77) return true;  // emms, vzeroupper
        const Operands got = operands();
        reads(got.address);
        if (general_rm() && got.direct) reads(bit(got.rm));
        if (general_reg()) reads(bit(got.reg));
        if (vex && op_.map == 2 && op_.code >= 0xf0) reads(bit(op_.v));
        if (has_immediate()) skip(1);
        if (vector_move()) moves();
        return true;
    }

    const uint8_t* start_;
    const uint8_t* at_;
    const uint8_t* end_;
    bool good_ = true;
    bool has_target_ = false;
    int64_t displacement_ = 0;
    Opcode op_;
    Instruction out_{};
};

}  // namespace

Instruction decode(const uint8_t* at, const uint8_t* end) noexcept { return Decoder(at, end).run(); }

}  // namespace drom::x86
