// SPDX-License-Identifier: BSD-3-Clause
// energy_rows.hpp - the policies that choose among partitions and frequencies by an energy model.
#pragma once

#include "policy/energy/energy_aware.hpp"
#include "policy/registry/registry.hpp"

namespace drom::policy {

/// Rules of the policies eamc, energy, best-partition and sd-eamc; only the last one shares.
struct EnergyPolicy {
    EnergyRules energy;
    SlowdownRules sharing;
    std::shared_ptr<const EnergyModel> model;  ///< null: one partition, on which all jobs run alike
};

/// Makes the rows.
std::vector<PolicyRow> energy_rows();

/// Returns true when the policy decides by an energy model, and cannot without one.
bool needs_energy_model(const PolicyRow& row);
/// Returns true when the policy decides by an energy model where there is one. Those that choose a partition only take
/// its run times.
bool takes_energy_model(const PolicyRow& row);
/// Gives the policy its model (null: none), if it takes one.
void set_energy_model(Policy& policy, std::shared_ptr<const EnergyModel> model);
/// Returns the entries among which the policy chooses for the job, in its order. Returns nothing of a policy that needs
/// no energy model, or has none. Cost: the partitions times their states.
std::vector<Entry> entries_of(const Policy& policy, const Job& job);

}  // namespace drom::policy
