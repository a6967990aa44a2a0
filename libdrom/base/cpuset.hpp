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

    /// Returns the number of CPUs. Does not read words from the word of `end` on.
    [[nodiscard]] uint32_t count(uint32_t end = kMaxCpus) const noexcept {
        uint32_t sum = 0;
        for (uint32_t i = 0; i * 64 < end; ++i)
            if (words[i] != 0)
                sum += static_cast<uint32_t>(std::popcount(words[i]));  // a call on the baseline instruction set
        return sum;
    }
    [[nodiscard]] bool none() const noexcept {
        uint64_t any = 0;  // no early return: this way the compiler takes many words at a time
        for (uint64_t word : words) any |= word;
        return any == 0;
    }
    /// Returns the first CPU >= `from`, or kMaxCpus. Does not read words after the word of `end`.
    [[nodiscard]] uint32_t next(uint32_t from, uint32_t end = kMaxCpus) const noexcept {
        if (from >= end) return kMaxCpus;
        uint32_t index = from / 64;
        uint64_t word = words[index] & (~uint64_t{0} << (from % 64));
        while (word == 0) {
            if (++index * 64 >= end) return kMaxCpus;
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
    /// Returns whether no CPU is >= `end`.
    [[nodiscard]] bool within(uint32_t end) const noexcept {
        uint64_t beyond = end % 64 != 0 ? words[end / 64] >> (end % 64) : 0;
        for (uint32_t i = (end + 63) / 64; i < kWords; ++i) beyond |= words[i];
        return beyond == 0;
    }
    // Without a set in between: small stacks of programs have little room.
    [[nodiscard]] bool contains(const CpuSet& other) const noexcept {
        uint64_t missing = 0;  // as in none()
        for (uint32_t i = 0; i < kWords; ++i) missing |= other.words[i] & ~words[i];
        return missing == 0;
    }
    [[nodiscard]] bool intersects(const CpuSet& other) const noexcept {
        uint64_t common = 0;  // as in none()
        for (uint32_t i = 0; i < kWords; ++i) common |= words[i] & other.words[i];
        return common != 0;
    }

    friend CpuSet operator&(const CpuSet& a, const CpuSet& b) noexcept {
        CpuSet result{};
        for (uint32_t i = 0; i < kWords; ++i) result.words[i] = a.words[i] & b.words[i];
        return result;
    }
    friend CpuSet operator|(const CpuSet& a, const CpuSet& b) noexcept {
        CpuSet result{};
        for (uint32_t i = 0; i < kWords; ++i) result.words[i] = a.words[i] | b.words[i];
        return result;
    }
    friend CpuSet operator-(const CpuSet& a, const CpuSet& b) noexcept {
        CpuSet result{};
        for (uint32_t i = 0; i < kWords; ++i) result.words[i] = a.words[i] & ~b.words[i];
        return result;
    }
    friend bool operator==(const CpuSet& a, const CpuSet& b) noexcept {
        uint64_t differing = 0;  // as in none()
        for (uint32_t i = 0; i < kWords; ++i) differing |= a.words[i] ^ b.words[i];
        return differing == 0;
    }
};

/// Bytes for the text of any set; two of every three CPUs make the longest.
inline constexpr size_t kLongestCpus = 14 * 1024;

/// Writes "0-3,8" ("" for the empty set) into `out`, always terminated; cut with ",..." when `size` is too small.
/// Returns `out`.
char* to_text(const CpuSet& set, char* out, size_t size) noexcept;

/// A text buffer long enough for messages.
struct CpuText {
    char text[96];
    explicit CpuText(const CpuSet& set) noexcept { to_text(set, text, sizeof text); }
};

/// "CPU 3" or "CPUs 0-3,8".
struct CpusText {
    char text[104];
    explicit CpusText(const CpuSet& set) noexcept;
};

/// The reason why a text is not a CPU set; `at` is the offset of the offending character.
struct CpuTextError {
    const char* what;
    size_t at;
};

/// Parses the kernel's list format "0-3,8,10-14:2" and hexadecimal masks "0x1f". Refuses blanks, an empty text, an
/// empty item, a range that runs backwards, and a CPU beyond 4095. Returns nullptr in `what` on success.
CpuTextError parse_cpus(const char* text, CpuSet& set) noexcept;

/// Copies `nwords` words in. Returns false when a CPU beyond `kMaxCpus` is set.
bool from_words(const uint64_t* words, size_t nwords, CpuSet& set) noexcept;

/// Copies the set out. Returns false when it does not fit in `nwords` words.
bool to_words(const CpuSet& set, uint64_t* words, size_t nwords) noexcept;

}  // namespace drom
