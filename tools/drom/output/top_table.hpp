// SPDX-License-Identifier: BSD-3-Clause
// top_table.hpp - one line per client: which CPUs it owns, and what it does with them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "drom/drom.hpp"

namespace drom::command {

struct TopRow {
    uint32_t slot = 0;
    pid_t pid = 0;
    std::string name;
    std::string job;
    CpuSet owned;                      ///< now
    double cpus = 0;                   ///< that it owned, the mean over the window
    double busy = 0;                   ///< CPU time over what it owned
    double waited = 0;                 ///< threads that could run, over what it owned
    std::optional<double> efficiency;  ///< useful time over what it owned; nothing where it could not be sampled
    std::optional<double> mpi;         ///< time in MPI over what it owned
    std::string request;               ///< what became of the newest one
};

struct TopFrame {
    std::string node;
    double window_s = 0;
    std::vector<TopRow> rows;
};

/// Returns a heading, the column titles and one line per client, of 80 columns at most. Longer names and masks are cut.
std::string top_text(const TopFrame& frame);

}  // namespace drom::command
