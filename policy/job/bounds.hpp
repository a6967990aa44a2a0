// SPDX-License-Identifier: BSD-3-Clause
// bounds.hpp - until when the limit of a job may reach that is to share: reservations end it, or begin on its nodes,
// and other jobs were promised a start there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policy/job/job.hpp"

namespace drom::policy {

/// A moment that a job's limit must not pass.
struct Bound {
    Seconds until = kNever;
    std::string what;  ///< the rest of a sentence: "the end of its reservation maint"
};

/// A reservation in advance, as a resource manager shows it.
struct AdvanceReservation {
    std::string name;
    Seconds start = 0, end = 0;
    NodeSet nodes;
    bool flexible = false;  ///< its jobs may run before it begins and after it has ended
};

/// A start that the resource manager has promised to a job that waits.
struct Promise {
    JobId job = 0;
    std::optional<Seconds> start;  ///< nothing: what it has been promised is not known
    NodeSet nodes;                 ///< on these
    Seconds moved = 0;             ///< at most so much of its wait is due to sharing already
};

/// Returns how the reservation bounds a job that runs in it, and is ended `over_run` seconds after it; nothing: not at
/// all.
std::optional<Bound> bound_in(const AdvanceReservation& own, Seconds over_run);
/// Returns how a reservation of other jobs bounds a job on `nodes`; nothing: it is on other nodes, or was over `now`.
std::optional<Bound> bound_before(const AdvanceReservation& other, const NodeSet& nodes, Seconds now);

/// Returns how the promise bounds jobs on `nodes`, where sharing may move its start by `most` in all; nothing: it is on
/// other nodes, or may be moved for ever. No job may stay on nodes of a promise that is not known.
std::optional<Bound> bound_by(const Promise& promise, const NodeSet& nodes, Seconds most);
/// Returns by how much the promised start moves if the nodes are taken until `end`.
Seconds move_of(const Promise& promise, const NodeSet& nodes, Seconds end);
/// Returns `nodes` without those of promises that no job may keep until `end`.
NodeSet free_of(const std::vector<Promise>& promises, NodeSet nodes, Seconds most, Seconds end);

/// Returns the first of the bounds that a limit up to `end` passes; null: none.
const Bound* passed(const std::vector<Bound>& bounds, Seconds end);

}  // namespace drom::policy
