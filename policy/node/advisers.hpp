// SPDX-License-Identifier: BSD-3-Clause
// advisers.hpp - the policies of drom advise by their names, with their options.
#pragma once

#include <any>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "policy/node/adviser.hpp"
#include "policy/registry/registry.hpp"

namespace drom::policy {

struct AdviserRow {
    const char* name;
    const char* text;    ///< what it does, as one sentence without its full stop
    const char* source;  ///< where it is described
    std::vector<OptionRow> options;
    std::any defaults;  ///< its rules
    std::function<std::unique_ptr<Adviser>(const std::any& rules)> make;
};

/// Returns every policy of drom advise.
std::span<const AdviserRow> advisers();

/// Returns the policy that a text such as "efficiency:upper=0.3,lower=0.1" names. Errors: what is wrong with the text,
/// and what could be meant.
tl::expected<std::unique_ptr<Adviser>, std::string> adviser_of(std::string_view text);

/// Returns the same policy with all its options: it stays the same when defaults change. Errors: as adviser_of().
tl::expected<std::string, std::string> whole_name_of(std::string_view text);

}  // namespace drom::policy
