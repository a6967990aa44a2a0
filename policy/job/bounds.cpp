// SPDX-License-Identifier: BSD-3-Clause
// bounds.cpp - the bounds of limits.
#include "policy/job/bounds.hpp"

#include <algorithm>

namespace drom::policy {

std::optional<Bound> bound_in(const AdvanceReservation& own, Seconds over_run) {
    if (own.flexible || own.end >= kNever - over_run) return std::nullopt;
    return Bound{own.end + over_run, "the end of its reservation " + own.name};
}

std::optional<Bound> bound_before(const AdvanceReservation& other, const NodeSet& nodes, Seconds now) {
    if (other.end <= now || other.nodes.common(nodes).empty()) return std::nullopt;
    return Bound{other.start, "the beginning of reservation " + other.name};
}

std::optional<Bound> bound_by(const Promise& promise, const NodeSet& nodes, Seconds most) {
    if (most >= kNever || promise.nodes.common(nodes).empty()) return std::nullopt;
    const std::string job = "job " + std::to_string(promise.job);
    if (!promise.start) return Bound{-kNever, "the start of " + job + ", which is not planned yet"};
    return Bound{*promise.start + std::max<Seconds>(0, most - promise.moved), "the start that " + job + " is promised"};
}

Seconds move_of(const Promise& promise, const NodeSet& nodes, Seconds end) {
    if (!promise.start || promise.nodes.common(nodes).empty()) return 0;
    return std::max<Seconds>(0, end - *promise.start);
}

NodeSet free_of(const std::vector<Promise>& promises, NodeSet nodes, Seconds most, Seconds end) {
    for (const Promise& promise : promises)
        if (const auto bound = bound_by(promise, nodes, most); bound && bound->until < end) nodes.erase(promise.nodes);
    return nodes;
}

const Bound* passed(const std::vector<Bound>& bounds, Seconds end) {
    const auto found = std::find_if(bounds.begin(), bounds.end(), [end](const Bound& b) { return b.until < end; });
    return found == bounds.end() ? nullptr : &*found;
}

}  // namespace drom::policy
