// SPDX-License-Identifier: BSD-3-Clause
// no_effect.hpp - parameters that were given, and that nothing of a simulation depended on.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "report/digest.hpp"

namespace drom::sim {

/// Returns a sentence for each parameter that has no effect in any of the simulations that have another value of it
/// than their policy's default. Those in `known` are left out: a site's own file may say more than a policy asks.
std::vector<std::string> without_effect(std::span<const Digest> digests, const std::set<std::string>& known);

}  // namespace drom::sim
