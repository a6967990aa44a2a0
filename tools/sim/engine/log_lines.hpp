// SPDX-License-Identifier: BSD-3-Clause
// log_lines.hpp - the lines of a log in memory, and whether the last one has its end.
#pragma once

#include <string_view>

namespace drom::sim {

/// Returns true for an empty line and a comment.
inline bool says_nothing(std::string_view line) {
    return line.find_first_not_of(" \t\r") == std::string_view::npos || line.front() == '#';
}

class LogLines {
public:
    explicit LogLines(std::string_view text) : rest_(text) {}

    /// Goes to the next line. Returns false when there is none.
    bool next() {
        if (rest_.empty()) return false;
        const std::size_t end = rest_.find('\n');
        whole_ = end != std::string_view::npos;
        line_ = rest_.substr(0, end);
        rest_.remove_prefix(whole_ ? end + 1 : rest_.size());
        ++number_;
        return true;
    }
    std::string_view line() const { return line_; }
    std::size_t number() const { return number_; }
    /// Returns whether the line has its end.
    bool whole() const { return whole_; }
    /// Returns what follows the line.
    std::string_view rest() const { return rest_; }

private:
    std::string_view rest_, line_;
    std::size_t number_ = 0;
    bool whole_ = false;
};

}  // namespace drom::sim
