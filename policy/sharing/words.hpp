// SPDX-License-Identifier: BSD-3-Clause
// words.hpp - lines of a journal: a first word, then KEY=VALUE words in an order that is fixed.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "libdrom/base/number_text.hpp"
#include "policy/job/job.hpp"

namespace drom::policy::words {

template <class Name>
struct Named {
    Name value;
    std::string_view text;
};

template <class Name, std::size_t N>
std::string_view text_in(const std::array<Named<Name>, N>& names, Name value) {
    return std::find_if(names.begin(), names.end(), [value](const auto& n) { return n.value == value; })->text;
}

template <class Name, std::size_t N>
bool value_in(const std::array<Named<Name>, N>& names, std::string_view text, Name& value) {
    const auto found = std::find_if(names.begin(), names.end(), [text](const auto& n) { return n.text == text; });
    if (found == names.end()) return false;
    value = found->value;
    return true;
}

inline constexpr std::array kKinds{Named<Kind>{Kind::kRigid, "rigid"}, Named<Kind>{Kind::kMoldable, "moldable"},
                                   Named<Kind>{Kind::kMalleable, "malleable"}};
inline constexpr std::array kYesOrNo{Named<bool>{false, "no"}, Named<bool>{true, "yes"}};

/// Returns the shortest text that reads back as the same number.
std::string number(double value);
/// Returns the seconds, or "never".
std::string time(Seconds value);
std::string list(const std::vector<JobId>& ids);

/// Makes one line.
class Words {
public:
    explicit Words(std::string_view first) : text_(first) {}
    Words& add(std::string_view key, std::string_view value) {
        text_.append(" ").append(key).append("=").append(value);
        return *this;
    }
    Words& add(std::string_view key, Seconds value) { return add(key, std::string_view(std::to_string(value))); }
    Words& add_number(std::string_view key, double value) { return add(key, std::string_view(number(value))); }
    Words& add_time(std::string_view key, Seconds value) { return add(key, std::string_view(time(value))); }
    Words& add(const Job& job) {
        return add("submit", job.submit)
            .add("request", job.request)
            .add("count", job.nodes)
            .add("min_cores", job.min_cores);
    }
    std::string take() { return std::move(text_); }

private:
    std::string text_;
};

/// Reads one value. Returns false when the text is none.
bool read(std::string_view text, double& value);
bool read(std::string_view text, bool& value);
bool read(std::string_view text, NodeSet& nodes);
bool read(std::string_view text, std::vector<JobId>& ids);
bool read_time(std::string_view text, Seconds& value);

template <std::integral Number>
bool read(std::string_view text, Number& value) {
    return is_number(text, value);
}

/// The words of one line. Remembers the first thing that is wrong with it.
class Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) { first_ = next(); }

    std::string_view first() const { return first_; }

    /// Reads the next word, `key`=VALUE, of which `with` takes the value.
    template <class With>
    Reader& take(std::string_view key, const With& with) {
        const std::string_view word = next();
        if (!wrong_.empty()) return *this;
        if (!word.starts_with(key) || word.size() <= key.size() || word[key.size()] != '=')
            wrong_ = "has no " + std::string(key) + "= where it should be";
        else if (!with(word.substr(key.size() + 1)))
            wrong_ = "has a " + std::string(key) + "= that cannot be read: " + std::string(word.substr(key.size() + 1));
        return *this;
    }
    /// Reads the next word if it is `key`=VALUE, of which `with` takes the value.
    template <class With>
    Reader& take_if(std::string_view key, const With& with) {
        const bool there =
            rest_.starts_with(key) && rest_.size() > key.size() && rest_[key.size()] == '=' && wrong_.empty();
        return there ? take(key, with) : *this;
    }
    template <class Value>
    Reader& take(std::string_view key, Value& value) {
        return take(key, [&value](std::string_view text) { return read(text, value); });
    }
    template <class Name, std::size_t N>
    Reader& take(std::string_view key, const std::array<Named<Name>, N>& names, Name& value) {
        return take(key, [&](std::string_view text) { return value_in(names, text, value); });
    }
    /// Reads the next word, `key`=VALUE, where the value is a whole number from `min` to `max`.
    template <std::integral Number>
    Reader& take_within(std::string_view key, Number& value, Number min, Number max) {
        return take(key, [&](std::string_view text) { return read(text, value) && value >= min && value <= max; });
    }
    Reader& take_time(std::string_view key, Seconds& value) {
        return take(key, [&value](std::string_view text) { return read_time(text, value); });
    }
    Reader& take(Job& job);
    Reader& expect(std::string_view word) {
        if (next() != word && wrong_.empty()) wrong_ = "is not of version " + std::string(word);
        return *this;
    }
    /// Says what is wrong with the line, unless something was before.
    void complain(std::string wrong) {
        if (wrong_.empty()) wrong_ = std::move(wrong);
    }
    bool good() const { return wrong_.empty(); }

    template <class Line>
    tl::expected<Line, std::string> finish(Line line) {
        if (!rest_.empty()) complain("goes on where it should end: " + std::string(rest_));
        if (!wrong_.empty()) return tl::unexpected(wrong_);
        return line;
    }

private:
    std::string_view next() {
        const std::size_t end = std::min(rest_.find(' '), rest_.size());
        const std::string_view word = rest_.substr(0, end);
        rest_.remove_prefix(std::min(end + 1, rest_.size()));
        return word;
    }

    std::string_view rest_, first_;
    std::string wrong_;
};

}  // namespace drom::policy::words
