// SPDX-License-Identifier: BSD-3-Clause
// events.hpp - the ring of what happened, for `drom watch`, traces and tests.
#pragma once

#include "drom/drom.h"
#include "segment.hpp"

namespace drom {

struct EventFacts {
    uint32_t type;
    uint32_t slot;
    uint32_t cpu = UINT32_MAX;
    uint64_t seq = 0;
    uint32_t value = 0;
    uint32_t pid = 0;
    uint64_t time_ns = 0;  ///< 0: now
};

/// Records one event. About 40 ns; a system call only while somebody watches. Nothing on a read-only ledger.
/// A recorder that dies half way leaves one entry that readers skip.
void record(const Ledger& ledger, const EventFacts& facts) noexcept;

/// Copies up to `capacity` complete events from index `next` on. Returns how many; `next` moves past them and past
/// gaps.
size_t copy_events(const Ledger& ledger, uint64_t& next, drom_event* out, size_t capacity) noexcept;

}  // namespace drom
