// SPDX-License-Identifier: BSD-3-Clause
// labels.cpp - in what the cases of a report differ.
#include "report/labels.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "report/numbers.hpp"

namespace drom::sim {
namespace {

/// Policy and name of the parameters that tell cases apart.
using Telling = std::set<std::pair<std::string, std::string>>;

/// Returns the parameters in which cases of one policy and one workload differ: what differs between workloads only
/// does not tell.
Telling telling(const ReportInput& input) {
    std::map<std::tuple<std::string, std::string, std::string>, std::string> first;
    Telling telling;
    for (const Case& of : input.cases) {
        const Setting& setting = of.digest.setting;
        for (const auto& [name, value] : setting.parameters) {
            const auto [known, is_new] = first.try_emplace({setting.policy, setting.workload, name}, value);
            if (!is_new && known->second != value) telling.emplace(setting.policy, name);
        }
    }
    return telling;
}

std::string made_label(const Setting& setting, const Telling& telling, const std::vector<std::string>& without) {
    std::string label = setting.policy;
    for (const auto& [name, value] : setting.parameters) {
        if (std::find(without.begin(), without.end(), name) != without.end()) continue;
        if (telling.contains({setting.policy, name})) label.append(", ").append(name).append(" ").append(value);
    }
    return label;
}

}  // namespace

std::string_view parameter(const Setting& setting, std::string_view name) {
    for (const auto& [known, value] : setting.parameters)
        if (known == name) return value;
    return {};
}

std::string cores_text(int cores) { return grouped(cores) + (cores == 1 ? " core" : " cores"); }

std::string cores_text(const Setting& setting) {
    int min = setting.cores_of(0), max = min;
    for (const PartitionSetting& partition : setting.partitions) {
        min = std::min(min, partition.cores_per_node);
        max = std::max(max, partition.cores_per_node);
    }
    return (min < max ? grouped(min) + " to " : "") + cores_text(max);
}

std::vector<std::string> case_labels(const ReportInput& input, const std::vector<std::string>& without) {
    const Telling parameters = telling(input);
    std::vector<std::string> labels;
    std::multiset<std::pair<std::string, std::string>> seen;
    for (const Case& of : input.cases) {
        std::string label =
            of.label.empty() || !without.empty() ? made_label(of.digest.setting, parameters, without) : of.label;
        const auto key = std::pair(of.digest.setting.workload, label);
        const std::size_t before = without.empty() ? seen.count(key) : 0;
        seen.insert(key);
        if (before > 0) label += " (" + std::to_string(before + 1) + ")";
        labels.push_back(std::move(label));
    }
    return labels;
}

std::vector<std::string> workloads_of(const ReportInput& input) {
    std::vector<std::string> names;
    for (const Case& of : input.cases) {
        const std::string& name = of.digest.setting.workload;
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return names;
}

std::optional<std::size_t> baseline_of(const ReportInput& input, std::size_t number) {
    const std::optional<std::size_t>& baseline = input.cases[number].baseline;
    if (!baseline || *baseline >= input.cases.size() || *baseline == number) return std::nullopt;
    return baseline;
}

std::string own_command(const ReportInput& input, std::size_t number) {
    const std::string& command = input.cases[number].digest.setting.command;
    return command.empty() ? command : command + input.page_options;
}

std::string command_of(const ReportInput& input, std::size_t number) {
    const std::string own = own_command(input, number);
    return own.empty() || (baseline_of(input, number) && !input.command.empty()) ? input.command : own;
}

}  // namespace drom::sim
