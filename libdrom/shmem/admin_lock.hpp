// SPDX-License-Identifier: BSD-3-Clause
// admin_lock.hpp - one administrator changes the table at a time.
//
// The lock is one word in the header: {pid, start time} of its holder. It protects tidiness, not correctness: every
// change of the ledger is a compare-and-swap from the word it was planned on, and every request is published by a
// compare-and-swap from the sequence number its mask was derived under. So the lock may be taken from a holder that is
// dead (at once) or stopped (after the deadline), and the table stays right. A stopped holder that goes on may mix what
// it had planned with what was planned since (docs/developer/protocol.md). A kernel file lock would be dropped by the
// kernel, but costs more than the whole operation (1-2.5 us) and is inherited by forked children.
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

    /// Returns whether the previous holder did not give the lock back: its work may be half done and must be reconciled
    /// first.
    [[nodiscard]] bool inherited() const noexcept { return inherited_; }

private:
    Header& header_;
    uint64_t mine_;
    bool inherited_ = false;
};

}  // namespace drom
