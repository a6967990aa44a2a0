// SPDX-License-Identifier: BSD-3-Clause
// env.cpp - drom env: the variables drom reads, their values, and where those come from.
#include <fmt/format.h>

#include <algorithm>

#include "output/json.hpp"
#include "output/messages.hpp"
#include "program/environment.hpp"
#include "verbs/verb_functions.hpp"

namespace drom::command {

namespace {

std::string table_text(const std::vector<VariableView>& views) {
    size_t name_width = 0;
    size_t value_width = 0;
    for (const auto& view : views) {
        name_width = std::max(name_width, view.name.size());
        value_width = std::max(value_width, view.value.size());
    }
    std::string out;
    for (const auto& view : views) {
        if (!view.known) continue;
        out += fmt::format("{:<{}}  {:<{}}  {:<11}  {}\n", view.name, name_width, view.value.empty() ? "-" : view.value,
                           value_width, view.from_environment ? "environment" : "default", view.doc);
    }
    return out;
}

}  // namespace

int verb_env(const CommandOptions& options) {
    const auto views = variables();
    print(options.json ? env_json(views) : table_text(views));
    int result = kDone;
    for (const auto& view : views) {
        if (view.wrong.empty()) continue;
        complain(sentence(options, DROM_E_INVAL, view.wrong).text);
        result = kRefused;
    }
    return result;
}

}  // namespace drom::command
