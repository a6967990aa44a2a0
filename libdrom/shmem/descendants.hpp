// SPDX-License-Identifier: BSD-3-Clause
// descendants.hpp - a client is a process and its descendants: those that it started, and they, unless they are clients
// themselves.
//
// Descendants are found by the kernel's lists of children, from the client down. One whose parent has ended is a child
// of its nearest subreaper: where that is the client's launcher (drom run), whatever is below the launcher is the
// client's. When the launcher has ended too, the descendants are the processes that carry the reservation in their
// environment (claims.hpp), and what is below them.
//
// The owner of the CPUs when processes end, in this order; each step is taken by the first process that notices the end
// of the step before:
//   1. the client's process, while it lives;
//   2. after it, while the launcher lives, whichever program joins next: the launcher says when nothing more will come;
//   3. after both, the first of the descendants that are left. It is the client's process from here on, and this step
//   is repeated;
//   4. none: no descendant is left, and the slot is retired.
#pragma once

#include "base/confine.hpp"
#include "base/identity.hpp"
#include "layout.hpp"
#include "segment.hpp"

namespace drom {

class ClientTree {
public:
    /// The client in `slot`, which is process `pid`; 0: this process. Its directory is open from here on: if the
    /// process is said to live after that, no other process is moved in its place. `table`: where the ledger is.
    ClientTree(const Ledger& ledger, const char* table, uint32_t slot, uint32_t pid) noexcept;
    ~ClientTree();
    ClientTree(const ClientTree&) = delete;
    ClientTree& operator=(const ClientTree&) = delete;

    /// The process itself has ended: what is left is below its launcher, or carries its reservation.
    void forget_process() noexcept;

    /// confine() for every process of the tree, again until a pass meets no process that might have started another one
    /// unseen. A process that is forked meanwhile has its parent's mask: the parent is moved first, and then asked for
    /// its children. No allocation but for trees of more than 64 processes. About 10 us per process and pass.
    Confined confine(const Origin& origin, const CpuSet& now, uint64_t deadline_ns) noexcept;

    /// How many descendants there are; the first `room` of them in `pids`, parents before their children.
    uint32_t list(int32_t* pids, uint32_t room) noexcept;

private:
    const Ledger& ledger_;
    const char* table_;
    uint32_t slot_;
    uint32_t pid_;
    int directory_;
    int error_;
};

/// Whether every thread of the client and of its descendants stays on CPUs of `mask`. False also where that cannot be
/// seen; true for a client of another pid namespace, which can only be believed. One pass, nothing is moved. About 10
/// us per process.
bool is_within(const Ledger& ledger, const char* table, uint32_t slot, const CpuSet& mask) noexcept;

/// Of a client of drom run whose own process has ended: how many descendants are left, and the first of them. 0: none.
uint32_t find_left(const Ledger& ledger, const char* table, uint32_t slot, Who& first) noexcept;

/// Step 3 for a client that is abandoned. False: none is left. A crash in between leaves a mixture of two processes,
/// which the next look takes for dead, and passes on again.
bool pass_on(const Ledger& ledger, const char* table, uint32_t slot) noexcept;

}  // namespace drom
