// SPDX-License-Identifier: GPL-2.0-or-later
// counters.hpp - what select/malleable has done since slurmctld began, as OpenMetrics text. Pure, but for
// write_counters().
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace drom::slurm {

struct Counters {
    /// Answers about malleable jobs that could not start alone: "share", or a word of policy::waiting_reasons().
    std::map<std::string, std::uint64_t> answers;
    std::uint64_t shared_starts = 0;
    std::uint64_t extended_minutes = 0;  ///< by which limits were extended, all jobs together
    double search_seconds = 0;           ///< in answers to slurmctld's schedulers about malleable jobs
    int sharing_jobs = 0;                ///< now
};

/// Returns the counters as OpenMetrics 1.0 text. Names begin with drom_sd_.
std::string text_of(const Counters& counters);

/// Replaces the file by `text`: a reader, which may be any user, sees the old one or the new one. Returns why that
/// failed, as a sentence without its end; empty: it did not.
std::string write_counters(const std::string& path, const std::string& text);

}  // namespace drom::slurm
