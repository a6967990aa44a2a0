// SPDX-License-Identifier: BSD-3-Clause
// stepper.hpp - stops this process after every store that changes a table, without a debugger.
//
// A killed process leaves a prefix of its stores, in the order of its instructions. So there are only as many crash
// states as instructions that store to the table. All shared file mappings are kept read-only. Each store is then
// stepped:
//   1. The store faults.
//   2. The handler makes the mappings writable and sets the trap flag.
//   3. The instruction runs.
//   4. The trap handler records the present table.
// Creating and removing files makes states as well, so these calls are wrapped (--wrap, see CMakeLists.txt).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "shmem/layout.hpp"

namespace drom::crash {

inline constexpr uint32_t kCpus = 8;
inline constexpr uint32_t kSlots = 5;
inline constexpr size_t kLedgerBytes = 4096;  ///< more than [0, events_at) of a table of that size
inline constexpr size_t kPageBytes = offsetof(Page, why);
inline constexpr uint32_t kPages = 10;

/// A table as a killed process leaves it, without its events.
struct Snapshot {
    char ledger[kLedgerBytes];
    struct File {
        uint32_t used, slot, generation, pad;
        char bytes[kPageBytes];
    } pages[kPages];
};

/// Memory that outlives the stepped process.
struct Recording {
    uint32_t count, lost;
    uint64_t stores;
    Snapshot snapshots[3000];
};
Recording* make_recording();

/// Reads the present table in `directory`.
void take_snapshot(const std::string& directory, Snapshot& out);

/// Starts recording: every state of the table in `directory` until stop_stepping() goes into `recording`, the first
/// included.
void start_stepping(const std::string& directory, Recording* recording);
void stop_stepping();

/// Returns false on machines whose trap flag this file does not know.
bool can_step();

}  // namespace drom::crash
