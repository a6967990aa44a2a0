// SPDX-License-Identifier: GPL-2.0-or-later
// request.cpp - what a malleable job's request says and should say.
#include "request.hpp"

#include <algorithm>

namespace drom::slurm {

namespace {

constexpr std::string_view kKey = "malleable=";

/// Calls back with each word of a comment.
template <class Body>
void each_word(std::string_view text, const Body& body) {
    while (!text.empty()) {
        const size_t end = std::min(text.find(' '), text.size());
        if (end > 0) body(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

}  // namespace

std::string misfit(const MalleableRange& range, const CpuRequest& request, const NodeSizes& nodes) {
    if (auto why = beyond_node(range, nodes.largest); !why.empty()) return why;
    const uint32_t most = std::max(range.min, range.max);
    // However they are spread, no node gives the job more than it asks for altogether.
    const uint32_t asked = std::max(request.cpus, request.cpus_per_node);
    if (request.whole_nodes || asked == 0 || most <= asked) return {};
    return "--malleable=" + range.text() + ": the job asks for " + std::to_string(asked) +
           (asked == 1 ? " CPU" : " CPUs") + " only; ask for " + std::to_string(most) +
           " on each node, for instance -c " + std::to_string(most) + ", or for whole nodes with --exclusive";
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
    std::string text;
    if (!range_text(comment)) {
        text = comment;
    } else {
        each_word(comment, [&](std::string_view word) {
            if (!word.starts_with(kKey)) text.append(text.empty() ? "" : " ").append(word);
        });
    }
    return text.append(text.empty() ? "" : " ").append(kKey).append(range.text());
}

std::optional<std::string_view> range_text(std::string_view comment) {
    std::optional<std::string_view> found;
    each_word(comment, [&](std::string_view word) {
        if (word.starts_with(kKey)) found = word.substr(kKey.size());
    });
    return found;
}

}  // namespace drom::slurm
