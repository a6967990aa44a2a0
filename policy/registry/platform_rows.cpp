// SPDX-License-Identifier: BSD-3-Clause
// platform_rows.cpp - the options of the rules that choose a partition.
#include "policy/registry/platform_rows.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "policy/placement/platforms.hpp"

namespace drom::policy {
namespace {

using Rules = PlatformRules;

constexpr int kMaxPartitions = 1000;

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

Read set_sizes(Rules& rules, std::string_view text) {
    std::vector<int> sizes;
    if (auto read = read_numbers(sizes, text, 1, static_cast<int>(kMaxWhole)); !read) return read;
    if (std::ranges::adjacent_find(sizes, std::ranges::less_equal()) != sizes.end())
        return tl::unexpected(std::string("has to fall: each bound is smaller than the one before it"));
    rules.sizes = std::move(sizes);
    return {};
}

std::string unfit_sizes(const Rules& rules, std::size_t partitions) {
    if (rules.sizes == Rules().sizes || rules.sizes.size() + 1 == partitions) return {};
    return "sizes '" + numbers_text(rules.sizes) + "' has to have one bound fewer than the machine has partitions, " +
           std::to_string(partitions) + ": the last takes the rest";
}

std::string unfit_map(const Rules& rules, std::size_t partitions, std::optional<std::size_t> applications) {
    const int last = static_cast<int>(partitions) - 1;
    const auto wrong = std::ranges::find_if(rules.map, [last](int partition) { return partition > last; });
    if (wrong != rules.map.end())
        return "map '" + numbers_text(rules.map) + "' has partition " + std::to_string(*wrong) +
               "; those of the machine are 0 to " + std::to_string(last);
    if (!applications || rules.map.size() <= *applications) return {};
    return "map '" + numbers_text(rules.map) + "' is longer than the table of applications, which has " +
           std::to_string(*applications) + "; the first entry is for the first of the table, whatever its number";
}

constexpr Option<Rules> kSizes[] = {
    {"sizes", "N/N...", "fewest nodes of a job on the first partition, on the second, falling; the last takes the rest",
     set_sizes, [](const Rules& r) { return numbers_text(r.sizes); }},
};

constexpr Option<Rules> kMap[] = {
    {"map", "P/P...",
     "partition, from 0, of each application in the order of their table, whatever its number; others run on the "
     "first",
     [](Rules& r, std::string_view v) { return read_numbers(r.map, v, 0, kMaxPartitions); },
     [](const Rules& r) { return numbers_text(r.map); }},
};

void add_row(Slowdowns::Rows& rows, int nodes, const Signatures& on) {
    if (on.empty()) return;
    const std::optional<Signature>& first = on.front();
    if (!first) return;
    std::vector<double> times;
    for (const std::optional<Signature>& there : on)
        times.push_back(there ? there->seconds / first->seconds : std::numeric_limits<double>::infinity());
    rows.push_back({nodes, std::move(times)});
}

Slowdowns::Rows rows_of(const Application& application) {
    Slowdowns::Rows rows;
    add_row(rows, 0, application.on);
    for (const LargerRuns& runs : application.larger) add_row(rows, runs.nodes, runs.on);
    return rows;
}

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

bool is_platform_row(const PolicyRow& row) { return row.defaults.type() == typeid(Rules); }

void set_run_times(Policy& policy, const EnergyModel& model) {
    std::vector<Slowdowns::Rows> rows;
    for (const Application& application : model.applications) rows.push_back(rows_of(application));
    policy.rules<Rules>().slowdowns = Slowdowns(std::move(rows));
}

std::string unfit_platforms(const Policy& policy, std::size_t partitions, std::optional<std::size_t> applications) {
    if (!is_platform_row(policy.row())) return {};
    const Rules& rules = policy.rules<Rules>();
    if (rules.choice == Rules::Choice::kBySize) return unfit_sizes(rules, partitions);
    if (rules.choice == Rules::Choice::kByApplication) return unfit_map(rules, partitions, applications);
    return {};
}

}  // namespace drom::policy
