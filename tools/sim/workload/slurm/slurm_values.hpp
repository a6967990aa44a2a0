// SPDX-License-Identifier: BSD-3-Clause
// slurm_values.hpp - values as Slurm's commands and files write them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "workload/workload.hpp"

namespace drom::sim::slurm {

/// Returns a span of time in seconds: minutes, minutes:seconds, hours:minutes:seconds, days-hours,
/// days-hours:minutes or days-hours:minutes:seconds. Nothing: it is none, or above 10^12 s.
std::optional<Seconds> read_span(std::string_view text);

/// Returns whether a word stands where no limit was given: UNLIMITED, INFINITE, Partition_Limit, or nothing.
bool is_no_limit(std::string_view text);

/// Returns a number of nodes or processors, 0 to 10^9, also as "2K" or "1.50K" (1536).
std::optional<std::int64_t> read_count(std::string_view text);

/// Memory that a job asked for.
struct Memory {
    enum class Of : std::uint8_t { kJob, kNode, kProcessor } of = Of::kJob;
    std::int64_t kb = -1;  ///< -1: it did not say, or asked for none

    /// Returns the kB of each processor.
    [[nodiscard]] std::int64_t per_processor(std::int64_t nodes, std::int64_t processors) const;
};

/// Reads "4000M", "4Gn" of each node, "2Gc" of each processor; without a unit it is MB. Nothing: it is none of these.
std::optional<Memory> read_memory(std::string_view text);

/// Returns the memory in "cpu=4,mem=2000M,node=1,billing=4", which is of the whole job.
std::string_view memory_of_tres(std::string_view text);

/// Returns the first word of a state: "CANCELLED" of "CANCELLED by 1000" and of "CANCELLED+".
std::string_view first_word(std::string_view text);

/// Returns the text in small letters.
std::string small(std::string text);

/// Returns whether these are equal but for upper and lower case.
bool same_word(std::string_view a, std::string_view b);

/// Returns the status of the Standard Workload Format for a state that a job ended in: 1 completed, 0 failed, 5
/// cancelled.
int status_of(std::string_view state);

}  // namespace drom::sim::slurm
