// SPDX-License-Identifier: GPL-2.0-or-later
// arguments.cpp - NAME=VALUE, one after the other.
#include "arguments.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace drom::slurm {
namespace {

bool read_factor(std::string_view text, double& factor) {
    double value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || end != text.data() + text.size() || !(value > 0 && value < 1)) return false;
    factor = value;
    return true;
}

}  // namespace

Arguments read_arguments(int argc, const char* const argv[]) {
    Arguments arguments;
    for (int i = 0; i < argc; ++i) {
        const std::string_view argument(argv[i]);
        const std::string_view name = argument.substr(0, argument.find('='));
        const std::string_view value = argument.substr(std::min(argument.size(), name.size() + 1));
        if (name == "lib") {
            arguments.lib = value;
        } else if (name == "table") {
            arguments.table = value;
        } else if (name == "topology") {
            arguments.topology = value;
            std::replace(arguments.topology.begin(), arguments.topology.end(), ',', ' ');
        } else if (name != "sharing_factor") {
            arguments.wrong.push_back(
                std::string(argument) +
                ": no such argument in plugstack.conf; lib, table, topology and sharing_factor are");
        } else if (!read_factor(value, arguments.sharing_factor)) {
            arguments.wrong.push_back(std::string(argument) + ": the factor is between 0 and 1, for instance 0.5");
        }
    }
    return arguments;
}

std::string table_of(const Arguments& arguments, const std::string& node) {
    std::string table = arguments.table;
    for (std::size_t at = table.find("%n"); at != std::string::npos; at = table.find("%n", at + node.size()))
        table.replace(at, 2, node);
    return table;
}

}  // namespace drom::slurm
