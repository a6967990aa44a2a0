// SPDX-License-Identifier: BSD-3-Clause
// command_units.hpp - the cores, NUMA nodes and packages of this machine, as the command reads them for `core:3`.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace drom::test {

/// CPU numbers of each unit of one level.
using Units = std::set<std::set<unsigned>>;

struct CommandUnits {
    Units cores, numa_nodes, packages;
    std::string trouble;  ///< empty: all were read
};

CommandUnits command_units();

}  // namespace drom::test
