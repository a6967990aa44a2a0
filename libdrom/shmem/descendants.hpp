// SPDX-License-Identifier: BSD-3-Clause
// descendants.hpp - a client is a process and its descendants: the processes that it started, the processes that those
// started, and so on, except clients of their own.
//
// Descendants are found by the kernel's lists of children, from the client down. A process whose parent has ended
// becomes a child of its nearest subreaper. Where that is the client's launcher (drom run), every process below the
// launcher belongs to the client. When the launcher has ended too, the descendants are the processes that carry the
// reservation in their environment (claims.hpp), and all processes below them.
//
// When processes end, the CPUs pass on in this order. The first process that notices the end of one step takes the
// next:
//   1. the client's process owns them while it lives;
//   2. after it, while the launcher lives, the next program that joins; the launcher says when none will;
//   3. after both, the first descendant that is left becomes the client's process, and this step is repeated;
//   4. when no descendant is left, the slot is retired.
#pragma once

#include "base/confine.hpp"
#include "base/process_identity.hpp"
#include "base/tasks.hpp"
#include "layout.hpp"
#include "moves.hpp"
#include "segment.hpp"

namespace drom {

/// The launcher that was found alive last. Its line in /proc, which takes 6 us, need not be read again to prove that it
/// still lives. One thread at a time.
class KnownLauncher {
public:
    /// Makes one without a launcher. `keeps`: whether it may hold a descriptor, until forget(). In a client all
    /// descriptors are the program's.
    constexpr explicit KnownLauncher(bool keeps) noexcept : keeps_(keeps) {}

    [[nodiscard]] bool is(const ProcessIdentity& launcher) const noexcept;
    /// Returns the descriptor of the launcher's threads, which never passes to another process; -1: none.
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
    void note(const ProcessIdentity& launcher, Tasks& threads) noexcept;
    void forget() noexcept;

private:
    bool keeps_;
    ProcessIdentity identity_{};
    int descriptor_ = -1;
};

class ClientTree {
public:
    /// Opens the directory of the client in `slot`, which is process `pid`; 0: this process. If the process is found
    /// alive after that, no other process is moved in its place. `table`: the path of the table. `known`: of earlier
    /// looks; may be null.
    ClientTree(const Ledger& ledger, const char* table, uint32_t slot, uint32_t pid, KnownLauncher* known) noexcept;

    /// Continues without the client's process, which has ended. The remaining processes are below the launcher, or
    /// carry the reservation.
    void forget_process() noexcept;

    /// Confines every process of the tree, and repeats until it is proved that none is outside `now`, nor will be.
    /// found_processes.hpp has the proof. DROM_E_TIMEOUT when the proof takes longer than `deadline_ns`, or a newer
    /// request is there before it. After 50 ms it does not wait any longer for processes that only lack processor time.
    /// A client without descendants is not proved to be in no fork. Maps memory only for trees of more than
    /// 16 processes. About 10 us per process and pass. A tree that sleeps takes two passes, and one when all of it was
    /// inside before; one whose processes are awake takes until each has run for 2 ms. The calling thread is not waited
    /// for.
    Confined confine(const Origin& origin, const CpuSet& now, uint64_t deadline_ns, Moves& moves) noexcept;

    /// Returns the number of descendants, and writes the first `room` of them to `pids`, parents before their children.
    uint32_t list(int32_t* pids, uint32_t room) noexcept;

private:
    const Ledger& ledger_;
    const char* table_;
    uint32_t slot_;
    uint32_t pid_;
    KnownLauncher* known_;
    Tasks threads_;  ///< the client's
};

/// Returns whether every thread of the client and of its descendants stays on CPUs of `mask`. False also where that
/// cannot be seen; true for a client of another pid namespace, which can only be believed. One pass; moves nothing.
/// About 10 us per process.
bool is_within(const Ledger& ledger, const char* table, uint32_t slot, const CpuSet& mask) noexcept;

/// Returns whether thread `tid` is one of the client's or of a descendant's. Cost as is_within(). Async-signal-safe.
bool is_in_tree(const Ledger& ledger, const char* table, uint32_t slot, uint32_t tid) noexcept;

/// Returns how many descendants are left of a client of drom run whose own process has ended, and the first of them.
uint32_t find_left(const Ledger& ledger, const char* table, uint32_t slot, ProcessIdentity& first) noexcept;

/// Makes the first remaining descendant the process of an abandoned client (step 3). Returns false when none is left. A
/// crash in between leaves a mixture of two processes; the next caller takes it for dead, and passes the client on
/// again.
bool pass_on(const Ledger& ledger, const char* table, uint32_t slot) noexcept;

}  // namespace drom
