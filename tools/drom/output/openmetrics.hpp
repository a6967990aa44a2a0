// SPDX-License-Identifier: BSD-3-Clause
// openmetrics.hpp - what drom stats knows of programs, as OpenMetrics 1.0 text (prometheus.io/docs/specs/om). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "output/stats_report.hpp"

namespace drom::command {

/// The requests of a client since it joined.
struct ClientRequests {
    std::string client;
    std::string job;
    pid_t pid = 0;
    std::optional<unsigned> rank = {};
    uint64_t count = 0;
    std::optional<double> release_s;  ///< how long the newest released one took; nothing before the first
};

/// The CPUs of a node's table, now.
struct NodeCpus {
    unsigned owned = 0;
    unsigned free = 0;
    unsigned drained = 0;
};

struct NodeMetrics {
    NodeCpus cpus;
    std::vector<ClientRequests> clients;
    StatsReport report;
};

/// Returns the text. Names begin with drom_. CPUs and efficiencies are means over the window of the report, so they are
/// gauges. Series of a process have its pid, since several clients may have one name. A factor is left out where
/// nothing was sampled.
std::string openmetrics_text(const NodeMetrics& metrics);

/// The text of drom metrics for the table of one user.
struct UserMetrics {
    std::string user;
    std::string text;  ///< empty: the table could not be read
};

/// Returns them as one text: each family once, and each series with the label user. A family more, drom_table_up, says
/// which tables could be read.
std::string openmetrics_of_users(const std::vector<UserMetrics>& tables);

}  // namespace drom::command
