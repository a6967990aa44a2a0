// SPDX-License-Identifier: BSD-3-Clause
// labels.hpp - short names of the cases of a report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/report.hpp"

namespace drom::sim {

/// The value of a parameter; empty when it is not there.
std::string_view parameter(const Setting& setting, std::string_view name);

/// A name for each case: Case::label, or the policy and each parameter ("sd, max-slowdown 10") in which cases of that
/// policy and workload differ. With `without` always the latter, but for the parameters in it. Two cases of one
/// workload that would have the same name get numbers.
std::vector<std::string> case_labels(const ReportInput& input, const std::vector<std::string>& without = {});

/// Names of the workloads, in the order of their first case.
std::vector<std::string> workloads_of(const ReportInput& input);

/// Which case case `number` is compared with.
std::optional<std::size_t> baseline_of(const ReportInput& input, std::size_t number);

/// The command that makes a figure about case `number`: with a baseline that of the whole report, otherwise that of the
/// case.
const std::string& command_of(const ReportInput& input, std::size_t number);

}  // namespace drom::sim
