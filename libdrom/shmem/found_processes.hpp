// SPDX-License-Identifier: BSD-3-Clause
// found_processes.hpp - the processes of a client that a pass over its tree has found, and the proof that none is left
// outside.
#pragma once

#include <cstdint>

#include "base/short_list.hpp"

namespace drom {

/// One process of a pass.
///
/// A release is a promise: from now on no thread of the tree may run outside the new mask, nor any that the tree will
/// start. A walk proves it in passes, because processes come and go meanwhile.
///
/// A child copies the mask of its parent's thread when the fork begins, and is listed when the fork ends. So a process
/// is *settled* when all its threads are inside the new mask, and no fork is under way that began with another mask.
/// Then each process that it will start is inside, and so is everything below that. Two proofs are accepted:
///   1. The first look finds every thread inside, and no mover can have moved it since the last release (moves.hpp).
///      Nor had it another mask since that release, so no fork under way has one.
///   2. It was moved, and then each thread that was awake has left the fork in which it may have been (forks.hpp).
///
/// A settled process is *closed* when after that its children were listed completely, and each was looked at. A child
/// that is listed later was started by a settled process: it is *bred*. A bred process needs no proof.
///
/// A process may be outside that was started by one that was not settled. It is listed below that parent. When the
/// parent ends, it is listed below another process, whose list may have been read before. So a pass is *incomplete*
/// when it has listed a process that has ended, or that ends before its children are listed. A bred or closed process
/// is left out of that. The kernel may also skip a child in its list, when the one before it ends. The one that ended
/// is then missed.
///
/// A pass that settles a process by proof 2 is incomplete, too. The child of the fork that is over may have ended
/// before that process was asked for its children. A daemon that the child started is then listed below another
/// process, which may have been asked before. When the next pass begins, either the child is below its parent, or the
/// daemon is below the process that has adopted it.
///
/// The last pass is complete, and finds every process settled since before it began. Suppose that a process outside
/// were left. Its parent at the fork was outside then, and so was the parent's parent, up to one that the pass has met
/// or missed. If it was met, it is settled, so all that it started later is inside. All that it had started before was
/// listed, or was below a process that had ended. If one of these was missed, the pass is incomplete.
///
/// A process that was moved and is not settled stays in the list, wherever its parent is, until it is settled or ends.
struct Found {
    uint32_t pid;
    uint32_t parent;
    uint64_t start = 0;  ///< as /proc says; 0: not read yet
    uint64_t began = 0;  ///< the machine's tick of the same; 0: not known
    uint32_t pass = 0;   ///< the first pass that found it, from 1
    bool bred = false;   ///< its parent was closed before it was listed
    bool ended = false;  ///< a zombie without another thread
    bool settled = false;
    bool listed = true;  ///< each of its children was looked at

    [[nodiscard]] bool is_closed() const noexcept { return settled && listed; }
};

/// The processes of a pass, by number.
class FoundList : public ShortList<Found, 16> {
public:
    Found* find(uint32_t pid) noexcept {
        for (uint32_t i = 0; i < count(); ++i)
            if ((*this)[i].pid == pid) return &(*this)[i];
        return nullptr;
    }
};

}  // namespace drom
