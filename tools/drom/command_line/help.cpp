// SPDX-License-Identifier: BSD-3-Clause
// help.cpp - help pages from the verb texts and the option rows.
#include "command_line/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "output/client_table.hpp"

namespace drom::command {

namespace {

constexpr std::string_view kMask =
    "MASK: 0-3,8   0-14:2   0x1f   core:0-1   numa:0   package:1; items are separated by commas, each names its own "
    "unit\n";
constexpr std::string_view kClient =
    "CLIENT: pid (its own or that of its drom run), '#3' (slot 3, quoted), or its name\n";
constexpr std::string_view kExit =
    "Exit status: 0 done; 1 refused, or output lost; 2 usage; 3 posted but not acknowledged in time; 4 table damaged\n";

/// Of verbs that post nothing that a client has to acknowledge.
constexpr std::string_view kExitOfReader = "Exit status: 0 done; 1 refused, or output lost; 2 usage; 4 table damaged\n";

/// Of drom env, which opens no table.
constexpr std::string_view kExitOfEnv =
    "Exit status: 0 done; 1 refused, a variable is wrong, or output lost; 2 usage\n";

/// Of drom run, which ends as its command does.
constexpr std::string_view kExitOfRun =
    "Exit status: the command's; 126 it cannot be executed; 127 it was not found. Where it was not started: 1 refused; "
    "2 usage; 3 its CPUs were not released in time; 4 table damaged\n";

std::string indented(std::string_view text) {
    std::string out = "  ";
    for (char c : text) {
        out += c;
        if (c == '\n') out += "  ";
    }
    return out + '\n';
}

std::string rows(std::span<const OptionRow> options) {
    size_t width = 0;
    for (const auto& row : options) width = std::max(width, row.names.size());
    std::string out;
    for (const auto& row : options) out += fmt::format("  {:<{}}  {}\n", row.names, width, row.text);
    return out;
}

std::string columns() {
    size_t width = 0;
    for (const auto& column : column_texts()) width = std::max(width, std::string_view(column.name).size());
    std::string out = "Columns:\n";
    for (const auto& column : column_texts()) out += fmt::format("  {:<{}}  {}\n", column.name, width, column.text);
    return out + '\n';
}

bool takes(const VerbText& verb, std::string_view word) { return verb.arguments.find(word) != std::string_view::npos; }

/// Returns the arguments in as few words as the list of verbs has room for.
std::string_view main_argument(const VerbText& verb) {
    if (takes(verb, "FILE [")) return "FILE";
    return takes(verb, "COMMAND") ? "-- COMMAND" : verb.arguments.substr(0, verb.arguments.find('|'));
}

bool posts_nothing(std::string_view verb) {
    constexpr std::array<std::string_view, 7> kReaders = {"check", "explain", "list", "metrics",
                                                          "stats", "top",     "watch"};
    return std::ranges::find(kReaders, verb) != kReaders.end();
}

std::string_view exit_statuses(const VerbText& verb) {
    if (verb.name == "run") return kExitOfRun;
    if (verb.name == "env") return kExitOfEnv;
    return posts_nothing(verb.name) ? kExitOfReader : kExit;
}

std::string usage_of(const VerbText& verb) {
    return fmt::format("Usage: drom {}{}{}{}\n", verb.name, verb.arguments.empty() ? "" : " ", verb.arguments,
                       takes(verb, "[options]") ? "" : " [options]");
}

}  // namespace

std::string program_help(std::span<const OptionRow> common, bool full) {
    std::string out = "drom - move CPUs between running programs on this node\n\nUsage: drom VERB [options]\n\n";
    for (const auto& verb : verb_texts())
        out += fmt::format("  {:<18}  {}\n", fmt::format("{} {}", verb.name, main_argument(verb)), verb.summary);
    out += fmt::format("\n{}\n{}{}\n", rows(common), kMask, kClient);
    out += kExit;
    if (full)
        out +=
            "\nThe table is the directory DROM_TABLE, else /dev/shm/drom-UID. Only run creates it, and trace with a "
            "COMMAND.\n"
            "Data goes to stdout, messages to stderr; --json works with every verb but metrics and trace.\n"
            "\nExamples:\n"
            "  drom run -- ./simulation &                    # owns the node\n"
            "  drom run --ncpus 1 -- ./analytics             # the simulation shrinks, and expands again afterwards\n"
            "  drom list; drom explain simulation            # which client has which CPUs, and why\n";
    out += "\ndrom VERB -h is short, drom VERB --help long. See drom(1), drom(7), drom-table(5).\n";
    return out;
}

std::string verb_help(const VerbText& verb, std::span<const OptionRow> options, bool full) {
    std::string out = fmt::format("drom {} - {}\n\n{}\n", verb.name, verb.summary, usage_of(verb));
    if (full) out += indented(verb.details) + '\n';
    out += "Options:\n" + rows(options);
    if (full) {
        out += '\n';
        if (verb.name == "list") out += columns();
        if (takes(verb, "MASK") || verb.name == "run") out += kMask;
        if (takes(verb, "CLIENT")) out += kClient;
        out += exit_statuses(verb);
        out += "\nExamples:\n" + indented(verb.examples);
    } else {
        out += fmt::format("\ndrom {} --help says more and shows examples.\n", verb.name);
    }
    return out;
}

}  // namespace drom::command
