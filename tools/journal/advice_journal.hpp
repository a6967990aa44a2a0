// SPDX-License-Identifier: BSD-3-Clause
// advice_journal.hpp - the lines of drom advise's journal: what an adviser saw and what it advised, round by round.
// Pure.
//
// Each line is a JSON object (docs/reference/schemas/advise-journal.schema.json). A heading begins the rounds of one
// command. A round is one line, and one more per program.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "policy/node/adviser.hpp"

namespace drom::journal {

/// Begins the rounds of one adviser, which remembers nothing of those before.
struct Heading {
    std::string node;
    std::string policy;  ///< with all its options
};

/// Begins a round; one line per program follows.
struct RoundHead {
    long round = 0;           ///< of its command, from 1
    long long unix_s = 0;     ///< time of day, for readers
    policy::Seconds now = 0;  ///< as the adviser was told
    int free = 0;             ///< CPUs
    bool apply = false;       ///< the changes were carried out after this
    std::size_t programs = 0;
};

/// Tells what was seen of a program, and what was advised.
struct ProgramLine {
    policy::NodeProgram seen;
    policy::Advice advice;
};

using Line = std::variant<Heading, RoundHead, ProgramLine>;

/// Returns whether a text begins as a journal does.
bool is_journal(std::string_view text);

/// Returns the line of a heading, with its end.
std::string text_of(const Heading& heading);

/// Returns the lines of a round. `head.now`, `head.free` and `head.programs` are those of the view.
std::string text_of(RoundHead head, const policy::NodeView& view, const std::vector<policy::Advice>& advices);

/// Reads a line without its end. Every number is in the range that advisers expect. Errors: the rest of a sentence that
/// begins with the line's number, "is no JSON object".
tl::expected<Line, std::string> read_line(std::string_view line);

/// Returns whether a line is a JSON object; a part of one is none.
bool is_object(std::string_view line);

/// CPUs, and clients in all programs of a round, that a line or a round can have.
constexpr int kMaxCpus = 4096;

}  // namespace drom::journal
