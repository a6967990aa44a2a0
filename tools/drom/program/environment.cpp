// SPDX-License-Identifier: BSD-3-Clause
// environment.cpp - the DROM_* variables of this process beside the table of those that exist.
#include "program/environment.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string_view>

#include "libdrom/base/env.hpp"
#include "text/nearest.hpp"

namespace drom::command {

namespace {

std::span<const env::Variable> known_variables() {
    size_t count = 0;
    const env::Variable* table = env::table(count);
    return {table, count};
}

bool is_known(std::string_view name) {
    return std::ranges::any_of(known_variables(), [&](const auto& variable) { return name == variable.name; });
}

std::string wrong_text(const char* name) {
    char text[256] = "";
    env::wrong_value(name, text, sizeof text);
    return text;
}

/// Spells out <uid>, as which env.def writes the user's id.
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
    for (const auto& variable : known_variables()) known.emplace_back(variable.name);
    const std::string near = nearest(name, known);
    return fmt::format("{} is not a variable of drom{}", name,
                       near.empty() ? std::string("; drom env lists them") : fmt::format("; did you mean {}?", near));
}

std::vector<std::string> complaints_about_variables() {
    std::vector<std::string> texts;
    for (const auto& view : variables())
        if (!view.wrong.empty()) texts.push_back(view.wrong);
    return texts;
}

std::vector<VariableView> variables() {
    std::vector<VariableView> views;
    for (const auto& variable : known_variables()) {
        const char* set = std::getenv(variable.name);
        const std::string wrong = wrong_text(variable.name);
        const bool given = set != nullptr && *set != '\0' && wrong.empty();
        const std::string fallback = spelled_out(variable.fallback);
        views.push_back(
            {variable.name, given ? set : fallback, fallback, given, true, variable.secure, variable.doc, wrong});
    }
    for (const auto& name : unknown_variables()) {
        const char* set = std::getenv(name.c_str());
        views.push_back({name, set == nullptr ? "" : set, "", true, false, false, "", unknown_text(name)});
    }
    return views;
}

}  // namespace drom::command
