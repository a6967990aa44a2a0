// SPDX-License-Identifier: BSD-3-Clause
// resize_rows.hpp - the policies that change a running job's number of nodes.
#pragma once

#include "policy/registry/registry.hpp"

namespace drom::policy {

/// Makes the rows reshape, efficiency and equipartition.
std::vector<PolicyRow> resize_rows();

/// Says why the options of efficiency contradict each other; empty: they do not, or it is another policy.
std::string contradiction_in_efficiency(const Policy& policy);

}  // namespace drom::policy
