// SPDX-License-Identifier: BSD-3-Clause
// policies.cpp - `drom-sim policies`: what can be simulated, with options, defaults and sources.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/help.hpp"
#include "text/wrapped.hpp"
#include "verbs/verb_functions.hpp"

namespace drom::sim {
namespace {

using policy::OptionRow;
using policy::PolicyRow;

std::string as_text(const PolicyRow& row) {
    std::string text = fmt::format("{} - {}\n  Source: {}\n", row.name, row.text, row.source);
    for (const OptionRow& option : row.options)
        text +=
            parameter_line(option.name, option.label, fmt::format("{} ({})", option.text, option.get(row.defaults)));
    return text + '\n';
}

std::string in_table(std::string_view text) {
    std::string escaped;
    for (const char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
    return escaped;
}

std::string as_markdown(const PolicyRow& row) {
    std::string text = fmt::format("\n## {}\n\n{}.\n\nSource: {}.\n", row.name, row.text, row.source);
    text += row.options.empty() ? "\nIt has no options.\n"
                                : "\n| option | value | default | what it does |\n| --- | --- | --- | --- |\n";
    for (const OptionRow& option : row.options)
        text += fmt::format("| `{}` | {} | {} | {} |\n", option.name, in_table(option.label), option.get(row.defaults),
                            in_table(option.text));
    return text;
}

nlohmann::ordered_json as_json(const PolicyRow& row) {
    nlohmann::ordered_json options = nlohmann::ordered_json::array();
    for (const OptionRow& option : row.options)
        options.push_back({{"name", option.name},
                           {"value", option.label},
                           {"default", option.get(row.defaults)},
                           {"text", option.text}});
    return {{"name", row.name}, {"text", row.text}, {"source", row.source}, {"options", options}};
}

constexpr const char* kHead =
    "# The policies of drom-sim\n"
    "\n"
    "Made by `drom-sim policies --markdown`, not by hand. A setting is `POLICY` or "
    "`POLICY:OPTION=VALUE,OPTION=VALUE`.\n"
    "[Your own policy](../developer/own-policy.md) is a row more.\n";

}  // namespace

int verb_policies(const SimulationOptions& options) {
    std::vector<const PolicyRow*> asked;
    for (const std::string& name : options.settings) {
        asked.push_back(policy::find_policy(name));
        if (asked.back() == nullptr)
            return misused(options, fmt::format("there is no policy '{}' (drom-sim policies lists them)", name));
    }
    if (asked.empty())
        for (const PolicyRow& row : policy::policies()) asked.push_back(&row);
    std::string text = options.markdown ? kHead : "";
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const PolicyRow* row : asked) {
        if (options.json)
            list.push_back(as_json(*row));
        else
            text += options.markdown ? as_markdown(*row) : as_text(*row);
    }
    if (options.json) text = nlohmann::ordered_json{{"policies", list}}.dump(2) + '\n';
    if (!options.json && !options.markdown) text = wrapped(text, page_width());
    std::fputs(text.c_str(), stdout);
    return kDone;
}

}  // namespace drom::sim
