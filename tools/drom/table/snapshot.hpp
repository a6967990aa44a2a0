// SPDX-License-Identifier: BSD-3-Clause
// snapshot.hpp - a table at one moment, as plain values.
#pragma once

#include <string>
#include <vector>

#include "drom/drom.hpp"

namespace drom::command {

struct ClientView {
    drom_client_info info{};
    CpuSet owned;
    CpuSet wanted;
    std::vector<pid_t> descendants = {};  ///< processes that are moved with it; filled in by find_descendants()
};

struct Snapshot {
    std::string path;
    std::string node;
    unsigned cpus = 0;
    TableMasks masks;
    CpuSet orphaned;  ///< left by clients that died; the next administrator frees them
    std::vector<ClientView> clients;
    std::vector<drom_location> locations;  ///< by CPU
};

/// Returns the name of this machine.
std::string node_name();

/// Reads all of the table, without clients that end meanwhile.
Expected<Snapshot> take_snapshot(const Table& table);

/// Looks at every process of its tree; finds none when it has just ended.
void find_descendants(const Table& table, ClientView& client);

/// Returns one client; E_NOPROC when it has ended.
Expected<ClientView> view_of(const Table& table, pid_t pid);

}  // namespace drom::command
