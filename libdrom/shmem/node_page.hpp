// SPDX-License-Identifier: BSD-3-Clause
// node_page.hpp - a job's page in root's table.
//
// A process that may write a file may cut it, which kills those that read it through a mapping, and let it grow until
// root's file system is full. So the page is no file but a System V segment, whose size is the same for good. Its key
// is in the slot, where only root writes.
#pragma once

#include "drom/drom.h"
#include "layout.hpp"

namespace drom {

/// For the slot's user `generation`, which is a process of `uid`. nullptr with a sentence on failure.
Page* create_node_page(Slot&, uint32_t slot, uint32_t generation, uint32_t uid, drom_error*) noexcept;

/// nullptr when its job has removed it, or when what has its key now was not made by `root`, who owns the table.
Page* open_node_page(const Slot&, uint32_t generation, uint32_t root) noexcept;

void remove_node_page(Slot&, uint32_t generation, uint32_t root) noexcept;

/// Of tables that were removed with clients in them nobody knows the keys any more, and the kernel has room for 4,096
/// segments in all: removes the pages of this user's tables that no process has, and whose client and launcher have
/// ended. Returns how many. They cannot be marked for removal from the beginning: between the reservation and the join,
/// and while a job's script turns into its program (exec), no process has the page attached, and the kernel would
/// destroy it then.
uint32_t remove_left_pages() noexcept;

}  // namespace drom
