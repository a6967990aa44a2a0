// SPDX-License-Identifier: BSD-3-Clause
// watched_client.hpp - a client and the processes below it, seen from outside.
#pragma once

#include <sys/types.h>

#include <map>
#include <vector>

#include "drom/drom.hpp"
#include "sampling/process_sampler.hpp"

namespace drom::command {

struct ClientSeen {
    drom_client_info info{};
    double cpus = 0;                     ///< that it owned, the mean over the window
    bool elsewhere = false;              ///< its process is in another pid namespace: nothing of it was seen
    int refused = 0;                     ///< errno of the kernel that lets its threads not be sampled; 0: they were
    std::vector<ProcessSeen> processes;  ///< its own first
};

/// Returns 200 samples per second of a thread's CPU time, at no period that a program is likely to have.
Pace usual_pace();

/// Allows as many open files as the system lets us: each thread takes one.
void raise_limit_of_files();

class WatchedClient {
public:
    /// Begins to look at a client. The table has to outlive this object.
    WatchedClient(const Table& table, const drom_client_info& info);

    /// Takes the samples since the last call. `tree`: looks for new processes first. About 50 to 100 microseconds per
    /// process.
    void look(Pace& pace, bool tree);

    /// Adds the CPUs that it has owned since the last call, at the number that it owned then.
    void integrate(double seconds);

    /// Returns all that was seen since the begin, `elapsed_s` ago.
    [[nodiscard]] ClientSeen seen(double elapsed_s);

private:
    std::vector<pid_t> find_processes(bool first);
    void add_unseen(ClientSeen& client);
    void count_cpus();

    const Table& table_;
    drom_client_info info_;
    bool elsewhere_ = false;
    double cpus_ = 0;
    double cpu_s_ = 0;
    double tree_begin_s_ = 0;  ///< at the begin of the window
    std::map<pid_t, ProcessSampler> processes_;
};

}  // namespace drom::command
