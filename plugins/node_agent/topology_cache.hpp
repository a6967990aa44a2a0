// SPDX-License-Identifier: GPL-2.0-or-later
// topology_cache.hpp - the node's topology, which hwloc needs ten milliseconds to read and each step daemon wants anew.
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "common/settings.hpp"
#include "partition/topology.hpp"

namespace drom::slurm {

/// Reads the topology from agent.topology in the table's folder, if it is of this boot and of the CPUs that are online
/// now; else from hwloc, and written there. A virtual node's is always read from its description. Errors: a sentence.
/// Cost: 30 us; the first time 10 to 25 ms.
tl::expected<Topology, std::string> topology_of_node(const AgentSettings& settings);

/// Returns it as text, one line per CPU, under a line that says what it is of. Pure.
std::string to_text(const Topology& topology, const std::string& of);
/// Reads the text. Returns false when it is of something else, or damaged. Pure.
bool read_topology(const std::string& text, const std::string& of, Topology& topology);

}  // namespace drom::slurm
