// SPDX-License-Identifier: BSD-3-Clause
// platform_rows.cpp - the options of the rules that choose a partition.
#include "policy/registry/platform_rows.hpp"

#include "policy/placement/platforms.hpp"

namespace drom::policy {
namespace {

using Rules = PlatformRules;

constexpr int kMostPartitions = 1000;

Read read_numbers(std::vector<int>& into, std::string_view text, int min, int max) {
    std::vector<int> numbers;
    for (std::size_t from = 0; from <= text.size(); from = std::min(text.size(), text.find('/', from)) + 1) {
        const std::string_view item = text.substr(from, text.find('/', from) - from);
        if (const auto read = read_whole(numbers.emplace_back(), item, min, max); !read)
            return tl::unexpected("has '" + std::string(item) + "', which " + read.error());
    }
    into = std::move(numbers);
    return {};
}

std::string numbers_text(const std::vector<int>& numbers) {
    std::string text;
    for (const int number : numbers) text += (text.empty() ? "" : "/") + std::to_string(number);
    return text;
}

constexpr Option<Rules> kSizes[] = {
    {"sizes", "N/N...", "fewest nodes of a job on the first partition, on the second; the last takes the rest",
     [](Rules& r, std::string_view v) { return read_numbers(r.sizes, v, 1, static_cast<int>(kMaxWhole)); },
     [](const Rules& r) { return numbers_text(r.sizes); }},
};

constexpr Option<Rules> kMap[] = {
    {"map", "P/P...", "partition of each application, both from 0; others run on the first",
     [](Rules& r, std::string_view v) { return read_numbers(r.map, v, 0, kMostPartitions); },
     [](const Rules& r) { return numbers_text(r.map); }},
};

Rules choosing(Rules::Choice choice) {
    Rules rules;
    rules.choice = choice;
    rules.map = {0};
    return rules;
}

PolicyRow row(const char* name, const char* text, Rules::Choice choice, std::span<const Option<Rules>> options = {}) {
    return policy_row<Rules>({name, text, "HPC in the cloud, chapter 3", true}, {options}, choosing(choice),
                             [](const Rules& rules) { return platforms(rules); });
}

}  // namespace

std::vector<PolicyRow> platform_rows() {
    using Choice = Rules::Choice;
    return {
        row("ejs", "a job starts on the partition with most free cores times its performance there", Choice::kSupply),
        row("best-first", "a job starts on the partition with room that is fastest for it", Choice::kBestFirst),
        row("most-free", "a job starts on the partition with most free cores", Choice::kMostFree),
        row("round-robin", "jobs start on one partition with room after the other", Choice::kRoundRobin),
        row("scale", "large jobs run on the first partition, smaller ones on the next", Choice::kBySize, kSizes),
        row("app", "each application has its partition", Choice::kByApplication, kMap),
        row("first-partition", "every job runs on the first partition", Choice::kFirst),
    };
}

}  // namespace drom::policy
