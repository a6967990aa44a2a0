// SPDX-License-Identifier: BSD-3-Clause
// idle_policy.hpp - settings under which a policy can never do what it is for, or that it changed, and jobs that it
// never starts.
#pragma once

#include <optional>
#include <string>

#include "report/digest.hpp"

namespace drom::sim {

/// Returns the reason why no job can start on nodes of others, or change its size, or choose among partitions, as a
/// sentence. Nothing: jobs can, or the policy does no such thing.
std::optional<std::string> why_idle(const Setting& setting);

/// Says that a policy for urgent jobs has met none, as a sentence. Nothing: it has, or the policy is for no such jobs.
std::optional<std::string> without_urgent_jobs(const Digest& digest);

/// Says that equipartition has kept sizes for longer than it was told, as a sentence. Nothing: it has not.
std::optional<std::string> raised_gap(const Digest& digest);

/// Says how many jobs the policy had still not started when nothing more could happen, and why, as a sentence. Nothing:
/// none, or the simulation was stopped.
std::optional<std::string> never_started(const Digest& digest);

}  // namespace drom::sim
