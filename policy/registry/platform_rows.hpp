// SPDX-License-Identifier: BSD-3-Clause
// platform_rows.hpp - the policies that choose one of several partitions for each job.
#pragma once

#include <optional>

#include "policy/energy/model.hpp"
#include "policy/registry/registry.hpp"

namespace drom::policy {

/// Makes the rows ejs, best-first, most-free, round-robin, scale, app and first-partition.
std::vector<PolicyRow> platform_rows();

/// Returns true for these policies.
bool is_platform_row(const PolicyRow& row);
/// Gives one of these policies the run times of applications on each partition, at nominal frequencies.
void set_run_times(Policy& policy, const EnergyModel& model);

/// Says why `sizes` of scale or `map` of app cannot be meant on a machine of so many partitions; empty: they can, or it
/// is another policy. `applications` is the length of their table, where there is one. Default sizes are always taken.
std::string unfit_platforms(const Policy& policy, std::size_t partitions, std::optional<std::size_t> applications);

}  // namespace drom::policy
