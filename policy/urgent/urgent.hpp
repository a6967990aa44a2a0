// SPDX-License-Identifier: BSD-3-Clause
// urgent.hpp - EASY for a queue in which some jobs are urgent.
#pragma once

#include <memory>
#include <string_view>

#include "policy/backfill/scheduler.hpp"

namespace drom::policy {

/// The name that the QOS of urgent jobs has by default.
constexpr std::string_view kUrgentQos = "urgent";

/// How urgent jobs come to nodes. From kFirst on they stand in front of all others in the queue.
enum class UrgentBy : std::uint8_t {
    kWait,        ///< as all others
    kFirst,       ///< they wait in front
    kShare,       ///< beside running jobs where they cannot start alone, else they wait in front
    kPreempt,     ///< running jobs that came last end and wait again
    kShareFirst,  ///< kShare, and kPreempt where no running jobs can make room
};

/// Makes EASY with urgent jobs: those of the QOS in rules.sharing.limits.urgent. They share by consider(), with mates
/// that are not urgent. A job is preempted only where that lets an urgent one start now, and waits again where it was
/// in the queue. An urgent job, one that shares nodes or did, and a program that iterates are not preempted. Machines
/// of one class of nodes. Cost of a pass: the waiting jobs while nodes are free, and the running ones for each urgent
/// job.
std::unique_ptr<Scheduler> urgent(UrgentBy by, const SlowdownRules& rules);

}  // namespace drom::policy
