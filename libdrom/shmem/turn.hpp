// SPDX-License-Identifier: BSD-3-Clause
// turn.hpp - administrators take turns.
//
// The turn is one word in the header: {pid, start time} of who holds it. It protects tidiness, not correctness: every
// change of the ledger is a compare-and-swap from the word it was planned on, and every request is published by a
// compare-and-swap from the sequence number its mask was derived under. So a turn may be taken from a holder that is
// dead (at once) or stopped (after the deadline), and the table stays right. One that was stopped and goes on may mix what it had
// planned with what was planned since (docs/protocol.md). A kernel file lock would be dropped by the kernel, but costs more
// than the whole operation (1-2.5 us) and is inherited by forked children.
#pragma once

#include "layout.hpp"

namespace drom {

class Turn {
public:
    /// Waits for the turn until `deadline_ns`, then takes it anyway.
    Turn(Header& header, uint64_t deadline_ns) noexcept;
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    /// True when the previous holder did not give the turn back: its work may be half done and must be settled first.
    [[nodiscard]] bool inherited() const noexcept { return inherited_; }

private:
    Header& header_;
    uint64_t mine_;
    bool inherited_ = false;
};

}  // namespace drom
