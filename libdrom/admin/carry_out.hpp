// SPDX-License-Identifier: BSD-3-Clause
// carry_out.hpp - the frame of every operation that changes a table:
//   1. take the administrator lock;
//   2. complete what a dead administrator left;
//   3. plan (pure);
//   4. carry the plan out word by word, and reconcile;
//   5. give the lock back;
//   6. wait, if asked to, without the lock (wait.hpp).
#pragma once

#include "order_cpus.hpp"
#include "shmem/admin_lock.hpp"
#include "table.hpp"

namespace drom {

/// Holds the administrator lock of a table in which nothing is left half done. Looks for dead clients now and then.
class LockedTable {
public:
    LockedTable(Table& table, const Options& options) noexcept;

private:
    AdminLock lock_;
};

/// The clients whose words a call changed or read, and whether anything changed.
struct Outcome {
    SlotSet touched;
    bool changed = false;
};

/// Plans and applies, again when overtaken; then reconciles. Needs the lock. A death on the way leaves the intent, and
/// the next administrator does the same. With an order, the CPUs are chosen anew each time, from the words as they are
/// then.
int carry_out(Table& table, Intent& what, const Order* order, const char* verb, Outcome& outcome,
              drom_error* error) noexcept;

/// Carries an order about one client out. Needs the lock. Returns DROM_UNCHANGED if the client had those CPUs.
int carry_out(Table& table, const User& user, const Order& order, const Options& options, const char* verb,
              drom_error* error) noexcept;

/// Checks the table's invariants, and completes everything that was left undone. DROM_UNCHANGED: nothing was.
int check_table(Table& table, const Options& options, drom_error* error) noexcept;

}  // namespace drom
