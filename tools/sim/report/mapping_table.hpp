// SPDX-License-Identifier: BSD-3-Clause
// mapping_table.hpp - the partitions of each application, best first, as `drom-sim map` prints them; summary_json.hpp
// has them for programs.
#pragma once

#include <string>
#include <vector>

#include "policy/energy/mapping.hpp"
#include "workload/machine_file.hpp"

namespace drom::sim {

/// The partitions of one application: the first one of the machine at least, which requested times are for.
struct MappingRow {
    std::string application;
    int number = 0;  ///< field 14 of a log
    std::vector<policy::Mapped> partitions;
};

/// Returns a line per application and partition, then the map as the policy `app` takes it.
std::string mapping_table(const std::vector<PartitionFile>& machine, const std::vector<MappingRow>& rows);

}  // namespace drom::sim
