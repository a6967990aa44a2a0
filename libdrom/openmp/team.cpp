// SPDX-License-Identifier: BSD-3-Clause
// team.cpp - the words of the team that is resized.
#include "team.hpp"

namespace drom::safe_point {

constinit Team team{};
constinit std::atomic<bool> busy{false};

}  // namespace drom::safe_point
