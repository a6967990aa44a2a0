// SPDX-License-Identifier: BSD-3-Clause
// reconcile.hpp - from the owner words to everything else.
//
// The owner words are the only truth. reconcile() brings the rest in line with them: it hands over what has been
// released, takes away what belongs to the dead, and posts to each client the mask that its words spell. It may be
// killed anywhere and run again by anybody: recovery is nothing but reconcile().
#pragma once

#include "ledger.hpp"
#include "mailbox.hpp"

namespace drom {

/// Returns true when anything was changed. `touched`: clients to post to besides those found on the way.
/// Cost: one pass over the owner words (1 ns each) plus about 100 ns a request posted.
bool reconcile(const Ledger& ledger, Pages& pages, SlotSet touched) noexcept;
/// The same for every client: after somebody died in the middle.
bool reconcile_all(const Ledger& ledger, Pages& pages) noexcept;

}  // namespace drom
