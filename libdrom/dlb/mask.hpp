// SPDX-License-Identifier: BSD-3-Clause
// mask.hpp - a cpu_set_t as drom's words.
#pragma once

#include <sched.h>
#include <bit>
#include <cstdint>
#include <cstring>

namespace drom::dlb {

/// CPUs 0..1023: the range of a cpu_set_t.
struct Mask {
    static constexpr size_t kWords = sizeof(cpu_set_t) / sizeof(uint64_t);
    uint64_t words[kWords] = {};

    static Mask from(const void* set) noexcept {
        Mask mask;
        memcpy(mask.words, set, sizeof mask.words);
        return mask;
    }
    void to(void* set) const noexcept { memcpy(set, words, sizeof words); }

    [[nodiscard]] int count() const noexcept {
        int sum = 0;
        for (uint64_t word : words) sum += std::popcount(word);
        return sum;
    }
    [[nodiscard]] bool none() const noexcept { return count() == 0; }
    [[nodiscard]] bool has(unsigned cpu) const noexcept { return (words[cpu / 64] >> (cpu % 64) & 1) != 0; }
    [[nodiscard]] bool contains(const Mask& other) const noexcept { return (other - *this).none(); }
    [[nodiscard]] bool intersects(const Mask& other) const noexcept { return (other - *this).count() != other.count(); }

    friend Mask operator-(Mask a, const Mask& b) noexcept {
        for (size_t i = 0; i < kWords; ++i) a.words[i] &= ~b.words[i];
        return a;
    }
    friend bool operator==(const Mask&, const Mask&) noexcept = default;
};
// A cpu_set_t is an array of unsigned long, CPU 0 the lowest bit of the first.
static_assert(sizeof(unsigned long) == sizeof(uint64_t) && sizeof(cpu_set_t) % sizeof(uint64_t) == 0);

/// Parses "0,5-7", "0xe1" (highest CPU first) or "0b1010" (CPU 0 first). Returns false for any other text, for one
/// without a CPU, and for a CPU beyond 1023.
bool parse_mask(const char* text, Mask& mask) noexcept;

}  // namespace drom::dlb
