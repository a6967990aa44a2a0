// SPDX-License-Identifier: BSD-3-Clause
// cpuset.cpp - CPU sets as text and as words.
#include "cpuset.hpp"

#include <cstdio>
#include <cstring>

namespace drom {

char* to_text(const CpuSet& set, char* out, size_t size) noexcept {
    constexpr size_t kEllipsis = 5;  // ",..." and the terminator
    out[0] = '\0';
    size_t used = 0;
    for (uint32_t first = set.first(); first < kMaxCpus;) {
        uint32_t last = first;
        while (set.has(last + 1)) ++last;
        char item[16];
        const char* comma = used > 0 ? "," : "";
        const int length = first == last ? snprintf(item, sizeof item, "%s%u", comma, first)
                                         : snprintf(item, sizeof item, "%s%u-%u", comma, first, last);
        const auto width = static_cast<size_t>(length);
        const bool more = set.next(last + 1) < kMaxCpus;
        if (used + width + (more ? kEllipsis : 1) > size) {
            snprintf(out + used, size - used, ",...");
            return out;
        }
        memcpy(out + used, item, width + 1);
        used += width;
        first = set.next(last + 1);
    }
    return out;
}

namespace {

struct Cursor {
    const char* text;
    size_t at;
    [[nodiscard]] char here() const noexcept { return text[at]; }
};

constexpr CpuTextError kFine{nullptr, 0};

CpuTextError parse_number(Cursor& cursor, uint32_t& value) noexcept {
    const size_t start = cursor.at;
    if (cursor.here() < '0' || cursor.here() > '9') return {"a CPU number is missing", start};
    value = 0;
    for (; cursor.here() >= '0' && cursor.here() <= '9'; ++cursor.at) {
        value = value * 10 + static_cast<uint32_t>(cursor.here() - '0');
        if (value >= kMaxCpus) return {"CPU number beyond 4095", start};
    }
    return kFine;
}

CpuTextError parse_item(Cursor& cursor, CpuSet& set) noexcept {
    const size_t start = cursor.at;
    uint32_t first = 0;
    if (auto error = parse_number(cursor, first); error.what != nullptr) return error;
    uint32_t last = first;
    uint32_t step = 1;
    if (cursor.here() == '-') {
        ++cursor.at;
        if (auto error = parse_number(cursor, last); error.what != nullptr) return error;
        if (last < first) return {"range runs backwards", start};
        if (cursor.here() == ':') {
            const size_t at = ++cursor.at;
            if (auto error = parse_number(cursor, step); error.what != nullptr) return error;
            if (step == 0) return {"step of zero", at};
        }
    }
    for (uint32_t cpu = first; cpu <= last; cpu += step) set.add(cpu);
    return kFine;
}

int hex_digit(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

CpuTextError parse_hex(const char* text, CpuSet& set) noexcept {
    const size_t length = strlen(text);
    if (length == 2) return {"hexadecimal digits are missing", 2};
    for (size_t at = 2; at < length; ++at) {
        const int digit = hex_digit(text[at]);
        if (digit < 0) return {"not a hexadecimal digit", at};
        const size_t shift = (length - 1 - at) * 4;
        for (uint32_t bit = 0; bit < 4; ++bit) {
            if ((digit >> bit & 1) == 0) continue;
            if (shift + bit >= kMaxCpus) return {"CPU number beyond 4095", at};
            set.add(static_cast<uint32_t>(shift + bit));
        }
    }
    return set.none() ? CpuTextError{"the mask is empty", 0} : kFine;
}

}  // namespace

CpuTextError parse_cpus(const char* text, CpuSet& set) noexcept {
    set = CpuSet::empty();
    if (text == nullptr || *text == '\0') return {"the CPU set is empty", 0};
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) return parse_hex(text, set);
    Cursor cursor{text, 0};
    for (;;) {
        if (auto error = parse_item(cursor, set); error.what != nullptr) return error;
        if (cursor.here() == '\0') return kFine;
        if (cursor.here() != ',') return {"unexpected character", cursor.at};
        ++cursor.at;
    }
}

bool from_words(const uint64_t* words, size_t nwords, CpuSet& set) noexcept {
    set = CpuSet::empty();
    for (size_t i = 0; i < nwords; ++i) {
        if (i < CpuSet::kWords)
            set.words[i] = words[i];
        else if (words[i] != 0)
            return false;
    }
    return true;
}

bool to_words(const CpuSet& set, uint64_t* words, size_t nwords) noexcept {
    for (size_t i = nwords; i < CpuSet::kWords; ++i)
        if (set.words[i] != 0) return false;
    for (size_t i = 0; i < nwords; ++i) words[i] = i < CpuSet::kWords ? set.words[i] : 0;
    return true;
}

CpusText::CpusText(const CpuSet& set) noexcept {
    const bool one = set.count() == 1;
    memcpy(text, "CPUs ", 5);
    if (one) text[3] = ' ';
    to_text(set, text + (one ? 4 : 5), sizeof text - 5);
}

}  // namespace drom
