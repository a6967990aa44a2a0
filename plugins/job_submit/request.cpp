// SPDX-License-Identifier: GPL-2.0-or-later
// request.cpp - what a malleable job's request says and should say.
#include "request.hpp"

#include <algorithm>

#include "common/admin_comment.hpp"

namespace drom::slurm {

namespace {

constexpr std::string_view kKey = "malleable";

}  // namespace

std::string misfit(const MalleableRange& range, const CpuRequest& request, const NodeSizes& nodes) {
    if (auto why = beyond_node(range, nodes.largest); !why.empty()) return why;
    const uint32_t max = std::max(range.min, range.max);
    // However they are spread, no node gives the job more than it asks for altogether.
    const uint32_t asked = std::max(request.cpus, request.cpus_per_node);
    if (request.whole_nodes || asked == 0 || max <= asked) return {};
    return "--malleable=" + range.text() + ": the job asks for " + std::to_string(asked) +
           (asked == 1 ? " CPU" : " CPUs") + " only; ask for " + std::to_string(max) +
           " on each node, for instance -c " + std::to_string(max) + ", or for whole nodes with --exclusive";
}

std::optional<CpuRequest> full_cores(const CpuRequest& request, const NodeSizes& nodes) {
    const uint32_t each = nodes.smallest;
    if (each == 0 || each != nodes.largest) return std::nullopt;
    CpuRequest full;
    full.nodes = std::max({1U, request.nodes, request.cpus / each + (request.cpus % each != 0 ? 1 : 0)});
    full.cpus_per_node = each;
    full.cpus = full.nodes * each;
    return full;
}

std::string with_range(std::string_view comment, const MalleableRange& range) {
    return with_value(comment, kKey, range.text());
}

std::optional<std::string_view> range_text(std::string_view comment) { return value_of(comment, kKey); }

}  // namespace drom::slurm
