// SPDX-License-Identifier: GPL-2.0-or-later
// settings.hpp - how the node side is set up: what stands behind spank_drom.so in plugstack.conf, or in drom.conf.
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace drom::slurm {

struct Settings {
    std::string lib;       ///< lib=DIR: where drom's libraries are; empty: above the plugin, as in an installation
    std::string table;     ///< table=DIR, %n is the node's name: the node's table; empty: no CPUs are moved
    std::string topology;  ///< topology=DESCRIPTION, with commas or blanks: a virtual node
    double sharing_factor = 0.5;  ///< sharing_factor=F, above 0 and below 1

    std::vector<std::string> wrong;  ///< a sentence for each that was not understood
};

/// Reads NAME=VALUE, one after the other, as Slurm hands them over from a line of plugstack.conf.
Settings read_arguments(int argc, const char* const argv[]);

/// Reads NAME=VALUE, one per line; a # begins a comment.
Settings read_file(std::string_view text);

/// How the agent of a node is set up.
struct AgentSettings {
    std::string table;            ///< directory of the node's table
    std::string topology;         ///< hwloc's synthetic description of a virtual node; empty: this machine
    double sharing_factor = 0.5;  ///< for jobs that were granted no CPUs of their own
    uint32_t timeout_ms = 2000;   ///< how long a step waits for its CPUs to be left before it starts all the same
};

/// Returns the same for one node.
AgentSettings agent_settings(const Settings& settings, const std::string& node);

}  // namespace drom::slurm
