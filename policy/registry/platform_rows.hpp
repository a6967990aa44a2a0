// SPDX-License-Identifier: BSD-3-Clause
// platform_rows.hpp - the policies that choose one of several partitions for each job.
#pragma once

#include "policy/registry/registry.hpp"

namespace drom::policy {

/// Makes the rows ejs, best-first, most-free, round-robin, scale, app and first-partition.
std::vector<PolicyRow> platform_rows();

}  // namespace drom::policy
