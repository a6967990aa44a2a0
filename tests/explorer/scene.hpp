// SPDX-License-Identifier: BSD-3-Clause
// scene.hpp - the scenarios: the clients and administrators of each, and what they are about to do.
#pragma once

#include <vector>

#include "admin/carry_out.hpp"
#include "admin/orders.hpp"
#include "admin/reservations.hpp"
#include "schedule.hpp"

namespace drom::explorer {

/// Builds a machine and its actors. Processes are named by number.
class Scene {
public:
    Scene() { begin(false); }
    /// Uses a node table instead of a user's: clients cannot write to it, and exist because CPUs were reserved for
    /// them. Called before anything else.
    void use_node_table() { begin(true); }

    /// Adds a process that has joined, owns `mask` and runs there.
    uint32_t client(const char* mask);
    /// Adds a process that has joined, and owns no CPU: there has been no request to it.
    uint32_t client_without_cpus(const char* affinity);
    /// Adds a process that owns `mask` and runs there, in a reservation that the healthy administrator made for it.
    uint32_t reserved_client(const char* mask);
    /// Adds a process that is no client so far.
    uint32_t process(const char* affinity);
    Table& administrator();

    void act(const char* name, uint32_t process, std::function<int()> what);
    /// Adds an administrator that does this.
    void administer(const char* name, const std::function<int(Table&)>& what);

    /// Ends a process at once; its slot stays as it was.
    void kill(uint32_t process) const;

    /// The administrator that checks the table when all actors are done, in a process of its own.
    Table* healthy = nullptr;
    uint32_t healthy_process = kNoProcess;

private:
    void begin(bool node);
    Table& open_table(uint32_t process) const;
    uint32_t processes_ = 0;
};

struct Scenario {
    const char* name;
    void (*build)(Scene&);
    bool one_administrator;  ///< no administrator is overtaken: the newest request can be read at every instant
};
const std::vector<Scenario>& scenarios();

/// Looks for a request `looks` times as a client, and follows each one.
int follow_requests(int looks);

Options with(uint64_t flags);
CpuSet cpus(const char* text);

}  // namespace drom::explorer
