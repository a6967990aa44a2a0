// SPDX-License-Identifier: BSD-3-Clause
// intent.hpp - the changes of several owner words that the holder of the administrator lock intends.
//
// Each word changes completely or not at all; a plan of several words does not. So the intent is written before the
// first word changes, and cleared after everything is reconciled. The next administrator after a dead one carries the
// intent out again, from where that one stopped.
#pragma once

#include "segment.hpp"

namespace drom {

struct Intent {
    uint64_t kind;              ///< intent::kMask ... kLast
    uint32_t slot, generation;  ///< kMask, kAdd, kRemove: the client
    CpuSet mask;     ///< kMask: the client's whole new mask; kMasks: that of all targets together; otherwise the CPUs
                     ///< that move
    uint64_t flags;  ///< DROM_TAKE, DROM_RETURN, DROM_FAST
    Owner::Name* targets = nullptr;  ///< kMasks: the new owner of each CPU of `mask`; an array of the caller, one
                                     ///< element per CPU of the table

    [[nodiscard]] Owner::Name client() const noexcept { return {slot, generation & 0xfff}; }
    [[nodiscard]] bool is_about_a_client() const noexcept {
        return kind == intent::kMask || kind == intent::kAdd || kind == intent::kRemove;
    }
};

/// Writes the intent. About 20 ns for up to 64 CPUs. Needs the administrator lock.
void write_intent(const Ledger& ledger, const Intent& what) noexcept;
void clear_intent(const Ledger& ledger) noexcept;

/// Reads the intent, and fills `targets` where they are given. Returns false when there is none, or when it was not
/// completely written: then no word had changed yet.
bool read_intent(const Ledger& ledger, Intent& what) noexcept;

}  // namespace drom
