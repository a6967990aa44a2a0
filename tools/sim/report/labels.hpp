// SPDX-License-Identifier: BSD-3-Clause
// labels.hpp - short names of the cases of a report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/report.hpp"

namespace drom::sim {

/// Returns the value of a parameter; empty when it is not there.
std::string_view parameter(const Setting& setting, std::string_view name);

/// Returns "48 cores", or "1 core".
std::string cores_text(int cores);

/// Returns the cores of each node: "48 cores", or "36 to 48 cores" where partitions differ.
std::string cores_text(const Setting& setting);

/// Returns a name for each case: Case::label, or the policy and telling parameters ("sd, max_slowdown 10"). In these,
/// cases of that policy differ on at least one workload. With `without` always the latter, but for the parameters in
/// it; then names may be equal. Otherwise the second case of one workload with the same name gets " (2)", and so on.
std::vector<std::string> case_labels(const ReportInput& input, const std::vector<std::string>& without = {});

/// Names of the workloads, in the order of their first case.
std::vector<std::string> workloads_of(const ReportInput& input);

/// Returns which case case `number` is compared with; nothing when it is none.
std::optional<std::size_t> baseline_of(const ReportInput& input, std::size_t number);

/// Returns the command that makes a page of case `number` alone; empty: it is not known.
std::string own_command(const ReportInput& input, std::size_t number);

/// Returns the command that makes a figure about case `number`: with a baseline that of the whole report, otherwise
/// that of the case.
std::string command_of(const ReportInput& input, std::size_t number);

}  // namespace drom::sim
