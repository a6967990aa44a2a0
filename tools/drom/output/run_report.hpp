// SPDX-License-Identifier: BSD-3-Clause
// run_report.hpp - what a drom run did, for --json.
#pragma once

#include <string>
#include <vector>

#include "drom/drom.hpp"

namespace drom::command {

struct RunReport {
    pid_t pid = 0;
    std::string name;
    std::string job;
    CpuSet cpus;
    bool took = false;     ///< some CPUs came from other clients
    unsigned threads = 0;  ///< of its team, unless the program chooses otherwise
    std::string resize;    ///< DROM_RESIZE it runs under; empty: the default
    std::vector<std::string> preloaded;
    uint64_t reserve_ns = 0;  ///< from the request to free CPUs
    uint64_t run_ns = 0;
    int status = 0;  ///< as waitpid gives it
};

}  // namespace drom::command
