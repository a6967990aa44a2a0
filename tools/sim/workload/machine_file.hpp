// SPDX-License-Identifier: BSD-3-Clause
// machine_file.hpp - partitions with their energy model, and applications on them, as files.
//
// A machine file, a line each; `#` begins a comment. The first partition is the one that requested times are for:
//
//   partition NAME
//     nodes N
//     cores N                    of each node
//     nominal GHZ                frequency at which applications were measured; one of the states
//     idle WATTS                 of an idle node
//     curve FIXED EXPONENT       power over nominal power is FIXED + (1 - FIXED) (GHZ / nominal)^EXPONENT
//     state GHZ [A B C D E F]    ascending; coefficients from the nominal state, where there is no curve
//
// An application table; the application's number is field 14 of a log:
//
//   app NUMBER NAME
//     on PARTITION seconds S watts W cpi CPI tpi TPI     on one node, at the nominal frequency
//     on PARTITION seconds S watts W slope SECONDS       on a partition with a curve: what 0.1 GHz less cost
//     nodes N                                            lines after it are of jobs of N nodes or more; ascending
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "policy/energy/model.hpp"

namespace drom::sim {

struct PartitionFile {
    std::string name;
    int nodes = 0, cores_per_node = 0;
    policy::NodeModel node;
};

/// Reads a machine file. Errors: a finished sentence, "drom-sim: read FILE: line 3, column 9: ...".
tl::expected<std::vector<PartitionFile>, std::string> read_machine_file(const std::string& path);
tl::expected<std::vector<PartitionFile>, std::string> read_machine_text(std::string_view text, const std::string& name);

struct ApplicationTable {
    std::vector<policy::Application> applications;
    /// Lines about partitions that the machine does not have, by name: they are not used.
    std::vector<std::string> elsewhere;
};

/// Reads an application table. Errors: as above.
tl::expected<ApplicationTable, std::string> read_application_file(const std::string& path,
                                                                  const std::vector<PartitionFile>& machine);
tl::expected<ApplicationTable, std::string> read_application_text(std::string_view text, const std::string& name,
                                                                  const std::vector<PartitionFile>& machine);

}  // namespace drom::sim
