// SPDX-License-Identifier: BSD-3-Clause
// process_identity.hpp - the identity of a process, and whether it still lives.
//
// An identity is pid + start time + pid namespace. A zombie without another thread is dead; EPERM means alive. A
// process of another pid namespace cannot be judged from here and is never reaped by pid.
#pragma once

#include <cstdint>

#include "process_stat.hpp"

namespace drom {

struct ProcessIdentity {
    uint32_t pid;
    uint64_t start;  ///< clock ticks since the machine's boot, in every time namespace
    uint64_t pidns;  ///< inode of the pid namespace
    friend constexpr bool operator==(const ProcessIdentity&, const ProcessIdentity&) noexcept = default;
};

enum class Liveness : uint8_t { kAlive, kDead, kUnknown };

/// Returns this process. Reads /proc once per process (again after fork). `start` or `pidns` is 0 while it cannot be
/// read. Then it must not be recorded in a table: no other process could find out whether this one lives.
ProcessIdentity self() noexcept;

/// Returns the machine's clock ticks since boot.
uint64_t ticks_since_boot() noexcept;
/// Returns the machine's tick at which the process with this line of /proc began, or the one after it; 0: not known.
uint64_t start_of(const ProcessStat& stat) noexcept;

/// Returns whether both are one process, noted from two time namespaces. Each may shift the clock by part of a tick, so
/// the start times may differ a little.
bool is_same(const ProcessIdentity& a, const ProcessIdentity& b) noexcept;

/// Finds the process `pid` of this namespace. Returns false when it does not exist or is a zombie.
bool identify(uint32_t pid, ProcessIdentity& identity) noexcept;
/// Does the same. Returns 0, ESRCH when it does not exist or is a zombie, or the error that prevents an answer.
int find_process(uint32_t pid, ProcessIdentity& identity) noexcept;

/// Returns whether this process's first thread has ended, by pthread_exit, while others go on. `threads`: the number of
/// threads, including that one. About 10 us.
bool first_thread_has_ended(uint64_t& threads) noexcept;

/// Returns whether no process of this namespace has the number, or only one that has ended. False when it is not known.
bool is_no_process(uint32_t pid) noexcept;

/// Returns whether the process lives. About 8 us for a living process, 0.5 us for a missing one.
Liveness liveness(const ProcessIdentity& identity) noexcept;

/// Returns the same from the line of /proc about the process that has the number now, without a system call.
Liveness liveness(const ProcessIdentity& identity, const ProcessStat& stat) noexcept;

/// A process that liveness() once found alive, held by a descriptor of the kernel, which never passes to another
/// process. The next answer costs a system call of 0.3 us. One thread at a time.
class KnownProcess {
public:
    KnownProcess() noexcept = default;
    ~KnownProcess() { forget(); }
    KnownProcess(const KnownProcess&) = delete;
    KnownProcess& operator=(const KnownProcess&) = delete;

    /// Returns as drom::liveness, but a zombie that was alive the last time may still be called alive.
    Liveness liveness(const ProcessIdentity& identity) noexcept;

private:
    void forget() noexcept;
    ProcessIdentity identity_{};
    int descriptor_ = -1;
};

/// Packs {pid:22, start:42}: exact, because pid_max is 2^22 and 2^42 ticks are 1,400 years.
uint64_t packed(const ProcessIdentity& identity) noexcept;
ProcessIdentity unpacked(uint64_t bits) noexcept;

/// Returns the effective user of a process; UINT32_MAX when unknown.
uint32_t uid_of(uint32_t pid) noexcept;

/// Reads a hash of the kernel's boot id; 0 where there is none. Returns false when it cannot be read now.
bool read_boot_id(uint64_t& id) noexcept;

}  // namespace drom
