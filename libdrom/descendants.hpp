// SPDX-License-Identifier: BSD-3-Clause
// descendants.hpp - a client is a process and its descendants: those that it started, and they, unless they are clients themselves.
//
// Descendants are found by the kernel's lists of children, from the client down. One whose parent has ended is a child of its nearest
// subreaper: where that is the client's launcher (drom run), whatever is below the launcher is the client's.
#pragma once

#include "confine.hpp"
#include "shmem/layout.hpp"
#include "shmem/segment.hpp"

namespace drom {

class ClientTree {
public:
    /// The client in `slot`, which is process `pid`; 0: this process. Its directory is open from here on: if the process is said to live after that,
    /// no other process is moved in its place.
    ClientTree(const Ledger& ledger, uint32_t slot, uint32_t pid) noexcept;
    ~ClientTree();
    ClientTree(const ClientTree&) = delete;
    ClientTree& operator=(const ClientTree&) = delete;

    /// The process itself has ended: what is left is below its launcher.
    void forget_process() noexcept;

    /// confine() for every process of the tree, again until a pass meets no process that might have started another one unseen. A process
    /// that is forked meanwhile has its parent's mask: the parent is moved first, and then asked for its children. No allocation but for trees of
    /// more than 64 processes. About 10 us per process and pass.
    Confined confine(const Origin& origin, const CpuSet& now, uint64_t deadline_ns) noexcept;

    /// How many descendants there are; the first `room` of them in `pids`, parents before their children.
    uint32_t list(int32_t* pids, uint32_t room) noexcept;

private:
    const Ledger& ledger_;
    uint32_t slot_;
    uint32_t pid_;
    int directory_;
    int error_;
};

}  // namespace drom
