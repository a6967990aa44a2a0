// SPDX-License-Identifier: BSD-3-Clause
// tables.hpp - an open table, for drom's own calls and for the facts that DLB keeps besides.
#pragma once

#include "mask.hpp"
#include "private.h"

namespace drom::dlb {

class Tables {
public:
    Tables() noexcept = default;
    ~Tables() { close(); }
    Tables(const Tables&) = delete;
    Tables& operator=(const Tables&) = delete;

    /// Returns a DROM_* status.
    int open(const char* where, bool create, drom_error* error) noexcept;
    void close() noexcept;
    [[nodiscard]] bool is_open() const noexcept { return view_ != nullptr; }
    [[nodiscard]] drom_table* table() const noexcept { return table_; }
    [[nodiscard]] drom_dlb_view* view() const noexcept { return view_; }

    /// Returns the CPUs that `pid` has once everything posted is done. DROM_E_NOPROC.
    int wanted(int pid, CpuSet& mask) const noexcept;

private:
    drom_table* table_ = nullptr;
    drom_dlb_view* view_ = nullptr;
};

/// A way to ask for CPUs.
struct Order {
    bool take;     ///< from their owners
    bool lend;     ///< the CPUs go back by themselves
    bool waits;    ///< until all clients concerned have answered
    bool answers;  ///< `pid` itself is one of them
};

/// Asks for exactly `mask` for process `pid`. Returns a DROM_* status; DROM_E_TIMEOUT when it waited in vain.
int ask(const Tables& tables, int pid, const CpuSet& mask, const Order& order, drom_error* error) noexcept;

/// Waits until the pending request is answered. Returns DROM_OK, DROM_E_TIMEOUT, DROM_E_NOPROC.
int await(const Tables& tables, int pid, uint32_t timeout_ms, drom_error* error) noexcept;

/// Returns how long an administrator waits: DROM_TIMEOUT_MS, else 1000.
uint32_t time_limit_ms() noexcept;

}  // namespace drom::dlb
