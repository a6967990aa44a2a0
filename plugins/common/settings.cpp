// SPDX-License-Identifier: GPL-2.0-or-later
// settings.cpp - reads settings: NAME=VALUE, one after the other or one per line.
#include "settings.hpp"

#include <algorithm>

#include "base/number_text.hpp"

namespace drom::slurm {
namespace {

bool read_factor(std::string_view text, double& factor) {
    double value = 0;
    if (!is_number(text, value) || !(value > 0 && value < 1)) return false;
    factor = value;
    return true;
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r";
    const size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

void read_one(std::string_view setting, const std::string& where, Settings& settings) {
    const std::string_view name = trimmed(setting.substr(0, setting.find('=')));
    const std::string_view value = trimmed(setting.substr(std::min(setting.size(), setting.find('=') + 1)));
    if (name == "lib") {
        settings.lib = value;
    } else if (name == "table") {
        settings.table = value;
    } else if (name == "topology") {
        settings.topology = value;
        std::replace(settings.topology.begin(), settings.topology.end(), ',', ' ');
    } else if (name != "sharing_factor") {
        settings.wrong.push_back(where + std::string(setting) +
                                 ": there is no such setting; lib, table, topology and sharing_factor are");
    } else if (!read_factor(value, settings.sharing_factor)) {
        settings.wrong.push_back(where + std::string(setting) +
                                 ": the factor is between 0 and 1, for instance sharing_factor=0.5");
    }
}

}  // namespace

Settings read_arguments(int argc, const char* const argv[]) {
    Settings settings;
    for (int i = 0; i < argc; ++i) read_one(argv[i], "plugstack.conf: ", settings);
    return settings;
}

Settings read_file(std::string_view text) {
    Settings settings;
    for (unsigned number = 1; !text.empty(); ++number) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        const std::string_view setting = trimmed(line.substr(0, line.find('#')));
        if (!setting.empty()) read_one(setting, "drom.conf:" + std::to_string(number) + ": ", settings);
    }
    return settings;
}

AgentSettings agent_settings(const Settings& settings, const std::string& node) {
    AgentSettings agent;
    agent.table = settings.table;
    for (std::size_t at = agent.table.find("%n"); at != std::string::npos;
         at = agent.table.find("%n", at + node.size()))
        agent.table.replace(at, 2, node);
    agent.topology = settings.topology;
    agent.sharing_factor = settings.sharing_factor;
    return agent;
}

}  // namespace drom::slurm
