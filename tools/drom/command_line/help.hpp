// SPDX-License-Identifier: BSD-3-Clause
// help.hpp - help pages from the verb texts and the option rows.
#pragma once

#include <span>
#include <string>

#include "command_line/verb_texts.hpp"

namespace drom::command {

/// One option as help and completion see it.
struct OptionRow {
    std::string names;  ///< "-J, --json" or "--timeout MS"
    std::string text;
};

/// Returns the page with all verbs on one screen; `full` adds the notations and the exit statuses.
std::string program_help(std::span<const OptionRow> common, bool full);

/// Returns the page of a verb. -h: usage and options; `full` (--help): description, notations, exit statuses and
/// examples too. Always in the same order.
std::string verb_help(const VerbText& verb, std::span<const OptionRow> options, bool full);

}  // namespace drom::command
