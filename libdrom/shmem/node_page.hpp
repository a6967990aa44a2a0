// SPDX-License-Identifier: BSD-3-Clause
// node_page.hpp - a job's page in root's table.
//
// A process that may write a file may cut it, which kills readers of its mapping. Or it may let it grow until root's
// file system is full. So the page is no file but a System V segment, whose size never changes. Its key is in the slot,
// where only root writes.
#pragma once

#include "drom/drom.h"
#include "layout.hpp"

namespace drom {

/// Makes the page of the slot's user `generation`, a process of `uid`. Returns nullptr with a sentence on failure.
Page* create_node_page(Slot&, uint32_t slot, uint32_t generation, uint32_t uid, drom_error*) noexcept;

/// Returns nullptr when the job has removed the page, or when the segment with its key was not made by `root`, the
/// table's owner.
Page* open_node_page(const Slot&, uint32_t generation, uint32_t root) noexcept;

void remove_node_page(Slot&, uint32_t generation, uint32_t root) noexcept;

/// Removes the pages of this user's tables that no process has attached, and whose client and launcher have ended.
/// Returns their number. The keys of tables that were removed with clients in them are lost, and the kernel has room
/// for 4,096 segments in all.
///
/// The pages cannot be marked for removal from the beginning. Between the reservation and the join no process has the
/// page attached, nor while a job's script turns into its program (exec). The kernel would destroy the page then.
uint32_t remove_left_pages() noexcept;

}  // namespace drom
