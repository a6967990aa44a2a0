// SPDX-License-Identifier: GPL-2.0-or-later
// core_sets.hpp - which cores of a node jobs have when the numbers of their cores change. Pure.
#pragma once

#include <vector>

namespace drom::slurm {

/// One job on a node.
struct Share {
    std::vector<bool> cores;  ///< that it has, by Slurm's numbers: package by package
    int wanted = 0;           ///< how many it shall have
};

/// Changes the sets to the wanted numbers. A job with too many cores loses its last ones, so that guests come to other
/// packages than their mates. A job with too few gets free ones, those next to its own first. No core is given twice,
/// and none moves that need not. Returns false when there were not enough free cores: then a job has fewer than wanted.
/// All sets have the same size. Cost: the cores times the jobs.
bool redistribute(std::vector<Share>& shares);

}  // namespace drom::slurm
