// SPDX-License-Identifier: BSD-3-Clause
// moves.hpp - movers tell one another when they move the processes of a client. Movers are administrators, and the
// client itself.
//
// A mover announces its moves of a process after it has found the process, and before the first of them. Hence a
// process that was born after the newest announcement has been moved by no announced mover.
#pragma once

#include "layout.hpp"
#include "segment.hpp"

namespace drom {

/// The announcements of a client's other movers since its last release, as one mover sees them. An attempt that did not
/// end in a release counts as another mover's, also this process's own. One thread at a time.
class Moves {
public:
    /// Makes those of an administrator, before it notes that it has begun. `page`: the client's; may be null.
    /// `released`: the number of the client's last release.
    Moves(const Ledger& ledger, uint32_t slot, const Page* page, uint64_t released) noexcept;
    /// Makes those of the client itself, and notes that it begins to carry out request `seq`.
    Moves(const Ledger& ledger, uint32_t slot, Page& page, uint64_t released, uint64_t seq) noexcept;

    void announce() noexcept;

    /// Returns whether another mover may have moved the process that began at this tick of the machine; 0: at any time.
    [[nodiscard]] bool may_include(uint64_t start) noexcept;

private:
    Moves(Word& own, const Word* other) noexcept;
    void see(uint64_t announced, uint64_t& last) noexcept;
    void see_attempts(const Ledger& ledger, uint32_t slot, const Page* page, uint64_t released) noexcept;

    Word& own_;
    const Word* other_;
    uint64_t own_last_, other_last_;
    uint64_t until_ = 0;  ///< tick of the others' newest announcement; 0: there is none
};

}  // namespace drom
