// SPDX-License-Identifier: GPL-2.0-or-later
// malleable_range.hpp - what --malleable, --drom-min-per-rank and --drom-resize say. Pure: text in, numbers or one
// sentence out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace drom::slurm {

/// CPUs that a job can run with on each of its nodes.
struct MalleableRange {
    uint32_t min = 1;
    uint32_t max = 0;  ///< 0: as many as the job was given there

    /// Returns the text that parse_malleable() reads: MIN or MIN-MAX.
    [[nodiscard]] std::string text() const;
    friend bool operator==(const MalleableRange&, const MalleableRange&) = default;
};

/// Slurm counts a node's CPUs in 16 bits.
constexpr uint32_t kMaxNodeCpus = 65535;

/// A value, or a finished sentence that begins with the option.
template <class Value>
using Parsed = tl::expected<Value, std::string>;

/// Parses [MIN[-MAX]]; empty: 1 to everything. `node_cpus`: CPUs of the largest node in question; 0: not known.
Parsed<MalleableRange> parse_malleable(std::string_view text, uint32_t node_cpus = 0);

/// Returns why a range asks for more than a node of `node_cpus` CPUs has; empty: it does not.
std::string beyond_node(const MalleableRange& range, uint32_t node_cpus);

Parsed<uint32_t> parse_min_per_rank(std::string_view text);

/// Parses keep, follow or auto, as DROM_RESIZE has them.
Parsed<std::string> parse_resize(std::string_view text);

}  // namespace drom::slurm
