// SPDX-License-Identifier: BSD-3-Clause
// repairs_of.hpp - the repairs of a log as one line, for tests of what reads logs.
#pragma once

#include <string>

#include "workload/swf/swf.hpp"

namespace drom::sim {

/// Returns "overrun 2, name 1", in the order of RepairKind.
inline std::string repairs_of(const Log& log) {
    std::string text;
    for (const Repair& repair : log.repairs.list())
        text += (text.empty() ? "" : ", ") + std::string(repair.name) + " " + std::to_string(repair.count);
    return text;
}

}  // namespace drom::sim
