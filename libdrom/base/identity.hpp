// SPDX-License-Identifier: BSD-3-Clause
// identity.hpp - who a process is, and whether it still lives.
//
// pid + start time + pid namespace. A zombie without another thread is dead; EPERM means alive; a process of another
// pid namespace cannot be judged from here and is never reaped by pid.
#pragma once

#include <cstdint>

namespace drom {

struct Who {
    uint32_t pid;
    uint64_t start;  ///< clock ticks since the machine's boot, whatever time namespace the process is in
    uint64_t pidns;  ///< inode of the pid namespace
    friend constexpr bool operator==(const Who&, const Who&) noexcept = default;
};

enum class Verdict : uint8_t { kAlive, kDead, kUnknown };

/// This process. Reads /proc once a process (again after fork). `start` or `pidns` is 0 while it cannot be read: then
/// nobody could tell whether this process lives, and it must not be written into a table.
Who self() noexcept;

/// One process, noted from two time namespaces: each may shift the clock by part of a tick, so that the start times
/// differ a little.
bool is_same(const Who& a, const Who& b) noexcept;

/// The process `pid` of this namespace. False when it does not exist or is a zombie.
bool who_is(uint32_t pid, Who& who) noexcept;
/// The same; 0, ESRCH when it does not exist or is a zombie, or why that cannot be told.
int find_process(uint32_t pid, Who& who) noexcept;

/// This process's first thread has ended, by pthread_exit, and others go on. `threads`: how many there are, that one
/// counted. About 10 us.
bool first_thread_has_ended(uint64_t& threads) noexcept;

/// No process of this namespace has the number, or one that has ended. False when that cannot be told.
bool is_nobody(uint32_t pid) noexcept;

/// About 8 us for a live process, 0.5 us for a missing one.
Verdict verdict(const Who& who) noexcept;

/// A process that verdict() found alive once, held by one of the kernel's descriptors, which never passes to another
/// process: whether it still lives costs a system call of 0.3 us then. One thread at a time.
class KnownProcess {
public:
    KnownProcess() noexcept = default;
    ~KnownProcess() { forget(); }
    KnownProcess(const KnownProcess&) = delete;
    KnownProcess& operator=(const KnownProcess&) = delete;

    /// As drom::verdict, but a zombie that was alive the last time may still be called alive.
    Verdict verdict(const Who& who) noexcept;

private:
    void forget() noexcept;
    Who who_{};
    int descriptor_ = -1;
};

/// {pid:22, start:42}: exact, because pid_max is 2^22 and 2^42 ticks are 1,400 years.
uint64_t packed(const Who& who) noexcept;
Who unpacked(uint64_t bits) noexcept;

/// Effective user of a process; UINT32_MAX when unknown.
uint32_t uid_of(uint32_t pid) noexcept;

/// A hash of the kernel's boot id; 0 where there is none. False when it cannot be read now.
bool read_boot_id(uint64_t& id) noexcept;

}  // namespace drom
