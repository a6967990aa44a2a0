// SPDX-License-Identifier: BSD-3-Clause
// table.hpp - an administrator's open table.
#pragma once

#include <atomic>

#include "base/process_identity.hpp"
#include "options.hpp"
#include "plan.hpp"
#include "shmem/descendants.hpp"
#include "shmem/slots.hpp"

namespace drom {

struct Table {
    Table() noexcept = default;
    ~Table();
    Table(const Table&) = delete;
    Table& operator=(const Table&) = delete;

    int open(const char* where, const Options&, drom_error*) noexcept;
    /// Returns DROM_OK, or why nothing can be changed: the table was opened read-only, or was removed.
    int writable(const char* verb, drom_error*) noexcept;
    /// Finds the client with this pid. DROM_E_NOPROC also when the process has ended just now.
    int find(uint32_t pid, const char* verb, User& user, drom_error*) noexcept;

    char path[256] = {};
    Ledger ledger;
    Pages pages;
    KnownProcess confined;              ///< the client that was confined last
    KnownLauncher launcher{true};       ///< the launcher of that client
    Change* changes = nullptr;          ///< one per CPU, for a plan
    Owner::Name* targets = nullptr;     ///< one per CPU, for plans of several masks
    std::atomic<uint64_t> there_ns{0};  ///< when the table was last seen to be in its directory
};

}  // namespace drom
