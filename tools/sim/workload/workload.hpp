// SPDX-License-Identifier: BSD-3-Clause
// workload.hpp - the jobs that a simulation replays, wherever they come from: a log, a generator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/program.hpp"

namespace drom::sim {

using Seconds = std::int64_t;

/// One job, after repairs: every field is usable as it stands. Fields of the Standard Workload Format keep its meaning.
struct LogJob {
    std::int64_t id = 0;
    Seconds submit = 0;           ///< since the log's zero; never negative
    Seconds wait = -1;            ///< what the log's own scheduler gave (field 3); -1 unknown
    Seconds run = 0;              ///< real run time on all its processors; >= 0
    Seconds request = 1;          ///< requested run time, its limit; >= 1
    std::int64_t processors = 1;  ///< >= 1
    std::int64_t memory_kb = -1;  ///< requested, per processor; -1 unknown
    int user = -1, group = -1, application = -1, queue = -1;
    int partition = -1;  ///< of Workload::partitions when that is not empty, else the log's number
    int status = -1;
    int program = -1;  ///< of Workload::programs; -1: nothing is known of its inside

    friend bool operator==(const LogJob&, const LogJob&) = default;
};

/// Jobs in the order of their submits; jobs submitted at the same second in the order of the log.
struct Workload {
    std::string name;  ///< file or generator, as a report shows it
    std::vector<LogJob> jobs;
    std::vector<Program> programs;                            ///< kinds of jobs
    std::vector<std::string> partitions;                      ///< names, where a log has names
    std::int64_t nodes = 0, processors = 0;                   ///< of the machine, from the header; 0 unknown
    std::string machine_mistake;                              ///< in the header's lines about it; empty: none
    std::vector<std::pair<std::string, std::string>> header;  ///< "Key: value" comment lines, in order
};

}  // namespace drom::sim
