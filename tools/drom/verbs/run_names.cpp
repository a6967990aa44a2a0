// SPDX-License-Identifier: BSD-3-Clause
// run_names.cpp - the name of a client: given, or that of its program, with the rank.
#include "verbs/run_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "drom/drom.hpp"

namespace drom::command {

namespace {

constexpr size_t kLongestName = sizeof(drom_client_info::name) - 1;

/// Returns the name that a person chose; empty: none did.
std::string given_name(const CommandOptions& options) {
    if (!options.run.name.empty()) return options.run.name;
    return text_of("DROM_NAME") != nullptr ? text_of("DROM_NAME") : "";
}

}  // namespace

const char* text_of(const char* variable) {
    const char* text = std::getenv(variable);
    return text == nullptr || *text == '\0' ? nullptr : text;
}

Rank rank_by_launcher(bool& ranked) {
    Rank rank{};
    ranked = rank_of(text_of, rank);
    if (ranked && rank.job[0] == '\0') name_by_launcher(rank.job, sizeof rank.job);
    return rank;
}

std::string no_room_for_rank(const CommandOptions& options) {
    bool ranked = false;
    const Rank rank = rank_by_launcher(ranked);
    const std::string name = given_name(options);
    const size_t end = 1 + std::to_string(std::max(rank.rank, std::max(1U, rank.ranks) - 1)).size();
    if (!ranked || name.size() + end <= kLongestName) return {};
    return fmt::format("{}{} has {} characters, and {} are left beside the rank (.{}); shorten it",
                       options.run.name.empty() ? "DROM_NAME=" : "--name ", name, name.size(), kLongestName - end,
                       rank.rank);
}

std::string no_room_for_job(const CommandOptions& options) {
    constexpr size_t kLongestJob = sizeof(drom_client_info::job) - 1;
    const size_t length = options.run.job.size();
    return length <= kLongestJob ? std::string()
                                 : fmt::format("--job has {} characters, and {} are the most", length, kLongestJob);
}

std::string client_name(const CommandOptions& options, const Rank* rank) {
    const std::string& command = options.command.front();
    std::string name = given_name(options);
    if (name.empty()) name = command.substr(command.rfind('/') + 1);
    const std::string suffix = rank ? "." + std::to_string(rank->rank) : "";
    return name.substr(0, kLongestName - std::min(suffix.size(), kLongestName)) + suffix;
}

}  // namespace drom::command
