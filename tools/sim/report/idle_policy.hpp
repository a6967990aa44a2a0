// SPDX-License-Identifier: BSD-3-Clause
// idle_policy.hpp - settings under which a policy that shares nodes can never do so.
#pragma once

#include <optional>
#include <string>

#include "engine/outcome.hpp"

namespace drom::sim {

/// Returns the reason why no job can start on nodes of others, as a sentence. Nothing: jobs can, or the policy does not
/// share.
std::optional<std::string> why_nothing_is_shared(const Setting& setting);

}  // namespace drom::sim
