// SPDX-License-Identifier: BSD-3-Clause
// idle_policy.hpp - settings under which a policy can never do what it is for.
#pragma once

#include <optional>
#include <string>

#include "engine/outcome.hpp"

namespace drom::sim {

/// Returns the reason why no job can start on nodes of others, or change its size, or choose among partitions, as a
/// sentence. Nothing: jobs can, or the policy does no such thing.
std::optional<std::string> why_idle(const Setting& setting);

}  // namespace drom::sim
