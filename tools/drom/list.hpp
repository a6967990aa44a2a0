// SPDX-License-Identifier: BSD-3-Clause
// list.hpp - the columns that drom list can show, for its help and for completion.
#pragma once

#include <string>
#include <vector>

namespace drom::command {

struct ColumnText {
    std::string name;
    std::string text;
};

std::vector<ColumnText> column_texts();

}  // namespace drom::command
