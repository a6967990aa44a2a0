// SPDX-License-Identifier: GPL-2.0-or-later
// admin_comment.cpp - words in a comment.
#include "admin_comment.hpp"

#include <algorithm>

namespace drom::slurm {
namespace {

template <class Body>
void each_word(std::string_view text, const Body& body) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        if (end > 0) body(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

bool is_of(std::string_view word, std::string_view key) {
    return word.starts_with(key) && word.substr(key.size()).starts_with('=');
}

}  // namespace

std::optional<std::string_view> value_of(std::string_view comment, std::string_view key) {
    std::optional<std::string_view> found;
    each_word(comment, [&](std::string_view word) {
        if (is_of(word, key)) found = word.substr(key.size() + 1);
    });
    return found;
}

std::string with_value(std::string_view comment, std::string_view key, std::string_view value) {
    std::string text;
    if (!value_of(comment, key)) {
        text = comment;  // its blanks stay
    } else {
        each_word(comment, [&](std::string_view word) {
            if (!is_of(word, key)) text.append(text.empty() ? "" : " ").append(word);
        });
    }
    if (!value.empty()) text.append(text.empty() ? "" : " ").append(key).append("=").append(value);
    return text;
}

std::string with_reason(std::string_view comment, std::string_view word, std::string_view by, std::string_view since) {
    std::string bound(by);
    std::replace(bound.begin(), bound.end(), ' ', '_');
    const bool same = value_of(comment, kWaitsWord) == word && value_of(comment, kWaitsByWord).value_or("") == bound;
    if (same && !word.empty()) return std::string(comment);
    const std::string without =
        with_value(with_value(comment, kWaitsWord, word), kWaitsByWord, word.empty() ? "" : bound);
    return with_value(without, kWaitsSinceWord, word.empty() ? "" : since);
}

}  // namespace drom::slurm
