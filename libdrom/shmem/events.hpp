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

/// Records one event. About 40 ns; makes a system call only while a process waits for events. Does nothing on a
/// read-only ledger. A recorder that dies half-way leaves one entry that readers skip.
void record(const Ledger& ledger, const EventFacts& facts) noexcept;

/// Copies up to `capacity` complete events from index `next` on, and moves `next` past them and past gaps. Returns
/// their number.
size_t copy_events(const Ledger& ledger, uint64_t& next, drom_event* out, size_t capacity) noexcept;

}  // namespace drom
