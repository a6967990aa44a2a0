// SPDX-License-Identifier: BSD-3-Clause
// environment.cpp - the DROM_* variables of this process beside the table of those that exist.
#include "environment.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "verbs.hpp"

namespace drom::command {

namespace {

struct Variable {
    const char* name;
    const char* fallback;
    bool secure;
    const char* doc;
};

constexpr Variable kVariables[] = {
#define X(name, fallback, secure, doc) {#name, fallback, (secure) != 0, doc},
#include "libdrom/env.def"
#undef X
};

bool is_known(std::string_view name) {
    return std::ranges::any_of(kVariables, [&](const Variable& variable) { return name == variable.name; });
}

/// env.def writes the user's id as <uid>.
std::string spelled_out(std::string text) {
    const auto at = text.find("<uid>");
    return at == std::string::npos ? text : text.replace(at, 5, std::to_string(geteuid()));
}

}  // namespace

std::vector<std::string> unknown_variables() {
    std::vector<std::string> names;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        if (!text.starts_with("DROM_")) continue;
        const std::string_view name = text.substr(0, text.find('='));
        if (!is_known(name)) names.emplace_back(name);
    }
    return names;
}

std::string unknown_text(const std::string& name) {
    std::vector<std::string> known;
    for (const auto& variable : kVariables) known.emplace_back(variable.name);
    const std::string near = nearest(name, known);
    return fmt::format("{} is not a variable of drom{}", name,
                       near.empty() ? std::string("; drom env lists them") : fmt::format("; did you mean {}?", near));
}

std::vector<VariableView> variables() {
    std::vector<VariableView> views;
    for (const auto& variable : kVariables) {
        const char* set = std::getenv(variable.name);
        const bool given = set != nullptr && *set != '\0';
        const std::string fallback = spelled_out(variable.fallback);
        views.push_back({variable.name, given ? set : fallback, fallback, given, true, variable.secure, variable.doc});
    }
    for (const auto& name : unknown_variables()) {
        const char* set = std::getenv(name.c_str());
        views.push_back({name, set == nullptr ? "" : set, "", true, false, false, ""});
    }
    return views;
}

}  // namespace drom::command
