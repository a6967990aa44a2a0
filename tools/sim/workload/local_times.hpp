// SPDX-License-Identifier: BSD-3-Clause
// local_times.hpp - times as Slurm prints them, which are those of the site's clocks on the wall, as Unix time.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include <tl/expected.hpp>

#include "workload/workload.hpp"

namespace drom::sim {

/// Returns the time zone of this machine: TZ, the target of /etc/localtime, or UTC.
std::string zone_here();

/// Returns the mistake in the name of a time zone, as a sentence. Empty: there is such a zone.
std::string zone_mistake(const std::string& zone);

/// Returns whether the text describes a zone as POSIX does, as CET-1CEST,M3.5.0,M10.5.0/3.
bool describes_zone(std::string_view text);

/// Reads times of one zone. As long as one lives, the process has that zone: the C library knows no other way.
class LocalTimes {
public:
    /// Needs a zone that zone_mistake() has nothing against.
    explicit LocalTimes(const std::string& zone);
    ~LocalTimes();
    LocalTimes(const LocalTimes&) = delete;
    LocalTimes& operator=(const LocalTimes&) = delete;

    struct Moment {
        enum class Form : std::uint8_t { kTime, kUnknown, kBad } form = Form::kBad;
        Seconds at = 0;
        bool skipped = false;  ///< clocks never show it
    };
    /// Reads "2026-11-25T19:18:59" with or without a zone behind it, Unix time, or a word for no time. When clocks are
    /// set back, an hour of the wall comes twice: the first that is not before `from` is meant. When they
    /// are set forward, an hour never comes: its times are counted on by the clock as it was before.
    Moment read(std::string_view text, Seconds from = 0);

private:
    /// Both Unix times of one time on the wall, which are nearly always the same.
    struct Twice {
        Seconds first = 0, second = 0;
        bool skipped = false;
    };
    Twice of_wall(Seconds wall);

    std::string before_;
    bool had_zone_ = false;
    std::unordered_map<Seconds, Twice> offsets_;  // of quarters of an hour: no zone changes within one
};

}  // namespace drom::sim
