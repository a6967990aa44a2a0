// SPDX-License-Identifier: BSD-3-Clause
// bounds.cpp - the bounds of limits.
#include "policy/bounds.hpp"

#include <algorithm>

namespace drom::policy {

std::optional<Bound> bound_in(const Reservation& own, Seconds over_run) {
    if (own.flexible || own.end >= kNever - over_run) return std::nullopt;
    return Bound{own.end + over_run, "the end of its reservation " + own.name};
}

std::optional<Bound> bound_before(const Reservation& other, const NodeSet& nodes, Seconds now) {
    if (other.end <= now || other.nodes.common(nodes).empty()) return std::nullopt;
    return Bound{other.start, "the beginning of reservation " + other.name};
}

const Bound* passed(const std::vector<Bound>& bounds, Seconds end) {
    const auto found = std::find_if(bounds.begin(), bounds.end(), [end](const Bound& b) { return b.until < end; });
    return found == bounds.end() ? nullptr : &*found;
}

}  // namespace drom::policy
