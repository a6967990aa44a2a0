// SPDX-License-Identifier: BSD-3-Clause
// talp_json.hpp - what drom stats knows of one program, as the file that TALP of DLB 3.7 writes. Pure.
#pragma once

#include <string>

#include "output/stats_report.hpp"

namespace drom::command {

/// Returns the object, with one region, "Global": the window. Factors are TALP's (metrics::talp_factors_of()), with two
/// digits as there; times are sums over CPUs, in nanoseconds. Calls, regions, tasks and hardware counters are not seen
/// from outside: they are 0, as in a TALP that was built without them. `timestamp` is a date and time of ISO 8601.
/// The program needs to have been sampled.
std::string talp_json(const StatsReport& report, const StatsApplication& application, const std::string& timestamp);

}  // namespace drom::command
