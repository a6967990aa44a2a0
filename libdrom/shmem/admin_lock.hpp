// SPDX-License-Identifier: BSD-3-Clause
// admin_lock.hpp - one administrator changes the table at a time.
//
// The lock is one word in the header: {pid, start time} of its holder. The table stays right even without it. Every
// change of the ledger is a compare-and-swap from the word that it was planned on. Every request is published by a
// compare-and-swap from the sequence number under which its mask was derived. So the lock may be taken from a holder
// that is dead (at once) or stopped (after the deadline).
//
// A stopped holder that continues may mix its old plan with newer ones (docs/developer/protocol.md). The kernel would
// drop a file lock by itself. But such a lock costs more than the whole operation (1-2.5 us), and forked children
// inherit it.
#pragma once

#include "layout.hpp"

namespace drom {

class AdminLock {
public:
    /// Waits for the lock until `deadline_ns`, then takes it anyway.
    AdminLock(Header& header, uint64_t deadline_ns) noexcept;
    ~AdminLock();
    AdminLock(const AdminLock&) = delete;
    AdminLock& operator=(const AdminLock&) = delete;

    /// Returns whether the previous holder did not give the lock back. Its work may be half done and must be reconciled
    /// first.
    [[nodiscard]] bool inherited() const noexcept { return inherited_; }

private:
    Header& header_;
    uint64_t mine_;
    bool inherited_ = false;
};

}  // namespace drom
