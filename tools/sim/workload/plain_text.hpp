// SPDX-License-Identifier: BSD-3-Clause
// plain_text.hpp - files of the simulator's own: lines of words, `#` begins a comment, every mistake has its place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace drom::sim {

/// Reads line by line and word by word. The first mistake is kept, and nothing is read after it: look at complaint()
/// at the end.
class PlainText {
public:
    explicit PlainText(std::string_view text) : rest_(text) {}

    /// Goes on to the next line that has a word. Returns false at the end, and after a mistake. Complains about words
    /// of the line before that were not read.
    bool next_line();
    /// Returns the next word of the line; `wanted` is what is missing when there is none.
    std::string_view word(const char* wanted);
    bool has_word() const { return place_ < words_.size(); }
    double number(const char* wanted, double min, double max);
    int whole(const char* wanted, int min, int max);

    /// Complains about the word that was read last.
    void complain(const std::string& text);
    /// Returns the first complaint, "line 3, column 7: ...", or nothing.
    const std::string& complaint() const { return complaint_; }

private:
    struct Word {
        std::string_view text;
        std::size_t column;
    };
    void cut(std::string_view line);
    void complain_at(std::size_t column, const std::string& text);

    std::string_view rest_;
    std::vector<Word> words_;
    std::size_t line_ = 0, place_ = 0, end_column_ = 1;
    std::string complaint_;
};

}  // namespace drom::sim
