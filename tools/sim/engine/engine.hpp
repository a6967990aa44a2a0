// SPDX-License-Identifier: BSD-3-Clause
// engine.hpp - replays a workload on a machine under a policy, in virtual time.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "engine/outcome.hpp"
#include "policy/backfill/scheduler.hpp"
#include "policy/energy/model.hpp"

namespace drom::sim {

/// How jobs run.
struct EngineRules {
    std::vector<policy::Machine> partitions;            ///< the first is the one that run times of the log belong to
    std::shared_ptr<const policy::EnergyModel> energy;  ///< of these partitions; null: no energy is counted
    policy::RuntimeModel execution{
        policy::ModelKind::kIdeal};  ///< how fast they really are on fewer cores; planning is always worst-case
    bool kill_at_limit = true;       ///< at the extended limit
    double malleable_share = 1;      ///< of the jobs; which ones is drawn from `seed`
    double moldable_share = 0;       ///< likewise; a moldable job is not malleable
    std::uint64_t seed = 1;
    int ranks_per_node = 1;                  ///< cores that each job keeps at least on each node
    Seconds window_from = 0, window_to = 0;  ///< stretches are recorded here; empty: nowhere
    bool keep_nodes = false;                 ///< of each job, in Outcome::nodes

    /// Called now and then with the number of jobs that have ended; may be empty.
    std::function<void(std::size_t ended)> progress;
    /// When it becomes true the simulation stops, and its outcome is that of the jobs so far; may be null.
    const std::atomic<bool>* stop = nullptr;
};

/// Replays the workload. At equal times ends come before submits, and both before decisions. Times are whole seconds: a
/// job that would end within one ends at its end. Deterministic: the same arguments give the same outcome. Cost:
/// independent of the span of time; see docs/results/simulator.md.
Outcome simulate(const Workload& workload, policy::Scheduler& scheduler, const EngineRules& rules);

}  // namespace drom::sim
