// SPDX-License-Identifier: GPL-2.0-or-later
// request.hpp - what a malleable job's request says and should say. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/malleable_range.hpp"

namespace drom::slurm {

/// CPUs that a job asks for; 0: not said.
struct CpuRequest {
    uint32_t cpus = 0;           ///< altogether, at least
    uint32_t cpus_per_node = 0;  ///< on each node, at least
    uint32_t nodes = 0;          ///< at least
    bool whole_nodes = false;    ///< --exclusive
};

/// The nodes that a job may get.
struct NodeSizes {
    uint32_t smallest = 0;  ///< CPUs; 0: not known
    uint32_t largest = 0;
    uint32_t threads = 0;  ///< CPUs of a core where it has most; 0: not known
};

/// Returns why the range does not fit the request or the nodes, as a finished sentence; empty: it does.
std::string misfit(const MalleableRange& range, const CpuRequest& request, const NodeSizes& nodes);

/// Returns the same nodes, but asked for by their CPUs: every core of each, without a claim to be alone there. Nothing
/// when nodes differ in size, because then no number of CPUs means "all of it".
std::optional<CpuRequest> full_cores(const CpuRequest& request, const NodeSizes& nodes);

/// Returns the comment with malleable=RANGE behind what is there; a range in it is replaced.
std::string with_range(std::string_view comment, const MalleableRange& range);

/// Returns the text behind malleable= in a comment.
std::optional<std::string_view> range_text(std::string_view comment);

}  // namespace drom::slurm
