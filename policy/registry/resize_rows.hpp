// SPDX-License-Identifier: BSD-3-Clause
// resize_rows.hpp - the policies that change a running job's number of nodes.
#pragma once

#include "policy/registry/registry.hpp"
#include "policy/resize/scenarios.hpp"

namespace drom::policy {

/// Makes the rows reshape, efficiency and equipartition.
std::vector<PolicyRow> resize_rows();

/// Says why the options of efficiency contradict each other; empty: they do not, or it is another policy.
std::string contradiction_in_efficiency(const Policy& policy);

/// Reads an option that ReSHAPE has for nodes and for CPUs. Errors: what is wrong with the value.
Read read_scenario(const Scenario*& into, std::string_view text);
Read read_estimator(Estimator& into, std::string_view text);
const char* word(Estimator estimator) noexcept;

/// Reads a time, or inf for kNever.
Read read_seconds_or_inf(Seconds& into, std::string_view text);
std::string text_of_seconds(Seconds seconds);

}  // namespace drom::policy
