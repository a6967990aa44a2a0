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
    std::string wrong;  ///< the sentence about an unknown name, or about a value that cannot be
};

/// Returns the table's variables in its order, then the unknown ones that are set.
std::vector<VariableView> variables();
/// Returns a sentence for each name that nothing reads, and for each value that cannot be.
std::vector<std::string> complaints_about_variables();

}  // namespace drom::command
