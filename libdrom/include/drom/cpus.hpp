// SPDX-License-Identifier: BSD-3-Clause
// cpus.hpp - sets of CPUs as values, and errors as sentences: the part of drom.hpp that needs no table.
#pragma once

#ifdef DROM_INTERNAL
#error "drom.hpp is the public C++ interface; code inside libdrom uses its internal headers instead"
#endif

#if __cplusplus <= 201703L
#error "drom.hpp needs C++20: compile with -std=c++20, or include drom.h, which any C or C++ can"
#elif !__has_include(<tl/expected.hpp>)
#error \
    "drom.hpp needs tl/expected.hpp, which is not there: install libexpected-dev (tl-expected), or include drom.h, which needs nothing"
#else
#define DROM_HPP_IS_USABLE

#include <sched.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

#include "drom/drom.h"

namespace drom {
// An inline namespace of its own, so that these types and libdrom's internal ones never share a mangled name.
inline namespace skin {

/// An error: DROM_E_* and one finished sentence.
struct Error {
    int status = DROM_E_OS;
    std::string text;
};

template <class T>
using Expected = tl::expected<T, Error>;

inline tl::unexpected<Error> failure(int status, std::string text) {
    return tl::make_unexpected(Error{status, std::move(text)});
}

// ---- CPU sets -----------------------------------------------------------------------------------------------------

/// The units of a CPU set besides CPU numbers; indices are hwloc's logical ones.
enum class Unit { kCore, kNuma, kPackage };

class CpuSet;
/// Returns the CPUs of `unit:index`. Programs that know the topology pass it to CpuSet::parse, which calls it only for
/// such a word.
using Resolve = std::function<Expected<CpuSet>(Unit unit, unsigned index)>;

/// A set of CPUs 0..4095, an ordinary value.
class CpuSet {
public:
    static constexpr unsigned kMaxCpus = 4096;
    static constexpr size_t kWords = kMaxCpus / 64;

    CpuSet() = default;
    CpuSet(std::initializer_list<unsigned> cpus) {
        for (unsigned cpu : cpus) add(cpu);
    }
    /// Returns the `count` CPUs first, first + 1, ...
    static CpuSet range(unsigned first, unsigned count) {
        CpuSet set;
        for (unsigned cpu = first; cpu < first + count; ++cpu) set.add(cpu);
        return set;
    }
    static CpuSet from_words(const uint64_t *words, size_t nwords) {
        CpuSet set;
        std::copy_n(words, std::min(nwords, kWords), set.words_.begin());
        return set;
    }
    /// Returns the CPUs that a thread may run on; 0: the calling thread. Errors: E_NOPROC, E_OS.
    static Expected<CpuSet> affinity_of(pid_t tid = 0) {
        CpuSet set;
        if (sched_getaffinity(tid, sizeof set.words_, set.as_kernel()) == 0) return set;
        const int code = errno;
        return failure(code == ESRCH ? DROM_E_NOPROC : DROM_E_OS,
                       "drom: affinity of " + std::to_string(tid) + ": " + std::strerror(code));
    }

    /// Parses "0-3,8", "8-14:2", "0x1f", and with a `resolve` also "core:0-1", "numa:0", "package:1". Items are
    /// separated by commas and may be mixed, each with its own unit. Refuses blanks, an empty set, a backward range,
    /// and a CPU past 4095. Errors: E_INVAL, with the position of the first wrong character.
    static Expected<CpuSet> parse(std::string_view text, const Resolve& resolve = {});

    void add(unsigned cpu) {
        if (cpu < kMaxCpus) words_[cpu / 64] |= uint64_t{1} << (cpu % 64);
    }
    void remove(unsigned cpu) {
        if (cpu < kMaxCpus) words_[cpu / 64] &= ~(uint64_t{1} << (cpu % 64));
    }
    [[nodiscard]] bool has(unsigned cpu) const { return cpu < kMaxCpus && (words_[cpu / 64] >> (cpu % 64) & 1) != 0; }
    [[nodiscard]] unsigned count() const {
        unsigned sum = 0;
        for (uint64_t word : words_) sum += static_cast<unsigned>(std::popcount(word));
        return sum;
    }
    [[nodiscard]] bool empty() const { return *this == CpuSet{}; }
    /// Returns the first CPU >= `from`, or kMaxCpus.
    [[nodiscard]] unsigned next(unsigned from) const;
    [[nodiscard]] bool contains(const CpuSet& other) const { return (other - *this).empty(); }
    [[nodiscard]] bool intersects(const CpuSet& other) const { return !(*this & other).empty(); }

    /// Returns the set as "0-3,8"; "" for the empty set.
    [[nodiscard]] std::string text() const;

    [[nodiscard]] const uint64_t *words() const { return words_.data(); }
    [[nodiscard]] uint64_t *words() { return words_.data(); }
    [[nodiscard]] const cpu_set_t *as_kernel() const { return reinterpret_cast<const cpu_set_t *>(words_.data()); }
    [[nodiscard]] cpu_set_t *as_kernel() { return reinterpret_cast<cpu_set_t *>(words_.data()); }
    [[nodiscard]] static constexpr size_t kernel_size() { return kWords * sizeof(uint64_t); }

    class iterator {
    public:
        using value_type = unsigned;
        using difference_type = std::ptrdiff_t;
        using iterator_category = std::forward_iterator_tag;
        using pointer = const unsigned *;
        using reference = unsigned;
        iterator() = default;
        iterator(const CpuSet *set, unsigned cpu) : set_(set), cpu_(cpu) {}
        unsigned operator*() const { return cpu_; }
        iterator& operator++() {
            cpu_ = set_->next(cpu_ + 1);
            return *this;
        }
        iterator operator++(int) {
            iterator before = *this;
            ++*this;
            return before;
        }
        friend bool operator==(const iterator&, const iterator&) = default;

    private:
        const CpuSet *set_ = nullptr;
        unsigned cpu_ = kMaxCpus;
    };
    [[nodiscard]] iterator begin() const { return {this, next(0)}; }
    [[nodiscard]] iterator end() const { return {this, kMaxCpus}; }

    friend CpuSet operator|(CpuSet a, const CpuSet& b) { return a.combine(b, std::bit_or<>{}); }
    friend CpuSet operator&(CpuSet a, const CpuSet& b) { return a.combine(b, std::bit_and<>{}); }
    friend CpuSet operator-(CpuSet a, const CpuSet& b) {
        return a.combine(b, [](uint64_t x, uint64_t y) { return x & ~y; });
    }
    friend bool operator==(const CpuSet&, const CpuSet&) = default;

private:
    template <class Operation>
    CpuSet& combine(const CpuSet& other, Operation operation) {
        for (size_t i = 0; i < kWords; ++i) words_[i] = operation(words_[i], other.words_[i]);
        return *this;
    }

    std::array<uint64_t, kWords> words_{};
};

inline unsigned CpuSet::next(unsigned from) const {
    for (size_t index = from / 64; index < kWords; ++index) {
        const uint64_t mask = index == from / 64 ? ~uint64_t{0} << (from % 64) : ~uint64_t{0};
        if (const uint64_t word = words_[index] & mask; word != 0)
            return static_cast<unsigned>(index * 64) + static_cast<unsigned>(std::countr_zero(word));
    }
    return kMaxCpus;
}

inline std::string CpuSet::text() const {
    std::string out;
    for (unsigned first = next(0); first < kMaxCpus;) {
        unsigned last = first;
        while (has(last + 1)) ++last;
        if (!out.empty()) out += ',';
        out += std::to_string(first);
        if (last > first) out += '-' + std::to_string(last);
        first = next(last + 1);
    }
    return out;
}

namespace detail {

/// Reads the text of a CPU set from left to right; the first complaint wins.
class CpuReader {
public:
    CpuReader(std::string_view text, const Resolve& resolve) : text_(text), resolve_(resolve) {}

    Expected<CpuSet> read() {
        if (text_.empty()) return failure(DROM_E_INVAL, "the CPU set is empty");
        do {
            item();
        } while (!error_ && accept(","));
        if (!error_ && at_ < text_.size()) complain("unexpected character", at_);
        if (!error_ && set_.empty()) complain("the CPU set is empty", 0);
        if (error_) return tl::make_unexpected(*std::move(error_));
        return set_;
    }

private:
    void item() {
        if (accept("0x") || accept("0X")) return hexadecimal();
        if (accept("core:")) return units(Unit::kCore);
        if (accept("numa:")) return units(Unit::kNuma);
        if (accept("package:")) return units(Unit::kPackage);
        if (at_ < text_.size() && is_letter(text_[at_]))
            return complain("neither the number of a CPU nor a unit (core:, numa:, package:)", at_);
        each([this](unsigned cpu, size_t) { set_.add(cpu); });
    }

    /// Visits the CPUs of NUMBER, FIRST-LAST or FIRST-LAST:STEP.
    template <class Visit>
    void each(Visit visit) {
        const size_t start = at_;
        const unsigned first = number("a number is missing");
        unsigned last = first;
        unsigned step = 1;
        if (!error_ && accept("-")) {
            last = number("the end of the range is missing");
            if (!error_ && last < first) complain("the range runs backwards", start);
            if (!error_ && accept(":")) step = number("the step is missing");
            if (!error_ && step == 0) complain("a step of zero", start);
        }
        for (unsigned value = first; !error_ && value <= last; value += step) visit(value, start);
    }

    void units(Unit unit) {
        const size_t start = at_;
        if (!resolve_) return complain("core:, numa: and package: need a topology, and there is none here", start);
        each([&](unsigned index, size_t where) {
            auto cpus = resolve_(unit, index);
            if (!cpus) return complain(cpus.error().text, where, cpus.error().status);
            set_ = set_ | *cpus;
        });
    }

    void hexadecimal() {
        const size_t start = at_;
        while (at_ < text_.size() && digit_of(text_[at_]) >= 0) ++at_;
        if (at_ == start) return complain("hexadecimal digits are missing", start);
        for (size_t i = start; i < at_; ++i) {
            const auto digit = static_cast<unsigned>(digit_of(text_[i]));
            const size_t lowest = (at_ - 1 - i) * 4;
            for (unsigned bit = 0; bit < 4; ++bit) {
                if ((digit >> bit & 1) == 0) continue;
                if (lowest + bit >= CpuSet::kMaxCpus) return complain("a CPU beyond 4095", start);
                set_.add(static_cast<unsigned>(lowest) + bit);
            }
        }
    }

    unsigned number(const char *missing) {
        const size_t start = at_;
        unsigned value = 0;
        for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
            value = value * 10 + static_cast<unsigned>(text_[at_] - '0');
            if (value >= CpuSet::kMaxCpus) return complain("a number beyond 4095", start), 0;
        }
        if (at_ == start) complain(missing, start);
        return value;
    }

    static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

    static int digit_of(char c) {
        if (c >= '0' && c <= '9') return c - '0';
        if (c >= 'a' && c <= 'f') return c - 'a' + 10;
        if (c >= 'A' && c <= 'F') return c - 'A' + 10;
        return -1;
    }

    bool accept(std::string_view word) {
        if (text_.substr(at_, word.size()) != word) return false;
        at_ += word.size();
        return true;
    }

    void complain(std::string_view what, size_t where, int status = DROM_E_INVAL) {
        if (error_) return;
        std::string text = "'" + std::string(text_) + "': " + std::string(what);
        text += where < text_.size() ? ", at '" + std::string(text_.substr(where, 12)) + "'" : ", at the end";
        error_ = Error{status, text + " (character " + std::to_string(where + 1) + ")"};
    }

    std::string_view text_;
    const Resolve& resolve_;
    size_t at_ = 0;
    CpuSet set_;
    std::optional<Error> error_;
};

} // namespace detail

inline Expected<CpuSet> CpuSet::parse(std::string_view text, const Resolve& resolve) {
    return detail::CpuReader(text, resolve).read();
}

} // namespace skin
} // namespace drom

#endif
