// SPDX-License-Identifier: BSD-3-Clause
// stats_report.hpp - what drom stats knows of programs, and how it says so: as a tree of factors, or as lines of CSV.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "metrics/factors.hpp"

namespace drom::command {

struct StatsProcess {
    std::string node;
    std::string client;
    pid_t pid = 0;
    std::optional<unsigned> rank;
    unsigned threads = 0;  ///< that ran in the window
    uint64_t samples = 0;
    double cpu_s = 0;     ///< CPU time of all threads
    double waited_s = 0;  ///< threads that could run, and waited for a CPU
    metrics::Budget budget;
};

/// The clients of a job, or one client that belongs to none.
struct StatsApplication {
    std::string job;
    std::string name;
    bool sampled = true;  ///< else of each budget only `owned` is known
    std::vector<StatsProcess> processes;
};

struct StatsReport {
    std::vector<std::string> nodes;
    double window_s = 0;
    bool in_kernel = true;  ///< system calls were sampled
    double cost_s = 0;      ///< CPU time of looking
    std::vector<StatsApplication> applications;
};

/// Returns the processes for the factors; nodes get numbers in the order of their names.
std::vector<metrics::Share> shares_of(const StatsApplication& application);

/// Returns one sentence about the largest loss; empty where nothing was sampled.
std::string loss_sentence(const StatsApplication& application);

/// Returns lines for people, of `width` columns at most.
std::string stats_text(const StatsReport& report, size_t width);

/// Returns a heading and one line per application, fields separated by commas, shares from 0 to 1.
std::string stats_csv(const StatsReport& report);

}  // namespace drom::command
