// SPDX-License-Identifier: BSD-3-Clause
// scene.hpp - the scenarios: which clients and administrators there are, and what each of them is about to do.
#pragma once

#include <vector>

#include "admin/table.hpp"
#include "schedule.hpp"

namespace drom::explorer {

/// Builds a machine and its actors. Processes are named by number.
class Scene {
public:
    Scene() { begin(false); }
    /// Instead of a user's: clients cannot write to it, and are there because CPUs were reserved for them. Before
    /// anything else.
    void use_node_table() { begin(true); }

    /// A process that has joined, owns `mask` and runs there.
    uint32_t client(const char* mask);
    /// The same, in a reservation that the healthy administrator made for it.
    uint32_t reserved_client(const char* mask);
    /// A process that is no client so far.
    uint32_t process(const char* affinity);
    Table& administrator();

    void act(const char* name, uint32_t process, std::function<int()> what);
    /// An administrator of its own does this.
    void administer(const char* name, const std::function<int(Table&)>& what);

    /// It ends without a word; its slot is as it was.
    void kill(uint32_t process) const;

    /// When everybody is done an administrator looks after the table, from a process of its own.
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
    bool one_administrator;  ///< nobody is overtaken: the newest request can be read at every instant
};
const std::vector<Scenario>& scenarios();

/// The client looks for a request so many times and follows what it finds.
int follow_requests(int looks);

Options with(uint64_t flags);
CpuSet cpus(const char* text);

}  // namespace drom::explorer
