// SPDX-License-Identifier: GPL-2.0-or-later
// cluster_nodes.hpp - how large the nodes of each partition are.
//
// slurmctld asks a job_submit plugin with its locks held, and hands it no nodes. So the plugin asks slurmctld in the
// background, as any client does. An answer is at most a minute old, and nothing ever waits for it.
#pragma once

#include <optional>
#include <string>

#include "request.hpp"

namespace drom::slurm {

/// Returns the sizes of the nodes in these partitions (a,b,c; empty: the default one). Nothing before the first answer,
/// which the call then asks for; sizes of 0 for a partition that is not known, or when slurmctld does not answer.
std::optional<NodeSizes> node_sizes(const std::string& partitions);

}  // namespace drom::slurm
