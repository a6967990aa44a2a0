// SPDX-License-Identifier: BSD-3-Clause
// intent.hpp - what the holder of the administrator lock means to do to several owner words.
//
// Each word changes completely or not at all; a plan of several words does not. So it is written down before the first
// word is changed, and cleared after all is reconciled: the administrator that inherits the lock of a dead one carries
// the intent out again, from where it stopped.
#pragma once

#include "segment.hpp"

namespace drom {

struct Intention {
    uint64_t kind;              ///< intent::kMask ... kLast
    uint32_t slot, generation;  ///< kMask, kGive, kTake: whose CPUs
    CpuSet mask;     ///< kMask: all it is to have; kMasks: all that they are to have; otherwise the CPUs that move
    uint64_t flags;  ///< DROM_TAKE, DROM_RETURN, DROM_FAST
    Owner::Name* targets =
        nullptr;  ///< kMasks: who is to have each CPU of `mask`; one for each CPU of the table, the caller's

    [[nodiscard]] Owner::Name who() const noexcept { return {slot, generation & 0xfff}; }
    [[nodiscard]] bool is_about_a_client() const noexcept {
        return kind == intent::kMask || kind == intent::kGive || kind == intent::kTake;
    }
};

/// About 20 ns for up to 64 CPUs. Needs: the administrator lock.
void write_intent(const Ledger& ledger, const Intention& what) noexcept;
void clear_intent(const Ledger& ledger) noexcept;

/// False when there is none, or it was not completely written: then no word had been changed yet. Fills `targets` where
/// they are given.
bool read_intent(const Ledger& ledger, Intention& what) noexcept;

}  // namespace drom
