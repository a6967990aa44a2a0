// SPDX-License-Identifier: BSD-3-Clause
// reconcile.hpp - derives everything else from the owner words.
//
// The owner words are the only truth, and reconcile() brings the rest in line with them. It hands released CPUs over,
// takes CPUs from dead clients, and posts to each client the mask that its words spell. It may be killed anywhere and
// run again by any administrator: recovery is nothing but reconcile().
#pragma once

#include "ledger.hpp"
#include "mailbox.hpp"

namespace drom {

/// Returns whether anything changed. `touched`: clients to post to besides those found on the way. Cost: one pass over
/// the owner words (1 ns each) and about 100 ns per posted request.
bool reconcile(const Ledger& ledger, Pages& pages, SlotSet touched) noexcept;
/// Does the same for every client, after a process died half-way.
bool reconcile_all(const Ledger& ledger, Pages& pages) noexcept;

}  // namespace drom
