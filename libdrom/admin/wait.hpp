// SPDX-License-Identifier: BSD-3-Clause
// wait.hpp - an administrator waits until what it asked for is done.
#pragma once

#include "base/run_at_once.hpp"
#include "table.hpp"

namespace drom {

/// An administrator that is going to wait for releases; made before it posts the first request. If it gets a CPU at
/// once, it confines clients from outside at once, unless a grace period was asked for: that takes half the time of a
/// client's own release. The clients' agent threads would compete with it for the CPUs. So they are woken afterwards,
/// to acknowledge and to resize.
class Awaiting {
public:
    Awaiting(Pages& pages, const Options& options) noexcept : pages_(pages), first_(options.waits()) {
        const bool at_once = options.grace_ms == 0 || !options.grace_chosen;
        if (first_.granted() && at_once && !options.has(DROM_NEVER_CONFINE)) pages_.hold_wakes();
    }
    ~Awaiting() { pages_.wake_held(); }
    Awaiting(const Awaiting&) = delete;
    Awaiting& operator=(const Awaiting&) = delete;

private:
    Pages& pages_;
    RunAtOnce first_;
};

/// Waits for the client if the caller asked for it; without a wait flag, says what is pending.
int finish(Table& table, const User& user, const Options& options, const char* verb, drom_error* error) noexcept;

/// Finishes for several clients. Returns the first thing that is missing, after waiting for all of them. They share one
/// deadline; a client that has ended meanwhile has released everything.
int finish_all(Table& table, const SlotSet& slots, const Options& options, const char* verb,
               drom_error* error) noexcept;

/// Returns DROM_PENDING, and says which client has not released its CPUs yet.
int still_pending(Table& table, uint32_t slot, const Options& options, const char* verb, drom_error* error) noexcept;

/// Waits for the request with number `seq`, or for the newest if that is 0.
int wait_for(Table& table, uint32_t pid, uint64_t seq, const Options& options, drom_error* error) noexcept;

}  // namespace drom
