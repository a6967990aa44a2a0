// SPDX-License-Identifier: BSD-3-Clause
// tables.hpp - an open table, for drom's own calls and for what DLB knows besides.
#pragma once

#include "door.h"
#include "mask.hpp"

namespace drom::dlb {

class Tables {
public:
    Tables() noexcept = default;
    ~Tables() { close(); }
    Tables(const Tables&) = delete;
    Tables& operator=(const Tables&) = delete;

    /// A DROM_* status.
    int open(const char* where, bool create, drom_error* error) noexcept;
    void close() noexcept;
    [[nodiscard]] bool is_open() const noexcept { return view_ != nullptr; }
    [[nodiscard]] drom_table* table() const noexcept { return table_; }
    [[nodiscard]] drom_dlb_view* view() const noexcept { return view_; }

    /// The CPUs that `pid` has once everything posted is done. DROM_E_NOPROC.
    int wanted(int pid, Mask& mask) const noexcept;

private:
    drom_table* table_ = nullptr;
    drom_dlb_view* view_ = nullptr;
};

/// How CPUs are asked for.
struct Wish {
    bool take;     ///< from whoever owns them
    bool lend;     ///< and they go back by themselves
    bool waits;    ///< until everybody concerned has answered
    bool answers;  ///< `pid` itself is one of those
};

/// Asks for exactly `mask` for process `pid`. A DROM_* status; DROM_E_TIMEOUT when it waited in vain.
int ask(const Tables& tables, int pid, const Mask& mask, const Wish& wish, drom_error* error) noexcept;

/// Waits for the answer to what is pending. DROM_OK, DROM_E_TIMEOUT, DROM_E_NOPROC.
int await(const Tables& tables, int pid, uint32_t timeout_ms, drom_error* error) noexcept;

/// How long an administrator waits: DROM_TIMEOUT_MS, else 1000.
uint32_t time_limit_ms() noexcept;

}  // namespace drom::dlb
