// SPDX-License-Identifier: BSD-3-Clause
// shortest_first.hpp - a policy of one's own, see docs/developer/own-policy.md.
#pragma once

#include <algorithm>

#include "policy/registry/registry.hpp"

struct ShortestFirstRules {
    drom::policy::Seconds patience = 24 * 3600;
};

drom::policy::PolicyRow shortest_first_row();
