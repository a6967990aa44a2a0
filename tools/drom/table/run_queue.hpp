// SPDX-License-Identifier: BSD-3-Clause
// run_queue.hpp - the order in which `drom run --queue` starts programs in a table.
//
// The table's folder has a file `queue` with one record per place. A process holds its place by a lock of the kernel on
// the record's first byte (F_OFD_SETLK). The kernel drops the lock when the process ends in any way, so nothing has to
// be repaired: a record without a lock is an empty place, whatever it says.
//
// Order between processes. A newcomer
//   1. locks the byte behind the last record, so that newcomers come one after the other,
//   2. reads the records of held places, for the largest number of arrival,
//   3. writes its record into a place that is not held, and
//   4. locks that record, then unlocks the byte of 1.
// A reader first asks for the lock, then reads the record, so it never takes the record of an earlier holder for one
// that waits. Between both calls a place may pass on: the reader sees a newcomer, which counts for it as any other.
// At worst two programs ask for CPUs at the same time. The order is a courtesy; the table decides who owns a CPU.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "drom/drom.hpp"

namespace drom::command {

/// A program that waits for its turn.
struct QueuedProgram {
    std::string name;
    pid_t pid = 0;          ///< of its drom run, in that process's own pid namespace
    unsigned cpus = 0;      ///< that it asks for; 0: all that are free
    unsigned priority = 0;  ///< higher ones start first
    int64_t since_s = 0;    ///< when it came, in seconds since 1970
};

/// Returns the programs that wait in the table's queue, in the order in which they will start; none when the table has
/// no queue. Cost: a system call per place, about 0.1 ms.
std::vector<QueuedProgram> queued_programs(const std::string& table);

/// A place in a table's queue, held until this object or the process ends. One thread at a time.
class QueuePlace {
public:
    static constexpr unsigned kPlaces = 256;

    /// Takes a place behind all programs of the same or of a higher priority. Errors: E_BUSY, when all places are held;
    /// E_OS, when the file cannot be used. Cost: about 0.1 ms, or up to a second when a newcomer was stopped half-way.
    static Expected<QueuePlace> take(const std::string& table, const QueuedProgram& program);

    QueuePlace(QueuePlace&& other) noexcept;
    QueuePlace& operator=(QueuePlace&& other) noexcept;
    ~QueuePlace() { leave(); }

    /// Returns how many programs start before this one. A stopped process (Ctrl-Z) is passed over until it goes on.
    [[nodiscard]] unsigned before() const;
    void leave() noexcept;

private:
    QueuePlace(int file, unsigned place, uint64_t arrival, unsigned priority)
        : file_(file), place_(place), arrival_(arrival), priority_(priority) {}

    int file_;  ///< -1: left
    unsigned place_;
    uint64_t arrival_;
    unsigned priority_;
};

}  // namespace drom::command
