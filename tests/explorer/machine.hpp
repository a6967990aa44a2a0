// SPDX-License-Identifier: BSD-3-Clause
// machine.hpp - a node in memory: one table, a few processes, and the kernel's state of them. All of it can be restored
// at once.
#pragma once

#include <cstdint>

#include "client/client_state.hpp"
#include "shmem/layout.hpp"
#include "shmem/segment.hpp"

namespace drom::explorer {

inline constexpr uint32_t kCpus = 4, kSlots = 3, kProcesses = 6, kPages = 8;
inline constexpr uint32_t kFirstPid = 1001;
inline constexpr uint32_t kNoProcess = UINT32_MAX;
inline constexpr size_t kLedgerBytes = 4096;
inline constexpr size_t kPageRoom = 1024;
static_assert(sizeof(Page) <= kPageRoom);

/// The kernel's state. Reading or changing it is a step of its own, as a system call is.
struct Kernel {
    Word alive[kProcesses];
    Word affinity[kProcesses];  ///< of the only thread that a process has here
    Word page_names[kPages];    ///< {slot + 1, generation} of each page's file; 0: none, or removed
    Word first_affinity[kProcesses];
    Word pages_made;  ///< the memory of a file is never reused for another
};

/// The memory that a process has besides its stack and heap: the client's state, and its identity.
struct PrivateMemory {
    alignas(client::State) unsigned char client[sizeof(client::State)];
    alignas(client::Hot) unsigned char hot[sizeof(client::Hot)];
    uint64_t identity[6];
    bool threads_listed;
};

struct Memory {
    // --- shared: the scheduler sees every access ---
    alignas(64) unsigned char ledger[kLedgerBytes];
    alignas(64) unsigned char pages[kPages][kPageRoom];
    alignas(64) Kernel kernel;
    // --- the processes' own ---
    alignas(64) unsigned char heap[24 * 1024];
    size_t heap_used;
    size_t large_used;  ///< of the heap for large pieces, whose contents no schedule finds again
    uint64_t clock_ns;
    PrivateMemory processes[kProcesses];
};
inline constexpr size_t kSharedBytes = offsetof(Memory, heap);

extern Memory memory;

/// Starts the processes in their initial state, with a new table; none lives. In a node table only processes that may
/// write do so.
void start_machine(bool node);
void let_write(uint32_t process);
bool may_write(uint32_t process);
/// Makes the present memory the state that restore_machine() restores.
void keep_machine();
void restore_machine();

/// Makes the calling code that process; kNoProcess: the test itself.
void enter(uint32_t process);
uint32_t entered();
inline uint32_t pid_of(uint32_t process) { return kFirstPid + process; }

void start_process(uint32_t process, uint64_t affinity);

/// Returns a view of the table, as any process that opened it has.
Ledger ledger_view();

/// Returns false for words that only messages depend on: names, times, the ring of events.
bool is_watched(size_t offset);
/// Returns a name for traces: "owner 2", "slot 0 state".
const char* name_of_offset(size_t offset, char (&text)[64]);

[[noreturn]] void give_up(const char* what, const char* why);

}  // namespace drom::explorer
