// SPDX-License-Identifier: BSD-3-Clause
// sampled_clients.hpp - what clients did since the last look, again and again.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <list>
#include <vector>

#include "metrics/budget.hpp"
#include "sampling/watched_client.hpp"

namespace drom::command {

/// The times of a client between two looks. Times are CLOCK_MONOTONIC, in nanoseconds.
struct ClientSample {
    uint32_t slot = 0;
    pid_t pid = 0;
    uint64_t begin_ns = 0, end_ns = 0;
    bool sampled = true;     ///< else of the budget only `owned` is known
    metrics::Budget budget;  ///< CPU seconds
    double cpu_s = 0;        ///< of all threads
    double waited_s = 0;     ///< threads that could run, and waited for a CPU

    [[nodiscard]] double seconds() const { return static_cast<double>(end_ns - begin_ns) / 1e9; }
};

/// Clients that are looked at. The table has to outlive this object. Cost: as watch_clients().
class SampledClients {
public:
    explicit SampledClients(const Table& table);

    /// Begins to look at clients that are new, and forgets those that are not among `clients`.
    void follow(const std::vector<drom_client_info>& clients, uint64_t now_ns);

    /// Returns what each did since the last call, or since it was new.
    std::vector<ClientSample> look(uint64_t now_ns);

private:
    struct Followed {
        uint32_t slot;
        pid_t pid;
        uint64_t begin_ns;  ///< of the looking
        WatchedClient watched;
        ClientSample last;  ///< of all since the begin
    };
    ClientSample look_at(Followed& followed, uint64_t now_ns);

    const Table& table_;
    Pace pace_;
    std::list<Followed> followed_;
};

}  // namespace drom::command
