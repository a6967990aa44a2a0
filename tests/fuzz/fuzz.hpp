// SPDX-License-Identifier: BSD-3-Clause
// fuzz.hpp - what every fuzzer needs: a property that must hold, and an input that is eaten from the front.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace drom::fuzz {

/// libFuzzer keeps the input that it is running when the process aborts.
inline void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "fuzz: does not hold: %s\n", what);
    std::abort();
}

inline void must(bool holds, const char* what, const std::string& found) {
    if (!holds) std::fprintf(stderr, "fuzz: found: %s\n", found.c_str());
    must(holds, what);
}

/// What is read behind the end is 0: a short input means something, too.
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
    /// Up to `end`, which is taken too. A copy, so that reading past its end is seen.
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
