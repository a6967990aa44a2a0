// SPDX-License-Identifier: BSD-3-Clause
// elsewhere.hpp - clients of other pid namespaces (containers) that have ended.
//
// The pids of such clients mean nothing here. The machine's own pid namespace, however, shows the processes of every
// other namespace, with each number that a process has. A client that is not among them has ended. In doubt, as where
// /proc hides processes, no client is taken for ended.
#pragma once

#include "mailbox.hpp"
#include "slots.hpp"

namespace drom {

class Elsewhere {
public:
    Elsewhere(const Ledger& ledger, const char* table) noexcept : ledger_(ledger), table_(table) {}

    /// Notes the client if it or its launcher is of another namespace, and neither is known to live. `seen`: the slot's
    /// state as it was read before. The answer holds for that state alone.
    void add(uint32_t slot, uint64_t seen) noexcept;

    /// Calls `ended(slot, seen)` for each noted client that has ended with its launcher, and of which no process
    /// carries the reservation. Asks about every process of the machine (15 us each), at most once per second in this
    /// process. Does not ask while the processes that were found the last time still live.
    template <class Ended>
    void each_ended(Ended&& ended) noexcept {
        if (!any_ || !look()) return;
        asked_.each([&](uint32_t slot) {
            if (!living_.has(slot)) ended(slot, seen_[slot]);
        });
    }

private:
    bool look() noexcept;
    bool look_where_they_were(int proc) noexcept;
    bool look_through(int proc) noexcept;
    bool all_live() const noexcept;
    bool note(int proc, uint32_t pid) noexcept;
    bool note_number(uint32_t pid, uint32_t number) noexcept;
    void note_reservation(uint32_t pid, bool is_below) noexcept;

    const Ledger& ledger_;
    const char* table_;
    SlotSet asked_;
    SlotSet living_;
    bool any_ = false;
    uint64_t seen_[kMaxClients];
};

}  // namespace drom
