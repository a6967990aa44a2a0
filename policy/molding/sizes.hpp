// SPDX-License-Identifier: BSD-3-Clause
// sizes.hpp - on how many nodes a moldable job could start, and how long it would run there.
#pragma once

#include <vector>

#include "policy/job/job.hpp"

namespace drom::policy {

/// How the sizes of a moldable job follow from the nodes that it asks for. The curve is Downey's (A. Downey, "A
/// parallel workload model and its implications for processor allocation", 1997).
struct MoldRules {
    double parallelism = 1;       ///< Downey's A, in multiples of the cores that a job asks for
    double sigma = 1;             ///< Downey's coefficient of variance of parallelism
    double min_efficiency = 0.5;  ///< no size at which speedup / cores is below it; the size asked for is always one
    /// Smallest and largest size, in multiples of the nodes that a job asks for. Growth harms all others on every log
    /// that was tried (docs/results/starts.md).
    double min = 0.25, max = 1;
    int reservations = 1;  ///< jobs that a pass reserves nodes for; 0: all that wait
};

/// A number of nodes that a job could start on.
struct Size {
    int nodes = 1;
    double time_factor = 1;  ///< run time on these nodes / run time on those that it asks for
};

/// Returns the sizes of a job that asks for `asked` nodes, the smallest first. The job's own size is among them where
/// the machine has it. Of more than 32 sizes so many are returned, at equal distances. Cost: the sizes.
std::vector<Size> mold_sizes(int asked, int machine_nodes, int cores_per_node, const MoldRules& rules);

/// Returns how long a job that asks for `request` on `asked` nodes asks for on that many.
Seconds molded_request(Seconds request, int asked, const Size& size);

/// Returns the job as it would be on that many nodes: its request and its limit last longer or shorter.
Job molded(const Job& job, const Size& size);

}  // namespace drom::policy
