// SPDX-License-Identifier: BSD-3-Clause
// thread_event.hpp - the kernel's samples of one thread: where it is, each time that it has used so much CPU time.
//
// A software event of perf_event_open(2). The thread runs no code of ours; the kernel interrupts it for about a
// microsecond per sample. A thread that sleeps gives no samples.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <span>

#include "drom/drom.hpp"

namespace drom::command {

/// Where a thread was, in its own code or in a system call of it.
struct ThreadSample {
    static constexpr size_t kStackWords = 16;

    uint64_t address = 0;                          ///< of the next instruction of the program
    std::array<uint64_t, kStackWords> stack = {};  ///< the words from the top of its stack
    size_t words = 0;                              ///< so many of them were read
};

class ThreadEvent {
public:
    using Seen = std::function<void(const ThreadSample&)>;

    /// Opens the event; it counts from now on. `in_kernel`: samples inside system calls too. Errors: errno.
    static tl::expected<ThreadEvent, int> open(pid_t tid, std::chrono::nanoseconds period, bool in_kernel);

    ThreadEvent(ThreadEvent&& other) noexcept;
    ThreadEvent& operator=(ThreadEvent&& other) noexcept;
    ThreadEvent(const ThreadEvent&) = delete;
    ThreadEvent& operator=(const ThreadEvent&) = delete;
    ~ThreadEvent();

    /// Hands over the samples since the last call.
    void drain(const Seen& seen);
    /// Returns the time on a CPU since it was opened, also after the thread has ended.
    [[nodiscard]] std::chrono::nanoseconds on_cpu() const;

private:
    ThreadEvent(int descriptor, std::byte* ring) : descriptor_(descriptor), ring_(ring) {}

    int descriptor_;
    std::byte* ring_;
};

/// Reads the sample in a record of the kernel: the bytes behind its header. False: it has none, or is cut short.
bool read_sample(std::span<const std::byte> record, ThreadSample& sample);

}  // namespace drom::command
