// SPDX-License-Identifier: BSD-3-Clause
// bounds.hpp - until when the limit of a job may reach that is to share: reservations end it, or begin on its nodes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policy/job.hpp"

namespace drom::policy {

/// A moment that a job's limit must not pass.
struct Bound {
    Seconds until = kNever;
    std::string what;  ///< the rest of a sentence: "the end of its reservation maint"
};

/// A reservation in advance, as a resource manager shows it.
struct Reservation {
    std::string name;
    Seconds start = 0, end = 0;
    NodeSet nodes;
    bool flexible = false;  ///< its jobs may run before it begins and after it has ended
};

/// Returns how the reservation bounds a job that runs in it, and is ended `over_run` seconds after it; nothing: not at
/// all.
std::optional<Bound> bound_in(const Reservation& own, Seconds over_run);
/// Returns how a reservation of other jobs bounds a job on `nodes`; nothing: it is on other nodes, or was over `now`.
std::optional<Bound> bound_before(const Reservation& other, const NodeSet& nodes, Seconds now);

/// Returns the first of the bounds that a limit up to `end` passes; null: none.
const Bound* passed(const std::vector<Bound>& bounds, Seconds end);

}  // namespace drom::policy
