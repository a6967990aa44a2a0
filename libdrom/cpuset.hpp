// SPDX-License-Identifier: BSD-3-Clause
// cpuset.hpp - a set of CPU numbers as a plain value: algebra, text, and the words of the C interface.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace drom {

inline constexpr uint32_t kMaxCpus = 4096;

/// A set of CPUs 0..4095. Trivially copyable, never allocates, safe in shared memory and in signal handlers.
struct CpuSet {
    static constexpr uint32_t kWords = kMaxCpus / 64;
    uint64_t words[kWords];

    static constexpr CpuSet empty() noexcept { return CpuSet{}; }
    static CpuSet range(uint32_t first, uint32_t count) noexcept {
        CpuSet set{};
        for (uint32_t cpu = first; cpu < first + count; ++cpu) set.add(cpu);
        return set;
    }

    void add(uint32_t cpu) noexcept { words[cpu / 64] |= uint64_t{1} << (cpu % 64); }
    void remove(uint32_t cpu) noexcept { words[cpu / 64] &= ~(uint64_t{1} << (cpu % 64)); }
    [[nodiscard]] bool has(uint32_t cpu) const noexcept {
        return cpu < kMaxCpus && (words[cpu / 64] >> (cpu % 64) & 1) != 0;
    }

    [[nodiscard]] uint32_t count() const noexcept {
        uint32_t sum = 0;
        for (uint64_t word : words) sum += static_cast<uint32_t>(std::popcount(word));
        return sum;
    }
    [[nodiscard]] bool none() const noexcept {
        for (uint64_t word : words)
            if (word != 0) return false;
        return true;
    }
    /// The first CPU >= `from`, or kMaxCpus.
    [[nodiscard]] uint32_t next(uint32_t from) const noexcept {
        if (from >= kMaxCpus) return kMaxCpus;
        uint32_t index = from / 64;
        uint64_t word = words[index] & (~uint64_t{0} << (from % 64));
        while (word == 0) {
            if (++index == kWords) return kMaxCpus;
            word = words[index];
        }
        return index * 64 + static_cast<uint32_t>(std::countr_zero(word));
    }
    [[nodiscard]] uint32_t first() const noexcept { return next(0); }
    [[nodiscard]] uint32_t last() const noexcept {
        for (uint32_t index = kWords; index-- > 0;)
            if (words[index] != 0) return index * 64 + 63 - static_cast<uint32_t>(std::countl_zero(words[index]));
        return kMaxCpus;
    }
    [[nodiscard]] bool contains(const CpuSet& other) const noexcept { return (other - *this).none(); }
    [[nodiscard]] bool intersects(const CpuSet& other) const noexcept { return !(*this & other).none(); }

    friend CpuSet operator&(CpuSet a, const CpuSet& b) noexcept {
        for (uint32_t i = 0; i < kWords; ++i) a.words[i] &= b.words[i];
        return a;
    }
    friend CpuSet operator|(CpuSet a, const CpuSet& b) noexcept {
        for (uint32_t i = 0; i < kWords; ++i) a.words[i] |= b.words[i];
        return a;
    }
    friend CpuSet operator-(CpuSet a, const CpuSet& b) noexcept {
        for (uint32_t i = 0; i < kWords; ++i) a.words[i] &= ~b.words[i];
        return a;
    }
    friend bool operator==(const CpuSet&, const CpuSet&) noexcept = default;
};

/// Writes "0-3,8" ("" for the empty set) into `out`, always terminated; cut with ",..." when `size` is too small.
/// Returns `out`.
char* to_text(const CpuSet& set, char* out, size_t size) noexcept;

/// A text buffer long enough for messages.
struct CpuText {
    char text[96];
    explicit CpuText(const CpuSet& set) noexcept { to_text(set, text, sizeof text); }
};

/// Why a text is not a CPU set; `at` is the offset of the offending character.
struct CpuTextError {
    const char* what;
    size_t at;
};

/// Parses the kernel's list format "0-3,8,10-14:2" and hexadecimal masks "0x1f". No blanks, no empty text, no empty
/// item, no range that runs backwards, no CPU beyond 4095. Returns nullptr in `what` on success.
CpuTextError parse_cpus(const char* text, CpuSet& set) noexcept;

/// Copies `nwords` words in. False when a CPU beyond `kMaxCpus` is set.
bool from_words(const uint64_t* words, size_t nwords, CpuSet& set) noexcept;

/// Copies the set out. False when it does not fit in `nwords` words.
bool to_words(const CpuSet& set, uint64_t* words, size_t nwords) noexcept;

}  // namespace drom
