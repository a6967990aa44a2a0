// SPDX-License-Identifier: BSD-3-Clause
// energy_aware.hpp - schedulers of a site with several partitions, on which a job has an entry each (thesis 6.4.2).
#pragma once

#include <memory>
#include <optional>

#include "policy/backfill/scheduler.hpp"
#include "policy/energy/entries.hpp"

namespace drom::policy {

/// Returns EASY on each partition, over one list of the entries of all jobs: rank first, then arrival, then the job's
/// own order. Starting an entry withdraws the others of its job. The first entry of a partition that cannot start has
/// the partition's one reservation. With `sharing`, entries that still wait after that may start on cores of running
/// jobs. The partitions are those of the model, in its order.
std::unique_ptr<Scheduler> energy_aware(EnergyModel model, EnergyRules rules,
                                        std::optional<SlowdownRules> sharing = std::nullopt);

}  // namespace drom::policy
