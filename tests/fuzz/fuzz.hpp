// SPDX-License-Identifier: BSD-3-Clause
// fuzz.hpp - what every fuzzer needs: a property that must hold, and an input that is consumed from the front.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace drom::fuzz {

/// Aborts if the property does not hold. libFuzzer then keeps the present input.
inline void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "fuzz: does not hold: %s\n", what);
    std::abort();
}

inline void must(bool holds, const char* what, const std::string& found) {
    if (!holds) std::fprintf(stderr, "fuzz: found: %s\n", found.c_str());
    must(holds, what);
}

/// Bytes that are read behind the end are 0, so that a short input means something, too.
class Input {
public:
    Input(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}

    [[nodiscard]] bool empty() const { return at_ == end_; }
    std::uint8_t byte() { return empty() ? std::uint8_t{0} : *at_++; }
    template <class Number>
    Number number() {
        Number value{};
        const std::size_t length = std::min(sizeof value, static_cast<std::size_t>(end_ - at_));
        std::memcpy(&value, at_, length);
        at_ += length;
        return value;
    }
    /// Returns the text before `end`, and consumes both. The text is a copy, so that reading past its end is noticed.
    std::string text_until(char end) {
        const auto* stop = std::find(at_, end_, static_cast<std::uint8_t>(end));
        std::string text(at_, stop);
        at_ = stop == end_ ? end_ : stop + 1;
        return text;
    }
    std::string rest() {
        std::string text(at_, end_);
        at_ = end_;
        return text;
    }

private:
    const std::uint8_t* at_;
    const std::uint8_t* end_;
};

}  // namespace drom::fuzz
