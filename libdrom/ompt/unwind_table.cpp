// SPDX-License-Identifier: BSD-3-Clause
// unwind_table.cpp - reads .eh_frame_hdr, .eh_frame and LSDA, as the LSB's and DWARF's chapters on exceptions describe them.
#include "unwind_table.hpp"

#include <cstring>

namespace drom {

namespace {

// How an address is written: the lower four bits are its size, the next three what it is relative to.
constexpr uint8_t kOmitted = 0xff, kUleb128 = 0x01, kUdata4 = 0x03, kSdata4 = 0x0b, kRelative = 0x10;
constexpr uint8_t kIndirect = 0x80, kSortedTable = 0x3b;

/// Reads on, up to `end`. After anything that was not understood `good()` is false, and what was read means nothing.
class Reader {
public:
    Reader(uintptr_t at, uintptr_t end) noexcept : at_(at), end_(end) {}

    [[nodiscard]] uintptr_t at() const noexcept { return at_; }
    [[nodiscard]] bool good() const noexcept { return good_; }
    void fail() noexcept { good_ = false; }

    template <class T>
    T next() noexcept {
        T value{};
        if (!good_ || at_ > end_ || end_ - at_ < sizeof value) return fail(), value;
        memcpy(&value, reinterpret_cast<const void*>(at_), sizeof value);
        at_ += sizeof value;
        return value;
    }
    uint64_t uleb128() noexcept {
        uint64_t value = 0;
        for (unsigned shift = 0; shift < 63; shift += 7) {
            const auto byte = next<uint8_t>();
            value |= static_cast<uint64_t>(byte & 0x7f) << shift;
            if ((byte & 0x80) == 0) return value;
        }
        return fail(), 0;
    }
    void sleb128() noexcept { uleb128(); }  // only to get behind it

    /// An address of four bytes, absolute or relative to where it is written. 0 stays 0.
    uintptr_t address(uint8_t encoding) noexcept {
        const uintptr_t here = at_;
        const auto value = next<uint32_t>();
        const uint8_t size = encoding & 0x0f;
        const uint8_t origin = encoding & 0x70;
        if ((size != kUdata4 && size != kSdata4) || (origin != 0 && origin != kRelative)) fail();
        if (value == 0) return 0;
        const uintptr_t offset =
            size == kSdata4 ? static_cast<uintptr_t>(static_cast<intptr_t>(static_cast<int32_t>(value))) : value;
        return origin == kRelative ? here + offset : offset;
    }

private:
    uintptr_t at_, end_;
    bool good_ = true;
};

/// What a CIE says about the addresses in its FDEs.
struct Encodings {
    uint8_t code = 0, handlers = kOmitted;
};

bool read_encodings(uintptr_t cie, uintptr_t end, Encodings& found) noexcept {
    Reader reader(cie, end);
    const auto length = reader.next<uint32_t>();
    const auto id = reader.next<uint32_t>();
    const auto version = reader.next<uint8_t>();
    if (!reader.good() || length == UINT32_MAX || id != 0 || version != 1) return false;
    const auto* augmentation = reinterpret_cast<const char*>(reader.at());
    while (reader.good() && reader.next<char>() != '\0') {}
    reader.uleb128();  // code alignment
    reader.sleb128();  // data alignment
    reader.next<uint8_t>();
    if (!reader.good() || *augmentation != 'z') return false;
    reader.uleb128();
    for (const char* letter = augmentation + 1; *letter != '\0'; ++letter) {
        switch (*letter) {
            case 'R': found.code = reader.next<uint8_t>(); break;
            case 'L': found.handlers = reader.next<uint8_t>(); break;
            case 'P': reader.address(static_cast<uint8_t>(reader.next<uint8_t>() & 0x7f)); break;
            default: return false;
        }
    }
    return reader.good() && (found.handlers == kOmitted || (found.handlers & kIndirect) == 0);
}

/// One entry of the header's table, which is sorted by `code`. Both are relative to the header.
struct Entry {
    int32_t code, fde;
};

}  // namespace

Unwinding UnwindTable::part_of(uintptr_t at, CodePart& part) const noexcept {
    if (header_ == 0) return Unwinding::kNone;
    Reader header(header_, high_);
    const auto version = header.next<uint8_t>();
    const auto frames_encoding = header.next<uint8_t>();
    const auto count_encoding = header.next<uint8_t>();
    const auto table_encoding = header.next<uint8_t>();
    header.address(frames_encoding);
    const auto count = header.next<uint32_t>();
    if (!header.good() || version != 1 || count_encoding != kUdata4 || table_encoding != kSortedTable ||
        count > (high_ - header.at()) / sizeof(Entry))
        return Unwinding::kUnknown;
    const auto entry = [table = header.at()](uint32_t index) {
        Entry found;
        memcpy(&found, reinterpret_cast<const void*>(table + index * sizeof found), sizeof found);
        return found;
    };
    const auto absolute = [this](int32_t offset) { return header_ + static_cast<uintptr_t>(intptr_t{offset}); };
    uint32_t first = 0;
    for (uint32_t after = count; first < after;) {
        const uint32_t middle = first + (after - first) / 2;
        if (absolute(entry(middle).code) <= at)
            first = middle + 1;
        else
            after = middle;
    }
    if (first == 0) return Unwinding::kNone;
    const Entry nearest = entry(first - 1);
    const uintptr_t frame = absolute(nearest.fde);
    if (frame < low_ || frame >= high_) return Unwinding::kUnknown;

    Reader reader(frame, high_);
    const auto length = reader.next<uint32_t>();
    const uintptr_t cie_field = reader.at();
    const auto cie = cie_field - reader.next<uint32_t>();
    Encodings encodings;
    if (!reader.good() || length == UINT32_MAX || cie < low_ || cie >= cie_field ||
        !read_encodings(cie, high_, encodings))
        return Unwinding::kUnknown;
    part.low = reader.address(encodings.code);
    part.high = part.low + reader.next<uint32_t>();
    const uint64_t augmentation = reader.uleb128();
    part.handlers = 0;
    if (augmentation != 0) part.handlers = encodings.handlers == kOmitted ? 0 : reader.address(encodings.handlers);
    if (!reader.good() || part.low != absolute(nearest.code)) return Unwinding::kUnknown;
    return at < part.high ? Unwinding::kFound : Unwinding::kNone;
}

Unwinding UnwindTable::landing_pad(const CodePart& part, uintptr_t at, uintptr_t& pad) const noexcept {
    if (part.handlers == 0) return Unwinding::kNone;
    if (part.handlers < low_ || part.handlers >= high_) return Unwinding::kUnknown;
    Reader reader(part.handlers, high_);
    if (reader.next<uint8_t>() != kOmitted) return Unwinding::kUnknown;  // pads relative to another place
    if (reader.next<uint8_t>() != kOmitted) reader.uleb128();
    if (reader.next<uint8_t>() != kUleb128) return Unwinding::kUnknown;
    const uint64_t size = reader.uleb128();
    const uintptr_t end = reader.at() + size;
    while (reader.good() && reader.at() < end) {
        const uintptr_t start = part.low + reader.uleb128();
        const uint64_t length = reader.uleb128();
        const uint64_t where = reader.uleb128();
        reader.uleb128();
        if (at < start || at - start >= length) continue;
        pad = part.low + where;
        return !reader.good() ? Unwinding::kUnknown : where != 0 ? Unwinding::kFound : Unwinding::kNone;
    }
    return reader.good() ? Unwinding::kNone : Unwinding::kUnknown;
}

}  // namespace drom
