// SPDX-License-Identifier: BSD-3-Clause
// window.hpp - clients and the processes below them, seen from outside for a while.
#pragma once

#include <chrono>
#include <vector>

#include "drom/drom.hpp"
#include "sampling/watched_client.hpp"

namespace drom::command {

struct WindowSeen {
    double elapsed_s = 0;
    bool in_kernel = true;  ///< system calls were sampled; else they are divided as the rest of their thread
    double cost_s = 0;      ///< CPU time of looking
    std::vector<ClientSeen> clients;
};

/// Looks at the clients of a table for so long. Processes and threads that begin meanwhile are counted. Of a thread
/// that begins and ends between two looks, 0.8 seconds apart, only the CPU time is counted. That of such a process is
/// counted once its parent has waited for it, as useful. One look costs 50 to 100 microseconds per process, one sample
/// about a microsecond. Each thread takes a file descriptor and 36 KiB.
WindowSeen watch_clients(const Table& table, const std::vector<drom_client_info>& clients,
                         std::chrono::milliseconds window);

}  // namespace drom::command
