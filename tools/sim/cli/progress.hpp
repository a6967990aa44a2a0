// SPDX-License-Identifier: BSD-3-Clause
// progress.hpp - a bar on stderr when that is a terminal, and Ctrl-C, which asks for what there is so far.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>

namespace drom::sim {

/// Becomes true at the first SIGINT or SIGTERM after stop_on_signals().
const std::atomic<bool>& stopped();

/// Lets the first signal set `stopped`; a second one ends the process. Call before threads exist, and after the input
/// was read: a process that waits for input looks at no flag.
void stop_on_signals();

class Progress {
public:
    /// Shows nothing when `quiet`, or when stderr is no terminal.
    Progress(std::string what, std::size_t total, bool quiet);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Adds jobs that have ended, and shows the bar anew. Any thread may call it.
    void add(std::size_t done);

private:
    const std::string what_;
    const std::size_t total_;
    const bool shown_;
    std::atomic<std::size_t> done_{0};
    std::atomic<int> percent_{-1};
};

}  // namespace drom::sim
