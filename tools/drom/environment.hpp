// SPDX-License-Identifier: BSD-3-Clause
// environment.hpp - the DROM_* variables of this process beside the table of those that exist.
#pragma once

#include <string>
#include <vector>

namespace drom::command {

struct VariableView {
    std::string name;
    std::string value;     ///< in force; empty: none
    std::string fallback;  ///< what holds when it is not set
    bool from_environment = false;
    bool known = true;
    bool secure = false;
    std::string doc;
};

/// The table's variables in its order, then the unknown ones that are set.
std::vector<VariableView> variables();
/// Names beginning with DROM_ that nothing reads.
std::vector<std::string> unknown_variables();
/// "DROM_TIMEUOT is not a variable of drom; did you mean ...?"
std::string unknown_text(const std::string& name);

}  // namespace drom::command
