// SPDX-License-Identifier: BSD-3-Clause
// process_sampler.hpp - what the threads of one process do, seen from outside while it runs. The process runs no code
// for it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "metrics/budget.hpp"
#include "sampling/mapped_objects.hpp"
#include "sampling/thread_event.hpp"

namespace drom::command {

/// How threads are sampled.
struct Pace {
    std::chrono::nanoseconds period{};  ///< of a thread's CPU time, between two of its samples
    bool in_kernel = true;              ///< samples inside system calls; the kernel may refuse these alone
};

/// A process, as far as it was seen.
struct ProcessSeen {
    pid_t pid = 0;
    std::string name;
    std::vector<metrics::ThreadTimes> threads;  ///< those that ran; the primary thread first
    double cpu_s = 0;                           ///< CPU time of all threads, also of those that were never seen
    double waited_s = 0;                        ///< threads that could run, and waited for a CPU
    uint64_t samples = 0;
};

class ProcessSampler {
public:
    /// Begins to look at a process. `from_start`: its threads count from now on; false for a process that has begun in
    /// the window, all of whose CPU time counts.
    ProcessSampler(pid_t pid, bool from_start);

    /// Looks for new threads, and takes the samples since the last call. `pace.in_kernel` becomes false when the kernel
    /// refuses samples inside system calls.
    void look(Pace& pace);

    /// Returns why its threads cannot be sampled, as errno; 0: some can.
    [[nodiscard]] int refused() const { return sampled_ ? 0 : refused_; }

    /// Reads for the last time how long threads waited for a CPU.
    void end();

    /// Returns what was seen so far. Without samples all time on a CPU is useful.
    [[nodiscard]] ProcessSeen seen() const;

private:
    struct Thread {
        bool agent = false;  ///< of drom itself, in the process
        std::optional<ThreadEvent> event;
        uint64_t before_ns = 0;  ///< on a CPU in the window, before the event was opened
        uint64_t wait_begin_ns = 0, wait_end_ns = 0;
        uint64_t program = 0, mpi = 0, openmp = 0;  ///< samples

        [[nodiscard]] uint64_t samples() const { return program + mpi + openmp; }
        [[nodiscard]] double on_cpu_s() const;
    };

    void find_threads(Pace& pace);
    void add_thread(pid_t tid, Pace& pace);
    void count(Thread& thread, const ThreadSample& sample);
    [[nodiscard]] double unseen_s(double seen_s) const;

    pid_t pid_;
    bool first_look_;
    std::string name_;
    int refused_ = 0;       ///< errno of the last thread that could not be sampled
    bool sampled_ = false;  ///< one thread at least can be
    uint64_t clock_begin_ns_ = 0, clock_end_ns_ = 0;
    MappedObjects objects_;
    unsigned renewals_ = 0;
    std::map<pid_t, Thread> threads_;
};

}  // namespace drom::command
