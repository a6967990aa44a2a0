// SPDX-License-Identifier: BSD-3-Clause
// typed.hpp - from the words of a command line to what they ask for. CLI11 has given each word to its option.
#pragma once

#include <string>
#include <vector>

#include "command_line/number_reader.hpp"
#include "command_line/options.hpp"
#include "command_line/verb_texts.hpp"

namespace drom::command {

/// The command line as typed. Numbers stay text until NumberReader has looked at them: CLI11 would read 010 as 8.
struct Typed {
    CommandOptions options;
    bool version = false, dump = false, no_wait = false;
    std::string surplus;               ///< the first word that "drom help VERB" has too many
    std::vector<std::string> columns;  ///< of list, each word as it was typed
    bool empty_client = false;         ///< CLIENT is there, and empty: an unset variable of a script
    std::string without;               ///< the first option written as --option= with nothing behind it
    std::string count, seq, sample, wait, timeout, grace;
    std::string ncpus, max, min, runs, seed, limit, duration, events, per_rank, window, interval, priority;
};

/// In the arguments of a verb: only words behind "--" are the command, and there may be none.
inline constexpr const char* kOptionalCommand = "[-- COMMAND";

/// Returns "usage: drom set CLIENT MASK".
std::string usage_of(const VerbText& verb);

/// Reads numbers, and complains about words that exclude each other or are missing.
void read_typed(const VerbText& verb, Typed& typed, NumberReader& reader);

}  // namespace drom::command
